# SPDX-License-Identifier: BSD-3-Clause
"""Wrong input ends in one clear line, exit code 2, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest
from flexforge.cli import main

BLOCK = """
[mesh]
block = { cell = "hex8", corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0],
          [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]], divisions = [2, 2, 2] }
"""
FILE = '\n[mesh]\nfile = "mesh.msh"\n'
REST = """
[materials.steel]
young = 2e11
poisson = 0.3
density = 7800

[[bodies]]
name = "block"
element = "hex8"
material = "steel"

[[supports]]
group = "xmin"

[analysis]
kind = "static"
"""
CUBE = [[x, y, z] for z in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]


def mesh(points: list, cells: list[list[int]], kind: int = 5) -> str:
    """Return a Gmsh file of cells (numbers from 1) in a volume group, and a group ``xmin``."""
    nodes = "\n".join(f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(points, start=1))
    rows = [f"1 15 2 2 2 {cells[0][0]}"]
    rows += [f"{i} {kind} 2 1 1 {' '.join(map(str, c))}" for i, c in enumerate(cells, start=2)]
    return (
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
        '$PhysicalNames\n2\n0 2 "xmin"\n3 1 "solid"\n$EndPhysicalNames\n'
        f"$Nodes\n{len(points)}\n{nodes}\n$EndNodes\n"
        f"$Elements\n{len(rows)}\n" + "\n".join(rows) + "\n$EndElements\n"
    )


WHOLE = list(range(1, 9))
INVERTED = [5, 6, 7, 8, 1, 2, 3, 4]
FLAT = [[x, y, 0] for x, y, _ in CUBE]
FAULTS = {
    "inverted": (FILE + REST, mesh(CUBE, [INVERTED]), ["cell 2 (hex8) is inverted", "mesh.msh"]),
    "degenerate": (FILE + REST, mesh(FLAT, [WHOLE]), ["degenerate", "expected positive"]),
    "twice": (FILE + REST, mesh(CUBE, [[1, 1, *WHOLE[2:]]]), ["uses node 1 twice"]),
    "not a number": (
        FILE + REST,
        mesh([*CUBE[:7], [0, "nan", 1]], [WHOLE]),
        ["node 8", "nan"],
    ),
    "wrong cell": (
        FILE + REST.replace('"hex8"', '"tet4"'),
        mesh(CUBE, [WHOLE]),
        ["hex8 cells; expected tet4"],
    ),
    "truncated": (FILE + REST, mesh(CUBE, [WHOLE])[:-60], ["mesh.msh"]),
    "no mesh": (FILE + REST, None, ["mesh.msh"]),
    "missing group": (
        BLOCK + REST.replace('"xmin"', '"xmim"'),
        None,
        ["no group named 'xmim'", "did you mean 'xmin'"],
    ),
    "unknown key": (
        BLOCK + REST.replace("element =", "elemnt ="),
        None,
        ["model.toml:13: bodies[0].elemnt", "did you mean 'element'"],
    ),
    "negative density": (
        BLOCK + REST.replace("7800", "-7800"),
        None,
        ["model.toml:9: materials.steel.density: found -7800"],
    ),
    "nan in the model": (BLOCK + REST.replace("7800", "nan"), None, ["density", "nan"]),
    "wrong type": (BLOCK + REST.replace("7800", '"heavy"'), None, ["density", "heavy"]),
    "no toml": (BLOCK + "[[[", None, ["model.toml:"]),
    "free": (
        BLOCK + REST.replace('group = "xmin"', 'group = "xmin"\ncomponents = ["x"]'),
        None,
        ["body 'block' is free to move", "translation along y"],
    ),
    "block of other cells": (
        BLOCK + REST.replace('element = "hex8"', 'element = "hex20"'),
        None,
        ["hex20", "hex8"],
    ),
}


def written(folder: Path) -> list[str]:
    """Return what a command left in a folder, but for what the test put there."""
    return sorted(p.name for p in folder.iterdir() if p.name not in ("model.toml", "mesh.msh"))


@pytest.mark.parametrize(
    ("fault", "command"),
    # Free motions are an error of a static run only; check reports them as a finding.
    [(f, c) for f in FAULTS for c in ("run", "check") if (f, c) != ("free", "check")],
)
def test_a_fault_is_one_line_and_leaves_nothing(
    fault: str,
    command: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each wrong input: exit code 2, one line that says where and what, no file written."""
    model, mesh_text, words = FAULTS[fault]
    monkeypatch.chdir(tmp_path)
    Path("model.toml").write_text(model)
    if mesh_text is not None:
        Path("mesh.msh").write_text(mesh_text)
    assert main([command, "model.toml"]) == 2
    caught = capsys.readouterr()
    assert len(caught.err.strip().splitlines()) == 1, caught.err
    assert "Traceback" not in caught.err
    for word in words:
        assert word in caught.err
    if fault != "free":  # it shows only when the equations are put together
        assert written(tmp_path) == []


def test_an_unwritable_folder_is_found_before_anything_is_computed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The results' folder is a file: exit code 2, the file is left alone."""
    (tmp_path / "model.toml").write_text(BLOCK + REST)
    (tmp_path / "taken").write_text("precious")
    code = main(["run", str(tmp_path / "model.toml"), "-o", str(tmp_path / "taken")])
    error = capsys.readouterr().err
    assert code == 2
    assert "cannot be written" in error
    assert len(error.strip().splitlines()) == 1
    assert (tmp_path / "taken").read_text() == "precious"
