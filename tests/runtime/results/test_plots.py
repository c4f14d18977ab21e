# SPDX-License-Identifier: BSD-3-Clause
"""Curves: readable units, no peak lost, gaps where there is no value."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.plots import curve, extremes
from flexforge.runtime.results.units import prefix


def test_prefix() -> None:
    """Prefixes are those that are customary: mm, MPa, never ks or km."""
    assert prefix(0.0132, "m") == (1e-3, "mm") and prefix(2.1e11, "Pa") == (1e9, "GPa")
    assert prefix(5e3, "s") == (1.0, "s") and prefix(5e3, "m") == (1.0, "m")
    assert prefix(3.0, "rad/s") == (1.0, "rad/s") and prefix(0.0, "m") == (1.0, "m")


def test_long_curves_keep_their_peaks() -> None:
    """Thinning out a long curve loses neither its ends nor its extremes."""
    t = np.linspace(0, 1, 100_003)
    y = np.sin(300 * t)
    y[54_321] = 7.0
    x, thin = extremes(t, y)
    assert len(x) < 4000 and thin.max() == 7.0 and thin.min() == y.min()
    assert x[0] == t[0] and x[-1] == t[-1] and (np.diff(x) > 0).all()


def test_a_curve_has_units() -> None:
    """Values and times are in the units it names; what is not finite is a gap."""
    found = curve(np.array([0.0, 0.002]), np.array([np.nan, -0.003]), "tip", "m")
    assert (found["name"], found["unit"], found["time"]) == ("tip", "mm", "ms")
    assert found["x"] == pytest.approx([0.0, 2.0])
    assert found["y"] == [None, pytest.approx(-3.0)]
