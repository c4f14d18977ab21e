# SPDX-License-Identifier: BSD-3-Clause
"""Sections of beams under the stress of their own inertia forces: shafts, torsion, sharp turns."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.prestress import prestressed
from flexforge.runtime.statics.steady import SteadySolver
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads

LENGTH, DIAMETER, SPEED = 1.0, 0.1, 1000.0
STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
ROUND = {"shape": "round", "diameter": DIAMETER}
FLAT = {"shape": "rectangle", "width": 0.06, "height": 0.02}
PINNED = [{"group": "xmin", "components": ["x", "y", "z", "rx"]},
          {"group": "xmax", "components": ["y", "z"]}]  # fmt: skip
#: Nothing but twist is left.
TWIST = [{"group": "all", "components": ["x", "y", "z", "ry", "rz"]},
         {"group": "xmin", "components": ["rx"]}]  # fmt: skip


def _model(
    axis=(1, 0, 0), speed=SPEED, divisions=16, section=ROUND, supports=PINNED, frame=None, **more
):
    frame = frame or {"axis": list(axis), "velocity": speed}
    body = {"name": "shaft", "element": "euler_beam", "material": "steel", "section": section}
    data = {
        "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [LENGTH, 0, 0]],
                           "divisions": [divisions]}},
        "materials": {"steel": STEEL},
        "bodies": [body | {"frame": frame}],
        "supports": supports,
        "analysis": {"kind": "modes", "count": 4},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    return model_from_dict(data | more)


def _frequencies(model, folder):
    figures = run_model(model, output=folder / "results").figures
    return np.array([v[0] for name, v in figures.items() if name.startswith("mode ")])


def _rayleigh(speed):
    """Return forward and backward whirl, as seen in the shaft, rad/s.

    ``(rho A + rho I k^2) s^2 - 2 rho I k^2 W s - E I k^4 = 0``, k = pi / L, of whirl at s in space.
    """
    area, moment, k = np.pi * DIAMETER**2 / 4, np.pi * DIAMETER**4 / 64, np.pi / LENGTH
    rho = STEEL["density"]
    whirls = np.roots([rho * (area + moment * k**2), -2 * rho * moment * k**2 * speed,
                       -STEEL["young"] * moment * k**4])  # fmt: skip
    return np.sort(np.abs(whirls - speed))


def test_a_rayleigh_shaft(tmp_path):
    """251.727 forward, 2239.466 backward at 1000 rad/s, 1245.581 at rest, to 1e-5."""
    np.testing.assert_allclose(_rayleigh(SPEED), [251.727, 2239.466], rtol=2e-6)
    still = 2 * np.pi * _frequencies(_model(speed=0.0), tmp_path / "still")
    np.testing.assert_allclose(still[:2], 1245.581, rtol=1e-5)
    found = 2 * np.pi * _frequencies(_model(), tmp_path / "turning")
    for expected in _rayleigh(SPEED):
        assert np.abs(found / expected - 1).min() < 1e-5


def test_a_beam_gains_what_a_solid_gains(tmp_path):
    """Of a square cantilever at 300 rad/s: the stress of its section adds 0.334 rad/s to the first
    whirl and 0.354 to the third, of solid elements and of beams, within a thousandth."""
    half, gained = 0.05, []
    square = [[-half, -half], [half, -half], [half, half], [-half, half]]
    corners = [[x, *one] for x in (0.0, LENGTH) for one in square]
    solid = {"mesh": {"block": {"cell": "hex20", "corners": corners, "divisions": [2, 2, 12]}},
             "supports": [{"group": "zmin"}]}  # fmt: skip
    for element, more in (("hex20", solid), ("timoshenko_beam", {})):
        without, stressed = (
            _frequencies(_cantilever(element, stiffened, **more), tmp_path / element)
            for stiffened in (False, "auto")
        )
        gained.append(2 * np.pi * (stressed - without)[[0, 2]])
    np.testing.assert_allclose(gained[0], [0.334, 0.354], rtol=2e-3)
    np.testing.assert_allclose(gained[1], gained[0], rtol=1.5e-3)


def _cantilever(element, geometric, **more):
    body = {"name": "shaft", "element": element, "material": "steel",
            "frame": {"axis": [1, 0, 0], "velocity": 300.0}}  # fmt: skip
    if element != "hex20":
        body["section"] = {"shape": "rectangle", "width": 0.1, "height": 0.1}
    return _model(
        bodies=[body], materials={"steel": STEEL | {"poisson": 0.0}},
        include={"geometric": geometric}, **{"supports": [{"group": "xmin"}]} | more,
    )  # fmt: skip


def test_without_geometric_stiffness_sections_are_as_before(tmp_path):
    """``include.geometric = false`` leaves it out: 249.264, published with the term left out."""
    model = _model(include={"geometric": False})
    assert 2 * np.pi * _frequencies(model, tmp_path)[0] == pytest.approx(249.264, rel=1e-5)


@pytest.mark.parametrize(("axis", "share"), [((1, 0, 0), 0.0), ((0, 0, 1), 1.0), ((0, 1, 0), -1.0)])
def test_twist(axis, share, tmp_path):
    """No change by a spin about the beam; across it the propeller moment rho W^2 (I_z - I_y)."""
    thin, wide = 0.06 * 0.02**3 / 12, 0.02 * 0.06**3 / 12
    still = _frequencies(_model(axis, 0.0, 8, FLAT, TWIST), tmp_path / "still")
    found = _frequencies(_model(axis, SPEED, 8, FLAT, TWIST), tmp_path / "turning")
    change = (2 * np.pi) ** 2 * (found**2 - still**2)
    expected = share * SPEED**2 * (wide - thin) / (wide + thin)
    np.testing.assert_allclose(change, expected, rtol=1e-6, atol=1e-8 * SPEED**2)


@pytest.mark.parametrize(
    "frame",
    [{"axis": [0.6, 0.0, 0.8], "velocity": SPEED}, {"velocity": [600.0, 0.0, 800.0]}],
    ids=["about an axis", "six products"],
)
def test_patterns_make_the_matrix_of_the_steady_state(frame):
    """Of a turn about no axis of the section: nothing is displaced, both are the sections'."""
    model = _model(divisions=2, section=FLAT, supports=TWIST, frame=frame)
    places = build_system(model, build_mesh(model))
    state = SteadySolver(places.system, Loads(model, places), "auto").find(0.0)
    assert not state.displacement.any()
    (steady,) = state.system.bodies[0].geometric
    system = prestressed(places.system, "auto").system
    (body,) = system.bodies
    factors = system.spins(0.0)[0].prestress
    patterns = np.tensordot(factors, np.array(body.geometric), axes=1)
    assert np.abs(steady).max() > 0
    assert np.abs(patterns - steady).max() < 1e-12 * np.abs(steady).max()


def _tip(data, folder):
    """Return the displacement of the tip at all times, (T, 3)."""
    probes = [{"name": c, "group": "shaft.xmax", "component": c} for c in "xyz"]
    load = {"kind": "force", "group": "shaft.xmax", "total": [0.0, 1.0, 0.0]}
    analysis = {"kind": "transient", "duration": 0.01, "steps": 200, "threads": 1}
    common = {
        "mesh": {"blocks": {"shaft": {"cell": "line2", "corners": [[0, 0, 0], [0.4, 0, 0]],
                                      "divisions": [3]}}},
        "materials": {"steel": STEEL}, "loads": [load], "probes": probes,
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    model = model_from_dict({"analysis": analysis} | common | data)
    run_model(model, output=folder)
    table = np.genfromtxt(next(folder.glob("*probes.csv")), delimiter=",", skip_header=1)
    return table[:, 1:4]


@pytest.mark.parametrize("more", [{}, {"reduction": {"modes": 1000}}], ids=["full", "reduced"])
def test_a_driven_shaft_moves_as_in_a_prescribed_frame(more, tmp_path):
    """Tied to its bearing the shaft has the same sections: 1e-5, of which the term is 1 %."""
    body = {"name": "shaft", "cells": "shaft", "element": "euler_beam", "material": "steel",
            "section": ROUND}  # fmt: skip
    axis, speed = [1, 0, 0], 2000.0
    free = {"bodies": [body | {"frame": {"axis": axis, "velocity": speed}}],
            "supports": [{"group": "shaft.xmin"}]}  # fmt: skip
    tied = {
        "links": [{"name": "shaft"}], "bodies": [body | {"frame": "shaft"}],
        "joints": [{"name": "bearing", "kind": "revolute", "links": ["ground", "shaft"],
                    "at": [[0, 0, 0], "shaft.xmin"], "axis": axis}],
        "drivers": [{"name": "motor", "joint": "bearing", "velocity": speed}],
    }  # fmt: skip
    expected = _tip(free, tmp_path / "free")
    found = _tip(tied | more, tmp_path / "tied")
    without = _tip(tied | {"include": {"geometric": False}}, tmp_path / "without")
    size = np.abs(expected).max()
    assert np.abs(found - expected).max() < 1e-5 * size
    assert np.abs(without - expected).max() > 1e-3 * size


@pytest.mark.parametrize("element", ["euler_beam_plane", "euler_beam", "bar2_plane"])
def test_checks_print_sections(element):
    """The side that bends is easily mistaken in the plane: it is the width, along y."""
    corners = [[0, 0, 0], [1, 0, 0]] if element == "euler_beam" else [[0, 0], [1, 0]]
    section = {"shape": "rectangle", "width": 0.02, "height": 0.2}
    spec = model_from_dict({
        "mesh": {"block": {"cell": "line2", "corners": corners, "divisions": [3]}},
        "materials": {"m": {"young": 2e11, "poisson": 0.3, "density": 7800.0}},
        "bodies": [{"name": "b", "element": element, "material": "m", "section": section}],
        "analysis": {"kind": "modes", "count": 1},
    })  # fmt: skip
    report = check_model(spec)
    (body,) = report.bodies
    second = "inertia_z 1.33333e-07 m^4"
    expected = {
        "euler_beam_plane": f"area 0.004 m^2, {second}; in the plane it bends over its width along "
        "y, 0.02 m",
        "euler_beam": f"area 0.004 m^2, inertia_y 1.33333e-05 m^4, {second}, torsion 4.997",
        "bar2_plane": "area 0.004 m^2",
    }
    # Of the torsion as many digits as Roark's formula for it has, 0.2 * 0.02^3 * (1/3 - 0.021).
    assert body.section.startswith(expected[element]) and body.nodes == 4
    assert f"    section: {body.section}" in report.lines()
