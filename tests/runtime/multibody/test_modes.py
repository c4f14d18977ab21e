# SPDX-License-Identifier: BSD-3-Clause
"""Modes of links about a position at rest, against closed forms and finite elements."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from scipy.linalg import eigh
from scipy.optimize import brentq
from swinging import DOWN, G, pin, rod, slide, spatial
from vibrating import BENDING, DENSITY, LINE, RADIUS, YOUNG, beam, modes, run


def two_rods(**keys):
    """Return two hanging rods of one metre, begun aside."""
    return {
        "planar": True, "loads": DOWN,
        "links": [rod("a", placement={"angle": -1.5}),
                  rod("b", placement={"position": [0.07, -1, 0], "angle": -1.4})],
        "joints": [pin("one", "ground", "a", [0, 0, 0]),
                   pin("two", "a", "b", [[1, 0, 0], [0, 0, 0]])],
        **keys,
    }  # fmt: skip


def test_double_pendulum_vibrates_by_its_closed_form(tmp_path):
    """Angles of both in space; shapes move the knee by the angle of the upper rod, of unit mass."""
    outcome, frequencies, shapes = run(two_rods(), tmp_path)
    masses = np.array([[4.0 / 3.0, 0.5], [0.5, 1.0 / 3.0]])
    squares, angles = eigh(np.diag([1.5 * G, 0.5 * G]), masses)
    assert np.allclose((2.0 * np.pi * frequencies) ** 2, squares, rtol=1e-11)
    assert np.abs(shapes["a"]).max(axis=(1, 2)) == pytest.approx(np.abs(angles[0]), rel=1e-9)
    assert np.abs(shapes["b"]).max(axis=(1, 2)) == pytest.approx(np.abs(angles[0]), rel=1e-9)
    assert outcome.figures["largest residual of the modes"] < 1e-12


def test_damper_makes_complex_modes(tmp_path):
    """Two angles with a damper at the hook: roots of the quartic polynomial."""
    tables = two_rods(actuators=[{"name": "d", "joint": "one", "damping": 0.4}])
    figures = run(tables, tmp_path)[0].figures
    masses = np.array([[4.0 / 3.0, 0.5], [0.5, 1.0 / 3.0]])
    below = -np.linalg.solve(masses, np.hstack([np.diag([1.5 * G, 0.5 * G]), np.diag([0.4, 0.0])]))
    values = np.linalg.eigvals(np.vstack([np.eye(4)[2:], below]))
    values = sorted(values[values.imag > 0.0], key=abs)
    for k, value in enumerate(values, start=1):
        assert figures[f"mode {k}"][0] == pytest.approx(value.imag / (2.0 * np.pi), rel=1e-9)
        ratio = -value.real / abs(value)
        assert figures[f"damping ratio of mode {k}"] == pytest.approx(ratio, rel=1e-8)


def test_masses_on_springs_with_what_nothing_holds(tmp_path):
    """Two sliders: a free common motion of frequency zero, and k (1/m + 1/M) against each other."""
    links = [{"name": n, "mass": m, "inertia": [1.0]} for n, m in (("a", 2.0), ("b", 3.0))]
    between = slide("c", "b") | {"links": ["a", "b"]}
    tables = {
        "planar": True, "links": links, "joints": [slide("g", "a"), between],
        "actuators": [{"name": "s", "joint": "c", "stiffness": 50.0}],
    }  # fmt: skip
    _, frequencies, shapes = run(tables, tmp_path)
    assert frequencies[0] == 0.0
    assert 2.0 * np.pi * frequencies[1] == pytest.approx(np.sqrt(50.0 * (1 / 2 + 1 / 3)), rel=1e-12)
    moved = np.array([shapes["a"][:, 0, 0], shapes["b"][:, 0, 0]])
    assert moved.T @ np.diag([2.0, 3.0]) @ moved == pytest.approx(np.eye(2), abs=1e-12)


def test_geared_rods_vibrate_as_one(tmp_path):
    """Two rods of ratio 2: one angle with the inertia and the weight of both."""
    tables = {
        "planar": True, "loads": DOWN,
        "links": [rod("a", placement={"angle": -1.2}),
                  rod("b", placement={"position": [3, 0, 0], "angle": -1.6})],
        "joints": [pin("one", "ground", "a", [[0, 0, 0], [0, 0, 0]]),
                   pin("two", "ground", "b", [[3, 0, 0], [0, 0, 0]])],
        "gears": [{"name": "g", "joints": ["two", "one"], "ratio": 2.0, "offset": 0.8}],
    }  # fmt: skip
    probe = {"name": "angle", "joint": "one", "quantity": "coordinate"}
    outcome, frequencies, _ = run(tables | {"probes": [probe]}, tmp_path)
    angle = outcome.figures["angle"][0]
    other = 2.0 * angle + 0.8
    stiffness = -0.5 * G * (np.sin(angle) + 4.0 * np.sin(other))
    assert 0.5 * G * (np.cos(angle) + 2.0 * np.cos(other)) == pytest.approx(0.0, abs=1e-9)
    expected = np.sqrt(stiffness / (1.0 / 3.0 + 4.0 / 3.0))
    assert 2.0 * np.pi * frequencies == pytest.approx([expected], rel=1e-9)


@pytest.mark.parametrize(("element", "zero"), [("euler_beam_plane", 3), ("euler_beam", 6)])
def test_free_beam_on_a_link_without_joints(element, zero, tmp_path):
    """Rigid motions of frequency zero, then cos x cosh x = 1, less rotary inertia (x^2 r^2 / 4)."""
    frequencies = run(beam(16, element, analysis=modes(zero + 2)), tmp_path)[1]
    assert (frequencies[:zero] == 0.0).all()
    root = brentq(lambda x: np.cos(x) * np.cosh(x) - 1.0, 4.0, 5.0)
    exact = root**2 * np.sqrt(BENDING / LINE) / (2.0 * np.pi)
    assert frequencies[zero] == pytest.approx(exact, rel=8e-4)
    if zero == 6:
        assert frequencies[7] == pytest.approx(frequencies[6], rel=1e-10)


def test_free_shell_on_a_link_has_the_modes_of_a_free_body(tmp_path):
    """In mean axes and all together; rotations about normals have no mass, and no modes."""
    block = {"cell": "quad4", "corners": [[0, 0, 0], [1, 0, 0], [1, 0.5, 0], [0, 0.5, 0]],
             "divisions": [5, 3]}  # fmt: skip
    body = {"name": "b", "cells": "b", "material": "m", "element": "mitc4", "thickness": 0.01}
    tables = beam(1, analysis=modes(9), mesh={"blocks": {"b": block}})
    found = run(tables | {"bodies": [body | {"frame": "l"}]}, tmp_path)[1]
    free = {key: one for key, one in tables.items() if key != "links"}
    assert found == pytest.approx(run(free | {"bodies": [body]}, tmp_path)[1], rel=1e-9, abs=1e-9)
    assert (found[:6] == 0.0).all()


def hanging(count):
    """Return frequencies of a rod on a pin under its weight, of Hermite's cubic elements, Hz."""
    h, size = 1.0 / count, 2 * (count + 1)
    stiffness, masses = np.zeros((size, size)), np.zeros((size, size))
    for place, weight in zip(*np.polynomial.legendre.leggauss(5), strict=True):
        x, w = 0.5 * (1.0 + place), 0.5 * weight * h
        n = np.array([1 - 3 * x**2 + 2 * x**3, h * (x - 2 * x**2 + x**3), 3 * x**2 - 2 * x**3,
                      h * (x**3 - x**2)])  # fmt: skip
        d = np.array([6 * x**2 - 6 * x, h * (1 - 4 * x + 3 * x**2), 6 * x - 6 * x**2,
                      h * (3 * x**2 - 2 * x)]) / h  # fmt: skip
        c = np.array([12 * x - 6, h * (6 * x - 4), 6 - 12 * x, h * (6 * x - 2)]) / h**2
        for e in range(count):
            own = slice(2 * e, 2 * e + 4)
            tension = LINE * G * (1.0 - (e + x) * h)
            stiffness[own, own] += w * (BENDING * np.outer(c, c) + tension * np.outer(d, d))
            rotary = LINE * RADIUS**2 / 4.0
            masses[own, own] += w * (LINE * np.outer(n, n) + rotary * np.outer(d, d))
    squares = eigh(stiffness[1:, 1:], masses[1:, 1:], eigvals_only=True)
    return np.sqrt(squares) / (2.0 * np.pi)


@pytest.mark.parametrize("held", [False, True])
def test_elastic_pendulum_vibrates_as_finite_elements_of_a_hanging_rod(held, tmp_path):
    """From the swing below one hertz to bending; in mean axes, and with the rod held in its link.

    The rod is stretched by 1e-6, and hangs from elements whose tension is constant.
    """
    supports = [{"group": "b.xmin", "components": ["x", "y", "rz"]}] if held else []
    tables = beam(
        16, supports=supports, loads=DOWN, analysis=modes(3),
        joints=[pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
    )  # fmt: skip
    _, frequencies, shapes = run(tables, tmp_path)
    exact = hanging(16)[:3]
    assert frequencies[0] == pytest.approx(exact[0], rel=2e-6)
    assert frequencies == pytest.approx(exact, rel=3e-5)
    swing = shapes["b"][0]  # in components of the link: along x none, across nearly a straight line
    assert np.abs(swing[:, 0]).max() < 1e-5 * np.abs(swing[:, 1]).max()
    line = np.linspace(0.0, 1.0, 17)
    assert np.abs(swing[:, 1] / swing[-1, 1] - line).max() < 1e-3


def test_reduced_links_have_the_lowest_modes(tmp_path):
    """A cantilevered rod on a pin with a spring: shapes of Craig and Bampton against all nodes."""
    tables = beam(
        16, supports=[{"group": "b.xmin", "components": ["x", "y", "rz"]}], analysis=modes(3),
        joints=[pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
        actuators=[{"name": "spring", "joint": "pin", "stiffness": 300.0}],
    )  # fmt: skip
    whole = run(tables, tmp_path)[1]
    reduced = run(tables | {"reduction": {"modes": 6}}, tmp_path)[1]
    assert reduced == pytest.approx(whole, rel=1e-4)
    assert (reduced >= whole * (1.0 - 1e-9)).all()  # Rayleigh


@pytest.mark.parametrize("planar", [True, False])
def test_loop_of_links_has_the_mode_of_its_one_motion(planar, tmp_path):
    """Parallelogram of two cranks and a coupler, which moves without turning, hanging.

    In space its hinges hold motions more than once; forces share then, frequencies do not.
    """
    at = [[0.5, 0, 0], [0, 0, 0]]
    tables = {
        "planar": planar, "loads": DOWN,
        "links": [rod("a", placement={"angle": -1.4}),
                  rod("b", placement={"position": [0.5, 0, 0], "angle": -1.4}),
                  rod("c", 2.0, 0.5, placement={"position": [0.17, -0.98, 0]})],
        "joints": [pin("1", "ground", "a", [0, 0, 0]), pin("2", "ground", "b", at),
                   pin("3", "a", "c", [[1, 0, 0], [0, 0, 0]]),
                   pin("4", "b", "c", [[1, 0, 0], [0.5, 0, 0]])],
    }  # fmt: skip
    if not planar:
        tables["links"] = [spatial(link) for link in tables["links"]]
    frequencies = run(tables, tmp_path)[1]
    exact = np.sqrt((2 * 0.5 + 2.0) * G / (2.0 / 3.0 + 2.0))
    assert 2.0 * np.pi * frequencies == pytest.approx([exact], rel=1e-10)


def test_placements_are_taken_where_they_are_an_equilibrium(tmp_path):
    """An inverted pendulum grows by sqrt(1.5 g / l); one aside is told what pulls it."""
    upright = {
        "planar": True, "links": [rod("rod", placement={"angle": np.pi / 2})], "loads": DOWN,
        "joints": [pin("pin", "ground", "rod", [0, 0, 0])], "analysis": modes(start="initial"),
    }  # fmt: skip
    figures = run(upright, tmp_path)[0].figures
    assert figures["mode 1"][0] == 0.0
    assert figures["growth of mode 1"][0] == pytest.approx(np.sqrt(1.5 * G), rel=1e-12)
    aside = upright | {"links": [rod("rod", placement={"angle": 1.0})]}
    with pytest.raises(InputError, match=r"analysis\.start: .* a moment of 2\.6.* on link 'rod'"):
        run(aside, tmp_path)


def test_results_place_modes_in_space(tmp_path):
    """VTU files move the rod to where it hangs; pictures draw it there."""
    import meshio
    from flexforge.runtime.results.scene_building import scene_of

    tables = beam(
        4, loads=DOWN, joints=[pin("pin", "ground", "l", [[0, 0, 0], "b.xmin"])],
        analysis=modes(1), output={"formats": ["vtu", "hdf5"]},
    )  # fmt: skip
    outcome = run(tables, tmp_path)[0]
    mesh = meshio.read(tmp_path / "modes" / "b_001.vtu")
    placed = mesh.points + mesh.point_data["displacement_in_space"]
    assert placed[:, 1] == pytest.approx(-mesh.points[:, 0], abs=1e-5)
    shape = mesh.point_data["shape_in_space"]
    assert np.abs(shape[:, 0]).max() == pytest.approx(np.abs(shape).max())  # it swings along x
    (mode,) = scene_of(outcome.results).modes
    drawn = mode.placed(
        0, mesh.points, mode.moves[0], 0.0
    )  # undeformed: the rod is stretched by 1e-6
    assert drawn[:, 1] == pytest.approx(-mesh.points[:, 0], abs=2e-6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"analysis": modes(speeds=[0.0, 1.0])}, "analysis.speeds: found them with links"),
        ({"analysis": modes(time=1.0)}, "analysis.time: found 1 with links"),
        ({"drivers": [{"name": "m", "joint": "one", "value": 0.0},
                      {"name": "n", "joint": "two", "value": 0.0}]},
         "links: found joints and drivers that leave no motion open"),
    ],
)  # fmt: skip
def test_what_modes_of_links_do_not_have_is_refused(change, said, tmp_path):
    """One line by key."""
    with pytest.raises(InputError, match=said):
        run(two_rods() | change, tmp_path)


def test_rigid_connection_holds_a_face(tmp_path):
    """A strip welded to the ground at a face vibrates as one whose face supports hold."""
    strip = {
        "mesh": {"blocks": {"b": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.2], [0, 0.2]],
                                  "divisions": [4, 2]}}},
        "materials": {"m": {"young": YOUNG, "poisson": 0.3, "density": DENSITY}},
    }  # fmt: skip
    body = {"name": "b", "cells": "b", "material": "m", "element": "quad8", "thickness": 0.1}
    held = strip | {"bodies": [body], "supports": [{"group": "b.xmin"}]}
    wanted = run(held, tmp_path / "held")[1]
    found = {}
    for connection in ("rigid", "averaged"):
        weld = {"name": "weld", "kind": "fixed", "links": ["ground", "l"],
                "at": [[0, 0.1, 0], "b.xmin"], "connection": connection}  # fmt: skip
        tables = strip | {
            "links": [{"name": "l"}], "bodies": [body | {"frame": "l"}], "joints": [weld],
        }  # fmt: skip
        found[connection] = run(tables, tmp_path / connection)[1]
    assert found["rigid"] == pytest.approx(wanted, rel=1e-9)
    assert (found["averaged"] < (1.0 - 1e-4) * wanted).any()
