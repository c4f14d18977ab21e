# SPDX-License-Identifier: BSD-3-Clause
"""The interface of a model to steppers: its equations, independent of their solution.

With ``v = (z, s)`` the equations are

    r(t, q, v, v', lambda, u) = 0,     q' = the velocity z in the tangent space,     g(q, t) = 0

r has one equation per number of v: forces of the blocks of second order (inertia and inner forces
less applied ones less ``G^T lambda``), and the equations of s.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.transient.linear_form import LinearForm
from flexforge.runtime.transient.operator import Combined, Matrix, Operator
from flexforge.runtime.transient.space import Space
from flexforge.runtime.transient.state import Block, State
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Values = NDArray[Any]  # real, or complex while a complex step differentiates

_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class Point:
    """Arguments of the equations of a model.

    Attributes
    ----------
    t : float
        Time, s.
    q, z, s, mode : ndarray
        As of a `State`.
    rate : ndarray
        ``v' = (z', s')``.
    force : ndarray
        Multipliers lambda, one per row of `Rows`.
    u : ndarray
        Inputs: what is given from outside at this time.
    """

    t: float
    q: Values
    z: Values
    s: Values
    mode: Ints
    rate: Values
    force: Values = field(default_factory=lambda: _NONE)
    u: Values = field(default_factory=lambda: _NONE)


@dataclass(frozen=True)
class Linearization:
    """Derivatives of r at a point, sparse; those not given are zero.

    Attributes
    ----------
    rate, speed : matrix, (n, n)
        By ``v' = (z', s')`` and ``v = (z, s)``.
    place : matrix, (n, z)
        By q, along tangent increments.
    force : matrix, (n, m)
        By lambda: ``-G^T``, and more where forces depend on multipliers, as friction does.
    inputs : matrix, (n, u)
        By u.
    key : hashable, optional
        Equal keys: equal rate, speed and place. A model whose matrices are constant gives one.
    symmetric : bool
        Whether all three are symmetric.
    """

    rate: Matrix
    speed: Matrix
    place: Matrix
    force: Matrix = None
    inputs: Matrix = None
    key: Hashable | None = None
    symmetric: bool = False

    def combine(self, a: float, b: float, c: float, turned: Matrix = None) -> Operator:
        """Return ``a r_v' + b r_v + c r_q T``.

        Parameters
        ----------
        a, b, c : float
            What a unit of the unknown changes v', v and the increment of q by.
        turned : matrix, (z, z), optional
            T of the manifold for the increment of q; one where not given.
        """
        from scipy.sparse import csr_matrix

        place = csr_matrix(self.place if turned is None else self.place @ turned)
        place.resize(self.rate.shape)  # s has no place: columns of zeros
        key = None if self.key is None or turned is not None else (self.key, a, b, c)
        terms = ((a, self.rate), (b, self.speed), (c, place))
        return Combined(terms, key, symmetric=self.symmetric and turned is None)


@dataclass(frozen=True)
class Rows:
    """Constraints at a point: ``g(q, t) = 0``, and of velocities alone.

    Attributes
    ----------
    names : tuple of str
        What every row is, for messages.
    place : ndarray, (m,)
        g; zero of rows that forbid velocities alone.
    matrix : csr_matrix, (m, n)
        G, the derivative of g along tangent increments; columns are those of v.
    speed : ndarray, (m,)
        Given by the rows: ``G z = speed``.
    second : ndarray, (m,)
        ``G z' = second``.
    scales : ndarray, (m,)
        Size of a large g, in its unit.
    of_speeds : ndarray of bool, (m,)
        Rows that forbid velocities alone.
    """

    names: tuple[str, ...]
    place: Values
    matrix: csr_matrix
    speed: Floats
    second: Floats
    scales: Floats
    of_speeds: NDArray[np.bool_]

    def take(self, which: NDArray[np.bool_]) -> Rows:
        """Return some of the rows."""
        if which.all():
            return self
        names = tuple(name for name, kept in zip(self.names, which, strict=True) if kept)
        return Rows(
            names,
            self.place[which],
            self.matrix[which],
            self.speed[which],
            self.second[which],
            self.scales[which],
            self.of_speeds[which],
        )

    @classmethod
    def none(cls, size: int) -> Rows:
        """Return no rows, of models with n equations."""
        from scipy.sparse import csr_matrix

        matrix = csr_matrix((0, size))
        return cls((), _NONE, matrix, _NONE, _NONE, _NONE, np.zeros(0, dtype=bool))


class Model(Protocol):
    """A system of equations. What has a body below need not be written by every model.

    Attributes
    ----------
    blocks : tuple of Block
        The unknowns, those of second order first.
    space : Space
        Of vectors v and of residuals.
    identity : bytes, 32
        Hash of all that the equations depend on.
    linear : LinearForm or None
        The same equations where they are linear and without rows: one solve per step.
    lacking : matrix, (n, n), optional
        What makes the derivative by v' regular, where some motions have no inertia: rates at the
        start are those with it.
    """

    blocks: tuple[Block, ...]
    space: Space
    identity: bytes
    linear: LinearForm | None = None
    lacking: Matrix = None

    def residual(self, at: Point, out: Values) -> None:
        """Set r of this rank's elements, (n,)."""

    def linearize(self, at: Point) -> Linearization:
        """Return the derivatives of r, of this rank's elements."""

    def begin_step(self, state: State) -> None:
        """Take over the state that a step begins with, for what is held during it; by default none.

        It is all that a step may depend on besides its own unknowns.
        """

    def constraints(self, at: Point) -> Rows:
        """Return the rows in the mode of the point; by default none."""
        return Rows.none(len(at.rate))

    def events(self, at: Point) -> Floats:
        """Return numbers, each of which is an event when it falls below zero; by default none."""
        return _NONE

    def switch(self, at: Point, which: Sequence[int]) -> State:
        """Return the state after events: a new mode, velocities after an impact."""
        raise NotImplementedError
