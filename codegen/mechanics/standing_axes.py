# SPDX-License-Identifier: BSD-3-Clause
"""The change from axes that turn with a body to axes that stand still.

It takes the terms of the turning frame at a unit angular velocity about n, block by block, whatever
they are written in: numbers, or densities whose operations a ledger counts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def in_standing_axes(
    mass: Any,
    coriolis: Any,
    centrifugal: Any,
    turn: Any,
    times: Callable[[Any, Any], Any],
    add: Callable[..., Any],
) -> tuple[Any, Any]:
    """Return ``c - m n~`` and ``k_omega + m n~ n~ - 2 c n~`` (physics.md, *Bodies that spin*).

    Twice the first are the gyroscopic matrix, at a unit speed.

    Parameters
    ----------
    mass, coriolis, centrifugal : matrices, (.., 3, 3)
        m, c and k_omega of a unit angular velocity, of a pair of vectors or of many.
    turn : matrix, (3, 3)
        n~ of the unit vector of the axis.
    times, add : callable
        The product of two matrices, and the sum of several.
    """
    carried = times(mass, turn)
    gyroscopic = add(coriolis, -carried)
    twice = add(coriolis, coriolis)
    return gyroscopic, add(centrifugal, times(carried, turn), -times(twice, turn))
