# SPDX-License-Identifier: BSD-3-Clause
"""The graph of the nodes of a body, and the distribution of its elements to threads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import _assembly
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.memory import matrix_bytes, require_memory
from flexforge.runtime.machine.threads import checked_threads, default_threads
from numpy.typing import NDArray

Index = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Graph:
    """Pairs of nodes that share an element: the pattern of every matrix of a body.

    Attributes
    ----------
    cells : ndarray of int32, (E, nodes)
        Nodes of the elements.
    pointers, columns : ndarray of int32, (P + 1,), (nnz,)
        Neighbours of every node, ascending, including the node itself.
    places : ndarray of uint16, (E, nodes, nodes)
        Position of every pair of nodes of an element in the row of the first node.
    owner : ndarray of int32, (P,)
        Thread that adds to the rows of each node.
    elements, shares : ndarray of int32, (S,), of int64, (threads + 1,)
        Elements of every thread, ascending, thread by thread.
    """

    cells: Index
    pointers: Index
    columns: Index
    places: NDArray[np.uint16]
    owner: Index
    elements: Index
    shares: NDArray[np.int64]

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        return len(self.pointers) - 1

    @property
    def nnz(self) -> int:
        """Number of neighbouring pairs."""
        return len(self.columns)

    def csr(self, size: int) -> tuple[Index, Index]:
        """Return row starts and columns of a matrix with ``size`` unknowns per node.

        Raises
        ------
        InputError
            When there are more than 2^31 entries; BSR allows nine times as many.
        """
        count = self.nnz * size * size
        if count >= 2**31:
            raise InputError(f"the matrix has {count} entries; expected fewer than 2^31 in CSR")
        starts = np.empty(self.nodes * size + 1, dtype=np.int32)
        columns = np.empty(count, dtype=np.int32)
        _assembly.expand_pattern(self.pointers, self.columns, size, starts, columns, self.threads)
        return starts, columns

    def of_rows(self, which: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of the pairs of some nodes with their neighbours, node after node."""
        lengths = np.diff(self.pointers)[which]
        ends = np.cumsum(lengths)
        return np.repeat(self.pointers[which] - (ends - lengths), lengths) + np.arange(
            lengths.sum()
        )

    @property
    def threads(self) -> int:
        """Number of threads."""
        return len(self.shares) - 1

    @property
    def bytes(self) -> int:
        """Memory of the arrays, in bytes."""
        return sum(getattr(self, name).nbytes for name in self.__slots__)


#: How many times as many elements may have several owners for the sake of consecutive numbers.
_SPLIT = 2
#: A position within a row is a number of 16 bits.
MOST_NEIGHBOURS = 2**16 - 1


def build_graph(
    points: Floats,
    elements: NDArray[np.integer],
    threads: int | None = None,
    source: str = "mesh",
) -> Graph:
    """Return the graph of the nodes.

    Parameters
    ----------
    points : ndarray, (P, 2 or 3)
        Nodal positions, m; they only determine which nodes a thread owns.
    elements : ndarray of int, (E, nodes)
        Nodes of the elements.
    threads : int, optional
        Number of threads of the assembly; by default every core.
    source : str
        The mesh, for messages.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        For an invalid number of threads, a node that too many elements share, and when the matrices
        take more memory than is available.
    """
    threads = default_threads() if threads is None else checked_threads(threads, "graph")
    cells: Index = np.ascontiguousarray(elements, dtype=np.int32)
    starts = np.empty(len(points) + 1, dtype=np.int64)
    slots = np.empty(cells.size, dtype=np.int32)
    _assembly.node_elements(cells, len(points), starts, slots)
    lengths = np.empty(len(points), dtype=np.int32)
    _assembly.row_lengths(cells, starts, slots, lengths, threads)
    _check_size(points, cells, lengths, source)
    pointers = np.zeros(len(points) + 1, dtype=np.int32)
    np.cumsum(lengths, out=pointers[1:])
    columns = np.empty(pointers[-1], dtype=np.int32)
    places = np.empty((*cells.shape, cells.shape[1]), dtype=np.uint16)
    _assembly.fill_rows(cells, starts, slots, pointers, columns, places, threads)
    owner = _owners(points, cells, threads)
    lists, shares = _shares(cells, owner, threads)
    return Graph(cells, pointers, columns, places, owner, lists, shares)


def _check_size(points: Floats, cells: Index, lengths: Index, source: str) -> None:
    """Refuse a graph that exceeds the range of its integers, or the memory."""
    pairs = int(lengths.sum(dtype=np.int64))
    if int(lengths.max(initial=0)) > MOST_NEIGHBOURS:
        raise InputError(
            f"{source}: found a node connected to {lengths.max()} nodes; expected at "
            f"most {MOST_NEIGHBOURS}"
        )
    if pairs >= 2**31:
        raise InputError(
            f"{source}: found {pairs} pairs of nodes that share an element; expected fewer "
            "than 2^31"
        )
    size = matrix_bytes(pairs, points.shape[1], cells.size)
    require_memory(size, source, f"the matrices of {len(cells)} elements")


def _owners(points: Floats, cells: Index, threads: int) -> Index:
    """Return the thread of every node, so that few elements have several owners.

    Nodes with consecutive numbers, where that splits few elements: memory is then read in one run,
    where a cut across the numbering reads every other piece. Else the body is cut in space.
    """
    if threads == 1 or not len(points):
        return np.zeros(len(points), dtype=np.int32)
    numbered = (np.arange(len(points)) * threads // len(points)).astype(np.int32)
    cut = _cut(points, threads)
    return numbered if _split(cells, numbered) <= _SPLIT * _split(cells, cut) else cut


def _cut(points: Floats, threads: int) -> Index:
    """Cut the body perpendicular to its longest side.

    A plane of nodes is not split: the elements on both of its sides would have two owners.
    """
    extent = np.ptp(points, axis=0)
    axis = int(np.argmax(extent))
    order = np.argsort(points[:, axis], kind="stable")
    place, close = points[order, axis], 1e-9 * extent[axis]
    cuts = []
    for t in range(1, threads):
        even = len(points) * t // threads
        below = int(np.searchsorted(place, place[even] - close))
        above = int(np.searchsorted(place, place[even] + close))
        cuts.append(below if even - below <= above - even else above)
    owner = np.empty(len(points), dtype=np.int32)
    owner[order] = np.searchsorted(cuts, np.arange(len(points)), side="right")
    return owner


def _split(cells: Index, owner: Index) -> int:
    """Return the number of elements with several owners."""
    owners = owner[cells]
    return int((owners != owners[:, :1]).any(axis=1).sum())


def _shares(cells: Index, owner: Index, threads: int) -> tuple[Index, NDArray[np.int64]]:
    """Return the elements that touch a node of each thread."""
    owners = owner[cells]
    lists = [np.flatnonzero((owners == t).any(axis=1)).astype(np.int32) for t in range(threads)]
    shares = np.cumsum([0, *(len(one) for one in lists)]).astype(np.int64)
    return np.concatenate(lists), shares
