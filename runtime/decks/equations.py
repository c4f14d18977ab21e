# SPDX-License-Identifier: BSD-3-Clause
"""``*EQUATION``: linear equations, which hold from the first step on until one removes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.fields import number, whole
from flexforge.runtime.decks.supports import component, is_in_plane
from flexforge.runtime.decks.transforms import Transforms
from flexforge.runtime.decks.translation import Translation, in_steps, line_of
from flexforge.runtime.mesh.abaqus_cards import Card


@dataclass(slots=True)
class _Equation:
    """An equation of a deck.

    Attributes
    ----------
    terms : list of dict
        As of ``[[equations]]``.
    node, dof : int
        The first term, which the equation makes dependent.
    where : str
        File and line.
    steps : list of str
        Names of the steps in which it holds.
    """

    terms: list[dict[str, Any]]
    node: int
    dof: int
    where: str
    steps: list[str] = field(default_factory=list)


class Equations:
    """The equations of a deck.

    Parameters
    ----------
    translation : Translation
        What is being made.
    axes : Transforms
        Local axes of nodes.
    """

    def __init__(self, translation: Translation, axes: Transforms) -> None:
        self._translation, self._axes = translation, axes
        self._all: list[_Equation] = []
        self._now: list[_Equation] = []

    def take(self, card: Card) -> None:
        """Take a card before the first step.

        Raises
        ------
        InputError
            For parameters that are not supported, and incomplete equations.
        """
        if card.options:
            given = ", ".join(card.options)
            raise InputError(f"{card.where}: {given} is not supported with *EQUATION")
        rows = iter(card.rows())
        for fields, where in rows:
            count = whole(fields, 0, where)
            entries: list[str] = []
            while len(entries) < 3 * count:
                more = next(rows, None)
                if more is None:
                    raise InputError(
                        f"{where}: found {len(entries) // 3} terms of an equation; expected {count}"
                    )
                entries += more[0] if more[0][-1] else more[0][:-1]
            self._add(entries[: 3 * count], where)

    def _add(self, entries: list[str], where: str) -> None:
        """Add an equation of terms of a node, a degree of freedom and a factor each."""
        translation = self._translation
        terms: list[dict[str, Any]] = []
        for place in range(0, len(entries), 3):
            dof, factor = whole(entries, place + 1, where), number(entries, place + 2, where)
            group, nodes, dof = translation.place(entries[place], dof, where)
            if not place:
                first = int(nodes[0]), dof
            what = component(dof, where)
            if not is_in_plane(translation, what):
                continue
            if len(nodes) == 1:
                local = self._axes.directions(int(nodes[0]), translation.deck.mesh, where)
            elif self._axes.of(nodes, where):
                raise InputError(f"{where}: found a set of nodes with local axes; expected a node")
            else:
                local = None
            if local is None:
                terms.append({"group": group, "component": what, "factor": factor})
                continue
            # A component along a local axis is a sum of those along the axes of the body.
            about = "r" if what.startswith("r") else ""
            terms += [
                {"group": group, "component": f"{about}{axis}", "factor": factor * float(part)}
                for axis, part in zip("xyz", local["xyz".index(what[-1])], strict=True)
                if part
            ]
        if terms:
            self._now.append(_Equation(terms, *first, where))
            self._all.append(self._now[-1])

    def remove(self, card: Card) -> None:
        """Take a card within a step, which removes equations by their first terms.

        Raises
        ------
        InputError
            When it adds equations, and for terms that no equation begins with.
        """
        if "REMOVE ALL" in card.options:
            self._now = []
            return
        if "REMOVE" not in card.options:
            raise InputError(
                f"{card.where}: *EQUATION within a step without REMOVE; expected it before the "
                "first step"
            )
        for fields, where in card.rows():
            first = whole(fields, 1, where)
            last = whole(fields, 2, where, first)
            _, nodes = self._translation.deck.nodes(fields[0], where)
            gone = [
                one for one in self._now if first <= one.dof <= last and np.isin(one.node, nodes)
            ]
            if not gone:
                raise InputError(
                    f"{where}: no equation begins with degree of freedom {first} of '{fields[0]}'"
                )
            self._now = [one for one in self._now if one not in gone]

    def step(self, name: str) -> None:
        """Let the equations that there are hold in a step."""
        for one in self._now:
            one.steps.append(name)

    def tables(self) -> None:
        """Add them to the model."""
        for one in self._all:
            if one.steps:
                table = {"terms": one.terms, **in_steps(self._translation, one.steps)}
                self._translation.add("equations", table, line_of(one.where))
