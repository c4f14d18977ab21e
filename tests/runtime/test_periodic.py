# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of an oscillator under what repeats itself, in closed form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.vibration.periodic import series
from scipy.linalg import expm

from .test_harmonic import DAMPING, MASS, OMEGA, STIFFNESS, exact, oscillator, run

PERIOD = 2.0


def periodic(**changes: Any) -> dict[str, Any]:
    """Return an analysis of one mode."""
    analysis = {"kind": "periodic", "frequencies": [3.5], "period": [0.0, PERIOD], "modes": 1}
    return analysis | changes


def probes(folder: Path) -> np.ndarray:
    """Return times, displacement and velocity."""
    return np.loadtxt(folder / "probes.csv", delimiter=",", skiprows=1, ndmin=2)


def test_a_cosine_is_answered_as_a_harmonic_load(tmp_path: Path) -> None:
    """At two frequencies, one period after the other; the mean of the load deflects statically."""
    loads = [
        {"kind": "force", "group": "mass", "total": [3, 0, 0],
         "amplitude": f"2 + cos(2*pi*t/{PERIOD})"}
    ]  # fmt: skip
    tables = oscillator(periodic(frequencies=[2.0, 3.5], terms=2, instants=8), loads=loads)
    run(tables, tmp_path)
    found = probes(tmp_path)
    for number, f in enumerate((2.0, 3.5)):
        t = np.arange(8) / 8 / f
        rows = found[8 * number : 8 * number + 8]
        assert np.allclose(rows[:, 0], number / 2.0 + t, rtol=1e-12)
        answer = exact(np.array([f]))[0] * np.exp(2j * np.pi * f * t)
        # The cosine is taken as straight between 1024 instants.
        assert np.allclose(rows[:, 1], 6.0 / STIFFNESS + answer.real, atol=1e-7)
        assert np.allclose(rows[:, 2], (2j * np.pi * f * answer).real, atol=1e-5)


def test_a_square_wave_has_the_motion_that_repeats_itself(tmp_path: Path) -> None:
    """Beside the state whose half period under a constant force is its opposite."""
    points = [[0.0, 1.0], [PERIOD / 2, 1.0], [PERIOD / 2 + 1e-9, -1.0], [PERIOD, -1.0]]
    loads = [{"kind": "force", "group": "mass", "total": [3, 0, 0],
              "amplitude": {"points": points}}]  # fmt: skip
    f = 1.1
    tables = oscillator(periodic(frequencies=[f], terms=200, instants=16), loads=loads)
    run(tables, tmp_path)
    rates = np.array([[0.0, 1.0], [-STIFFNESS / MASS, -DAMPING / MASS]])
    rest = np.array([3.0 / STIFFNESS, 0.0])
    half = expm(rates * 0.5 / f)
    # x(T/2) = rest + half (x - rest) = -x
    start = np.linalg.solve(np.eye(2) + half, half @ rest - rest)
    times = np.arange(8) / 16 / f
    states = np.array([rest + expm(rates * t) @ (start - rest) for t in times])
    found = probes(tmp_path)
    # The jump is a slope between two of 6400 instants: it comes late by less than one of them.
    late = np.abs(states[:, 1]).max() / f / 6400
    assert np.allclose(found[:8, 1], states[:, 0], atol=late)
    assert np.allclose(found[8:, 1], -states[:, 0], atol=late)
    assert np.allclose(found[1:8, 2], states[1:, 1], atol=2e-3 * np.abs(states[:, 1]).max())


def test_supports_may_move_periodically(tmp_path: Path) -> None:
    """The ground as a cosine: ``(k + i w c) / (k - w^2 m + i w c)`` of its amplitude."""
    ground = {"group": "ground", "displacement": {"x": f"0.01*cos(2*pi*t/{PERIOD})"}}
    supports = [ground, {"group": "mass", "components": ["y", "z"]}]
    f = OMEGA / (2 * np.pi)
    tables = oscillator(periodic(frequencies=[f], terms=1), supports=supports, loads=[])
    run(tables, tmp_path)
    w, found = 2 * np.pi * f, probes(tmp_path)
    pushed = 0.01 * (STIFFNESS + 1j * w * DAMPING)
    answer = pushed * exact(np.array([f]), 1.0)[0] * np.exp(1j * w * found[:, 0])
    assert np.allclose(found[:, 1], answer.real, atol=1e-5 * np.abs(answer).max())


def test_series_of_straight_lines_are_exact() -> None:
    """Of a sawtooth from 0 to 1: ``1/2 - sum sin(n x) / (pi n)``, with a jump at the end."""
    found = series(lambda t: np.array([t - 3.0]), 3.0, 4.0, 30)[:, 0]
    n = np.arange(1, 31)
    assert found[0] == pytest.approx(0.5, rel=1e-12)
    assert np.allclose(found[1:].real, 0.0, atol=1e-12)
    assert np.allclose(found[1:].imag, 1.0 / (np.pi * n), rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"period": [1.0, 1.0]}, "analysis.period: found no time"),
        ({"frequencies": [0.0]}, "analysis.frequencies: found a frequency of 0 Hz"),
        ({"between": [1.0, 2.0]}, "found both of frequencies and between"),
        ({"instants": 1}, "analysis.instants"),
        ({"phase": 1}, "analysis.phase: unknown key"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        run(oscillator(periodic(**change)), tmp_path)
    assert said in str(error.value)
