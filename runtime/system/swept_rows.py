# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the matrix of a body that is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.blocks import diagonal_places, hold
from flexforge.runtime.solvers.rows import Product, Rows
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.swept_body import SweptBody
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_AT_ONCE = 100_000  # nodes whose rows are made at once


class SweptRows(Rows):
    """Rows that are assembled when asked for, and products that sweep over the elements.

    Parameters
    ----------
    body : SweptBody
        The body.
    combination : Combination
        Of its matrices; without geometric stiffness.
    free : ndarray of bool, (P, d)
        Which coordinates no support holds.
    """

    def __init__(self, body: SweptBody, combination: Combination, free: NDArray[np.bool_]) -> None:
        self.body, self.combination, self.free = body, combination, free
        self.count, self.block = free.shape

    def parts(self) -> Iterator[tuple[int, int]]:
        """Yield bounds of rows of blocks that are asked for at once."""
        number = -(-self.count // _AT_ONCE)
        yield from pairwise(np.linspace(0, self.count, number + 1).astype(int))

    def some(self, low: int, high: int) -> bsr_matrix:
        """Return the rows of blocks ``low .. high - 1``, with all columns."""
        found = self.body.some_rows(self.combination, low, high)
        hold(found, self.free, low)
        return found

    def diagonal(self) -> Floats:
        """Return the blocks on the diagonal, (count, d, d)."""
        return self._diagonal

    @cached_property
    def _diagonal(self) -> Floats:
        found = np.empty((self.count, self.block, self.block))
        for low, high in self.parts():
            part = self.some(low, high)
            found[low:high] = part.data[diagonal_places(part, low)]
        return found

    def times(self, dtype: type, threads: int) -> Product:
        """Return the product with vectors of a precision; it computes in double."""
        return _Sweep(self, dtype)


class _Sweep:
    """A product by a sweep; it has no memory of its own."""

    bytes = 0

    def __init__(self, rows: SweptRows, dtype: type) -> None:
        self._rows, self._dtype = rows, dtype
        held = np.flatnonzero(~rows.free)
        self._held, self._stiffness = held, np.einsum("ijj->ij", rows.diagonal()).ravel()[held]

    def __matmul__(self, x: NDArray[Any]) -> NDArray[Any]:
        rows, moved = self._rows, x.astype(np.float64)
        moved[self._held] = 0.0
        found = rows.body.apply(rows.combination, moved.reshape(rows.free.shape)).ravel()
        found[self._held] = self._stiffness * x[self._held]
        return found.astype(self._dtype, copy=False)
