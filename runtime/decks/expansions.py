# SPDX-License-Identifier: BSD-3-Clause
"""Shells and beams of decks that become solids, as CalculiX makes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.mesh.abaqus_cards import Card

#: Element types that are expanded, and the solids that they become.
SOLIDS = {
    "S3": "wedge6",
    "S4": "hex8i",
    "S6": "wedge15",
    "S8": "hex20",
    "S8R": "hex20rm",
    "B31": "hex8i",
    "B32": "hex20",
    "B32R": "hex20rm",
    "CPS4": "hex8",
}
#: Those of them that have an element of their own, and are expanded by choice.
BY_CHOICE = ("S3", "S4", "B31", "CPS4")


def expands(deck: Deck, kind: str) -> bool:
    """Whether elements of a type become solids."""
    return kind in SOLIDS and (deck.expanded or kind not in BY_CHOICE)


def of_shell(deck: Deck, card: Card, labels: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return what a section of an expanded shell adds to the table of a body.

    Parameters
    ----------
    deck : Deck
        The deck.
    card : Card
        The section.
    labels : ndarray of int
        Numbers of its elements.
    """
    table: dict[str, Any] = {}
    if offset := number([card.options.get("OFFSET", "0")], 0, card.where):
        table["offset"] = -offset
    if "NODAL THICKNESS" in card.options and (thicknesses := _thicknesses(deck)):
        table["thicknesses"] = thicknesses
    if normals := list(_normals(deck, labels)):
        table["normals"] = normals
    return table


def offset_of_beam(card: Card, section: dict[str, Any]) -> dict[str, Any]:
    """Return where the middle of the section of a beam is."""
    given = [number([card.options.get(f"OFFSET{i}", "0")], 0, card.where) for i in (1, 2)]
    round_ = section.get("diameter", 0.0)
    sizes = section.get("width", round_), section.get("height", round_)
    offset = [-part * size for part, size in zip(given, sizes, strict=True)]
    return {"offset": offset} if any(offset) else {}


def _thicknesses(deck: Deck) -> dict[str, float]:
    """Return the thickness at nodes that have their own, by groups of nodes."""
    found = np.zeros(len(deck.mesh.points))
    for card in deck.cards:
        if card.keyword == "NODALTHICKNESS":
            for fields, where in card.rows():
                _, nodes = deck.nodes(fields[0], where)
                found[nodes] = number(fields, 1, where)
    values = np.unique(found[found > 0.0]).tolist()
    return {deck.mesh.numbered(np.flatnonzero(found == value)): value for value in values}


def _normals(deck: Deck, labels: np.ndarray[Any, Any]) -> list[dict[str, Any]]:
    found = []
    for card in deck.cards:
        if card.keyword == "NORMAL":
            for fields, where in card.rows():
                element = whole(fields, 0, where)
                if element not in labels:
                    continue
                group, _ = deck.nodes(fields[1], where)
                direction = [number(fields, place, where) for place in (2, 3, 4)]
                if not any(direction):
                    raise InputError(f"{where}: found a normal of length 0; expected a direction")
                found.append({"group": group, "cell": element, "direction": direction})
    return found
