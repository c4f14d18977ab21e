# SPDX-License-Identifier: BSD-3-Clause
"""Factors of large tied bodies that stay while joints turn: those of the bodies alone.

The symmetric part ``S0`` of a step's matrix hardly changes, body by body in its own frame; what
moves is J. But the rows of J are combinations of a few constant ones, ``J = (J E) E^T`` with E of
the places that joints hold (see ``constraints.span``). With ``X = S0^-1 E`` and ``F = E^T X``, both
made once, body by body, the solution of

    S0 x - J^T lambda = f,   J x = g

is ``x = S0^-1 f + X (J E)^T lambda`` with ``(J E) F (J E)^T lambda = g - J E E^T S0^-1 f``: one
solve with the factors and a small matrix. J is exact in it, whatever the time, so what is left to
the iteration is what is left of one body: the skew part.

In speeds that joints leave, the rates of J drag masses and dampers along with the coordinates that
are tied: forces ``-[M K, C K] P E^T x`` more (see ``drag``). With ``Z = S0^-1 [M K, C K]`` they are
in the small matrix as well.

A link that has no inertia against a turn leaves ``S0`` singular where only joints hold it. Such
directions get a mass s, ``S0 + E_h s E_h^T``, and it is taken away again as one more force of
theirs, ``phi = s E_h^T x``: rows like those of J, with ``-1/s`` on the small matrix' diagonal.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

import numpy as np
from flexforge.runtime.analyses.drag import Drag
from flexforge.runtime.analyses.stepmatrix import Matrix, StepMatrix
from flexforge.runtime.constraints.apart import Apart, Part, apart_of
from flexforge.runtime.constraints.rows import Pattern, Rows
from flexforge.runtime.constraints.span import most_directions, span_of
from flexforge.runtime.solvers import Factorization
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

Floats = NDArray[np.float64]
Answers: TypeAlias = tuple[Part, Floats]

#: Coordinates from which on it pays: below, a matrix is soon factored again, ties and all.
LARGE = 2_000
#: Directions that joints may hold: a small matrix of that size is inverted at every time.
MOST_DIRECTIONS = 400
#: Entries that X may have; 320 MB.
MOST_ENTRIES = 40_000_000
_NO_MASS = 1e-14
_NOTHING = np.zeros((0, 0))


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
    apart : Apart
        Which of them reach the same bodies.
    """

    matrix: csc_matrix
    light: NDArray[np.int64]
    mass: float
    apart: Apart

    def added(self) -> csr_matrix:
        """Return the matrix of what is added to the bodies, (n, n)."""
        of = self.matrix[:, self.light]
        return (self.mass * (of @ of.T)).tocsr()


def condensing(pattern: Pattern, system: System) -> Directions | None:
    """Return the directions of the joints, or None where factoring all together is as good."""
    n = pattern.shape[1]
    if n < LARGE or not 0 < most_directions(pattern) <= MOST_DIRECTIONS:
        return None
    span, masses = span_of(pattern), system.restrict(system.mass_diagonal())
    apart = apart_of(system, span)
    if n * apart.most > MOST_ENTRIES:
        return None
    empty = (masses <= _NO_MASS * masses.max()).astype(np.float64)
    light = np.flatnonzero(abs(span).T @ empty)
    return Directions(span, light, float(masses[masses > 0].mean()), apart)


class Condensed:
    """Factors of the bodies, and what of them the joints ask for.

    Parameters
    ----------
    factors : Factorization
        Of S0.
    directions : Directions
        E.

    Attributes
    ----------
    flexibility : ndarray, (p, p)
        F.
    """

    def __init__(self, factors: Factorization, directions: Directions) -> None:
        self._factors, self._directions = factors, directions
        self.name = factors.name
        self._drag: Drag | None = None
        self._answer()
        own = sum(block.nbytes for _, block in self._answers)
        self.bytes: int | None = (factors.bytes or 0) + own

    def solve(self, rhs: Floats) -> Floats:
        """Solve for the bodies alone."""
        return self._factors.solve(rhs)

    def tied(self, held: Held, force: Floats, gap: Floats | float) -> tuple[Floats, Floats]:
        """Return x (n,) and lambda (m,) of ``S0 x - J^T lambda = force``, ``J x = gap``."""
        found = self._factors.solve(force)
        seen = self._directions.matrix.T @ found
        small = held.small(self)
        left = -(held.rows @ (small.turn @ seen if small.turn is not None else seen))
        left[: held.count] += gap
        forces = small.inverse @ left
        along = held.rows.T @ forces
        self._add(self._answers, along, found)
        if small.turn is not None:
            moved = small.turn @ (seen + self.flexibility @ along)
            for answers, own in zip(self._dragged, np.split(held.amounts @ moved, 2), strict=True):
                self._add(answers, own, found)
        return found, forces[: held.count]

    def update(self, matrix: csr_matrix) -> None:
        """Factor other values."""
        self._factors.update(matrix)
        self._drag = None
        self._answer()

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()

    def dragged(self, drag: Drag) -> Floats:
        """Return ``E^T Z`` (p, 2 k) of what is dragged along."""
        if self._drag is not drag:
            self._drag, loads = drag, drag.loads()
            halves = [self._answers_to(one, drag.apart) for one in np.split(loads, 2, axis=1)]
            self._dragged = [answers for answers, _ in halves]
            self._seen = np.hstack([seen for _, seen in halves])
        return self._seen

    def _answer(self) -> None:
        """Find X and F."""
        apart = self._directions.apart
        packed = (self._directions.matrix @ apart.packing).toarray()
        self._answers, self.flexibility = self._answers_to(packed, apart)

    def _answers_to(self, packed: Floats, apart: Apart) -> tuple[list[Answers], Floats]:
        """Return the answers to packed loads part by part, and what directions see of them.

        With every solve one load of each part is answered, as they do not meet.
        """
        of = self._directions.matrix.tocsr()
        found = self._factors.solve(packed)
        answers, seen = [], np.zeros((of.shape[1], apart.packing.shape[0]))
        for part in apart.parts:
            block = np.ascontiguousarray(found[part.unknowns, : len(part.directions)])
            answers.append((part, block))
            seen[:, part.directions] = of[part.unknowns].T @ block
        return answers, seen

    @staticmethod
    def _add(answers: list[Answers], amounts: Floats, to: Floats) -> None:
        """Add combinations of answers."""
        for part, block in answers:
            to[part.unknowns] += block @ amounts[part.directions]


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Small:
    """What is solved with instead of the constraints.

    Attributes
    ----------
    inverse : ndarray, (m + h, m + h)
        Of ``(J E) W F (J E)^T``, and of what was added.
    turn : ndarray, (p, p), optional
        ``W = (1 - E^T Z P)^-1``, where something is dragged along.
    """

    inverse: Floats
    turn: Floats | None


class Held:
    """The constraints at one time in the directions of the joints.

    Parameters
    ----------
    rows : Rows
        J.
    directions : Directions
        E.
    drag : Drag, optional
        What is dragged along.
    amounts : ndarray, (2 k, p), optional
        P: how much of masses and of dampers.

    Attributes
    ----------
    rows : ndarray, (m + h, p)
        ``J E``, and a row for what was added to a direction.
    count : int
        Number of constraints, m.
    amounts : ndarray, (2 k, p)
        As given.
    """

    def __init__(
        self, rows: Rows, directions: Directions, drag: Drag | None = None,
        amounts: Floats = _NOTHING,
    ) -> None:  # fmt: skip
        light, span = directions.light, directions.matrix
        self._drag, self.amounts = drag, amounts
        self.rows: Floats = np.vstack(
            [(rows.matrix() @ span).toarray(), np.eye(span.shape[1])[light]]
        )
        self.count = rows.pattern.shape[0]
        self._loose = np.zeros(len(self.rows))
        self._loose[self.count :] = 1.0 / directions.mass
        self._small: Small | None = None
        self._of: Floats | None = None

    def small(self, factors: Condensed) -> Small:
        """Return what is solved with for the constraints, with factors of the bodies."""
        if self._small is None or self._of is not factors.flexibility:
            self._of = flexibility = factors.flexibility
            turn = None
            if self._drag is not None:
                dragged = factors.dragged(self._drag) @ self.amounts
                turn = _inverse(np.eye(len(dragged)) - dragged)
                flexibility = turn @ flexibility
            matrix = self.rows @ flexibility @ self.rows.T - np.diag(self._loose)
            self._small = Small(_inverse(matrix), turn)
        return self._small


class Tied(Matrix, Protocol):
    """A matrix of a step with its constraints in it."""

    @property
    def constraints(self) -> Rows:
        """J at the end of the step."""

    def hold(self, directions: Directions) -> Held:
        """Return the constraints in the directions of the joints."""

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
        return self.whole.hold(self.directions)

    @property
    def inner(self) -> StepMatrix:
        """The matrix of the coordinates, S."""
        return self.whole.inner

    def reach(self, x: Floats) -> Floats:
        """Return the coordinates that unknowns move."""
        return self.whole.reach(x)

    def beside(self, turned: Floats) -> Floats:
        """Return S times coordinates that joints turn."""
        return self.whole.beside(turned)

    def finish(self, x: Floats, reached: Floats, forces: Floats) -> Floats:
        """Return the matrix times unknowns, from S times the coordinates they move."""
        return self.whole.finish(x, reached, forces)

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
        return Condensed(factors, self.directions)

    def solve_with(self, factors: Factorization, rhs: Floats) -> Floats:
        """Return an approximate solution: all but the skew part."""
        assert isinstance(factors, Condensed)
        return self.whole.through(factors, self.held, rhs)


T = TypeVar("T", bound=Tied)


def condensed(whole: T, directions: Directions | None) -> T | CondensedMatrix:
    """Return a matrix of which the bodies alone are factored, where there are directions."""
    return whole if directions is None else CondensedMatrix(whole, directions)
