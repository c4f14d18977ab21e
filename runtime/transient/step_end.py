# SPDX-License-Identifier: BSD-3-Clause
"""What a step of constrained motion knows at its end, and what it asks of a way through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.constraints.rates import Rates
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.scheme import Scheme
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Times that constraints which depend on the place are taken there in a step.
MOST_CORRECTIONS = 20
_SETTLED = 1e-11


@dataclass(frozen=True, slots=True)
class State:
    """Coordinates of a system and their rates at one time, (n,) each.

    Attributes
    ----------
    q, v, a : ndarray
        Displacements, velocities, accelerations of the unknowns.
    averaged : ndarray
        The acceleration that the generalized-alpha method carries on, which is that of a time
        shifted by ``(alpha_m - alpha_f) h``.
    multipliers : ndarray, (m + k,)
        Forces of the constraints, those of velocities after those of positions: ``J^T`` times them
        acts on the unknowns.
    """

    q: Floats
    v: Floats
    a: Floats
    averaged: Floats
    multipliers: Floats


@dataclass(frozen=True, slots=True)
class StepEnd:
    """The end of a step.

    Attributes
    ----------
    time, step : float
        When it is, and how long the step, s.
    scheme : Scheme
        Method of integration.
    equations : Equations
        Those at that time.
    rows : Rows
        Constraints at that time.
    rates : callable, optional
        Constraints of velocities at that time, for a state (q, v), where there are any.
    """

    time: float
    step: float
    scheme: Scheme
    equations: Equations
    rows: Rows
    rates: Callable[[Floats, Floats], Rates] | None = None

    @property
    def factors(self) -> tuple[float, float, float]:
        """What a unit of the averaged acceleration adds to accelerations, velocities, positions."""
        s, h = self.scheme, self.step
        return s.averaging, s.gamma * h, s.beta * h * h

    def predicted(self, q: Floats, v: Floats, a: Floats, averaged: Floats) -> tuple[Floats, ...]:
        """Return positions, velocities and accelerations if the averaged one were zero.

        Parameters
        ----------
        q, v, a, averaged : ndarray, (n,)
            State at the beginning of the step.
        """
        s, h = self.scheme, self.step
        return (
            q + h * v + h * h * (0.5 - s.beta) * averaged,
            v + h * (1.0 - s.gamma) * averaged,
            (s.alpha_m * averaged - s.alpha_f * a) / (1.0 - s.alpha_f),
        )


class ConstraintMethod(Protocol):
    """A way through the equations of constrained motion."""

    def advance(self, state: State, moment: StepEnd) -> State:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """

    def begin(self, q: Floats, v: Floats, moment: StepEnd) -> State:
        """Return the state at the start, its accelerations and forces from the equations there."""

    def forces(self, state: State, moment: StepEnd) -> Floats:
        """Return the multipliers (m + k,) of a state at the time of a moment."""

    solver_name: str  # backend that factors
    stiffened_at: float  # where in a step the bodies' own stress is taken: its end is at 1

    @property
    def unknowns(self) -> int:
        """Number of equations that are solved together."""

    def close(self) -> None:
        """Release the factors."""


def settled(change: Floats, size: Floats) -> bool:
    """Whether a correction is round-off."""
    return float(np.linalg.norm(change)) <= _SETTLED * float(np.linalg.norm(size))


def unsettled(time: float) -> AnalysisError:
    """Return the error of a step whose corrections do not end."""
    return AnalysisError(
        "transient: the constraints of velocities do not settle in the step to t = "
        f"{time:g} s: take shorter steps"
    )
