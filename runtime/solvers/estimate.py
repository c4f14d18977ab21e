# SPDX-License-Identifier: BSD-3-Clause
"""What factors would cost: time and memory of nested dissection, from the shape of a mesh.

Cuts across the three principal axes tell how many nodes the mesh has along each. Dissection halves
such a box along its longest side again and again; each cut of s unknowns makes a dense front, of
which the factors take s^3 / 3 operations and s^2 / 2 entries (George, *SIAM J. Numer. Anal.* 10,
1973). What surrounds a front makes it larger by factors that were measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from numpy.typing import NDArray

#: Fronts of cubes of hex8 in PARDISO against cuts alone: operations, and entries.
_OPERATIONS, _ENTRIES = 12.0, 7.0
_SPEED = 2.0e10  # operations of a thread in a second
#: Seconds of a direct solver for an entry of the matrix besides: its order, small fronts.
_ORDERED = 1.6e-7
#: Where cuts are tried: elements with nodes on their edges are cut well at some of them.
_PLACES = (0.44, 0.47, 0.5, 0.53, 0.56)
#: Products of inertia, of the largest moment, below which a mesh is along its coordinates.
_ALONG = 1e-9
_SMALL = 8.0  # nodes along a side, below which cuts cost nothing
#: Seconds of multigrid for an entry of the matrix: set-up and twenty iterations.
_MULTIGRID = 0.9e-7
#: Bytes of multigrid for an entry: the matrix, its copy in single precision, levels, work arrays;
#: and where the matrix is never assembled: graph, elements packed for sweeps, levels, work arrays.
_BYTES, _SWEPT_BYTES = 28.0, 12.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Estimated cost of a direct solver, and time of multigrid.

    Attributes
    ----------
    seconds : float
        Time of the large fronts of the factors.
    order : float
        Time of the order of elimination, and of the small fronts.
    bytes : float
        Their memory.
    multigrid, multigrid_bytes : float
        Time of multigrid, s, and its memory with the matrix.
    thinnest : float
        Nodes along the shortest side of the mesh: few of them make multigrid slow.
    """

    seconds: float
    order: float
    bytes: float
    multigrid: float
    multigrid_bytes: float
    thinnest: float

    def __str__(self) -> str:
        seconds = self.seconds + self.order
        return f"factors would take about {seconds:.0f} s and {self.bytes / 1e9:.1f} GB"


def multigrid_bytes(pairs: int, d: int, *, kept: bool = True) -> float:
    """Return the memory of multigrid.

    Parameters
    ----------
    pairs : int
        Pairs of neighbouring nodes.
    d : int
        Unknowns per node.
    kept : bool
        Whether the matrix is assembled.
    """
    return (_BYTES if kept else _SWEPT_BYTES) * pairs * d * d


def cost_of_factors(
    pointers: NDArray[np.int32],
    columns: NDArray[np.int32],
    points: Floats,
    d: int,
    threads: int,
    *,
    kept: bool = True,
) -> Cost:
    """Estimate what the factors of a symmetric matrix would cost.

    Parameters
    ----------
    pointers, columns : ndarray of int32, (N + 1,), (nnz,)
        Neighbours of every node.
    points : ndarray, (N, dimension)
        Positions of the nodes.
    d : int
        Unknowns per node.
    threads : int
        Threads of the direct solver.
    kept : bool
        Whether multigrid assembles the matrix.
    """
    count = len(pointers) - 1
    centred = points - points.mean(axis=0)
    moments = centred.T @ centred
    axes = np.eye(len(moments))
    # Of a cube every direction is principal: round-off must not choose among them.
    if np.abs(moments - np.diag(np.diag(moments))).max() > _ALONG * np.diag(moments).max():
        axes = np.linalg.eigh(moments)[1]
    rows = np.repeat(np.arange(count, dtype=np.int32), np.diff(pointers))
    sides = []
    for along in (centred @ axes).T:
        cuts = (_cut(rows, columns, along < place) for place in np.quantile(along, _PLACES))
        sides.append(count / max(min(cuts), 1))
    operations, entries = _dissected(sorted(sides), float(count), d)
    return Cost(
        _OPERATIONS * operations / (_SPEED * threads),
        _ORDERED * len(columns) * d * d,
        8.0 * _ENTRIES * entries,
        _MULTIGRID * len(columns) * d * d,
        multigrid_bytes(len(columns), d, kept=kept),
        min(sides),
    )


def _cut(rows: NDArray[np.int32], columns: NDArray[np.int32], before: NDArray[np.bool_]) -> int:
    """Return the number of nodes before a cut that have neighbours behind it."""
    found = np.zeros(len(before), dtype=bool)
    found[rows[before[rows] & ~before[columns]]] = True
    return int(found.sum())


def _dissected(sides: list[float], nodes: float, d: int) -> tuple[float, float]:
    """Return operations and entries of the fronts of a box, by the nodes along its sides."""
    operations = entries = 0.0
    boxes = 1.0
    while sides[-1] > _SMALL:
        front = d * nodes / sides[-1]
        operations += boxes * front**3 / 3.0
        entries += boxes * front**2 / 2.0
        nodes, boxes = nodes / 2.0, boxes * 2.0
        sides = sorted([*sides[:-1], sides[-1] / 2.0])
    return operations, entries
