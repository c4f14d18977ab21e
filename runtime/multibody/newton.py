# SPDX-License-Identifier: BSD-3-Clause
"""Newton's method for the steps of links whose motion is found, in C."""

from __future__ import annotations

import numpy as np
from flexforge.runtime import _multibody
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.transient.linear_solver import Direct
from flexforge.runtime.transient.newton import Kept, Newton, NotConvergedError, Trial
from numpy.typing import NDArray

#: Backend of the linear systems at the start; steps have factors of their own.
SOLVER = "scipy"
#: Expected ends of a step at most.
_MOST = 12


class FoundNewton(Newton):
    """Solves the equations of steps; factors are not kept from step to step.

    Parameters
    ----------
    model : MultibodyModel
        The equations.
    tolerance : float
        Error of the rates of a step, relative, block by block.
    """

    model: MultibodyModel

    def __init__(self, model: MultibodyModel, tolerance: float) -> None:
        super().__init__(model, Direct(SOLVER), tolerance, lambda _: np.zeros(0))
        self._steps: tuple[bytes, _multibody.Steps] | None = None

    def solve(
        self,
        trial: Trial,
        mode: NDArray[np.int64],
        unknown: Floats,
        force: Floats,
        rows: NDArray[np.bool_],
        kept: Kept | None,
    ) -> tuple[Floats, Floats, Kept]:
        """Return A, the multipliers, and no factors.

        Parameters and errors are those of `Newton.solve`.
        """
        del kept
        steps, counts, taken = self._prepared(rows), self.counts, 0
        unknown, force = np.append(unknown, 0.0), np.append(force, 0.0)
        for _ in range(_MOST):
            expected = None
            if self.model.is_expected:
                expected = self.reached(trial, unknown[:-1], force[:-1], mode)
                self.model.expect(expected)
            before = steps.factorizations, steps.solves
            done = self._solved(steps, trial, unknown, force)
            taken += steps.solves - before[1]
            counts.factorizations += steps.factorizations - before[0]
            counts.solves += steps.solves - before[1]
            if not done:
                break
            if expected is None or self.model.is_as_expected(
                self.reached(trial, unknown[:-1], force[:-1], mode), expected
            ):
                counts.most_solves = max(counts.most_solves, taken)
                return unknown[:-1], force[:-1], Kept(_none, np.zeros(0), None, 1.0)
        raise NotConvergedError(
            f"transient: the equations of the step to t = {trial.t:g} s do not converge: links "
            "that lock, a step too long, or forces beyond all bounds"
        )

    def _solved(
        self, steps: _multibody.Steps, trial: Trial, unknown: Floats, force: Floats
    ) -> bool:
        """Solve the equations with the stiffness of the model, from a guess and in its place."""
        size = self.model.poses.size
        return steps.solve(
            trial.a, trial.b, trial.c, np.append(trial.rate, 0.0), np.append(trial.speed, 0.0),
            np.append(trial.increment, 0.0), np.ascontiguousarray(trial.place[:size]),
            np.append(trial.place[size:], 0.0), *self.model.given(trial.t), unknown, force,
        )  # fmt: skip

    def _prepared(self, rows: NDArray[np.bool_]) -> _multibody.Steps:
        """Return what solves the steps with some of the rows."""
        if self._steps is None or self._steps[0] != rows.tobytes():
            independent = np.flatnonzero(rows).astype(np.int32)
            steps = self.model.steps(independent, self.tolerance)
            self._steps = rows.tobytes(), steps
        return self._steps[1]


def _none(right: Floats) -> Floats:
    raise AssertionError(f"no factors are kept for {right}")
