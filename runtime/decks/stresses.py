# SPDX-License-Identifier: BSD-3-Clause
"""``*INITIAL CONDITIONS, TYPE=STRESS`` or ``PLASTIC STRAIN``: stresses of undeformed elements."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.translation import Translation, cells_of, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card
from flexforge.runtime.model.schema_material import MaterialSpec

#: What elements may have; a strain without stress is the stress of its opposite.
KINDS = ("STRESS", "PLASTIC STRAIN")
#: Our order of stresses, xx yy zz yz xz xy, in that of decks: xx yy zz xy xz yz.
_FROM_DECK = (0, 1, 2, 5, 4, 3)
#: Kind and components in our order.
_State: TypeAlias = tuple[str, tuple[float, ...]]


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
        By kind and components the numbers of the elements that have them.
    """

    translation: Translation
    steps: list[str] = field(default_factory=list)
    sets: dict[_State, Ints] = field(default_factory=dict)
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
        of_element: dict[int, _State] = {}
        for card in translation.deck.cards:
            kind = card.options.get("TYPE", "").upper()
            if card.keyword == "INITIALCONDITIONS" and kind in KINDS:
                with translation.trying():
                    found._where = card.where
                    _read(card, kind, of_element, translation.deck)
        together: dict[_State, list[int]] = {}
        for element, state in of_element.items():
            together.setdefault(state, []).append(element)
        found.sets = {state: np.sort(elements) for state, elements in together.items()}
        return found

    def loads(self) -> None:
        """Translate the stresses of every body, which is stressed as a whole."""
        mesh = self.translation.deck.mesh
        for body in self.translation.tables.get("bodies", []):
            own = cells_of(mesh, body["cells"])
            for (kind, values), elements in self.sets.items():
                if any(values) and np.isin(own, elements).all():
                    stress = list(values) if kind == "STRESS" else self._of_strain(body, values)
                    table: dict[str, Any] = {"kind": "stress", "stress": stress}
                    table |= {"body": body["name"]} | in_steps(self.translation, self.steps)
                    self.translation.add("loads", table, line_of(self._where))

    def _of_strain(self, body: dict[str, Any], strain: tuple[float, ...]) -> list[float]:
        """Return the stress of a body that would have a strain without stress, but is undeformed.

        Raises
        ------
        InputError
            For a body whose law is not that of one material.
        """
        known = self.translation.tables["materials"]
        law = known.get(body.get("material", ""), {})
        if not law or "energy" in body:
            raise InputError(
                f"{self._where}: found a plastic strain of '{body['name']}', which has no linear "
                "law of one material; expected one"
            )
        angles = np.array(strain) * [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]
        stress: list[float] = (-MaterialSpec.model_validate(law).stiffness() @ angles).tolist()
        return stress


def _read(card: Card, kind: str, of_element: dict[int, _State], deck: Deck) -> None:
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
        state = kind, tuple(values[place] for place in _FROM_DECK)
        if of_element.setdefault(element, state) != state:
            raise InputError(
                f"{where}: found another {kind.lower()} at a point of element {element}; expected "
                "the same at all of its points"
            )
