# SPDX-License-Identifier: BSD-3-Clause
"""Beams with hollow sections as solids, beside beam theory with the sections' own figures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import mesh_from_arrays
from flexforge.codegen.errors import InputError
from flexforge.runtime.decks.translate import translate
from flexforge.runtime.expansion.own_points import own_points
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.run import run_model

E, LENGTH, DENSITY = 2e11, 2.0, 7800.0
TUBE = {"shape": "tube", "diameter": 0.1, "wall": 0.01, "orientation": [0, 0, 1]}
BOX = {"shape": "box", "width": 0.12, "height": 0.08, "walls": [0.004, 0.002, 0.001, 0.002],
       "orientation": [0, 1, 0]}  # fmt: skip
TIP = [{"name": one, "group": "tip", "component": one} for one in "xyz"]


def beam(section: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return ten cells of three nodes along x, clamped at x = 0."""
    x = np.linspace(0.0, LENGTH, 21)
    points = np.stack([x, 0.0 * x, 0.0 * x], axis=1)
    lines = [[i, i + 2, i + 1] for i in range(0, 20, 2)]
    return {
        "mesh": mesh_from_arrays(points, {"line3": lines}, {"root": [0], "tip": [20]}),
        "materials": {"steel": {"young": E, "poisson": 0.0, "density": DENSITY}},
        "bodies": [{"name": "bar", "element": "hex20rm", "material": "steel", "section": section,
                    "expanded": True}],
        "supports": [{"group": "root"}],
        "output": {"formats": ["csv"]},
        "probes": TIP,
        "analysis": {"kind": "static"},
    } | changes  # fmt: skip


def run(folder: Path, section: dict[str, Any], *loads: dict[str, Any], **changes: Any) -> Outcome:
    """Run a beam under loads."""
    tables = beam(section, **changes) | ({"loads": list(loads)} if loads else {})
    return run_model(model_from_dict(tables), output=folder)


def at_tip(kind: str, *total: float) -> dict[str, Any]:
    return {"kind": kind, "group": "tip", "total": list(total)}


@pytest.mark.parametrize("orientation", [[0, 0, 1], [0, 1, 1], [0, 1, 0.3]])
def test_a_tube_has_its_own_second_moments(tmp_path: Path, orientation: list[float]) -> None:
    """A ring bends, twists and weighs as theory says, however its section lies.

    F L^3/(3 E I) + 2 F L/(G A) (the shear factor of a ring is 1/2 where it is thin, and the plane
    section of solids has 1), M L^2/(2 E I), T L/(G I_p), rho g A L^4/(8 E I).
    """
    section = TUBE | {"orientation": orientation}
    moment, area = np.pi * (0.1**4 - 0.08**4) / 64.0, np.pi * (0.1**2 - 0.08**2) / 4.0
    bent = run(tmp_path / "1", section, at_tip("force", 0, 1000.0, 0))
    exact = 1000.0 * LENGTH**3 / (3.0 * E * moment)
    assert bent.probes["y"][-1] == pytest.approx(exact, rel=5e-3)
    turned = run(tmp_path / "2", section, at_tip("moment", 0, -100.0, 0))
    assert turned.probes["z"][-1] == pytest.approx(100.0 * LENGTH**2 / (2.0 * E * moment), rel=1e-3)
    gravity = {"kind": "gravity", "acceleration": [0, 0, -9.81]}
    heavy = run(tmp_path / "3", section, gravity)
    exact = -DENSITY * 9.81 * area * LENGTH**4 / (8.0 * E * moment)
    assert heavy.probes["z"][-1] == pytest.approx(exact, rel=5e-3)


def test_a_tube_twists_by_its_polar_moment(tmp_path: Path) -> None:
    """The first mode of torsion of a ring, whose sections stay plane: sqrt(G/rho)/(4 L)."""
    held = [{"group": "root"}, {"group": "line", "components": ["x", "y", "z"]}]
    tables = beam(TUBE, analysis={"kind": "modes", "count": 1}, supports=held, probes=[])
    points, cells = tables["mesh"].points, tables["mesh"].blocks[0].nodes
    groups = {"root": [0], "tip": [20], "line": list(range(21))}
    tables["mesh"] = mesh_from_arrays(points, {"line3": cells}, groups)
    found = run_model(model_from_dict(tables), output=tmp_path).figures["mode 1"][0]
    assert found == pytest.approx(np.sqrt(0.5 * E / DENSITY) / (4.0 * LENGTH), rel=1e-3)


def of_box() -> tuple[float, float, float, float]:
    """Return area, centroid and second moments of four rectangles, without common corners."""
    right, top, left, bottom = BOX["walls"]
    width, height = BOX["width"], BOX["height"]
    inner = [width - right - left, height - top - bottom]
    shift = 0.5 * (left - right)
    area = width * height - inner[0] * inner[1]
    centre = -inner[0] * inner[1] * shift / area
    about_z = height * width**3 / 12.0 - inner[1] * inner[0] ** 3 / 12.0
    about_z -= inner[0] * inner[1] * shift**2 + area * centre**2
    about_y = (width * height**3 - inner[0] * inner[1] ** 3) / 12.0
    return area, centre, about_y, about_z


def test_points_of_a_box_have_its_moments() -> None:
    """Area, centroid and second moments of a box of unequal walls, by the points of a cell."""
    word, points, weights = own_points(model_from_dict(beam(BOX)).bodies[0].as_solid("cells"))
    assert word == "box"
    z, y = 0.5 * np.array([[BOX["height"]], [BOX["width"]]]) * points.T[1:]
    weights = weights / 8.0 * BOX["width"] * BOX["height"]
    area, centre, about_y, about_z = of_box()
    assert weights.sum() == pytest.approx(area, rel=1e-12)
    # Fibres are in the middle of thin walls: walls' own second moments are left out.
    assert weights @ y == pytest.approx(area * centre, rel=1e-3)
    assert weights @ (y - centre) ** 2 == pytest.approx(about_z, rel=1e-3)
    assert weights @ z**2 == pytest.approx(about_y, rel=1e-3)


@pytest.mark.slow  # its kernels
def test_a_box_bends_about_its_centroid(tmp_path: Path) -> None:
    """Unequal walls: an axial force at the middle of the outline bends, by N e L^2/(2 E I)."""
    area, centre, about_y, about_z = of_box()
    pulled = run(tmp_path / "1", BOX, at_tip("force", 1e5, 0, 0))
    turn = 1e5 * centre * LENGTH / (E * about_z)
    assert pulled.probes["y"][-1] == pytest.approx(0.5 * turn * LENGTH, rel=1e-2)
    stretch = 1e5 * LENGTH / (E * area) + turn * centre
    assert turn * centre > 0.1 * stretch
    assert pulled.probes["x"][-1] == pytest.approx(stretch, rel=1.5e-2)  # and the loaded end
    raised = run(tmp_path / "2", BOX, at_tip("moment", 0, -100.0, 0))
    assert raised.probes["z"][-1] == pytest.approx(100.0 * LENGTH**2 / (2 * E * about_y), rel=1e-2)


SOLID = {"shape": "rectangle", "width": 0.1, "height": 0.1, "orientation": [0, 1, 0]}


def test_points_of_a_row_integrate_high_powers_across() -> None:
    """Kronrod's rule: x^2 y^6 over the cell is 2/3 2/7 2."""
    word, points, weights = own_points(model_from_dict(beam(SOLID)).bodies[0].as_solid("cells"))
    assert word == "row"
    x, y, _ = points.T
    assert weights @ (x**2 * y**6) == pytest.approx(8.0 / 21.0, rel=1e-14)


@pytest.mark.slow  # its kernels
def test_a_row_of_cells_by_reduced_integration_bends_and_vibrates(tmp_path: Path) -> None:
    """F L^3/(3 E I) and 3.516/L^2 sqrt(E I/(rho A)): with two points across motions are loose."""
    section = SOLID
    moment = 0.1**4 / 12.0
    bent = run(tmp_path / "1", section, at_tip("force", 0, 0, 1000.0)).probes["z"][-1]
    assert bent == pytest.approx(1000.0 * LENGTH**3 / (3.0 * E * moment), rel=5e-3)
    modes = run(tmp_path / "2", section, analysis={"kind": "modes", "count": 2}, probes=[])
    exact = 3.51602 / LENGTH**2 * np.sqrt(E * moment / (DENSITY * 0.01)) / (2.0 * np.pi)
    found = [modes.figures[f"mode {k}"][0] for k in (1, 2)]
    assert found == pytest.approx([exact, exact], rel=5e-3)


def test_an_ellipse_is_a_stretched_circle(tmp_path: Path) -> None:
    """Ends of slender beams bend by 1/(w h^3): an ellipse and a circle have the same functions."""
    found = {}
    for name, section in (
        ("circle", {"shape": "round", "diameter": 0.1}),
        ("ellipse", {"shape": "ellipse", "width": 0.16, "height": 0.05}),
    ):
        tables = beam(section | {"orientation": [0, 1, 0]}, loads=[at_tip("moment", 0, 100.0, 0)])
        tables["bodies"][0]["element"] = "hex20"
        found[name] = run_model(model_from_dict(tables), output=tmp_path / name).probes["z"][-1]
    ratio = found["ellipse"] / found["circle"]
    assert ratio == pytest.approx(0.1**4 / (0.16 * 0.05**3), rel=1e-3)


@pytest.mark.slow  # its kernels; with an energy points of their own are as those of the element
def test_large_displacements_of_a_tube(tmp_path: Path) -> None:
    """A dead force across the tip, P L^2/(E I) = 1: Mattiasson's elastica (1981)."""
    moment = np.pi * (0.02**4 - 0.018**4) / 64.0
    section = TUBE | {"diameter": 0.02, "wall": 0.001}
    tables = beam(section, loads=[at_tip("force", 0, 0, 1.0)])
    tables["bodies"][0] |= {"energy": "st_venant_kirchhoff",
                            "parameters": {"lame": 0.0, "mu": 0.5 * E}}  # fmt: skip
    tables["loads"][0]["total"] = [0, 0, E * moment / LENGTH**2]
    found = run_model(model_from_dict(tables), output=tmp_path).probes
    assert found["z"][-1] == pytest.approx(0.30172 * LENGTH, rel=2e-3)
    assert found["x"][-1] == pytest.approx(-0.05643 * LENGTH, rel=5e-3)


@pytest.mark.slow  # its kernels; quick ones have such masses in tests/runtime/transient
def test_a_beam_of_reduced_masses_swings_about_its_deflection(tmp_path: Path) -> None:
    """A force that begins at once: the tip turns back near twice the static deflection.

    Masses by reduced integration are singular; accelerations at the start are those of a full rule.
    """
    section = {"shape": "rectangle", "width": 0.05, "height": 0.05, "orientation": [0, 1, 0]}
    moment, area = 0.05**4 / 12.0, 0.05**2
    period = 2.0 * np.pi * LENGTH**2 / (3.51602 * np.sqrt(E * moment / (DENSITY * area)))
    for name, hollow in (("1", section), ("2", TUBE)):
        if hollow is TUBE:
            moment, area = np.pi * (0.1**4 - 0.08**4) / 64.0, np.pi * (0.1**2 - 0.08**2) / 4.0
            period = 2.0 * np.pi * LENGTH**2 / (3.51602 * np.sqrt(E * moment / (DENSITY * area)))
        analysis = {"kind": "transient", "duration": period, "steps": 60, "method": "hht",
                    "alpha": -0.1}  # fmt: skip
        found = run(tmp_path / name, hollow, at_tip("force", 0, 0, 10.0), analysis=analysis)
        tip = found.probes["z"] / (10.0 * LENGTH**3 / (3.0 * E * moment))
        assert tip.max() == pytest.approx(2.0, rel=4e-2)
        assert abs(tip[-1]) < 0.05


DECK = """\
*NODE, NSET=Nall
1, 0., 0., 0.
2, 1., 0., 0.
3, 2., 0., 0.
*ELEMENT, TYPE=B32R, ELSET=Eall
1, 1, 2, 3
*MATERIAL, NAME=Steel
*ELASTIC
210000., 0.
*BEAM GENERAL SECTION, ELSET=Eall, MATERIAL=Steel, SECTION={}
{}
0., 1., 0.
*BOUNDARY
1, 1, 6
*STEP
*STATIC
*CLOAD
3, 2, 1.
*END STEP
"""


@pytest.mark.parametrize(
    ("shape", "values", "section"),
    [
        ("PIPE", "0.11, 0.01", {"shape": "tube", "diameter": 0.22, "wall": 0.01}),
        ("BOX", ".3, .2, .01, .02, .03, .04",
         {"shape": "box", "width": 0.3, "height": 0.2, "walls": [0.01, 0.02, 0.03, 0.04]}),
        ("CIRC", ".3, .2", {"shape": "ellipse", "width": 0.3, "height": 0.2}),
    ],
)  # fmt: skip
def test_sections_of_decks(
    tmp_path: Path, shape: str, values: str, section: dict[str, Any]
) -> None:
    path = tmp_path / "beam.inp"
    path.write_text(DECK.format(shape, values))
    (body,) = translate(path).tables["bodies"]
    assert body["section"] == section | {"orientation": [0.0, 1.0, 0.0]}
    assert body["element"] == "hex20rm"


def test_a_tube_of_a_deck_gets_warm(tmp_path: Path) -> None:
    """Half as warm at one end as at the other: alpha times the mean temperature times L."""
    text = DECK.format("PIPE", "0.05, 0.01").replace("*BEAM", "*EXPANSION\n1.E-5\n*BEAM", 1)
    text = text.replace("*CLOAD\n3, 2, 1.\n", "*TEMPERATURE\n1, 40.\n2, 60.\n3, 80.\n"
                        "*NODE PRINT, NSET=Nall\nU\n")  # fmt: skip
    (tmp_path / "beam.inp").write_text(text)
    model = model_from_dict(translate(tmp_path / "beam.inp").tables)
    outcome = run_model(model, output=tmp_path / "results")
    file = outcome.steps["1"].folder / "tables" / "displacement Nall.csv"
    tip = np.genfromtxt(file, delimiter=",", skip_header=1)[-1]
    assert tip[2] == pytest.approx(1e-5 * 60.0 * 2.0, rel=5e-3)  # and what is held at the root


@pytest.mark.parametrize(
    ("body", "section", "said"),
    [
        ({"element": "hex20"}, {}, "section.shape: found tube with element hex20; expected elemen"),
        ({"element": "timoshenko_beam", "expanded": False}, BOX, "found a box without expanded"),
        ({}, BOX | {"walls": [0.06, 0.001, 0.06, 0.001]}, "walls: found walls that overlap"),
        ({}, {"shape": "box", "width": 1.0, "height": 1.0}, "walls: missing; expected four numb"),
        ({}, {"shape": "I", "width": 1.0, "height": 1.0, "flange": 0.1, "web": 0.1},
         "found I with expanded; expected rectangle, round, ellipse, tube, box"),
    ],
)  # fmt: skip
def test_what_has_no_walls_is_told(
    body: dict[str, Any], section: dict[str, Any], said: str
) -> None:
    tables = beam(section or TUBE)
    tables["bodies"][0] |= body
    with pytest.raises(InputError, match=said):
        model_from_dict(tables)
