# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of mechanisms measures a mechanism that stays closed."""

from __future__ import annotations

import constraints
import pytest
from support.tied import formulations, solids


def test_the_loop_of_the_benchmark_is_closed():
    """Six equations a body; both ends of every joint are in one place to rounding."""
    found = constraints.measure(steps=20, repeats=1)
    assert found["equations"] == 6 * constraints.BODIES
    assert found["largest gap, m"] < 1e-14
    assert all(value > 0 for value in found["microseconds"].values())


@pytest.mark.parametrize("kind", ["chain", "loop"])
def test_ways_solve_for_as_many_unknowns_as_they_say(kind):
    """Ten links of one element: 120 coordinates, and 60 constraints, five a joint and one a driver.

    Positions stay closed by all ways, velocities by those that solve for speeds.
    """
    found = {one["way"]: one for one in formulations(kind, 10, 2)}
    counts = {way: one["unknowns"] for way, one in found.items()}
    assert counts == {"multipliers": 180, "Maggi": 60, "independent": 60}
    assert max(one["positions"] for one in found.values()) < 1e-12
    assert max(found[way]["velocities"] for way in ("Maggi", "independent")) < 1e-14


def test_arm_and_bar_of_solids_are_of_one_size():
    """Two links of 2 x 1 x 1 cells have 72 unknowns; a clamped bar of five cells has 60."""
    found = solids((2, 1), 1)
    assert [one["unknowns"] for one in found] == [60, 72, 72]
    assert found[0]["times one body"] == 1.0
