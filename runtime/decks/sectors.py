# SPDX-License-Identifier: BSD-3-Clause
"""``*TIE, CYCLIC SYMMETRY`` and ``*CYCLIC SYMMETRY MODEL``: one sector of a wheel."""

from __future__ import annotations

import math
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.deck import DeckStep
from flexforge.runtime.decks.fields import number, numbers, whole
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

CYCLIC = "CYCLIC SYMMETRY"


def is_cyclic(card: Card) -> bool:
    """Whether a ``*TIE`` is that of the boundaries of a sector."""
    return CYCLIC in card.options


def sectors(translation: Translation) -> None:
    """Translate the sector of a deck."""
    models = [card for card in translation.deck.cards if card.keyword == "CYCLICSYMMETRYMODEL"]
    ties = [card for card in translation.deck.cards if card.keyword == "TIE" and is_cyclic(card)]
    with translation.trying():
        if len(models) > 1:
            raise InputError(
                f"{models[1].where}: a second *CYCLIC SYMMETRY MODEL is not supported; expected "
                "one number of sectors"
            )
        if models:
            translation.tables["cyclic"] = _table(translation, models[0], ties)
            translation.notes["cyclic", ""] = line_of(models[0].where)
        elif ties:
            raise InputError(
                f"{ties[0].where}: no *CYCLIC SYMMETRY MODEL with *TIE, CYCLIC SYMMETRY; expected "
                "one, which says how many sectors there are"
            )


def _table(translation: Translation, model: Card, ties: list[Card]) -> dict[str, Any]:
    tie = _tie_of(model, ties)
    rows = list(tie.rows())
    if len(rows) != 1 or len(rows[0][0]) < 2:
        raise InputError(f"{tie.where}: expected one line with the surfaces of two boundaries")
    (dependent, independent), where = rows[0][0][:2], rows[0][1]
    given = numbers(model)
    if len(given) != 6:
        raise InputError(
            f"{model.where}: found {len(given)} numbers; expected 6, two points on the axis"
        )
    point, axis = given[:3], [b - a for a, b in zip(given[:3], given[3:], strict=True)]
    length = math.hypot(*axis)
    if not length:
        raise InputError(f"{model.where}: found one point twice; expected two points on the axis")
    count = whole([model.need("N")], 0, model.where)
    table: dict[str, Any] = {
        # The surface named first depends on the other one, in cards and in models.
        "from": translation.deck.surface(independent, where),
        "to": translation.deck.surface(dependent, where),
        "sectors": count,
        "axis": [part / length for part in axis],
    }
    table |= {"point": point} if any(point) else {}
    if "POSITION TOLERANCE" in tie.options:
        table["within"] = number([tie.options["POSITION TOLERANCE"]], 0, tie.where)
    if whole([model.options.get("NGRAPH", "1")], 0, model.where) == count:
        table["expand"] = True
    return table


def _tie_of(model: Card, ties: list[Card]) -> Card:
    """Return the tie that a model names, or the only one."""
    name = model.options.get("TIE", "").upper()
    found = [one for one in ties if not name or one.options.get("NAME", "").upper() == name]
    if len(found) != 1:
        which = f"TIE={name}" if name else "*TIE, CYCLIC SYMMETRY"
        raise InputError(f"{model.where}: found {len(found)} cards of {which}; expected one")
    return found[0]


def diameters(translation: Translation, step: DeckStep) -> list[int] | None:
    """Return the nodal diameters of a ``*FREQUENCY`` step; None without a sector.

    Raises
    ------
    InputError
        For ranges that are none, and those of a deck without a sector.
    """
    card = next((one for one in step.cards if one.keyword == "SELECTCYCLICSYMMETRYMODES"), None)
    if "cyclic" not in translation.tables:
        if card is not None:
            raise InputError(f"{card.where}: no *CYCLIC SYMMETRY MODEL before; expected one")
        return None
    if card is None:
        return [0]
    most = int(translation.tables["cyclic"]["sectors"]) // 2
    first, last = (
        whole([card.options.get(key, str(default))], 0, card.where)
        for key, default in (("NMIN", 0), ("NMAX", most))
    )
    if not 0 <= first <= last <= most:
        raise InputError(
            f"{card.where}: found NMIN={first} and NMAX={last}; expected 0 <= NMIN <= NMAX <= "
            f"{most}, half of the sectors"
        )
    return list(range(first, last + 1))
