# SPDX-License-Identifier: BSD-3-Clause
"""``*INITIAL CONDITIONS, TYPE=STRESS``: stresses that elements have undeformed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.translation import Translation, cells_of, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

#: Our order of stresses, xx yy zz yz xz xy, in that of decks: xx yy zz xy xz yz.
_FROM_DECK = (0, 1, 2, 5, 4, 3)


@dataclass(slots=True)
class Stresses:
    """Initial stresses of sets of elements, and the steps in which they act.

    Attributes
    ----------
    translation : Translation
        What is being made.
    steps : list of str
        Names of the steps.
    sets : dict
        By stress the numbers of the elements that have it.
    """

    translation: Translation
    steps: list[str] = field(default_factory=list)
    sets: dict[tuple[float, ...], Ints] = field(default_factory=dict)
    _where: str = ""

    @classmethod
    def of(cls, translation: Translation) -> Stresses:
        """Return the initial stresses of a deck; what is wrong with its cards is noted.

        Parameters
        ----------
        translation : Translation
            What is being made.
        """
        found = cls(translation)
        of_element: dict[int, tuple[float, ...]] = {}
        for card in translation.deck.cards:
            kind = card.options.get("TYPE", "").upper()
            if card.keyword == "INITIALCONDITIONS" and kind == "STRESS":
                with translation.trying():
                    found._where = card.where
                    _read(card, of_element, translation.deck)
        together: dict[tuple[float, ...], list[int]] = {}
        for element, stress in of_element.items():
            together.setdefault(stress, []).append(element)
        found.sets = {stress: np.sort(elements) for stress, elements in together.items()}
        return found

    def loads(self) -> None:
        """Translate the stresses of every body, which is stressed as a whole."""
        mesh = self.translation.deck.mesh
        for body in self.translation.tables.get("bodies", []):
            own = cells_of(mesh, body["cells"])
            for stress, elements in self.sets.items():
                if any(stress) and np.isin(own, elements).all():
                    table: dict[str, Any] = {"kind": "stress", "stress": list(stress)}
                    table |= {"body": body["name"]} | in_steps(self.translation, self.steps)
                    self.translation.add("loads", table, line_of(self._where))


def _read(card: Card, of_element: dict[int, tuple[float, ...]], deck: Deck) -> None:
    """Take the rows of a card: element, point, and six components along the axes of the model."""
    if "USER" in card.options:
        raise InputError(
            f"{card.where}: USER is not supported; expected the stresses of the elements"
        )
    every = np.concatenate(list(deck.types.values())) if deck.types else np.empty(0, dtype=int)
    for fields, where in card.rows():
        element = whole(fields, 0, where)
        if element not in every:
            raise InputError(f"{where}: no element {element}; expected one of the deck")
        values = [number(fields, place, where, 0.0) for place in range(2, 8)]
        stress = tuple(values[place] for place in _FROM_DECK)
        if of_element.setdefault(element, stress) != stress:
            raise InputError(
                f"{where}: found another stress at a point of element {element}; expected the same "
                "at all of its points"
            )
