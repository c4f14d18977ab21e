# SPDX-License-Identifier: BSD-3-Clause
"""``*NODE PRINT`` and ``*EL PRINT``: tables of results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.decks.expansions import expands
from flexforge.runtime.decks.transforms import Transforms
from flexforge.runtime.decks.translation import Translation, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card
from flexforge.runtime.mesh.mesh import NUMBERED, Group
from flexforge.runtime.model.schema_analysis import OutputSpec
from flexforge.runtime.model.schema_table import OF_CELLS

#: Quantities of tables by what decks call them.
QUANTITIES = {
    "NODEPRINT": {"U": "displacement", "V": "velocity", "RF": "nodal_force"},
    "ELPRINT": {"S": "stress", "E": "strain", "ENER": "energy_density", "ELSE": "strain_energy",
                "ELKE": "kinetic_energy", "EVOL": "volume"},
}  # fmt: skip

#: What nodes that stand for rotations have in place of displacements and forces.
_ABOUT = {"displacement": "rotation", "nodal_force": "nodal_moment"}
_TOTALS = {"YES": "also", "ONLY": "only"}
#: Quantities of which there are totals.
_SUMMED = ("nodal_force", *OF_CELLS)


@dataclass(slots=True)
class _Request:
    """Quantities of one set, and the steps that print them."""

    card: Card
    group: str
    quantities: list[str]
    steps: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Requests:
    """What is printed, step by step.

    Attributes
    ----------
    translation : Translation
        What is being made.
    axes : Transforms
        Local axes of nodes.
    """

    translation: Translation
    axes: Transforms
    _all: list[_Request] = field(default_factory=list)
    _now: dict[str, list[_Request]] = field(default_factory=dict)
    _new: dict[str, list[_Request]] = field(default_factory=dict)

    def take(self, card: Card) -> None:
        """Take a card of requests."""
        kind, deck = card.keyword, self.translation.deck
        if card.options.get("FREQUENCY") == "0":
            self._now.pop(kind, None)
            self._new.setdefault(kind, [])
            return
        if kind == "NODEPRINT":
            group, nodes = deck.nodes(card.need("NSET"), card.where)
            groups = [group]
            if self.axes.has(nodes) and card.options.get("GLOBAL", "NO").upper() != "YES":
                self.translation.remarks.append(
                    f"{card.where}: nodes with local axes (*TRANSFORM) are printed along the axes "
                    "of the model, as with GLOBAL=YES"
                )
        else:
            every = deck.parts(card.need("ELSET"), card.where)
            groups = [one.name for one in every if _has_points(deck, one)]
            if len(groups) < len(every):
                self.translation.remarks.append(
                    f"{card.where}: bars, beams and shells have section forces in place of "
                    "stresses at points; they are in the results"
                )
        known = dict(QUANTITIES[kind])
        asked = [one.upper() for fields, _ in card.rows() for one in fields if one]
        quantities = [known[one] for one in asked if one in known]
        if wrong := [one for one in asked if one not in known]:
            self.translation.remarks.append(
                f"{card.where}: {', '.join(wrong)} of *{kind.replace('PRINT', ' PRINT')} is not "
                f"written; known are {', '.join(known)}"
            )
        requests = [_Request(card, group, quantities) for group in groups]
        about = [_ABOUT[one] for one in quantities if one in _ABOUT]
        if kind == "NODEPRINT" and about:
            points = self._turned(nodes)
            own = {f"{NUMBERED}{label}" for label in deck.mesh.node_labels[nodes].tolist()}
            if len(points) == len(nodes) and own.isdisjoint(points):  # nodes of nothing else
                requests = []
            requests += [_Request(card, point, about) for point in points]
        self._all += requests
        self._new.setdefault(kind, []).extend(requests)

    def _turned(self, nodes: Ints) -> list[str]:
        """Return the points whose rotations are printed as displacements of nodes."""
        labels = self.translation.deck.mesh.node_labels[nodes]
        turns = self.translation.turns
        return [turns[label][0] for label in labels.tolist() if label in turns]

    def step(self, name: str) -> None:
        """Let the requests count in a step: those of a kind until a step has others."""
        self._now |= self._new
        self._new = {}
        for requests in self._now.values():
            for one in requests:
                one.steps.append(name)

    def tables(self) -> None:
        """Translate the requests; results are written as often as the most frequent of them."""
        often = [int(every) for one in self._all if (every := _frequency(one.card)).isdigit()]
        if often and min(often) > 1:
            self.translation.tables["output"] = {"every": min(often)}
        if self.translation.deck.pictured:
            output = self.translation.tables.setdefault("output", {})
            output["formats"] = [*OutputSpec.model_fields["formats"].default, "frd"]
        for one in self._all:
            for quantity in one.quantities:
                table: dict[str, Any] = {"group": one.group, "quantity": quantity}
                totals = one.card.options.get("TOTALS", "NO").upper()
                if quantity in _SUMMED and totals in _TOTALS:
                    table["total"] = _TOTALS[totals]
                table |= in_steps(self.translation, one.steps)
                self.translation.add("tables", table, line_of(one.card.where))


def _has_points(deck: Deck, group: Group) -> bool:
    """Whether a set has elements with stresses at points: solids, or what becomes some."""
    blocks = [(deck.mesh.blocks[block], rows) for block, rows in group.cells.items()]
    if any(deck.is_solid(block.cell) for block, _ in blocks):
        return True
    labels = np.concatenate([block.labels[rows] for block, rows in blocks])
    kinds = [kind for kind, numbers in deck.types.items() if np.isin(numbers, labels).any()]
    return any(expands(deck, kind) for kind in kinds)


def _frequency(card: Card) -> str:
    return card.options.get("FREQUENCY", "1")
