# SPDX-License-Identifier: BSD-3-Clause
"""Equations of bodies in free frames, beside others in prescribed ones, as a `Model` of steppers.

Coordinates of a free body are displacements along fixed axes: its mass matrix is constant, and the
stiffness that a step sees is ``R k R^T``. Masses do not change by a rotation, ``R m R^T = m``, so
that the whole matrix of a step is one constant matrix between two rotations: it is factored once,
however the bodies turn, as long as no node has coordinates of two bodies or is held in part.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.free_body import FreeBody
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.equations import Equations, equations_at
from flexforge.runtime.transient.manifold import Euclidean
from flexforge.runtime.transient.model import Linearization, Model, Point, Values
from flexforge.runtime.transient.operator import Combined, Matrix, Operator
from flexforge.runtime.transient.space import SerialSpace
from flexforge.runtime.transient.state import Block, State
from flexforge.runtime.transient.system_model import stiffened_bodies

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


#: Difference from what supports and equations allow, of the largest value, that a start may have.
_APART = 1e-6


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
        self._stressed = system
        self._reached: _Reached | None = None

    @property
    def reached(self) -> _Reached:
        """Where the residual was last asked for."""
        assert self._reached is not None
        return self._reached

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
        equations = self.equations(at.t, u)
        self._reached = _Reached(at, u, v, equations)
        out[:] = -self.system.restrict(equations.unbalanced(u, v, a))

    def tangent(self, a: float, b: float, c: float) -> Callable[[Floats], Floats]:
        """Return the derivative of the residual last asked for, as a product with unknowns.

        Other than the matrices of `linearize` it knows that forces turn with their bodies, and
        frames with displacements.

        Parameters
        ----------
        a, b, c : float
            What a unit of the unknowns changes v', v and q by.
        """
        system, at = self.system, self.reached
        u, v, equations = at.displacement, at.velocity, at.equations
        products = []
        for body, elastic, viscous in zip(
            equations.system.bodies, equations.elastic, equations.viscous, strict=True
        ):
            if isinstance(body, FreeBody):
                products.append(body.change(elastic, viscous, u[body.nodes], v[body.nodes]))
            else:
                products.append(partial(_linear, body, elastic, viscous))

        def product(x: Floats) -> Floats:
            nodal = system.expand(x)
            found = a * system.mass_times(nodal)
            for body, change in zip(system.bodies, products, strict=True):
                own = nodal[body.nodes]
                found[body.nodes] += change(c * own, b * own)
            return system.restrict(found)

        return product

    def linearize(self, at: Point) -> Linearization:
        """Return the matrices, turned with the bodies; what a displacement turns is left out."""
        u = self.nodal(at.t, at.q)
        self._remember(u)
        if self.turns_whole:
            return FloatingLinearization(*self._constant, symmetric=True, model=self)
        turned = {
            number: body.turned(turn)
            for number, (body, turn) in enumerate(
                zip(self._stressed.bodies, self._turns, strict=True)
            )
            if isinstance(body, FreeBody)
        }
        matrices = self.matrices(self._stressed.with_bodies(turned), at.t)
        return FloatingLinearization(*matrices, symmetric=True, model=self)

    def matrices(self, system: System, t: float) -> tuple[Matrix, Matrix, Matrix]:
        """Return the matrices of accelerations, velocities and displacements of the unknowns."""
        zero, one = np.zeros((system.dimension,) * 2), np.eye(system.dimension)
        equations = equations_at(system, self.loads, t, system.frames(t))
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

    def check_start(self, displacement: Floats, velocity: Floats) -> None:
        """Check that supports and equations allow what the nodes (N, d) begin with.

        Raises
        ------
        InputError
            Naming a body, and the node that would begin otherwise.
        """
        for order, (what, unit, given) in enumerate(
            (("displacement", "m", displacement), ("velocity", "m/s", velocity))
        ):
            begun = self.nodal(0.0, self.system.map.sample(given), order)
            off = np.linalg.norm(np.where(given != 0.0, begun - given, 0.0), axis=1)
            for body in self.system.bodies:
                worst = int(np.argmax(off[body.nodes]))
                size = float(off[body.nodes[worst]])
                if body.is_free and size > _APART * np.abs(given).max():
                    at = ", ".join(f"{x:.4g}" for x in body.points[worst])
                    raise InputError(
                        f"body '{body.name}': supports or equations do not let it begin with its "
                        f"{what}: the node at ({at}) m would differ by {size:.3g} {unit}; expected "
                        "a motion about what holds the body"
                    )

    def begin_step(self, state: State) -> None:
        """Stiffen the bodies by the stresses of the state, which hold during the step.

        The state expected at its end would have stresses of its own: places along straight lines
        stretch a body that turns.
        """
        if not self._stiffened:
            return
        stressed, t = {}, state.t
        u = self.nodal(t, state.q)
        for number in self._stiffened:
            body = self.system.bodies[number]
            relative = body.relative(u[body.nodes])
            warmth = self.loads.temperature(body.name, t)
            prestress = body.prestress(relative, warmth, np.zeros((3, 3)))
            stressed[number] = body.stressed([prestress])
        self._stressed = self.system.with_bodies(stressed)

    def _remember(self, u: Floats) -> None:
        """Keep the rotations of the bodies at nodal coordinates: corrections are turned by them."""
        self._turns = [
            body.attitude(u[body.nodes]).turn if isinstance(body, FreeBody) else np.eye(3)
            for body in self.system.bodies
        ]


@dataclass(frozen=True)
class _Reached:
    """A point with its nodal displacements and velocities (N, d), and the equations there."""

    point: Point
    displacement: Floats
    velocity: Floats
    equations: Equations


def _linear(
    body: Body, elastic: Combination, viscous: Combination, moved: Floats, faster: Floats
) -> Floats:
    """Return what changes of displacement and velocity change the forces of a body by."""
    return body.inner(elastic, viscous, moved, faster, np.zeros_like(moved))


@dataclass(frozen=True)
class FloatingLinearization(Linearization):
    """Matrices that turn with the bodies: by their rotations then, or of any time without them."""

    model: FloatingModel | None = None

    def combine(self, a: float, b: float, c: float, turned: Matrix = None) -> Operator:
        """Return the sum of the matrices; in turning axes where one serves at any time."""
        del turned
        assert self.model is not None
        terms = ((a, self.rate), (b, self.speed), (c, self.place))
        inner = Combined(terms, symmetric=True)
        return FloatingOperator(self.model, inner, (a, b, c))


class FloatingOperator:
    """The matrix of a step of a `FloatingModel`, without what the turning of frames adds.

    Parameters
    ----------
    model : FloatingModel
        The equations.
    inner : Operator
        The matrix; in axes that turn with the bodies where ``model.turns_whole``.
    coefficients : tuple of float
        Of the matrices of accelerations, velocities and displacements.
    """

    symmetric = True

    def __init__(
        self, model: FloatingModel, inner: Operator, coefficients: tuple[float, float, float]
    ) -> None:
        self.model, self.inner, self.coefficients = model, inner, coefficients

    @property
    def key(self) -> Hashable | None:
        """The same of equal matrices: in turning axes they do not change."""
        return ("turning", *self.coefficients) if self.model.turns_whole else None

    @property
    def is_mass(self) -> bool:
        """Whether it is the mass matrix, which is the same however the bodies turn."""
        return not any(self.coefficients[1:])

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times a vector."""
        model = self.model
        if not model.turns_whole:
            return self.inner.apply(x)
        return model.turn(self.inner.apply(model.turn(x)), back=True)

    def diagonal(self) -> Floats:
        """Return the diagonal of the inner matrix."""
        return self.inner.diagonal()

    def assemble(self) -> csr_matrix:
        """Return the inner matrix."""
        return self.inner.assemble()
