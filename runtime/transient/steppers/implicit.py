# SPDX-License-Identifier: BSD-3-Clause
"""Generalized-alpha with the balance at the end of the step, on Lie groups, with rows and s.

With rates ``v = (z, s)`` and the averaged rate A,

    (1 - alpha_m) A_1 + alpha_m A_0 = (1 - alpha_f) v'_1 + alpha_f v'_0
    v_1 = v_0 + h ((1 - gamma) A_0 + gamma A_1)
    q_1 = retract(q_0, h z_0 + h^2 ((1/2 - beta) A_0 + beta A_1))

and all equations and rows hold at the end. A_0 is the rate at ``t_0 + (alpha_m - alpha_f) h``:
where h changes it is moved along the line through v'_0.

Arnold and Bruels, "Convergence of the generalized-alpha scheme for constrained mechanical systems",
Multibody Syst. Dyn. 18 (2007); Bruels, Cardona and Arnold, "Lie group generalized-alpha time
integration of constrained flexible multibody systems", Mech. Mach. Theory 48 (2012); states of
first order: Bruels and Golinval, "The generalized-alpha method in mechatronic applications", ZAMM
86 (2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.consistent import Start, consistent, settle, start_free
from flexforge.runtime.transient.coordinates.all import AllCoordinates
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear_form import LinearForm
from flexforge.runtime.transient.linear_solver import Direct, FactoredByKey, LinearSolver
from flexforge.runtime.transient.model import Model, Point
from flexforge.runtime.transient.newton import Inputs, Newton, Trial, no_inputs
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.step_end import StepEnd, StepState
from flexforge.runtime.transient.steppers.stepper import ModelStepper

#: Little damping of high frequencies.
DEFAULT = Scheme.generalized_alpha(0.8)
#: Central differences, centred: with beta = 0 the matrix of a step is masses and damping, never a
#: stiffness. Stable for ``h < 2 / omega``, with damping too (physics.md section 10). No rows.
CENTRAL_DIFFERENCES = Scheme(0.0, 0.0, 0.0, 0.5)


class GeneralizedAlpha(ModelStepper):
    """The implicit stepper.

    Parameters
    ----------
    model : Model
        The equations.
    scheme : Scheme
        Coefficients.
    tolerance : float
        Error of the rates of a step, relative, block by block.
    solver : LinearSolver
        Solves with the matrix of a step.
    inputs : callable, optional
        u of the time, s.
    newton : Newton, optional
        What solves the equations of steps, in place of the three before.

    Attributes
    ----------
    start : Start or None
        What the last `begin` found.
    """

    def __init__(
        self,
        model: Model,
        scheme: Scheme = DEFAULT,
        tolerance: float = 1e-10,
        solver: LinearSolver | None = None,
        inputs: Inputs = no_inputs,
        newton: Newton | None = None,
    ) -> None:
        self.model = model
        self.scheme = scheme
        self._newton = newton or Newton(model, solver or Direct(), tolerance, inputs)
        exact = FactoredByKey(self._newton.solver, model.space, self._newton.counts)
        self._all = AllCoordinates(exact)
        self.start: Start | None = None

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._newton.counts

    def begin(self, state: State, held: Sequence[int] = ()) -> State:
        """Return a state with a history; positions and velocities satisfy the rows.

        Raises
        ------
        InputError
            When the model has rows, and no acceleration moves a position within a step.
        """
        self.model.begin_step(state)
        if self.scheme.beta:
            start = self.start = consistent(self._newton, state, held)
        else:
            start = self.start = start_free(self._newton, state, "central_difference")
        rows = start.rows.astype(np.float64)
        history = pack(np.zeros(1), start.rate, start.rate, start.force, rows, np.zeros(0))
        return replace(start.state, history=history)

    def point(self, state: State) -> Point:
        """Return a state with its rates, multipliers and inputs."""
        _, _, rate, force, _, _ = unpack(state.history)
        return self._newton.point(state, rate, force)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later."""
        self.model.begin_step(state)
        (last,), average, rate, force, kept_rows, record = unpack(state.history)
        rows = kept_rows.astype(bool)
        v = np.concatenate([state.z, state.s])
        if last not in (0.0, h):
            average = rate + h / last * (average - rate)
        if self.model.linear is not None and not len(rows):
            return self._linear_step(
                self.model.linear, state, StepState(state.q, v, rate, average), h, to
            )
        if last != h and rows.any():
            here = self._newton.point(state, rate, force)
            shift = self.scheme.alpha_m - self.scheme.alpha_f
            off = 1.0 / 6.0 - 0.5 * shift - self.scheme.beta
            v, rate, average = settle(self._newton, here, average, rows, h, shift, off)
        trial = self._trial(state, v, h, to, average, rate)
        kept = self._newton.recalled(record, h, state.mode, rows)
        guess = (rate - trial.rate) / trial.a
        unknown, force, used = self._newton.solve(trial, state.mode, guess, force, rows, kept)
        self.counts.steps += 1
        z = len(state.z)
        v = trial.speed + trial.b * unknown
        q = self._newton.layout.manifold.retract(state.q, trial.increment + trial.c * unknown[:z])
        rate = trial.rate + trial.a * unknown
        history = pack(np.array([h]), unknown, rate, force, kept_rows, used.record)
        return State(to, q, v[:z], v[z:], state.mode, history)

    def _linear_step(
        self, form: LinearForm, state: State, now: StepState, h: float, to: float
    ) -> State:
        """Return the state one step later, by one solve."""
        z, none = len(state.z), np.zeros(0)
        padded = replace(now, q=np.concatenate([now.q, np.zeros_like(state.s)]))
        end = StepEnd(to, h, self.scheme, form.at(to, self._newton.inputs(to)))
        found = self._all.advance(padded, end)
        self.counts.steps += 1
        history = pack(np.array([h]), found.averaged, found.a, none, none, none)
        return State(to, found.q[:z], found.v[:z], found.v[z:], state.mode, history)

    def _trial(
        self, state: State, v: Floats, h: float, to: float, average: Floats, rate: Floats
    ) -> Trial:
        """Return the end of the step if the new averaged rate were zero."""
        increment, speed, rate = self.scheme.predicted(h, v, rate, average)
        a, b, c = self.scheme.factors(h)
        return Trial(to, h, a, b, c, rate, speed, increment[: len(state.z)], state.q)
