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
        del mode, kept
        steps, counts = self._prepared(rows), self.counts
        before = steps.factorizations, steps.solves
        unknown, force = np.append(unknown, 0.0), np.append(force, 0.0)
        place = trial.place[: self.model.poses.size]
        d = np.append(trial.place[self.model.poses.size :], 0.0)
        done = steps.solve(
            trial.a, trial.b, trial.c, np.append(trial.rate, 0.0), np.append(trial.speed, 0.0),
            np.append(trial.increment, 0.0), np.ascontiguousarray(place), d,
            *self.model.given(trial.t), unknown, force,
        )  # fmt: skip
        taken = steps.solves - before[1]
        counts.factorizations += steps.factorizations - before[0]
        counts.solves += taken
        counts.most_solves = max(counts.most_solves, taken)
        if not done:
            raise NotConvergedError(
                f"transient: the equations of the step to t = {trial.t:g} s do not converge: "
                "links that lock, a step too long, or forces beyond all bounds"
            )
        return unknown[:-1], force[:-1], Kept(_none, np.zeros(0), None, 1.0)

    def _prepared(self, rows: NDArray[np.bool_]) -> _multibody.Steps:
        """Return what solves the steps with some of the rows."""
        if self._steps is None or self._steps[0] != rows.tobytes():
            independent = np.flatnonzero(rows).astype(np.int32)
            steps = self.model.steps(independent, self.tolerance)
            self._steps = rows.tobytes(), steps
        return self._steps[1]


def _none(right: Floats) -> Floats:
    raise AssertionError(f"no factors are kept for {right}")
