# SPDX-License-Identifier: BSD-3-Clause
"""Names of the terms of elements; each term is a kernel.

The declaration of an element (continuum, revolved, field, facet, lumped) determines its terms:
nothing has to be derived to know whether a term exists.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from flexforge.codegen.elements.facts import FINITE_POINTS, GEOMETRY, POINTS, TORSION
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import STRAINS

MATRICES = ("stiffness", "mass", "coriolis", "euler", "centrifugal")
LOADS = ("euler_load", "centrifugal_load", "translation", "body_load")
ACTIONS = ("stiffness_action", "mass_action", "motion_action")
#: Terms that every finite element program needs.
BASIC = MATRICES[:2]
#: What a request for every term of :func:`terms_of` says.
ALL = "all"
#: Terms of beams and shells: the stress caused by inertia forces within the section.
SECTION = "section_geometric"
#: Terms of elements with an energy instead of a linear law, whose stiffness is that at rest.
FINITE = ("strain_energy", "internal_forces", "tangent")
#: Terms of elements with stresses besides :func:`terms_of`: thermal terms, stress at points.
THERMAL = ("thermal_load", "thermal_stress", "thermal_geometric")


def terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of the kernels of an element."""
    if isinstance(element, FieldElement):
        found = field_terms(
            element.fibres,
            stiffened=element.stiffening is not None,
            across=bool(element.across) and element.energy is None,
        )
        return found if element.energy is None else (*found, *FINITE)
    if element.is_facet:
        return ("pressure",)
    if element.energy is not None and not element.revolved:
        inertia = (*MATRICES, "scalar_mass", "lumped_mass", "mass_action", *LOADS)
        energy = element.energy
        split = bool(energy.principal) or energy.averaged or energy.grows
        between = () if split else ("conserving_action",)
        stresses = ("stress", "second_piola_stress")
        return (*inertia, *FINITE, "tangent_action", *between, *stresses)
    # A strain made of gradients has a quadratic part, through which stress stiffens the element.
    stressed: tuple[str, ...] = ("geometric", "stress") if element.strain in STRAINS else ()
    if element.strain == TORSION:  # no action kernel has the entries along circles
        return (*MATRICES, "scalar_mass", "lumped_mass", *LOADS, *stressed)
    if element.revolved:  # rotation about the axis acts only centrifugally within the section
        loads = [load for load in LOADS if load != "euler_load"]
        if element.energy is not None:
            stressed = (*FINITE, "tangent_action", "stress", "second_piola_stress")
        return ("stiffness", "mass", "centrifugal", "scalar_mass", "lumped_mass", *loads, *stressed)
    # An action kernel goes from point to point; it has no element-wide means and amplitudes.
    actions = ACTIONS if element.pointwise else ("mass_action",)
    return (*MATRICES, "scalar_mass", "lumped_mass", *actions, *LOADS, *stressed)


def field_terms(fibres: Container[str], *, stiffened: bool, across: bool) -> tuple[str, ...]:
    """Return the names of the kernels of an element with an explicit displacement field.

    Parameters
    ----------
    fibres : container of str
        Purposes that have fibres: ``stiffness``, ``mass``.
    stiffened : bool
        Whether the element states second-order strains.
    across : bool
        Whether it has coordinates of a section, or through a thickness.
    """
    inertia = (*MATRICES[1:], *LOADS) if "mass" in fibres else ()
    stiffness = ("stiffness",) if "stiffness" in fibres else ()
    geometric = ("geometric",) if stiffened else ()
    own = (SECTION,) if stiffness and inertia and across else ()
    return (*stiffness, *inertia, *geometric, *own)


def stiffening_of(element: AnyElement) -> str:
    """Return the reason, in words, why stress does not stiffen an element; empty if it does."""
    named = terms_of(element)
    if element.energy is not None:
        return "part of the tangent, at any deformation"
    mapped = isinstance(element, FieldElement) or not element.revolved
    if "geometric" in named or "stiffness" not in named or not (element.mapped and mapped):
        return ""
    if isinstance(element, FieldElement):
        return "not known: its declaration states no [stiffening], so stress never stiffens it"
    return (
        "not known: its strains are given one by one, so stress never stiffens it and is not "
        'computed; strain = "small_strain", where they are those, has both'
    )


def further_terms_of(element: AnyElement) -> tuple[str, ...]:
    """Return the names of the kernels that are compiled on demand only."""
    named, geometry = terms_of(element), (GEOMETRY,) if element.mapped else ()
    if isinstance(element, FieldElement):
        stiffening = element.stiffening
        warms = stiffening is not None and stiffening.warmed is not None
        warm = ("thermal_geometric",) if warms else ()
        return ("thermal_load", *warm, *POINTS, *geometry)
    if element.energy is not None:
        warm = ("thermal_load",) if element.energy.grows else ()
        return (*warm, *FINITE_POINTS, *geometry)
    return (*THERMAL, *POINTS, *geometry) if "stress" in named else geometry


def chosen_terms(known: Sequence[str], wanted: Iterable[str] | None) -> tuple[str, ...]:
    """Return the terms that a request means, each once.

    Parameters
    ----------
    known : sequence of str
        The terms that ``all`` means.
    wanted : iterable of str, optional
        Names; ``all``, alone or among them, means every known term. By default stiffness and mass,
        or the one of them that is known; all if neither is.

    Examples
    --------
    >>> chosen_terms(("stiffness", "mass", "geometric"), None)
    ('stiffness', 'mass')
    >>> chosen_terms(("pressure",), None)
    ('pressure',)
    >>> chosen_terms(("stiffness", "mass"), ["points", "all"])
    ('points', 'stiffness', 'mass')
    """
    if wanted is None:
        return tuple(term for term in known if term in BASIC) or tuple(known)
    names = (wanted,) if wanted == ALL else wanted
    return tuple(dict.fromkeys(t for name in names for t in (known if name == ALL else (name,))))


@dataclass(frozen=True, slots=True)
class Known:
    """Terms by the way to ask for them: those that ``all`` means, those asked for by name only."""

    by_all: tuple[str, ...] = ()
    by_name: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """Return the terms and how to ask for them, a text for each way."""
        found = []
        if self.by_all:
            found.append(f"{', '.join(self.by_all)} (--terms {ALL}, or by name: --terms A,B)")
        if self.by_name:
            found.append(f"{', '.join(self.by_name)} (by name only)")
        return found


def known_terms(element: AnyElement) -> Known:
    """Return the terms of an element, without the check of its geometry, which is always written.

    An element without stiffness, such as a point mass, has no thermal terms and no stresses.
    """
    named = terms_of(element)
    further = further_terms_of(element) if "stiffness" in named and element.mapped else ()
    return Known(named, tuple(term for term in further if term != GEOMETRY))


def unwritten(known: Known, written: Iterable[str]) -> Known:
    """Return the terms that are not among those written."""
    done = set(written)
    return Known(*(tuple(t for t in one if t not in done) for one in (known.by_all, known.by_name)))
