# SPDX-License-Identifier: BSD-3-Clause
"""Names of the terms that elements have, of which every one is a kernel.

Each kind of element (continuum, revolved, field, facet, lumped) knows its terms from its
declaration: nothing is derived to say whether a term exists.
"""

from __future__ import annotations

from flexforge.codegen.elements.facts import GEOMETRY, POINTS
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import STRAINS

MATRICES = ("stiffness", "mass", "coriolis", "euler", "centrifugal")
LOADS = ("euler_load", "centrifugal_load", "translation", "body_load")
ACTIONS = ("stiffness_action", "mass_action", "motion_action")
#: Of beams and shells: by the stress that the inertia forces within their section leave there.
SECTION = "section_geometric"
#: Of elements with stresses, besides :func:`terms_of`: of a change of temperature, and at points.
THERMAL = ("thermal_load", "thermal_stress", "thermal_geometric")


def terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of the kernels an element has."""
    if isinstance(element, FieldElement):
        inertia = (*MATRICES[1:], *LOADS) if "mass" in element.fibres else ()
        stiffness = ("stiffness",) if "stiffness" in element.fibres else ()
        geometric = ("geometric",) if element.stiffening is not None else ()
        own = (SECTION,) if stiffness and inertia and element.across else ()
        return (*stiffness, *inertia, *geometric, *own)
    if element.is_facet:
        return ("pressure",)
    # A strain that is a gradient has a quadratic part, by which stress stiffens the element.
    stressed = ("geometric", "stress") if element.strain in STRAINS else ()
    if element.revolved:  # rotation about the axis bends no path within the section
        loads = [load for load in LOADS if load != "euler_load"]
        return ("stiffness", "mass", "centrifugal", "scalar_mass", "lumped_mass", *loads, *stressed)
    # An action kernel goes from point to point; it has no element-wide means and amplitudes.
    actions = ACTIONS if element.pointwise else ("mass_action",)
    return (*MATRICES, "scalar_mass", "lumped_mass", *actions, *LOADS, *stressed)


def stiffening_of(element: AnyElement) -> str:
    """Return in words why no stress stiffens an element that is strained; empty where it does."""
    named = terms_of(element)
    mapped = isinstance(element, FieldElement) or not element.revolved
    if "geometric" in named or "stiffness" not in named or not (element.mapped and mapped):
        return ""
    return (
        "not known: its declaration states no strain of second order, so stress never stiffens it"
    )


def further_terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of kernels that are made where somebody asks for them."""
    named, geometry = terms_of(element), (GEOMETRY,) if element.mapped else ()
    if isinstance(element, FieldElement):
        stiffening = element.stiffening
        warm = ("thermal_geometric",) if stiffening is not None and stiffening.warms else ()
        return ("thermal_load", *warm, *POINTS, *geometry)
    return (*THERMAL, *POINTS, *geometry) if "stress" in named else geometry
