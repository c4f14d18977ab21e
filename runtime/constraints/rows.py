# SPDX-License-Identifier: BSD-3-Clause
"""Constraints that are linear in the coordinates: ``J(t) q = 0``, and the rates of J.

Small displacements of bodies whose frames move as prescribed are tied so: the frames alone satisfy
the joints, and what is left of a joint is linear in the displacements, with coefficients that turn
with the frames. Differentiated, and with nothing dropped:

    J q = 0,   J q' + J' q = 0,   J q'' + 2 J' q' + J'' q = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Pattern:
    """Where the entries of J are; they stay there.

    Attributes
    ----------
    rows, columns : ndarray of int64, (nnz,)
        Of every entry, row by row.
    shape : tuple of int
        Number of constraints m and of coordinates n.
    names : tuple of str
        What each row is, for messages: the joint.
    ends : tuple of (columns (c,), matrix (k, c))
        Coordinates and combinations of them that all rows are made of at all times; none where
        rows are made of any.
    """

    rows: Ints
    columns: Ints
    shape: tuple[int, int]
    names: tuple[str, ...]
    ends: tuple[tuple[Ints, Floats], ...] = ()


@dataclass(frozen=True, slots=True)
class Rows:
    """J and its rates at one time.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    data : ndarray, (3, nnz)
        Entries of J, J' and J''.
    """

    pattern: Pattern
    data: Floats

    def matrix(self, order: int = 0) -> csr_matrix:
        """Return J (order 0), J' (1) or J'' (2), (m, n)."""
        from scipy.sparse import csr_matrix

        where = (self.pattern.rows, self.pattern.columns)
        return csr_matrix((self.data[order], where), shape=self.pattern.shape)

    def times(self, q: Floats, order: int = 0) -> Floats:
        """Return J, J' or J'' times coordinates (n,), (m,)."""
        pattern = self.pattern
        terms = self.data[order] * q[pattern.columns]
        return np.bincount(pattern.rows, terms, minlength=pattern.shape[0]).astype(np.float64)

    def transposed(self, forces: Floats, order: int = 0) -> Floats:
        """Return the transpose of J, J' or J'' times multipliers (m,), (n,)."""
        pattern = self.pattern
        terms = self.data[order] * forces[pattern.rows]
        return np.bincount(pattern.columns, terms, minlength=pattern.shape[1]).astype(np.float64)

    def residuals(self, q: Floats, v: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the constraint residuals of positions, velocities and accelerations.

        Parameters
        ----------
        q, v, a : ndarray, (n,)
            Coordinates and their rates.
        """
        return (
            self.times(q),
            self.times(v) + self.times(q, 1),
            self.times(a) + 2.0 * self.times(v, 1) + self.times(q, 2),
        )
