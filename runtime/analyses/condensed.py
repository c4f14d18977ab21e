# SPDX-License-Identifier: BSD-3-Clause
"""Factors of large tied bodies that stay while joints turn: those of the bodies alone.

The symmetric part ``S0`` of a step's matrix hardly changes, body by body in its own frame; what
moves is J. But the rows of J are combinations of a few constant ones, ``J = (J E) E^T`` with E of
the places that joints hold (see ``constraints.span``). With ``X = S0^-1 E`` and ``F = E^T X``, both
made once, the solution of

    S0 x - J^T lambda = f,   J x = g

is ``x = S0^-1 f + X (J E)^T lambda`` with ``(J E) F (J E)^T lambda = g - J E E^T S0^-1 f``: one
solve with the factors and a small matrix. J is exact in it, whatever the time, so what is left to
the iteration is what is left of one body: the skew part, and what the rates of J add.

A link that has no inertia against a turn leaves ``S0`` singular where only joints hold it. Such
directions get a mass s, ``S0 + E_h s E_h^T``, and it is taken away again as one more force of
theirs, ``phi = s E_h^T x``: rows like those of J, with ``-1/s`` on the small matrix' diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.analyses.stepmatrix import Matrix, StepMatrix
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.constraints.span import most_directions, span_of
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

Floats = NDArray[np.float64]

#: Coordinates from which on it pays: below, a matrix is soon factored again, ties and all.
LARGE = 20_000
#: Directions that joints may hold: X has as many dense columns.
MOST_DIRECTIONS = 400
#: Entries that X may have; 320 MB.
MOST_ENTRIES = 40_000_000
_NO_MASS = 1e-14


@dataclass(frozen=True, slots=True)
class Directions:
    """What joints hold.

    Attributes
    ----------
    matrix : csc_matrix, (n, p)
        E, orthonormal.
    light : ndarray of int
        Which directions have coordinates without inertia.
    mass : float
        What those get, kg.
    """

    matrix: csc_matrix
    light: NDArray[np.int64]
    mass: float

    def added(self) -> csr_matrix:
        """Return the matrix of what is added to the bodies, (n, n)."""
        of = self.matrix[:, self.light]
        return (self.mass * (of @ of.T)).tocsr()


def condensing(pattern: Pattern, system: System) -> Directions | None:
    """Return the directions of the joints, or None where factoring all together is as good."""
    n, most = pattern.shape[1], min(MOST_DIRECTIONS, MOST_ENTRIES // pattern.shape[1])
    if n < LARGE or not 0 < most_directions(pattern) <= most:
        return None
    span, masses = span_of(pattern), system.restrict(system.mass_diagonal())
    empty = (masses <= _NO_MASS * masses.max()).astype(np.float64)
    light = np.flatnonzero(abs(span).T @ empty)
    return Directions(span, light, float(masses[masses > 0].mean()))


class Condensed:
    """Factors of the bodies, and what of them the joints ask for.

    Parameters
    ----------
    factors : Factorization
        Of S0.
    directions : csc_matrix, (n, p)
        E.

    Attributes
    ----------
    flexibility : ndarray, (p, p)
        F.
    """

    def __init__(self, factors: Factorization, directions: csc_matrix) -> None:
        self._factors, self._directions = factors, directions
        self._answers = factors.solve(directions.toarray())
        self.flexibility: Floats = directions.T @ self._answers
        self.name = factors.name
        self.bytes: int | None = (factors.bytes or 0) + self._answers.nbytes

    def solve(self, rhs: Floats) -> Floats:
        """Solve for the bodies alone."""
        return self._factors.solve(rhs)

    def tied(self, held: Held, force: Floats, gap: Floats | float) -> tuple[Floats, Floats]:
        """Return x (n,) and lambda (m,) of ``S0 x - J^T lambda = force``, ``J x = gap``."""
        alone = self._factors.solve(force)
        left = -(held.rows @ (self._directions.T @ alone))
        left[: held.count] += gap
        forces = held.inverse(self.flexibility) @ left
        return alone + self._answers @ (held.rows.T @ forces), forces[: held.count]

    def update(self, matrix: csr_matrix) -> None:
        """Factor other values."""
        self._factors.update(matrix)
        self._answers = self._factors.solve(self._directions.toarray())
        self.flexibility = self._directions.T @ self._answers

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()


class Held:
    """The constraints at one time in the directions of the joints.

    Parameters
    ----------
    rows : Rows
        J.
    directions : Directions
        E.

    Attributes
    ----------
    rows : ndarray, (m + h, p)
        ``J E``, and a row for what was added to a direction.
    count : int
        Number of constraints, m.
    """

    def __init__(self, rows: Rows, directions: Directions) -> None:
        light, span = directions.light, directions.matrix
        self.rows: Floats = np.vstack(
            [(rows.matrix() @ span).toarray(), np.eye(span.shape[1])[light]]
        )
        self.count = rows.pattern.shape[0]
        self._loose = np.zeros(len(self.rows))
        self._loose[self.count :] = 1.0 / directions.mass
        self._inverse: Floats | None = None
        self._of: Floats | None = None

    def inverse(self, flexibility: Floats) -> Floats:
        """Return the inverse of ``(J E) F (J E)^T``, and what was added, (m + h, m + h)."""
        if self._inverse is None or self._of is not flexibility:
            self._of = flexibility
            small = self.rows @ flexibility @ self.rows.T - np.diag(self._loose)
            self._inverse = np.asarray(np.linalg.inv(small), dtype=np.float64)
        return self._inverse


class Tied(Matrix, Protocol):
    """A matrix of a step with its constraints in it."""

    @property
    def inner(self) -> StepMatrix:
        """That of the coordinates alone, S."""

    @property
    def constraints(self) -> Rows:
        """J at the end of the step."""

    def through(self, factors: Condensed, held: Held, rhs: Floats) -> Floats:
        """Return the solution for a right-hand side with factors of the bodies."""


@dataclass(frozen=True)
class CondensedMatrix:
    """A matrix of a step of which the bodies alone are factored.

    Attributes
    ----------
    whole : Tied
        The matrix.
    directions : Directions
        Of the joints.
    """

    whole: Tied
    directions: Directions

    @property
    def system(self) -> System:
        """The bodies."""
        return self.whole.inner.system

    @cached_property
    def held(self) -> Held:
        """The constraints in the directions of the joints."""
        return Held(self.whole.constraints, self.directions)

    def times(self, x: Floats) -> Floats:
        """Return the matrix times unknowns."""
        return self.whole.times(x)

    @property
    def symmetric_part(self) -> CondensedMatrix:
        """The matrix without its skew part."""
        return replace(self, whole=self.whole.symmetric_part)

    @property
    def is_symmetric(self) -> bool:
        """Whether it has no skew part: never said, as J moves."""
        return False

    def assembled(self) -> csr_matrix:
        """Return the matrix of the bodies alone, all of them with inertia."""
        found = self.whole.inner.assembled()
        return found + self.directions.added() if len(self.directions.light) else found

    @property
    def largest_stiffness(self) -> float:
        """Largest entry that comes from the stiffness of the elements."""
        return self.whole.inner.largest_stiffness

    def moved(self, then: CondensedMatrix) -> bool:
        """Whether the symmetric part of the bodies differs much from an earlier one."""
        return self.whole.inner.moved(then.whole.inner)

    def kept(self, factors: Factorization) -> Condensed:
        """Return what is kept of the factors of the bodies."""
        return Condensed(factors, self.directions.matrix)

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return an approximate solution: all but the skew part and the rates of J."""
        assert isinstance(factors, Condensed)
        return self.whole.through(factors, self.held, rhs)


T = TypeVar("T", bound=Tied)


def condensed(whole: T, directions: Directions | None) -> T | CondensedMatrix:
    """Return a matrix of which the bodies alone are factored, where there are directions."""
    return whole if directions is None else CondensedMatrix(whole, directions)


def solve_once(
    matrix: Tied | CondensedMatrix, rhs: Floats, solver: str, *, positive_definite: bool = False
) -> Floats:
    """Return the solution with a matrix that is its symmetric part, factored for this once.

    Parameters
    ----------
    matrix : Tied or CondensedMatrix
        The matrix.
    rhs : ndarray
        Right-hand side.
    solver : str
        Linear solver.
    positive_definite : bool
        Whether the matrix as a whole is.

    Raises
    ------
    AnalysisError
        When it is singular.
    """
    alone = isinstance(matrix, CondensedMatrix)
    try:
        factors = factorize(
            matrix.assembled(), solver, matrix.system.threads, symmetric=True,
            positive_definite=positive_definite or alone,
        )  # fmt: skip
    except AnalysisError:
        if not isinstance(matrix, CondensedMatrix):
            raise
        # What has no mass of its own is carried by what it is tied to.
        return solve_once(matrix.whole, rhs, solver, positive_definite=positive_definite)
    kept = matrix.kept(factors)
    found = matrix.solve_with(kept, rhs)
    kept.close()
    return found
