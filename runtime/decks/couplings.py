# SPDX-License-Identifier: BSD-3-Clause
"""``*RIGID BODY``, ``*DISTRIBUTING COUPLING``, ``*MPC`` and ``*TIE``: nodes that move together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.fields import number, plain_name
from flexforge.runtime.decks.sectors import is_cyclic
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card

#: Kinds of couplings by what decks call them.
_KINDS = {"PLANE": "plane", "STRAIGHT": "line", "MEANROT": "rotation"}


def couplings(translation: Translation) -> None:
    """Translate the couplings of a deck."""
    for card in translation.deck.cards:
        with translation.trying():
            if card.keyword == "RIGIDBODY":
                _rigid(translation, card)
            elif card.keyword == "DISTRIBUTINGCOUPLING":
                _distributing(translation, card)
            elif card.keyword == "MPC":
                for fields, where in card.rows():
                    _mpc(translation, fields, where)
            elif card.keyword == "TIE" and not is_cyclic(card):
                _tie(translation, card)


def _tie(translation: Translation, card: Card) -> None:
    if "MULTISTAGE" in card.options:
        raise InputError(f"{card.where}: MULTISTAGE is not supported with *TIE")
    given = card.options.get("POSITION TOLERANCE")
    for fields, where in card.rows():
        if len(fields) < 2:
            raise InputError(f"{where}: found {len(fields)} surfaces; expected two")
        nodes = translation.deck.surface(fields[0], where)
        facets = translation.deck.surface(fields[1], where)
        table: dict[str, Any] = {"nodes": nodes, "facets": facets}
        if given is not None:
            table["within"] = number([given], 0, card.where)
        translation.add("ties", table, line_of(where))


def _rigid(translation: Translation, card: Card) -> None:
    deck = translation.deck
    options = {key.replace(" ", ""): value for key, value in card.options.items()}
    if "REFNODE" not in options:
        raise InputError(f"{card.where}: *RIGID BODY without REF NODE=")
    if "NSET" in options:
        group, _ = deck.nodes(options["NSET"], card.where)
    elif "ELSET" in options:
        group = deck.elements(options["ELSET"], card.where).name
    else:
        raise InputError(f"{card.where}: *RIGID BODY without NSET= or ELSET=")
    point, _ = deck.nodes(options["REFNODE"], card.where)
    if "ROTNODE" in options:
        turned, _ = deck.nodes(options["ROTNODE"], card.where)
        translation.turns[int(turned.lstrip("#"))] = point, (3, 3, 3)
    name = plain_name(f"rigid {options['REFNODE']}")
    table = {"name": name, "kind": "rigid", "group": group, "point": point}
    translation.add("couplings", table, line_of(card.where))


def _mpc(translation: Translation, fields: Sequence[str], where: str) -> None:
    """Translate a multiple point constraint: nodes in a plane, on a line, or of a mean rotation."""
    kind, *named = (one.strip() for one in fields if one.strip())
    if kind.upper() not in _KINDS:
        raise InputError(
            f"{where}: *MPC {kind} is not supported; expected one of {', '.join(_KINDS)}"
        )
    if not named:
        raise InputError(f"{where}: found no nodes; expected them, or a set")
    deck = translation.deck
    number_of = f"{kind.lower()} {where.rpartition(':')[2]}"
    table: dict[str, Any] = {"name": number_of, "kind": _KINDS[kind.upper()]}
    if kind.upper() == "MEANROT":
        *named, pilot = named
        table |= _pilot(translation, pilot, where)
    groups = [deck.nodes(one, where) for one in dict.fromkeys(named)]
    group = groups[0][0]
    if len(groups) > 1:
        group = deck.mesh.numbered(np.unique(np.concatenate([nodes for _, nodes in groups])))
    translation.add("couplings", table | {"group": group}, line_of(where))


def _pilot(translation: Translation, pilot: str, where: str) -> dict[str, Any]:
    """Return the point whose rotation is the mean one, about the axis that its place is."""
    group, nodes = translation.deck.nodes(pilot, where)
    axis = translation.deck.mesh.points[nodes[0]]
    along = np.flatnonzero(axis)
    if len(along) != 1 or axis[along[0]] < 0.0:
        raise InputError(
            f"{where}: found node {pilot} at {axis.tolist()}, which is the axis of the rotation; "
            "expected x, y or z"
        )
    (k,) = along.tolist()
    label = int(translation.deck.mesh.node_labels[nodes[0]])
    translation.turns[label] = group, (3 + k, None, None)
    # What the rotation does not turn, holds still.
    held = ["x", "y", "z", *(f"r{other}" for i, other in enumerate("xyz") if i != k)]
    translation.add("supports", {"group": group, "components": held}, line_of(where))
    return {"point": group, "axis": [float(i == k) for i in range(3)]}


def _distributing(translation: Translation, card: Card) -> None:
    deck = translation.deck
    name = card.need("ELSET")
    points = [
        fields[1]
        for lump in deck.lumps
        if lump.options.get("ELSET", "").upper() == name.upper()
        for fields, _ in lump.rows()
        if len(fields) > 1
    ]
    if len(points) != 1:
        raise InputError(
            f"{card.where}: set '{name}' has {len(points)} elements of type DCOUP3D; expected one"
        )
    rows = list(card.rows())
    weights = {number(fields, 1, where, 1.0) for fields, where in rows}
    if len(weights) != 1:
        raise InputError(f"{card.where}: found different weights; expected the same for all nodes")
    groups = [deck.nodes(fields[0], where) for fields, where in rows]
    group = groups[0][0]
    if len(groups) > 1:
        group = deck.mesh.numbered(np.concatenate([nodes for _, nodes in groups]))
    point, _ = deck.nodes(points[0], card.where)
    table = {"name": plain_name(name), "kind": "mean", "group": group, "point": point}
    translation.add("couplings", table, line_of(card.where))
