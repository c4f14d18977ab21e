# SPDX-License-Identifier: BSD-3-Clause
"""Steps of a small system in C: of bodies in prescribed frames, or tied to each other on links.

The same steps as those of ``transient.steppers``, of matrices that are factored whenever they
change instead of iterated with.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _native
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.generalized_speeds import null_space
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.native.build import build_model
from flexforge.runtime.native.constants import Constants
from flexforge.runtime.native.instance_steps import InstanceSteps
from flexforge.runtime.tables.memory import InMemory
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State


class NativeSteps(InstanceSteps):
    """Steps of a small system.

    The history of a state has its accelerations, and all else that C carries from step to step.

    Parameters
    ----------
    constants : Constants
        The system.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run, beyond which nothing need be known of the motion.
    """

    def __init__(self, constants: Constants, scheme: Scheme, step: float, total: int) -> None:
        super().__init__(total)
        self._constants, self._scheme = constants, scheme
        self._instance = _native.Instance(InMemory(build_model(constants, scheme, step)))
        ties = constants.ties
        bordered = 8 * constants.solved**2 if ties is not None and ties.multipliers else 0
        self._counts = Counts(factor_bytes=bordered or constants.order.factor_bytes)
        self._second = self._instance.second - 2 * constants.size
        self._expected = self._instance.expected - 2 * constants.size

    @property
    def unknowns(self) -> int:
        """Number of equations of a step that are solved together."""
        return self._constants.solved

    @property
    def counts(self) -> Counts:
        """Work done."""
        counts, ties = self._counts, self._constants.ties
        counts.steps = counts.solves = self._steps
        counts.most_solves = min(1, self._steps)
        if ties is None:
            counts.factorizations = self._instance.factorizations
        else:  # the matrix of every step, and the masses at the end of one that is canonical
            counts.factorizations = (2 if ties.canonical else 1) * self._steps
        return counts

    @property
    def solver_name(self) -> str:
        """What solves the equations of a step."""
        ties = self._constants.ties
        if ties is not None and ties.multipliers:
            return "native, with multipliers"
        return f"native, {self._constants.order.name}"

    @property
    def factors(self) -> Floats:
        """Factors of the constant matrices for displacements and velocities, (2, b), last used."""
        return self._instance.factors

    def begin(self, state: State) -> State:
        """Return a state with a history; of tied bodies as the joints allow, along their speeds.

        Raises
        ------
        InputError
            When constraints depend on each other.
        AnalysisError
            When a coordinate has no inertia, or a function of time no value.
        """
        row = np.empty(self._instance.width)
        code = self._instance.begin(state.t, state.q, state.z, row)
        if code == _native.SINGULAR:
            raise self._without_inertia(state.t)
        if code:
            raise self._failed(code, state.t)
        return self._state(state.t, row)

    def leap(self, state: State, h: float, times: Floats, *, each: bool) -> list[State]:
        """Return the states after steps in one go; of tied bodies none, as ends are looked at."""
        if self._constants.ties is not None:
            return []
        return super().leap(state, h, times, each=each)

    def _state(self, t: float, row: Floats) -> State:
        n = self._constants.size
        return State(t, row[:n], row[n : 2 * n], history=row[2 * n :])

    def _row(self, state: State) -> Floats:
        return np.concatenate([state.q, state.z, state.history])

    def point(self, state: State) -> Point:
        """Return a state with its accelerations and multipliers."""
        n, none, joints = len(state.q), np.zeros(0), self._constants.joints
        a = state.history[self._second : self._second + n]
        if joints is None:
            return Point(state.t, state.q, state.z, none, state.mode, a)
        force = np.zeros(len(joints.pattern.names))
        self._instance.set(self._row(state))
        if code := self._instance.joint_forces(state.t, force):
            raise self._failed(code, state.t)
        return Point(state.t, state.q, state.z, none, state.mode, a, force)

    def expected(self, state: State) -> Floats:
        """Return the coordinates that stiffened tied bodies in the step that led to a state."""
        return np.asarray(state.history[self._expected : self._expected + len(state.q)])

    def known_end(self, state: State) -> None:
        """Return no end of a step: what led to a state is not kept."""
        del state

    def _without_inertia(self, t: float) -> Exception:
        """Return why there are no accelerations at a start."""
        joints = self._constants.joints
        if joints is None:
            return AnalysisError("transient: the mass matrix contains NaN or infinity")
        rows = joints.at(t)
        Reducer(rows.pattern, null_space).choose(rows)  # says which constraints depend on others
        return AnalysisError("transient: the mass matrix is singular; expected inertia")

    def _failed(self, code: int, t: float) -> Exception:
        if code == _native.UNBOUNDED:
            return grown(t, explicit=self._scheme.explicit)
        if code == _native.SINGULAR:
            return AnalysisError(
                f"transient: the equations of the step to t = {t:g} s cannot be solved"
            )
        # What time alone makes failed: where it is computed one by one, it says what it is.
        system, loads = self._constants.system, self._constants.loads
        frames = system.frames(t)
        loads.at(t, system.spins_of(frames), frames)
        return grown(t, explicit=self._scheme.explicit)  # a load that is defined, and too large


def factors_at(constants: Constants, time: float) -> Floats:
    """Return the factors of the constant matrices for displacements and velocities, (2, b).

    Parameters
    ----------
    constants : Constants
        A system in prescribed frames.
    time : float
        Time, s.

    Raises
    ------
    AnalysisError
        When a function of time has no value then.
    """
    steps = NativeSteps(constants, Scheme(0.0, 0.0, 0.25, 0.5), 1.0, 0)
    steps.begin(State(time, *np.zeros((2, constants.size))))
    return steps.factors
