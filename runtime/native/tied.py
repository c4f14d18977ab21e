# SPDX-License-Identifier: BSD-3-Clause
"""Steps of tied bodies of few coordinates, in speeds that the joints leave."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.constraints.generalized_speeds import null_space, twice
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.native.ahead import Ahead
from flexforge.runtime.native.band import MOST_UNKNOWNS, WIDEST, factor_bytes
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.system_model import stiffened_bodies
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def small_constants(
    system: System, loads: Loads, joints: JointConstraints, *, independent: bool
) -> TiedConstants | None:
    """Return the constants of a system, or None where it is too large for steps at once.

    Parameters are those of ``TiedConstants``.
    """
    if joints.actuators is not None or system.unknowns > MOST_UNKNOWNS:
        return None
    stiffened = stiffened_bodies(system, loads)
    found = TiedConstants(system, loads, joints, stiffened, independent=independent)
    return found if found.band <= WIDEST else None


class TiedSteps(Ahead):
    """Steps of the generalized-alpha method in speeds that the joints leave.

    The history of a state has its accelerations, the averaged ones, positions one step before,
    those that were expected in the step, what is chosen of the speeds, and the length of the step.

    Parameters
    ----------
    constants : TiedConstants
        The system.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run.
    """

    def __init__(self, constants: TiedConstants, scheme: Scheme, step: float, total: int) -> None:
        self._constants, self._step = constants, step
        memory = factor_bytes(constants.ties.speeds, constants.band)
        self.start_ahead(total, Counts(factor_bytes=memory))
        self._tied = constants.tied(scheme)

    def begin(self, state: State) -> State:
        """Return a state with a history; the joints leave what is along its speeds.

        Raises
        ------
        InputError
            When constraints depend on each other.
        AnalysisError
            When a coordinate has no inertia.
        """
        n, constants = len(state.q), self._constants
        if self._tied.choose(constants.rows(state.t)):
            rows = constants.joints.at(state.t, ())
            Reducer(rows.pattern, null_space).choose(rows)  # says which constraints they are
            raise twice(rows.pattern.names)
        terms, _ = constants.over(np.array([state.t]))
        now = np.concatenate([state.q, state.z, np.zeros(2 * n)]).reshape(4, n)
        if not self._tied.settle(
            terms.elastic[0], terms.viscous[0], terms.force[0], terms.rows[0], now
        ):
            raise AnalysisError("transient: the mass matrix is singular; expected inertia")
        q, v, a, averaged = now
        before, chosen = q - self._step * v, self._tied.choice
        history = np.concatenate([a, averaged, before, q, chosen, [self._step]])
        return replace(state, q=q, z=v, history=history)

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later; every step factors its own matrix."""
        found = super().advance(state, h, to)
        self.counts.factorizations += 1
        return found

    def take(self, state: State, h: float, times: Floats) -> Floats:
        """Return what steps make of a state, a row each."""
        n, constants = len(state.q), self._constants
        self._tied.choice = state.history[4 * n : -1]
        terms, error = constants.over(times)
        if not len(terms.force):
            assert error is not None
            raise error
        a, averaged, before, _ = state.history[: 4 * n].reshape(4, n)
        if h != state.history[-1]:  # the step before, moved to one of another length
            ratio = h / state.history[-1]
            before = state.q - ratio * (state.q - before)
            averaged = a + ratio * (averaged - a)
        now = np.array([state.q, state.z, a, averaged])
        out = np.empty((len(terms.force), 6 * n + constants.ties.choices + 1))
        states = out[:, : 4 * n].reshape(len(out), 4, n)
        taken, unbounded = self._tied.run(
            h, terms.elastic, terms.viscous, terms.force, terms.rows, before, now, states,
            out[:, 6 * n : -1],
        )  # fmt: skip
        if not taken and unbounded:
            raise grown(times[0])
        if not taken:
            raise AnalysisError(
                f"transient: the equations of the step to t = {times[0]:g} s cannot be solved"
            )
        places = np.concatenate([[before, state.q], out[: taken - 1, :n]])
        out[:taken, 4 * n : 5 * n] = places[1:]
        out[:taken, 5 * n : 6 * n] = 2.0 * places[1:] - places[:-1]
        out[:, -1] = h
        return out[:taken]

    def point(self, state: State) -> Point:
        """Return a state with its accelerations and multipliers."""
        n, constants, none = len(state.q), self._constants, np.zeros(0)
        a, _, _, expected = state.history[: 4 * n].reshape(4, n)
        self._tied.choice = state.history[4 * n : -1]
        terms, _ = constants.over(np.array([state.t]))
        force = np.zeros(len(constants.joints.pattern.names))
        self._tied.multipliers(
            terms.elastic[0], terms.viscous[0], terms.force[0], terms.rows[0], expected,
            np.array([state.q, state.z, a]), force,
        )  # fmt: skip
        return Point(state.t, state.q, state.z, none, state.mode, a, force)

    def expected(self, state: State) -> Floats:
        """Return the coordinates that stiffened the bodies in the step that led to a state."""
        return np.asarray(state.history[3 * len(state.q) : 4 * len(state.q)])

    def known_end(self, state: State) -> None:
        """Return no end of a step: what led to a state is not kept."""
        del state

    @property
    def unknowns(self) -> int:
        """Number of speeds."""
        return self._constants.ties.speeds
