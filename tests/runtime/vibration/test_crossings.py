# SPDX-License-Identifier: BSD-3-Clause
"""Crossings of modes with order lines, of frequencies that are known in closed form."""

from __future__ import annotations

from threading import Thread

import pytest
from flexforge.runtime.vibration.crossings import Crossing, Seen, refined, sought

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


def test_a_speed_at_which_another_mode_was_solved_may_be_the_crossing() -> None:
    """The root of the curve is a speed at which the mode is known: there is nothing to solve."""

    def seen(speed: float) -> Seen:
        return Seen(speed, 1j * (REST - speed), 200.0, 0.99)

    (one,) = sought(seen(40.0), seen(115.0), [1, -1])
    near = REST / 2 * (1.0 + 2.3e-16)
    assert one.measure(seen(near)), "not zero, but round-off"
    found: list[Crossing | None] = []
    solving = Thread(target=lambda: found.append(refined(one, seen, [seen(near)])), daemon=True)
    solving.start()
    solving.join(20.0)
    assert found and found[0] is not None, "it ends"
    assert found[0].speed == pytest.approx(REST / 2, rel=1e-14)
