# SPDX-License-Identifier: BSD-3-Clause
"""From an element and the name of a term to its program, before any pass."""

from __future__ import annotations

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import stress_components
from flexforge.codegen.ir.program import Program
from flexforge.codegen.lowering.action import ActionTerm, lower_action
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
from flexforge.codegen.lowering.jacobian import lower_jacobian
from flexforge.codegen.lowering.lumped import lower_lumped_mass
from flexforge.codegen.lowering.own_stress import (
    lower_rigid_geometric,
    lower_section_geometric,
    section_of,
)
from flexforge.codegen.lowering.stress import lower_geometric, lower_points, lower_stress
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.lowering.surface import lower_pressure
from flexforge.codegen.lowering.terms import lower_load, lower_matrix
from flexforge.codegen.lowering.thermal import lower_thermal_load
from flexforge.codegen.mechanics.derivation import derive, roll
from flexforge.codegen.mechanics.equations import ElementEquations
from flexforge.codegen.mechanics.terms import ACTIONS, GEOMETRY, LOADS, SECTION


def lower(
    element: AnyElement, term: str, formalism: str, unrolled: bool
) -> tuple[Program, str, str, str, str]:
    """Return the program of a term, what it means, its units, symmetry and structure.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    term : str
        One of its terms.
    formalism : str
        By which the equations are derived.
    unrolled : bool
        Whether all nodal coordinates are written out, instead of a pair of nodes.
    """
    if term == GEOMETRY:
        meaning = "determinant of the Jacobian at points, and the square of a bound"
        return lower_jacobian(element), meaning, "", "general", "full"
    if term == "pressure" and isinstance(element, Element):
        meaning = "- int N^T p n dA, n outward"
        return lower_pressure(element), meaning, "N", "general", "full"
    if term == SECTION and isinstance(element, FieldElement):
        element = section_of(element)
    equations: ElementEquations = derive(element, formalism=formalism, unrolled=unrolled)
    if unrolled:
        equations = roll(equations)
    if isinstance(element, FieldElement):
        return _lower_field(element, term, equations)
    if term == "points":
        return lower_points(element), "positions of the points of stress", "m", "general", "full"
    if term == "thermal_load":
        return lower_thermal_load(element), "int (bN)^T H eps_0", "N", "general", "full"
    if term.endswith("stress"):
        program = lower_stress(
            element, equations.terms["stiffness"],
            thermal="thermal" in term, points="point" in term,
        )  # fmt: skip
        return program, _stresses(element, term), "Pa", "general", "full"
    if term == "lumped_mass":
        meaning = "m_aa M / sum_b m_bb"
        return lower_lumped_mass(element), meaning, "kg", "general", "full"
    if term in ACTIONS:
        parts, meaning = _action(equations, term)
        return lower_action(element, parts), meaning, "N", "general", "full"
    name = {"scalar_mass": "mass", "thermal_geometric": "geometric"}.get(term, term)
    found = equations.terms[name]
    words = found.meaning, found.units
    if term in LOADS:
        return lower_load(element, found), *words, "general", "full"
    structure = find_structure(found.density).name
    if term == "scalar_mass":
        return lower_matrix(element, found, scalar=True), *words, found.symmetry, structure
    if name == "geometric":
        program = lower_geometric(
            element, found, equations.terms["stiffness"], thermal=term != name
        )
        return program, *words, found.symmetry, structure
    return lower_matrix(element, found), *words, found.symmetry, "full"


def _stresses(element: Element, term: str) -> str:
    """Return what kernel of stresses it is, and their order, in words."""
    axes = stress_components(element.strain, element.components)
    order = " ".join("xyz"[i] + "xyz"[j] for i, j in axes)
    where = "stresses at points" if "point" in term else "nodal stresses"
    return f"{where} {order}" + (" of a temperature that is held" if "thermal" in term else "")


def _lower_field(
    element: FieldElement, term: str, equations: ElementEquations
) -> tuple[Program, str, str, str, str]:
    """Return the same for an element that writes out its field."""
    if term == "points":
        return lower_field_points(element), "positions of the stations", "m", "general", "full"
    if term.endswith("point_stress"):
        words = "generalized stresses at the stations"
        thermal = term.startswith("thermal")
        words += " of a temperature that is held" if thermal else ""
        program = lower_field_stress(element, thermal=thermal)
        return program, words, "of the law", "general", "full"
    if term == "thermal_load":
        program = lower_field_thermal_load(element)
        return program, "int (bN)^T H eps_0", "N", "general", "full"
    if term == SECTION:
        found = equations.terms["geometric"]
        program = lower_section_geometric(element, found, equations)
        words = "stiffness of the section by its own inertia forces"
        return program, words, found.units, found.symmetry, "full"
    found = equations.terms[term.removeprefix("thermal_")]
    if term == "thermal_geometric":
        program = lower_field_geometric(element, found, thermal=True)
        return program, found.meaning, found.units, found.symmetry, "full"
    if term == "geometric" and "stiffness" not in element.fibres:
        program = lower_rigid_geometric(element, found, equations)
        words = "stiffness of the inertia forces on a turn"
        return program, words, found.units, "symmetric", "full"
    by_term = {"geometric": lower_field_geometric} | dict.fromkeys(LOADS, lower_field_load)
    program = by_term.get(term, lower_field_matrix)(element, found)
    return program, found.meaning, found.units, found.symmetry, "full"


def _action(equations: ElementEquations, term: str) -> tuple[list[ActionTerm], str]:
    """Return the matrices of an action, and what it means."""
    terms = equations.terms
    if term != "motion_action":
        name = term.removesuffix("_action")
        return [ActionTerm(terms[name])], f"{terms[name].symbol} d"
    parts = [ActionTerm(terms["mass"], 2), ActionTerm(terms["coriolis"], 1, 2)]
    parts += [ActionTerm(terms[name]) for name in ("stiffness", "euler", "centrifugal")]
    return parts, "m d'' + 2 c d' + (k + k_eps + k_omega) d"
