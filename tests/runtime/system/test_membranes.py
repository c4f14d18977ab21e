# SPDX-License-Identifier: BSD-3-Clause
"""Membranes of shells: by hand, the patch test, bending in the plane, and extreme shapes.

The kernels of dkt3d are compiled when they are first used, hence the marks.
"""

from __future__ import annotations

import membranes
import numpy as np
import pytest
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.system.body import Combination
from marks import slow
from models import build

BOTH = ("mitc4", slow("dkt3d"))
#: Poisson's ratio at which two triangles bend exactly, ``share = (1 - 4 nu^2) / 2`` (Felippa 2003).
EXACT = np.sqrt((1 - 2 * 0.36) / 4)
QUAD = np.array([[0.0, 0.0], [1.0, 0.1], [1.2, 0.9], [-0.1, 1.3]])
TRIANGLE = QUAD[[0, 1, 3]]
TURN = np.linalg.qr(np.random.default_rng(7).standard_normal((3, 3)))[0]
TURN *= np.linalg.det(TURN)
#: MacNeal and Harder's patch (1985, figure 2): 0.24 by 0.12 with four nodes inside.
PATCH = np.array([[0, 0], [0.24, 0], [0.24, 0.12], [0, 0.12], [0.04, 0.02], [0.18, 0.03],
                  [0.16, 0.08], [0.08, 0.08]])  # fmt: skip
AROUND = [[0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7], [4, 5, 6, 7]]


def flat(points):
    """Return places in the plane z = 0."""
    return np.column_stack([points, np.zeros(len(points))])


def stiffness(folder, points, cells, young=7.0, poisson=0.3, thickness=0.12, turn=None):
    """Return the stiffness of cells of three or four nodes, (P, 6, P, 6), in axes that turn."""
    turn = np.eye(3) if turn is None else turn
    path = folder / "cells.inp"
    placed = points @ turn.T
    lines = ["*NODE", *(f"{k}, " + ", ".join(map(repr, map(float, x)))
                        for k, x in enumerate(placed, 1))]  # fmt: skip
    bodies, kinds = [], {len(cell) for cell in cells}
    for size in sorted(kinds):
        element = {3: "dkt3d", 4: "mitc4"}[size]
        lines.append(f"*ELEMENT, TYPE=S{size}, ELSET={element.upper()}")
        lines += [
            f"{k}, " + ", ".join(str(n + 1) for n in cell)
            for k, cell in enumerate(cells, 1)
            if len(cell) == size
        ]
        bodies.append({"name": element, "cells": element.upper(), "element": element,
                       "material": "any", "thickness": thickness})  # fmt: skip
    path.write_text("\n".join(lines) + "\n")
    system = build(
        model_from_dict(
            {
                "mesh": {"file": str(path)},
                "materials": {"any": {"young": young, "poisson": poisson, "density": 1.0}},
                "bodies": bodies,
                "analysis": {"kind": "static"},
            }
        )
    ).system
    total, count = np.zeros((len(points), 6, len(points), 6)), len(points)
    for body in system.bodies:
        found = body.matrix(Combination(1.0, np.zeros((3, 3)), np.zeros(0))).toarray()
        size = len(found) // 6
        found = found.reshape(2, size, 3, 2, size, 3)
        found = np.einsum("iajAbk,jJ,kK->aiJbAK", found, turn, turn).reshape(size, 6, size, 6)
        at = [int(np.linalg.norm(placed - x, axis=1).argmin()) for x in body.part.points]
        total[np.ix_(at, range(6), at, range(6))] += found
    assert count == len(total)
    return total


def in_plane(whole):
    """Return what u, v and the rotation about the normal have of a stiffness."""
    n = len(whole)
    return whole[:, [0, 1, 5]][..., [0, 1, 5]].reshape(3 * n, 3 * n)


def relative(found, expected):
    return np.abs(found - expected).max() / np.abs(expected).max()


@pytest.mark.slow
@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
def test_the_triangle_is_felippas(poisson, tmp_path):
    """His matrices with the parameters of the optimal triangle, somehow in space."""
    found = in_plane(stiffness(tmp_path, flat(TRIANGLE), [[0, 1, 2]], poisson=poisson, turn=TURN))
    law = membranes.plane_stress(7.0, poisson, 0.12)
    assert relative(found, membranes.optimal(TRIANGLE, law, 0.36)) < 1e-12


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.49])
def test_the_parallelogram_is_that_of_hybrid_stress(poisson, tmp_path):
    """Pian and Sumihara's stiffness, rotations condensed: they are free to follow the surface."""
    points = np.array([[0.0, 0.0], [1.0, 0.1], [1.4, 0.9], [0.4, 0.8]])
    found = in_plane(stiffness(tmp_path, flat(points), [[0, 1, 2, 3]], poisson=poisson, turn=TURN))
    turns, moves = np.arange(12) % 3 == 2, np.arange(12) % 3 < 2
    block = found[np.ix_(moves, turns)]
    found = found[np.ix_(moves, moves)] - block @ np.linalg.solve(
        found[np.ix_(turns, turns)], block.T
    )
    law = membranes.plane_stress(7.0, poisson, 0.12)
    assert relative(found, membranes.hybrid(points, law)) < 1e-10


def test_drilling_of_a_rectangle(tmp_path):
    """A thousandth of the shear modulus, against rotations relative to those of bent sections."""
    points = np.array([[0.0, 0.0], [1.3, 0.0], [1.3, 0.4], [0.0, 0.4]])
    expected = membranes.drilled(points, 1e-3 * 7.0 / 2.6 * 0.12)
    moves = np.flatnonzero(np.arange(12) % 3 < 2)
    expected[np.ix_(moves, moves)] += membranes.hybrid(
        points, membranes.plane_stress(7.0, 0.3, 0.12)
    )
    found = in_plane(stiffness(tmp_path, flat(points), [[0, 1, 2, 3]], turn=TURN))
    assert relative(found, expected) < 1e-12


@pytest.mark.parametrize("element", BOTH)
def test_the_patch(element, tmp_path):
    """MacNeal and Harder's patch under a linear displacement: inside no forces are left."""
    halves = [half for a, b, c, d in AROUND for half in ((a, b, c), (a, c, d))]
    cells = {"mitc4": AROUND, "dkt3d": halves}[element]
    gradient = np.array([[1e-3, 2e-4], [8e-4, -5e-4]])
    state = np.zeros((8, 6))
    state[:, :2] = PATCH @ gradient.T
    state[:, 5] = (gradient[1, 0] - gradient[0, 1]) / 2
    found = stiffness(tmp_path, flat(PATCH), cells, turn=TURN)
    forces = np.einsum("aibj,bj->ai", found, state)
    assert np.abs(forces[4:]).max() < 1e-12 * np.abs(forces).max()
    strain = np.array([gradient[0, 0], gradient[1, 1], gradient.sum() - gradient.trace()])
    stored = 0.24 * 0.12 * strain @ membranes.plane_stress(7.0, 0.3, 0.12) @ strain
    assert (state * forces).sum() == pytest.approx(stored, rel=1e-12)


@pytest.mark.parametrize("slender", [1e-3, 1.0, 30.0, 1e3])
@pytest.mark.parametrize(
    ("element", "poisson"), [("mitc4", 0.0), ("mitc4", 0.49), slow("dkt3d", EXACT)]
)
def test_a_rectangle_bends_as_a_beam(element, poisson, slender, tmp_path):
    """u = - k x y, v = k (x^2 + nu y^2) / 2 at the nodes stores E I k^2 L, however slender it is.

    In mm and MPa, with the rotation k x. Two triangles, whose share is for this Poisson's ratio;
    their energy is a difference of what is as much larger as the square of the slenderness.
    """
    height, young, thick = 20.0, 2.1e5, 3.0
    length, bend = slender * height, 1e-6
    x, y = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]).T * [[length / 2], [height / 2]]
    cells = [[0, 1, 2, 3]] if element == "mitc4" else [[0, 1, 2], [0, 2, 3]]
    points = flat(np.column_stack([x, y]))
    found = stiffness(tmp_path, points, cells, young, poisson, thick)
    state = np.zeros((4, 6))
    state[:, 0], state[:, 5] = -bend * x * y, bend * x
    # v is the same at all nodes: left out, it has no digits to lose where the cell is slender.
    stored = np.einsum("ai,aibj,bj->", state, found, state)
    second = thick * height**3 / 12
    assert stored == pytest.approx(
        young * second * bend**2 * length, rel=1e-8 if slender < 1e3 else 1e-3
    )


SHAPES = {
    "almost a triangle": (flat(np.array([[0, 0], [1, 0], [1.001, 0.999], [0, 2.0]])), 1e-9),
    "slender": (flat(np.array([[0, 0], [1000.0, 0], [1000, 1], [0, 1]])), 1e-13),
    "warped": (np.array([[0, 0, 0], [1, 0.1, 0.2], [1.1, 0.9, -0.1], [-0.1, 1, 0.15]]), 1e-9),
}


@pytest.mark.parametrize("shape", [*SHAPES])
@pytest.mark.parametrize("element", BOTH)
def test_six_motions_are_free(element, shape, tmp_path):
    """Rigid motions cost nothing and all others do, of extreme cells at nu = 0.49.

    Scaled so that every coordinate alone has the energy one.
    """
    points, least = SHAPES[shape]
    points = points if element == "mitc4" else points[[0, 1, 3]]
    count = len(points)
    found = stiffness(tmp_path, points, [[*range(count)]], poisson=0.49, thickness=0.05)
    found = found.reshape(6 * count, 6 * count)
    rigid = np.zeros((count, 6, 6))
    for k, axis in enumerate(np.eye(3)):
        rigid[:, k, k] = rigid[:, 3 + k, 3 + k] = 1.0
        rigid[:, :3, 3 + k] = np.cross(axis, points)
    left = found @ rigid.reshape(-1, 6)
    scale = np.abs(found) @ np.abs(rigid.reshape(-1, 6))
    assert np.abs(left / scale.max(axis=0)).max() < 1e-13
    size = 1 / np.sqrt(found.diagonal())
    values = np.linalg.eigvalsh(found * np.outer(size, size))
    assert (np.abs(values) < 1e-14 * count).sum() == 6, values
    assert values[6] > least


@pytest.mark.parametrize("element", BOTH)
def test_numbering_and_side_do_not_matter(element, tmp_path):
    """A flat cell whose nodes are numbered from elsewhere, or the other way round, is the same."""
    points = flat(QUAD if element == "mitc4" else TRIANGLE)
    first = stiffness(tmp_path, points, [[*range(len(points))]])
    order = np.arange(len(points))
    for other in (np.roll(order, 1), np.roll(order, 2), order[::-1]):
        found = stiffness(tmp_path, points, [other.tolist()])
        assert relative(found, first) < 1e-12


def strip(element, divisions=(16, 1), **tables):
    """Return the model of a strip of 1 m by 0.1 m by 10 mm, clamped at x = 0."""
    corners = [[0, 0, 0], [1, 0, 0], [1, 0.1, 0], [0, 0.1, 0]]
    cell = {"mitc4": "quad4", "dkt3d": "tri3"}[element]
    return model_from_dict({
        "mesh": {"block": {"cell": cell, "corners": corners, "divisions": [*divisions]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "strip", "element": element, "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}, {"group": "all", "components": ["z", "rx", "ry"]}],
        "output": {"formats": ["csv"]},
        **tables,
    })  # fmt: skip


@pytest.mark.parametrize(("element", "near"), [("mitc4", 0.01), slow("dkt3d", 0.02)])
def test_a_cantilever_bends_in_its_plane(element, near, tmp_path):
    """P L^3 / (3 E I) + P L / (5/6 G A) (Timoshenko) with one cell across; plain ones have 39 %."""
    model = strip(element, loads=[{"kind": "force", "group": "xmax", "total": [0.0, 1.0, 0.0]}],
                  probes=[{"name": "tip", "group": "xmax", "component": "y"}],
                  analysis={"kind": "static"})  # fmt: skip
    found = run_model(model, output=tmp_path / "results").figures["tip"][0]
    second, area = 0.01 * 0.1**3 / 12, 0.01 * 0.1
    expected = 1 / (3 * 2e11 * second) + 1 / (5 / 6 * 2e11 / 2.6 * area)
    assert found == pytest.approx(expected, rel=near)


@pytest.mark.parametrize("element", BOTH)
def test_a_cantilever_vibrates_in_its_plane(element, tmp_path):
    """The first two frequencies in the plane of a Timoshenko beam of many elements: 2 %."""
    model = strip(element, divisions=(32, 2), analysis={"kind": "modes", "count": 2})
    beam = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0], [1, 0]], "divisions": [200]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "beam", "element": "timoshenko_beam_plane", "material": "steel",
                    "section": {"shape": "rectangle", "width": 0.1, "height": 0.01}}],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "modes", "count": 2},
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    found, expected = (
        [
            value[0]
            for name, value in run_model(one, output=tmp_path / name).figures.items()
            if name.startswith("mode ")
        ]
        for name, one in (("shell", model), ("beam", beam))
    )
    np.testing.assert_allclose(found, expected, rtol=0.02)
