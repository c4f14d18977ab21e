# SPDX-License-Identifier: BSD-3-Clause
"""``*PRE-TENSION SECTION``: of solids, and of a beam or a bar, a gap that a third node has.

Such an element has no stiffness: its ends come nearer by the first displacement of the node, whose
force is the tension.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.decks.fields import number, plain_name, whole
from flexforge.runtime.decks.translation import Translation, line_of
from flexforge.runtime.mesh.abaqus_cards import Card
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import NUMBERED, Mesh


def pretensions(translation: Translation) -> None:
    """Translate the pre-tension sections of a deck, before its bodies."""
    for card in translation.deck.cards:
        if card.keyword == "PRE-TENSIONSECTION":
            with translation.trying():
                _gap(translation, card)


def _gap(translation: Translation, card: Card) -> None:
    if "SURFACE" in card.options:
        _section(translation, card)
        return
    if "ELEMENT" not in card.options:
        raise InputError(f"{card.where}: found neither SURFACE= nor ELEMENT=; expected one of them")
    element = whole([card.options["ELEMENT"]], 0, card.where)
    ends = _ends(translation, element, card.where)
    node = card.need("NODE")
    group, _ = translation.deck.nodes(node, card.where)
    points = translation.deck.mesh.points[ends]
    normal = _normal(card, points[1] - points[0])
    groups = [f"{NUMBERED}{label}" for label in translation.deck.mesh.node_labels[ends]]
    # (u_2 - u_1) . n + u = 0
    terms: list[dict[str, Any]] = [
        {"group": end, "component": axis, "factor": sign * part}
        for end, sign in zip(groups, (-1.0, 1.0), strict=True)
        for axis, part in zip("xyz", normal, strict=True)
        if part
    ]
    terms.append({"group": group, "component": "x", "factor": 1.0})
    where = line_of(card.where)
    translation.add("equations", {"terms": terms}, where)
    translation.add("supports", {"group": group, "components": ["y", "z"]}, where)
    # Springs without stiffness make nodes of a model of nodes that no cell has.
    name = f"tension {element}"
    none: dict[str, Any] = {"kind": "spring", "stiffness": 0.0}
    translation.add("connectors", {"name": name, **none, "between": groups}, where)
    at: dict[str, Any] = {"name": f"{name} node", "at": group, "axis": [1.0, 0.0, 0.0]}
    translation.add("connectors", at | none, where)
    translation.removed.append(element)


def _section(translation: Translation, card: Card) -> None:
    """Translate a section of solids, at which their mesh is cut."""
    deck = translation.deck
    facets = deck.surface(card.options["SURFACE"], card.where)
    point, _ = deck.nodes(card.need("NODE"), card.where)
    rows = list(card.rows())
    if not rows:
        raise InputError(f"{card.where}: found no direction; expected three numbers")
    direction = _normal(card, np.zeros(3))
    table: dict[str, Any] = {"name": plain_name(f"tension {card.options['SURFACE']}")}
    table |= {"facets": facets, "point": point, "direction": direction}
    if _outward(deck.mesh, facets) @ np.array(direction) < 0.0:
        table["apart"] = True
    translation.add("pretensions", table, line_of(card.where))


def _outward(mesh: Mesh, facets: str) -> Floats:
    """Return a direction out of the cells that facets are of: they are ordered so."""
    found = np.zeros(3)
    for block, rows in mesh.rows_of(facets, 1).items():
        corners = mesh.points[mesh.blocks[block].nodes[rows]]
        one = corners[:, 1] - corners[:, 0]
        if CELLS[mesh.blocks[block].cell].dim == 1:
            found += np.stack([one[:, 1], -one[:, 0], 0.0 * one[:, 0]], axis=1).sum(axis=0)
        else:
            found += np.cross(one, corners[:, 2] - corners[:, 0]).sum(axis=0)
    return found


def _ends(translation: Translation, element: int, where: str) -> Ints:
    """Return both ends of an element along a line."""
    for block in translation.deck.mesh.blocks:
        rows = np.flatnonzero(block.labels == element)
        if len(rows) and CELLS[block.cell].dim == 1:
            return np.asarray(block.nodes[rows[0], :2])
    raise InputError(f"{where}: no beam or bar {element}; expected one")


def _normal(card: Card, along: Floats) -> list[float]:
    """Return the direction of the tension: that of the card, or from the first end on."""
    rows = list(card.rows())
    given = [number(rows[0][0], k, rows[0][1]) for k in range(3)] if rows else along.tolist()
    length = math.hypot(*given)
    if not length:
        raise InputError(f"{card.where}: found a direction of length 0; expected one")
    return [float(part) / length for part in given]
