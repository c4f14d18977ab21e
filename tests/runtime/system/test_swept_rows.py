# SPDX-License-Identifier: BSD-3-Clause
"""Matrices that are never in memory as a whole: their rows, products, and what is solved so."""

from __future__ import annotations

import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import blocked_of
from flexforge.runtime.system import construct, swept_rows
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.swept_body import SweptBody
from marks import slow
from models import PLANE, build, model, stressed

FREE = {"kind": "static", "solver": "matrix_free"}
LOAD = {"kind": "force", "group": "xmax", "total": [0.0, 1e5, 0.0]}
HELD: dict[str, Any] = {"supports": [{"group": "xmin"}], "loads": [LOAD]}
# Along x on a face, along y and z on edges of it: nodes with one, two and three components held.
PARTLY: dict[str, Any] = {
    "supports": [
        {"group": "xmin", "components": ["x"]},
        {"group": "xmin_ymin", "components": ["y"]},
        {"group": "xmin_zmin", "components": ["y", "z"]},
    ],
    "loads": [LOAD],
}
ASKEW = HELD | {
    "supports": [
        {"group": "xmin"},
        {"group": "ymax", "axes": {"x": [0.5, 0.8, 0.0]}, "components": ["x"]},
    ]
}
SPUN = HELD | {
    "body": {"frame": {"axis": [0.0, 0.6, 0.8], "velocity": 900.0}},
    "include": {"geometric": True},
}
BESIDE = HELD | {
    "masses": [{"name": "lump", "group": "corner1", "mass": 300.0}],
    "connectors": [
        {"name": "s", "kind": "spring", "at": "corner2", "stiffness": 2e9, "axis": [0, 1, 1]}
    ],
}
CASES = [
    ("hex8", [12, 10, 9], PARTLY),
    ("tet10", [5, 4, 4], HELD),
    ("tet4", [5, 4, 4], HELD),
    ("quad8", [30, 20], HELD),
    ("hex8", [7, 6, 5], ASKEW),
    ("hex20", [4, 3, 3], SPUN),
    ("hex8", [6, 5, 5], BESIDE),
]


@pytest.mark.parametrize(("cell", "divisions", "tables"), CASES)
def test_rows_and_products(monkeypatch, cell: str, divisions: list[int], tables: Any) -> None:
    """Rows that are made part by part are those of the matrix, to the last bit.

    But for the diagonal entries of a spring's rotation, which has no stiffness: they are as
    large as others.
    """
    monkeypatch.setattr(swept_rows, "_AT_ONCE", 100)
    swept, kept = (
        _rows(model(cell, divisions, **tables, analysis=analysis))
        for analysis in (FREE, FREE | {"solver": "amg"})
    )
    assert isinstance(swept, swept_rows.SweptRows) and not isinstance(kept, swept_rows.SweptRows)
    assert len(list(swept.parts())) > 1
    for low, high in swept.parts():
        found, wanted = swept.some(low, high), kept.some(low, high)
        assert (found.indptr == wanted.indptr).all() and (found.indices == wanted.indices).all()
        differs = (found.data != wanted.data).any(axis=(1, 2))
        assert differs.sum() <= (len(swept.system.bodies) > 1)
        np.testing.assert_array_max_ulp(found.data, wanted.data, 4)
    x = np.random.default_rng(0).standard_normal(swept.size)
    wanted, size = kept.matrix @ x, np.abs(kept.matrix).dot(abs(x)).max()
    np.testing.assert_allclose(swept.times(np.float64, 2) @ x, wanted, atol=1e-14 * size)


def _rows(spec: Any) -> Any:
    """Return the rows of a combination of all matrices, with the prestress of rotation."""
    turning = spec.include.geometric is True
    system = (stressed if turning else build)(spec).system
    assert not turning or system.bodies[0].geometric
    turn = np.array([[3.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])[
        : system.dimension, : system.dimension
    ]
    combinations = [
        Combination(1.5, 1e5 * turn, 0.7 * np.ones(len(body.geometric))) for body in system.bodies
    ]
    blocked = blocked_of(system, combinations)
    assert blocked is not None
    return blocked.rows


@pytest.mark.parametrize(
    ("cell", "divisions", "tables"), [CASES[0], CASES[1], CASES[4], CASES[5], CASES[6]]
)
def test_equilibria(tmp_path: Path, cell: str, divisions: list[int], tables: Any) -> None:
    """Of factors, with prestress, local axes, masses and connectors too."""
    probes = [{"name": "y", "group": "xmax", "component": "y"}]
    found, wanted = (
        run_model(
            model(cell, divisions, **tables, probes=probes, analysis=FREE | {"solver": solver}),
            output=tmp_path / solver,
        )
        for solver in ("matrix_free", "scipy")
    )
    assert str(found.figures["solver"]).startswith("amg (without its matrix)")
    values, expected = found.probes["y"].values, wanted.probes["y"].values
    assert expected.any()
    np.testing.assert_allclose(values, expected, rtol=1e-8)


SWEEPS = [(*case, case[0] != "tet4") for case in CASES if case[2] is not SPUN]


@pytest.mark.parametrize(("cell", "divisions", "tables", "sweeps"), SWEEPS)
def test_products_of_assembled_rows_sweep_where_that_pays(
    cell: str, divisions: list[int], tables: Any, sweeps: bool
) -> None:
    """They are those of the matrix, which goes once its levels are there."""
    system = build(model(cell, divisions, **tables, analysis=FREE | {"solver": "amg"})).system
    pencil = Pencil.at_rest(system)
    rows = pencil.blocked().rows
    assert isinstance(rows, swept_rows.KeptSweptRows) == sweeps
    x = np.random.default_rng(0).standard_normal(rows.size)
    wanted, size = rows.matrix @ x, np.abs(rows.matrix).dot(abs(x)).max()
    product = rows.times(np.float64, 2)
    np.testing.assert_allclose(product @ x, wanted, atol=1e-14 * size)
    single = rows.times(np.float32, 2) @ x.astype(np.float32)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, wanted, atol=1e-6 * size)
    matrix = weakref.ref(rows.matrix)
    del rows
    if sweeps:
        assert matrix() is None
    assert np.isfinite(product @ x).all()


def test_a_matrix_with_inertia_is_not_swept() -> None:
    """Masses are matrices, and reading two takes longer."""
    system = build(model("hex8", [4, 3, 3], **HELD)).system
    (plain,) = Pencil.at_rest(system).combinations
    for c in (replace(plain, inertia=np.eye(3)), plain.none):
        assert not isinstance(blocked_of(system, [c]).rows, swept_rows.KeptSweptRows)


@pytest.mark.parametrize("method", ["generalized_alpha", slow("midpoint")])
def test_implicit_steps(tmp_path: Path, method: str) -> None:
    """A spin-up, whose matrix has stiffness, inertia and prestress, all without being assembled."""
    analysis = {"kind": "transient", "method": method, "duration": 0.01, "steps": 10,
                "tolerance": 1e-12, "threads": 2}  # fmt: skip
    tables = SPUN | {
        "body": {"frame": {"axis": [0.0, 0.0, 1.0], "angle": "4e3*t**2"}},
        "probes": [{"name": "y", "group": "xmax", "component": "y"}],
    }
    found, wanted = (
        run_model(
            model("hex8", [6, 4, 4], **tables, analysis=analysis | {"solver": solver}),
            output=tmp_path / solver,
        )
        for solver in ("matrix_free", "scipy")
    )
    assert "without its matrix" in str(found.figures["solver"])
    values, expected = found.probes["y"].values, wanted.probes["y"].values
    np.testing.assert_allclose(values, expected, rtol=0.0, atol=1e-9 * np.abs(expected).max())


def test_a_matrix_that_fills_the_memory_is_not_assembled(monkeypatch) -> None:
    """By itself."""
    spec = model("hex8", [8, 8, 8], **HELD)
    monkeypatch.setattr(construct, "FILLED", 1e-9)
    assert isinstance(build(spec).system.bodies[0], SweptBody)


REVOLVED = {"hypothesis": "axisymmetric", "thickness": None}
TIED = [
    {
        "terms": [
            {"group": "corner1", "component": "y", "factor": 1.0},
            {"group": "corner2", "component": "y", "factor": -1.0},
        ]
    }
]


@pytest.mark.parametrize(
    ("cell", "tables", "message"),
    [
        ("quad8", {"body": REVOLVED}, "bodies of quad8_axisymmetric, which have no matrix-free"),
        ("hex8", {"equations": TIED}, "with equations; expected solids or plane elements"),
    ],
)
def test_models_without_sweeps_are_refused(cell: str, tables: Any, message: str) -> None:
    """In the words of the model file."""
    supports = [{"group": "xmin"}] if cell not in PLANE else [{"group": "ymin"}]
    with pytest.raises(InputError, match=message):
        build(model(cell, supports=supports, **tables, analysis=FREE))
