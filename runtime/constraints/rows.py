# SPDX-License-Identifier: BSD-3-Clause
"""Constraints that are linear in the coordinates: ``J(t) q + c(t) = 0``, and their rates.

Small displacements of bodies whose frames move as prescribed are tied so: the frames alone satisfy
the joints, and what is left of a joint is linear in the displacements, with coefficients that turn
with the frames. c comes from displacements of supports that are given in time. Differentiated, and
with nothing dropped:

    J q + c = 0,   J q' + J' q + c' = 0,   J q'' + 2 J' q' + J'' q + c'' = 0
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


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
    """J and c with their rates at one time.

    Attributes
    ----------
    pattern : Pattern
        Where the entries are.
    data : ndarray, (3, nnz)
        Entries of J, J' and J''.
    given : ndarray, (3, m), optional
        c, c' and c''; zero without.
    """

    pattern: Pattern
    data: Floats
    given: Floats | None = None

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

    def position_left(self, q: Floats) -> Floats:
        """Return ``J q + c``, (m,)."""
        return self._with_given(self.times(q), 0)

    def velocity_asked(self, q: Floats) -> Floats:
        """Return ``J' q + c'``, which ``J q'`` has to cancel, (m,)."""
        return self._with_given(self.times(q, 1), 1)

    def acceleration_asked(self, q: Floats, v: Floats) -> Floats:
        """Return ``2 J' q' + J'' q + c''``, which ``J q''`` has to cancel, (m,)."""
        return self._with_given(2.0 * self.times(v, 1) + self.times(q, 2), 2)

    def _with_given(self, moved: Floats, order: int) -> Floats:
        return moved if self.given is None else moved + self.given[order]

    def residuals(self, q: Floats, v: Floats, a: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the constraint residuals of positions, velocities and accelerations.

        Parameters
        ----------
        q, v, a : ndarray, (n,)
            Coordinates and their rates.
        """
        return (
            self.position_left(q),
            self.times(v) + self.velocity_asked(q),
            self.times(a) + self.acceleration_asked(q, v),
        )
