# SPDX-License-Identifier: BSD-3-Clause
"""Implicit steps with multigrid against factors: solutions, work, choice of the preconditioner."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.run import run_model
from flexforge.runtime.solvers import gmres as solve
from flexforge.runtime.solvers.gmres import GmresResult
from flexforge.runtime.statics import iterated
from flexforge.runtime.transient.linear import factors as kept
from flexforge.runtime.transient.linear.mass import MassFactors
from marks import slow
from models import build, model

#: A wave takes 16 us through an element of hex8.
LONG, SHORT = 5e-4, 1e-6  # s
TURNING: dict[str, Any] = {
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [0.0, 1e3, 0.0]}],
    "probes": [
        {"name": "y", "group": "xmax", "component": "y"},
        {"name": "x", "group": "xmax", "component": "x"},
    ],
}
SPUN = {"velocity": {"ramp": {"to": 3000.0, "duration": 20 * LONG}}}


def run(
    cell: str, solver: str, step: float, folder: Any, *, spun: bool = True, **analysis: Any
) -> Any:
    """Return the outcome of ten steps of a block under a force, in a frame that is spun up."""
    divisions = [12, 9, 9] if cell == "hex8" else [6, 4, 4]
    spec = model(
        cell,
        divisions,
        **TURNING,
        body={"frame": SPUN} if spun else {},
        analysis={
            "kind": "transient",
            "duration": 10 * step,
            "steps": 10,
            "solver": solver,
            "tolerance": 1e-11,
            **analysis,
        },
    )
    return run_model(spec, output=folder, overwrite=True)


def probes(outcome: Any) -> Any:
    """Return the probes over time, and what solved."""
    return np.array([outcome.probes[name].values for name in ("x", "y")])


@pytest.mark.parametrize(
    ("cell", "step", "name", "method"),
    [
        slow("hex8", LONG, "amg", "generalized_alpha"),
        ("tet10", LONG, "amg", "generalized_alpha"),
        ("hex8", SHORT, "amg (block Jacobi)", "generalized_alpha"),
        ("hex8", LONG, "amg", "midpoint"),
    ],
)
def test_steps_are_those_of_factors(
    cell: str, step: float, name: str, method: str, tmp_path
) -> None:
    """Coriolis and centrifugal forces too; a long step takes levels, a short one blocks."""
    wanted = run(cell, "scipy", step, tmp_path / "factors", method=method)
    found = run(cell, "amg", step, tmp_path / "multigrid", method=method)
    assert found.figures["solver"] == name
    (values, expected) = probes(found), probes(wanted)
    np.testing.assert_allclose(values, expected, atol=1e-7 * np.abs(expected).max())


def test_a_step_takes_few_iterations(tmp_path) -> None:
    """One V-cycle per iteration, where factors would be solved with: no nested iterations."""
    found = run("hex8", "amg", LONG, tmp_path, tolerance=1e-8)
    assert found.figures["factorizations"] == 1
    assert found.figures["solves per step"] <= 12


def test_stagnating_steps_are_factored(monkeypatch, tmp_path) -> None:
    """With no iterations to spare, factors go on, and the run says why."""
    wanted = run("hex8", "scipy", LONG, tmp_path / "factors", spun=False)

    def short(*args: Any, **keys: Any) -> GmresResult:
        return solve(*args, **keys | {"most_iterations": 3})

    monkeypatch.setattr(kept, "gmres", short)
    found = run("hex8", "amg", LONG, tmp_path / "multigrid", spun=False)
    (warning,) = found.warnings
    assert "instead of amg, which stagnates (residual" in warning
    np.testing.assert_allclose(
        probes(found), probes(wanted), atol=1e-7 * np.abs(probes(wanted)).max()
    )


@pytest.mark.parametrize("cell", ["hex8", "tet10", "hex20"])
def test_masses_are_solved_without_factors(cell: str) -> None:
    """Beside factors, of consistent masses; x is held at a face, so there are two parts."""
    tables = {"supports": [{"group": "xmin", "components": ["x"]}, {"group": "xmax"}]}
    system = build(model(cell, [7, 6, 5], **tables)).system
    rhs = np.random.default_rng(0).standard_normal(system.unknowns)
    wanted = MassFactors(system, "scipy").solve(rhs)
    found = MassFactors(system, "amg")
    np.testing.assert_allclose(found.solve(rhs), wanted, atol=1e-9 * np.abs(wanted).max())


def test_large_steps_take_multigrid_by_themselves(monkeypatch, tmp_path) -> None:
    """Where the estimate says so; the solver's name says what factors would have cost."""
    monkeypatch.setattr(iterated, "_LARGE", 1000)
    monkeypatch.setattr(iterated, "_SLOWER", 0.0)
    found = run("hex8", "auto", LONG, tmp_path)
    assert found.figures["solver"].startswith("amg (factors would take about ")
