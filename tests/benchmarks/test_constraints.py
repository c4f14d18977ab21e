# SPDX-License-Identifier: BSD-3-Clause
"""The benchmark of mechanisms measures a mechanism that stays closed."""

from __future__ import annotations

import constraints
import numpy as np
import pytest
from support.balances import measure
from support.beam_modes import Beam
from support.paths import apart, middle
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


def test_the_textbook_beam_between_pins_has_the_textbook_frequencies():
    """Mass m L; modes ``(n pi / L)^2 sqrt(EI/m)``, stretch EA/L; without turns the same modes."""
    beam = Beam(length=0.3, elements=20, stretching=5.7e6, bending=12.7, mass=0.22)
    _, masses, motion = beam.masses()
    assert masses.sum() == pytest.approx(0.22 * 0.3)
    modes = beam.modes(4)
    stiffness = modes.T @ beam.stiffness() @ modes
    assert stiffness[0, 0] == pytest.approx(5.7e6 / 0.3)
    expected = [(n * np.pi / 0.3) ** 2 * (12.7 / 0.22) ** 0.5 for n in (1, 2, 3)]
    np.testing.assert_allclose(np.sqrt(np.diag(stiffness)[1:]), expected, rtol=1e-4)
    mass = np.einsum("p,pdi,pdj->ij", masses, motion, motion)
    np.testing.assert_allclose((modes.T @ mass @ modes)[1:, 1:], np.eye(3), atol=1e-9)
    nodal, heavy = beam.without_turns()
    nodes = np.sin(np.pi * np.arange(21) / 20)
    shape = np.zeros(42)
    shape[1::2] = nodes
    squared = (shape @ nodal @ shape) / (shape @ heavy @ shape)
    assert squared**0.5 == pytest.approx(expected[0], rel=1e-4)


def test_paths_are_compared_across_the_line_through_the_ends():
    """A rod from (0, 0) to (3, 4), its middle 0.5 to the left; paths 0.1 apart of a range of 2."""
    pin, end = np.zeros((1, 2)), np.array([[3.0, 4.0]])
    half = 0.5 * end + 0.5 * np.array([[-0.8, 0.6]])
    assert middle(pin, half, end) == [pytest.approx(0.5)]
    assert apart({"x, m": [0.0, 2.1]}, {"x, m": [0.0, 2.0]}) == {"x": pytest.approx(0.05)}


@pytest.mark.slow
def test_balances_of_the_robot_arm_settle_at_second_order():
    """Energy and momentum of an example miss their balance by the square of the step."""
    found = measure("robot_arm", 0.4, 400)
    assert found["steps"] == [400, 800, 1600]
    assert min(found[kind]["order"] for kind in ("energy", "momentum")) > 1.8
    assert found["momentum"]["largest, relative"][-1] < 1e-4
