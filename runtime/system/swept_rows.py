# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a matrix of a system whose products sweep over the elements.

Most elements are swept in less time than their matrix is read, even in single precision, and a
sweep gains more from a second core. Multigrid needs the matrix for its coarser levels: rows are
kept until these are there, or assembled again wherever they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime import _blocks
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.blocks import diagonal_places, hold, turn, with_diagonal
from flexforge.runtime.solvers.rows import KeptRows, OfRank, Product, Rows, SharedRows
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.shared_map import SharedMap
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_AT_ONCE = 100_000  # nodes whose rows are made at once


class _Swept(Rows):
    """Products that sweep over the elements.

    Parameters
    ----------
    system : System
        The bodies with their supports; unknowns move their own nodes alone.
    combinations : sequence of Combination
        Of their matrices, one per body.
    """

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        self.system, self.combinations = system, combinations

    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision; it computes in double."""
        return _Sweep(self, dtype)


class SweptRows(_Swept):
    """Rows that are assembled when asked for.

    Parameters
    ----------
    system, combinations
        As of the products.
    """

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        super().__init__(system, combinations)
        self.free = system.map.free
        self.nodes = np.flatnonzero(system.map.own)
        self.count, self.block = len(self.nodes), system.dimension
        self.triads = None if system.map.is_selection else system.map.triads

    def parts(self) -> Iterator[tuple[int, int]]:
        """Yield bounds of rows of blocks that are asked for at once."""
        number = -(-self.count // _AT_ONCE)
        yield from pairwise(np.linspace(0, self.count, number + 1).astype(int))

    def some(self, low: int, high: int) -> bsr_matrix:
        """Return the rows of blocks ``low .. high - 1``, with all columns."""
        which = self.nodes[low:high]
        found = with_diagonal(self.system.some_rows(self.combinations, which), which)
        if self.triads is not None:
            turn(found, self.triads, which)
        hold(found, self.free, which)
        return found

    def diagonal(self) -> Floats:
        """Return the blocks on the diagonal, (count, d, d)."""
        return self._diagonal

    @cached_property
    def _diagonal(self) -> Floats:
        found = np.empty((self.count, self.block, self.block))
        for low, high in self.parts():
            part = self.some(low, high)
            found[low:high] = part.data[diagonal_places(part, self.nodes[low:high])]
        return found


class SharedSweptRows(OfRank, SweptRows):
    """Such rows of the own nodes of one of several ranks."""

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        assert isinstance(system.map, SharedMap)
        SweptRows.__init__(self, system, combinations)
        OfRank.__init__(self, system.map.halo, system.map.nodes[0])


class KeptSweptRows(_Swept, KeptRows):
    """Rows in memory, which products do not hold on to.

    Parameters
    ----------
    matrix : bsr_matrix, (m, m)
        As of `KeptRows`.
    system, combinations
        As of the products.
    """

    def __init__(
        self, matrix: bsr_matrix, system: System, combinations: Sequence[Combination]
    ) -> None:
        _Swept.__init__(self, system, combinations)
        KeptRows.__init__(self, matrix)


class SharedKeptSweptRows(_Swept, SharedRows):
    """Such rows of the own nodes of one of several ranks."""

    def __init__(
        self, matrix: bsr_matrix, system: System, combinations: Sequence[Combination]
    ) -> None:
        assert isinstance(system.map, SharedMap)
        _Swept.__init__(self, system, combinations)
        SharedRows.__init__(self, matrix, system.map.halo, system.map.nodes[0])


class _Sweep:
    """A product by a sweep; it has no memory of its own."""

    bytes = 0

    def __init__(self, rows: _Swept, dtype: type) -> None:
        self._system, self._combinations, self._dtype = rows.system, rows.combinations, dtype
        unknowns = rows.system.map
        own = np.flatnonzero(unknowns.own)
        self._own = own.astype(np.int32)
        # Of every node its number among own ones; of another rank's node, that of any of them.
        self._number = np.maximum(np.cumsum(unknowns.own) - 1, 0).astype(np.int32)
        self._free = unknowns.free[own].astype(np.uint8)
        self._triads = None if unknowns.is_selection else unknowns.triads
        held = np.flatnonzero(self._free == 0)
        self._held, self._stiffness = held, np.einsum("ijj->ij", rows.diagonal()).ravel()[held]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        system, triads = self._system, self._triads
        whole = np.empty((system.size, system.dimension))
        if len(self._own):  # a rank may have none
            values = x.reshape(self._free.shape)
            _blocks.gather(values, self._number, self._free, whole, system.threads)
        whole = system.map.filled(whole)
        if triads is not None:
            whole = np.einsum("nij,nj->ni", triads, whole)
        forces = system.apply(self._combinations, whole)
        if triads is not None:
            forces = np.einsum("nji,nj->ni", triads, forces)
        found: NDArray[Any] = np.empty(x.shape, dtype=self._dtype)
        nodal = found.reshape(self._free.shape)
        _blocks.pick(np.ascontiguousarray(forces), self._own, nodal, system.threads)
        found[self._held] = self._stiffness * x[self._held]
        return found
