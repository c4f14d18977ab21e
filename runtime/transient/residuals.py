# SPDX-License-Identifier: BSD-3-Clause
"""Constraint residuals of tied bodies: recorded in a run, checked at its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.rates import Rates
from flexforge.runtime.constraints.rows import Rows

#: What is left of a constraint at the start, relative to the size of the state, that is no error.
_CLOSED = 1e-9


@dataclass
class Drift:
    """Largest residuals of the constraints so far, and the power that should be none.

    Attributes
    ----------
    position, velocity, acceleration : float
        Residuals of the three levels, m and rad, a second and a second squared.
    power, power_size : float
        Power of the forces of joints on all bodies together, and of their largest terms, W.
    """

    KEPT: ClassVar[tuple[str, ...]] = (
        "position",
        "velocity",
        "acceleration",
        "power",
        "power_size",
    )

    position: float = 0.0
    velocity: float = 0.0
    acceleration: float = 0.0
    power: float = 0.0
    power_size: float = 0.0

    def follow(self, rows: Rows, rates: Rates | None, q: Floats, v: Floats, a: Floats) -> None:
        """Take a state into account, with the constraints of positions and of velocities there."""
        left = [*rows.residuals(q, v, a)]
        if rates is not None:
            left[1] = np.concatenate([left[1], rates.velocity_left(v)])
            left[2] = np.concatenate([left[2], rates.acceleration_left(a)])
        now = [float(np.abs(one).max(initial=0.0)) for one in left]
        self.position = max(self.position, now[0])
        self.velocity = max(self.velocity, now[1])
        self.acceleration = max(self.acceleration, now[2])

    def follow_power(self, power: float, size: float) -> None:
        """Take the power at a time into account."""
        self.power, self.power_size = max(self.power, abs(power)), max(self.power_size, size)


def check_start(rows: Rows, rates: Rates | None, q: Floats, v: Floats) -> None:
    """Refuse a start that does not satisfy the constraints."""
    names = rows.pattern.names
    position, velocity, _ = rows.residuals(q, v, np.zeros_like(v))
    _require_closed(names, position, q, "displacement")
    _require_closed(names, velocity, v, "velocity")
    if rates is not None:
        _require_closed(rates.names, rates.velocity_left(v), v, "velocity")


def _require_closed(names: Sequence[str], left: Floats, given: Floats, what: str) -> None:
    """Refuse a state of which a constraint is open.

    Parameters
    ----------
    names : sequence of str
        Of the constraints.
    left : ndarray, (m,)
        What is left of them.
    given : ndarray, (n,)
        The state.
    what : str
        What of it, for the message.

    Raises
    ------
    InputError
        Naming the constraint that is open most.
    """
    size = float(np.abs(given).max(initial=0.0))
    worst = int(np.abs(left).argmax()) if len(left) else 0
    if len(left) and abs(left[worst]) > _CLOSED * max(size, 1.0):
        raise InputError(
            f"initial: '{names[worst]}' is open by {abs(left[worst]):.3g} in {what} at t = 0; "
            "expected an initial state that satisfies every joint and constraint"
        )
