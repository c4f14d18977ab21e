# SPDX-License-Identifier: BSD-3-Clause
"""All elements by name: continua, rods, shells, masses and connectors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from flexforge.codegen.arguments import element_name, optional, text, typed
from flexforge.codegen.elements import library
from flexforge.codegen.elements.connectors import bushing, spring
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.facts import LARGE_RODS, files
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.inertia import point_mass, rigid_inertia
from flexforge.codegen.elements.naming import FULL, nearest_element
from flexforge.codegen.elements.outline import Outline, outline_of, read_outline
from flexforge.codegen.elements.user import load_element, load_field
from flexforge.codegen.elements.user_files import LIBRARY
from flexforge.codegen.errors import InputError


def _file(name: str) -> Path:
    return LIBRARY / f"{name}.toml"


def _declared_in_files(names: tuple[str, ...]) -> Mapping[str, Callable[[], FieldElement]]:
    return MappingProxyType({name: partial(load_field, _file(name)) for name in names})


#: Declaration file of each bar and beam, in space and in the plane.
RODS = _declared_in_files(files("rod"))
#: Declaration file of each shell.
SHELLS = _declared_in_files(files("shell"))
#: Declaration file of each rod with large displacements and rotations.
LARGE = _declared_in_files(tuple(f"{name}{end}" for name in LARGE_RODS for end in ("", "_plane")))
_FIELDS = {**RODS, **LARGE, **SHELLS}

#: Function that declares each mass and connector.
LUMPED: Mapping[str, Callable[[], FieldElement]] = MappingProxyType(
    {
        "point_mass": partial(point_mass, 3),
        "point_mass_plane": partial(point_mass, 2),
        "rigid_inertia": partial(rigid_inertia, 3),
        "rigid_inertia_plane": partial(rigid_inertia, 2),
        "spring": partial(spring, 3),
        "spring_plane": partial(spring, 2),
        "bushing": partial(bushing, 3, grounded=False),
        "bushing_plane": partial(bushing, 2, grounded=False),
        "ground_bushing": partial(bushing, 3, grounded=True),
        "ground_bushing_plane": partial(bushing, 2, grounded=True),
    }
)


#: What of a solid its law decides, and its name.
_OF_A_LAW = ("name", "constitutive", "energy", "units")


def names() -> tuple[str, ...]:
    """Return the names of all elements, each under the first of its hypotheses."""
    return (*library.PLANE, *library.SOLID, *library.VARIANTS, *_FIELDS, *LUMPED)


def declaration(element: AnyElement | str | Path) -> AnyElement:
    """Return an element as it is, or what :func:`find` finds by its name or path."""
    return find(element) if isinstance(element, str | Path) else element


def standard_name(element: AnyElement) -> str | None:
    """Return the name of the element or facet of the library that a declaration is, or None.

    Files that extend an element of the library may keep its name, and differ from it.
    """
    try:
        if element.name.startswith("facet_"):
            cell = element.name.split("_")[1]
            known: AnyElement = library.facet(cell, element.components, revolved=element.revolved)
        else:
            known = find(element.name)
    except InputError:  # the library has none of this name
        return None
    return element.name if known == element else None


def lawless_name(element: AnyElement) -> str | None:
    """Return the name of the element of the library from which one differs by its law alone."""
    if not isinstance(element, Element):
        return None
    told = [one.name for one in fields(Element) if one.compare and one.name not in _OF_A_LAW]
    for known in _solids():
        if all(getattr(known, one) == getattr(element, one) for one in told):
            return known.name
    return None


@cache
def _solids() -> tuple[Element, ...]:
    return tuple(library.standard_elements())


def outline(name: str) -> Outline:
    """Return the outline of a rod, shell, mass or connector without deriving its fields.

    Examples
    --------
    >>> outline("mitc4").description
    'shell of Dvorkin and Bathe'
    """
    return outline_of(LUMPED[name]()) if name in LUMPED else read_outline(_file(name))


@cache
def _declared(name: str) -> FieldElement:
    """Return a rod or shell; cached, because setting up its axes and fields takes a second."""
    return _FIELDS[name]()


@typed(name=element_name, hypothesis=optional(text))
def find(name: str | Path, hypothesis: str | None = None) -> AnyElement:
    """Return an element by its name, or from a file.

    Parameters
    ----------
    name : str or Path
        One of :data:`RODS`, :data:`LARGE`, :data:`SHELLS` and :data:`LUMPED`, or of
        :func:`flexforge.codegen.elements.library.element`; or the path of a declaration in TOML.
    hypothesis : str, optional
        ``plane_stress`` (default), ``plane_strain``, ``axisymmetric`` or ``axisymmetric_torsion``;
        plane elements only.

    Returns
    -------
    Element or FieldElement
        Its declaration, from which everything else is derived.

    Raises
    ------
    InputError
        For an unknown name or hypothesis, with the nearest known one, or an invalid file.

    Examples
    --------
    >>> import flexforge as ff
    >>> brick = ff.element("hex8")
    >>> len(brick.nodes), brick.size
    (8, 24)
    >>> ff.element("quad4", "plane_strain").name
    'quad4_plane_strain'
    """
    name = str(name)
    if name.endswith(".toml"):
        if hypothesis is not None:
            raise InputError(f"element '{name}': hypothesis '{hypothesis}' given; files take none")
        return load_element(Path(name))
    if name in _FIELDS:
        if hypothesis is not None:
            what = "shells" if name in SHELLS else "rods"
            raise InputError(f"element '{name}': found hypothesis '{hypothesis}'; {what} have none")
        return _declared(name)
    if name in LUMPED and hypothesis is None:
        return LUMPED[name]()
    known = names()
    plain = name
    for suffix in library.SUFFIXES:
        plain = plain.removesuffix(f"_{suffix}")
    plain = plain.removesuffix(library.ANISOTROPIC)
    if plain not in known:
        raise InputError(
            f"element '{name}' is unknown; expected one of {', '.join(known)}"
            f"{nearest_element(name, (*known, *FULL))}"
        )
    return library.element(name, hypothesis)
