# SPDX-License-Identifier: BSD-3-Clause
"""Masses, springs, dampers and bushings in models: closed forms, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from scipy.optimize import brentq

STEEL = {"young": 2e11, "poisson": 0.3, "density": 7800.0}
MODES = {"kind": "modes", "count": 6}


def _model(points=None, **tables):
    data = {"analysis": MODES, "output": {"formats": ["csv"]}} | tables
    if points is not None:
        data["mesh"] = {"points": points}
    return model_from_dict(data)


def _run(folder, points=None, **tables):
    return run_model(_model(points, **tables), output=folder / "results").figures


def _frequencies(figures):
    """Return the frequencies in rad/s."""
    return 2 * np.pi * np.array([v[0] for n, v in figures.items() if n.startswith("mode ")])


def test_a_mass_on_a_bushing_in_a_turning_frame(tmp_path):
    """Isotropic in the plane: w0 +- W; along the axis w0, whatever the speed and the place."""
    speed, stiffness, mass = 20.0, 5000.0, 2.0
    figures = _run(
        tmp_path, {"a": [0.3, 0.1, 0.0]},
        masses=[{"name": "m", "group": "a", "mass": mass, "frame": {"velocity": speed}}],
        connectors=[{"name": "s", "kind": "bushing", "at": "a",
                     "stiffness": [stiffness, stiffness, 4 * stiffness]}],
    )  # fmt: skip
    own = np.sqrt(stiffness / mass)
    np.testing.assert_allclose(
        _frequencies(figures), [own - speed, own + speed, 2 * own], rtol=1e-9
    )
    assert figures["mass"][0] == pytest.approx(mass)


@pytest.mark.parametrize("method", ["generalized_alpha", "midpoint", "gauss4"])
def test_a_damped_mass_decays(tmp_path, method):
    """x0 e^(-d t) (cos w t + d / w sin w t) after 0.2 s, to the error of the method."""
    mass, stiffness, damping, start, end = 2.0, 800.0, 12.0, 0.01, 0.2
    points = {"a": [0.0, 0.0, 0.0], "b": [0.5, 0.0, 0.0]}
    figures = _run(
        tmp_path, points,
        masses=[{"name": "m", "group": "b", "mass": mass}],
        connectors=[{"name": "s", "kind": "spring", "between": ["a", "b"], "stiffness": stiffness},
                    {"name": "d", "kind": "damper", "between": ["b", "a"], "damping": damping}],
        supports=[{"group": "a"}, {"group": "b", "components": ["y", "z"]}],
        initial=[{"body": "m", "displacement": [start, 0, 0]}],
        probes=[{"name": "x", "group": "b", "component": "x"}],
        analysis={"kind": "transient", "duration": end, "steps": 400, "method": method},
    )  # fmt: skip
    decay = damping / (2 * mass)
    w = np.sqrt(stiffness / mass - decay**2)
    expected = start * np.exp(-decay * end) * (np.cos(w * end) + decay / w * np.sin(w * end))
    tolerance = 1e-8 if method == "gauss4" else 2e-5  # of the start; h w = 0.01
    assert abs(figures["x, at the end"][0] - expected) < tolerance * start
    assert "Jacobi integral" not in figures  # it is not kept


def test_the_damping_ratio_of_a_damped_mass(tmp_path):
    """c / (2 sqrt(k m)) of each direction of a bushing, w0 sqrt(1 - ratio^2) its frequency."""
    mass, stiffness, damping = 2.0, [800.0, 200.0, 5000.0], [12.0, 1.0, 100.0]
    figures = _run(
        tmp_path, {"a": [0.0, 0.0, 0.0]},
        masses=[{"name": "m", "group": "a", "mass": mass}],
        connectors=[{"name": "b", "kind": "bushing", "at": "a", "stiffness": stiffness,
                     "damping": damping}],
    )  # fmt: skip
    order = np.argsort(stiffness)
    own = np.sqrt(np.array(stiffness) / mass)[order]
    ratios = np.array(damping)[order] / (2 * mass * own)
    found = [figures[f"damping ratio of mode {i}"] for i in (1, 2, 3)]
    np.testing.assert_allclose(found, ratios, rtol=1e-9)
    np.testing.assert_allclose(_frequencies(figures), own * np.sqrt(1 - ratios**2), rtol=1e-9)


def _tip_roots(mass, inertia, count):
    """Return b L of a cantilever with a tip body: E I w'' = w^2 J w', E I w''' = - w^2 M w there.

    M and J are relative to those of the beam, rho A L and rho A L^3.
    """

    def condition(b):
        c, s, ch, sh = np.cos(b), np.sin(b), np.cosh(b), np.sinh(b)
        # w = A (cosh - cos) + B (sinh - sin)
        matrix = np.array([
            [ch + c - inertia * b**3 * (sh + s), sh + s - inertia * b**3 * (ch - c)],
            [sh - s + mass * b * (ch - c), ch + c + mass * b * (sh - s)],
        ])  # fmt: skip
        return np.linalg.det(matrix) / ch**2

    grid = np.linspace(0.05, 12.0, 4000)
    values = [condition(b) for b in grid]
    found = [
        brentq(condition, a, b)
        for a, b, u, v in zip(grid, grid[1:], values, values[1:], strict=False)
        if u * v < 0
    ]
    return np.array(found[:count])


def test_cantilever_with_a_tip_body(tmp_path):
    """The frequency equation with tip mass and rotary inertia, three modes, 0.02 %."""
    width, height = 0.004, 0.002
    area, moment = width * height, height * width**3 / 12
    beam = STEEL["density"] * area
    mass, inertia = 0.5 * beam, 0.02 * beam  # of 1 m
    figures = _run(
        tmp_path,
        mesh={"block": {"cell": "line2", "corners": [[0.0, 0.0], [1.0, 0.0]], "divisions": [12]}},
        materials={"steel": STEEL},
        bodies=[{"name": "rod", "element": "euler_beam_plane", "material": "steel",
                 "section": {"shape": "rectangle", "width": width, "height": height}}],
        masses=[{"name": "tip", "group": "xmax", "mass": mass, "inertia": [inertia]}],
        supports=[{"group": "xmin"}],
        analysis={"kind": "modes", "count": 3},
    )  # fmt: skip
    roots = _tip_roots(0.5, 0.02, 3)
    expected = np.square(roots) * np.sqrt(STEEL["young"] * moment / beam)
    np.testing.assert_allclose(_frequencies(figures), expected, rtol=2e-4)
    assert figures["mass"][0] == pytest.approx(1.5 * beam, rel=1e-12)


def test_whirl_of_a_rigid_rotor_on_bearings(tmp_path):
    """It w^2 - Ip W w - kr = 0 seen from outside, less W in the frame; and sqrt(k / m) -+ W.

    Without the stiffness of finite turns the conical whirl is another one.
    """
    transverse, polar, mass, stiff, about, speed = 0.4, 0.7, 5.0, 2e5, 9e3, 60.0
    figures = _run(
        tmp_path, {"hub": [0.0, 0.0, 0.0]},
        masses=[{"name": "rotor", "group": "hub", "mass": mass,
                 "inertia": [transverse, transverse, polar], "frame": {"velocity": speed}}],
        connectors=[{"name": "bearing", "kind": "bushing", "at": "hub",
                     "stiffness": [stiff, stiff, 4 * stiff, about, about, 4e5]}],
    )  # fmt: skip
    conical = np.roots([transverse, -polar * speed, -about])
    own = np.sqrt(stiff / mass)
    expected = [*(conical - speed), own - speed, -own - speed, 2 * own, np.sqrt(4e5 / polar)]
    np.testing.assert_allclose(_frequencies(figures), np.sort(np.abs(expected)), rtol=1e-9)


def test_a_racket_is_unstable_about_its_middle_axis(tmp_path):
    """Growth w sqrt((C - A)(B - C) / (A B)) of a free body that spins about its middle axis."""
    a, b, c, speed = 1.0, 3.0, 2.5, 4.0
    figures = _run(
        tmp_path, {"hub": [0.0, 0.0, 0.0]},
        masses=[{"name": "racket", "group": "hub", "mass": 2.0, "inertia": [a, b, c],
                 "frame": {"velocity": speed}}],
        supports=[{"group": "hub", "components": ["x", "y", "z", "rz"]}],
    )  # fmt: skip
    growth = [v[0] for n, v in figures.items() if n.startswith("growth")]
    expected = speed * np.sqrt((c - a) * (b - c) / (a * b))
    assert growth == [pytest.approx(expected, rel=1e-9)]


def test_a_compound_pendulum(tmp_path):
    """sqrt(m g l / (J + m l^2)): gravity stiffens a body whose centre is below its node."""
    mass, arm, inertia = 3.0, 0.4, 0.2
    figures = _run(
        tmp_path, {"pin": [1.0, 0.0, 0.0]},
        masses=[{"name": "bob", "group": "pin", "mass": mass, "centre": [0, 0, -arm],
                 "inertia": [inertia] * 3}],
        supports=[{"group": "pin", "components": ["x", "y", "z", "rz"]}],
        loads=[{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
    )  # fmt: skip
    expected = np.sqrt(mass * 9.81 * arm / (inertia + mass * arm**2))
    np.testing.assert_allclose(_frequencies(figures), [expected] * 2, rtol=1e-9)


def test_a_stretched_spring_holds_its_mass_sideways(tmp_path):
    """A mass on a string in a turning frame flaps at the speed itself, to its strain of 2e-6."""
    speed, mass, stiffness = 10.0, 1.5, 1e8
    figures = _run(
        tmp_path, {"hub": [0.0, 0.0, 0.0], "end": [0.8, 0.0, 0.0]},
        masses=[{"name": "m", "group": "end", "mass": mass, "frame": {"velocity": speed}}],
        connectors=[{"name": "s", "kind": "spring", "between": ["hub", "end"],
                     "stiffness": stiffness}],
        supports=[{"group": "hub"}, {"group": "end", "components": ["y"]}],
    )  # fmt: skip
    found = _frequencies(figures)
    np.testing.assert_allclose(found, [speed, np.sqrt(stiffness / mass)], rtol=1e-5)


def test_bodies_on_a_bushing_fly_freely(tmp_path):
    """Six motions without energy though the bodies are apart, then k (1/m1 + 1/m2) and the like."""
    (m1, m2), (j1, j2) = (2.0, 3.0), (0.2, 0.5)
    stiff, about = 4e4, 900.0
    points = {"a": [0.0, 0.0, 0.0], "b": [0.7, 0.2, -0.1]}
    figures = _run(
        tmp_path, points,
        masses=[{"name": n, "group": g, "mass": m, "inertia": [j] * 3}
                for n, g, m, j in (("one", "a", m1, j1), ("two", "b", m2, j2))],
        connectors=[{"name": "bush", "kind": "bushing", "between": ["a", "b"],
                     "axis": [0.7, 0.2, -0.1], "stiffness": [stiff, 2e5, 2e5, about, 3e4, 3e4]}],
        analysis={"kind": "modes", "count": 8},
    )  # fmt: skip
    found = _frequencies(figures)
    expected = [np.sqrt(about * (1 / j1 + 1 / j2)), np.sqrt(stiff * (1 / m1 + 1 / m2))]
    assert (found[:6] < 1e-6 * found[6]).all()
    np.testing.assert_allclose(found[6:], expected, rtol=1e-9)


FLAT = ((0.0, 0.0), (0.3, 0.0), (0.3, 0.1), (0.0, 0.1))
CORNERS = [[x, y, z] for z in (0.0, 0.2) for x, y in FLAT]
BLOCK = {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [2, 1, 1]}}


def _block(**tables):
    return {
        "mesh": BLOCK,
        "materials": {"steel": STEEL},
        "bodies": [{"name": "block", "element": "hex8", "material": "steel"}],
    } | tables


def test_a_solid_block_with_a_tip_mass_on_a_spring(tmp_path):
    """k / (block + mass): the block is rigid to 1e-6; a guided motion along x."""
    mass, stiffness = 11.0, 3e4
    figures = _run(
        tmp_path,
        **_block(
            masses=[{"name": "tip", "group": "corner7", "mass": mass}],
            connectors=[
                {
                    "name": "s",
                    "kind": "spring",
                    "at": "corner1",
                    "axis": [1, 0, 0],
                    "stiffness": stiffness,
                }
            ],
            supports=[{"group": "all", "components": ["y", "z"]}],
            analysis={"kind": "modes", "count": 1},
        ),
    )
    total = STEEL["density"] * 0.3 * 0.1 * 0.2 + mass
    assert figures["mass"][0] == pytest.approx(total, rel=1e-12)
    np.testing.assert_allclose(_frequencies(figures), [np.sqrt(stiffness / total)], rtol=1e-5)


def test_the_weight_of_a_block_and_its_tip_mass(tmp_path):
    """Bushings at three corners hold a free block; they carry the weight of both."""
    mass = 11.0
    tables = _block(
        masses=[{"name": "tip", "group": "corner7", "mass": mass}],
        connectors=[{"name": f"b{i}", "kind": "bushing", "at": f"corner{i}",
                     "stiffness": [1e6, 1e6, 1e6]} for i in (1, 2, 4)],
        loads=[{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
        probes=[{"name": f"z{i}", "group": f"corner{i}", "component": "z"} for i in (1, 2, 4)],
        analysis={"kind": "static"},
    )  # fmt: skip
    figures = _run(tmp_path, **tables)
    weight = 9.81 * (STEEL["density"] * 0.3 * 0.1 * 0.2 + mass)
    carried = -1e6 * sum(figures[f"z{i}"][0] for i in (1, 2, 4))
    assert carried == pytest.approx(weight, rel=1e-8)
    tables["connectors"] = tables["connectors"][:2]  # it can turn about the line of two corners
    with pytest.raises(InputError, match="free to move"):
        _run(tmp_path, **tables)


def _pair(**changed):
    """Return a model of two masses on a spring, the spring changed."""
    spring = {"name": "s", "kind": "spring", "between": ["a", "b"], "stiffness": 1.0} | changed
    return {
        "masses": [{"name": "one", "group": "a", "mass": 1.0},
                   {"name": "two", "group": "b", "mass": 1.0}],
        "connectors": [{k: v for k, v in spring.items() if v is not None}],
    }  # fmt: skip


BUSHING = {"kind": "bushing", "stiffness": [1.0, 1.0, 1.0]}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"between": None}, r"connectors\[0\]: found neither between nor at"),
        ({"at": "a"}, r"connectors\[0\]: found both between and at"),
        ({"between": ["a", "c"]}, r"between\[1\]: mesh.points: no group named 'c'"),
        ({"between": ["a", "a"]}, "found one node twice"),
        ({"stiffness": -1.0}, r"stiffness: found -1.0; expected the stiffness, a number >= 0"),
        ({"kind": "sprong"}, "did you mean 'spring'"),
        ({"axis": [1, 0, 0]}, "axis: found one between distant nodes"),
        ({"between": None, "at": "a"}, "axis: missing; expected a direction"),
        (BUSHING, "between: found distant nodes without rotations"),
        (BUSHING | {"between": None, "at": "a", "stiffness": [1, 1, 1, 1, 0, 0]},
         "stiffness: found values about axes, but the node of group 'a' has no rotations"),
        (BUSHING | {"stiffness": [1.0, 1.0]}, "stiffness: found 2 rows; expected 3 or 6 in space"),
        (BUSHING | {"stiffness": [1.0, -1.0, 0.0]}, "stiffness: found a negative number"),
        (BUSHING | {"stiffness": [[1, 2, 0], [0, 1, 0], [0, 0, 1]]}, "is not symmetric"),
        (BUSHING | {"stiffness": [[1, 2, 0], [2, 1, 0], [0, 0, 1]]}, "an eigenvalue of -1"),
        (BUSHING | {"stiffness": None}, "found neither stiffness nor damping"),
        (BUSHING | {"orientation": [2, 0, 0]}, "orientation: found a direction along axis"),
        ({"name": "one"}, r"connectors\[0\].name: found 'one', the name of masses\[0\] too"),
    ],
)  # fmt: skip
def test_wrong_connectors_are_refused(changed, words):
    """Which key, what was found, what is expected."""
    points = {"a": [0, 0, 0], "b": [1, 0, 0]}
    with pytest.raises(InputError, match=words):
        check_model(_model(points, **_pair(**changed)))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"mass": -1.0}, r"masses\[0\].mass: found -1.0; expected the mass"),
        ({"mass": 0.0}, r"masses\[0\].mass: found neither mass nor inertia"),
        ({"mass": 0.0, "inertia": [1, 1, 1]}, "mass: found 0 at a node without a body"),
        ({"inertia": [1.0, 1.0, 3.0]}, "principal moments 1, 1, 3; expected each at most the sum"),
        ({"inertia": [1.0, 1.0, -0.1]}, "a principal moment of -0.1; expected none below 0"),
        ({"inertia": [1.0, 1.0, 1.0, 2.0, 0, 0]}, "a principal moment of -1"),
        ({"inertia": [1.0, 1.0]}, r"inertia: found 2 numbers; expected \[Ixx"),
        ({"inertia": [1.0]}, "inertia: found 1 numbers; expected 3 or 6 in space"),
        ({"inertia": [0.0, 1.0, 1.0]}, "inertia: found no inertia about an axis"),
        ({"group": "none"}, r"masses\[0\].group: mesh.points: no group named 'none'"),
    ],
)  # fmt: skip
def test_wrong_masses_are_refused(changed, words):
    """Which key, what was found, what is expected."""
    with pytest.raises(InputError, match=words):
        mass = {"name": "m", "group": "a", "mass": 1.0} | changed
        check_model(_model({"a": [0, 0, 0]}, masses=[mass]))


def test_what_does_not_fit_a_solid_is_refused():
    """Its nodes have no rotations, a group has several nodes, a node moves with its body."""
    for mass, words in (
        ({"group": "corner1", "inertia": [1, 1, 1]}, "has no rotations .body 'block'."),
        ({"group": "xmax"}, "group 'xmax' has 4 nodes; expected one"),
        ({"group": "corner1", "frame": {"velocity": 3.0}}, "one of bodies.0. in another frame"),
    ):
        with pytest.raises(InputError, match=words):
            tables = _block(masses=[{"name": "m", "mass": 1.0} | mass])
            check_model(_model(**tables))


def test_nodes_of_two_frames_are_not_tied():
    """A connector acts between nodes of one frame; a massless node has to be held."""
    points = {"a": [0, 0, 0], "b": [1, 0, 0]}
    tables = _pair()
    tables["masses"][1]["frame"] = {"velocity": 3.0}
    with pytest.raises(InputError, match="found nodes in different frames"):
        check_model(_model(points, **tables))
    tables = _pair()
    del tables["masses"][1]
    with pytest.raises(InputError, match="has neither body nor mass; expected one, or a support"):
        check_model(_model(points, **tables))
    check_model(_model(points, supports=[{"group": "b"}], **tables))


def test_nothing_at_all_is_refused():
    """A model has bodies or masses."""
    with pytest.raises(InputError, match="bodies: missing; expected a table .*masses.* or ..links"):
        _model({"a": [0, 0, 0]})
