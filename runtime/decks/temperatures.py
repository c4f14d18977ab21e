# SPDX-License-Identifier: BSD-3-Clause
"""``*TEMPERATURE`` and initial temperatures: changes of temperature that strain bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.decks.fields import number
from flexforge.runtime.decks.translation import (
    Translation,
    in_steps,
    line_of,
    materials_of,
    nodes_of,
)
from flexforge.runtime.mesh.abaqus_cards import Card


@dataclass(slots=True)
class Temperatures:
    """Temperatures of nodes, before the steps and at the end of each.

    Attributes
    ----------
    translation : Translation
        What is being made.
    initial : ndarray, (n,)
        Of the nodes, before the first step.
    ends : list of ndarray, (n,)
        At the end of every step.
    """

    translation: Translation
    initial: Floats
    ends: list[Floats] = field(default_factory=list)
    _where: list[str] = field(default_factory=list)
    _changes: list[tuple[Floats, list[str], str]] = field(default_factory=list)

    @classmethod
    def of(cls, translation: Translation) -> Temperatures:
        """Return the temperatures of a deck; what is wrong with its cards is noted.

        Parameters
        ----------
        translation : Translation
            What is being made.
        """
        deck = translation.deck
        found = cls(translation, np.zeros(len(deck.mesh.points)))
        for card in deck.cards:
            if card.keyword == "INITIALCONDITIONS" and card.options.get("TYPE") == "TEMPERATURE":
                with translation.trying():
                    found._read(card, found.initial)
        now, where = found.initial.copy(), ""
        for step in deck.steps:
            for card in step.cards:
                if card.keyword == "TEMPERATURE":
                    with translation.trying():
                        now = found._take(card, now)
                        where = card.where
            found.ends.append(now.copy())
            found._where.append(where)
        return found

    def _take(self, card: Card, now: Floats) -> Floats:
        for option in ("AMPLITUDE", "USER", "FILE", "BSTEP"):
            if option in card.options:
                raise InputError(f"{card.where}: {option} is not supported with *TEMPERATURE")
        if card.options.get("OP", "MOD").upper() == "NEW":
            now = self.initial.copy()
        self._read(card, now)
        return now

    def _read(self, card: Card, values: Floats) -> None:
        for fields, where in card.rows():
            _, nodes = self.translation.deck.nodes(fields[0], where)
            if any(number(fields, place, where, 0.0) for place in range(2, len(fields))):
                raise InputError(
                    f"{where}: found a gradient of temperature, {', '.join(fields[2:])}, through a "
                    "section; expected a temperature alone"
                )
            values[nodes] = number(fields, 1, where)

    def uniform(self, nodes: Ints) -> float | None:
        """Return the temperature that some nodes have in all steps; None where it varies.

        Parameters
        ----------
        nodes : ndarray of int64
            The nodes.
        """
        values = np.array([one[nodes] for one in self.ends])
        return float(values.flat[0]) if not np.ptp(values) else None

    def step(self, name: str) -> None:
        """Let the temperatures at the end of a step act in it."""
        number = self.translation.steps.index(name)
        change = self.ends[number] - self.initial
        if not change.any():
            return
        for known, steps, _ in self._changes:
            if np.array_equal(known, change):
                if name not in steps:
                    steps.append(name)
                return
        self._changes.append((change, [name], self._where[number]))

    def loads(self) -> None:
        """Translate the changes of temperature of every body."""
        mesh = self.translation.deck.mesh
        for change, steps, where in self._changes:
            for body in self.translation.tables.get("bodies", []):
                known = self.translation.tables["materials"]
                if any("expansion" not in known[name] for name in materials_of(body)):
                    continue
                nodes = nodes_of(mesh, body["cells"])
                table = {"kind": "temperature", "change": self._change(change, nodes)}
                table |= {"body": body["name"]} | in_steps(self.translation, steps)
                self.translation.add("loads", table, line_of(where))

    def _change(self, change: Floats, nodes: Ints) -> Any:
        """Return a change of temperature at some nodes: a number, or one for groups of them."""
        values = change[nodes]
        if not np.ptp(values):
            return float(values[0])
        mesh = self.translation.deck.mesh
        different = np.unique(values[values != 0.0])
        return {"nodes": [[mesh.numbered(nodes[values == v]), float(v)] for v in different]}
