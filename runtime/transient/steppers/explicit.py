# SPDX-License-Identifier: BSD-3-Clause
"""Central differences, centred: damping and Coriolis forces cost no stability.

    v_h = v_0 + h/2 v'_0,    q_1 = retract(q_0, h z_h),    r(q_1, v_h + h/2 v'_1, v'_1) = 0

The matrix is ``r_v' + h/2 r_v``: masses and damping, never a stiffness. Stable for ``h < 2 /
omega``, with damping too (physics.md section 10).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.runtime.transient.consistent import start_free
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear_solver import Direct, LinearSolver
from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.newton import Inputs, Kept, Newton, Trial, no_inputs
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import ModelStepper

_NO_ROWS = np.zeros(0, dtype=bool)


class CentralDifferences(ModelStepper):
    """The explicit stepper, of models without rows.

    Parameters
    ----------
    model : Model
        The equations.
    tolerance : float
        Error of the rates of a step, relative, block by block.
    solver : LinearSolver
        Solves with masses and damping.
    inputs : callable, optional
        u of the time, s.
    """

    def __init__(
        self,
        model: Model,
        tolerance: float = 1e-12,
        solver: LinearSolver | None = None,
        inputs: Inputs = no_inputs,
    ) -> None:
        self.model = model
        self._newton = Newton(model, solver or Direct(), tolerance, inputs)
        self._kept: Kept | None = None

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
        start = start_free(self._newton, state, "central_difference")
        return replace(start.state, history=pack(start.rate, np.zeros(0)))

    def point(self, state: State) -> Point:
        """Return a state with its rates and inputs."""
        return self._newton.point(state, unpack(state.history)[0], np.zeros(0))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later."""
        rate, record = unpack(state.history)
        z = len(state.z)
        half = np.concatenate([state.z, state.s]) + 0.5 * h * rate
        trial = Trial(to, h, 1.0, 0.5 * h, 0.0, np.zeros_like(rate), half, h * half[:z], state.q)
        kept = None
        if len(record) and unpack(record)[0][1] == h:
            if self._kept is None or not np.array_equal(self._kept.record, record):
                self._kept = self._newton.factor(record, state.mode, _NO_ROWS, None)
            kept = self._kept
        rate, _, self._kept = self._newton.solve(
            trial, state.mode, rate, np.zeros(0), _NO_ROWS, kept
        )
        self.counts.steps += 1
        v = half + 0.5 * h * rate
        q = self._newton.layout.manifold.retract(state.q, h * half[:z])
        return State(to, q, v[:z], v[z:], state.mode, pack(rate, self._kept.record))
