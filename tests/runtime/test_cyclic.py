# SPDX-License-Identifier: BSD-3-Clause
"""Wheels from one sector are those of all sectors: frequencies, waves, static displacements."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from bladed import STEEL, wheel
from flexforge.codegen.errors import AnalysisError, FlexforgeError
from flexforge.runtime.results.scene_building import scene_of, wave_states
from flexforge.runtime.vibration import modes
from marks import slow
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

DAMPED = {"materials": {"steel": {**STEEL, "damping": {"alpha": 20.0, "beta": 1e-6}}}}


def frames(speed: float | str) -> dict[str, Any]:
    """Return the body of a wheel in a frame that turns about z."""
    frame = {"velocity": speed}
    return {"bodies": [{"name": "wheel", "element": "hex8i", "material": "steel", "frame": frame}]}


def modes_of(tables: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Run a model and return its modes as the summary has them."""
    ff.load_model(tables).run(folder)
    found: list[dict[str, Any]] = json.loads((folder / "summary.json").read_text())["modes"]
    return found


def frequencies(rows: list[dict[str, Any]]) -> np.ndarray:
    """Return the frequencies of the wheel, each as often as it has modes."""
    waves = (row for row in rows if row["part"] == "real" or row["travels"] == "standing")
    return np.sort([row["frequency_Hz"] for row in waves])


def complete(rows: list[dict[str, Any]]) -> float:
    """Return the frequency below which no mode is missing at any nodal diameter."""
    highest: dict[tuple[int, str], float] = {}
    for row in rows:
        key = row["nodal_diameter"], row["travels"]
        highest[key] = max(highest.get(key, 0.0), row["frequency_Hz"])
    return min(highest.values()) * (1.0 - 1e-6)


def shells(sectors: int, *, whole: bool, **more: Any) -> dict[str, Any]:
    """Return a funnel of shells that turns, whose nodes rotate as well."""
    shown = sectors if whole else 1
    numbers: dict[tuple[int, int], int] = {}
    points: list[list[float]] = []

    def number(r: int, a: int) -> int:
        key = r, a % (3 * sectors)
        if key not in numbers:
            numbers[key] = len(points)
            bent = a % 3 == 1  # not symmetric within a sector
            radius, angle = 0.1 + 0.05 * r, 2.0 * np.pi / sectors * (a / 3 + 0.1 * bent)
            at = [radius * np.cos(angle), radius * np.sin(angle), 0.02 * r + 0.01 * bent]
            points.append(at)
        return numbers[key]

    corners = ((0, 0), (1, 0), (1, 1), (0, 1))
    cells = [[number(r + i, a + j) for i, j in corners] for r in range(3) for a in range(3 * shown)]
    groups = {"bore": [n for key, n in numbers.items() if key[0] == 0]}
    if not whole:
        ends = {"first": 0, "last": 3}
        groups |= {n: [k for key, k in numbers.items() if key[1] == a] for n, a in ends.items()}
    body = {"name": "funnel", "element": "mitc4", "material": "steel", "thickness": 0.01}
    tables = wheel(sectors, whole=whole, **more)
    return tables | {
        "mesh": ff.mesh_from_arrays(points, {"quad4": cells}, groups),
        "bodies": [{**body, "frame": {"velocity": 200.0}}],
    }


def test_shells_turn_with_their_nodes(tmp_path: Path) -> None:
    """Rotations of nodes match as displacements do: a funnel of shells has all its modes."""
    own = modes_of(shells(6, whole=False), tmp_path / "sector")
    analysis = {"kind": "modes", "count": 24}
    whole = modes_of(shells(6, whole=True, analysis=analysis), tmp_path / "whole")
    limit = complete(own)
    ours, theirs = frequencies(own), np.array([row["frequency_Hz"] for row in whole])
    assert ours[ours < limit] == pytest.approx(theirs[theirs < limit], rel=1e-9)


@pytest.mark.parametrize("sectors", [6, slow(7)])
@pytest.mark.parametrize(
    "more",
    [
        {},
        frames(300.0),
        {**frames(-300.0), **DAMPED},
        {"supports": []},
        frames("300 + 60000*t"),
    ],
    ids=["at rest", "Coriolis", "damped", "free", "faster and faster"],
)
def test_a_sector_has_all_modes_of_the_wheel(
    tmp_path: Path, sectors: int, more: dict[str, Any]
) -> None:
    """With their multiplicity: those of the model of all sectors, to 1e-9."""
    own = modes_of(wheel(sectors, whole=False, **more), tmp_path / "sector")
    analysis = {"kind": "modes", "count": 4 * sectors}
    whole = modes_of(wheel(sectors, whole=True, analysis=analysis, **more), tmp_path / "wheel")
    limit = complete(own)
    ours = frequencies(own)
    theirs = np.array([row["frequency_Hz"] for row in whole])
    ours, theirs = ours[ours < limit], theirs[theirs < limit]
    assert len(ours) > 2 * sectors
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9 * limit)


def test_large_sectors_are_solved_alike(tmp_path: Path) -> None:
    """Krylov's method on the sector finds what LAPACK finds: waves of 1 and 2 nodal diameters."""
    fine = {"divisions": (6, 5, 2), "element": "hex8i", **frames(400.0)}
    given = {"kind": "modes", "count": 3, "nodal_diameters": [1, 2]}
    rows = modes_of(wheel(7, whole=False, analysis=given, **fine), tmp_path / "sector")
    assert len(rows) == 2 * 2 * 2 * 3  # parts, senses, diameters
    analysis = {"kind": "modes", "count": 18}
    whole = modes_of(wheel(7, whole=True, analysis=analysis, **fine), tmp_path / "wheel")
    known = np.array([row["frequency_Hz"] for row in whole])
    for row in rows:
        if row["frequency_Hz"] < known[-1]:
            assert np.abs(known / row["frequency_Hz"] - 1.0).min() < 1e-9


def ring(count: int, **more: Any) -> dict[str, Any]:
    """Return a sector of a thin ring of radius 1 m that moves in its plane: two bricks."""
    angle = 2.0 * np.pi / count
    radii, heights = np.array([0.98, 1.0, 1.02]), np.array([-0.02, 0.0, 0.02])
    points, numbers = [], {}
    for a in range(5):
        for r in range(3):
            for z in range(3):
                if (a % 2) + (r == 1) + (z == 1) < 2:
                    numbers[a, r, z] = len(points)
                    at = angle * a / 4
                    points.append([radii[r] * np.cos(at), radii[r] * np.sin(at), heights[z]])
    corners = [(0, 0, 0), (0, 2, 0), (2, 2, 0), (2, 0, 0)]
    corners += [(a, r, 2) for a, r, _ in corners]
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5),
             (2, 6), (3, 7)]  # fmt: skip
    local = corners + [
        tuple((p + q) // 2 for p, q in zip(corners[i], corners[j], strict=True)) for i, j in edges
    ]
    cells = [[numbers[a + first, r, z] for a, r, z in local] for first in (0, 2)]
    groups = {name: [n for key, n in numbers.items() if key[0] == end]
              for name, end in (("first", 0), ("last", 4))}  # fmt: skip
    groups["every"] = list(numbers.values())
    return {
        "mesh": ff.mesh_from_arrays(points, {"hex20": cells}, groups),
        "materials": {"steel": STEEL},
        "bodies": [{"name": "ring", "element": "hex20", "material": "steel"}],
        "supports": [{"group": "every", "components": ["z"]}],
        "cyclic": {"from": "first", "to": "last", "sectors": count},
        "analysis": {"kind": "modes", "count": 2, "nodal_diameters": [2, 3]},
        "output": {"formats": ["csv"]},
    } | more


@pytest.mark.parametrize(("speed", "swapped"), [(20.0, False), (-20.0, True)])
def test_waves_of_a_ring_travel_as_bryan_says(tmp_path: Path, speed: float, swapped: bool) -> None:
    """In the ring the backward wave is faster: by 4 n W / (n^2 + 1) (Bryan 1890, inextensible)."""
    still = modes_of(ring(48), tmp_path / "still")
    body = {"name": "ring", "element": "hex20", "material": "steel", "frame": {"velocity": speed}}
    given = {"geometric": False, "centrifugal_stiffness": False}
    ends = ("last", "first") if swapped else ("first", "last")
    cyclic = {"from": ends[0], "to": ends[1], "sectors": 48}
    turning = modes_of(ring(48, bodies=[body], include=given, cyclic=cyclic), tmp_path / "turning")
    modulus, density = STEEL["young"] / (1 - STEEL["poisson"] ** 2), STEEL["density"]
    for n in (2, 3):
        exact = np.sqrt(modulus * 0.04**2 / 12 / density) * n * (n**2 - 1) / np.sqrt(n**2 + 1)
        lowest = next(row for row in still if row["nodal_diameter"] == n)
        assert 2 * np.pi * lowest["frequency_Hz"] == pytest.approx(exact, rel=2e-3)
        seen, outside = {}, {}
        for row in reversed([row for row in turning if row["nodal_diameter"] == n]):
            seen[row["travels"]] = 2 * np.pi * row["frequency_Hz"]
            outside[row["travels"]] = 2 * np.pi * row["fixed_frequency_Hz"]
        gap = 4 * n * abs(speed) / (n**2 + 1)
        assert seen["backward"] - seen["forward"] == pytest.approx(gap, rel=2e-3)
        # Outside, the wheel carries waves along: s - n W, with s < 0 for forward waves.
        assert outside["forward"] == pytest.approx(seen["forward"] + n * abs(speed))
        assert outside["backward"] == pytest.approx(seen["backward"] - n * abs(speed))


def test_centrifugal_loads_strain_all_sectors_alike(tmp_path: Path) -> None:
    """Static displacements of the sector, shown on the wheel, are those of the whole model."""
    more = {"analysis": {"kind": "static"}, "output": {"formats": ["hdf5"]}, **frames(1000.0)}
    cyclic = {"from": "first", "to": "last", "sectors": 6, "expand": True}
    found = ff.load_model({**wheel(6, whole=False, **more), "cyclic": cyclic}).run(tmp_path / "one")
    whole = ff.load_model(wheel(6, whole=True, **more)).run(tmp_path / "all")
    assert found.figures["largest displacement"][0] == pytest.approx(
        whole.figures["largest displacement"][0], rel=1e-9
    )
    one, other = ff.Results(tmp_path / "one"), ff.Results(tmp_path / "all")
    ours, theirs = one.bodies()[0].points, other.bodies()[0].points
    distance, number = cKDTree(theirs).query(ours)
    assert distance.max() < 1e-12
    assert len(ours) > len(theirs)  # nodes on seams belong to two sectors
    state, known = (results.frame(0).states["wheel"] for results in (one, other))
    expected = known.displacement[number]
    assert state.displacement == pytest.approx(expected, abs=1e-9 * np.abs(expected).max())
    # On seams nodal stresses are means over the cells of one sector only.
    angle = np.degrees(np.arctan2(ours[:, 1], ours[:, 0])) % 60.0
    inner = (angle > 1.0) & (angle < 59.0)
    assert state.stress is not None
    assert known.stress is not None
    expected = known.stress[number][inner]
    assert state.stress[inner] == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


def disc(*, whole: bool, **more: Any) -> dict[str, Any]:
    """Return a solid disc of wedges about its axis and bricks around them: one sector, or six."""
    shown = 6 if whole else 1
    points = [[0.0, 0.0, z] for z in (0.0, 0.02)]
    numbers: dict[tuple[int, int, int], int] = {}
    for a in range(2 * shown + (not whole)):
        for r, z in ((r, z) for r in (1, 2, 3) for z in (0, 1)):
            numbers[a, r, z] = len(points)
            at, radius = np.pi / 6 * a, 0.1 * r * (1.0 + 0.1 * (a % 2))
            points.append([radius * np.cos(at), radius * np.sin(at), 0.02 * z])
    at = lambda a, r, z: numbers[a % (2 * shown) if whole else a, r, z]  # noqa: E731
    wedges = [[0, at(a, 1, 0), at(a + 1, 1, 0), 1, at(a, 1, 1), at(a + 1, 1, 1)]
              for a in range(2 * shown)]  # fmt: skip
    bricks = [[at(a + j, r + i, z) for z in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))]
              for a in range(2 * shown) for r in (1, 2)]  # fmt: skip
    ends = {"first": 0, "last": 2}
    cells = {"wedge6": wedges, "hex8": bricks}
    groups = {"core": {"wedge6": range(len(wedges))}, "rim": {"hex8": range(len(bricks))}}
    groups |= {} if whole else {
        name: [0, 1, *(n for key, n in numbers.items() if key[0] == end)]
        for name, end in ends.items()
    }  # fmt: skip
    found = {
        "mesh": ff.mesh_from_arrays(points, cells, groups),
        "materials": {"steel": STEEL},
        "bodies": [{"name": n, "cells": n, "element": e, "material": "steel"}
                   for n, e in (("core", "wedge6"), ("rim", "hex8"))],
        "analysis": {"kind": "modes", "count": 8},
        "output": {"formats": ["csv"]},
    } | more  # fmt: skip
    return found if whole else found | {"cyclic": {"from": "first", "to": "last", "sectors": 6}}


def test_nodes_on_the_axis_move_as_their_nodal_diameter_lets_them(tmp_path: Path) -> None:
    """Along the axis for n = 0, across it for n = 1: a free solid disc has all its modes."""
    own = modes_of(disc(whole=False), tmp_path / "sector")
    analysis = {"kind": "modes", "count": 40}
    whole = modes_of(disc(whole=True, analysis=analysis), tmp_path / "disc")
    limit = min(complete(own), whole[-1]["frequency_Hz"] * (1.0 - 1e-6))
    ours = frequencies(own)
    theirs = np.array([row["frequency_Hz"] for row in whole])
    ours, theirs = ours[ours < limit], theirs[theirs < limit]
    assert (ours[:6] == 0.0).all()  # rigid motions
    assert len(ours) > 20
    assert ours == pytest.approx(theirs, rel=1e-8)


def between(divisions: int) -> dict[str, Any]:
    """Return a sector of 45 degrees of two tied blocks, whose boundaries have other meshes."""

    def corners(low: float, high: float) -> list[list[float]]:
        flat = [
            [r * np.cos(a), r * np.sin(a)] for r, a in ((1, low), (2, low), (2, high), (1, high))
        ]
        return [[*xy, z] for z in (0.0, 0.5) for xy in flat]

    angle = np.pi / 8
    return {
        "mesh": {
            "blocks": {
                "low": {"cell": "hex20", "corners": corners(0, angle), "divisions": [2, 1, 1]},
                "high": {
                    "cell": "hex20",
                    "corners": corners(angle, 2 * angle),
                    "divisions": [divisions, 1, divisions - 1],
                },
            }
        },
        "materials": {"steel": STEEL},
        "bodies": [{"name": n, "cells": n, "element": "hex20", "material": "steel"}
                   for n in ("low", "high")],
        "ties": [{"nodes": "high.ymin", "facets": "low.ymax"}],
        "cyclic": {"from": "low.ymin", "to": "high.ymax", "sectors": 8},
        "analysis": {"kind": "modes", "count": 4, "nodal_diameters": [0, 1, 2]},
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def test_boundaries_need_not_match(tmp_path: Path) -> None:
    """Rigid motions cost no energy, and elastic modes are those of matching meshes to 2 %."""
    same, other = (modes_of(between(n), tmp_path / f"{n}") for n in (2, 3))
    ours = np.array([row["frequency_Hz"] for row in other])
    theirs = np.array([row["frequency_Hz"] for row in same])
    still = theirs == 0.0
    assert still.sum() == 2 + 2 * 2  # along and about the axis; across it, in two parts each
    assert (ours[still] == 0.0).all()
    assert ours[~still] == pytest.approx(theirs[~still], rel=0.02)


def wrong(**changes: Any) -> dict[str, Any]:
    """Return a sector with changes to its tables."""
    tables = wheel(6, whole=False)
    for key, value in changes.items():
        merges = isinstance(tables.get(key), dict) and key != "mesh"
        tables[key] = {**tables[key], **value} if merges else value
    return tables


AXIAL = {"kind": "gravity", "acceleration": [0, 0, -9.81]}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"cyclic": {"sectors": 5}}, r"cyclic\.\w+: node \d+ is .* m away from .* turned by 72 "
         r"degrees; expected at most .* m; the boundaries are 60 degrees apart, as for 6 sectors"),
        ({"cyclic": {"axis": [1, 0, 0]}}, r"cyclic\.\w+: node \d+ is .* away"),
        ({"cyclic": {"to": "bore"}}, r"cyclic\.\w+: node \d+ is .* away"),
        ({"cyclic": {"to": "first"}}, r"cyclic\.to: found 'first', that of from"),
        ({"cyclic": {"to": "nowhere"}}, r"cyclic\.to: .*nowhere"),
        ({"cyclic": {"sectors": 1}}, r"cyclic\.sectors: found 1; expected .*>= 2"),
        ({"cyclic": {"axis": [0, 0, 0]}}, r"cyclic\.axis: found a direction of length 0"),
        ({"analysis": {"nodal_diameters": [4]}},
         r"analysis\.nodal_diameters: found 4; expected at most 3, half of 6 sectors"),
        ({"analysis": {"nodal_diameters": [2, 1]}}, r"found 2 before 1; expected ascending"),
        ({"analysis": {"nodal_diameters": "some"}}, r"analysis\.nodal_diameters"),
        ({"analysis": {"kind": "buckling"}}, r"analysis\.kind: found buckling with \[cyclic\]"),
        ({"loads": [{**AXIAL, "acceleration": [1, 0, -9.81]}]},
         r"loads\[0\]\.acceleration: .* which is not cyclic"),
        ({**frames(10.0), "cyclic": {"point": [0.1, 0, 0]}}, r"cyclic\.point: .*across the axis"),
        ({**frames(10.0), "analysis": {"shift": 100.0, "nodal_diameters": [1]}},
         r"analysis\.shift: found with Coriolis forces or damping at a nodal diameter"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    with pytest.raises(FlexforgeError, match=said):
        ff.load_model(wrong(**changes)).run(tmp_path / "wrong")


def test_nodal_diameters_are_of_sectors() -> None:
    tables = wheel(6, whole=True, analysis={"kind": "modes", "nodal_diameters": [0]})
    with pytest.raises(FlexforgeError, match=r"nodal_diameters: found without \[cyclic\]"):
        ff.load_model(tables)


@pytest.mark.parametrize("diameter", [2, -1])
def test_loads_with_nodal_diameters_travel(tmp_path: Path, diameter: int) -> None:
    """With Coriolis forces: a wave of loads moves the sector as it moves the whole wheel."""
    push = {"kind": "force", "group": "tip", "total": [0.0, 0.0, 100.0]}
    probe = {"name": "tip", "group": "tip", "component": "z"}
    more = {**frames(300.0), **DAMPED}
    analysis = {"kind": "harmonic", "frequencies": [200.0, 700.0]}
    given = {**analysis, "nodal_diameter": diameter}
    own = wheel(6, whole=False, analysis=given, loads=[push], probes=[probe], **more)
    whole = wheel(6, whole=True, analysis=analysis, **more)
    names = tips_of(whole)
    angles = [f"{diameter * number * 60} deg" for number in range(6)]
    whole["loads"] = [{**push, "group": n, "phase": a} for n, a in zip(names, angles, strict=True)]
    whole["probes"] = [{**probe, "group": names[0]}]
    ours, theirs = (
        np.loadtxt(
            ff.load_model(tables).run(tmp_path / name).folder / "response.csv",
            delimiter=",",
            skiprows=1,
        )
        for name, tables in (("sector", own), ("wheel", whole))
    )
    assert ours == pytest.approx(theirs, rel=1e-8)


def tips_of(tables: dict[str, Any]) -> list[str]:
    """Return groups of the nodes at the tips of the blades of a wheel of 6, one after the other."""
    mesh = tables["mesh"]
    tips = mesh.groups["tip"].nodes
    number = np.floor(np.degrees(np.arctan2(mesh.points[tips, 1], mesh.points[tips, 0])) % 360 / 60)
    return ["#" + ", ".join(map(str, tips[number == k])) for k in range(6)]


def pushed(*, whole: bool, **analysis: Any) -> dict[str, Any]:
    """Return a wheel with damping whose blades 1, 2 and 4 are pushed, and a probe of a blade."""
    load = {"kind": "force", "group": "tip", "total": [0.0, 0.0, 100.0], "amplitude": "1 + 20*t"}
    probe = {"name": "tip", "group": "tip", "component": "z"}
    tables = wheel(6, whole=whole, loads=[load], probes=[probe], **DAMPED)
    if whole:
        every = tips_of(tables)
        names = [every[k] for k in (0, 1, 3)]
        tables["loads"] = [{**load, "group": name} for name in names]
        tables["probes"] = [{**probe, "group": names[0]}]
    else:
        tables["loads"] = [{**load, "sectors": [1, 2, 4]}]
    return tables | {"analysis": analysis}


@pytest.mark.parametrize(
    "analysis",
    [
        {"kind": "transient", "method": "modal", "duration": 0.02, "steps": 20},
        {"kind": "harmonic", "frequencies": [100.0, 400.0, 900.0]},
    ],
    ids=["transient", "harmonic"],
)
def test_loads_on_some_sectors_move_a_wheel(tmp_path: Path, analysis: dict[str, Any]) -> None:
    """All nodal diameters together: the sum of all modes of the sector is that of the wheel."""
    own = ff.load_model(pushed(whole=False, **analysis, modes=500)).run(tmp_path / "sector")
    whole = ff.load_model(pushed(whole=True, **analysis, modes=2000)).run(tmp_path / "wheel")
    name = "probes.csv" if analysis["kind"] == "transient" else "response.csv"
    ours, theirs = (
        np.loadtxt(one.folder / name, delimiter=",", skiprows=1)[:, 1] for one in (own, whole)
    )
    assert np.abs(theirs).max() > 0.0
    assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-8 * np.abs(theirs).max())


def test_waves_are_shown_as_they_travel(tmp_path: Path) -> None:
    """A quarter of a period after the real part a backward wave is at minus the imaginary one."""
    given = {"kind": "modes", "count": 1, "nodal_diameters": [2]}
    more = {**frames(400.0), "output": {"formats": ["hdf5"]}, "analysis": given}
    tables = wheel(6, whole=False, **more)
    tables["cyclic"] = {**tables["cyclic"], "expand": True}
    results = ff.load_model(tables).run(tmp_path / "wheel").results
    rows, shapes = results.summary["modes"], results.modes()[1]["wheel"]
    shown = scene_of(results).modes
    for first, row in ((0, rows[0]), (2, rows[2])):
        begun, after = wave_states(results, shown[first], first + 1, np.array([0.0, np.pi / 2]))
        size = np.linalg.norm(shapes[first]) / np.linalg.norm(begun.moves[0])
        sign = {"forward": 1.0, "backward": -1.0}[row["travels"]]
        tolerance = 1e-9 * np.abs(shapes).max()
        assert size * begun.moves[0] == pytest.approx(shapes[first], abs=tolerance)
        assert size * after.moves[0] == pytest.approx(sign * shapes[first + 1], abs=tolerance)
    assert [row["travels"] for row in rows] == ["forward"] * 2 + ["backward"] * 2


def test_wheels_turn_about_any_axis(tmp_path: Path) -> None:
    """Wherever the axis is: the same frequencies, forward and backward."""
    turn = Rotation.from_rotvec([0.4, -0.8, 0.3]).as_matrix()
    point = [0.3, -0.2, 0.7]
    given = {"analysis": {"kind": "modes", "count": 2, "nodal_diameters": [1, 2]}}
    tables = wheel(6, whole=False, **frames(300.0), **given)
    first = modes_of(tables, tmp_path / "first")
    axis = turn[:, 2].tolist()
    moved = tables["mesh"].points @ turn.T + np.array(point)
    tables["mesh"] = replace(tables["mesh"], points=moved)
    tables["cyclic"] = {**tables["cyclic"], "axis": axis, "point": point}
    tables["bodies"][0]["frame"] = {"velocity": 300.0, "axis": axis, "point": point}
    other = modes_of(tables, tmp_path / "other")
    for key in ("frequency_Hz", "fixed_frequency_Hz"):
        assert [row[key] for row in other] == pytest.approx([row[key] for row in first], rel=1e-9)
    assert [row["travels"] for row in other] == [row["travels"] for row in first]


def test_transients_of_a_sector_are_those_of_the_wheel(tmp_path: Path) -> None:
    """Under loads on all blades alike, in a frame that turns."""
    probe = {"name": "tip", "group": "tip", "component": "z"}
    moved = []
    for whole in (False, True):
        load = {"kind": "force", "group": "tip", "total": [0, 0, 600.0 if whole else 100.0]}
        more = {"loads": [load], "probes": [probe], **frames(300.0)}
        tables = wheel(6, whole=whole, **more)
        tables["analysis"] = {"kind": "transient", "duration": 1e-3, "steps": 10}
        moved.append(ff.load_model(tables).run(tmp_path / f"{whole}").probes["tip"].values)
    assert moved[0] == pytest.approx(moved[1], abs=1e-9 * np.abs(moved[1]).max())


def test_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where modes of a nodal diameter do not converge, those before are in the results."""

    def fails(*arguments: Any, **more: Any) -> Any:
        raise AnalysisError("modes: 1 of 4 eigenvalues have converged")

    monkeypatch.setattr(modes, "solve_hermitian", fails)
    tables = wheel(6, whole=False, **frames(300.0))
    with pytest.raises(AnalysisError, match="nodal diameter 1: modes: 1 of 4 .* are kept"):
        ff.load_model(tables).run(tmp_path / "wheel")
    rows = json.loads((tmp_path / "wheel" / "summary.json").read_text())["modes"]
    assert [row["nodal_diameter"] for row in rows] == [0] * 4
