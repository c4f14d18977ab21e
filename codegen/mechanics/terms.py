# SPDX-License-Identifier: BSD-3-Clause
"""Names of the terms that elements have, of which every one is a kernel."""

from __future__ import annotations

from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.mechanics.derivation import derive

MATRICES = ("stiffness", "mass", "coriolis", "euler", "centrifugal")
LOADS = ("euler_load", "centrifugal_load", "translation", "body_load")
ACTIONS = ("stiffness_action", "mass_action", "motion_action")
#: Of beams and shells: by the stress that the inertia forces within their section leave there.
SECTION = "section_geometric"
#: Of elements with stresses, besides :func:`terms_of`: of a change of temperature, and at points.
THERMAL = ("thermal_load", "thermal_stress", "thermal_geometric")
POINTS = ("points", "point_stress", "thermal_point_stress")
#: Of elements with a cell that may be turned over: what its geometry is judged by.
GEOMETRY = "jacobian"


def terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of the kernels an element has."""
    if isinstance(element, FieldElement):
        inertia = (*MATRICES[1:], *LOADS) if "mass" in element.fibres else ()
        stiffness = ("stiffness",) if "stiffness" in element.fibres else ()
        geometric = ("geometric",) if element.slopes else ()
        own = (SECTION,) if stiffness and inertia and element.across else ()
        return (*stiffness, *inertia, *geometric, *own)
    if element.is_facet:
        return ("pressure",)
    equations = derive(element)
    # An action goes from point to point; means and amplitudes of the whole element it has not.
    actions = ACTIONS if element.pointwise else ("mass_action",)
    if element.revolved:  # rotation about the axis bends no path within the section
        terms = ["stiffness", "mass", "centrifugal", "scalar_mass", "lumped_mass"]
        loads = [load for load in LOADS if load != "euler_load"]
        return (*terms, *loads, "geometric", "stress")
    names = [*MATRICES, "scalar_mass", "lumped_mass", *actions, *LOADS]
    if "geometric" in equations.terms:
        names += ["geometric", "stress"]
    return tuple(names)


def further_terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of kernels that are made where somebody asks for them."""
    named, geometry = terms_of(element), (GEOMETRY,) if element.mapped else ()
    if isinstance(element, FieldElement):
        return ("thermal_load", "thermal_geometric", *POINTS, *geometry)
    if "stress" not in named:
        return geometry
    stressed = (*THERMAL, *POINTS) if "geometric" in named else (*THERMAL[:2], *POINTS)
    return (*stressed, *geometry)
