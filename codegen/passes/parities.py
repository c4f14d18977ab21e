# SPDX-License-Identifier: BSD-3-Clause
"""Even and odd parts of what is at nodes or points that reflections exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from flexforge.codegen.ir.expression import Number
from flexforge.codegen.ir.program import Mirrors

Parity = tuple[int, ...]
"""By mirrored axis 0 for even and 1 for odd."""

Key = tuple[int, ...]
"""By mirrored axis a parity, or a side: 1, -1, or 0 on the middle."""

#: What entries of a table and of its image may differ by, as part of the largest one.
_ROUNDED = 1e-15


@dataclass(frozen=True, slots=True)
class Orbit:
    """Nodes or points that reflections exchange.

    Attributes
    ----------
    members : mapping of tuple to int
        Their numbers, by the sides of the mirrored axes.
    """

    members: Mapping[Key, int]

    @property
    def sides(self) -> Key:
        """The sides of the member that is on no negative one."""
        return max(self.members)

    @property
    def parities(self) -> list[Parity]:
        """The parities of parts: what is on the middle of an axis is even."""
        return list(product(*((0, 1) if side else (0,) for side in self.sides)))

    def signs(self, parity: Parity) -> dict[int, int]:
        """Return the signs of the members in the part of a parity."""
        found = {}
        for sides, member in self.members.items():
            odd = sum(1 for side, one in zip(sides, parity, strict=True) if one and side < 0)
            found[member] = -1 if odd % 2 else 1
        return found


def orbits_of(places: Sequence[Sequence[int]], axes: Sequence[int]) -> tuple[Orbit, ...]:
    """Return the orbits of places under reflections along axes.

    Parameters
    ----------
    places : sequence of sequence of int
        Of nodes or points, as of `Mirrors`.
    axes : sequence of int
        The mirrored axes.
    """
    found: dict[Key, dict[Key, int]] = {}
    for number, place in enumerate(places):
        key = tuple(abs(x) if k in axes else x for k, x in enumerate(place))
        sides = tuple((place[k] > 0) - (place[k] < 0) for k in axes)
        found.setdefault(key, {})[sides] = number
    return tuple(map(Orbit, found.values()))


def by_parity(orbits: Sequence[Orbit]) -> dict[Parity, list[Orbit]]:
    """Return the orbits that have a part of each parity."""
    found: dict[Parity, list[Orbit]] = {}
    for orbit in orbits:
        for parity in orbit.parities:
            found.setdefault(parity, []).append(orbit)
    return found


def replaced(key: Key, axis: int, value: int) -> Key:
    """Return a key with another value of an axis."""
    return (*key[:axis], value, *key[axis + 1 :])


def turned(rows: Sequence[Sequence[Number]], mirrors: Mirrors) -> Parity | None:
    """Return the parity of functions in each mirrored coordinate.

    Parameters
    ----------
    rows : sequence of sequence of number
        Functions of the nodes at points: a row per point, a column per node.
    mirrors : Mirrors
        The reflections.

    Returns
    -------
    Parity or None
        None if the table is not mirrored, up to rounding.
    """
    found = np.array(rows, dtype=float)
    near = _ROUNDED * np.abs(found).max()
    parity = []
    for axis in mirrors.axes:
        images = []
        for places in (mirrors.points, mirrors.nodes):
            number = {place: k for k, place in enumerate(places)}
            images.append([number[replaced(place, axis, -place[axis])] for place in places])
        image = found[np.ix_(*images)]
        if (np.abs(image - found) <= near).all():
            parity.append(0)
        elif (np.abs(image + found) <= near).all():
            parity.append(1)
        else:
            return None
    return tuple(parity)


def parts_of(
    rows: Sequence[Sequence[Number]],
    points: Sequence[Orbit],
    nodes: Sequence[Orbit],
    parity: Parity,
) -> list[list[Fraction]]:
    """Return what parts of a parity at the nodes add to parts at the points.

    Parameters
    ----------
    rows : sequence of sequence of number
        Functions of the nodes at points.
    points, nodes : sequence of Orbit
        Those that have such parts.
    parity : Parity
        At the nodes.

    Returns
    -------
    list of list of Fraction
        A row per orbit of points, a column per orbit of nodes.
    """
    found = []
    for point in points:
        row = rows[point.members[point.sides]]
        found.append(
            [
                sum((sign * Fraction(row[a]) for a, sign in one.signs(parity).items()), Fraction())
                / len(one.members)
                for one in nodes
            ]
        )
    return found
