# SPDX-License-Identifier: BSD-3-Clause
"""The lowest modes without factors, against those with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.statics import iterated
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.vibration import preconditioned, undamped
from flexforge.runtime.vibration.modes import solve_modes
from models import build, model, stressed

#: A bar of square section: pairs of equal bending frequencies.
BAR = [[x, y, z] for z in (0.0, 0.5) for x, y in ((0.0, 0.0), (2.0, 0.0), (2.0, 0.5), (0.0, 0.5))]
CLAMPED: dict[str, Any] = {"supports": [{"group": "xmin"}]}


def both(monkeypatch, pencil: Pencil, count: int = 8) -> tuple[Any, Any]:
    """Return modes with multigrid and with factors; the former must come from the iteration."""
    seen = []

    def lowest(*given: Any) -> Any:
        seen.append(preconditioned.lowest(*given))
        return seen[-1]

    monkeypatch.setattr(undamped, "lowest", lowest)
    found = undamped.solve_undamped(pencil, count, None, "amg")
    assert len(seen) == 1 and seen[0] is not None
    return found, undamped.solve_undamped(pencil, count, None, "scipy")


@pytest.mark.parametrize(
    ("cell", "divisions", "tables"),
    [
        ("hex8", [16, 5, 5], CLAMPED),
        ("hex8", [16, 5, 5], {}),
        ("hex8", [16, 5, 5], {"supports": [{"group": "xmin", "components": ["x"]}]}),
        ("tet10", [8, 3, 3], CLAMPED),
    ],
)
def test_modes_are_those_of_factors(
    cell: str, divisions: list[int], tables: Any, monkeypatch
) -> None:
    """Clamped, free, and free in part: six, and three rigid motions, and pairs of equal ones."""
    system = build(model(cell, divisions, corners=BAR, **tables)).system
    found, wanted = both(monkeypatch, Pencil.at_rest(system))
    highest = wanted.squares.max()
    np.testing.assert_allclose(found.squares, wanted.squares, rtol=1e-9, atol=1e-12 * highest)
    assert found.solver == "amg"
    inertia = Pencil.at_rest(system).inertia
    product = found.vectors.T @ (inertia @ found.vectors)
    np.testing.assert_allclose(product, np.eye(8), atol=1e-8)


def test_unstable_modes_are_found_too(monkeypatch) -> None:
    """Spun so fast, without the stress that would hold it, that spin softening wins."""
    spec = model(
        "hex8",
        [16, 5, 5],
        corners=BAR,
        **CLAMPED,
        body={"frame": {"velocity": 900.0}},
        include={"geometric": False, "coriolis": False},
    )
    system = stressed(spec).system
    found, wanted = (solve_modes(system, 4, None, 0.0, solver) for solver in ("amg", "scipy"))
    assert wanted.growth[0] > 100.0
    np.testing.assert_allclose(found.growth, wanted.growth, rtol=1e-8)
    np.testing.assert_allclose(found.frequencies, wanted.frequencies, rtol=1e-8)


def test_without_convergence_exact_solutions_go_on(monkeypatch) -> None:
    """The iteration gives up; Lanczos with an inner iteration has the modes."""
    monkeypatch.setattr(preconditioned, "_ROUNDS", 1)
    monkeypatch.setattr(preconditioned, "_AT_ONCE", 1)
    system = build(model("hex8", [16, 5, 5], corners=BAR, **CLAMPED)).system
    pencil = Pencil.at_rest(system)
    found = undamped.solve_undamped(pencil, 3, None, "amg")
    wanted = undamped.solve_undamped(pencil, 3, None, "scipy")
    np.testing.assert_allclose(found.squares, wanted.squares, rtol=1e-9)


def test_large_bodies_take_it_by_themselves(monkeypatch) -> None:
    """Where the estimate says so; near a shift they are factored."""
    monkeypatch.setattr(iterated, "_LARGE", 1000)
    monkeypatch.setattr(iterated, "_SLOWER", 0.0)
    system = build(model("hex8", [16, 5, 5], corners=BAR, **CLAMPED)).system
    found = solve_modes(system, 3, None, 0.0, "auto")
    assert found.solver.startswith("amg (factors would take about ")
    near = solve_modes(system, 3, 300.0, 0.0, "auto")
    assert not near.solver.startswith("amg")
