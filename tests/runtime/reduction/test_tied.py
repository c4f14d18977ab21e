# SPDX-License-Identifier: BSD-3-Clause
"""Reduced mechanisms against full ones: joints keep what they hold, the rest moves in shapes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from elastic_links import four_bar, slider_crank, spatial_four_bar
from flexforge.codegen.errors import InputError
from flexforge.runtime.check import check_model
from flexforge.runtime.constraints.build import build_ties, joints_of
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.reduction.estimate import Estimate
from flexforge.runtime.reduction.make import make_basis
from flexforge.runtime.reduction.reduce import reduced_basis
from flexforge.runtime.run import run_model
from flexforge.runtime.start import start
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads

EVERY = 1000  # more vibrations than there are


def motion_of(data, steps, duration, modes=None, *, follow=True, at_once=True, **analysis):
    """Return the motion of a mechanism at its end, and the estimated error of its shapes."""
    given = {"kind": "transient", "duration": duration, "steps": max(steps, 1), "threads": 1}
    data = data | {"analysis": given | analysis}
    if modes is not None:
        data = data | {"reduction": {"modes": modes}}
    spec = model_from_dict(data)
    places = build_system(spec, build_mesh(spec))
    loads, ties = Loads(spec, places), build_ties(spec, places)
    for body in places.system.bodies:
        body.assemble()
    joints = joints_of(ties)
    basis = None if modes is None else reduced_basis(spec, places, loads, joints)
    shapes = None if basis is None else basis.shapes
    state = initial_state(spec, places)
    motion = start(spec.analysis, places.system, loads, *state, ties, shapes, native=at_once)
    estimate = None
    if basis is not None and follow:
        estimate = Estimate(motion, basis, "auto", tied=True)
    for _ in range(steps):
        motion.advance()
        if estimate is not None:
            estimate.follow()
    error = estimate.figures()["error of the shapes, estimated"] if estimate is not None else 0.0
    return motion, error


def arm(connection):
    """Return a stubby block on a link that is fixed to the ground by its face, and pulled."""
    corners = [[x, y, z] for z in (0, 0.1) for x, y in ((0, 0), (0.3, 0), (0.3, 0.1), (0, 0.1))]
    return {
        "mesh": {"blocks": {"arm": {"cell": "hex8", "corners": corners, "divisions": [3, 2, 2]}}},
        "materials": {"soft": {"young": 2e7, "poisson": 0.4, "density": 1000.0}},
        "links": [{"name": "base"}],
        "bodies": [{"name": "body", "cells": "arm", "element": "hex8", "material": "soft",
                    "frame": "base"}],
        "joints": [{"name": "wall", "kind": "fixed", "links": ["ground", "base"],
                    "at": [[0, 0.05, 0.05], "arm.xmin"], "connection": connection}],
        "loads": [{"kind": "force", "group": "arm.xmax", "total": [40.0, 30.0, -20.0]}],
        "include": {"geometric": False},
    }  # fmt: skip


def heated():
    """Return the arm in a warmth that would stress it, were its other end held."""
    data = arm("averaged")
    data["mesh"]["blocks"]["arm"]["divisions"] = [2, 1, 1]
    data["materials"]["soft"]["expansion"] = 1e-4
    data["loads"].append(
        {"kind": "temperature", "change": "50 + 100*y", "amplitude": "smooth_step(t, 0, 0.01)"}
    )
    return data | {"include": {}}


def apart(one, other):
    """Return the largest difference of displacements, relative to the largest of them."""
    size = np.abs(other.displacement).max()
    return float(np.abs(one.displacement - other.displacement).max() / size)


@pytest.mark.parametrize("formalism", ["maggi", "kane"])
@pytest.mark.parametrize("connection", ["rigid", "averaged"])
def test_all_shapes_of_a_link_held_by_its_face_are_the_full_model(connection, formalism):
    """Another choice of coordinates, and the same motion: the joint is the same at all times."""
    data = arm(connection)
    ours, error = motion_of(data, 20, 0.02, EVERY, formalism=formalism)
    full, _ = motion_of(data, 20, 0.02, formalism=formalism, tolerance=1e-12)
    # A rigid face leaves six of its coordinates.
    faces = 3 * 9
    assert len(ours.state.q) == full.system.unknowns - (faces - 6 if connection == "rigid" else 0)
    assert error < 1e-6
    for field in ("displacement", "velocity"):
        one, other = getattr(ours, field), getattr(full, field)
        np.testing.assert_allclose(one, other, rtol=0, atol=2e-7 * np.abs(other).max())
    for name, reaction in full.reactions.items():
        size = np.abs(reaction.force).max()
        np.testing.assert_allclose(ours.reactions[name].force, reaction.force, atol=1e-6 * size)


def test_a_temperature_stiffens_shapes_as_it_does_the_full_model():
    """What expands freely is not stressed, so its displacements must not be taken for stresses."""
    one_by_one, _ = motion_of(heated(), 5, 0.02, at_once=False, tolerance=1e-12)
    for modes in (EVERY, None):
        ours, _ = motion_of(heated(), 5, 0.02, modes, follow=False)
        assert apart(ours, one_by_one) < 1e-6


@pytest.mark.parametrize(
    ("end", "connection"), [("arm.xmin", "rigid"), ("arm.xmax", "averaged")], ids=["rigid", "moved"]
)
def test_shapes_of_other_joints_are_refused(tmp_path, end, connection):
    """Of the same mesh, and of as many coordinates: another connection, and another place."""
    more = {"analysis": {"kind": "transient", "duration": 0.01, "steps": 10},
            "reduction": {"modes": 3, "basis": str(tmp_path / "shapes.h5")}}  # fmt: skip
    make_basis(model_from_dict(arm("averaged") | more))
    other = arm(connection)
    other["joints"][0]["at"][1] = end
    with pytest.raises(
        InputError, match="reduction.basis.* was computed for other joints.*flexforge reduce"
    ):
        check_model(model_from_dict(other | more))


def test_a_check_looks_for_the_nodes_of_joints():
    """A group of the mesh that the link has not."""
    data = four_bar() | {"analysis": {"kind": "transient", "duration": 0.1, "steps": 10}}
    data["joints"][1]["at"][0] = "coupler.xmax"
    with pytest.raises(InputError, match=r"joints\[1\].at\[0\]: no node of group 'coupler.xmax'"):
        check_model(model_from_dict(data))


def test_a_start_that_joints_allow_is_taken():
    """A rod between pins that bows: its ends stay where they are, whatever else its shapes lose."""
    bowing = [{"body": "rod", "velocity": [0, "10*sin(pi*x/0.3)**3", 0]}]
    motion, _ = motion_of(slider_crank(20.0, initial=bowing), 0, 0.01, 1)
    rod = next(body for body in motion.system.bodies if body.name == "rod")
    speeds = motion.velocity[rod.placed]
    assert np.abs(speeds[[0, -1]]).max() < 1e-12
    assert speeds[2, 1] > 5.0


@pytest.mark.parametrize(
    ("mechanism", "duration", "steps"),
    [
        (slider_crank("20*smooth_step(t, 0, 0.1)"), 0.1, 200),
        (four_bar(), 0.2, 200),
        (spatial_four_bar(), 0.02, 200),
    ],
    ids=["slider-crank", "four-bar", "spatial"],
)
def test_all_shapes_of_a_mechanism_are_the_full_model_in_the_limit(mechanism, duration, steps):
    """What is kept turns with the joints, so that steps differ, and by their square at most."""
    errors = []
    for count in (steps, 2 * steps):
        ours, _ = motion_of(mechanism, count, duration, EVERY, follow=False)
        full, _ = motion_of(mechanism, count, duration)
        errors.append(apart(ours, full))
    assert errors[1] < 5e-4
    assert errors[0] / errors[1] > 3.5


@pytest.mark.slow
def test_few_shapes_move_as_all_within_what_is_estimated():
    """A four-bar under weight: joints hold to round-off, with the forces of all shapes."""
    full, none = motion_of(four_bar(), 300, 0.2, EVERY)
    few, estimated = motion_of(four_bar(), 300, 0.2, 4)
    assert none < 1e-6
    assert len(few.state.q) < 0.8 * len(full.state.q)
    found = apart(few, full)
    assert 1e-7 < found < estimated < 1e-2
    size = max(np.abs(one.force).max() for one in full.reactions.values())
    for name, reaction in full.reactions.items():
        np.testing.assert_allclose(few.reactions[name].force, reaction.force, atol=5e-3 * size)
    driver = full.multiplier("motor")
    assert few.multiplier("motor") == pytest.approx(driver, rel=1e-3)
    left = [few.figures()[f"residual of {name} at the end"] for name in ("positions", "velocities")]
    assert max(left) < 1e-14


def arm_of_solids():
    """Return two bars of hex8 that turn at their end faces, about axes across each other."""
    across = [[[0, -0.04, z], [0.4, -0.04, z], [0.4, 0.04, z], [0, 0.04, z]] for z in (-0.04, 0.04)]
    block = {"cell": "hex8", "corners": across[0] + across[1], "divisions": [8, 1, 1]}
    solid = {"element": "hex8i", "material": "m"}
    hinge = {"kind": "revolute"}
    return {
        "mesh": {"blocks": {"one": block, "two": block}},
        "materials": {"m": {"young": 7e10, "poisson": 0.33, "density": 2700.0}},
        "links": [{"name": "upper"}, {"name": "lower", "placement": {"position": [0.4, 0, 0]}}],
        "bodies": [{**solid, "name": "one", "cells": "one", "frame": "upper"},
                   {**solid, "name": "two", "cells": "two", "frame": "lower"}],
        "joints": [
            {"name": "A", **hinge, "links": ["ground", "upper"], "at": [[0, 0, 0], "one.xmin"],
             "axis": [0, 0.6, 0.8]},
            {"name": "B", **hinge, "links": ["upper", "lower"], "at": ["one.xmax", "two.xmin"],
             "axis": [0, 1, 0]},
        ],
        "drivers": [{"name": "a", "joint": "A", "value": "2*smooth_step(t, 0, 0.2)"},
                    {"name": "b", "joint": "B", "value": "-smooth_step(t, 0, 0.2)"}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81],
                   "amplitude": "smooth_step(t, 0, 0.05)"}],
    }  # fmt: skip


@pytest.mark.slow
def test_solids_on_links_move_in_few_shapes():
    """Bars that joints hold by the mean of their faces, stiffened by their own stress."""
    full, _ = motion_of(arm_of_solids(), 40, 0.06)
    few, estimated = motion_of(arm_of_solids(), 40, 0.06, 4)
    assert len(few.state.q) < 0.2 * full.system.unknowns
    assert apart(few, full) < 1e-3
    assert estimated < 2e-3
    size = max(np.abs(one.force).max() for one in full.reactions.values())
    for name, reaction in full.reactions.items():
        np.testing.assert_allclose(few.reactions[name].force, reaction.force, atol=1e-3 * size)


def test_a_run_tells_of_its_shapes_and_a_file_keeps_them(tmp_path):
    """The run, with shapes computed and with those that a file has kept, and its summary."""
    data = four_bar() | {
        "analysis": {"kind": "transient", "duration": 0.05, "steps": 50},
        "probes": [{"name": "pin", "joint": "B", "quantity": "force", "component": "x"}],
        "output": {"formats": ["csv"], "every": 10},
    }
    computed = model_from_dict(data | {"reduction": {"modes": 3}})
    run_model(computed, output=tmp_path / "a")
    file = tmp_path / "shapes.h5"
    made = make_basis(model_from_dict(data | {"reduction": {"modes": 3}}), file)
    assert made.coordinates < made.unknowns
    kept = model_from_dict(data | {"reduction": {"modes": 3, "basis": str(file)}})
    run_model(kept, output=tmp_path / "b")
    one, other = (np.loadtxt(tmp_path / k / "probes.csv", delimiter=",", skiprows=1) for k in "ab")
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-9 * np.abs(one).max())
    figures = json.loads((tmp_path / "a" / "summary.json").read_text())["figures"]
    assert figures["coordinates"] == made.coordinates
    assert figures["equations of a step"] == made.coordinates - 9
    assert figures["error of the shapes, estimated"] < 0.1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"method": "modal"}, r"reduction.method: found modal with links"),
        ({"actuator": True}, r"reduction: found with \[\[actuators\]\]"),
        ({"kinematics": True}, r"reduction: found with links and analysis kinematics"),
    ],
)
def test_what_cannot_be_reduced_is_refused_by_its_key(changes, message):
    """Shapes that keep nothing, acting joints, no equations to reduce."""
    data = four_bar() | {
        "analysis": {"kind": "transient", "duration": 0.05, "steps": 50},
        "reduction": {"modes": 3},
    }
    if "method" in changes:
        data["reduction"] |= changes
    if "actuator" in changes:
        data["actuators"] = [{"name": "spring", "joint": "B", "stiffness": 1.0}]
    if "kinematics" in changes:
        data["analysis"] = {"kind": "kinematics", "duration": 0.05, "steps": 50}
    with pytest.raises(InputError, match=message):
        check_model(model_from_dict(data))
