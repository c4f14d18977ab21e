# SPDX-License-Identifier: BSD-3-Clause
"""Blocks with edges that are arcs: places, areas and volumes of circles, seams, mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.mesh.structured import structured
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.system.construct import build_mesh, build_system

R, CORE = 1.0, 0.55
S = np.sqrt(0.5)


def quarter(cell: str, count: int, heights: tuple[float, ...] = ()) -> dict[str, Any]:
    """Return the three blocks of a quarter disc, or cylinder: a core that bulges, and a rim."""
    inner, bulge = CORE * S, CORE * np.cos(np.pi / 8)
    aside = CORE * np.sin(np.pi / 8)
    flat = {
        "core": ([[0, 0], [CORE, 0], [inner, inner], [0, CORE]],
                 {(2, 3): [bulge, aside], (3, 4): [aside, bulge]}),
        "right": ([[CORE, 0], [R, 0], [R * S, R * S], [inner, inner]],
                  {(2, 3): [np.cos(0.3), np.sin(0.3)], (4, 1): [bulge, aside]}),
        "upper": ([[0, CORE], [inner, inner], [R * S, R * S], [0, R]],
                  {(4, 3): [np.sin(0.2), np.cos(0.2)], (1, 2): [aside, bulge]}),
    }  # fmt: skip
    blocks = {}
    for name, (corners, arcs) in flat.items():
        levels = heights or (None,)
        end = [[] if z is None else [z] for z in levels]
        blocks[name] = {
            "cell": cell,
            "corners": [[float(x) for x in (*one, *z)] for z in end for one in corners],
            "divisions": [count, count, *([2] if heights else [])],
            "arcs": [{"corners": [a + 4 * k, b + 4 * k], "through": [float(x) for x in (*p, *z)]}
                     for k, z in enumerate(end) for (a, b), p in arcs.items()],
        }  # fmt: skip
    return blocks


def model(blocks: dict[str, Any], element: str) -> ModelSpec:
    """Return a model of blocks that share nodes, of density 1."""
    planar = len(next(iter(blocks.values()))["corners"][0]) == 2
    body = {"material": "m", "element": element}
    bodies = [body | {"name": name, "cells": name} | ({"thickness": 1.0} if planar else {})
              for name in blocks]  # fmt: skip
    return model_from_dict({
        "mesh": {"blocks": blocks, "merge": True},
        "materials": {"m": {"young": 1.0, "poisson": 0.3, "density": 1.0}},
        "bodies": bodies,
        "supports": [{"group": f"{next(iter(blocks))}.xmin"}],
        "analysis": {"kind": "static"},
    })  # fmt: skip


def made(blocks: dict[str, Any], element: str) -> tuple[Mesh, float]:
    """Return the mesh of such a model and its mass, which is its area or volume."""
    spec = model(blocks, element)
    mesh = build_mesh(spec)
    return mesh, sum(body.total_mass for body in build_system(spec, mesh).system.bodies)


@pytest.mark.parametrize("cell", ["quad8", "tri6", "quad9"])
def test_a_quarter_of_a_disc(cell: str) -> None:
    """Its area falls onto pi/4 with the fourth power of the size; outer nodes are on the circle."""
    errors = []
    for count in (3, 6):
        mesh, area = made(quarter(cell, count), cell)
        errors.append(abs(area - np.pi / 4))
        for side in ("right.xmax", "upper.ymax"):
            on = mesh.points[mesh.select(side).nodes]
            np.testing.assert_allclose(np.hypot(on[:, 0], on[:, 1]), R, rtol=1e-14)
    assert errors[0] < 1e-5 and errors[1] < errors[0] / 14.0


@pytest.mark.parametrize("cell", ["hex20", "tet10", "wedge15"])
def test_a_quarter_of_a_cylinder(cell: str) -> None:
    """Blocks share all nodes of their seams, and outer faces are on the cylinder."""
    mesh, volume = made(quarter(cell, 3, (0.0, 2.0)), cell)
    assert volume == pytest.approx(2.0 * np.pi / 4, rel=1e-5)
    cells = np.concatenate([one.nodes for one in mesh.blocks if one.cell == cell])
    closed = sum(len(one.nodes) for one in boundary_facets(cell, cells))
    # 27 squares at each end, and two rows of 3 on each of six sides: cut in two or not.
    ends, sides = {"hex20": (1, 1), "wedge15": (2, 1), "tet10": (2, 2)}[cell]
    assert closed == ends * 2 * 27 + sides * 6 * 3 * 2
    for side in ("right.xmax", "upper.ymax"):
        on = mesh.points[mesh.select(side).nodes]
        np.testing.assert_allclose(np.hypot(on[:, 0], on[:, 1]), R, rtol=1e-14)


def test_a_line_is_an_arc_of_more_than_half_a_turn() -> None:
    """Nodes are at equal angles, the middle ones of curved cells too, on the side of the point."""
    arcs = {(0, 1): np.array([-1.0, 0.0])}
    mesh = structured("line3", [[S, -S], [S, S]], [6], arcs=arcs)
    angle = np.sort(np.arctan2(mesh.points[:, 1], mesh.points[:, 0]) % (2.0 * np.pi))
    np.testing.assert_allclose(angle, np.linspace(0.25, 1.75, 13) * np.pi, rtol=1e-13)
    # In space, by the other order of the corners.
    lifted = np.array([[S, S, 0.3], [S, -S, 0.3]])
    other = structured("line3", lifted, [6], arcs={(1, 0): np.array([-1.0, 0.0, 0.3])})
    np.testing.assert_allclose(np.sort(other.points[:, 1]), np.sort(mesh.points[:, 1]), atol=1e-14)
    assert np.ptp(other.points[:, 2]) < 1e-15


def test_an_arc_moves_nothing_on_the_edges_beside_it() -> None:
    """The blend is zero on all edges but its own, and linear across."""
    square = [[0, 0], [1, 0], [1, 1], [0, 1]]
    straight = structured("quad8", square, [4, 4]).points
    bent = structured("quad8", square, [4, 4], arcs={(2, 3): np.array([0.5, 1.2])}).points
    moved = bent - straight
    sides = (straight[:, 0] == 0) | (straight[:, 0] == 1) | (straight[:, 1] == 0)
    assert np.abs(moved[sides]).max() <= np.finfo(float).eps  # of products, which differ by machine
    middle = moved[straight[:, 0] == 0.5]
    height = straight[straight[:, 0] == 0.5, 1]
    np.testing.assert_allclose(middle[:, 1], 0.2 * height, atol=1e-15)


MISTAKES = {
    "no edge": (
        {"corners": [1, 3], "through": [0.5, 0.6]},
        r"arcs\[0\].corners: found 1 and 3",
    ),
    "straight": (
        {"corners": [1, 2], "through": [0.5, 0.0]},
        r"arcs\[0\].through: found \[0",
    ),
    "no corner": ({"corners": [1, 5], "through": [0.5, 0.1]}, "found corner 5; expected 1 to 4"),
    "space": ({"corners": [1, 2], "through": [0.5, 0.1, 0.0]}, "found 3 coordinates; expected 2"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_what_is_no_arc_is_refused(name: str) -> None:
    """By its key."""
    arc, said = MISTAKES[name]
    block = {"cell": "quad4", "corners": [[0, 0], [1, 0], [1, 1], [0, 1]], "divisions": [2, 2]}
    with pytest.raises(InputError, match=said):
        build_mesh(model({"a": block | {"arcs": [arc]}}, "quad4"))
    twice = [{"corners": one, "through": [0.5, 0.1]} for one in ([1, 2], [2, 1])]
    with pytest.raises(InputError, match=r"arcs\[1\].corners: found this edge before"):
        model({"a": block | {"arcs": twice}}, "quad4")
    round_block = block | {"coordinates": "cylindrical", "arcs": twice[:1]}
    with pytest.raises(InputError, match='expected them with coordinates = "cartesian"'):
        model({"a": round_block}, "quad4")
