# SPDX-License-Identifier: BSD-3-Clause
"""``*SPRING`` and ``*DASHPOT`` with their elements between two nodes: connectors."""

from __future__ import annotations

from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.fields import number, plain_name
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

#: Connectors by element types, with the card that has their property.
_KINDS = {
    "SPRINGA": ("SPRING", "spring", "stiffness"),
    "DASHPOTA": ("DASHPOT", "damper", "damping"),
}


def lumps(translation: Translation) -> None:
    """Translate the springs and dashpots of a deck."""
    for card in translation.deck.lumps:
        with translation.trying():
            kind = card.need("TYPE").upper()
            if kind == "DCOUP3D":
                continue  # read with its coupling
            if kind not in _KINDS:
                raise InputError(
                    f"{card.where}: elements of type {kind} are not supported; expected SPRINGA or "
                    "DASHPOTA"
                )
            _connectors(translation, card, *_KINDS[kind])


def _connectors(translation: Translation, card: Card, keyword: str, kind: str, key: str) -> None:
    """Translate the elements of a card."""
    name = card.need("ELSET")
    values = [
        one
        for one in translation.deck.cards
        if one.keyword == keyword and one.need("ELSET").upper() == name.upper()
    ]
    if not values:
        raise InputError(f"{card.where}: no *{keyword} of set '{name}'; expected one")
    law: dict[str, Any]
    if "NONLINEAR" in values[-1].options:
        law = {"forces": _tabulated(translation, values[-1])}
    else:
        law = {key: _linear(values[-1])}
    for fields, where in card.rows():
        if len(fields) < 3:
            raise InputError(
                f"{where}: found {len(fields)} numbers; expected an element of 2 nodes"
            )
        nodes = [translation.deck.nodes(one, where)[0] for one in fields[1:3]]
        table: dict[str, Any] = {"name": plain_name(f"{name} {fields[0]}"), "kind": kind}
        translation.add("connectors", table | {"between": nodes} | law, line_of(where))


def _tabulated(translation: Translation, card: Card) -> list[list[float]]:
    """Return elongations and forces, which cards have in the other order."""
    if card.keyword != "SPRING":
        raise InputError(f"{card.where}: NONLINEAR is not supported; expected a constant")
    if not any(step.has("NLGEOM") for step in translation.deck.steps):
        raise InputError(
            f"{card.where}: found NONLINEAR without NLGEOM; expected steps with NLGEOM, as springs "
            "of a table turn with their nodes"
        )
    rows = [(fields, where) for fields, where in card.rows() if any(fields)]
    if any(number(fields, 2, where, 0.0) for fields, where in rows):
        raise InputError(f"{card.where}: found a table that depends on temperature; expected one")
    return [[number(fields, 1, where), number(fields, 0, where)] for fields, where in rows]


def _linear(card: Card) -> float:
    """Return the constant of a linear law."""
    # A line for degrees of freedom, which elements between two nodes leave empty, then the value.
    rows = [(fields, where) for fields, where in card.rows() if any(fields)]
    if not rows:
        raise InputError(f"{card.where}: found no value; expected one")
    if len(rows) > 1 or sum(map(bool, rows[0][0])) > 1:
        raise InputError(
            f"{rows[-1][1]}: found a law that depends on frequency or temperature; expected one "
            "constant"
        )
    fields, where = rows[0]
    return number(fields, 0, where)
