# SPDX-License-Identifier: BSD-3-Clause
"""Linear equations and local axes: against multipliers, null spaces and closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from blocks import UNDAMPED
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.start import start
from flexforge.runtime.statics.static import solve_static, static_combinations
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.elimination import eliminate
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.unknown_map import UnknownMap
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.vibration.modes import solve_modes
from models import CUBE, SQUARE, STEEL, build, model, stressed
from moving import spec_of
from scipy.linalg import eigh, null_space
from scipy.sparse import csr_matrix

METHODS = ["newmark", "generalized_alpha", "central_difference", "midpoint", "gauss4"]


def rows_of_tied(places, time):
    """Return C and b of the model ``tied`` of ``moving``, written by hand: ``C d = b(t)``."""
    body = places.system.bodies[0]
    points, rows, right = body.points, [], []

    def nodes(group):
        return body.part.local(places.mesh.select(group).nodes)

    def add(terms, value=0.0):
        row = np.zeros(points.shape)
        for node, direction in terms:
            row[node] += direction
        rows.append(row.ravel())
        right.append(value)

    axis, across = np.array([0.1, 0, 1]), np.cross([1, 0.5, 0], [0, 1, 0.2])
    turned = np.cross(across, [1, 0.5, 0])
    for node in nodes("xmin"):
        arm = points[node] - [-0.1, 0.1, 0]
        add([(node, arm - arm @ axis / (axis @ axis) * axis)])
        add([(node, axis)])
        add([(node, turned / np.linalg.norm(turned))], 0.01 * np.sin(9 * time))
    x, y, z = np.eye(3)
    (two,), (three,), (six,) = (nodes(f"corner{k}") for k in (2, 3, 6))
    add([(two, x), (six, -x)])
    for node in nodes("zmax_xmax"):
        add([(node, y), (two, -0.5 * y), (three, 0.25 * z)], 0.05 * time)
    return np.array(rows), np.array(right)


def everything(system):
    """Return a system without supports and equations."""
    return replace(system, map=UnknownMap.everything(system.size, system.dimension))


def test_a_static_state_is_that_of_multipliers():
    """``[K C^T; C 0]`` solved densely with rows written by hand; its multipliers are reactions."""
    spec = spec_of("tied").model_copy(update={"analysis": model("hex8").analysis})
    places = build(spec)
    system, loads, time = places.system, Loads(spec, places), 0.2
    spins = system.spins(time)
    rows, right = rows_of_tied(places, time)
    whole = everything(system)
    k = whole.matrix(static_combinations(whole, spins)).toarray()
    force = loads.at(time, spins).ravel()
    n, m = len(force), len(rows)
    saddle = np.block([[k, rows.T], [rows, np.zeros((m, m))]])
    wanted = np.linalg.lstsq(saddle, np.r_[force, right], rcond=None)[0]
    found = solve_static(system, loads, time, "auto")
    size = np.abs(wanted[:n]).max()
    np.testing.assert_allclose(found.displacement.ravel(), wanted[:n], rtol=0.0, atol=1e-9 * size)
    reaction = -rows.T @ wanted[n:]
    close = 1e-8 * np.abs(reaction).max()
    np.testing.assert_allclose(found.reaction.ravel(), reaction, rtol=0.0, atol=close)


def test_modes_are_those_of_a_null_space():
    """Frequencies of ``N^T K N`` and ``N^T M N`` with an orthonormal N of the rows."""
    spec = spec_of("tied").model_dump(exclude_unset=True)
    spec["bodies"][0].pop("frame")
    spec["materials"] = {"steel": UNDAMPED}
    spec |= {"analysis": {"kind": "modes", "count": 6}, "loads": [], "probes": []}
    places = build(model("hex8").model_validate(spec))
    whole = everything(places.system)
    d = whole.dimension
    k, mass = (
        whole.matrix([Combination(a, b * np.eye(d), np.zeros(0))]).toarray()
        for a, b in ((1.0, 0.0), (0.0, 1.0))
    )
    basis = null_space(rows_of_tied(places, 0.0)[0])
    wanted = np.sqrt(eigh(basis.T @ k @ basis, basis.T @ mass @ basis, eigvals_only=True))
    found = solve_modes(places.system, 6, None, 0.0, "auto")
    np.testing.assert_allclose(
        found.frequencies * 2.0 * np.pi, wanted[: len(found.frequencies)], rtol=1e-9
    )


@pytest.mark.parametrize("method", METHODS)
def test_motions_keep_the_equations_and_balance_along_them(method):
    """At the end of every method's run: ``C d = b`` with its rates, and no force along N."""
    spec = spec_of("tied", method=method)
    if method == "central_difference":
        analysis = spec.analysis.model_copy(update={"steps": 4000})
        spec = spec.model_copy(update={"analysis": analysis})
    places = stressed(spec)
    loads = Loads(spec, places)
    motion = start(spec.analysis, places.system, loads, *initial_state(spec, places))
    for _ in range(spec.analysis.number_of_steps):
        motion.advance()
    rows, right = rows_of_tied(places, motion.time)
    size = np.abs(motion.displacement).max()
    gap = rows @ motion.displacement.ravel() - right
    assert np.abs(gap).max() <= 1e-12 * size * np.abs(rows).max()
    before, after = (rows_of_tied(places, motion.time + h)[1] for h in (-1e-4, 1e-4))
    assert np.abs(rows @ motion.velocity.ravel() - (after - before) / 2e-4).max() <= 1e-6
    system = motion.system
    equations = equations_at(system, loads, motion.time, system.frames(motion.time))
    left = equations.unbalanced(motion.displacement, motion.velocity, motion.acceleration)
    basis = null_space(rows)
    # Explicit steps take dampers' forces of velocities that are half a step ahead.
    close = 1e-6 if method == "central_difference" else 1e-8
    assert np.abs(basis.T @ left.ravel()).max() <= close * np.abs(left).max()


def wedge(cell, angle):
    """Return corners and divisions of a wedge between two rays from the z axis, turned by 0.3."""
    corners = [
        [radius * np.cos(phi), radius * np.sin(phi), z]
        for z in (0.0, 0.4)
        for radius, phi in ((1.0, 0.3), (1.5, 0.3), (1.6, 0.3 + angle), (0.8, 0.3 + angle))
    ]
    return (corners, [2, 2, 2]) if cell == "hex8" else ([c[:2] for c in corners[:4]], [2, 3])


@pytest.mark.parametrize("cell", ["quad8", "hex8"])
def test_a_heated_wedge_slides_along_its_rays(cell):
    """``u = alpha dT r`` and no stress: its rays are held across, in cylindrical axes."""
    corners, divisions = wedge(cell, 0.7)
    round_z = {"kind": "cylindrical", "origin": [0, 0, 3.0]}
    supports = [
        {"group": group, "components": ["y"], "axes": round_z} for group in ("ymin", "ymax")
    ]
    if cell == "hex8":
        supports.append({"group": "zmin", "components": ["z"]})
    spec = model(
        cell,
        divisions,
        corners=corners,
        materials={"steel": STEEL | {"expansion": 1e-5}},
        supports=supports,
        loads=[{"kind": "temperature", "change": 100.0}],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    points = places.system.bodies[0].points
    np.testing.assert_allclose(found.displacement, 1e-3 * points, rtol=0.0, atol=1e-12)
    assert np.abs(found.reaction).max() <= 1e-6 * 2e11 * 1e-3


@pytest.mark.parametrize("cell", ["tri6", "hex8"])
def test_a_bar_at_an_angle_is_pulled(cell):
    """Uniaxial tension along ``e``: ``u = p/E (s e - nu t f)``, one end in axes along the bar."""
    e = np.array([0.8, 0.6, 0.0])
    f, g = np.array([-0.6, 0.8, 0.0]), np.array([0.0, 0.0, 1.0])
    local = np.array(CUBE if cell == "hex8" else [[*c, 0.0] for c in SQUARE]) * [2.0, 0.5, 0.5]
    corners = (local @ np.array([e, f, g])).tolist()
    if cell == "tri6":
        corners = [corner[:2] for corner in corners]
    axes = {"x": e.tolist(), "y": [0.0, 1.0, 0.0]}
    supports = [
        {"group": "xmin", "axes": axes, "components": ["x"]},
        {"group": "ymin", "axes": axes, "components": ["y"]},
    ]
    if cell == "hex8":
        supports.append({"group": "zmin", "axes": axes, "components": ["z"]})
    pull = {"kind": "pressure", "group": "xmax", "value": -1e8}
    spec = model(
        cell,
        None,
        corners=corners,
        body={"hypothesis": "plane_stress"} if cell == "tri6" else {},
        supports=supports,
        loads=[pull],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    points = np.zeros((places.system.size, 3))
    points[:, : places.system.dimension] = places.system.bodies[0].points
    along, across, up = points @ e, points @ f, points @ g
    wanted = np.outer(along, e) - 0.3 * (np.outer(across, f) + np.outer(up, g))
    wanted = 1e8 / 2e11 * wanted[:, : places.system.dimension]
    np.testing.assert_allclose(found.displacement, wanted, rtol=0.0, atol=1e-9 * 1e-3)


def test_what_bodies_share_is_moved_once():
    """A mass on a node of a face that moves along a slope: one function for both bodies."""
    slope = {"x": [0.8, 0.6, 0.0]}
    spec = model(
        "quad4",
        corners=SQUARE,
        masses=[{"name": "weight", "group": "corner1", "mass": 2.0}],
        supports=[
            {"group": "xmin", "displacement": {"y": 0.01}, "components": ["x", "y"]}
            | {"axes": slope | {"y": [0.0, 1.0, 0.0]}}
        ],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    assert len(places.system.map.given.functions) == 1
    wanted = np.tile([-0.006, 0.008], (len(found.displacement), 1))
    np.testing.assert_allclose(found.displacement, wanted, rtol=0.0, atol=1e-13)


def test_a_block_in_a_rigid_tube():
    """Uniaxial strain: ``u_z = p (1 + nu) (1 - 2 nu) / (E (1 - nu)) z``, and nothing sideways."""
    around = {"kind": "cylindrical", "origin": [-1.0, 0.5, 0], "z": [0, 0, 1]}
    spec = model(
        "hex8",
        supports=[
            {"group": "all", "components": ["x", "y"], "axes": around},
            {"group": "zmin", "components": ["z"]},
        ],
        loads=[{"kind": "pressure", "group": "zmax", "value": -1e8}],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    wanted = np.zeros((27, 3))
    modulus = 2e11 * 0.7 / (1.3 * 0.4)
    wanted[:, 2] = 1e8 / modulus * places.system.bodies[0].points[:, 2]
    np.testing.assert_allclose(found.displacement, wanted, rtol=0.0, atol=1e-15)


def lever(analysis, **tables):
    """Return two masses on springs to the ground, the second of which moves -2 times the first."""
    points = {"one": [0, 0, 0], "two": [1, 0, 0]}
    masses = [
        {"name": name, "group": name, "mass": mass} for name, mass in (("one", 3.0), ("two", 0.5))
    ]
    springs = [
        {"name": f"spring {name}", "kind": "spring", "at": name, "stiffness": k, "axis": [0, 1, 0]}
        for name, k in (("one", 200.0), ("two", 30.0))
    ]
    held = [{"group": name, "components": ["x", "z"]} for name in points]
    terms = [
        {"group": "two", "component": "y"},
        {"group": "one", "component": "y", "factor": 2.0},
    ]
    return model_from_dict(
        {
            "mesh": {"points": points},
            "masses": masses,
            "connectors": springs,
            "supports": held,
            "equations": [{"terms": terms}],
            "analysis": analysis,
            "output": {"formats": ["csv"]},
        }
        | tables
    )


def test_a_lever_between_two_masses():
    """``w^2 = (k1 + 4 k2) / (m1 + 4 m2)``; an end that is moved moves the other one."""
    free = build(lever({"kind": "modes", "count": 1}))
    (frequency,) = solve_modes(free.system, 1, None, 0.0, "auto").frequencies
    wanted = np.sqrt((200 + 4 * 30) / (3 + 4 * 0.5)) / (2 * np.pi)
    assert frequency == pytest.approx(wanted, rel=1e-12)
    along = {"name": "rail", "kind": "spring", "at": "one", "stiffness": 5.0, "axis": [1, 0, 0]}
    spec = lever(
        {"kind": "static", "time": 0.5},
        supports=[
            {"group": "one", "components": ["y", "z"], "displacement": {"y": "0.01*t"}},
            {"group": "two", "components": ["x", "z"]},
        ],
        connectors=[along],
    )
    places = build(spec)
    found = solve_static(places.system, Loads(spec, places), 0.5, "auto")
    np.testing.assert_allclose(found.displacement[:2, 1], [0.005, -0.01], rtol=1e-14)


def test_what_equations_refuse():
    """Contradictions, frames that move apart, groups of several nodes, free motions by name."""
    square = {"corners": SQUARE, "supports": [{"group": "xmin"}]}

    def refused(match, cell="quad4", **tables):
        with pytest.raises(InputError, match=match):
            build(model(cell, **(square | tables)))

    def equation(*terms, **more):
        return {"terms": [{"group": g, "component": c, "factor": f} for g, c, f in terms]} | more

    refused(
        r"found contradictory equations or supports: 'equations\[0\]'$",
        equations=[equation(("corner1", "x", 1.0), value=0.1)],
    )
    refused(
        r"found contradictory equations or supports: 'equations\[0\]', 'equations\[1\]'",
        equations=[
            equation(("corner2", "x", 1.0), ("corner3", "y", 2.0), value=0.1),
            equation(("corner2", "x", 2.0), ("corner3", "y", 4.0)),
        ],
    )
    refused(
        r"terms\[1\].group: found 3 nodes and 3 in terms\[0\]; expected groups of one node",
        equations=[equation(("xmax", "x", 1.0), ("ymax", "y", 1.0))],
    )
    refused("component: found 'z' in a planar model", equations=[equation(("corner2", "z", 1.0))])
    refused(
        r"supports\[0\].axes: the node at \(0, 0\) lies on the axis",
        supports=[{"group": "xmin", "components": ["x"], "axes": {"kind": "cylindrical"}}],
    )
    refused(
        r"supports\[0\].axes.y: missing with component 'y'",
        "hex8",
        corners=CUBE,
        supports=[{"group": "xmin", "components": ["y"], "axes": {"x": [1, 0, 0]}}],
    )


def test_equations_hold_what_supports_leave():
    """A block hangs by a roller and an equation; without the equation it turns, and is named."""
    roller = [{"group": "corner1"}]
    down = {"terms": [{"group": "corner2", "component": "y"}]}
    load = [{"kind": "force", "group": "xmax", "total": [0, -1.0, 0]}]
    free = model("quad4", [2, 2], supports=roller, loads=load)
    with pytest.raises(InputError, match="free to move \\(rotation about z through \\(0, 0\\)"):
        places = build(free)
        solve_static(places.system, Loads(free, places), 0.0, "auto")
    held = model("quad4", [2, 2], supports=roller, loads=load, equations=[down])
    places = build(held)
    found = solve_static(places.system, Loads(held, places), 0.0, "auto")
    assert found.reaction.sum(axis=0) == pytest.approx([0.0, 1.0], abs=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_elimination_of_random_equations(seed):
    """``C T = 0``, ``C D = B``, ones at the unknowns, and as many as the rank leaves."""
    rng = np.random.default_rng(seed)
    z = int(rng.integers(3, 15))
    m = int(rng.integers(1, z))
    rows = rng.standard_normal((m, z)) * (rng.random((m, z)) < 0.4)
    if m > 2:
        rows[-1] = 2.0 * rows[0] - rows[1]
    given = rows @ rng.standard_normal((z, 2))
    found = eliminate(csr_matrix(rows), csr_matrix(given), ["one"] * m)
    t, d = found.matrix.toarray(), found.given.toarray()
    np.testing.assert_allclose(rows @ t, 0.0, atol=1e-10 * max(1.0, np.abs(t).max(initial=0.0)))
    np.testing.assert_allclose(rows @ d, given, atol=1e-10 * max(1.0, np.abs(d).max()))
    np.testing.assert_array_equal(t[found.kept], np.eye(t.shape[1]))
    assert not d[found.kept].any()
    assert t.shape[1] == z - np.linalg.matrix_rank(rows)
