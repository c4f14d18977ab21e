# SPDX-License-Identifier: BSD-3-Clause
"""Independent speeds: lower pairs found from equations, trees of links, and their steps."""

from __future__ import annotations

import copy
from functools import partial

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.mechanism.joints import Joint, marker
from flexforge.runtime.multibody.pairs import bracket, lower_pair
from flexforge.runtime.solvers import clear_rows
from swinging import DOWN, begin, coordinates, follow, frames, pin, rod, slide, spatial, transient
from test_formulas import chain as by_laws
from test_formulas import disc, regulated, sled
from test_order import geared, ladder, ring
from test_rigid import four_bar, slider_crank

#: Motions of the smallest lower pair that contains a joint; None: all motions of a body.
MOTIONS = {
    "fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 3, "spherical": 3,
    "planar": 3, "point_on_line": None, "free": None, "relative": None,
    "rolling": None,
}  # fmt: skip


def joint(kind, axis=(0.3, -0.2, 1.0), *, planar=False):
    """Return a joint between two links."""
    place = marker([0.1, 0.2, 0.0], axis, planar=planar)
    return Joint("j", kind, (0, 1), (place, place), planar, radius=0.2)


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("kind", JOINTS)
def test_lower_pair_of_a_joint(kind, side):
    """Its motions are closed under the bracket; a universal joint needs one row more."""
    found = lower_pair(joint(kind), side)
    if MOTIONS[kind] is None:
        assert found is None
        return
    screws = found.screws
    assert len(screws) == MOTIONS[kind]
    for one in screws:
        for other in screws:
            rest = bracket(one, other)
            assert np.abs(rest - screws.T @ np.linalg.lstsq(screws.T, rest)[0]).max() < 1e-12
    assert (
        found.covered == tuple(k != 3 for k in range(4))
        if kind == "universal"
        else all(found.covered)
    )
    counted = {"revolute": (0,), "prismatic": (0,), "cylindrical": (0, 1), "planar": (0, -1, -1)}
    assert found.counted == counted.get(kind, (-1,) * len(screws))


@pytest.mark.parametrize(
    ("kind", "axis", "screw"),
    [
        ("revolute", (0, 0, 1), [0, 0, 0, 0, 0, 1]),
        ("prismatic", (1, 0, 0), [0, 0, 1, 0, 0, 0]),
        ("fixed", (0, 0, 1), None),
    ],
)
def test_lower_pairs_of_the_plane(kind, axis, screw):
    """Motions out of the plane are none of theirs: axes are those of the marker."""
    found = lower_pair(joint(kind, axis, planar=True), 1)
    assert np.allclose(found.screws, [screw] if screw else np.zeros((0, 6)), atol=1e-15)


def two(kind, actuators=(), links=("a", "b")):
    """Return a rod on a ball joint, and one that a joint of some kind hangs on it."""
    first = spatial(rod("a", angular_velocity=[0.5, 1.0, 2.0]))
    at = {"a": [1, 0, 0], "b": [0, 0, 0]}
    return {
        "links": [first, spatial(rod("b", placement={"position": [1, 0, 0]}))],
        "joints": [
            {"name": "s", "kind": "spherical", "links": ["ground", "a"]},
            {"name": "j", "kind": kind, "links": list(links), "at": [at[k] for k in links],
             "axis": [0.3, 0.2, 1.0]},
        ],
        "actuators": list(actuators), "loads": DOWN, "analysis": transient(0.25, 100),
    }  # fmt: skip


def acting(joint, **coordinates):
    """Return springs and laws along coordinates of a joint."""
    return [
        {"name": name, "joint": joint, "coordinate": name, **keys}
        for name, keys in coordinates.items()
    ]


def trolley():
    """Return a pendulum on a trolley that a driver shakes."""
    return {
        "planar": True,
        "links": [{"name": "trolley", "mass": 1.0}, rod("rod", placement={"angle": -1.2})],
        "joints": [slide("rail", "trolley"), pin("pin", "trolley", "rod", [0, 0, 0])],
        "drivers": [{"name": "shaker", "joint": "rail", "value": "0.2*sin(5*t)"}],
        "loads": DOWN, "analysis": transient(0.5, 100),
    }  # fmt: skip


def sprung():
    """Return rods that hang side by side, with a spring between them that closes a loop."""
    return {
        "planar": True,
        "links": [rod("a", placement={"angle": -1.0}), rod("b", placement={"angle": -0.4})],
        "joints": [
            pin("A", "ground", "a", [0, 0, 0]), pin("B", "ground", "b", [0, 0, 0]),
            {"name": "between", "kind": "free", "links": ["a", "b"],
             "at": [[1, 0, 0], [1, 0, 0]], "axis": [0, 0, 1]},
        ],
        "actuators": acting("between", slide={"stiffness": 40.0, "damping": 1.0}),
        "loads": DOWN, "analysis": transient(0.5, 100),
    }  # fmt: skip


def elastic(axis):
    """Return rods that bend, one on the other, by a hinge with a motor."""
    blocks = {
        name: {"cell": "line2", "corners": [[0, 0, 0], [0.4, 0, 0]], "divisions": [2]}
        for name in "ab"
    }
    body = {"element": "timoshenko_beam", "material": "m",
            "section": {"shape": "round", "diameter": 0.02}}  # fmt: skip
    return {
        "mesh": {"blocks": blocks},
        "materials": {"m": {"young": 7e8, "poisson": 0.3, "density": 2700}},
        "bodies": [{"name": k, "cells": k, "frame": k, **body} for k in "ab"],
        "links": [{"name": "a"}, {"name": "b", "placement": {"position": [0.4, 0, 0]}}],
        "supports": [{"group": f"{k}.xmin"} for k in "ab"],
        "reduction": {"modes": 2, "static": False},
        "joints": [
            pin("A", "ground", "a", [[0, 0, 0], "a.xmin"], axis=[0, 1, 0]),
            pin("B", "a", "b", ["a.xmax", "b.xmin"], axis=axis, start_velocity={"angle": 3.0}),
        ],
        "actuators": [{"name": "motor", "joint": "B", "law": "2*sin(9*t) - 0.1*x_dot"}],
        "loads": DOWN, "analysis": transient(0.05, 800),
    }  # fmt: skip


def _short(tables, duration, steps):
    return tables | {"loads": DOWN, "analysis": transient(duration, steps)}


#: Models that move.
MODELS = {
    **{kind: partial(two, kind) for kind in JOINTS if kind not in ("relative", "rolling")},
    "turned round": partial(two, "revolute", links=("b", "a")),
    "cylindrical with forces": partial(two, "cylindrical", acting(
        "j", slide={"stiffness": 50.0, "damping": 2.0}, angle={"law": "-5*sin(x) - 0.3*x_dot"})),
    "planar with forces": partial(two, "planar", acting(
        "j", slide={"stiffness": 50.0, "damping": 0.2}, angle={"law": "-5*sin(x) - 0.3*x_dot"})),
    "universal with forces": lambda: two("universal", acting(
        "j", angle={"stiffness": 5.0, "damping": 0.2},
        second_angle={"law": "-5*sin(x) - 0.3*x_dot"})) | {"analysis": transient(0.25, 300)},
    "trolley": trolley, "sprung": sprung, "slider-crank": lambda: slider_crank(
        {"actuators": [{"name": "m", "joint": "bearing", "force": "3*sin(5*t)"}]}, 1000),
    "four-bar of the plane": lambda: _short(four_bar(planar=True), 0.3, 100),
    "four-bar in space": lambda: _short(four_bar(planar=False), 0.3, 100),
    "gears": lambda: _short(geared(), 0.3, 80), "ladder": lambda: _short(ladder(), 0.3, 80),
    "ring": lambda: _short(ring(), 0.3, 80), "sled": partial(sled, 100, 0.3),
    "disc": partial(disc, 300), "controller": partial(regulated, 100),
    "laws of other joints": partial(by_laws, 100),
    "bending in the plane": partial(elastic, [0, 0, 1]),
    "bending out of it": partial(elastic, [0, 1, 0]),
}  # fmt: skip


def _end(tables, formalism, steps):
    """Return places, speeds, rates, states and reactions at the end, and corrections at most."""
    tables = copy.deepcopy(tables)
    tables["analysis"] |= {"steps": steps, "formalism": formalism}
    motion = begin(tables)
    for _ in range(steps):
        motion.advance()
    at, told = motion.point, motion.reactions.values()
    forces = np.array([np.concatenate([one.force, one.moment]) for one in told])
    found = [at.q, at.z, at.rate, at.s, forces.ravel()]
    return found, motion.counts.most_solves, motion.stepper.solver_name


@pytest.mark.filterwarnings("ignore:.*redundant")
@pytest.mark.parametrize("name", MODELS)
def test_independent_speeds_move_links_as_multipliers_do(name):
    """Both err by the square of the step, in places, speeds, rates, states and forces of joints.

    Differences of both fall to a quarter where the step is halved, or are round-off.
    """
    tables = MODELS[name]()
    steps = tables["analysis"]["steps"]
    errors = []
    for count in (steps, 2 * steps):
        held, usual, _ = _end(tables, "lagrange", count)
        found, corrections, solver = _end(tables, "kane", count)
        assert solver == "native, links of a tree"
        sizes = [max(np.abs(one).max(initial=0.0), 1.0) for one in held]
        errors.append([
            np.abs(one - other).max(initial=0.0) / size
            for one, other, size in zip(held, found, sizes, strict=True)
        ])  # fmt: skip
        further = name == "universal with forces"  # of which one row is a multiplier's
        assert corrections <= usual + further
    coarse, fine = np.array(errors)
    assert (coarse < 0.05).all()
    assert (fine < 0.3 * coarse + 1e-8).all()
    assert fine[:2].max() > 1e-9 or name not in ("revolute", "ring", "ladder")  # it does move


def test_joints_of_the_tree_are_held_to_round_off():
    """Positions and velocities, after many steps; multipliers leave velocities to the order."""
    tables = two("revolute") | {"analysis": transient(5.0, 1000, formalism="gibbs_appell")}
    motion = begin(tables)
    for _ in range(1000):
        motion.advance()
    figures = motion.figures()
    assert figures["residual of positions at the end"] < 1e-13
    assert figures["residual of velocities at the end"][0] < 1e-13


def test_turns_of_joints_without_forces_are_counted():
    """A flywheel on a hinge turns often; nothing but its own speed tells how far."""
    tables = {
        "planar": True,
        "links": [{"name": "wheel", "mass": 1.0, "inertia": [0.5]}],
        "joints": [pin("axle", "ground", "wheel", [0, 0, 0], start_velocity={"angle": 24.0})],
        "analysis": transient(3.0, 30, formalism="kane"),
    }
    angles = follow(tables, coordinates)[:, 0, 0]
    assert np.abs(angles - 24.0 * np.linspace(0.0, 3.0, 31)).max() < 1e-12


def test_the_tree_avoids_joints_whose_motions_move_no_mass():
    """A slider without inertia hangs on its guide, not on the pin about which it could turn."""
    motion = begin(slider_crank({}, 10) | {"analysis": transient(0.1, 10, formalism="maggi")})
    tree = motion.stepper.table().found.tree
    names = [one.name for one in motion.links.model.parts.joints]
    assert names[tree.joint[2]] == "guide"
    assert len(tree.closing) == 2


@pytest.mark.parametrize("formalism", ["maggi", "kane", "gibbs_appell"])
def test_formalisms_of_independent_speeds_take_the_same_steps(formalism):
    """To the last bit."""
    tables = two("universal")
    tables["analysis"] |= {"formalism": formalism}
    found = follow(tables, frames)
    tables["analysis"] |= {"formalism": "kane"}
    assert np.array_equal(found, follow(tables, frames))


def test_a_link_whose_mass_only_a_loop_moves_is_refused():
    """A coupler without mass of its own: multipliers move it, a tree does not."""
    tables = four_bar(planar=True)
    del tables["links"][1]["mass"], tables["links"][1]["inertia"], tables["links"][1]["centre"]
    begin(tables)
    tables["analysis"] |= {"formalism": "kane"}
    with pytest.raises(InputError, match="link 'b' moves mass only by joints that close loops"):
        begin(tables)


@pytest.mark.parametrize("formalism", ["lagrange", "kane"])
def test_long_chains_begin_as_dense_decompositions_say(formalism, monkeypatch):
    """Sparse factors of three hundred rows: places, given speeds and accelerations."""
    count = 60
    links = [spatial(rod(f"l{k}", placement={"position": [k, 0.0, 0.0]})) for k in range(count)]
    joints = [
        pin(f"j{k}", f"l{k - 1}" if k else "ground", f"l{k}", [[1 if k else 0, 0, 0], [0, 0, 0]],
            axis=[0, 0.1 * (k % 3), 1])
        for k in range(count)
    ]  # fmt: skip
    joints[-1]["start_velocity"] = {"angle": 2.0}
    links[5]["angular_velocity"] = [0.0, 0.0, 1.0]
    tables = {
        "links": links, "joints": joints, "loads": DOWN,
        "analysis": transient(0.01, 2, formalism=formalism),
    }  # fmt: skip
    sparse = begin(copy.deepcopy(tables)).point
    monkeypatch.setattr(clear_rows, "_FEW", 10**9)
    dense = begin(tables).point
    assert np.abs(sparse.q - dense.q).max() < 1e-10
    assert np.abs(sparse.z - dense.z).max() < 1e-9 * np.abs(dense.z).max()
    assert np.abs(sparse.rate - dense.rate).max() < 1e-7 * np.abs(dense.rate).max()
