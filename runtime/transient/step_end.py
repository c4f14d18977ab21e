# SPDX-License-Identifier: BSD-3-Clause
"""Equations at the end of a linear step, and the interface of its coordinates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.rates import Rates
from flexforge.runtime.constraints.rows import Rows
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.linear_form import LinearEquations
from flexforge.runtime.transient.scheme import Scheme

#: Times that constraints which depend on the place are taken there in a step.
MOST_CORRECTIONS = 20
_SETTLED = 1e-11
_NONE = np.zeros(0)


@dataclass(frozen=True, slots=True)
class StepState:
    """Coordinates and their rates at one time, (n,) each.

    Attributes
    ----------
    q, v, a : ndarray
        Positions, velocities, accelerations of the unknowns.
    averaged : ndarray
        The acceleration that the generalized-alpha method carries on, which is that of a time
        shifted by ``(alpha_m - alpha_f) h``.
    multipliers : ndarray, (m + k,)
        Forces of the constraints, those of velocities after those of positions: ``J^T`` times them
        acts on the unknowns. Empty where nobody has asked for them.
    momentum : ndarray
        Momenta of the coordinates that joints leave, in steps of Hamilton's pair.
    """

    q: Floats
    v: Floats
    a: Floats
    averaged: Floats
    multipliers: Floats = field(default_factory=lambda: _NONE)
    momentum: Floats = field(default_factory=lambda: _NONE)


@dataclass(frozen=True)
class StepEnd:
    """The end of a step.

    Attributes
    ----------
    time, step : float
        When it is, and how long the step, s.
    scheme : Scheme
        Method of integration.
    equations : LinearEquations
        Those at that time.
    """

    time: float
    step: float
    scheme: Scheme
    equations: LinearEquations

    @property
    def factors(self) -> tuple[float, float, float]:
        """What a unit of the averaged acceleration adds to accelerations, velocities, positions."""
        return self.scheme.factors(self.step)

    def predicted(self, state: StepState) -> tuple[Floats, Floats, Floats]:
        """Return positions, velocities and accelerations if the averaged one were zero.

        Parameters
        ----------
        state : StepState
            At the beginning of the step.
        """
        moved, v, a = self.scheme.predicted(self.step, state.v, state.a, state.averaged)
        moved += state.q
        return moved, v, a


@dataclass(frozen=True)
class SystemStepEnd(StepEnd):
    """The end of a step of bodies.

    Attributes
    ----------
    equations : Equations
        Those of the bodies at that time.
    """

    equations: Equations


@dataclass(frozen=True)
class TiedStepEnd(SystemStepEnd):
    """The end of a step of bodies that are tied to each other.

    Attributes
    ----------
    expected : ndarray, (n,)
        State that bodies are stiffened by.
    rows : Rows
        Constraints at that time.
    rates : callable, optional
        Constraints of velocities at that time, for a state (q, v), where there are any.
    """

    expected: Floats
    rows: Rows
    rates: Callable[[Floats, Floats], Rates] | None = None


class Coordinates(Protocol):
    """What a step is solved in: all coordinates, multipliers beside them, or what joints leave."""

    def begin(self, q: Floats, v: Floats, end: Any) -> StepState:
        """Return the state at the start, its accelerations and forces from the equations there."""

    def advance(self, state: StepState, end: Any) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """

    @property
    def solver_name(self) -> str:
        """Backend that factors."""

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
