# SPDX-License-Identifier: BSD-3-Clause
"""List of pages: one for all elements whose names differ only in hypothesis and law."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.codegen.elements import library
from flexforge.codegen.elements.catalogue import LUMPED, RODS, SHELLS
from flexforge.codegen.elements.field import AnyElement

#: Suffixes of names that do not have a separate page.
_ENDINGS = ("_tapered", "_plane", "_laminate")
KINDS = {
    "rods": "Rods",
    "plane": "Plane elements",
    "solid": "Solids",
    "variant": "Variants",
    "shell": "Shells",
    "lumped": "Masses and connectors",
}


@dataclass(frozen=True)
class Family:
    """Elements of one page.

    Attributes
    ----------
    name : str
        Name of the page and of its first element, without hypothesis.
    kind : str
        One of :data:`KINDS`.
    members : tuple of Element or FieldElement
        The declarations, the usual one first.
    cell : str
        Name of the page with the picture of the shape functions.
    """

    name: str
    kind: str
    members: tuple[AnyElement, ...]
    cell: str

    @property
    def first(self) -> AnyElement:
        """The usual element of the page."""
        return self.members[0]


def families(*kinds: str) -> tuple[Family, ...]:
    """Return the pages in the order of the index.

    Parameters
    ----------
    *kinds : str
        Kinds out of :data:`KINDS`; all if none is given.
    """
    grouped: dict[tuple[str, str], list[AnyElement]] = {}
    for kind, declared in (("rods", RODS), ("shell", SHELLS), ("lumped", LUMPED)):
        for name, declare in declared.items() if not kinds or kind in kinds else ():
            plain = name
            for ending in _ENDINGS:
                plain = plain.removesuffix(ending)
            grouped.setdefault((kind, plain), []).append(declare())
    for element in (*library.standard_elements(), *library.variants(), *library.sections()):
        plain = element.name.split("_")[0]
        kind = "plane" if plain in library.PLANE else "solid"
        kind = "variant" if plain in library.VARIANTS else kind
        grouped.setdefault((kind, plain), []).append(element)
    return tuple(
        Family(name, kind, tuple(members), library.VARIANTS.get(name, name))
        for wanted in kinds or KINDS
        for (kind, name), members in grouped.items()
        if kind == wanted
    )
