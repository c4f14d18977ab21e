# SPDX-License-Identifier: BSD-3-Clause
"""Sectors of wheels in decks: the modes of a model file, and what is wrong with its line."""

from __future__ import annotations

import shutil
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.text import model_text
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file
from flexforge.runtime.run import run_model

from .deck_texts import step, written

CYCLIC = (
    "*TIE, CYCLIC SYMMETRY, NAME=T1\nhigh, low\n*CYCLIC SYMMETRY MODEL, N=6, TIE=T1\n0,0,0,0,0,1\n"
)
SELECTED = ("*FREQUENCY", "6", "*SELECT CYCLIC SYMMETRY MODES, NMIN=1, NMAX=2")


def sector() -> str:
    """Return a sector of 60 degrees of a disc: two by three bricks, held inside."""
    nodes, elements = {}, []
    for r, a, z in product(range(3), range(4), range(2)):
        nodes[r, a, z] = len(nodes) + 1
    for r, a in product(range(2), range(3)):
        ring = [(r, a), (r + 1, a), (r + 1, a + 1), (r, a + 1)]
        elements.append([nodes[i, j, z] for z in (0, 1) for i, j in ring])
    lines = ["*NODE, NSET=Nall"]
    for (r, a, z), number in nodes.items():
        radius, angle = 10.0 + 20.0 * r, np.radians(20.0 * a)
        # 17 digits: boundaries match to the last one
        x, y = repr(float(radius * np.cos(angle))), repr(float(radius * np.sin(angle)))
        lines.append(f"{number}, {x}, {y}, {3.0 * z}")
    lines.append("*ELEMENT, TYPE=C3D8, ELSET=Eall")
    lines += [f"{n}, {', '.join(map(str, one))}" for n, one in enumerate(elements, 1)]
    for name, fits in (("Nlow", 0), ("Nhigh", 3)):
        lines.append(f"*NSET, NSET={name}")
        lines += [f"{number}," for (_, a, _), number in nodes.items() if a == fits]
    lines.append("*NSET, NSET=Hub")
    # CalculiX holds no node of the boundary that depends on the other one.
    lines += [f"{number}," for (r, a, _), number in nodes.items() if r == 0 and a < 3]
    lines += ["*SURFACE, NAME=low, TYPE=NODE", "Nlow", "*SURFACE, NAME=high, TYPE=NODE", "Nhigh"]
    lines += ["*MATERIAL, NAME=Steel", "*ELASTIC", "210000., .3", "*DENSITY", "7.8E-9"]
    lines += ["*SOLID SECTION, ELSET=Eall, MATERIAL=Steel", "*BOUNDARY", "Hub, 1, 3", ""]
    return "\n".join(lines)


def printed(text: str) -> np.ndarray:
    """Return the rows of tables of modes: nodal diameter, number, four figures."""
    rows = [line.split() for line in text.partition("P A R T")[0].splitlines()]
    return np.array([r for r in rows if len(r) == 6 and r[0].isdigit()], dtype=float)


def run(path: Path, folder: Path) -> np.ndarray:
    """Run a deck and return its table of modes."""
    model = load_model_file(path)
    output = model.output.model_copy(update={"formats": ("dat",)})
    run_model(model.model_copy(update={"output": output}), output=folder)
    return printed((folder / "1" / "results.dat").read_text())


def test_modes_are_told_by_nodal_diameter(tmp_path: Path) -> None:
    """Every mode twice, as CalculiX prints them; the model has the sector."""
    path = written(tmp_path, sector() + CYCLIC + step(*SELECTED))
    tables = translate(path).tables
    assert tables["cyclic"]["sectors"] == 6
    assert tables["steps"][0]["analysis"]["nodal_diameters"] == [1, 2]
    model = tmp_path / "model.toml"
    model.write_text(model_text(translate(path), model))
    assert "[cyclic] # line" in model.read_text()
    rows = run(path, tmp_path / "out")
    assert (run(model, tmp_path / "again") == rows).all()
    assert rows[:, 0].tolist() == [1] * 6 + [2] * 6
    assert (rows[::2, 3:] == rows[1::2, 3:]).all()


@pytest.mark.skipif(shutil.which("ccx") is None, reason="ccx (calculix-ccx) is not installed")
def test_calculix_finds_the_same_modes(tmp_path: Path) -> None:
    """Of one nodal diameter; to the digits printed."""
    only = "*SELECT CYCLIC SYMMETRY MODES, NMIN=2, NMAX=2"
    path = written(tmp_path, sector() + CYCLIC + step("*FREQUENCY", "6", only))
    subprocess.run(["ccx", "-i", path.stem], cwd=tmp_path, check=True, capture_output=True)
    theirs = printed(path.with_suffix(".dat").read_text())
    assert run(path, tmp_path / "out")[:, 4] == pytest.approx(theirs[:, 4], rel=2e-6)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("N=6", "N=5", r"cyclic\.\w+: node \d+ is .* away .* as for 6 sectors"),
        ("NMAX=2", "NMAX=4", "NMIN=1 and NMAX=4; expected 0 <= NMIN <= NMAX <= 3"),
        ("0,0,0,0,0,1", "0,0,0,0,0", "found 5 numbers; expected 6, two points on the axis"),
        ("0,0,0,0,0,1", "0,0,0,0,0,0", "found one point twice"),
        ("TIE=T1", "TIE=T2", "found 0 cards of TIE=T2; expected one"),
        ("*CYCLIC SYMMETRY MODEL, N=6, TIE=T1\n0,0,0,0,0,1\n", "", "no .CYCLIC SYMMETRY MODEL"),
        (
            "*END STEP\n",
            "*END STEP\n" + step("*COMPLEX FREQUENCY, CORIOLIS", "6"),
            "no .FREQUENCY step with PERTURBATION before",
        ),
        ("high, low", "high, lower", "no surface set named 'lower'"),
        ("*TIE, CYCLIC SYMMETRY", "*TIE, MULTISTAGE", "MULTISTAGE is not supported with .TIE"),
    ],
)
def test_what_is_wrong_with_a_sector_is_told(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = sector() + CYCLIC + step(*SELECTED)
    assert old in text
    path = written(tmp_path, text.replace(old, new))
    with pytest.raises(InputError, match=said):
        run(path, tmp_path / "out")


def test_loads_of_modal_steps_act_on_the_first_sector(tmp_path: Path) -> None:
    """Unless their card names another one, as in CalculiX."""
    modal = ("*MODAL DYNAMIC, CYCLIC SYMMETRY", "1.E-6, 1.E-5", "*CLOAD", "24, 3, 1.")
    other = ("*CLOAD, SECTOR=3", "24, 3, 2.", "*NODE PRINT, NSET=Nhigh", "U")
    path = written(tmp_path, sector() + CYCLIC + step(*SELECTED) + step(*modal, *other))
    tables = translate(path).tables
    assert [load["sectors"] for load in tables["loads"]] == [[1], [3]]
    assert tables["steps"][1]["analysis"]["nodal_diameters"] == [1, 2]
    run(path, tmp_path / "out")
    pressed = step("*STATIC", "*CLOAD, SECTOR=2", "24, 3, 1.")
    with pytest.raises(InputError, match="SECTOR is not supported in other steps than"):
        translate(written(tmp_path, sector() + CYCLIC + pressed))
