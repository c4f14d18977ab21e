# SPDX-License-Identifier: BSD-3-Clause
"""Linear displacements between the corners of quadratic elements, as a level of multigrid."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.runtime.solvers.corners import from_corners
from flexforge.runtime.statics import held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.rigid import layout_of
from flexforge.runtime.system.corners import linear_displacements
from models import build, model

CELLS = {
    "tet10": [3, 2, 2], "hex20": [3, 2, 2], "hex27": [3, 2, 2], "wedge15": [3, 2, 2],
    "quad8": [4, 3], "quad9": [4, 3], "tri6": [4, 3],
}  # fmt: skip
HELD = {"supports": [{"group": "xmin"}]}
# A face along an axis of its own, a component of another, and all of a third.
ASKEW: dict[str, Any] = {
    "supports": [
        {"group": "xmin"},
        {"group": "ymax", "axes": {"x": [0.5, 0.8, 0.0]}, "components": ["x"]},
        {"group": "zmin", "components": ["z"]},
    ]
}


@pytest.mark.parametrize("cell", CELLS)
def test_linear_fields_are_exact(cell: str) -> None:
    """Of corners' values of x + 2 y - 3 z + 4 come those of all nodes of straight elements."""
    (system, points) = _system(cell)
    d = system.dimension
    linear = linear_displacements(system)
    assert linear is not None
    field = points @ np.array([1.0, 2.0, -3.0])[: points.shape[1]] + 4.0
    wanted = np.repeat(field, d)
    corners = np.flatnonzero(np.diff(linear.tocsc().indptr)[::d])
    values = np.zeros(len(wanted))
    values.reshape(-1, d)[corners] = field[corners, None]
    assert len(corners) < 0.4 * system.size
    np.testing.assert_allclose(linear @ values, wanted, rtol=1e-13)


def _system(cell: str, **tables: Any) -> tuple[Any, Any]:
    places = build(model(cell, CELLS[cell], **tables))
    system = places.system
    (body,) = system.bodies
    points = np.empty((system.size, body.part.points.shape[1]))
    points[body.nodes] = body.part.points
    return system, points


@pytest.mark.parametrize("cell", ["hex8", "tri3"])
def test_linear_elements_have_no_such_level(cell: str) -> None:
    """Nothing lies between their corners."""
    assert (
        linear_displacements(build(model(cell, [3, 2, 2][: 3 if cell == "hex8" else 2])).system)
        is None
    )


def test_what_is_held_stays_held() -> None:
    """Rows of held components, and columns of corners that are held wholly, are not there."""
    system, _ = _system("hex20", **HELD)
    system.bodies[0].assemble()
    blocked = Pencil.at_rest(system).blocked()
    assert blocked is not None
    found = from_corners(blocked)
    assert found is not None
    interpolation, corners = found
    assert len(corners) == 3 * 3 * 3, "4 x 3 x 3 corners, of which a face is held"
    moved = np.abs(interpolation) @ np.ones(interpolation.shape[1])
    assert not moved.reshape(-1, 3)[~blocked.free].any()
    # A middle node between a held corner and a free one has half of the latter.
    assert set(np.unique(moved)) == {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("solver", "tables"), [("amg", HELD), ("amg", ASKEW), ("matrix_free", HELD)]
)
def test_a_level_of_linear_elements_saves_iterations(
    monkeypatch: pytest.MonkeyPatch, solver: str, tables: dict[str, Any]
) -> None:
    """A third at least of those with aggregates alone."""
    few, levels = _iterations(tables, solver)
    assert levels[1] <= 8 * 7 * 7 * 3, "the corners"
    monkeypatch.setattr("flexforge.runtime.statics.rigid.linear_displacements", lambda _: None)
    many, _ = _iterations(tables, solver)
    assert few <= many * 2 / 3


def _iterations(tables: dict[str, Any], solver: str) -> tuple[int, tuple[int, ...]]:
    divisions = [7, 6, 6]
    analysis = {"kind": "static", "solver": solver}
    system = build(model("hex20", divisions, **tables, analysis=analysis)).system
    for body in system.bodies:
        body.assemble()
    factors = held.factor_held(Pencil.at_rest(system), solver, "test")
    factors.solve(np.random.default_rng(0).standard_normal(system.unknowns))
    return factors.iterations, factors._preconditioner.levels


def test_nodes_without_unknowns_are_left_out() -> None:
    """A matrix of the unknowns has its nodes numbered without those that are held wholly."""
    system, _ = _system("tet10", **HELD)
    system.bodies[0].assemble()
    pencil = Pencil.at_rest(system)
    blocked = layout_of(system).blocked(pencil.stiffness)
    found, whole = from_corners(blocked), from_corners(pencil.blocked())
    assert found is not None and whole is not None
    nodes = np.unique(system.map.places // 3)
    assert len(nodes) < system.size
    used = whole[0].tocsr()[(nodes[:, None] * 3 + np.arange(3)).ravel()]
    assert found[0].shape == used.shape
    assert abs(found[0] - used).max() == 0.0
