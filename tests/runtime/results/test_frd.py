# SPDX-License-Identifier: BSD-3-Clause
"""Files for CalculiX's viewer, read back by a parser of their own, and beside one of CalculiX."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.results.data import BodyGeometry, BodyState
from flexforge.runtime.results.frd import FrdSeries
from flexforge.runtime.results.read import Results
from flexforge.runtime.run import run_model

CORNERS = [[0, 0, 0], [3, 0, 0], [3, 1, 0], [0, 1, 0], [0, 0, 1], [3, 0, 1], [3, 1, 1], [0, 1, 1]]
STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}


@dataclass
class Block:
    """A quantity at nodes."""

    name: str
    value: float
    kind: int
    components: list[str] = field(default_factory=list)
    rows: dict[int, list[float]] = field(default_factory=dict)


def numbers(line: str) -> list[float]:
    """Return the values of a node, 12 columns each."""
    return [float(line[k : k + 12]) for k in range(13, len(line), 12)]


def parsed(path: Path) -> tuple[dict[int, Any], dict[int, Any], list[Block]]:
    """Return nodes, cells (type and nodes) and blocks by the columns of the format's manual."""
    nodes: dict[int, Any] = {}
    cells: dict[int, Any] = {}
    blocks: list[Block] = []
    where, head, cell = "", (0.0, 0), 0
    lines = path.read_text().splitlines()
    assert lines[-1] == " 9999"
    for line in lines[:-1]:
        key = line[:3]
        if line[:6] in ("    2C", "    3C"):
            where, count = line[4:6], int(line[24:36])
            assert line[73:74] == "1"
            if where == "2C":
                expected = count
            else:
                cells_expected = count
        elif line[:6] == "  100C":
            head = float(line[12:24]), int(line[56:58])
            wanted = int(line[24:36])
        elif key == " -4":
            blocks.append(Block(line[5:13].strip(), *head))
            where = "100"
        elif key == " -5":
            blocks[-1].components.append(line[5:13].strip())
        elif key == " -1" and where == "2C":
            nodes[int(line[3:13])] = numbers(line)
        elif key == " -1" and where == "3C":
            cell = int(line[3:13])
            cells[cell] = (int(line[13:18]), [])
        elif key == " -2":
            cells[cell][1].extend(int(line[k : k + 10]) for k in range(3, len(line), 10)
                                  if line[k : k + 10].strip())  # fmt: skip
        elif key == " -1":
            blocks[-1].rows[int(line[3:13])] = numbers(line)
        elif key == " -3" and where == "100":
            assert len(blocks[-1].rows) == wanted
    assert (len(nodes), len(cells)) == (expected, cells_expected)
    return nodes, cells, blocks


def model(analysis: dict[str, Any], **tables: Any) -> Any:
    """Return a bar of three cubes."""
    return model_from_dict(
        {
            "mesh": {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [3, 1, 1]}},
            "materials": {"steel": STEEL},
            "bodies": [{"name": "bar", "element": "hex8", "material": "steel"}],
            "supports": [{"group": "xmin"}],
            "analysis": analysis,
            "output": {"formats": ["hdf5", "frd"]},
        }
        | tables
    )


def test_frames_are_those_of_all_digits(tmp_path: Path) -> None:
    """Nodes, cells, displacements and stresses of every time, to six digits."""
    motion = {"kind": "transient", "duration": 2e-3, "steps": 3}
    load = [{"kind": "force", "group": "xmax", "total": [0, 0, 1e5]}]
    run_model(model(motion, loads=load), output=tmp_path)
    nodes, cells, blocks = parsed(tmp_path / "results.frd")
    results = Results(tmp_path)
    (body,) = results.bodies()
    assert np.allclose(list(nodes.values()), body.points, atol=1e-5)
    places = {label: row for row, label in enumerate(nodes)}
    found = [[places[one] for one in row] for _, row in cells.values()]
    assert np.array_equal(found, body.connectivity)
    assert {kind for kind, _ in cells.values()} == {1}
    assert [one.name for one in blocks] == ["DISP", "STRESS"] * 4
    assert blocks[1].components == ["SXX", "SYY", "SZZ", "SXY", "SYZ", "SZX"]
    for number, time in enumerate(results.times()):
        state = results.frame(number).states["bar"]
        moved, stressed = blocks[2 * number : 2 * number + 2]
        assert moved.value == pytest.approx(time, rel=1e-5)
        for block, exact in ((moved, state.displacement), (stressed, state.stress)):
            size = max(abs(exact).max(), 1e-30)
            assert np.allclose(list(block.rows.values()), exact, rtol=1e-5, atol=1e-6 * size)


def test_a_run_that_goes_on_cuts_what_came_after(tmp_path: Path) -> None:
    """Three frames, two of them written anew, are the file of three frames."""
    body = BodyGeometry("bar", "line2", np.eye(3)[:2], np.array([[0, 1]]))
    states = [{"bar": BodyState(k * np.ones((2, 3)))} for k in range(3)]
    whole, again = tmp_path / "whole.frd", tmp_path / "again.frd"
    for path in (whole, again):
        series = FrdSeries(path, [body], "bar")
        for k, state in enumerate(states):
            series.frame(0.1 * k, state)
        series.close()
    series = FrdSeries(again, [body], "bar", after=1)
    for k in (1, 2):
        series.frame(0.1 * k, states[k])
    series.close()
    assert again.read_text() == whole.read_text()
    assert len(parsed(again)[2]) == 3


def test_modes_have_their_frequencies(tmp_path: Path) -> None:
    """One block for each, of the kind of frequencies."""
    run_model(model({"kind": "modes", "count": 3}), output=tmp_path)
    _, _, blocks = parsed(tmp_path / "results.frd")
    frequencies, shapes = Results(tmp_path).modes()
    blocks = [one for one in blocks if one.kind == 2]
    assert [one.value for one in blocks] == pytest.approx(frequencies, rel=1e-8)
    for block, shape in zip(blocks, shapes["bar"], strict=True):
        size = abs(shape).max()
        assert np.allclose(list(block.rows.values()), shape, rtol=1e-5, atol=1e-6 * size)


def test_bodies_that_touch_share_their_nodes(tmp_path: Path) -> None:
    """Two bodies of one mesh: every node once, and the cells of both."""
    blocks = {
        "near": {"cell": "hex8", "corners": CORNERS, "divisions": [3, 1, 1]},
        "far": {"cell": "hex8", "divisions": [3, 1, 1],
                "corners": [[x + 3, y, z] for x, y, z in CORNERS]},
    }  # fmt: skip
    bodies = [
        {"name": name, "cells": name, "element": "hex8", "material": "steel"} for name in blocks
    ]
    run_model(
        model(
            {"kind": "static"}, mesh={"blocks": blocks, "merge": True}, bodies=bodies,
            supports=[{"group": "near.xmin"}],
        ), output=tmp_path,
    )  # fmt: skip
    nodes, cells, _ = parsed(tmp_path / "results.frd")
    assert (len(nodes), len(cells)) == (28, 6)
    assert {node for _, row in cells.values() for node in row} == set(nodes)


def test_cells_that_cgx_does_not_know_are_refused(tmp_path: Path) -> None:
    """Before anything is computed, by name."""
    wrong = model(
        {"kind": "static"},
        mesh={"block": {"cell": "hex27", "corners": CORNERS, "divisions": [1, 1, 1]}},
        bodies=[{"name": "bar", "element": "hex27", "material": "steel"}],
    )
    with pytest.raises(InputError, match="found \"frd\" with body 'bar' of cells hex27"):
        run_model(wrong, output=tmp_path)


def test_processes_write_no_parts_of_such_files() -> None:
    """One file has everything."""
    with pytest.raises(InputError, match='found "frd" with by_process'):
        model({"kind": "static"}, output={"formats": ["frd"], "by_process": True})


NO_CCX = shutil.which("ccx") is None


@pytest.mark.skipif(NO_CCX, reason="ccx is not installed")
@pytest.mark.parametrize("kind", ["C3D8", "C3D20", "C3D15", "C3D10"])
def test_calculix_writes_the_same_file(tmp_path: Path, kind: str) -> None:
    """Nodes, cells in the order of cgx, and displacements of a cell that is pulled."""
    deck = tmp_path / "one.inp"
    deck.write_text(one_cell(kind))
    subprocess.run(["ccx", "-i", "one"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    run_model(load_model_file(deck), output=tmp_path / "out")
    theirs, ours = (parsed(tmp_path / name) for name in ("one.frd", "out/1/results.frd"))
    assert ours[:2] == theirs[:2]
    if kind == "C3D15":  # which has other points there
        return
    first = next(one for one in theirs[2] if one.name == "DISP")
    found = next(one for one in reversed(ours[2]) if one.name == "DISP")
    assert [*found.rows] == [*first.rows]
    exact = np.array([*first.rows.values()])
    assert np.allclose([*found.rows.values()], exact, atol=1e-4 * abs(exact).max())


def one_cell(kind: str) -> str:
    """Return a deck of one cell of the reference, its nodes in the order of CalculiX."""
    from flexforge.runtime.mesh.cells import CELLS

    name = {"C3D8": "hex8", "C3D20": "hex20", "C3D15": "wedge15", "C3D10": "tet10"}[kind]
    places = CELLS[name].reference
    count = len(places)
    nodes = "".join(f"{i + 1}, {', '.join(map(str, x))}\n" for i, x in enumerate(places))
    every = [7, *range(1, count + 1)]
    rows = "".join(
        ", ".join(map(str, every[k : k + 15])) + (",\n" if k + 15 <= count else "\n")
        for k in range(0, count + 1, 15)
    )
    low = min(z for *_, z in places)
    held = "".join(f"{i + 1}, 1, 3\n" for i, x in enumerate(places) if x[2] == low)
    top = next(i + 1 for i, x in enumerate(places) if x[2] != low)
    return (
        f"*NODE, NSET=Nall\n{nodes}*ELEMENT, TYPE={kind}, ELSET=Eall\n{rows}"
        "*MATERIAL, NAME=Steel\n*ELASTIC\n210000., .3\n*SOLID SECTION, ELSET=Eall, MATERIAL=Steel\n"
        f"*BOUNDARY\n{held}*STEP\n*STATIC\n*CLOAD\n{top}, 1, 500.\n*NODE FILE\nU\n*END STEP\n"
    )
