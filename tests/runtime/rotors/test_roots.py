# SPDX-License-Identifier: BSD-3-Clause
"""Roots of rotors, beside beam theory by other means (rotor_equations) and figures of a textbook.

Figures: Friswell, Penny, Garvey, Lees (2010), examples 5.9.1 to 5.9.5 and 5.9.9, as the tests and
the manual of ROSS 2.3.0 print them, without its torsional modes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from rotor_equations import Array, Bearing, Piece, Rotor
from shafts import SPEED, TWO_DISCS, apart, on, roots, tables

#: Differences of roots, relative: 2e-12 are measured.
CLOSE = 2e-11
CROSSED = [[1e6, 5e5], [5e5, 1e6]]
OVERHUNG = on(replace(TWO_DISCS, discs=[replace(TWO_DISCS.discs[1], node=6)]), 1e7, nodes=(0, 4))
HERTZ = 2.0 * np.pi


def lateral(rotor: Rotor, speed: float, count: int) -> Array:
    """Return the lowest roots of a model that are lateral, in the order of their frequencies."""
    found = roots(tables(rotor, speed), count + 4)
    near = np.abs(found[:, None] / rotor.roots(speed) - 1.0).min(axis=1)
    return np.asarray(found[near < 1e-6][:count])


@pytest.mark.parametrize(
    ("rotor", "speed", "unit", "figures", "last"),
    [
        (on(TWO_DISCS, 1e6), 0.0, 1.0, [86.66, 86.66, 274.31, 274.31], 0.01),
        (on(TWO_DISCS, 1e6), SPEED, 1.0, [85.39, 87.80, 251.78, 294.71, 600.18], 0.01),
        (on(TWO_DISCS, 1e6), SPEED, 1.0,
         [85.38946700, 87.7958637, 251.78460413, 294.71333087, 600.17936195, 827.07536192], 1e-8),
        (on(TWO_DISCS, [1e6, 8e5]), 0.0, 1.0, [82.65, 86.66, 254.52, 274.31, 679.49], 0.01),
        (on(TWO_DISCS, [1e6, 8e5]), SPEED, 1.0,
         [82.32547398, 86.86369902, 239.64228361, 287.24958074, 583.48782916, 806.8872843], 1e-8),
        (on(TWO_DISCS, CROSSED), 0.0, HERTZ, [11.66, 14.80, 33.97, 49.19, 97.97, 126.61], 0.01),
        (on(TWO_DISCS, 1e6, 3e3), 0.0, HERTZ, [13.91, 13.91, 48.18, 48.18], 0.01),
        (on(TWO_DISCS, 1e6, 3e3), SPEED, HERTZ / 60.0,
         [821.83844862, 845.51158264, 2616.47783213, 3130.72229886], 1e-8),
        (OVERHUNG, 0.0, 1.0, [90.14, 90.14, 630.73, 630.73, 830.43, 830.43], 0.01),
        (OVERHUNG, SPEED, 1.0, [76.19, 103.91, 565.99, 634.23, 647.75, 1174.2], 0.01),
    ],
)  # fmt: skip
def test_figures_of_a_textbook(
    rotor: Rotor, speed: float, unit: float, figures: list[float], last: float
) -> None:
    """Natural frequencies to half of the last digit printed; 1e-11 is round-off of the models."""
    found = np.abs(lateral(rotor, speed, len(figures))) / unit
    assert found == pytest.approx(figures, rel=1e-11, abs=0.505 * last)


@pytest.mark.parametrize("speed", [SPEED, -SPEED])
@pytest.mark.parametrize(
    ("stiffness", "damping"),
    [
        ([1e6, 8e5], 0.0),
        (1e6, 3e3),
        ([[1e6, 5e5], [-5e5, 1e6]], 0.0),
        ([[1e6, 4e5], [-6e5, 9e5]], [[3e3, 5e2], [2e2, 2e3]]),
        ([[2e5, 4e4], [-3e4, 4e5]], [5e3, 2e4]),  # overdamped in part
    ],
)
@pytest.mark.parametrize("inner", [{}, {"alpha": 0.7, "beta": 2e-5}])
def test_roots_are_those_of_beam_theory(
    speed: float, stiffness: Any, damping: Any, inner: dict[str, float]
) -> None:
    """Isotropic, anisotropic and coupled bearings, with damping of the shaft, in both senses."""
    rotor = replace(on(TWO_DISCS, stiffness, damping), **inner)
    expected = rotor.roots(speed)
    expected = expected[np.argsort(abs(expected))][:6]
    assert apart(expected, roots(tables(rotor, speed), 10)) < CLOSE


def test_supports_with_masses_and_a_stepped_hollow_shaft() -> None:
    """Bearings between the shaft and masses on bearings of their own, at rest; mass of a seal."""
    law = np.array([[2e7, 3e6], [-4e6, 1e7]])
    drag = np.array([[4e3, 1e2], [3e2, 3e3]])
    rotor = Rotor(
        pieces=[Piece(0.2, 0.05), *[Piece(0.25, 0.08, 0.03)] * 3, *[Piece(0.3, 0.06, 0.02)] * 2],
        discs=TWO_DISCS.discs[:1],
        bearings=[
            Bearing(0, law, drag, carrier=7),
            Bearing(6, law.T, drag, carrier=8),
            Bearing(7, np.diag([5e7, 3e7]), 1e3 * np.eye(2)),
            Bearing(8, np.diag([4e7, 6e7]), 2e3 * np.eye(2)),
            Bearing(3, 1e5 * np.eye(2), drag, np.array([[4.0, 0.5], [0.5, 3.0]])),
        ],
        carriers=[8.0, 12.0],
    )  # fmt: skip
    for speed in (0.0, SPEED):
        expected = rotor.roots(speed)[:8]
        assert apart(expected, roots(tables(rotor, speed), 12)) < CLOSE
