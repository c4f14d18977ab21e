# SPDX-License-Identifier: BSD-3-Clause
"""Many steps of a small system of tied bodies at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime import _steps
from flexforge.runtime.analyses.moment import State
from flexforge.runtime.analyses.scheme import Scheme
from flexforge.runtime.body import Body
from flexforge.runtime.compact.band import narrow
from flexforge.runtime.compact.forces import Forces
from flexforge.runtime.compact.matrices import Matrices
from flexforge.runtime.compact.motion import frames_over, inertia_blocks
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.constraints.reduction import Reducer
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.loads import Loads
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Unknowns and half band width up to which a banded matrix is factored at every step.
MOST_UNKNOWNS, WIDEST = 1500, 60
#: Steps computed at once.
AT_ONCE = 256


def steps_at_once(
    system: System, loads: Loads, joints: JointConstraints, reducer: Reducer, scheme: Scheme,
    step: float, total: int, stiffened: Sequence[Body],
) -> Steps | None:  # fmt: skip
    """Return what takes many steps of a system at once, or None where it is too large for that.

    Parameters are those of :class:`Steps`.
    """
    heated = any(body.heat for body in stiffened)  # whose stress is not that of displacements alone
    if heated or joints.actuators is not None or system.unknowns > MOST_UNKNOWNS:
        return None
    found = Steps(system, loads, joints, reducer, scheme, step, total, stiffened)
    return found if found.band <= WIDEST else None


class Steps:
    """Steps of the generalized-alpha method in speeds that the joints leave.

    Parameters
    ----------
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    joints : JointConstraints
        What ties them.
    reducer : Reducer
        Chooses the speeds.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run: what lies beyond them need not be known of the motion.
    stiffened : sequence of Body
        Bodies with a geometric stiffness of their own state.
    """

    def __init__(
        self, system: System, loads: Loads, joints: JointConstraints, reducer: Reducer,
        scheme: Scheme, step: float, total: int, stiffened: Sequence[Body],
    ) -> None:  # fmt: skip
        self._system, self._loads, self._joints = system, loads, joints
        self._reducer, self._scheme, self._step = reducer, scheme, step
        self._total = total
        self.solver_name = "LAPACK, banded"
        self._matrices = Matrices(system, stiffened)
        self._forces = Forces(system, loads)
        self._order, self.band = self._narrow()
        pointers, columns = reducer.free_pattern
        place = np.empty_like(self._order)
        place[self._order] = np.arange(len(self._order))
        self._layout = _steps.Layout(
            self._matrices.pointers, self._matrices.columns, pointers.astype(np.int32),
            place[columns].astype(np.int32), len(place), self.band,
        )  # fmt: skip
        s, h = scheme, step
        mass = (1.0 - s.alpha_m) / (1.0 - s.alpha_f)
        self._weights = np.array([
            h, mass, s.gamma * h, s.beta * h * h, (0.5 - s.beta) * h * h, (1.0 - s.gamma) * h,
            s.alpha_m, s.alpha_f,
        ])  # fmt: skip

    def take(self, number: int, state: State, before: Floats) -> list[State]:
        """Return the states after as many steps as are taken at once, without multipliers.

        Parameters
        ----------
        number : int
            Steps taken before.
        state : State
            Then.
        before : ndarray, (n,)
            Coordinates one step before.

        Raises
        ------
        AnalysisError
            When the equations of the first step cannot be solved, or the mechanism locks.
        """
        count = max(min(AT_ONCE, self._total - number), 1)
        times: Floats = (number + 1.0 + np.arange(count, dtype=np.float64)) * self._step
        mechanism = self._joints.mechanism
        course, error = mechanism.follow(times)
        times, links = times[: len(course.times)], course.frames
        if not len(times):
            assert error is not None
            raise error
        data = self._joints.over(links)
        free = self._reducer.over(data)
        if not len(free):  # other speeds from here on
            self._reducer.choose(Rows(self._joints.pattern, data[0]))
            free = self._reducer.over(data)
        times, links = times[: len(free)], links[: len(free)]
        system = self._system
        frames = frames_over(system.bodies, times, links)
        blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
        elastic, viscous = self._matrices.factors(blocks)
        speeds = self._reducer.speeds[self._order]
        known = (state.q, state.v, state.a, state.averaged)
        y = np.ascontiguousarray([speeds @ one for one in known])
        out = np.empty((len(times) + 1, 3, system.unknowns))
        out[0] = known[:3]
        stiffened = self._matrices.stiffened
        taken = _steps.run(
            self._layout, self._matrices.mass, self._matrices.bases, elastic, viscous,
            self._forces.over(times, frames, blocks), stiffened.indptr.astype(np.int32),
            stiffened.indices.astype(np.int32), stiffened.data, free, self._weights, before, y, out,
        )  # fmt: skip
        if not taken or not np.isfinite(out[taken]).all():
            raise AnalysisError(
                f"transient: the equations of the step to t = {times[0]:g} s cannot be solved"
            )
        return self._states(out[1 : taken + 1], free, y)

    def _states(self, out: Floats, free: Floats, y: Floats) -> list[State]:
        """Return states; the acceleration that is carried on is known of the last one."""
        none = np.zeros(0)
        found = [State(q, v, a, none, none) for q, v, a in out[:-1]]
        q, v, a = out[-1]
        along = self._reducer.free_matrix(free[len(out) - 1, 0])[:, self._order]
        return [*found, State(q, v, a, a + along @ (y[3] - y[2]), none)]

    def _narrow(self) -> tuple[NDArray[np.int64], int]:
        """Return an order of the speeds that makes the band narrow, and its half width."""
        from scipy.sparse import csr_matrix

        pointers, columns = self._reducer.free_pattern
        shape = (self._system.unknowns, self._reducer.unknowns)
        free = csr_matrix((np.ones(len(columns)), columns, pointers), shape=shape)
        return narrow((free.T @ self._matrices.pattern @ free).tocsr())
