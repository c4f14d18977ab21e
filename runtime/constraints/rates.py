# SPDX-License-Identifier: BSD-3-Clause
"""Nonholonomic constraints of velocities: ``W(q, t) q' + w(q, t) = 0``.

A knife edge or a rolling wheel constrains velocities, not positions. The time derivative is

    W q'' + g = 0,   g = W' q' + w' .
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from flexforge.runtime._mechanism import GROWN
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.constraints.generalized_speeds import Speeds
from flexforge.runtime.constraints.null_space import Choice, NullSpace

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, slots=True)
class Rates:
    """Constraints of velocities at one state.

    Attributes
    ----------
    names : tuple of str
        What they are, for messages.
    columns : ndarray, (c,)
        The unknowns they are about.
    matrix : ndarray, (k, c)
        W on those.
    value, second : ndarray, (k,)
        w and g.
    """

    names: tuple[str, ...]
    columns: Ints
    matrix: Floats
    value: Floats
    second: Floats

    def velocity_left(self, v: Floats) -> Floats:
        """Return the constraint residuals of velocities (n,), (k,)."""
        return self.matrix @ v[self.columns] + self.value

    def acceleration_left(self, a: Floats) -> Floats:
        """Return the residuals of the differentiated constraints for accelerations (n,), (k,)."""
        return self.matrix @ a[self.columns] + self.second

    def spread(self, size: int) -> csr_matrix:
        """Return W of all unknowns, (k, size)."""
        from scipy.sparse import csr_matrix

        k, c = self.matrix.shape
        where = (np.repeat(np.arange(k), c), np.tile(self.columns, k))
        return csr_matrix((self.matrix.ravel(), where), shape=(k, size))

    def transposed(self, forces: Floats, size: int) -> Floats:
        """Return ``W^T`` times multipliers (k,), (size,)."""
        found = np.zeros(size)
        found[self.columns] = self.matrix.T @ forces
        return found


class RateConstraints(Protocol):
    """What forbids velocities of a system's unknowns."""

    names: tuple[str, ...]
    columns: Ints

    def at(self, time: float, q: Floats, v: Floats) -> Rates:
        """Return the constraints at a time, s, and a state (n,)."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What constraints of velocities leave: ``y' = A z + D u``.

    Attributes
    ----------
    speeds : csr_matrix, (s, r)
        ``z = Y y'``.
    free : csr_matrix, (r, s)
        A.
    fixed : csr_matrix, (r, k)
        D; ``u = -w`` for velocities, ``-g`` for accelerations.
    """

    speeds: csr_matrix
    free: csr_matrix
    fixed: csr_matrix


class Allowing:
    """The speeds that constraints of velocities leave free, chosen again where they become bad.

    Parameters
    ----------
    names : sequence of str
        What the constraints are, for messages.
    choose : callable
        As of a ``Reducer``.

    Attributes
    ----------
    choices : int
        How often speeds were chosen.
    """

    def __init__(self, names: Sequence[str], choose: Choice) -> None:
        self._names, self._choose = list(names), choose
        self.choices = 0
        self._speeds: Speeds | None = None
        self._columns: Ints = np.zeros(0, dtype=np.int64)
        self._size = 1.0

    @property
    def count(self) -> int:
        """Number of constraints, k."""
        return len(self._names)

    def at(self, rates: Rates, reduction: NullSpace, *, keep: bool = False) -> Allowed:
        """Return what is left of the speeds of a reduction.

        Parameters
        ----------
        rates : Rates
            The constraints.
        reduction : NullSpace
            What those of positions leave.
        keep : bool
            Whether the speeds stay those of before, as within a step.

        Raises
        ------
        InputError
            When constraints depend on each other.
        """
        from scipy.sparse import csr_matrix

        along = (csr_matrix(rates.matrix) @ reduction.free[rates.columns]).tocsc()
        if self._speeds is None:
            self._columns = np.unique(reduction.free[rates.columns].indices).astype(np.int64)
        dense = along[:, self._columns].toarray()[None]
        if self._speeds is None:
            self._choose_for(dense)
        assert self._speeds is not None
        a, d = self._speeds.inverse(dense)
        if not keep and np.linalg.norm(a, axis=1).max(initial=1.0) > GROWN * self._size:
            self._choose_for(dense)
            a, d = self._speeds.inverse(dense)
        return self._sparse(self._speeds.matrix()[0], a[0], d[0], reduction.free.shape[1])

    def _choose_for(self, dense: Floats) -> None:
        self._speeds = self._choose(dense, [self._names])
        self.choices += 1
        a, _ = self._speeds.inverse(dense)
        self._size = float(np.linalg.norm(a, axis=1).max(initial=1.0))

    def _sparse(self, y: Floats, a: Floats, d: Floats, size: int) -> Allowed:
        from scipy.sparse import csr_matrix

        touched, kept = self._columns, np.setdiff1d(np.arange(size), self._columns)
        count, left = len(kept), y.shape[0]
        rows = np.concatenate([kept, np.repeat(touched, left)])
        columns = np.concatenate([np.arange(count), np.tile(count + np.arange(left), len(touched))])
        shape = (size, count + left)
        free = csr_matrix((np.concatenate([np.ones(count), a.ravel()]), (rows, columns)), shape)
        speeds = csr_matrix((np.concatenate([np.ones(count), y.T.ravel()]), (rows, columns)), shape)
        k = d.shape[1]
        where = (np.repeat(touched, k), np.tile(np.arange(k), len(touched)))
        return Allowed(speeds.T.tocsr(), free, csr_matrix((d.ravel(), where), (size, k)))
