# SPDX-License-Identifier: BSD-3-Clause
"""Ellipses of two harmonic components: semi-axes, inclination, and the way they run."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.ellipses import ellipses


@pytest.mark.parametrize("degrees", [-60.0, -10.0, 0.0, 25.0, 80.0])
@pytest.mark.parametrize("sense", [1.0, -1.0])
def test_a_turned_ellipse_is_found(degrees: float, sense: float) -> None:
    """``a cos s`` and ``b sin s`` along axes that are turned, from any place on it."""
    a, b, angle = 3.0, 0.7, np.radians(degrees)
    first, second = a * np.exp(0.8j), -1j * sense * b * np.exp(0.8j)
    x = np.cos(angle) * first - np.sin(angle) * second
    y = np.sin(angle) * first + np.cos(angle) * second
    found = ellipses(x, y)
    assert found.major == pytest.approx(a)
    assert found.minor == pytest.approx(sense * b)
    assert np.degrees(found.inclination) == pytest.approx(degrees, abs=1e-9)


def test_axes_are_the_largest_and_least_radius() -> None:
    """Of random amplitudes, by looking along the orbit."""
    x, y = np.random.default_rng(5).standard_normal((2, 2, 40))
    x, y = x[0] + 1j * x[1], y[0] + 1j * y[1]
    turn = np.exp(2j * np.pi * np.linspace(0, 1, 20001))[:, None]
    z = (x * turn).real + 1j * (y * turn).real
    found = ellipses(x, y)
    assert found.major == pytest.approx(np.abs(z).max(axis=0), rel=1e-6)
    assert np.abs(found.minor) == pytest.approx(np.abs(z).min(axis=0), rel=1e-4, abs=1e-3)
    area = 0.5 * (z[:-1].conj() * z[1:]).imag.sum(axis=0)  # positive against the clock
    assert area == pytest.approx(np.pi * found.major * found.minor, rel=1e-6)
    far = z[np.abs(z).argmax(axis=0), np.arange(40)]
    assert np.abs(np.sin(np.angle(far) - found.inclination)).max() < 1e-2
