# SPDX-License-Identifier: BSD-3-Clause
"""What a deck becomes: the tables of a model file, with notes on where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.decks.deck import Deck
from flexforge.runtime.mesh.abaqus_cards import Card
from flexforge.runtime.mesh.mesh import Mesh


@dataclass(slots=True)
class Translation:
    """The tables of a model file that are being made of a deck.

    Attributes
    ----------
    deck : Deck
        The deck.
    tables : dict
        What the model file holds.
    notes : dict
        A comment for a table, by its list and its place there, or by its table and name.
    steps : list of str
        Names of the steps.
    ends : list of float or str
        Total time at the end of every step; of those without time what they find: ``modes``,
        ``factors``, ``response``, ``period``, ``steady``.
    energies : dict
        Energies of materials, with their parameters, by name of the material.
    dependent : dict
        Cards of materials that depend on temperature, by name of the material.
    turns : dict
        By the numbers of nodes whose displacements are rotations of points: the group of the point,
        and what is added to each of their three degrees of freedom; None where it has none.
    waves : list of str
        Names of the steps in which the modes of a wheel add up.
    removed : list of int
        Numbers of elements that are of no body, since a gap takes their place.
    remarks : list of str
        What is left out, with its line.
    problems : list of str
        What cannot be said in a model file, with its line.
    """

    deck: Deck
    tables: dict[str, Any] = field(default_factory=dict)
    notes: dict[tuple[str, int | str], str] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    ends: list[float | str] = field(default_factory=list)
    energies: dict[str, dict[str, Any]] = field(default_factory=dict)
    dependent: dict[str, list[Card]] = field(default_factory=dict)
    turns: dict[int, tuple[str, tuple[int | None, ...]]] = field(default_factory=dict)
    waves: list[str] = field(default_factory=list)
    removed: list[int] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @contextmanager
    def trying(self) -> Iterator[None]:
        """Keep what cannot be said as one of the problems, and go on."""
        try:
            yield
        except InputError as error:
            self.problems.append(str(error))

    def add(self, key: str, table: dict[str, Any], note: str = "") -> dict[str, Any]:
        """Append a table to a list, with a note, and return it."""
        entries = self.tables.setdefault(key, [])
        if note:
            self.notes[key, len(entries)] = note
        entries.append(table)
        return table

    def place(self, target: str, dof: int, where: str) -> tuple[str, Ints, int]:
        """Return the group, the nodes and the degree of freedom that a deck means.

        Displacements of the rotation node of a rigid body are rotations of its reference node, and
        that of the pilot node of a mean rotation is one.

        Raises
        ------
        InputError
            When such a node has no such degree of freedom.
        """
        group, nodes = self.deck.nodes(target, where)
        if self.turns and len(nodes) == 1:
            label = int(self.deck.mesh.node_labels[nodes[0]])
            if label in self.turns and dof <= 3:
                group, further = self.turns[label]
                if (more := further[dof - 1]) is None:
                    raise InputError(
                        f"{where}: found degree of freedom {dof} of node {label}; expected 1, the "
                        "rotation that it stands for"
                    )
                return group, self.deck.mesh.select(group).nodes, dof + more
        return group, nodes, dof


def cells_of(mesh: Mesh, name: str) -> Ints:
    """Return the numbers of the elements of a group of cells, ascending.

    Parameters
    ----------
    mesh : Mesh
        The mesh of a deck.
    name : str
        The group, or numbers of elements.
    """
    chosen = mesh.rows_of(name, 0)
    return np.sort(np.concatenate([mesh.blocks[b].labels[rows] for b, rows in chosen.items()]))


def nodes_of(mesh: Mesh, name: str) -> Ints:
    """Return the nodes of a group of cells of any dimension, ascending, as :func:`cells_of`."""
    chosen = mesh.rows_of(name, 0)
    found = [mesh.blocks[b].nodes[rows].ravel() for b, rows in chosen.items()]
    return np.unique(np.concatenate(found))


def materials_of(body: dict[str, Any]) -> list[str]:
    """Return the names of the materials of a body: of its plies, where it has some."""
    return [str(one["material"]) for one in body.get("plies", [body])]


def line_of(where: str) -> str:
    """Return the line of a place in a file, in words, for notes."""
    return f"line {where.rpartition(':')[2]}"


def in_steps(translation: Translation, steps: Sequence[str]) -> dict[str, list[str]]:
    """Return the key of the steps in which something acts; none where it acts in all."""
    return {} if list(steps) == translation.steps else {"steps": list(steps)}
