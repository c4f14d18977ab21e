# SPDX-License-Identifier: BSD-3-Clause
"""The map between the unknowns of a system and its nodal displacements."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats, Ints, Number
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.system.block_sum import BlockSum
from flexforge.runtime.system.prescribed import Prescribed
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix

_NOTHING = np.zeros(0)


@dataclass(frozen=True, eq=False)
class UnknownMap:
    """``d = T y + g(t)``: supports, local axes and linear equations between coordinates.

    Every unknown is a component of a node: T has a one there. Where unknowns move nothing else, as
    with supports alone, T is a selection and is not stored.

    Attributes
    ----------
    shape : tuple of int
        Nodes and coordinates per node, (N, d).
    places : ndarray of int64, (n,)
        Of every unknown its place ``node * d + component``, ascending.
    matrix : csr_matrix, (N d, n), optional
        T, where it is no selection; complex for the sector of a wheel at a nodal diameter.
    given : Prescribed, optional
        g, where displacements are given.

    Examples
    --------
    >>> held = UnknownMap((2, 2), np.array([2, 3]))
    >>> held.expand(np.array([5.0, 6.0]))
    array([[0., 0.],
           [5., 6.]])
    """

    shape: tuple[int, int]
    places: Ints
    matrix: csr_matrix | None = None
    given: Prescribed | None = None

    @classmethod
    def everything(cls, size: int, dimension: int) -> UnknownMap:
        """Return the map of nodes that nothing holds."""
        return cls((size, dimension), np.arange(size * dimension, dtype=np.int64))

    @property
    def at_rest(self) -> UnknownMap:
        """The same without displacements that are given."""
        return replace(self, given=None)

    @property
    def size(self) -> int:
        """Number of unknowns, n."""
        return len(self.places)

    @property
    def ranks(self) -> Ranks:
        """The processes that share the unknowns."""
        return ONE

    @property
    def own(self) -> NDArray[np.bool_]:
        """Which nodes are those of this process, (N,): all."""
        return np.ones(self.shape[0], dtype=bool)

    @property
    def is_complex(self) -> bool:
        """Whether unknowns are complex amplitudes."""
        return self.matrix is not None and np.iscomplexobj(self.matrix.data)

    @property
    def is_selection(self) -> bool:
        """Whether every unknown moves its own place alone."""
        return self.matrix is None

    @cached_property
    def triads(self) -> Floats | None:
        """T node by node, (N, d, d), where no unknown moves another node; None where one does.

        Its columns are the displacements of a node for its unknowns, at their components; others
        are those of the unit matrix.
        """
        d = self.shape[1]
        found = np.broadcast_to(np.eye(d), (self.shape[0], d, d))
        if self.matrix is None:
            return found
        entries = self.matrix.tocoo()
        node, component = np.divmod(self.places[entries.col], d)
        rows, moved = np.divmod(entries.row, d)
        if (rows != node).any():
            return None
        found = found.copy()
        found.reshape(-1, d, d)[self.places // d, :, self.places % d] = 0.0
        found[node, moved, component] = entries.data
        return found

    @property
    def is_blocked(self) -> bool:
        """Whether every unknown moves its own node alone, so that matrices have blocks."""
        return self.is_selection or self.triads is not None

    @cached_property
    def numbers(self) -> Ints:
        """Number of the unknown at every place, -1 where there is none, (N, d)."""
        found = np.full(self.shape, -1, dtype=np.int64)
        found.ravel()[self.places] = np.arange(self.size)
        return found

    @property
    def free(self) -> NDArray[np.bool_]:
        """Where there is an unknown, (N, d)."""
        return self.numbers >= 0

    @cached_property
    def constrained(self) -> NDArray[np.bool_]:
        """Where supports and equations exert forces, (N, d)."""
        found = self.numbers < 0
        if self.matrix is not None:
            reach = np.bincount(self.matrix.indices, minlength=self.size)
            found.ravel()[self.places[reach > 1]] = True
        return found

    @cached_property
    def sparse(self) -> csr_matrix:
        """T as a matrix, (N d, n), a selection too."""
        from scipy.sparse import csr_matrix

        if self.matrix is not None:
            return self.matrix
        ones, columns = np.ones(self.size), np.arange(self.size)
        return csr_matrix(
            (ones, (self.places, columns)), (self.shape[0] * self.shape[1], self.size)
        )

    def filled(self, nodal: NDArray[Number]) -> NDArray[Number]:
        """Return nodal values (N, d), with those of other ranks' nodes from their owners."""
        return nodal

    def collected(self, values: NDArray[Number]) -> NDArray[Number] | None:
        """Return values (..., n) of the unknowns of all ranks, on the first; None on others."""
        return values

    def handed_out(self, values: NDArray[Number] | None) -> NDArray[Number]:
        """Return this rank's of the values (..., n) of all unknowns, which the first has."""
        assert values is not None
        return values

    def part(self, which: Ints) -> UnknownMap:
        """Return the map of some of the unknowns; the others and g are zero."""
        matrix = None if self.matrix is None else self.matrix[:, which]
        return replace(self, places=self.places[which], matrix=matrix, given=None)

    def expand(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return ``T y``.

        Parameters
        ----------
        values : ndarray, (..., n)
            Values of the unknowns, or their rates.

        Returns
        -------
        ndarray, (..., N, d)
            Without g.
        """
        leading: tuple[int, ...] = values.shape[:-1]
        if self.matrix is not None:
            columns = np.ascontiguousarray(values.reshape(-1, self.size).T)
            moved: NDArray[Number] = np.ascontiguousarray((self.matrix @ columns).T)
            return moved.reshape(*leading, *self.shape)
        kind = np.result_type(values.dtype, np.float64)
        full: NDArray[Number] = np.zeros((*leading, math.prod(self.shape)), dtype=kind)
        if leading:
            full[..., self.places] = values
        else:  # twice as fast
            full[self.places] = values
        return full.reshape(*leading, *self.shape)

    def restrict(self, forces: Floats) -> Floats:
        """Return ``T^H f``: nodal forces (..., N, d) on the unknowns, (..., n)."""
        leading = forces.shape[:-2]
        flat: Floats = forces.reshape(*leading, self.shape[0] * self.shape[1])
        if self.matrix is not None:
            columns = np.ascontiguousarray(flat.reshape(-1, flat.shape[-1]).T)
            return np.ascontiguousarray((self._transposed @ columns).T).reshape(*leading, self.size)
        return flat[..., self.places] if leading else flat[self.places]

    def sample(self, displacements: Floats) -> Floats:
        """Return the values (n,) of the unknowns of displacements (N, d), or of their rates."""
        flat: Floats = displacements.ravel()
        return flat[self.places]

    def reduce(self, matrix: csr_matrix) -> csr_matrix:
        """Return ``T^H A T`` of a matrix of all places, (N d, N d)."""
        if self.matrix is not None:
            return (self._transposed @ matrix @ self.matrix).tocsr()
        if self.size == matrix.shape[0]:
            return matrix
        return matrix[self.places][:, self.places]

    def reduce_blocks(self, blocks: bsr_matrix, threads: int, *, dense: bool = True) -> csr_matrix:
        """Return ``T^H A T`` of a matrix of all places that is given in blocks of nodes.

        Parameters
        ----------
        blocks : bsr_matrix, (N d, N d)
            A.
        threads : int
            Threads that share the rows.
        dense : bool
            Store every entry of a block; else those alone that differ from zero in some block, as
            the diagonal of masses.
        """
        keep = np.ones((self.shape[1],) * 2, np.uint8)
        if not dense:
            keep = blocks.data.any(axis=0).view(np.uint8)
        pointers, columns = blocks.indptr, blocks.indices
        alone = blocks.data.ravel(), _NOTHING, _NOTHING, 1.0, np.eye(self.shape[1]), 0.0
        select = partial(_operators.select, pointers, columns, *alone)
        found = self._selected(pointers, columns, keep, select, threads)
        return self.reduce(blocks.tocsr()) if found is None else found

    def reduce_sum(self, blocks: BlockSum, threads: int) -> csr_matrix:
        """Return ``T^H A T`` of a matrix of all places that is never stored: its blocks are sums.

        Parameters
        ----------
        blocks : BlockSum
            A.
        threads : int
            Threads that share the rows.
        """
        graph = blocks.graph.pointers, blocks.graph.columns
        found = self._selected(*graph, blocks.keep, blocks.select, threads)
        return self.reduce(blocks.whole().tocsr()) if found is None else found

    def _selected(
        self,
        pointers: NDArray[np.int32],
        columns: NDArray[np.int32],
        keep: NDArray[np.uint8],
        select: Callable[..., None],
        threads: int,
    ) -> csr_matrix | None:
        """Return the rows and columns of the unknowns; None where T selects none, or too many."""
        from scipy.sparse import csr_matrix

        if not self.is_selection or columns.dtype != np.int32:
            return None
        rows = np.zeros(self.size + 1, dtype=np.int32)
        _operators.select_counts(pointers, columns, self.numbers, keep, rows[1:], threads)
        if rows.sum(dtype=np.int64) > np.iinfo(np.int32).max:
            return None
        np.cumsum(rows, out=rows)
        found, values = np.empty(rows[-1], np.int32), np.empty(rows[-1])
        select(self.numbers, keep, rows, found, values, threads)
        return csr_matrix((values, found, rows), shape=(self.size, self.size))

    @property
    def identity(self) -> bytes:
        """Bytes that tell T from others."""
        parts = [self.places]
        if self.matrix is not None:
            parts += [self.matrix.indptr, self.matrix.indices, self.matrix.data]
        return b"".join(np.ascontiguousarray(one).tobytes() for one in parts)

    def reaching(self, places: Ints) -> Ints:
        """Return the unknowns that move some places."""
        return np.unique(self.sparse[places].indices).astype(np.int64)

    @cached_property
    def _transposed(self) -> csr_matrix:
        """T^H, the transpose of the conjugate."""
        found = self.sparse.T.tocsr()
        return found.conj() if self.is_complex else found
