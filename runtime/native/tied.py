# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time of tied bodies of few coordinates: small systems, and those in shapes."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.constraints.joints import Reaction
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.native.steps import Steps
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.constrained import stiffened
from flexforge.runtime.transient.linear.factors import Counts
from flexforge.runtime.transient.residuals import require_closed
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.step_end import State
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class TiedMotion:
    """A motion in progress of tied bodies, in their coordinates or those of shapes.

    Parameters
    ----------
    constants : TiedConstants
        The bodies, their shapes and what ties them.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.

    Attributes
    ----------
    system : System
        The bodies, without stresses.
    constants : TiedConstants
        As given.
    time : float
        Time reached, s.
    state : State
        Coordinates (r,) then, and their rates.
    counts : Counts
        Steps, factorizations, solves.

    Raises
    ------
    InputError
        When the state at the start does not satisfy the joints, or these depend on each other.
    AnalysisError
        When a coordinate has no inertia.
    """

    def __init__(
        self, constants: TiedConstants, scheme: Scheme, step: float, total: int,
        displacement: Floats, velocity: Floats,
    ) -> None:  # fmt: skip
        self.system, self.constants = constants.system, constants
        self._step, self.time = step, 0.0
        self._steps = Steps(constants, scheme, step, total)
        self.counts = Counts(factor_bytes=self._steps.factor_bytes)
        self.solver_name = self._steps.solver_name
        self.state = self._begin(displacement, velocity)
        self._before, self._expected = self.state.q - step * self.state.v, self.state.q
        self._ahead: deque[State] = deque()

    @property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (N, d), m."""
        return self.constants.nodal(self.state.q)

    @property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (N, d), m/s."""
        return self.constants.nodal(self.state.v)

    @property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (N, d), m/s^2."""
        return self.constants.nodal(self.state.a)

    @property
    def multipliers(self) -> Floats:
        """Forces of the constraints at the time reached, (m,)."""
        joints = self.constants.joints
        if len(self.state.multipliers) < len(joints.pattern.names):
            terms, _ = self.constants.over(np.array([self.time]))
            found = np.zeros(len(joints.pattern.names))
            q, v, a = self.state.q, self.state.v, self.state.a
            self._steps.tied.multipliers(
                terms.elastic[0], terms.viscous[0], terms.force[0], terms.rows[0], self._expected,
                np.array([q, v, a]), found,
            )  # fmt: skip
            self.state = replace(self.state, multipliers=found)
        return self.state.multipliers

    @property
    def reactions(self) -> dict[str, Reaction]:
        """What the first link of every joint does to the second, by the joint's name."""
        return self.constants.joints.reactions(self.time, self.multipliers)

    def multiplier(self, name: str) -> float:
        """Return the generalized force that keeps a driver or a gear."""
        names = self.constants.joints.pattern.names
        last = len(names) - 1 - names[::-1].index(name)  # joints, which may share it, are first
        return float(self.multipliers[last])

    def stressed(self) -> System:
        """Return the bodies with the stresses that they had in the step to the time reached."""
        system, constants = self.system, self.constants
        state, frames = constants.nodal(self._expected), system.frames(self.time)
        return stiffened(system, constants.loads, constants.stiffened, state, self.time, frames)

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        old = self.state
        if not self._ahead:
            self._ahead.extend(self._steps.take(self.counts.steps, old, self._before))
        self._expected = 2.0 * old.q - self._before
        self.state, self._before = self._ahead.popleft(), old.q
        self.counts.steps += 1
        self.counts.factorizations += 1  # every step factors its own matrix
        self.counts.solves += 1
        self.counts.most_solves = 1
        self.time = self.counts.steps * self._step

    def figures(self) -> dict[str, Any]:
        """Return what a summary tells of the constraints."""
        left = self.constants.joints.at(self.time, ()).residuals(
            self.state.q, self.state.v, self.state.a
        )
        levels = zip(("positions", "velocities", "accelerations"), left, strict=True)
        return {
            "constraints": len(self.constants.joints.pattern.names),
            "equations of a step": self.constants.ties.speeds,
            **{
                f"residual of {name} at the end": float(np.abs(one).max(initial=0.0))
                for name, one in levels
            },
        }

    def close(self) -> None:
        """Release nothing: what is factored here is small."""

    def _begin(self, displacement: Floats, velocity: Floats) -> State:
        constants, none = self.constants, np.zeros(0)
        restrict = constants.system.restrict
        q, v = (constants.coordinates(restrict(one)) for one in (displacement, velocity))
        rows = constants.joints.at(0.0, ())
        position, rate, _ = rows.residuals(q, v, np.zeros_like(v))
        require_closed(rows.pattern.names, position, q, "displacement")
        require_closed(rows.pattern.names, rate, v, "velocity")
        terms, _ = constants.over(np.zeros(1))
        state = np.array([q, v, np.zeros_like(q), np.zeros_like(q)])
        self._steps.begin(0.0)
        if not self._steps.tied.settle(
            terms.elastic[0], terms.viscous[0], terms.force[0], terms.rows[0], state
        ):
            raise AnalysisError("transient: the mass matrix is singular; expected inertia")
        q, v, a, averaged = state
        return State(q, v, a, averaged, none)
