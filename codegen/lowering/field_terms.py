# SPDX-License-Identifier: BSD-3-Clause
"""The terms of elements that write out their field: beams, shells, rigid bodies, connectors.

``LOWERINGS`` has a function per term, as :mod:`flexforge.codegen.lowering.continuum` has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.terms import GEOMETRY, LOADS, MATRICES, SECTION
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
from flexforge.codegen.lowering.jacobian import lower_geometry
from flexforge.codegen.lowering.lowered import Derivation, Lowered
from flexforge.codegen.lowering.own_stress import (
    lower_rigid_geometric,
    lower_section_geometric,
    section_of,
)

Lowering = Callable[[FieldElement, Derivation], Lowered]


def _matrix(name: str, element: FieldElement, derivation: Derivation) -> Lowered:
    term = derivation.equations.terms[name]
    return Lowered(lower_field_matrix(element, term), term.meaning, term.units, term.symmetry)


def _load(name: str, element: FieldElement, derivation: Derivation) -> Lowered:
    term = derivation.equations.terms[name]
    return Lowered(lower_field_load(element, term), term.meaning, term.units, term.symmetry)


def _geometric(element: FieldElement, derivation: Derivation) -> Lowered:
    term = derivation.equations.terms["geometric"]
    if "stiffness" not in element.fibres:
        program = lower_rigid_geometric(element, term, derivation.equations)
        words = "stiffness of the inertia forces on a turn"
        return Lowered(program, words, term.units, "symmetric")
    return Lowered(lower_field_geometric(element, term), term.meaning, term.units, term.symmetry)


def _thermal_geometric(element: FieldElement, derivation: Derivation) -> Lowered:
    term = derivation.equations.terms["geometric"]
    program = lower_field_geometric(element, term, thermal=True)
    return Lowered(program, term.meaning, term.units, term.symmetry)


def _section_geometric(element: FieldElement, derivation: Derivation) -> Lowered:
    section = section_of(element)
    equations = replace(derivation, element=section).equations
    term = equations.terms["geometric"]
    program = lower_section_geometric(section, term, equations)
    words = "stiffness of the section by its own inertia forces"
    return Lowered(program, words, term.units, term.symmetry)


def _thermal_load(element: FieldElement, derivation: Derivation) -> Lowered:
    del derivation  # made of strain and law alone
    return Lowered(lower_field_thermal_load(element), "int (bN)^T H eps_0", "N")


def _point_stress(thermal: bool, element: FieldElement, derivation: Derivation) -> Lowered:
    del derivation  # made of strain and law alone
    held = " of a temperature that is held" if thermal else ""
    program = lower_field_stress(element, thermal=thermal)
    return Lowered(program, f"generalized stresses at the stations{held}", "of the law")


def _points(element: FieldElement, derivation: Derivation) -> Lowered:
    del derivation  # made of the places of the nodes alone
    return Lowered(lower_field_points(element), "positions of the stations", "m")


LOWERINGS: Mapping[str, Lowering] = {
    GEOMETRY: lower_geometry,
    **{name: partial(_matrix, name) for name in MATRICES},
    **{name: partial(_load, name) for name in LOADS},
    "geometric": _geometric,
    "thermal_geometric": _thermal_geometric,
    SECTION: _section_geometric,
    "thermal_load": _thermal_load,
    "point_stress": partial(_point_stress, False),
    "thermal_point_stress": partial(_point_stress, True),
    "points": _points,
}
