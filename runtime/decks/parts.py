# SPDX-License-Identifier: BSD-3-Clause
"""Bodies cut into parts where gravity, a rotation or a stress acts on some of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.fields import plain_name
from flexforge.runtime.decks.translation import Translation, cells_of
from flexforge.runtime.mesh.mesh import Mesh

GRAVITY, CENTRIFUGAL = "GRAV", "CENTRIF"


def parts(translation: Translation, stressed: Sequence[Ints] = ()) -> None:
    """Cut bodies so that gravity, rotations and initial stresses act on whole ones.

    Parameters
    ----------
    translation : Translation
        What is being made.
    stressed : sequence of ndarray of int
        Numbers of elements that have the same initial stress.
    """
    deck, tables = translation.deck, translation.tables
    sets: dict[str, Ints] = {deck.mesh.numbered_cells(one): one for one in stressed}
    for target, where in _targets(deck):
        with translation.trying():
            name = deck.elements(target, where).name
            sets[name] = cells_of(deck.mesh, name)
    made = tables.get("bodies", [])
    notes = [translation.notes.pop(("bodies", place), "") for place in range(len(made))]
    tables["bodies"] = []
    for body, note in zip(made, notes, strict=True):
        for part in _cut(deck.mesh, body, sets):
            translation.add("bodies", part, note)
    if not made:
        del tables["bodies"]


def _targets(deck: Deck) -> list[tuple[str, str]]:
    """Return the elements and sets on which gravity and rotations act, with their lines."""
    return [
        (fields[0], where)
        for step in deck.steps
        for card in step.cards
        if card.keyword == "DLOAD"
        for fields, where in card.rows()
        if len(fields) > 1 and fields[1].upper() in (GRAVITY, CENTRIFUGAL)
    ]


def _cut(mesh: Mesh, body: dict[str, Any], sets: dict[str, Ints]) -> list[dict[str, Any]]:
    """Return a body, or its parts: inside and outside of each of the sets."""
    own = cells_of(mesh, body["cells"])
    inside = np.array([np.isin(own, one) for one in sets.values()], dtype=bool)
    signs, which = np.unique(inside.reshape(len(sets), len(own)), axis=1, return_inverse=True)
    if signs.shape[1] < 2:
        return [body]
    found = []
    for number in range(signs.shape[1]):
        numbers = own[which.ravel() == number]
        same = [name for name, labels in sets.items() if np.array_equal(labels, numbers)]
        cells = same[0] if same else mesh.numbered_cells(numbers)
        name = plain_name(f"{body['name']} {number + 1}")
        found.append(body | {"name": name, "cells": cells})
    return found


def bodies_of(translation: Translation, target: str, where: str) -> list[str]:
    """Return the names of the bodies that a set of elements consists of; empty for all of them.

    Parameters
    ----------
    translation : Translation
        What is being made, with its bodies cut into parts.
    target : str
        An element or a set.
    where : str
        File and line, for messages.

    Raises
    ------
    InputError
        When there is no such set.
    """
    mesh = translation.deck.mesh
    wanted = cells_of(mesh, translation.deck.elements(target, where).name)
    made = translation.tables.get("bodies", [])
    names = [
        str(body["name"]) for body in made if np.isin(cells_of(mesh, body["cells"]), wanted).all()
    ]
    return [] if len(names) == len(made) else names
