# SPDX-License-Identifier: BSD-3-Clause
"""The implicit midpoint rule for bodies in free frames, which keeps their momenta.

Coordinates are displacements along fixed axes, and momenta are ``p = M q'`` along them: Hamilton's
equations ``q' = M^-1 p``, ``p' = f``. In a step

    q_1 = q_0 + h v_m,   v_1 = v_0 + h A,   M A = f(q_m, v_m),   q_m = (q_0 + q_1) / 2,

and the same for v. Momentum is linear and angular momentum quadratic in (q, p); Gauss methods, of
which this is the first, keep both (Hairer, Lubich and Wanner, *Geometric Numerical Integration*,
2nd ed., theorem IV.2.1) where forces of elasticity have neither resultant nor torque at q_m. What
Newton's method leaves of the equations is freed of both as well, so that the momenta are constant
to round-off however well the equations are solved.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Body
from flexforge.runtime.transient.consistent import rates, start_free
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.floating_model import FloatingModel
from flexforge.runtime.transient.floating_solver import FloatingSolver
from flexforge.runtime.transient.linear_solver import LinearSolver
from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.newton import Newton, Trial, no_inputs
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import ModelStepper

#: Times that forces and torques are balanced in a step: places change with the accelerations.
_BALANCINGS = 2


class Midpoint(ModelStepper):
    """Steps by the implicit midpoint rule.

    Parameters
    ----------
    model : Model
        The equations; of its points those at the middle of a step.
    tolerance : float
        Error of the accelerations of a step, relative.
    solver : LinearSolver
        Solves with the matrix of a step.
    """

    def __init__(self, model: Model, tolerance: float, solver: LinearSolver) -> None:
        self.model = model
        self._newton = Newton(model, solver, tolerance, no_inputs)
        self._none = np.zeros(0, dtype=bool)

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._newton.counts

    def begin(self, state: State) -> State:
        """Return a state with a history: accelerations, and the record of factors, none yet."""
        self.model.begin_step(state)
        start = start_free(self._newton, state, "midpoint")
        return replace(start.state, history=pack(start.rate, np.zeros(0)))

    def point(self, state: State) -> Point:
        """Return a state with the accelerations that balance the forces there."""
        self.model.begin_step(state)
        rate, force = rates(self._newton, state, self._none)
        return self._newton.point(state, rate, force)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later.

        Raises
        ------
        NotConvergedError
            When the equations of the step cannot be solved.
        """
        self.model.begin_step(state)
        guess, record = unpack(state.history)
        trial = Trial(to - 0.5 * h, h, 1.0, 0.5 * h, 0.25 * h * h, np.zeros(len(state.z)), state.z,
                      0.5 * h * state.z, state.q)  # fmt: skip
        kept = self._newton.recalled(record, h, state.mode, self._none)
        found, force, used = self._newton.solve(
            trial, state.mode, guess, np.zeros(0), self._none, kept
        )
        found = self._improved(trial, found, force, state)
        self.counts.steps += 1
        mean = state.z + 0.5 * h * found
        history = pack(found, used.record)
        return State(to, state.q + h * mean, state.z + h * found, mode=state.mode, history=history)

    def _improved(self, trial: Trial, found: Floats, force: Floats, state: State) -> Floats:
        """Return accelerations at the middle of a step, from those that Newton's method leaves."""
        del trial, force, state
        return found


class FloatingMidpoint(Midpoint):
    """Steps of bodies in free frames by the implicit midpoint rule.

    Parameters
    ----------
    model : FloatingModel
        The equations.
    tolerance : float
        Error of the accelerations of a step, relative.
    solver : FloatingSolver
        Solves with the matrix of a step.
    """

    model: FloatingModel

    def __init__(self, model: FloatingModel, tolerance: float, solver: FloatingSolver) -> None:
        super().__init__(model, tolerance, solver)

    def begin(self, state: State) -> State:
        """Return a state with a history.

        Raises
        ------
        InputError
            When something holds a body: what is held at the middle of steps only need not be at
            their ends, where vibrations of stiff bodies grow.
        """
        if not (self.model.turns_whole and self.model.system.map.free.all()):
            raise InputError(
                "analysis.method: found midpoint with bodies in free frames that supports or "
                "equations hold, or that share nodes; expected generalized_alpha or newmark"
            )
        return super().begin(state)

    def _improved(self, trial: Trial, found: Floats, force: Floats, state: State) -> Floats:
        for _ in range(_BALANCINGS):
            at = self._newton.reached(trial, found, force, state.mode)
            self._newton.residual(at)
            found = self._balanced(at)
        return found

    def _balanced(self, at: Point) -> Floats:
        """Return accelerations of bodies, which nothing holds, that balance the loads on them.

        Forces of elasticity have no resultant and no torque, but for round-off, which is left out.
        Those of damping have none either where they are proportional to strains, but may have where
        they are to masses.
        """
        model, system = self.model, self.model.system
        reached, found = model.reached, system.expand(at.rate)
        equations, u, v = reached.equations, reached.displacement, reached.velocity
        for body, elastic, viscous in zip(
            system.bodies, equations.elastic, equations.viscous, strict=True
        ):
            own = body.nodes
            acting = equations.nodal[own]
            if body.alpha:
                none = np.zeros_like(acting)
                acting = acting - body.inner(elastic, viscous, u[own], v[own], none)
            fields = _rigid(body, u[own])
            masses = np.array([body.mass_times(one) for one in fields])
            left = np.einsum("aij,ij->a", masses, found[own])
            left -= np.einsum("aij,ij->a", fields, acting)
            inertia = np.einsum("aij,bij->ab", fields, masses)
            found[own] -= np.einsum("a,aij->ij", np.linalg.solve(inertia, left), fields)
        return np.asarray(system.restrict(found))


def _rigid(body: Body, u: Floats) -> Floats:
    """Return the unit translations and rotations of a displaced body, (k, V, d)."""
    d = body.dimension
    places = body.points + u
    places = places - places.mean(axis=0)
    moves = [np.broadcast_to(one, places.shape) for one in np.eye(d)]
    if d == 2:
        turns = [np.column_stack([-places[:, 1], places[:, 0]])]
    else:
        turns = [np.cross(one, places) for one in np.eye(3)]
    return np.array([*moves, *turns])
