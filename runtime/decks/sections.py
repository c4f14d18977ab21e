# SPDX-License-Identifier: BSD-3-Clause
"""Sections of solids, shells, beams and bars: what they add to the table of a body."""

from __future__ import annotations

from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.expansions import offset_of_beam
from flexforge.runtime.decks.fields import number
from flexforge.runtime.mesh.abaqus_cards import Card

#: Cards that give elements a section, and the first letters of the element types that they are for.
SECTIONS = {
    "SOLIDSECTION": ("C3D", "CPS", "CPE", "CAX", "T3D"),
    "SHELLSECTION": ("S",),
    "BEAMSECTION": ("B3",),
    "BEAMGENERALSECTION": ("B3",),
}
#: Those of beams.
OF_BEAMS = ("BEAMSECTION", "BEAMGENERALSECTION")
#: The default of the first direction of a beam's section.
_FIRST = [0.0, 0.0, -1.0]


def section_of(card: Card, kind: str, *, expanded: bool = False) -> dict[str, Any]:
    """Return the thickness or the section of a body of some element type.

    Parameters
    ----------
    card : Card
        The section.
    kind : str
        The element type, in capitals.
    expanded : bool
        Whether its elements become solids.

    Raises
    ------
    InputError
        For sections of other elements, offsets, layers and shapes that are not supported.
    """
    if not kind.startswith(SECTIONS[card.keyword]):
        raise InputError(
            f"{card.where}: *{card.keyword} of elements of type {kind}; expected one of "
            f"{', '.join(SECTIONS[card.keyword])}"
        )
    for option in ("OFFSET", "OFFSET1", "OFFSET2"):
        given = option in card.options and number([card.options[option]], 0, card.where)
        if given and not expanded:
            raise InputError(f"{card.where}: {option} is not supported; expected 0")
    if "COMPOSITE" in card.options:
        raise InputError(
            f"{card.where}: COMPOSITE is not supported with elements of type {kind}; expected S8R"
        )
    rows = list(card.rows())
    fields, where = rows[0] if rows else ([], card.where)
    if card.keyword == "SHELLSECTION":
        return {"thickness": number(fields, 0, where)}
    if kind.startswith(("CPS", "CPE")):
        return {"thickness": number(fields, 0, where, 1.0)}
    if kind.startswith("T3D"):
        return {"section": {"area": number(fields, 0, where)}}
    if card.keyword not in OF_BEAMS:
        return {}
    section = _beam(card, rows, thicknesses=expanded)
    return {"section": section | (offset_of_beam(card, section) if expanded else {})}


def _beam(card: Card, rows: list[tuple[list[str], str]], *, thicknesses: bool) -> dict[str, Any]:
    """Return the section of a beam; its width is along the first direction."""
    if not rows:
        raise InputError(f"{card.where}: found no dimensions; expected those of the section")
    fields, where = rows[0]
    shape = card.options.get("SECTION", "").upper()
    first, second = number(fields, 0, where), number(fields, 1, where, 0.0)
    if shape.startswith("RECT"):
        table: dict[str, Any] = {"shape": "rectangle", "width": first, "height": second or first}
    elif shape == "CIRC" and second not in (0.0, first):
        table = {"shape": "ellipse", "width": first, "height": second}
    elif shape == "CIRC":
        # One number is a radius in Abaqus; in CalculiX, and of two, it is a thickness.
        is_thickness = thicknesses or second
        table = {"shape": "round", "diameter": first if is_thickness else 2.0 * first}
    elif shape == "PIPE":
        table = {"shape": "tube", "diameter": 2.0 * first, "wall": second}
    elif shape == "BOX":
        walls = [number(fields, place, where) for place in range(2, 6)]
        table = {"shape": "box", "width": first, "height": second, "walls": walls}
    else:
        raise InputError(f"{card.where}: found SECTION={shape}; expected RECT, CIRC, PIPE or BOX")
    if len(rows) == 1:
        return table | {"orientation": _FIRST}
    fields, where = rows[1]
    return table | {"orientation": [number(fields, place, where) for place in range(3)]}
