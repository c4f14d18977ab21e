# SPDX-License-Identifier: BSD-3-Clause
"""Linear equations of constant matrices times numbers that depend on time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.operator import Combined, Matrix, Operator


class LinearEquations(Protocol):
    """``M v' + C v + K q = f`` at one time, q with a number for every number of v."""

    @property
    def force(self) -> Floats:
        """Return f, (n,)."""

    def inner(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return the left-hand side, (n,).

        Parameters
        ----------
        q, v, a : ndarray, (n,)
            Positions, rates and their rates; positions of first-order states do not count.
        """

    def combine(self, mass: float, viscous: float, elastic: float) -> Any:
        """Return ``mass M + viscous C + elastic K``, an operator for the solver of the steps."""

    def magnitude(self, inner: Floats, q: Floats) -> float:
        """Return the norm of what balances, which round-off is relative to.

        Parameters
        ----------
        inner : ndarray, (n,)
            The left-hand side at some state.
        q : ndarray, (n,)
            Its positions.
        """


class LinearForm(Protocol):
    """Equations that are linear at any time, without rows."""

    def at(self, t: float, u: Floats) -> LinearEquations:
        """Return the equations at a time, s, with the inputs then."""


@dataclass(frozen=True)
class WeightedEquations:
    """Equations of constant matrices at one time.

    Attributes
    ----------
    matrices : sequence of matrix, (n, n)
        What never changes.
    numbers : ndarray, (3, matrices)
        Of every matrix in M, C and K.
    force : ndarray, (n,)
        f.
    symmetric : bool
        Whether all matrices are.
    """

    matrices: Sequence[Matrix]
    numbers: Floats
    force: Floats
    symmetric: bool

    def inner(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return ``M a + C v + K q``."""
        total = np.zeros_like(self.force)
        for matrix, (mass, viscous, elastic) in zip(self.matrices, self.numbers.T, strict=True):
            total += matrix @ (mass * a + viscous * v + elastic * q)
        return total

    def combine(self, mass: float, viscous: float, elastic: float) -> Operator:
        """Return ``mass M + viscous C + elastic K``, with the numbers as its key."""
        weights = np.array([mass, viscous, elastic]) @ self.numbers
        terms = list(zip(weights.tolist(), self.matrices, strict=True))
        return Combined(terms, weights.tobytes(), symmetric=self.symmetric)

    def magnitude(self, inner: Floats, q: Floats) -> float:
        """Return the norms of f and of the left-hand side."""
        del q
        return float(np.linalg.norm(self.force) + np.linalg.norm(inner))


class WeightedForm(LinearForm, Protocol):
    """A linear form of constant matrices, whose numbers and loads a model gives.

    Attributes
    ----------
    matrices : sequence of matrix, (n, n)
        What never changes.
    symmetric : bool
        Whether all of them are.
    """

    matrices: Sequence[Matrix]
    symmetric: bool

    def coefficients(self, t: float, u: Floats) -> Floats:
        """Return the numbers of every matrix in M, C and K, (3, matrices)."""

    def loads(self, t: float, u: Floats) -> Floats:
        """Return f, (n,)."""

    def at(self, t: float, u: Floats) -> LinearEquations:
        """Return the equations at a time."""
        numbers, force = self.coefficients(t, u), self.loads(t, u)
        return WeightedEquations(self.matrices, numbers, force, self.symmetric)
