# SPDX-License-Identifier: BSD-3-Clause
"""Several bodies in one model: shared nodes, separate frames, materials side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.modes import solve_modes
from models import stressed

CELLS = 4


def row_of_cubes(folder: Path, gap: float = 0.0) -> None:
    """Write a row of hex8 along x: groups ``left`` and ``right``, faces as node groups.

    With a gap the two halves have nodes of their own at the middle.
    """
    half = CELLS // 2
    stations = [float(i) for i in range(half + 1)]
    right = [half + gap + i for i in range(0 if gap else 1, half + 1)]
    stations += right
    square = ((0, 0), (1, 0), (1, 1), (0, 1))
    points = [(x, y, z) for x in stations for y, z in square]
    lines = []
    for i in range(CELLS):
        first = i + (1 if gap and i >= half else 0)
        lower, upper = (range(4 * s + 1, 4 * s + 5) for s in (first, first + 1))
        # Corners of the faces x = const, counter-clockwise about x.
        lines.append((2 if i < half else 3, [*lower, *upper]))
    text = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "4"]
    text += ['0 1 "root"', '3 2 "left"', '3 3 "right"', '0 4 "end"', "$EndPhysicalNames"]
    text += ["$Nodes", str(len(points))]
    text += [f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(points, start=1)]
    text += ["$EndNodes", "$Elements", str(len(lines) + 8)]
    count = len(points)
    for i in range(4):
        text.append(f"{i + 1} 15 2 1 1 {i + 1}")
        text.append(f"{i + 5} 15 2 4 1 {count - i}")
    for i, (group, nodes) in enumerate(lines, start=9):
        text.append(f"{i} 5 2 {group} {group} {' '.join(map(str, nodes))}")
    (folder / "row.msh").write_text("\n".join([*text, "$EndElements"]) + "\n")


def bodies(left: dict[str, Any], right: dict[str, Any]) -> list[dict[str, Any]]:
    """Return two bodies of hex8."""
    common = {"element": "hex8", "material": "steel"}
    return [
        common | {"name": "left", "cells": "left"} | left,
        common | {"name": "right", "cells": "right"} | right,
    ]


def solve(folder: Path, **tables: Any):
    """Return places and equilibrium of a model on the row."""
    steel = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
    data = {
        "mesh": {"file": "row.msh"},
        "materials": {"steel": steel, "soft": steel | {"young": 2e9}},
        "supports": [{"group": "root"}],
        "loads": [{"kind": "force", "group": "end", "total": [1e6, 2e5, 0]}],
        "analysis": {"kind": "static"},
    } | tables
    spec = model_from_dict(data, folder=folder)
    places = stressed(spec)
    return places, solve_static(places.system, Loads(spec, places), 0.0, "auto")


def test_two_bodies_of_one_material_are_one(tmp_path: Path) -> None:
    """Cut in two in the model file, a part is still one: same displacements, also when turning."""
    row_of_cubes(tmp_path)
    turning = {"frame": {"velocity": 30.0}}
    whole = [{"name": "all", "element": "hex8", "material": "steel", **turning}]
    _, one = solve(tmp_path, bodies=whole)
    places, two = solve(tmp_path, bodies=bodies(turning, turning))
    assert places.system.size == len(places.mesh.points)
    assert np.allclose(two.displacement, one.displacement, rtol=1e-10, atol=1e-18)
    difference = two.reaction.sum(axis=0) - one.reaction.sum(axis=0)
    assert np.abs(difference).max() <= 1e-12 * np.abs(one.reaction).sum()


def test_springs_in_series(tmp_path: Path) -> None:
    """A bar of two materials under axial force: elongations F L / (E A) add up (nu = 0)."""
    row_of_cubes(tmp_path)
    steel = {"young": 2e11, "poisson": 0.0, "density": 7800.0}
    _, found = solve(
        tmp_path,
        materials={"steel": steel, "soft": steel | {"young": 2e9}},
        bodies=bodies({}, {"material": "soft"}),
        loads=[{"kind": "force", "group": "end", "total": [1e6, 0, 0]}],
    )
    expected = 1e6 * (2 / 2e11 + 2 / 2e9)
    assert np.abs(found.displacement[:, 0]).max() == pytest.approx(expected, rel=1e-9)


def test_bodies_in_different_frames_do_not_share_nodes(tmp_path: Path) -> None:
    """A node cannot follow two frames: the error says which, and what would do."""
    row_of_cubes(tmp_path)
    with pytest.raises(InputError, match=r"bodies\[1\].frame: node .* different frames"):
        solve(tmp_path, bodies=bodies({}, {"frame": {"velocity": 1.0}}))


def test_each_body_follows_its_own_frame(tmp_path: Path) -> None:
    """Two separate halves, one turning: only that one stretches, as it does alone."""
    row_of_cubes(tmp_path, gap=0.5)
    turning = {"frame": {"axis": [0, 0, 1], "velocity": 50.0}}
    supports = [{"group": "root"}, {"group": "end"}]
    places, found = solve(tmp_path, bodies=bodies({}, turning), supports=supports, loads=[])
    still, spun = places.system.bodies
    assert not found.displacement[still.nodes].any()
    assert np.abs(found.displacement[spun.nodes]).max() > 1e-7
    _, reversed_roles = solve(tmp_path, bodies=bodies(turning, {}), supports=supports, loads=[])
    assert not reversed_roles.displacement[spun.nodes].any()


def test_modes_of_separate_bodies_are_those_of_each(tmp_path: Path) -> None:
    """Two equal halves, each clamped at its outer face: every frequency occurs twice."""
    row_of_cubes(tmp_path, gap=0.5)
    supports = [{"group": "root"}, {"group": "end"}]
    places, _ = solve(tmp_path, bodies=bodies({}, {}), supports=supports, loads=[])
    found = solve_modes(places.system, 6, None, 0.0, "auto").frequencies
    assert np.allclose(found[::2], found[1::2], rtol=1e-6)


def test_only_frames_that_turn_get_the_speeds(tmp_path: Path) -> None:
    """Over the speed the modes of a body at rest stay; frames of two speeds are refused."""
    row_of_cubes(tmp_path, gap=0.5)
    steel = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
    data = {
        "mesh": {"file": "row.msh"},
        "materials": {"steel": steel},
        "bodies": bodies({}, {"frame": {"velocity": 1.0}}),
        "supports": [{"group": "root"}, {"group": "end"}],
        "analysis": {"kind": "modes", "count": 6, "speeds": [0.0, 100.0, 200.0]},
        "output": {"formats": ["csv"]},
    }
    found = run_model(model_from_dict(data, folder=tmp_path), output=tmp_path / "a").campbell
    rows = np.array([mode["frequency_Hz"] for mode in found["modes"]])
    moved = np.ptp(rows, axis=1) / rows[:, 0]
    assert np.sum(moved < 1e-9) >= 2
    assert np.sum(moved > 1e-3) >= 2
    data["bodies"] = bodies({"frame": {"velocity": 2.0}}, {"frame": {"velocity": 1.0}})
    with pytest.raises(InputError, match=r"found the frame speeds 'left' at 2, 'right' at 1 rad/s"):
        run_model(model_from_dict(data, folder=tmp_path), output=tmp_path / "b")
    assert not (tmp_path / "b").exists(), "nothing is written of what cannot be"


def test_prestress_of_a_steady_and_of_a_tumbling_body() -> None:
    """Each has the geometric stiffness that it has alone: of one load where its axis is fixed, of
    six where that changes."""
    line = {"cell": "line2", "divisions": [2]}
    blocks = {
        "left": {**line, "corners": [[0, 0, 0], [1, 0, 0]]},
        "right": {**line, "corners": [[0, 1, 0], [0, 2, 1]]},
    }
    frames = {
        "left": {"axis": [0, 0, 1], "velocity": 5.0},
        "right": {"velocity": ["0.7", "1.1*t", "0.9"]},
    }

    def patterns(names: tuple[str, ...]) -> list[list[np.ndarray]]:
        section = {"shape": "rectangle", "width": 0.02, "height": 0.01}
        spec = model_from_dict(
            {
                "mesh": {"blocks": {name: blocks[name] for name in names}},
                "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
                "bodies": [
                    {
                        "name": name,
                        "cells": name,
                        "element": "euler_beam",
                        "material": "steel",
                        "section": section,
                        "frame": frames[name],
                    }
                    for name in names
                ],
                "supports": [
                    {"group": f"{name}.xmin", "components": ["x", "y", "z", "rx", "ry", "rz"]}
                    for name in names
                ],
                "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
            }
        )
        system = build_system(spec, build_mesh(spec)).system
        report = prestressed(system, "auto")
        assert report.patterns == (6 if "right" in names else 1), report
        return [body.geometric for body in report.system.bodies]

    together, alone = patterns(("left", "right")), [patterns((n,))[0] for n in blocks]
    assert [len(one) for one in together] == [1, 6]
    for one, other in zip(together, alone, strict=True):
        for found, expected in zip(one, other, strict=True):
            np.testing.assert_allclose(found, expected, atol=1e-10 * np.abs(expected).max())
