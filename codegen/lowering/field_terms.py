# SPDX-License-Identifier: BSD-3-Clause
"""The terms of elements with an explicit field: beams, shells, rigid bodies, connectors.

``LOWERINGS`` has a function per term, as in :mod:`flexforge.codegen.lowering.continuum`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from flexforge.codegen.elements.facts import GEOMETRY
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.terms import FINITE, LOADS, MATRICES, SECTION
from flexforge.codegen.lowering.field_stress import (
    lower_field_points,
    lower_field_stress,
    lower_field_thermal_load,
)
from flexforge.codegen.lowering.fields import (
    lower_field_geometric,
    lower_field_load,
    lower_field_matrix,
)
from flexforge.codegen.lowering.jacobian import JACOBIAN, lower_jacobian
from flexforge.codegen.lowering.lowered import Derivation, Lowered, lower_alone, lower_term
from flexforge.codegen.lowering.own_stress import (
    lower_rigid_geometric,
    lower_section_geometric,
    section_of,
)
from flexforge.codegen.lowering.rod import finite_rod

Lowering = Callable[[Derivation[FieldElement]], Lowered]


def _geometric(derivation: Derivation[FieldElement]) -> Lowered:
    term = derivation.equations.terms["geometric"]
    if "stiffness" not in derivation.element.fibres:
        program = lower_rigid_geometric(derivation.element, term, derivation.equations)
        words = "stiffness of the inertia forces on a turn"
        return Lowered(program, words, term.units, "symmetric")
    return lower_term(lower_field_geometric, "geometric", derivation)


def _section_geometric(derivation: Derivation[FieldElement]) -> Lowered:
    section = section_of(derivation.element)
    equations = replace(derivation, element=section).equations
    term = equations.terms["geometric"]
    program = lower_section_geometric(section, term, equations)
    words = "stiffness of the section by its own inertia forces"
    return Lowered(program, words, term.units, term.symmetry)


def _finite(term: str, derivation: Derivation[FieldElement]) -> Lowered:
    lower, words, units, symmetry = finite_rod(derivation.element, term)
    return Lowered(lower(derivation.element), words, units, symmetry)


def _stress(derivation: Derivation[FieldElement]) -> Lowered:
    if derivation.element.energy is not None:
        return _finite("point_stress", derivation)
    return lower_alone(lower_field_stress, _STRESS, "of the law", derivation)


_STRESS = "generalized stresses at the stations"

LOWERINGS: Mapping[str, Lowering] = {
    GEOMETRY: partial(lower_alone, lower_jacobian, *JACOBIAN),
    **{name: partial(lower_term, lower_field_matrix, name) for name in MATRICES},
    **{name: partial(lower_term, lower_field_load, name) for name in LOADS},
    "geometric": _geometric,
    "thermal_geometric": partial(
        lower_term, partial(lower_field_geometric, thermal=True), "geometric"
    ),
    SECTION: _section_geometric,
    "thermal_load": partial(lower_alone, lower_field_thermal_load, "int (bN)^T H eps_0", "N"),
    "point_stress": _stress,
    "thermal_point_stress": partial(
        lower_alone,
        partial(lower_field_stress, thermal=True),
        f"{_STRESS} of a temperature that is held",
        "of the law",
    ),
    **{name: partial(_finite, name) for name in FINITE},
    "points": partial(lower_alone, lower_field_points, "positions of the stations", "m"),
}
