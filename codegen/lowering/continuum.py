# SPDX-License-Identifier: BSD-3-Clause
"""The terms of elements that interpolate displacements: solids, plane elements, facets, points.

``LOWERINGS`` has a function per term. Each returns a named result and uses the derived equations
only if it depends on them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.elements.terms import LOADS, MATRICES
from flexforge.codegen.lowering.action import ActionTerm, lower_action
from flexforge.codegen.lowering.finite import (
    lower_internal_forces,
    lower_strain_energy,
)
from flexforge.codegen.lowering.finite_conserving import lower_conserving_action
from flexforge.codegen.lowering.finite_stress import (
    lower_energy_density,
    lower_finite_strain,
    lower_finite_stress,
)
from flexforge.codegen.lowering.finite_tangent import lower_tangent, lower_tangent_action
from flexforge.codegen.lowering.finite_thermal import lower_growth_load
from flexforge.codegen.lowering.jacobian import JACOBIAN, lower_jacobian
from flexforge.codegen.lowering.lowered import Derivation, Lowered, lower_alone, lower_term
from flexforge.codegen.lowering.lumped import lower_lumped_mass
from flexforge.codegen.lowering.stress import lower_geometric, lower_points, lower_stress
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.surface import lower_pressure
from flexforge.codegen.lowering.terms import lower_load, lower_matrix
from flexforge.codegen.lowering.thermal import lower_thermal_load

Lowering = Callable[[Derivation[Element]], Lowered]


def _scalar_mass(derivation: Derivation[Element]) -> Lowered:
    term = derivation.equations.terms["mass"]
    program = lower_matrix(derivation.element, term, scalar=True)
    structure = find_structure(term.density).name
    return Lowered(program, term.meaning, term.units, term.symmetry, structure)


def _geometric(thermal: bool, derivation: Derivation[Element]) -> Lowered:
    terms = derivation.equations.terms
    term = terms["geometric"]
    program = lower_geometric(derivation.element, term, terms["stiffness"], thermal=thermal)
    structure = find_structure(term.density).name
    return Lowered(program, term.meaning, term.units, term.symmetry, structure)


def _stress(thermal: bool, points: bool, derivation: Derivation[Element]) -> Lowered:
    if derivation.element.energy is not None:
        return _finite_stress(False, points, derivation)
    stiffness = derivation.equations.terms["stiffness"]
    program = lower_stress(derivation.element, stiffness, thermal=thermal, points=points)
    held = " of a temperature that is held" if thermal else ""
    return Lowered(program, f"{_stresses(points, derivation)}{held}", "Pa")


def _finite_stress(undeformed: bool, points: bool, derivation: Derivation[Element]) -> Lowered:
    program = lower_finite_stress(derivation.element, undeformed=undeformed, points=points)
    kind = "second Piola-Kirchhoff" if undeformed else "Cauchy"
    return Lowered(program, f"{kind} {_stresses(points, derivation)}", "Pa")


def _finite_strain(derivation: Derivation[Element]) -> Lowered:
    order = _order(derivation)
    return Lowered(lower_finite_strain(derivation.element), f"Green's strain at points {order}", "")


def _stresses(points: bool, derivation: Derivation[Element]) -> str:
    return f"{'stresses at points' if points else 'nodal stresses'} {_order(derivation)}"


def _order(derivation: Derivation[Element]) -> str:
    axes = stress_components(derivation.element.strain, derivation.element.components)
    return " ".join("xyz"[i] + "xyz"[j] for i, j in axes)


def _action(name: str, derivation: Derivation[Element]) -> Lowered:
    terms = derivation.equations.terms
    return Lowered(
        lower_action(derivation.element, [ActionTerm(terms[name])]), f"{terms[name].symbol} d", "N"
    )


def _motion_action(derivation: Derivation[Element]) -> Lowered:
    terms = derivation.equations.terms
    parts = [ActionTerm(terms["mass"], 2), ActionTerm(terms["coriolis"], 1, 2)]
    parts += [ActionTerm(terms[name]) for name in ("stiffness", "euler", "centrifugal")]
    meaning = "m d'' + 2 c d' + (k + k_eps + k_omega) d"
    return Lowered(lower_action(derivation.element, parts), meaning, "N")


def _tangent(derivation: Derivation[Element]) -> Lowered:
    program = lower_tangent(derivation.element)
    return Lowered(program, "int d2W/dd2", "N/m", "symmetric")


def _thermal_load(derivation: Derivation[Element]) -> Lowered:
    if derivation.element.energy is not None:
        return Lowered(lower_growth_load(derivation.element), "- d/dT int dW/dd T'", "N")
    return Lowered(lower_thermal_load(derivation.element), "int (bN)^T H eps_0", "N")


LOWERINGS: Mapping[str, Lowering] = {
    GEOMETRY: partial(lower_alone, lower_jacobian, *JACOBIAN),
    **{name: partial(lower_term, lower_matrix, name) for name in MATRICES},
    "scalar_mass": _scalar_mass,
    "lumped_mass": partial(lower_alone, lower_lumped_mass, "m_aa M / sum_b m_bb", "kg"),
    "geometric": partial(_geometric, False),
    "thermal_geometric": partial(_geometric, True),
    **{name: partial(lower_term, lower_load, name) for name in LOADS},
    "pressure": partial(lower_alone, lower_pressure, "- int N^T p n dA, n outward", "N"),
    "thermal_load": _thermal_load,
    "stress": partial(_stress, False, False),
    "thermal_stress": partial(_stress, True, False),
    "point_stress": partial(_stress, False, True),
    "thermal_point_stress": partial(_stress, True, True),
    "second_piola_stress": partial(_finite_stress, True, False),
    "point_second_piola_stress": partial(_finite_stress, True, True),
    "point_strain": _finite_strain,
    "point_energy": partial(lower_alone, lower_energy_density, "W at points", "J/m^3"),
    "points": partial(lower_alone, lower_points, "positions of the points of stress", "m"),
    "strain_energy": partial(lower_alone, lower_strain_energy, "int W", "J"),
    "internal_forces": partial(lower_alone, lower_internal_forces, "int dW/dd", "N"),
    "tangent": _tangent,
    "tangent_action": partial(lower_alone, lower_tangent_action, "int d2W/dd2 x", "N"),
    "conserving_action": partial(
        lower_alone, lower_conserving_action, "forces of the work W_1 - W_0", "N"
    ),
    "stiffness_action": partial(_action, "stiffness"),
    "mass_action": partial(_action, "mass"),
    "motion_action": _motion_action,
}
