# SPDX-License-Identifier: BSD-3-Clause
"""``*INITIAL CONDITIONS`` of displacement and velocity."""

from __future__ import annotations

from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.stresses import KINDS
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

_KNOWN = ("DISPLACEMENT", "VELOCITY")
#: Read with the temperatures and stresses of the steps.
_ELSEWHERE = ("TEMPERATURE", *KINDS)


def initial(translation: Translation, card: Card) -> None:
    """Translate a card of initial displacements or velocities.

    Raises
    ------
    InputError
        For other initial conditions, and components that are none.
    """
    kind = card.need("TYPE").upper()
    if kind in _ELSEWHERE:
        return
    if kind not in _KNOWN:
        raise InputError(
            f"{card.where}: found TYPE={kind}; expected {', '.join(_ELSEWHERE)}, "
            f"{' or '.join(_KNOWN)}"
        )
    vectors: dict[str, list[float]] = {}
    for fields, where in card.rows():
        group, _ = translation.deck.nodes(fields[0], where)
        dof = whole(fields, 1, where)
        if not 1 <= dof <= 3:
            raise InputError(f"{where}: found degree of freedom {dof}; expected 1 to 3")
        vectors.setdefault(group, [0.0] * 3)[dof - 1] = number(fields, 2, where)
    for group, vector in vectors.items():
        table: dict[str, Any] = {"group": group, kind.lower(): vector}
        translation.add("initial", table, line_of(card.where))
