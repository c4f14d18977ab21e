# SPDX-License-Identifier: BSD-3-Clause
"""Blocks that share nodes, and blocks in cylindrical coordinates."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import check_part, structured
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.join import join
from flexforge.runtime.mesh.merge import merge
from flexforge.runtime.mesh.overlaps import overlap_remarks
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh
from marks import slow

E, NU = 210e9, 0.3
TURN = 2 * np.pi


def block(cell: str, *corners: Any, divisions: list[int], **more: Any) -> dict[str, Any]:
    """A block of a model."""
    return {"cell": cell, "corners": [list(one) for one in corners], "divisions": divisions, **more}


def square(x: float, width: float, divisions: list[int], cell: str = "quad8") -> dict[str, Any]:
    """A block of height 1 from x on."""
    return block(cell, [x, 0], [x + width, 0], [x + width, 1], [x, 1], divisions=divisions)


def ring(first: Any, last: Any, cells: int, cell: str = "quad8") -> dict[str, Any]:
    """A piece of a ring with radii 1 and 2."""
    corners = [1, first], [2, first], [2, last], [1, last]
    return block(cell, *corners, divisions=[6, cells], coordinates="cylindrical")


def model(mesh: dict[str, Any], element: str = "quad8", **tables: Any) -> ModelSpec:
    """A model with one body of each block, in plane strain."""
    common = {"element": element, "hypothesis": "plane_strain", "thickness": 1.0}
    common |= {"material": "steel"}
    bodies = [{"name": name, "cells": name} | common for name in mesh["blocks"]]
    steel = {"young": E, "poisson": NU, "density": 7850.0}
    return model_from_dict(
        {"mesh": mesh, "materials": {"steel": steel}, "bodies": bodies, **tables}
    )


@pytest.mark.parametrize("cell", ["quad4", slow("tri3"), slow("quad8"), "tri6", slow("quad9")])
def test_two_blocks_are_one(cell: str, tmp_path: Path) -> None:
    """A bar of two blocks has the frequencies of a bar of one, to round-off."""
    tables = {"supports": [{"group": "a.xmin"}], "analysis": {"kind": "modes", "count": 4}}
    halves = {"a": square(0, 2, [4, 2], cell), "b": square(2, 3, [6, 2], cell)}
    whole = {"a": square(0, 5, [10, 2], cell)}
    found = []
    for name, blocks in (("two", halves), ("one", whole)):
        run_model(model({"blocks": blocks, "merge": True}, cell, **tables), output=tmp_path / name)
        summary = json.loads((tmp_path / name / "summary.json").read_text())
        found.append([row["frequency_Hz"] for row in summary["modes"]])
    assert np.allclose(*found, rtol=1e-9, atol=0)


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_ring_under_pressure_is_that_of_lame(pieces: int, tmp_path: Path) -> None:
    """A ring closed by merging grows evenly, by the formula of Lame for plane strain.

    Supports that hold only the rigid motions find a seam that is open.
    """
    angles = np.linspace(0, 360, pieces + 1)
    blocks = {
        f"p{number}": ring(f"{one!r} deg", f"{two!r} deg", 24 // pieces)
        for number, (one, two) in enumerate(
            zip(angles[:-1].tolist(), angles[1:].tolist(), strict=True)
        )
    }
    mesh = {"blocks": blocks, "merge": True}
    points = build_mesh(model(mesh, analysis={"kind": "static"})).points
    top = int(np.linalg.norm(points - [0, 2, 0], axis=1).argmin())
    inner = list(blocks)
    spec = model(
        mesh,
        loads=[{"kind": "pressure", "group": f"{name}.xmin", "value": 1e6} for name in inner],
        supports=[
            {"group": "p0.corner1", "components": ["y"]},
            {"group": "p0.corner2", "components": ["y"]},
            {"group": f"#{top + 1}", "components": ["x"]},
        ],
        tables=[
            {"group": f"{name}.xmin", "quantity": "displacement", "name": name} for name in inner
        ],
        analysis={"kind": "static"},
        output={"formats": ["csv"]},
    )
    run_model(spec, output=tmp_path)
    grown = 1e6 * (1 + NU) / E * ((1 - 2 * NU) + 4) / 3  # radii 1 and 2
    for name in inner:
        with (tmp_path / "tables" / f"{name}.csv").open() as file:
            rows = np.array(list(csv.reader(file))[1:], dtype=float)
        assert np.allclose(np.linalg.norm(rows[:, 2:], axis=1), grown, rtol=2e-4)


@pytest.mark.parametrize("cell", ["hex8", "hex20", "hex27", "wedge15", "tet10", "tet4"])
def test_pipe_is_closed(cell: str) -> None:
    """A pipe closed by merging is bounded by its two surfaces and its two ends only."""
    corners = [[r, a, z] for z in (0, 3) for r, a in ((1, 0), (2, 0), (2, TURN), (1, TURN))]
    mesh = merge(structured(cell, corners, [2, 12, 3], cylindrical=True))
    check_part(mesh.part("all"))
    radius = np.hypot(mesh.points[:, 0], mesh.points[:, 1])
    for one in boundary_facets(cell, mesh.blocks[0].nodes):
        on = [np.isclose(radius[one.nodes], value).all(axis=1) for value in (1, 2)]
        on += [np.isclose(mesh.points[one.nodes, 2], value).all(axis=1) for value in (0, 3)]
        assert np.all(np.any(on, axis=0))


def test_middle_nodes_lie_on_the_arc() -> None:
    """The volume of a ring of hex20 is that of the ring to the order of its edges."""
    corners = [[r, a, z] for z in (0, 1) for r, a in ((1, 0), (2, 0), (2, 1), (1, 1))]
    mesh = structured("hex20", corners, [1, 4, 1], cylindrical=True)
    radius = np.hypot(mesh.points[:, 0], mesh.points[:, 1])
    assert set(np.round(radius, 12)) == {1.0, 1.5, 2.0}


MISTAKES = {
    "other divisions": (
        {"a": square(0, 1, [2, 2]), "b": square(1, 1, [2, 3])},
        r"the sides a.xmax and b.xmin touch, but of their 2 and 3 facets 0 are the same",
    ),
    "other order": (
        {"a": square(0, 1, [2, 2]), "b": square(1, 1, [2, 2], "quad4")},
        r"at \(1, 0.25, 0\), but not its other nodes",
    ),
    "arc and chord": (
        {"a": ring("0 deg", "90 deg", 1),
         "b": block("quad8", [2, 0], [3, 0], [3, 2], [0, 2], divisions=[1, 1])},
        r"at \(1, 1, 0\), but not its other nodes",
    ),
    "folded cell": (
        {"a": block("quad4", [0, 0], [1, 0], [1, 0], [0, 1], divisions=[1, 1])},
        r"two nodes of cell 1 \(quad4\) of mesh.blocks are at the same place",
    ),
    "negative radius": (
        {"a": block("quad4", [-1, 0], [1, 0], [1, 1], [-1, 1], divisions=[2, 1],
                    coordinates="cylindrical")},
        r"mesh.blocks.a.corners: a radius of -1; expected 0 or more",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_what_cannot_be_merged_is_refused(name: str) -> None:
    """Seams that would stay open in part are named, with their place."""
    blocks, message = MISTAKES[name]
    with pytest.raises(InputError, match=message):
        build_mesh(model({"blocks": blocks, "merge": True}, analysis={"kind": "static"}))


def test_a_rounded_angle_is_remarked() -> None:
    """A turn of 6.2832 leaves a gap of 1e-5: it stays open, and a remark says so."""
    mesh = {"blocks": {"a": ring(0, 6.2832, 24)}, "merge": True}
    remarks = build_mesh(model(mesh, analysis={"kind": "static"})).remarks
    assert any("13 pairs of nodes are closer" in text for text in remarks)


@pytest.mark.parametrize("corner", [[1, "90 degrees"], [1, "x"]])
def test_angles_have_units(corner: list[Any]) -> None:
    """An angle that is none is refused with its key."""
    blocks = {"a": ring(0, 1, 4)}
    blocks["a"]["corners"][1] = corner
    with pytest.raises(InputError, match=r"mesh.blocks.a.corners\[1\]\[1\].*deg"):
        model({"blocks": blocks}, analysis={"kind": "static"})


def test_a_wrong_kind_of_coordinates_is_the_only_mistake() -> None:
    """Its angles with units are not refused beside it."""
    blocks = {"a": ring("0 deg", "90 deg", 4) | {"coordinates": "cylindricl"}}
    with pytest.raises(InputError, match=r"did you mean 'cylindrical'\?$") as caught:
        model({"blocks": blocks}, analysis={"kind": "static"})
    assert "corners[" not in str(caught.value)


OVERLAPS = {
    "one on two": ({"a": square(0, 1, [1, 1]), "b": square(1, 1, [1, 1]),
                    "top": block("quad8", [0, 1], [2, 1], [2, 2], [0, 2], divisions=[2, 1])},
                   None),
    "longer": ({"a": square(0, 1, [2, 1]),
                "top": block("quad8", [0, 1], [3, 1], [3, 2], [0, 2], divisions=[2, 1])}, 3),
    "moved along": ({"a": square(0, 1, [2, 2]),
                     "b": block("quad8", [1, 0.3], [2, 0.3], [2, 1.3], [1, 1.3],
                                divisions=[2, 2])}, 2),
    "a corner on a side": ({"a": square(0, 1, [1, 1]),
                            "b": block("quad8", [1, 0.5], [2, 0], [3, 1], [2, 1],
                                       divisions=[1, 1])}, None),
    "apart": ({"a": square(0, 1, [2, 2]), "b": square(1.1, 1, [2, 3])}, None),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERLAPS)
def test_seams_that_stay_open_are_remarked(name: str) -> None:
    """Sides that touch in part, by the middles of facets within others; not sides that fit."""
    blocks, count = OVERLAPS[name]
    mesh = build_mesh(model({"blocks": blocks, "merge": True}, analysis={"kind": "static"}))
    said = [text.split(" lie ")[0] for text in mesh.remarks if "without sharing" in text]
    assert said == ([f"mesh.blocks: {count} facets"] if count else [])


@pytest.mark.parametrize(("cell", "count"), [("hex8", 4), ("tet4", 10), ("wedge6", 4)])
def test_faces_that_overlap_are_remarked(cell: str, count: int) -> None:
    """One face beside four, whose common corner is at its middle; triangles with their middles."""
    cube = np.array([[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))], float)
    coarse = structured(cell, cube, [1, 1, 1])
    fine = structured(cell, cube + [1.0, 0.0, 0.0], [2, 2, 2])
    (said,) = overlap_remarks(merge(join({"a": coarse, "b": fine}, "mesh.blocks")))
    assert said.startswith(f"mesh.blocks: {count} facets lie on others")
    assert not overlap_remarks(merge(join({"a": coarse}, "mesh.blocks")))
