# SPDX-License-Identifier: BSD-3-Clause
"""Curves: readable units, no peak lost, gaps where there is no value."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.plots import curves, extremes
from flexforge.runtime.results.units import prefix
from flexforge.runtime.results.vectors import cleaned, families, without_round_off


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
    found = curves(np.array([0.0, 0.002]), [(Column("tip", "m"), np.array([np.nan, -0.003]))])
    assert (found["name"], found["unit"], found["time"]) == ("tip", "mm", "ms")
    (line,) = found["lines"]
    assert line["x"] == pytest.approx([0.0, 2.0])
    assert line["y"] == [None, pytest.approx(-3.0)]


def test_components_of_a_vector_share_a_diagram() -> None:
    """With one unit and scale, under what their names have in common."""
    columns = [
        (Column(f"pin {axis}", "N"), np.full(2, size))
        for axis, size in zip("xy", (1, 5e3), strict=True)
    ]
    found = curves(np.array([0.0, 1.0]), columns)
    assert (found["name"], found["unit"]) == ("pin", "kN")
    assert [(line["name"], line["y"][0]) for line in found["lines"]] == [("x", 1e-3), ("y", 5.0)]


PROBES = [
    {"name": "pin x", "joint": "pin", "quantity": "force", "component": "x"},
    {"name": "angle", "joint": "pin", "quantity": "coordinate"},
    {"name": "pin y", "joint": "pin", "quantity": "force", "component": "y"},
    {"name": "other x", "joint": "other", "quantity": "force", "component": "x"},
]


def test_vectors_are_those_of_one_joint_and_quantity() -> None:
    """In the order of the probes, whatever their names."""
    columns = [Column(one["name"], "N") for one in PROBES]
    assert families(columns, {"model": {"probes": PROBES}}) == [[0, 2], [1], [3]]
    assert families(columns, {}) == [[0], [1], [2], [3]], "results that do not say"


def test_round_off_of_a_vector_is_shown_as_0() -> None:
    """Below 1e-12 of the largest component at any time; other vectors have their own scale."""
    rows = np.array([[-13e3, 1e-9, 7e-9, 1e-9], [1.0, 0.0, 13e-9, np.nan]])
    shown = cleaned(rows, [[0, 2], [1], [3]])
    np.testing.assert_array_equal(shown, [[-13e3, 1e-9, 0.0, 1e-9], [1.0, 0.0, 13e-9, np.nan]])
    figures = {
        "pin x, peak": [-13e3, "N"], "pin x, time of the peak": [0.0, "s"],
        "pin y, peak": [7e-9, "N"], "other x, peak": [1e-9, "N"],
    }  # fmt: skip
    told = without_round_off(figures, {"model": {"probes": PROBES}})
    assert told == figures | {"pin y, peak": [0.0, "N"]}
