# SPDX-License-Identifier: BSD-3-Clause
"""``*TEMPERATURE`` and initial temperatures: changes of temperature that strain bodies."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.decks.fields import number
from flexforge.runtime.decks.translation import Translation, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card


@dataclass(slots=True)
class Temperatures:
    """Temperatures of nodes, step by step.

    Attributes
    ----------
    translation : Translation
        What is being made.
    """

    translation: Translation
    _initial: Floats = field(init=False)
    _now: Floats = field(init=False)
    _where: str = ""
    _fields: list[tuple[Floats, list[str], str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._initial = np.zeros(len(self.translation.deck.mesh.points))
        self._now = self._initial.copy()

    def begin(self, card: Card) -> None:
        """Take an ``*INITIAL CONDITIONS`` card.

        Raises
        ------
        InputError
            For others than those of temperature.
        """
        kind = card.need("TYPE").upper()
        if kind != "TEMPERATURE":
            raise InputError(
                f"{card.where}: found TYPE={kind}; expected TEMPERATURE, the only initial "
                "condition of decks that is supported yet"
            )
        self._read(card, self._initial)
        self._now = self._initial.copy()

    def take(self, card: Card) -> None:
        """Take a ``*TEMPERATURE`` card.

        Raises
        ------
        InputError
            For parameters that are not supported.
        """
        for option in ("AMPLITUDE", "USER", "FILE", "BSTEP"):
            if option in card.options:
                raise InputError(f"{card.where}: {option} is not supported with *TEMPERATURE")
        if card.options.get("OP", "MOD").upper() == "NEW":
            self._now = self._initial.copy()
        self._read(card, self._now)
        self._where = card.where

    def _read(self, card: Card, values: Floats) -> None:
        for fields, where in card.rows():
            _, nodes = self.translation.deck.nodes(fields[0], where)
            values[nodes] = number(fields, 1, where)

    def step(self, name: str) -> None:
        """Let the temperatures act in a step."""
        change = self._now - self._initial
        if not change.any():
            return
        for known, steps, _ in self._fields:
            if np.array_equal(known, change):
                steps.append(name)
                return
        self._fields.append((change, [name], self._where))

    def loads(self) -> None:
        """Translate the changes of temperature: one of every body."""
        mesh = self.translation.deck.mesh
        for change, steps, where in self._fields:
            for body in self.translation.tables.get("bodies", []):
                if "expansion" not in self.translation.tables["materials"][body["material"]]:
                    continue
                values = change[mesh.groups[body["cells"]].nodes]
                if np.ptp(values):
                    self.translation.problems.append(
                        f"{where}: the temperature varies within '{body['cells']}'; expected one "
                        "temperature of each body"
                    )
                    continue
                table: dict[str, Any] = {"kind": "temperature", "change": float(values[0])}
                table |= {"body": body["name"]} | in_steps(self.translation, steps)
                self.translation.add("loads", table, line_of(where))
