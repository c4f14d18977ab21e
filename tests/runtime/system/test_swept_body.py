# SPDX-License-Identifier: BSD-3-Clause
"""Bodies without assembled stiffness against those with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.run import run_model
from flexforge.runtime.system import construct, swept_body
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.swept_body import SweptBody
from marks import slow
from models import ALL, DISTORTED, PLANE, SQUARE, build, model, stressed

SPUN = {"frame": {"velocity": {"ramp": {"to": 300.0, "duration": 1e-4}}}}
DAMPED = {
    "young": 2e11,
    "poisson": 0.3,
    "density": 7800.0,
    "damping": {"alpha": 90.0, "beta": 1e-7},
}


def combination(d: int, patterns: int) -> Combination:
    """Return one in which everything acts, and nothing is symmetric."""
    rng = np.random.default_rng(0)
    factors = rng.standard_normal(patterns)
    return Combination(1.7, 1e6 * rng.standard_normal((d, d)), 1e9 * factors)


#: The kernels of their products are derived here: two cells of the plane, and three solids.
QUICK = ("tri3", "quad8", "tet4", "pyramid5", "hex8")


@pytest.mark.parametrize("cell", [cell if cell in QUICK else slow(cell) for cell in ALL])
def test_products_are_those_of_the_matrix(cell: str) -> None:
    """Of distorted cells under the stress of rotation, with two threads."""
    corners = SQUARE if cell in PLANE else DISTORTED
    spec = model(
        cell,
        corners=corners,
        body={"frame": {"velocity": 50.0}},
        supports=[{"group": "xmin"}],
        analysis={"kind": "static", "threads": 2},
    )
    (body,) = stressed(spec).system.bodies
    swept = SweptBody.instead_of(body)
    assert type(swept) is SweptBody
    d, patterns = body.dimension, len(body.geometric)
    assert patterns
    q, v, a = np.random.default_rng(1).standard_normal((3, len(body.points), d))
    one, other = combination(d, patterns), Combination(0.3, np.eye(d), np.zeros(patterns))
    for found, wanted in (
        (swept.apply(one, q), body.apply(one, q)),
        (swept.inner(one, other, q, v, a), body.inner(one, other, q, v, a)),
        (swept.mass_times(q), body.mass_times(q)),
    ):
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=1e-12 * np.abs(wanted).max())
    assert swept.stiffest == pytest.approx(body.stiffest, rel=1e-12)
    assert "stiffness" not in vars(swept)


def run(folder: Path, monkeypatch: Any, *, swept: bool, **tables: Any) -> Any:
    """Return the outcome of steps of central differences, and whether bodies were swept."""
    monkeypatch.setattr(construct, "_SMALL", 0 if swept else 1 << 40)
    spec = model(
        "hex8",
        [8, 8, 8],
        supports=[{"group": "xmin"}],
        loads=[{"kind": "force", "group": "xmax", "total": [0.0, 1e3, 0.0]}],
        probes=[{"name": "y", "group": "xmax", "component": "y"}],
        analysis={"kind": "transient", "duration": 1e-4, "steps": 20,
                  "method": "central_difference", "mass": tables.pop("mass", "lumped")},
        **tables,
    )  # fmt: skip
    assert isinstance(build(spec).system.bodies[0], SweptBody) is swept
    return run_model(spec, output=folder, overwrite=True)


@pytest.mark.parametrize(
    "tables",
    [
        {},
        {"mass": "consistent"},
        {"body": SPUN},
        {"body": SPUN, "include": {"geometric": True}, "materials": {"steel": DAMPED}},
    ],
)
def test_explicit_steps_are_those_of_matrices(tables: Any, monkeypatch, tmp_path) -> None:
    """At rest, with all inertia forces, with prestress and damping."""
    found = run(tmp_path / "swept", monkeypatch, swept=True, **dict(tables))
    wanted = run(tmp_path / "matrix", monkeypatch, swept=False, **dict(tables))
    values, expected = found.probes["y"].values, wanted.probes["y"].values
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=1e-10 * np.abs(expected).max())
    left = [one.figures["residual at the end"] for one in (found, wanted)]
    assert left[0] == pytest.approx(left[1], rel=1e-3, abs=1e-12)


@pytest.mark.parametrize(
    ("cell", "pays"), [("hex8", True), ("tet10", True), ("tri3", False), ("tet4", False)]
)
def test_where_many_elements_meet_matrices_are_faster(
    cell: str, *, pays: bool, monkeypatch
) -> None:
    """As measured: tet4 takes 1.4 times as long without its matrix, tet10 a third."""
    monkeypatch.setattr(construct, "_SMALL", 0)
    spec = model(
        cell,
        [12] * (2 if cell in PLANE else 3),
        analysis={"kind": "transient", "duration": 1e-9, "steps": 1,
                  "method": "central_difference"},
    )  # fmt: skip
    assert isinstance(build(spec).system.bodies[0], SweptBody) is pays


def test_without_a_compiler_matrices_are_assembled(monkeypatch) -> None:
    """The product is compiled when it is first needed."""

    def no_compiler(*_: Any) -> Any:
        raise InputError("no compiler")

    monkeypatch.setattr(swept_body, "kernels_of", no_compiler)
    (body,) = build(model("hex8")).system.bodies
    assert SweptBody.instead_of(body) is body
