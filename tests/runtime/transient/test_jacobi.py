# SPDX-License-Identifier: BSD-3-Clause
"""The Jacobi integral of Hamilton's pair: kept to round-off, reported where there is one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from blocks import LOADS, ORDERS, SOFT, SPUN, UNDAMPED, begin, block, finish, oscillator
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from marks import slow

STEADY: dict[str, dict[str, Any]] = {
    "planar": {"body": {"frame": {"velocity": 5.0}}},
    "spatial": {
        "body": {
            "frame": {
                "axis": [0, 0.6, 0.8], "velocity": 5.0,
                "origin": {"velocity": [0, 1.2, 1.6]},  # along the axis: constant in the frame
            }
        }
    },
}  # fmt: skip
CONSTANT = [{"kind": "body_force", "acceleration": [0.5, -2.0, 0]}]


def steady(name: str, steps: int, method: str, **tables: Any) -> ModelSpec:
    """Return a block in a frame of constant speed under constant loads, 0.01 s a step."""
    analysis = {
        "kind": "transient", "duration": 0.01 * steps, "steps": steps, "method": method,
    }  # fmt: skip
    given = {"materials": {"steel": UNDAMPED}, "loads": CONSTANT, "analysis": analysis}
    return block(name, steps, **(STEADY[name] | given | tables))


def drift(name: str, steps: int, method: str) -> float:
    """Return the largest change of the Jacobi integral over a run, relative to its terms."""
    run = finish(begin(steady(name, steps, method)), steps)
    assert run.jacobi is not None
    assert run.counts.factorizations == 1
    assert run.counts.solves == steps
    print(f"{name}, {method}, {steps} steps: {run.jacobi.largest_change:.1e}")
    return run.jacobi.largest_change


@pytest.mark.parametrize("method", [slow("midpoint"), "gauss4"])
@pytest.mark.parametrize("name", [slow("planar"), "spatial"])
def test_jacobi_integral(name: str, method: str) -> None:
    """Constant w: J is quadratic in (d, p), which Gauss methods keep, so only round-off is left.

    A step rounds the force k d at 1e-16 of its terms; 3000 such errors, were all of one sign, could
    reach 3e-13 of the energy.
    """
    assert drift(name, 3_000, method) < 3e-13


@pytest.mark.parametrize("method", ORDERS)
def test_sums_are_carried(method: str) -> None:
    """J of the oscillator, whose force rounds once, stays within 2 units in the last place.

    Without carrying what d and p round off it wanders by 4e-15 in as many steps.
    """
    swing = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.7, 0]}]
    run = begin(oscillator(10_000, method, {"velocity": 3.0}, initial=swing))
    assert run.jacobi is not None
    assert finish(run, 3_000).jacobi.largest_change < 5e-16


@pytest.mark.slow
@pytest.mark.parametrize("method", ORDERS)
def test_jacobi_integral_over_100_000_steps(method: str) -> None:
    """physics.md section 4, check 5: the same over thirty times as many steps, within 1e-11."""
    assert drift("spatial", 100_000, method) < 1e-11


def test_another_integral_would_show() -> None:
    """J without k_omega does not stay: the check can fail."""
    run = begin(steady("planar", 100, "midpoint"))
    assert run.jacobi is not None
    pair = run.stepper._pair
    still = [replace(pair.elastic[0], inertia=np.zeros((2, 2)))]
    run.stepper._pair = replace(pair, elastic=still)
    finish(run, 100)
    assert run.jacobi.largest_change > 1e-3


@pytest.mark.parametrize(
    "tables",
    [
        {"body": {"frame": SPUN}},
        {"loads": LOADS},
        {"loads": [{"kind": "gravity", "acceleration": [0, -2.0, 0]}]},
        {"body": {"frame": {"velocity": 5.0, "origin": {"velocity": [1.0, 0, 0]}}}},
        {"body": {"frame": {"velocity": 5.0, "origin": {"position": ["0.2*t*t", 0, 0]}}}},
        {"materials": {"steel": SOFT}},
    ],
    ids=["w", "pressure", "gravity", "gliding origin", "pushed origin", "damping"],
)
def test_no_integral_where_there_is_none(tables: dict[str, Any]) -> None:
    """Where w, v_O or a load changes in the frame, or damping acts, nothing is reported."""
    assert begin(steady("planar", 10, "midpoint")).jacobi is not None
    assert begin(steady("planar", 10, "midpoint", **tables)).jacobi is None


def test_gravity_along_the_axis_is_constant() -> None:
    """Gravity along a steady axis has constant components, so that J is kept."""
    loads = [{"kind": "gravity", "acceleration": [0, 1.2, 1.6]}]
    run = finish(begin(steady("spatial", 200, "gauss4", loads=loads)), 200)
    assert run.jacobi is not None
    assert run.jacobi.largest_change < 1e-13


def test_figures_of_a_run(tmp_path: Any) -> None:
    """The summary of a run with constant w has the integral and its largest change."""
    figures = run_model(steady("planar", 50, "gauss4"), output=tmp_path).figures
    assert figures["Jacobi integral"][1] == "J"
    assert figures["largest change of the Jacobi integral"] < 1e-13
    assert figures["steps"] == 50
