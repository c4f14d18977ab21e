# SPDX-License-Identifier: BSD-3-Clause
"""Models of shells: plates, a roof and a blade against closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model

YOUNG, POISSON, DENSITY, THICKNESS = 2e11, 0.3, 7800.0, 0.01
STIFF = YOUNG * THICKNESS**3 / (12 * (1 - POISSON**2))
CELLS = {"mitc4": "quad4", "dkt3": "tri3"}
BOTH = ["mitc4", pytest.param("dkt3", marks=pytest.mark.slow)]
CLAMPED = [{"group": "xmin"}]
#: Free to slide and to turn along its sides, held where it would drift off.
RESTING = [
    *({"group": side, "components": ["z"]} for side in ("xmin", "xmax", "ymin", "ymax")),
    {"group": "corner1", "components": ["x", "y"]},
    {"group": "corner2", "components": ["y"]},
]


def _model(element, mesh, thickness=THICKNESS, **changed):
    body = {"name": "plate", "element": element, "material": "steel", "thickness": thickness}
    data = {
        "mesh": mesh,
        "materials": {"steel": {"young": YOUNG, "poisson": POISSON, "density": DENSITY}},
        "bodies": [body | changed.pop("body", {})],
        "output": {"formats": ["csv"]},
    }
    return model_from_dict(data | changed)


def _square(element, divisions, tilt=0.0):
    """Return a unit square, turned about x."""
    c, s = np.cos(tilt), np.sin(tilt)
    corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, c, s], [0.0, c, s]]
    return {
        "block": {"cell": CELLS[element], "corners": corners, "divisions": [divisions, divisions]}
    }


def _run(model, folder):
    return run_model(model, output=folder / "results").figures


def _frequencies(figures):
    return np.array([value[0] for name, value in figures.items() if name.startswith("mode ")])


@pytest.mark.parametrize("element", BOTH)
@pytest.mark.parametrize("thickness", [0.02, 1e-4])
def test_a_resting_plate_under_pressure(element, thickness, tmp_path):
    """0.00406235 q a^4 / D in the middle (Timoshenko and Woinowsky-Krieger 1959, table 8): 1.5 %.

    However thin it is: nothing locks in shear. Of the thicker one shear adds
    0.0737 q a^2 / (5/6 G t), Navier's series.
    """
    stiff = YOUNG * thickness**3 / (12 * (1 - POISSON**2))
    shear = 0.0737 * stiff / (5 / 6 * YOUNG / 2.6 * thickness) if element == "mitc4" else 0.0
    load = {"kind": "pressure", "group": "all", "value": stiff}
    probe = {"name": "middle", "point": [0.5, 0.5, 0.0], "component": "z"}
    model = _model(element, _square(element, 12), thickness, supports=RESTING, loads=[load],
                   analysis={"kind": "static"}, probes=[probe])  # fmt: skip
    found = _run(model, tmp_path)["middle"][0]
    assert found == pytest.approx(-(0.00406235 + shear), rel=0.015)


@pytest.mark.parametrize("element", BOTH)
@pytest.mark.parametrize("tilt", [0.0, 0.7])
def test_a_clamped_plate(element, tilt, tmp_path):
    """Cantilever 3.492, 8.525, 21.43, 27.33, 31.11 sqrt(D / rho t) (Leissa 1969, table 4.6): 1.5 %.

    Flat in a plane of coordinates, where nothing resists turning about the normal but drilling,
    or tilted.
    """
    model = _model(element, _square(element, 16, tilt), supports=CLAMPED,
                   analysis={"kind": "modes", "count": 5})  # fmt: skip
    found = 2 * np.pi * _frequencies(_run(model, tmp_path)) * np.sqrt(DENSITY * THICKNESS / STIFF)
    np.testing.assert_allclose(found, [3.492, 8.525, 21.43, 27.33, 31.11], rtol=0.015)


@pytest.mark.parametrize(("divisions", "near"), [(5, 0.07), (12, 0.015)])
def test_a_free_plate(divisions, near, tmp_path):
    """Six rigid motions, then 13.49, 19.79, 24.43 (Leissa 1973), solved dense and sparse."""
    model = _model(
        "mitc4", _square("mitc4", divisions, 0.4), analysis={"kind": "modes", "count": 9}
    )
    found = 2 * np.pi * _frequencies(_run(model, tmp_path)) * np.sqrt(DENSITY * THICKNESS / STIFF)
    assert found[:6].max() < 1e-2
    np.testing.assert_allclose(found[6:], [13.49, 19.79, 24.43], rtol=near)


@pytest.mark.parametrize("element", BOTH)
def test_a_roof(element, tmp_path):
    """Scordelis-Lo's roof: 0.3024 down at the middle of the free edge (MacNeal and Harder 1985).

    2 % with 16 x 16 quadrilaterals on a quarter, 5 % with twice as many triangles, whose membrane
    strain is constant.
    """
    path = tmp_path / "roof.inp"
    _write_roof(path, element, 16)
    model = model_from_dict({
        "mesh": {"file": str(path)},
        "materials": {"concrete": {"young": 4.32e8, "poisson": 0.0, "density": 360.0}},
        "bodies": [{"name": "roof", "element": element, "material": "concrete",
                    "thickness": 0.25}],
        "supports": [
            {"group": "diaphragm", "components": ["x", "y"]},
            {"group": "middle", "components": ["z", "rx", "ry"]},
            {"group": "crown", "components": ["x", "ry", "rz"]},
        ],
        "loads": [{"kind": "gravity", "acceleration": [0.0, -1.0, 0.0]}],
        "analysis": {"kind": "static"},
        "probes": [{"name": "edge", "group": "edge", "component": "y"}],
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    found = _run(model, tmp_path)["edge"][0]
    assert found == pytest.approx(-0.3024, rel=0.02 if element == "mitc4" else 0.05)


def _write_roof(path, element, divisions):
    """Write a quarter of the roof: radius 25, half length 25, 40 degrees; y points up."""
    angles = np.linspace(0.0, np.radians(40), divisions + 1)
    heights = np.linspace(0.0, 25.0, divisions + 1)
    points = [(25 * np.sin(a), 25 * np.cos(a), z) for z in heights for a in angles]
    lines = ["*NODE"]
    lines += [f"{k}, {x:.17g}, {y:.17g}, {z:.17g}" for k, (x, y, z) in enumerate(points, 1)]
    lines.append(f"*ELEMENT, TYPE={'S4' if element == 'mitc4' else 'S3'}, ELSET=ROOF")
    cells = []
    for row in range(divisions):
        for column in range(divisions):
            a = row * (divisions + 1) + column + 1
            b, c, d = a + 1, a + divisions + 2, a + divisions + 1
            cells += [(a, b, c, d)] if element == "mitc4" else [(a, b, c), (a, c, d)]
    lines += [f"{k}, " + ", ".join(map(str, cell)) for k, cell in enumerate(cells, 1)]
    chosen = {
        "diaphragm": lambda x, y, z: z == heights[-1],
        "middle": lambda x, y, z: z == 0.0,
        "crown": lambda x, y, z: x == 0.0,
        "edge": lambda x, y, z: z == 0.0 and x == points[divisions][0],
    }
    for name, inside in chosen.items():
        lines.append(f"*NSET, NSET={name}")
        lines += [str(k) for k, point in enumerate(points, 1) if inside(*point)]
    path.write_text("\n".join(lines) + "\n")


def test_a_rotating_strip_flaps_like_a_beam(tmp_path):
    """A narrow cantilever at gamma = 5 flaps at 6.44954 (Wright 1982) times sqrt(EI/m)/L^2: 1 %.

    Poisson's ratio is zero, so that a strip bends like a beam; it turns about z and flaps along z.
    """
    width = 0.05
    corners = [[0.0, -width / 2, 0.0], [1.0, -width / 2, 0.0], [1.0, width / 2, 0.0],
               [0.0, width / 2, 0.0]]  # fmt: skip
    rate = np.sqrt(YOUNG * THICKNESS**2 / 12 / DENSITY)
    model = _model(
        "mitc4",
        {"block": {"cell": "quad4", "corners": corners, "divisions": [40, 2]}},
        supports=CLAMPED,
        materials={"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        body={"frame": {"axis": [0, 0, 1], "velocity": 5 * rate}},
        analysis={"kind": "modes", "count": 2},
    )
    found = 2 * np.pi * _frequencies(_run(model, tmp_path))[0] / rate
    assert found == pytest.approx(6.44954, rel=0.01)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"body": {"thickness": None}}, "shell mitc4; expected a number above 0"),
        ({"body": {"hypothesis": "plane_strain"}}, "hypothesis"),
        ({"body": {"section": {"area": 1.0}}}, "section"),
    ],
)
def test_what_a_shell_needs(changed, said):
    """A shell has a thickness, and neither hypothesis nor section; the error says so."""
    with pytest.raises(InputError, match=said):
        _model("mitc4", _square("mitc4", 2), supports=CLAMPED, analysis={"kind": "static"},
               **changed)  # fmt: skip


def test_a_folded_cell_is_refused(tmp_path):
    """A quadrilateral whose corners are out of order is named."""
    mesh = tmp_path / "folded.inp"
    mesh.write_text(
        "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 1, 1, 0.5\n4, 0, 1, 0.5\n"
        "*ELEMENT, TYPE=S4, ELSET=ALL\n7, 1, 2, 4, 3\n*NSET, NSET=root\n1, 2\n"
    )
    model = _model("mitc4", {"file": str(mesh)}, supports=[{"group": "root"}],
                   analysis={"kind": "static"})  # fmt: skip
    with pytest.raises(InputError, match="cell 7 .* of a shell is"):
        _run(model, tmp_path)


def test_a_stiffener_shares_displacements_and_rotations(tmp_path):
    """A strip with a beam along its middle bends as E I of both, tip P L^3 / (3 E I): 0.5 %.

    Poisson's ratio is zero; the beam's axis lies above the strip by an offset, so that the strip is
    its flange: E I of both about the common neutral axis (Steiner). It is narrow, for the stress of
    a wide one lags behind across its width.
    """
    width, depth, arm, count = 0.05, 0.02, 0.03, 24
    path = tmp_path / "strip.inp"
    xs, ys = np.linspace(0.0, 1.0, count + 1), (-width / 2, 0.0, width / 2)
    lines = ["*NODE"]
    lines += [
        f"{3 * i + j + 1}, {x:.17g}, {y:.17g}, 0"
        for i, x in enumerate(xs)
        for j, y in enumerate(ys)
    ]
    lines.append("*ELEMENT, TYPE=S4, ELSET=SKIN")
    for i in range(count):
        for j in range(2):
            a = 3 * i + j + 1
            lines.append(f"{2 * i + j + 1}, {a}, {a + 3}, {a + 4}, {a + 1}")
    lines.append("*ELEMENT, TYPE=B31, ELSET=RIB")
    lines += [f"{100 + i}, {3 * i + 2}, {3 * i + 5}" for i in range(count)]
    lines += ["*NSET, NSET=root", "1, 2, 3", "*NSET, NSET=tip", f"{3 * count + 2},"]
    path.write_text("\n".join(lines) + "\n")
    model = model_from_dict({
        "mesh": {"file": str(path)},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        "bodies": [
            {"name": "skin", "cells": "SKIN", "element": "mitc4", "material": "steel",
             "thickness": THICKNESS},
            {"name": "rib", "cells": "RIB", "element": "euler_beam", "material": "steel",
             "section": {"shape": "rectangle", "width": depth, "height": depth,
                         "orientation": [0, 1, 0], "offset": [0.0, arm]}},
        ],
        "supports": [{"group": "root"}],
        "loads": [{"kind": "force", "group": "tip", "total": [0.0, 0.0, 1.0]}],
        "analysis": {"kind": "static"},
        "probes": [{"name": "tip", "group": "tip", "component": "z"}],
        "output": {"formats": ["csv"]},
    })  # fmt: skip
    plate, rib = width * THICKNESS, depth**2
    middle = rib * arm / (plate + rib)
    second = width * THICKNESS**3 / 12 + plate * middle**2
    second += depth**4 / 12 + rib * (arm - middle) ** 2
    assert _run(model, tmp_path)["tip"][0] == pytest.approx(1 / (3 * YOUNG * second), rel=5e-3)
