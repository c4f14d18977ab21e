# SPDX-License-Identifier: BSD-3-Clause
"""Rows of a matrix of a system that is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.blocks import diagonal_places, hold, turn, with_diagonal
from flexforge.runtime.solvers.rows import OfRank, Product, Rows
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.shared_map import SharedMap
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_AT_ONCE = 100_000  # nodes whose rows are made at once


class SweptRows(Rows):
    """Rows that are assembled when asked for, and products that sweep over the elements.

    Parameters
    ----------
    system : System
        The bodies with their supports; unknowns move their own nodes alone.
    combinations : sequence of Combination
        Of their matrices, one per body.
    """

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        self.system, self.combinations = system, combinations
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

    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision; it computes in double."""
        return _Sweep(self, dtype)


class SharedSweptRows(OfRank, SweptRows):
    """Such rows of the own nodes of one of several ranks."""

    def __init__(self, system: System, combinations: Sequence[Combination]) -> None:
        assert isinstance(system.map, SharedMap)
        SweptRows.__init__(self, system, combinations)
        OfRank.__init__(self, system.map.halo, system.map.nodes[0])


class _Sweep:
    """A product by a sweep; it has no memory of its own."""

    bytes = 0

    def __init__(self, rows: SweptRows, dtype: type) -> None:
        self._rows, self._dtype = rows, dtype
        held = np.flatnonzero(~rows.free[rows.nodes])
        self._held, self._stiffness = held, np.einsum("ijj->ij", rows.diagonal()).ravel()[held]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        rows, moved = self._rows, x.astype(np.float64)
        moved[self._held] = 0.0
        whole = rows.spread(moved.reshape(-1, rows.block))
        if rows.triads is not None:
            whole = np.einsum("nij,nj->ni", rows.triads, whole)
        forces = rows.system.apply(rows.combinations, whole)[rows.nodes]
        if rows.triads is not None:
            forces = np.einsum("nji,nj->ni", rows.triads[rows.nodes], forces)
        found = forces.ravel()
        found[self._held] = self._stiffness * x[self._held]
        return found.astype(self._dtype, copy=False)
