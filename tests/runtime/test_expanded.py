# SPDX-License-Identifier: BSD-3-Clause
"""Shells and beams as solids: beside the same solids made by hand, and theories of both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import mesh_from_arrays
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import inspect_model
from flexforge.runtime.decks.text import model_text
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.loading.load import load_model_file, model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

E, LENGTH, WIDTH, THICK = 2e11, 1.0, 0.1, 0.02
STEEL = {"steel": {"young": E, "poisson": 0.0, "density": 7800.0}}
STATIC, MODES = {"kind": "static"}, {"kind": "modes", "count": 4}
FLAT = [[0, 0], [LENGTH, 0], [LENGTH, WIDTH], [0, WIDTH]]


def in_space(cell: str, divisions: list[int]) -> Any:
    """Return a flat strip in space, with its groups of nodes."""
    flat = structured(cell, FLAT, divisions)
    (block,) = [one for one in flat.blocks if one.cell == cell]
    groups = {name: flat.select(name).nodes for name in ("xmin", "xmax")}
    return mesh_from_arrays(flat.points, {cell: block.nodes}, groups)


def shell(cell: str, element: str, **changes: Any) -> dict[str, Any]:
    """Return a strip of expanded cells, clamped at x = 0."""
    return {
        "mesh": in_space(cell, [10, 1]),
        "materials": STEEL,
        "bodies": [{"name": "strip", "element": element, "material": "steel",
                    "thickness": THICK, "expanded": True}],
        "supports": [{"group": "xmin"}],
        "output": {"formats": ["csv"]},
        "analysis": STATIC,
    } | changes  # fmt: skip


def beam(**changes: Any) -> dict[str, Any]:
    """Return a line of expanded cells of three nodes along x, clamped at x = 0."""
    x = np.linspace(0.0, LENGTH, 41)
    points = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    lines = [[i, i + 2, i + 1] for i in range(0, 40, 2)]
    section = {"shape": "rectangle", "width": THICK, "height": WIDTH, "orientation": [0, 0, 1]}
    return {
        "mesh": mesh_from_arrays(points, {"line3": lines}, {"xmin": [0], "xmax": [40]}),
        "materials": STEEL,
        "bodies": [{"name": "bar", "element": "hex20", "material": "steel", "section": section,
                    "expanded": True}],
        "supports": [{"group": "xmin"}],
        "output": {"formats": ["csv"]},
        "analysis": STATIC,
    } | changes  # fmt: skip


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


@pytest.mark.parametrize(
    ("cell", "element"), [("quad8", "hex20"), ("quad4", "hex8i"), ("tri6", "wedge15")]
)
def test_frequencies_are_those_of_solids_made_by_hand(
    tmp_path: Path, cell: str, element: str
) -> None:
    """Free strips, which no support of a node compares differently, to round-off."""
    found = run(shell(cell, element, supports=[], analysis=MODES | {"count": 10}), tmp_path / "1")
    half = 0.5 * THICK
    corners = [[*p, z] for z in (-half, half) for p in FLAT]
    solid = {"hex20": "hex20", "hex8i": "hex8", "wedge15": "wedge15"}[element]
    bodies = [{"name": "strip", "element": element, "material": "steel"}]
    whole = {"mesh": {"block": {"cell": solid, "corners": corners, "divisions": [10, 1, 1]}},
             "bodies": bodies, "supports": [], "materials": STEEL,
             "analysis": MODES | {"count": 10}, "output": {"formats": ["csv"]}}  # fmt: skip
    by_hand = run(whole, tmp_path / "2")
    tolerance = 1e-8 if cell != "tri6" else 2e-2  # triangles are cut along another diagonal
    for number in range(7, 11):
        here, there = (one.figures[f"mode {number}"][0] for one in (found, by_hand))
        assert here == pytest.approx(there, rel=tolerance)


def test_a_clamped_strip_is_a_cantilever(tmp_path: Path) -> None:
    """Forces and moments at nodes: F L^3 / (3 E I) and M L^2 / (2 E I), in both directions."""
    moment = WIDTH * THICK**3 / 12.0
    probe = {"name": "w", "group": "xmax", "component": "z"}
    force = {"kind": "force", "group": "xmax", "total": [0, 0, -100.0]}
    turn = {"kind": "moment", "group": "xmax", "total": [0, -30.0, 0]}
    for load, exact in ((force, -100.0 * LENGTH**3 / 3.0), (turn, 30.0 * LENGTH**2 / 2.0)):
        tables = shell("quad8", "hex20", loads=[load], probes=[probe])
        found = run(tables, tmp_path / load["kind"]).probes["w"][-1]
        assert found == pytest.approx(exact / (E * moment), rel=2e-3)  # and shear


@pytest.mark.parametrize(("axis", "across"), [("y", WIDTH), ("z", THICK)])
def test_a_line_is_a_cantilever(tmp_path: Path, axis: str, across: float) -> None:
    """A rectangle, 0.02 along z and 0.1 along y: F L^3 / (3 E I) with shear, M L^2 / (2 E I)."""
    area = WIDTH * THICK
    moment = area * across**2 / 12.0
    push = {"y": [0, 100.0, 0], "z": [0, 0, 100.0]}[axis]
    turn = {"y": [0, 0, 30.0], "z": [0, -30.0, 0]}[axis]
    probe = {"name": "w", "group": "xmax", "component": axis}
    shear = 100.0 * LENGTH * 1.2 / (0.5 * E * area)
    exact = {"force": 100.0 / (3.0 * E * moment) + shear, "moment": 30.0 / (2.0 * E * moment)}
    for kind, total in (("force", push), ("moment", turn)):
        load = {"kind": kind, "group": "xmax", "total": total}
        found = run(beam(loads=[load], probes=[probe]), tmp_path / kind).probes["w"][-1]
        assert found == pytest.approx(exact[kind], rel=1e-3)


def test_temperatures_of_nodes_are_those_of_their_sections(tmp_path: Path) -> None:
    """From 20 K at one end to 100 K at the other a free line gets longer by 60 K alpha L."""
    hot = [[f"#{k}", 20.0 + 80.0 * k / 40.0] for k in range(41)]
    load = {"kind": "temperature", "change": {"nodes": hot}}
    probe = {"name": "u", "group": "xmax", "component": "x"}
    materials = {"steel": STEEL["steel"] | {"expansion": 1e-5}}
    tables = beam(loads=[load], probes=[probe], materials=materials)
    found = run(tables, tmp_path).probes["u"][-1]
    assert found == pytest.approx(60.0 * 1e-5 * LENGTH, rel=5e-3)  # and what is held


def test_a_kink_carries_the_moment(tmp_path: Path) -> None:
    """Two legs at a right angle: the tip of the second turns and moves as beams with a stiff knot.

    A force across the end of the second leg bends it, and the first by the moment F L:
    w = F L^3/(3 E I) + F L^3/(E I).
    """
    leg = np.linspace(0.0, LENGTH, 21)
    points = np.zeros((41, 3))
    points[:21, 0] = leg
    points[21:, 0], points[21:, 2] = LENGTH, leg[1:]
    lines = [[i, i + 2, i + 1] for i in range(0, 40, 2)]
    mesh = mesh_from_arrays(points, {"line3": lines}, {"xmin": [0], "tip": [40]})
    section = {"shape": "rectangle", "width": THICK, "height": THICK, "orientation": [0, 1, 0]}
    tables = beam(mesh=mesh, loads=[{"kind": "force", "group": "tip", "total": [10.0, 0, 0]}],
                  probes=[{"name": "u", "group": "tip", "component": "x"}])  # fmt: skip
    tables["bodies"][0]["section"] = section
    found = run(tables, tmp_path).probes["u"][-1]
    exact = 10.0 * LENGTH**3 / (E * THICK**4 / 12.0) * (1.0 / 3.0 + 1.0)
    assert found == pytest.approx(exact, rel=2e-2)  # the knot is as long as the section


DECK = """\
*NODE, NSET=Nall
1, 0., 0., 0.
2, 5., 0., 0.
3, 10., 0., 0.
4, 0., 1., 0.
5, 10., 1., 0.
6, 0., 2., 0.
7, 5., 2., 0.
8, 10., 2., 0.
*ELEMENT, TYPE=S8R, ELSET=Eall
1, 1, 3, 8, 6, 2, 5, 7, 4
*NSET, NSET=root
1, 4, 6
*MATERIAL, NAME=Steel
*ELASTIC
210000., 0.
*DENSITY
7.8E-9
*SHELL SECTION, ELSET=Eall, MATERIAL=Steel
0.5
*BOUNDARY
root, 1, 6
*STEP
*STATIC
*DLOAD
Eall, P, 0.01
*NODE PRINT, NSET=Nall
U
*END STEP
"""


def test_a_deck_and_its_model_file_are_the_same(tmp_path: Path) -> None:
    """One S8R under a pressure along its normal: p b L^4 / (8 E I), as C3D20R has it."""
    path = tmp_path / "plate.inp"
    path.write_text(DECK)
    (tmp_path / "plate.toml").write_text(model_text(translate(path), tmp_path / "plate.toml"))
    assert inspect_model(tmp_path / "plate.toml")[1] == []
    rows = []
    for name in ("plate.inp", "plate.toml"):
        outcome = run_model(load_model_file(tmp_path / name), output=tmp_path / f"{name}.results")
        file = outcome.steps["1"].folder / "tables" / "displacement Nall.csv"
        rows.append(np.genfromtxt(file, delimiter=",", skip_header=1))
    np.testing.assert_array_equal(*rows)
    exact = 0.01 * 2.0 * 10.0**4 / (8.0 * 210000.0 * 2.0 * 0.5**3 / 12.0)
    assert rows[0][-1, 4] == pytest.approx(exact, rel=0.05)  # of one element


SHEET = """\
*NODE, NSET=Nall
1, 0., 0.
2, 3., 0.
3, 3., 2.
4, 0., 2.
5, 1.3, 0.
6, 1.7, 2.
*ELEMENT, TYPE=CPS4, ELSET=Eall
1, 1, 5, 6, 4
2, 5, 2, 3, 6
*MATERIAL, NAME=Steel
*ELASTIC
210000., 0.3
*SOLID SECTION, ELSET=Eall, MATERIAL=Steel
0.5
*BOUNDARY
1, 1, 2
4, 1
*STEP
*STATIC
*CLOAD
2, 1, 100.
3, 1, 100.
*NODE PRINT, NSET=Nall
U
*EL PRINT, ELSET=Eall
S
*END STEP
"""


@pytest.mark.parametrize("load", ["", "*DLOAD\n2, P2, -200.\n"])
def test_a_sheet_under_tension_is_one_of_solids_too(tmp_path: Path, load: str) -> None:
    """Plane stress as a layer of solids whose thickness is free: u = s x/E, v = -nu s y/E.

    Forces at the nodes of the edge pull, or a pressure on the facets that it becomes.
    """
    path = tmp_path / "sheet.inp"
    forces = SHEET[SHEET.index("*CLOAD") : SHEET.index("*NODE PRINT")]
    path.write_text(SHEET.replace(forces, load) if load else SHEET)
    outcome = run_model(load_model_file(path, expanded=True), output=tmp_path / "results")
    folder = outcome.steps["1"].folder / "tables"
    found = np.genfromtxt(folder / "displacement Nall.csv", delimiter=",", skip_header=1)[-6:]
    places = np.array([[0, 0], [3, 0], [3, 2], [0, 2], [1.3, 0], [1.7, 2]])
    strain = 200.0 / (0.5 * 2.0) / 210000.0
    np.testing.assert_allclose(found[:, 2:4], places * [strain, -0.3 * strain], atol=1e-15)
    assert np.abs(found[:, 4]).max() < 1e-15
    stress = np.genfromtxt(folder / "stress Eall.csv", delimiter=",", skip_header=1)
    assert len(stress[stress[:, 0] == stress[-1, 0]]) == 16  # the points of two solids
    np.testing.assert_allclose(stress[-16:, 3], 200.0, rtol=1e-9)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"element": "mitc4"}, "expanded: found true for element mitc4; expected one of hex8"),
        ({"thickness": None}, "found neither thickness nor section"),
        ({"expanded": False, "thickness": None, "offset": 0.5}, "offset: found one without expan"),
        ({"cells": "xmin"}, "cells: found no cells; expected one type of cells, triangles"),
        ({"element": "wedge15"}, "found|expected"),
    ],
)
def test_what_cannot_be_expanded_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    tables = shell("quad8", "hex20")
    body = tables["bodies"][0] | change
    tables["bodies"] = [{key: value for key, value in body.items() if value is not None}]
    with pytest.raises(InputError, match=said):
        run(tables, tmp_path)
