# SPDX-License-Identifier: BSD-3-Clause
"""The Gauss method of two stages: order 4; conserves quadratic invariants of linear models.

Unknowns are the rates K_i at the stages. With ``v_i = v_0 + h sum_j a_ij K_j`` and, on a Lie group,

    d_i = h sum_j a_ij T(d_j)^-1 z_j,    q_i = retract(q_0, d_i),    r(q_i, v_i, K_i) = 0

Hairer, Lubich and Wanner, Geometric Numerical Integration, 2nd ed., sections II.1.3 and IV.8
(methods of Runge, Kutta and Munthe-Kaas, which keep the order but no invariants of a group).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.consistent import rates, start_free
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.gauss import GAUSS4
from flexforge.runtime.transient.linear_solver import Direct, LinearSolver, Solve
from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.newton import Inputs, Newton, NotConvergedError, no_inputs
from flexforge.runtime.transient.operator import Combined
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import ModelStepper

_A, _B = np.array(GAUSS4.matrix), np.array(GAUSS4.weights)
_NODES = GAUSS4.nodes
_STAGES = len(_B)
_MOST = 60
_ROUND_OFF = 1e-15
_NO_ROWS = np.zeros(0, dtype=bool)


class Gauss(ModelStepper):
    """The stepper, of models without rows on one rank.

    Parameters
    ----------
    model : Model
        The equations.
    solver : LinearSolver
        Solves with the matrix of both stages.
    inputs : callable, optional
        u of the time, s.
    """

    def __init__(
        self, model: Model, solver: LinearSolver | None = None, inputs: Inputs = no_inputs
    ) -> None:
        self.model = model
        self._inputs = inputs
        self._newton = Newton(model, solver or Direct(), _ROUND_OFF, inputs)
        self._kept: tuple[object, Solve] | None = None

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._newton.counts

    def begin(self, state: State) -> State:
        """Return a state with a history.

        Raises
        ------
        InputError
            When the model has rows.
        """
        self.model.begin_step(state)
        start = start_free(self._newton, state, "gauss4")
        return replace(start.state, history=pack(*[start.rate] * _STAGES))

    def point(self, state: State) -> Point:
        """Return a state with its rates, by a solve with the masses, and inputs."""
        rate, force = rates(self._newton, state, _NO_ROWS)
        return self._newton.point(state, rate, force)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later."""
        self.model.begin_step(state)
        found = np.array(unpack(state.history))
        solve = self._factors(state, found[0], h)
        before = np.inf
        for _ in range(_MOST):
            right = [
                -self._newton.residual(self._stage(state, found, h, i)) for i in range(_STAGES)
            ]
            change = solve(np.concatenate(right)).reshape(found.shape)
            self.counts.solves += 1
            found = found + change
            size = float(np.abs(change).max() / max(np.abs(found).max(), 1e-300))
            if size <= _ROUND_OFF or (size < 1e-10 and size > 0.5 * before):
                break
            if not np.isfinite(size):
                raise NotConvergedError(f"transient: the step to t = {to:g} s does not converge")
            before = size
        else:
            raise NotConvergedError(f"transient: the step to t = {to:g} s does not converge")
        self.counts.steps += 1
        z, v = len(state.z), np.concatenate([state.z, state.s])
        _, bent = self._increments(state, found, h)
        q = self._newton.layout.manifold.retract(state.q, h * _B @ bent)
        v = v + h * _B @ found
        return State(to, q, v[:z], v[z:], state.mode, pack(*found))

    def _stage(self, state: State, found: Floats, h: float, stage: int) -> Point:
        """Return a stage."""
        z = len(state.z)
        increments, _ = self._increments(state, found, h)
        v = np.concatenate([state.z, state.s]) + h * _A[stage] @ found
        t = state.t + _NODES[stage] * h
        q = self._newton.layout.manifold.retract(state.q, increments[stage])
        return Point(t, q, v[:z], v[z:], state.mode, found[stage], u=self._inputs(t))

    def _increments(self, state: State, found: Floats, h: float) -> tuple[Floats, Floats]:
        """Return d_i of the stages, and ``T(d_i)^-1 z_i``."""
        z = len(state.z)
        speeds = state.z + h * _A @ found[:, :z]
        increments, bent = h * _A @ speeds, speeds
        manifold = self._newton.layout.manifold
        for _ in range(_MOST):
            turned = [manifold.tangent(d) for d in increments]
            bent = np.array(
                [
                    one if t is None else np.linalg.solve(t.toarray(), one)
                    for t, one in zip(turned, speeds, strict=True)
                ]
            )
            increments, before = h * _A @ bent, increments
            if np.abs(increments - before).max() <= _ROUND_OFF * np.abs(increments).max():
                return increments, bent
        raise NotConvergedError("transient: the increments of the stages do not converge")

    def _factors(self, state: State, rate: Floats, h: float) -> Solve:
        """Return the solver for the matrix of both stages, evaluated at the beginning of the step.

        Nothing is kept but what a key tells is the same, so that a step depends on its state alone.
        """
        from scipy.sparse import block_array

        linearization = self.model.linearize(self._newton.point(state, rate, np.zeros(0)))
        a, twice = h * _A, h * h * (_A @ _A)
        operators = [
            [linearization.combine(float(i == j), a[i, j], twice[i, j]) for j in range(_STAGES)]
            for i in range(_STAGES)
        ]
        keys = [operator.key for row in operators for operator in row]
        key = None if None in keys else (h, *keys)
        if self._kept is None or key is None or key != self._kept[0]:
            matrix = block_array([[o.assemble() for o in row] for row in operators], format="csr")
            whole = Combined([(1.0, matrix)], key)
            self._kept = key, self._newton.solver.prepare(whole, self.model.space)
            self.counts.factorizations += 1
        return self._kept[1]
