# SPDX-License-Identifier: BSD-3-Clause
"""Equations of bodies in free frames, beside others in prescribed ones, as a `Model` of steppers.

Coordinates of a free body are displacements along fixed axes: its mass matrix is constant, and the
stiffness that a step sees is ``R k R^T``. Masses do not change by a rotation, ``R m R^T = m``, so
that the whole matrix of a step is one constant matrix between two rotations: it is factored once,
however the bodies turn, as long as no node has coordinates of two bodies or is held in part.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.free_body import FreeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at
from flexforge.runtime.transient.linear_solver import Conjugate, Solve
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Point, Values
from flexforge.runtime.transient.operator import Combined, Matrix, Operator
from flexforge.runtime.transient.space import SerialSpace, Space
from flexforge.runtime.transient.state import Block, State
from flexforge.runtime.transient.system_model import stiffened_bodies

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class FloatingModel(Model):
    """The bodies of a system, some of them in free frames.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    """

    linear = None

    def __init__(self, system: System, loads: Loads) -> None:
        self.system, self.loads = system, loads
        points = np.concatenate([body.points for body in system.bodies])
        size = float(np.ptp(points, axis=0).max(initial=0.0)) or 1.0
        owner = ", ".join(body.name for body in system.bodies if body.is_free)
        self.blocks = (Block("displacement", owner, Euclidean(system.unknowns), size),)
        self.space = SerialSpace(system.unknowns)
        names = ", ".join(body.name for body in system.bodies)
        self.identity = sha256(f"floating {names} {system.unknowns}".encode()).digest()
        self._turns: list[Floats] = [np.eye(3) for _ in system.bodies]
        self._stiffened = stiffened_bodies(system, loads)
        self._stressed, self._since = system, -np.inf

    def nodal(self, t: float, values: Floats, order: int = 0) -> Floats:
        """Return nodal coordinates, or their rates, of the unknowns; given ones included."""
        found = self.system.expand(values)
        if self.loads.given is not None:
            found = found + self.loads.given.at(t)[order]
        return found

    def equations(self, t: float, displacement: Floats) -> Equations:
        """Return loads and matrices at a time, with nodal coordinates (N, d)."""
        frames = self.system.frames(t)
        return equations_at(self._stressed, self.loads, t, frames, displacement=displacement)

    def residual(self, at: Point, out: Values) -> None:
        """Set what inertia and elasticity need beyond the loads."""
        u, v, a = (self.nodal(at.t, x, k) for k, x in enumerate((at.q, at.z, at.rate)))
        self._remember(u)
        if self._stiffened and at.t != self._since:
            self._stress(at.t, u)
        out[:] = -self.system.restrict(self.equations(at.t, u).unbalanced(u, v, a))

    def linearize(self, at: Point) -> Linearization:
        """Return the matrices, turned with the bodies; what a displacement turns is left out."""
        u = self.nodal(at.t, at.q)
        self._remember(u)
        if self.turns_whole:
            return _Whole(*self._constant, symmetric=True, model=self)
        turned = {
            number: body.turned(turn)
            for number, (body, turn) in enumerate(zip(self.system.bodies, self._turns, strict=True))
            if isinstance(body, FreeBody)
        }
        return Linearization(*self.matrices(self.system.with_bodies(turned), at.t), symmetric=True)

    def matrices(self, system: System, t: float) -> tuple[Matrix, Matrix, Matrix]:
        """Return the matrices of accelerations, velocities and displacements of the unknowns."""
        zero, one = np.zeros((system.dimension,) * 2), np.eye(system.dimension)
        equations = equations_at(self.system, self.loads, t, system.frames(t))
        masses = [Combination(0.0, one, np.zeros(0)) for _ in system.bodies]
        if not equations.is_viscous:
            viscous = [Combination(0.0, zero, np.zeros(0)) for _ in system.bodies]
        else:
            viscous = equations.viscous
        return system.matrix(masses), system.matrix(viscous), system.matrix(equations.elastic)

    def switch(self, at: Point, which: Sequence[int]) -> State:
        """Raise: such a model has no events."""
        raise ValueError(f"found events {list(which)} at t = {at.t:g} s; expected none")

    @cached_property
    def turns_whole(self) -> bool:
        """Whether every unknown turns with one free body, and all unknowns of its node with it."""
        system = self.system
        owners = np.zeros(system.size, dtype=np.int64)
        for body in system.bodies:
            owners[body.nodes] += 1
        free = system.map.free
        whole = (free.all(axis=1) | ~free.any(axis=1)).all()
        alone = (owners <= 1).all() and all(body.is_free for body in system.bodies)
        return bool(whole and alone and system.map.is_selection)

    @cached_property
    def _constant(self) -> tuple[Matrix, Matrix, Matrix]:
        """The matrices in axes that turn with the bodies."""
        return self.matrices(self.system, 0.0)

    def turn(self, values: Floats, *, back: bool = False) -> Floats:
        """Return values of the unknowns in axes that turn with the bodies, or back from them."""
        nodal, d = self.system.expand(values), self.system.dimension
        found = np.empty_like(nodal)
        for body, turn in zip(self.system.bodies, self._turns, strict=True):
            own = turn[:d, :d].T if back else turn[:d, :d]
            found[body.nodes] = nodal[body.nodes] @ own
        return self.system.restrict(found)

    def _stress(self, t: float, u: Floats) -> None:
        """Stiffen the bodies by the stresses of a state, which hold until the time changes.

        The first state that a step asks about is the one expected at its end.
        """
        stressed = {}
        for number in self._stiffened:
            body = self.system.bodies[number]
            state = body.relative(u[body.nodes])
            warmth = self.loads.temperature(body.name, t)
            stressed[number] = body.stressed([body.prestress(state, warmth, np.zeros((3, 3)))])
        self._stressed, self._since = self.system.with_bodies(stressed), t

    def _remember(self, u: Floats) -> None:
        """Keep the rotations of the bodies at nodal coordinates: corrections are turned by them."""
        self._turns = [
            body.attitude(u[body.nodes]).turn if isinstance(body, FreeBody) else np.eye(3)
            for body in self.system.bodies
        ]


@dataclass(frozen=True)
class _Whole(Linearization):
    """Matrices in axes that turn with the bodies: the same ones at any time."""

    model: FloatingModel | None = None

    def combine(self, a: float, b: float, c: float, turned: Matrix = None) -> Operator:
        """Return the sum of the matrices between the rotations."""
        del turned
        assert self.model is not None
        terms = ((a, self.rate), (b, self.speed), (c, self.place))
        inner = Combined(terms, symmetric=True)
        return TurnedOperator(self.model, inner, ("turned", a, b, c), is_mass=not (b or c))


class TurnedOperator:
    """A constant matrix between the rotations of bodies.

    Parameters
    ----------
    model : FloatingModel
        Whose rotations turn it.
    inner : Operator
        The matrix in turning axes.
    key : hashable
        The same of equal matrices.
    is_mass : bool
        Whether it is the mass matrix, which is the same however the bodies turn.
    """

    symmetric = True

    def __init__(
        self, model: FloatingModel, inner: Operator, key: Hashable, *, is_mass: bool
    ) -> None:
        self.model, self.inner, self.key, self.is_mass = model, inner, key, is_mass

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""
        return self.model.turn(self.inner.apply(self.model.turn(x)), back=True)

    def diagonal(self) -> Floats:
        """Return the diagonal in turning axes."""
        return self.inner.diagonal()

    def assemble(self) -> csr_matrix:
        """Return the matrix in turning axes."""
        return self.inner.assemble()


class TurningSolver:
    """Factors matrices of a `FloatingModel`; those that turn with bodies once.

    Corrections of Newton's method need no more than one pass through the factors.

    Parameters
    ----------
    model : FloatingModel
        The equations.
    solver : str
        Backend: as ``analysis.solver`` of a model file.

    Attributes
    ----------
    name : str
        Backend that factored last.
    bytes : int
        Memory of its factors.
    """

    def __init__(self, model: FloatingModel, solver: str) -> None:
        self._model, self._solver = model, solver
        self.name, self.bytes = "", 0

    def prepare(self, operator: Operator, space: Space) -> Solve:
        """Return a solver; of turned matrices, with the rotations when it is called.

        The mass matrix, of which a start needs one solution, is iterated with.
        """
        if isinstance(operator, TurnedOperator) and operator.is_mass:
            return Conjugate().prepare(operator.inner, space)
        model, is_turned = self._model, isinstance(operator, TurnedOperator)
        factors = factorize(
            operator.assemble(),
            self._solver,
            model.system.threads,
            symmetric=operator.symmetric,
            check=False,
        )
        self.name, self.bytes = factors.name, factors.bytes or 0
        if not is_turned:
            return factors.precondition
        return lambda right: model.turn(factors.precondition(model.turn(right)), back=True)
