# SPDX-License-Identifier: BSD-3-Clause
"""What is noticed along a path of equilibria: limits of the loads, bifurcations, jumps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from flexforge.runtime.finite.load_steps import PathPoint
from flexforge.runtime.observe.record import Figures
from flexforge.runtime.statics.balance import Balance

#: Change of the unknowns in a step relative to what their rates at both ends say, of a jump.
_JUMP = 2.0


@dataclass
class Course:
    """A path of equilibria so far.

    Attributes
    ----------
    balance : Balance
        The equations.
    last : PathPoint, optional
        Its last point.
    count, corrections : int
        Points so far, and corrections of all of them.
    limits : list of float
        Load factors at which loads turn.
    crossings : list of float
        Load factors at which stability changes without a limit.
    jumps : list of (float, float)
        Load factors between which the state leaves its path.
    """

    balance: Balance
    last: PathPoint | None = None
    count: int = 0
    corrections: int = 0
    limits: list[float] = field(default_factory=list)
    crossings: list[float] = field(default_factory=list)
    jumps: list[tuple[float, float]] = field(default_factory=list)

    def follow(self, point: PathPoint, locate: Callable[[PathPoint, PathPoint], float]) -> None:
        """Include the next point.

        Parameters
        ----------
        point : PathPoint
            The point.
        locate : callable
            Returns the load factor at which stability changes between two points.
        """
        before, self.last = self.last, point
        self.count += 1
        self.corrections += point.state.corrections
        if before is None:
            return
        step = float(np.linalg.norm(self.balance.change(point.state.q, before.state.q)))
        rise = point.state.factor - before.state.factor
        turns = before.slope * point.slope < 0.0
        if turns:
            self.limits.append(_extreme(before, point, step))
        elif abs(rise) < step / _JUMP * min(abs(before.slope), abs(point.slope)):
            self.jumps.append((before.state.factor, point.state.factor))
            return
        if before.negative is None or point.negative is None:
            return
        if abs(point.negative - before.negative) > turns:
            factor = before.state.factor + 0.5 * rise
            self.crossings.append(factor if turns else locate(before, point))

    @property
    def _reached(self) -> PathPoint:
        assert self.last is not None
        return self.last

    def figures(self) -> Figures:
        """Return the figures of the path."""
        last = self._reached
        found: Figures = {
            "load factor": last.state.factor,
            "points of the path": self.count,
            "corrections": self.corrections,
        }
        if self.limits:
            found["limit points at load factors"] = self.limits
        if self.crossings:
            found["bifurcations at load factors"] = self.crossings
        if last.negative:
            found["negative eigenvalues at the end"] = last.negative
        return found

    def warnings(self) -> list[str]:
        """Return what a user should know about the path."""
        last = self._reached
        said = [
            f"static analysis: the state jumps between load factors {before:.4g} and {after:.4g}, "
            'where no equilibrium is near; analysis.path = "arc_length" shows what is between'
            for before, after in self.jumps
        ]
        said += [
            f"static analysis: at load factor {factor:.4g} the stability of the equilibrium "
            "changes without a limit of the loads: another path begins there (bifurcation)"
            for factor in self.crossings
        ]
        if last.negative:
            said.append(
                "static analysis: the last equilibrium is unstable: its stiffness has "
                f"{last.negative} negative eigenvalue{'s' * (last.negative > 1)}"
            )
        if last.state.factor < 1.0:
            said.append(
                f"static analysis: the path ends after {self.count} points at load factor "
                f"{last.state.factor:.4g}; expected more of them (analysis.points) to reach 1"
            )
        return said


def _extreme(before: PathPoint, after: PathPoint, step: float) -> float:
    """Return the load factor at a limit between points, of the cubic through both with slopes."""
    low, high = before.state.factor, after.state.factor
    a, b = step * before.slope, step * after.slope
    cubic = np.polynomial.Polynomial(
        [low, a, 3 * (high - low) - 2 * a - b, 2 * (low - high) + a + b]
    )
    at = np.asarray(cubic.deriv().roots(), dtype=complex)
    inside = at.real[(at.imag == 0.0) & (at.real >= 0.0) & (at.real <= 1.0)].tolist()
    return float(cubic(inside[0])) if inside else 0.5 * (low + high)
