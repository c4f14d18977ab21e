# SPDX-License-Identifier: BSD-3-Clause
"""A model in the unknowns y of ``q = T y + g(t)``: itself a model, for any stepper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.linear_form import LinearEquations, LinearForm
from flexforge.runtime.transient.model import Linearization, Model, Point, Rows
from flexforge.runtime.transient.operator import Matrix, Operator, Sandwiched
from flexforge.runtime.transient.space import SerialSpace, Space
from flexforge.runtime.transient.state import Layout, State
from flexforge.runtime.transient.unknowns import Unknowns
from numpy.typing import NDArray

Values = NDArray[Any]


@dataclass(frozen=True)
class RestrainedEquations:
    """Linear equations in y, on ``(y, s)``.

    Attributes
    ----------
    full : LinearEquations
        Those of all coordinates.
    matrix, adjoint : matrix
        T with one for s, and its conjugate transpose.
    given : ndarray, (3, n)
        g, g' and g'', with zeros for s.
    """

    full: LinearEquations
    matrix: Matrix
    adjoint: Matrix
    given: Floats

    @property
    def force(self) -> Floats:
        """``T^T (f - M g'' - C g' - K g)``."""
        return np.asarray(self.adjoint @ (self.full.force - self.full.inner(*self.given)))

    def inner(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """Return ``T^T (M T a + C T v + K T q)``."""
        moved = (self.matrix @ x for x in (q, v, a))
        return np.asarray(self.adjoint @ self.full.inner(*moved))

    def combine(self, mass: float, viscous: float, elastic: float) -> Operator:
        """Return ``T^T S T``."""
        full: Operator = self.full.combine(mass, viscous, elastic)
        return Sandwiched(full, self.matrix, self.adjoint)

    def magnitude(self, inner: Floats, q: Floats) -> float:
        """Return the norm of what balances."""
        return self.full.magnitude(inner, self.matrix @ q)


class RestrainedForm(LinearForm):
    """A linear form in y.

    Parameters
    ----------
    form : LinearForm
        That of all coordinates.
    unknowns : Unknowns
        T and g.
    matrix : matrix, (n, free)
        T, and one for s.
    """

    def __init__(self, form: LinearForm, unknowns: Unknowns, matrix: Matrix) -> None:
        self._form, self._unknowns = form, unknowns
        self._matrix, self._adjoint = matrix, matrix.conj().T.tocsr()

    def at(self, t: float, u: Floats) -> RestrainedEquations:
        """Return the equations at a time."""
        given = np.zeros((3, self._matrix.shape[0]))
        motion = np.array(self._unknowns.motion(t))
        given[:, : motion.shape[1]] = motion
        return RestrainedEquations(self._form.at(t, u), self._matrix, self._adjoint, given)


class Restrained(Model):
    """A model whose coordinates are held, tied or moved.

    Parameters
    ----------
    model : Model
        The equations of all coordinates.
    unknowns : Unknowns
        T and g.
    space : Space, optional
        Of y and s; by default that of one process.
    """

    def __init__(self, model: Model, unknowns: Unknowns, space: Space | None = None) -> None:
        from scipy.sparse import block_diag, eye_array

        self.model, self.unknowns = model, unknowns
        self.blocks = unknowns.blocks
        self._layout = Layout(self.blocks)
        self.space = space or SerialSpace(self._layout.rates)
        self.identity = sha256(model.identity + unknowns.identity).digest()
        states = self._layout.sizes[2]
        self._matrix = block_diag([unknowns.matrix, eye_array(states)], format="csr")
        self._adjoint = self._matrix.conj().T.tocsr()
        form = model.linear
        self.linear = None if form is None else RestrainedForm(form, unknowns, self._matrix)

    def expand(self, at: Point) -> Point:
        """Return the point of all coordinates."""
        free = self._layout.sizes[1]
        q, z, acceleration = self.unknowns.expand(at.t, at.q, at.z, at.rate[:free])
        rate = np.concatenate([acceleration, at.rate[free:]])
        return replace(at, q=q, z=z, rate=rate)

    def full_residual(self, at: Point) -> Values:
        """Return the residual of all equations: zero of free ones, of the others the reactions.

        What T removed, supports and ties, acts on the model with these forces.
        """
        full = self.expand(at)
        kind = np.result_type(full.q, full.z, full.s, full.rate, full.force, full.u)
        out = np.zeros(self._matrix.shape[0], dtype=kind)
        self.model.residual(full, out)
        return out

    def residual(self, at: Point, out: Values) -> None:
        """Set ``T^T r``."""
        out[:] = self._adjoint @ self.full_residual(at)

    def linearize(self, at: Point) -> Linearization:
        """Return ``T^T K T``."""
        full = self.model.linearize(self.expand(at))
        adjoint, matrix = self._adjoint, self._matrix
        return Linearization(
            rate=adjoint @ full.rate @ matrix,
            speed=adjoint @ full.speed @ matrix,
            place=adjoint @ full.place @ self.unknowns.matrix,
            force=None if full.force is None else adjoint @ full.force,
            inputs=None if full.inputs is None else adjoint @ full.inputs,
            key=full.key,
            symmetric=full.symmetric,
        )

    def constraints(self, at: Point) -> Rows:
        """Return the rows in y: given motion is on their right-hand sides."""
        rows = self.model.constraints(self.expand(at))
        _, speed, rate = self.unknowns.motion(at.t)
        along = rows.matrix[:, : len(speed)]
        return replace(
            rows,
            matrix=rows.matrix @ self._matrix,
            speed=rows.speed - along @ speed,
            second=rows.second - along @ rate,
        )

    def events(self, at: Point) -> Floats:
        """Return the events of the model."""
        return self.model.events(self.expand(at))

    def switch(self, at: Point, which: Sequence[int]) -> State:
        """Return the state after events."""
        found = self.model.switch(self.expand(at), which)
        y, v = self.unknowns.reduce(at.t, found.q, found.z)
        return replace(found, q=y, z=v)
