# SPDX-License-Identifier: BSD-3-Clause
"""Probes of links and joints in transient analyses: positions in space, coordinates of joints."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

QUANTITIES = ("position", "velocity", "acceleration")
OF_JOINTS = ("coordinate", "velocity", "acceleration")
STIFF = elastic_links.SOFT | {"young": 4e13}
SMOOTH = "20*smooth_step(t, 0, 0.05)"


def of_link(link, component, **more):
    return [
        {"name": f"{link} {component} {one}", "link": link, "quantity": one, "component": component}
        | more
        for one in QUANTITIES
    ]


def of_joint(joint, **more):
    return [{"name": f"{joint} {one}", "joint": joint, "quantity": one} | more for one in OF_JOINTS]


def run(model, probes, folder, kind="transient", steps=60, **more):
    analysis = {"kind": kind, "duration": 0.06, "steps": steps} | more
    tables = model | {"probes": probes, "analysis": analysis, "output": {"formats": ["csv"]}}
    if kind == "kinematics":
        tables |= {"bodies": [], "planar": True}
    outcome = run_model(model_from_dict(tables), output=folder)
    return {one["name"]: np.array(outcome.probes[one["name"]].values) for one in probes}


def test_stiff_links_move_as_kinematics_say(tmp_path):
    """Links 10,000 times as stiff as plastic deviate from the kinematics by their deformation."""
    model = elastic_links.slider_crank(SMOOTH, materials={"m": STIFF})
    probes = [
        *of_link("crank", "y", point=[0.15, 0, 0]),
        *of_link("slider", "x"),
        *of_joint("wrist"),
        *of_joint("guide", component="slide"),
    ]
    elastic = run(model, probes, tmp_path / "transient")
    rigid = run(model, probes, tmp_path / "kinematics", kind="kinematics")
    for name, values in rigid.items():
        scale = np.abs(values).max()
        np.testing.assert_allclose(elastic[name], values, atol=1e-4 * scale, err_msg=name)
    # The crank has no body of finite stiffness between it and the motor.
    np.testing.assert_allclose(elastic["crank y position"], rigid["crank y position"], atol=1e-12)


@pytest.mark.parametrize("formalism", ["kane", *map(slow, ("lagrange", "hamilton"))])
def test_a_joint_knows_where_its_links_are(tmp_path, formalism):
    """The slide of the guide is x of the slider, deformation included, and so are its rates.

    The angle at the bearing is the driver's. Soft links deviate visibly from the kinematics.
    """
    model = elastic_links.slider_crank("150*smooth_step(t, 0, 0.02)")
    probes = [*of_link("slider", "x"), *of_joint("guide"), *of_joint("bearing")]
    found = run(model, probes, tmp_path / "a", formalism=formalism)
    rigid = run(model, probes[:1], tmp_path / "b", kind="kinematics")
    for one, other in zip(QUANTITIES, OF_JOINTS, strict=True):
        x, slide = found[f"slider x {one}"], found[f"guide {other}"]
        np.testing.assert_allclose(slide, x, atol=1e-9 * np.abs(x).max())
    apart = np.abs(found["slider x position"] - rigid["slider x position"]).max()
    assert apart > 1e-6
    assert found["bearing velocity"][-1] == pytest.approx(150.0, rel=1e-12)


def test_a_driven_coordinate_is_that_of_its_driver(tmp_path):
    """A soft rod, hinged at the ground, is pushed along a soft arm: J turns with both of them.

    Displacement and deformation of both ends add nothing to the slide or to its rates, whatever
    they are: ``J m = 0``, ``J m' + J' m = 0`` and ``J m'' + 2 J' m' + J'' m = 0``.
    """
    elbow = np.arccos(0.75)  # of the triangle with the sides 0.2, 0.2 and 0.3
    line, beam = elastic_links.line, elastic_links.beam
    model = {
        "mesh": {"blocks": {"arm": line(0.3), "rod": line(0.2)}},
        "materials": {"m": elastic_links.SOFT},
        "links": [
            {"name": "arm", "placement": {"angle": elbow}},
            {"name": "rod", "placement": {"position": [0.3, 0, 0], "angle": np.pi - elbow}},
        ],
        "bodies": [beam(name, "euler_beam_plane") for name in ("arm", "rod")],
        "joints": [
            {"name": "A", "kind": "revolute", "links": ["ground", "arm"],
             "at": [[0, 0, 0], "arm.xmin"]},
            {"name": "B", "kind": "revolute", "links": ["ground", "rod"],
             "at": [[0.3, 0, 0], "rod.xmin"]},
            {"name": "C", "kind": "point_on_line", "links": ["arm", "rod"],
             "at": ["arm.xmin", "rod.xmax"], "axis": [1, 0, 0]},
        ],
        "drivers": [{"name": "push", "joint": "C", "value": "0.2 + t + 50*t**3"}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
    }  # fmt: skip
    tip = {"name": "tip", "group": "arm.xmax", "component": "y"}
    found = run(model, [*of_joint("C"), *of_joint("A"), tip], tmp_path, steps=30)
    t = np.linspace(0, 0.06, 31)
    assert np.abs(found["tip"]).max() > 1e-5
    np.testing.assert_allclose(found["C coordinate"], 0.2 + t + 50 * t**3, rtol=1e-12)
    np.testing.assert_allclose(found["C velocity"], 1 + 150 * t**2, rtol=1e-10)
    np.testing.assert_allclose(found["C acceleration"], 300 * t, atol=1e-6)
    assert found["A coordinate"][0] == pytest.approx(elbow)


def test_rates_are_derivatives(tmp_path):
    """Velocities of coordinates are derivatives of their values, to the square of the step."""
    model = elastic_links.spatial_four_bar(loads=[])
    probes = [*of_joint("B", component="second_angle"), *of_joint("D", component="angle")]
    errors = []
    for steps in (100, 200):
        found = run(model, probes, tmp_path / str(steps), steps=steps, duration=0.1)
        h = 0.1 / steps
        rates = [
            np.abs((value[2:] - value[:-2]) / (2 * h) - rate[1:-1]).max() / np.abs(rate).max()
            for value, rate in (
                (found[f"{joint} coordinate"], found[f"{joint} velocity"]) for joint in "BD"
            )
        ]
        errors.append(max(rates))
    assert errors[1] < 1e-3
    assert errors[1] < 0.35 * errors[0]


def test_nodes_of_elastic_links_have_positions_in_space(tmp_path):
    """The pin of crank and rod is on the crank's circle, and the rod's other end at the slider."""
    model = elastic_links.slider_crank("150*smooth_step(t, 0, 0.02)")
    where = {"body": "rod", "quantity": "position"}
    probes = [
        {"name": f"{end} {c}", "group": f"rod.{end}", "component": c, **where}
        for end in ("xmin", "xmax")
        for c in "xy"
    ]
    probes += of_link("slider", "x") + of_joint("bearing")
    found = run(model, probes, tmp_path)
    angle = found["bearing coordinate"]
    np.testing.assert_allclose(found["xmin x"], 0.15 * np.cos(angle), atol=1e-12)
    np.testing.assert_allclose(found["xmin y"], 0.15 * np.sin(angle), atol=1e-12)
    np.testing.assert_allclose(found["xmax x"], found["slider x position"], atol=1e-12)
    np.testing.assert_allclose(found["xmax y"], 0.0, atol=1e-12)


def test_position_in_a_prescribed_frame(tmp_path):
    """A mass on a turntable: r = R(t) x, without joints."""
    model = {
        "mesh": {"points": {"a": [0.2, 0, 0], "b": [0.0, 0, 0]}},
        "masses": [{"name": "m", "group": "a", "mass": 1.0,
                    "frame": {"velocity": 10.0, "origin": {"velocity": [0.5, 0, 0]}}}],
        "supports": [{"group": "a", "components": ["x", "y"]}],
    }  # fmt: skip
    probes = [
        {"name": c, "group": "a", "quantity": "position", "component": c} for c in ("x", "y", "z")
    ]
    found = run(model, probes, tmp_path, steps=6)
    t = np.linspace(0, 0.06, 7)
    np.testing.assert_allclose(found["x"], 0.5 * t + 0.2 * np.cos(10 * t), atol=1e-14)
    np.testing.assert_allclose(found["y"], 0.2 * np.sin(10 * t), atol=1e-14)
    np.testing.assert_allclose(found["z"], 0.0, atol=1e-14)


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        ({"joint": "guide", "quantity": "coordinate", "component": "angle"},
         "component: found 'angle' of joint 'guide' .prismatic.; expected slide"),
        ({"joint": "guide", "quantity": "torque", "component": "x"},
         "found torque of a joint; expected one of force, moment, coordinate, velocity, "
         "acceleration; did you mean 'moment'"),
        ({"joint": "guide", "quantity": "coordinate", "axes": "joint"}, "axes: found with coord"),
        ({"joint": "gide", "quantity": "coordinate"}, "found the unknown joint 'gide'"),
        ({"link": "sliderr", "quantity": "position", "component": "x"}, "did you mean 'slider'"),
        ({"constraint": "motor", "quantity": "moment"},
         "found moment of a constraint; expected one of multiplier, torque, force"
         "; did you mean 'torque'"),
        ({"constraint": "motor", "quantity": "force"},
         "found force of driver 'motor', which drives the angle of joint 'bearing'; expected "
         "torque"),
        ({"constraint": "motor", "quantity": "torque", "component": "z"}, "component: found with"),
        ({"constraint": "motor"}, "quantity: missing of a constraint; expected one of multiplier"),
        ({"constraint": "motor", "quantity": "effort"},
         "quantity: found 'effort' of a constraint; expected one of multiplier, torque, force; did "
         "you mean 'torque'"),
        ({"joint": "pin", "quantity": "angle"},
         "found angle of a joint; .* did you mean 'coordinate'"),
        ({"driver": "motor", "quantity": "torque"},
         "driver: found one; expected constraint = .NAME., also of a driver"),
        ({"group": "rod.xmax", "quantity": "coordinate", "component": "x"},
         "found coordinate without joint"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(probe, message):
    """Every quantity belongs to some things; the message lists those of the given one."""
    analysis = {"kind": "transient", "duration": 0.1, "steps": 10}
    model = elastic_links.slider_crank(SMOOTH, analysis=analysis)
    with pytest.raises(InputError, match=message):
        model_from_dict(model | {"probes": [{"name": "p", **probe}]})


def test_torque_of_a_driver_is_its_multiplier(tmp_path):
    """Two names of one quantity, with the unit of the coordinate."""
    model = elastic_links.slider_crank(SMOOTH)
    probes = [
        {"name": one, "constraint": "motor", "quantity": one} for one in ("torque", "multiplier")
    ]
    found = run(model, probes, tmp_path)
    assert np.abs(found["torque"]).max() > 0.0
    np.testing.assert_array_equal(found["torque"], found["multiplier"])


@pytest.mark.parametrize("flipped", [False, True])
def test_sign_of_a_torque(tmp_path, flipped):
    """A bar held out along x against gravity -y: the motor turns it about +z with m g l / 2.

    It acts on the second link, so that the order of the links decides the sign.
    """
    links = ["bar", "ground"] if flipped else ["ground", "bar"]
    model = {
        "planar": True,
        "links": [{"name": "bar", "mass": 2.0, "inertia": [0.1], "centre": [0.3, 0, 0]}],
        "joints": [{"name": "A", "kind": "revolute", "links": links}],
        "drivers": [{"name": "motor", "joint": "A", "value": 0.0}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}],
    }
    probes = [{"name": "torque", "constraint": "motor", "quantity": "torque"}]
    found = run(model, probes, tmp_path, steps=2)
    sign = -1.0 if flipped else 1.0
    np.testing.assert_allclose(found["torque"], sign * 2.0 * 9.81 * 0.3, rtol=1e-12)


def test_exported_solvers_of_driven_links_say_that_they_have_none():
    """Coordinates of driven joints are not linear in the displacements; the message names it."""
    analysis = {"kind": "transient", "duration": 0.1, "steps": 10}
    probe = {"name": "p", "joint": "guide", "quantity": "coordinate"}
    model = elastic_links.slider_crank(SMOOTH, analysis=analysis, probes=[probe])
    with pytest.raises(InputError, match="probe 'p': found a coordinate of a joint of driven"):
        build_solver(model_from_dict(model))
