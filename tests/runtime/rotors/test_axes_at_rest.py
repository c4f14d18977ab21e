# SPDX-License-Identifier: BSD-3-Clause
"""A rotor in axes that stand still and in a frame that turns with it: one motion.

Roots of both descriptions differ by ``i w`` for shapes that travel around with one wave: whirl.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rotor_equations import Array, Bearing, Disc, Piece, Rotor
from shafts import (
    KAPPA,
    SPEED,
    TWO_DISCS,
    Tables,
    apart,
    histories,
    on,
    probes,
    response,
    roots,
    tables,
    unbalance,
)

#: The same in all directions across the axis, with damping at rest and in the shaft.
ALIKE = replace(on(TWO_DISCS, [[1e6, 3e5], [-3e5, 1e6]], [[1e3, 2e2], [-2e2, 1e3]]), beta=2e-5,
                alpha=0.7)  # fmt: skip
#: Stiff, of few nodes that all have inertia: its fastest vibration is slow.
SHORT = Rotor([Piece(0.4, 0.06), Piece(0.5, 0.06)],
              [Disc(0, 3.0, 0.02, 0.03), Disc(1, 40.0, 0.4, 0.75), Disc(2, 2.0, 0.015, 0.02)],
              kappa=KAPPA)  # fmt: skip
PLACES: dict[str, tuple[list[float], list[float]]] = {
    "x": ([1, 0, 0], [0, 0, 0]),
    "y": ([0, 1, 0], [0, 0, 0]),
    "z": ([0, 0, 1], [0, 0, 0]),
    "oblique": ([2 / 3, -1 / 3, 2 / 3], [0, 0, 0]),
    "beside": ([0, 0, 1], [0.3, -0.2, 0.1]),
    "oblique beside": ([2 / 7, 3 / 7, 6 / 7], [0.3, -0.2, 0.1]),
}


def travelling(found: Array, speed: float) -> Array:
    """Return what roots of a turning frame may be for an observer at rest."""
    both = np.concatenate([found, found.conj()])
    return np.concatenate([both + 1j * shift for shift in (0.0, speed, -speed)])


@pytest.mark.parametrize("speed", [SPEED, -SPEED])
def test_roots_of_both_descriptions(speed: float) -> None:
    """They differ by the speed of the rotor: to 2e-14, and to 6e-12 from those of beam theory."""
    still = roots(tables(ALIKE, speed), 12)
    turning = roots(tables(ALIKE, speed, turning="frame"), 14)
    assert apart(still, travelling(turning, speed)) < 1e-12
    assert apart(ALIKE.roots(speed)[:6], still) < 2e-11


@pytest.mark.parametrize("where", PLACES)
def test_the_axis_may_be_anywhere(where: str) -> None:
    """Along any direction and beside the origin: roots of a rotor along z."""
    axis, point = PLACES[where]
    rotor = replace(ALIKE, bearings=[*ALIKE.bearings, Bearing(3, np.diag([2e5, 4e5]))])
    found = roots(tables(rotor, SPEED, axis=axis, point=point), 10)
    assert apart(rotor.roots(SPEED)[:6], found) < 2e-11


def positions(step: float, turning: str, folder: Path) -> Array:
    """Return where the disc is, while the rotor is spun up under forces fixed in space."""
    rotor = replace(on(SHORT, [[4e6, 1e6], [-1e6, 4e6]], 1e3, nodes=(0, 2)), alpha=0.7, beta=2e-5)
    force = {"kind": "force", "group": "#1", "total": [0, 300, 0], "frame": "global"}
    data = tables(
        rotor,
        {"ramp": {"to": 200.0, "duration": 0.03}},
        turning=turning,
        loads=[{"kind": "gravity", "acceleration": [2.0, -9.81, 0.3], "amplitude": "(50*t)**4"},
               force | {"amplitude": "(50*t)**3"}, unbalance(1, 1e-3, 0.4)],
        probes=probes(1, quantity="position"),
        analysis={"kind": "transient", "method": "gauss4", "step": step, "duration": 0.03},
    )  # fmt: skip
    return histories(data, folder)[:: round(1e-3 / step), 1:]


def test_motions_of_both_descriptions(tmp_path: Path) -> None:
    """Spun up under weight, a force fixed in space and an unbalance; the error falls as h^4.

    Extrapolated to h = 0 the positions differ by 2e-8 of the largest displacement.
    """
    steps = (1e-3, 5e-4)
    still, turning = (
        np.array([positions(step, one, tmp_path) for step in steps]) for one in ("spin", "frame")
    )
    differences = np.abs(still - turning).max(axis=(1, 2))
    assert differences[0] / differences[1] == pytest.approx(16.0, rel=0.05)
    limits = [(16.0 * one[1] - one[0]) / 15.0 for one in (still, turning)]
    assert np.abs(limits[0] - limits[1]).max() < 1e-7 * np.abs(limits[0]).max()


@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_unbalances_of_both_descriptions(sense: float, tmp_path: Path) -> None:
    """A whirl along x at rest, of order 1, is a displacement in the frame, of order 0."""
    given: Tables = {
        "loads": [unbalance(2, 1e-3, 0.4), unbalance(4, 2e-3, "-50 deg")],
        "probes": probes(0, 2, 4),
    }
    analysis = {"kind": "harmonic", "speeds": [30.0, 86.0, 150.0, 280.0, 420.0]}
    data = tables(ALIKE, sense, analysis=analysis, **given)
    _, still = response(data, tmp_path)
    data = tables(ALIKE, sense, turning="frame", analysis=analysis | {"order": 0}, **given)
    _, turning = response(data, tmp_path)
    whirl = turning[:, ::2].real + 1j * sense * turning[:, 1::2].real
    assert np.allclose(still[:, ::2], whirl, rtol=1e-11, atol=0.0)
    assert np.allclose(still[:, 1::2], -1j * sense * whirl, rtol=1e-11, atol=0.0)


def test_damping_of_the_shaft_is_that_of_velocities_in_it(tmp_path: Path) -> None:
    """A shaft that whirls as it turns is not damped by its material: bent by an unbalance.

    The answer is that of a shaft without damping, and that of beam theory with it.
    """
    analysis = {"kind": "harmonic", "speeds": [60.0, 300.0]}
    given: Tables = {"loads": [unbalance(2, 1e-3)], "probes": probes(2), "analysis": analysis}
    rotor = replace(on(TWO_DISCS, 1e6, 1e3), beta=1e-3)
    _, damped = response(tables(rotor, 1.0, **given), tmp_path)
    _, free = response(tables(replace(rotor, beta=0.0), 1.0, **given), tmp_path)
    assert np.allclose(damped, free, rtol=1e-11, atol=0.0)
    expected = rotor.vibration(300.0, 300.0**2 * rotor.unbalanced(2, 1e-3))[rotor.at(2)]
    assert np.allclose(damped[1], expected, rtol=1e-11, atol=0.0)


def test_without_gyroscopic_moments_a_rotor_vibrates_as_at_rest() -> None:
    """Of the terms of w^2 nothing is left: stress of the rotation and inertia cancel."""
    rotor = on(TWO_DISCS, [1e6, 8e5])
    found = roots(tables(rotor, SPEED, include={"coriolis": False}), 9)
    assert apart(rotor.roots(0.0)[:6], found) < 2e-11
