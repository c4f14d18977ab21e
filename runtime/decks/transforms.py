# SPDX-License-Identifier: BSD-3-Clause
"""``*TRANSFORM``: local axes of nodes, in which boundary conditions and forces are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.fields import number
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.model.schema_axes import AxesSpec
from flexforge.runtime.system.local_axes import local_axes


@dataclass(frozen=True, slots=True)
class Transforms:
    """Local axes of nodes.

    Attributes
    ----------
    sets : tuple
        Nodes and their axes, in the order of the deck.
    """

    sets: tuple[tuple[Ints, dict[str, Any]], ...] = ()

    def of(self, nodes: Ints, where: str) -> dict[str, Any] | None:
        """Return the axes of nodes, which have the same, or None.

        Raises
        ------
        InputError
            When some of them have others than the rest.
        """
        number = np.full(len(nodes), -1)
        for place, (members, _) in enumerate(self.sets):
            number[np.isin(nodes, members)] = place
        if len(nodes) and np.ptp(number):
            raise InputError(
                f"{where}: some of the nodes have other axes (*TRANSFORM) than the rest; expected "
                "sets of nodes with the same axes"
            )
        return self.sets[number[0]][1] if len(nodes) and number[0] >= 0 else None

    def has(self, nodes: Ints) -> bool:
        """Whether some nodes have local axes."""
        return any(np.isin(nodes, members).any() for members, _ in self.sets)

    def directions(self, node: int, mesh: Mesh, where: str) -> Floats | None:
        """Return the local axes of a node as rows, (3, 3), or None.

        Raises
        ------
        InputError
            When it lies on the axis of a cylinder.
        """
        given = self.of(np.array([node]), where)
        if given is None:
            return None
        return np.asarray(local_axes(AxesSpec(**given), mesh.points[[node]], where)[0])


def transforms(deck: Deck) -> Transforms:
    """Return the local axes of a deck.

    Raises
    ------
    InputError
        For sets that are missing, and numbers.
    """
    found = []
    for card in deck.cards:
        if card.keyword != "TRANSFORM":
            continue
        _, nodes = deck.nodes(card.need("NSET"), card.where)
        rows = list(card.rows())
        if not rows:
            raise InputError(f"{card.where}: found no axes; expected two points")
        fields, where = rows[0]
        one, two = np.array([number(fields, place, where) for place in range(6)]).reshape(2, 3)
        if card.options.get("TYPE", "R").upper() == "C":
            axes = {"kind": "cylindrical", "origin": one.tolist(), "z": (two - one).tolist()}
        else:
            axes = {"x": one.tolist(), "y": two.tolist()}
        found.append((nodes, axes))
    return Transforms(tuple(found))
