# SPDX-License-Identifier: BSD-3-Clause
"""The distinct directions at every node: elements that nearly agree on them share the mean.

At a node, the element with the lowest number is the reference. Others of the same kind, thickness
and offset whose directions are within 20 degrees of its directions (0.5 degrees of those that the
user gives) have the mean of all of them; the rest begins again with its own reference.
Source: CalculiX CrunchiX 2.20, its user's manual on shell and beam elements; the angles are those
of the program.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.expansion.members import Members
from flexforge.runtime.mesh.cells import CELLS
from numpy.typing import NDArray

#: Cosines of the largest angles: between computed directions, and from one of the user.
_NEAR, _SAME = 0.939693, 0.999962
_EQUAL = 1e-10  # difference of thicknesses and offsets that count as equal


@dataclass(frozen=True, eq=False)
class Sections:
    """Distinct cross sections at nodes.

    Attributes
    ----------
    node : ndarray of int64, (s,)
        Node of each.
    first, second : ndarray, (s, 3)
        Its directions; the normal of a shell twice.
    size : ndarray, (s, 2)
        Thicknesses along them.
    offset : ndarray, (s, 2)
        Where the middle is from the node, against them, in thicknesses.
    is_beam, is_round : ndarray of bool, (s,)
        Whether it is one of beams, and a round one.
    at_corner : ndarray of bool, (s,)
        Whether it is at corners of cells with middle nodes.
    quadratic : ndarray of bool, (s,)
        Whether the cells have middle nodes.
    body : ndarray of int64, (s,)
        Number of a body of its cells.
    of : tuple of ndarray of int64, (n, k)
        For all members the section at every node of every cell.
    """

    node: Ints
    first: Floats
    second: Floats
    size: Floats
    offset: Floats
    is_beam: NDArray[np.bool_]
    is_round: NDArray[np.bool_]
    at_corner: NDArray[np.bool_]
    quadratic: NDArray[np.bool_]
    body: Ints
    of: tuple[Ints, ...]

    @property
    def at_knot(self) -> NDArray[np.bool_]:
        """Which of them share their node with others."""
        return np.asarray(np.bincount(self.node)[self.node] > 1)


@dataclass(frozen=True, eq=False)
class _Places:
    """Every node of every cell, in one row."""

    node: Ints
    label: Ints
    along: Floats
    across: Floats
    size: Floats
    offset: Floats
    given: NDArray[np.bool_]
    kind: Ints
    is_round: NDArray[np.bool_]
    at_corner: NDArray[np.bool_]
    quadratic: NDArray[np.bool_]
    body: Ints

    @classmethod
    def of(cls, members: Sequence[Members]) -> _Places:
        def joined(values: Sequence[Floats], width: int) -> Floats:
            return np.concatenate([one.reshape(-1, width) for one in values])

        def spread(value: object, one: Members) -> Ints:
            return np.broadcast_to(np.asarray(value), one.nodes.shape).ravel()

        def every(values: Sequence[object]) -> Ints:
            return np.concatenate(
                [spread(value, one) for value, one in zip(values, members, strict=True)]
            )

        cells = [CELLS[one.cell] for one in members]
        corners = [np.arange(kind.nodes) < kind.corners for kind in cells]
        curved = [kind.nodes > kind.corners for kind in cells]
        return cls(
            every([one.nodes for one in members]),
            every([one.labels[:, None] for one in members]),
            joined([one.along for one in members], 3),
            joined([one.across for one in members], 3),
            joined([one.size for one in members], 2),
            np.concatenate([np.tile(one.offset, (one.nodes.size, 1)) for one in members]),
            every([one.given for one in members]).astype(bool),
            every([one.is_beam for one in members]),
            every([one.is_round for one in members]).astype(bool),
            every([a & b for a, b in zip(corners, curved, strict=True)]).astype(bool),
            every(curved).astype(bool),
            every([one.body for one in members]),
        )


def sections_of(members: Sequence[Members]) -> Sections:
    """Return the distinct cross sections at the nodes of members.

    Parameters
    ----------
    members : sequence of Members
        All cells that are expanded.
    """
    places = _Places.of(members)
    group, reference = _grouped(places)
    order = np.unique(group, return_index=True)[1]
    lead = reference[order]
    first, second = _directions(places, group, lead)
    at_corner = np.zeros(len(lead), dtype=bool)
    np.logical_or.at(at_corner, group, places.at_corner)
    sizes = [one.nodes.size for one in members]
    of = np.split(group, np.cumsum(sizes)[:-1])
    return Sections(
        places.node[lead],
        first,
        second,
        places.size[lead],
        places.offset[lead],
        places.kind[lead].astype(bool),
        places.is_round[lead],
        at_corner,
        places.quadratic[lead],
        places.body[lead],
        tuple(found.reshape(one.nodes.shape) for found, one in zip(of, members, strict=True)),
    )


def _grouped(places: _Places) -> tuple[Ints, Ints]:
    """Return the number of the section at every place, and the place that is its reference."""
    count = len(places.node)
    group, reference = np.full(count, -1), np.full(count, -1)
    # Shells before beams, directions of the user before others, then by number.
    order = np.lexsort((places.label, ~places.given, places.kind, places.node))
    left, number = order, 0
    while len(left):
        key = places.node[left] * 2 + places.kind[left]
        begins = np.concatenate([[True], key[1:] != key[:-1]])
        lead = left[begins][np.cumsum(begins) - 1]
        joins = (left == lead) | _alike(places, left, lead)
        chosen = left[joins]
        group[chosen] = number + (np.cumsum(begins) - 1)[joins]
        reference[chosen] = lead[joins]
        number += int(begins.sum())
        left = left[~joins]
    return group, reference


def _alike(places: _Places, one: Ints, lead: Ints) -> NDArray[np.bool_]:
    """Return which places have the section of their leads."""
    least = np.where(places.given[lead], _SAME, _NEAR)
    found = (places.across[one] * places.across[lead]).sum(axis=1) > least
    found &= (places.along[one] * places.along[lead]).sum(axis=1) > least
    found &= places.is_round[one] == places.is_round[lead]
    for values in (places.size, places.offset):
        found &= (np.abs(values[one] - values[lead]) < _EQUAL).all(axis=1)
    return np.asarray(found)


def _directions(places: _Places, group: Ints, lead: Ints) -> tuple[Floats, Floats]:
    """Return both directions of every section: means of those of its places."""

    def mean(vectors: Floats) -> Floats:
        total = np.zeros((len(lead), 3))
        np.add.at(total, group, vectors)
        return np.asarray(total / np.linalg.norm(total, axis=1, keepdims=True))

    fixed = places.given[lead][:, None]
    across = np.where(fixed, places.across[lead], mean(places.across))
    beams = places.kind[lead].astype(bool)[:, None]
    tangent = mean(places.along)
    square = across - (across * tangent).sum(axis=1, keepdims=True) * tangent
    length = np.linalg.norm(square, axis=1, keepdims=True)
    second = np.where(beams, square / np.where(beams, length, 1.0), across)
    first = np.where(beams, np.cross(second, tangent), across)
    return first, second
