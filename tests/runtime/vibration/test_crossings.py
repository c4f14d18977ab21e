# SPDX-License-Identifier: BSD-3-Clause
"""Crossings of modes with order lines, of frequencies that are known in closed form."""

from __future__ import annotations

import pytest
from flexforge.runtime.vibration.crossings import Seen, refined, sought

REST = 160.54407296


def whirling(speed: float) -> Seen:
    """Return a forward whirl that is seen from a frame that turns: ``w = w0 - W``."""
    noise = 1e-6 * (1.0 if int(speed * 1e9) % 2 else -1.0)  # of eigenvalues
    return Seen(speed, 1j * (REST - speed + noise), 1e-7 if speed == 0.0 else 200.0, 0.99)


@pytest.mark.parametrize("sense", [0.0, 0.9, -1.0])
def test_a_whirl_that_is_double_at_rest(sense: float) -> None:
    """Its shape there is arbitrary, its crossing is not: ``w0 - W = n W`` at ``w0 / (n + 1)``.

    Another crossing has left solutions at speeds so close that they differ by round-off.
    """
    start, end = whirling(0.0), whirling(115.0)
    start = Seen(start.speed, start.value, start.apart, sense)
    nearby = [whirling(REST / 2 + shift) for shift in (0.0, 1e-7, -3e-7, 4e-7, 1e-6)]
    solved: list[float] = []

    def at(speed: float) -> Seen:
        solved.append(speed)
        return whirling(speed)

    (one,) = sought(start, end, [2, -2])
    found = refined(one, at, nearby)
    assert found is not None
    assert found.speed == pytest.approx(REST / 3, rel=1e-7)
    assert len(solved) <= 2
