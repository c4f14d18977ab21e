# SPDX-License-Identifier: BSD-3-Clause
"""Many steps of a small system of tied bodies at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.constraints.generalized_speeds import twice
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.native.band import factor_bytes
from flexforge.runtime.native.constants import TiedConstants
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.step_end import State
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Unknowns and half band width up to which a banded matrix is factored at every step.
MOST_UNKNOWNS, WIDEST = 1500, 60
#: Steps computed at once: fewest and most, and the numbers of a state in all of them together.
FEWEST, MOST, NUMBERS = 256, 2048, 2**18


def steps_at_once(
    system: System, loads: Loads, joints: JointConstraints, scheme: Scheme, step: float,
    total: int, stiffened: Sequence[int], *, independent: bool,
) -> Steps | None:  # fmt: skip
    """Return what takes many steps of a system at once, or None where it is too large for that.

    Parameters are those of :class:`Steps`, and of the constants.
    """
    if joints.actuators is not None or system.unknowns > MOST_UNKNOWNS:
        return None
    found = TiedConstants(system, loads, joints, stiffened, independent=independent)
    return Steps(found, scheme, step, total) if found.band <= WIDEST else None


class Steps:
    """Steps of the generalized-alpha method in speeds that the joints leave.

    Parameters
    ----------
    constants : TiedConstants
        The system.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run: what lies beyond them need not be known of the motion.
    """

    solver_name = "native, banded"

    def __init__(self, constants: TiedConstants, scheme: Scheme, step: float, total: int) -> None:
        self._constants, self._step, self._total = constants, step, total
        self._most = max(FEWEST, min(MOST, NUMBERS // max(constants.size, 1)))
        self._begun = False
        self.tied = constants.tied(scheme)
        self.factor_bytes = factor_bytes(constants.ties.speeds, constants.band)

    def begin(self, time: float) -> None:
        """Choose the speeds at a time, s.

        Raises
        ------
        InputError
            When constraints depend on each other.
        """
        self._begun = True
        if self.tied.choose(self._constants.rows(time)):
            raise twice(self._constants.joints.pattern.names)

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
            When the equations of the first step cannot be solved or it grows beyond all bounds, or
            the mechanism locks.
        """
        count = max(min(self._most, self._total - number), 1)
        times: Floats = (number + 1.0 + np.arange(count, dtype=np.float64)) * self._step
        if not self._begun:
            self.begin(number * self._step)
        terms, error = self._constants.over(times)
        if not len(terms.force):
            assert error is not None
            raise error
        now = np.array([state.q, state.v, state.a, state.averaged])
        out = np.empty((len(terms.force), *now.shape))
        taken, unbounded = self.tied.run(
            self._step, terms.elastic, terms.viscous, terms.force, terms.rows, before, now, out
        )
        if unbounded and not taken:
            raise grown(times[0])
        if not taken:
            raise AnalysisError(
                f"transient: the equations of the step to t = {times[0]:g} s cannot be solved"
            )
        none = np.zeros(0)
        return [State(q, v, a, averaged, none) for q, v, a, averaged in out[:taken]]
