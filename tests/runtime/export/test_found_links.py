# SPDX-License-Identifier: BSD-3-Clause
"""Links whose motion is found as C libraries and FMUs: forces are inputs, motions outputs."""

from __future__ import annotations

import ctypes
from functools import partial

import numpy as np
import pytest
from exported import Library, compile_shared, write
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from fmpy import simulate_fmu
from fmpy.validation import validate_fmu
from fmus import Instance, unpacked
from marks import slow

STEEL = {"m": {"young": 2e11, "poisson": 0.3, "density": 7800.0, "damping": {"beta": 1e-4}}}
DOWN = [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}]
END, STEPS = 0.2, 100
RUN = {"kind": "transient", "duration": END, "steps": STEPS}


def probe(name, quantity, **where):
    """Return the table of a probe."""
    return {"name": name, "quantity": quantity, **where}


def hinge(name, one, two, at=([0, 0, 0], [0, 0, 0]), axis=(0, 0, 1)):
    """Return the table of a hinge."""
    return {"name": name, "kind": "revolute", "links": [one, two], "at": list(at),
            "axis": list(axis)}  # fmt: skip


def bar(name, position, mass=2.0):
    """Return the table of a rigid bar of 1 m along x."""
    return {"name": name, "mass": mass, "centre": [0.5, 0, 0],
            "inertia": [0.01 * mass, mass / 12, mass / 12],
            "placement": {"position": position}}  # fmt: skip


def pendulum():
    """Two bars in space; a motor that is told its torque, a brake by a formula, a controller."""
    return {
        "links": [bar("a", [0, 0, 0]), bar("b", [1, 0, 0])],
        "joints": [hinge("pin", "ground", "a"), hinge("elbow", "a", "b", ([1, 0, 0], [0, 0, 0]),
                                                      (0, 1, 0))],
        "actuators": [
            {"name": "brake", "joint": "elbow", "inputs": {"grip": 0.5, "stiff": 3.0},
             "law": "-grip*tanh(20*x_dot) - stiff*x*(1 + t) + lag*pin_dot",
             "coordinates": {"pin": {"joint": "pin"}}},
            {"name": "motor", "joint": "pin", "force": {"input": "torque", "start": 1.5}},
        ],
        "controllers": [{"name": "lag", "rate": "20*(q - lag)", "start": 0.2,
                         "coordinates": {"q": {"joint": "elbow"}}}],
        "loads": [{"kind": "gravity", "acceleration": [0, -9.81, 3.0]}], "analysis": RUN,
        "probes": [
            probe("angle", "coordinate", joint="pin"), probe("rate", "velocity", joint="elbow"),
            probe("push", "acceleration", joint="pin"),
            *(probe(quantity, quantity, link="b", point=[1, 0, 0.1], component="y")
              for quantity in ("position", "velocity", "acceleration")),
            probe("away", "position", link="b", component="magnitude"),
            probe("force", "force", joint="elbow", component="magnitude"),
            probe("moment", "moment", joint="elbow", component="x", axes="joint"),
            probe("lag", "state", controller="lag"), probe("fold", "coordinate", joint="elbow"),
            probe("folding", "acceleration", joint="elbow"),
        ],
    }  # fmt: skip


def arm():
    """A driven column bears two elastic tubes in space, and a gear makes the second follow."""
    line = {"cell": "line2", "corners": [[0, 0, 0], [0.5, 0, 0]], "divisions": [3]}
    tube = {"element": "timoshenko_beam", "material": "m",
            "section": {"shape": "tube", "diameter": 0.03, "wall": 0.002}}  # fmt: skip
    return {
        "mesh": {"blocks": {"one": line, "two": line}}, "materials": STEEL,
        "links": [{"name": "column"}, {"name": "one"},
                  {"name": "two", "placement": {"position": [0.5, 0, 0]}}],
        "bodies": [{"name": k, "cells": k, "frame": k, **tube} for k in ("one", "two")],
        "supports": [{"group": f"{k}.xmin"} for k in ("one", "two")],
        "joints": [
            hinge("base", "ground", "column", axis=(0, 1, 0)),
            hinge("shoulder", "column", "one", ([0, 0, 0], "one.xmin")),
            hinge("elbow", "one", "two", ("one.xmax", "two.xmin")),
        ],
        "drivers": [{"name": "turn", "joint": "base", "value": "0.3*sin(4*t)"}],
        "gears": [{"name": "belt", "joints": ["elbow", "shoulder"], "ratio": -1.5}],
        "loads": [*DOWN, {"kind": "force", "group": "two.xmax", "total": [0, 5, 5],
                          "frame": "global", "amplitude": "t"}],
        "reduction": {"modes": 4}, "analysis": RUN,
        "probes": [
            probe("angle", "coordinate", joint="elbow"),
            probe("push", "acceleration", joint="elbow"),
            probe("tip", "position", group="two.xmax", component="y"),
            probe("bend", "displacement", group="one.xmax", component="magnitude"),
            probe("shake", "acceleration", group="one.xmax", component="y"),
            probe("stress", "section_force", body="one", component="Mz", point=[0.1, 0, 0]),
            probe("drive", "multiplier", constraint="turn"),
            probe("belt", "multiplier", constraint="belt"),
            probe("force", "force", joint="shoulder", component="y"),
        ],
    }  # fmt: skip


def four_bar():
    """Return a parallel crank in space, whose hinges are redundant; the coupler is elastic."""
    rods = [bar("left", [0, 0, 0]), bar("right", [0.8, 0, 0])]
    for one in rods:
        one["placement"] |= {"axis": [0, 0, 1], "angle": 1.0}
    top = [float(np.cos(1.0)), float(np.sin(1.0)), 0.0]
    line = {"cell": "line2", "corners": [[0, 0, 0], [0.8, 0, 0]], "divisions": [2]}
    return {
        "mesh": {"blocks": {"coupler": line}}, "materials": STEEL,
        "links": [*rods, {"name": "coupler", "placement": {"position": top}}],
        "bodies": [{"name": "coupler", "element": "euler_beam", "material": "m",
                    "section": {"shape": "round", "diameter": 0.02}, "frame": "coupler"}],
        "joints": [
            hinge("A", "ground", "left"), hinge("D", "ground", "right", ([0.8, 0, 0], [0, 0, 0])),
            hinge("B", "left", "coupler", ([1, 0, 0], "coupler.xmin")),
            hinge("C", "right", "coupler", ([1, 0, 0], "coupler.xmax")),
        ],
        "loads": DOWN, "analysis": RUN,
        "probes": [probe("angle", "coordinate", joint="A"),
                   probe("middle", "position", link="coupler", component="y"),
                   probe("force", "force", joint="B", component="magnitude")],
    }  # fmt: skip


def skate():
    """Return an elastic beam in the plane whose one end glides on a blade that is steered."""
    line = {"cell": "line2", "corners": [[0, 0], [0.6, 0]], "divisions": [3]}
    known = {"c": {"joint": "ice", "coordinate": "angle"},
             "x": {"joint": "ice", "coordinate": "slide"},
             "y": {"joint": "ice", "coordinate": "second_slide"}}  # fmt: skip
    return {
        "mesh": {"blocks": {"beam": line}}, "materials": STEEL,
        "links": [{"name": "beam", "velocity": [2, 0, 0], "angular_velocity": [0, 0, 1.5]}],
        "bodies": [{"name": "beam", "element": "euler_beam_plane", "material": "m",
                    "section": {"shape": "round", "diameter": 0.01}, "frame": "beam"}],
        "joints": [{"name": "ice", "kind": "free", "links": ["ground", "beam"],
                    "at": [[0, 0, 0], "beam.xmin"]}],
        "controllers": [{"name": "way", "rate": "x_dot", "coordinates": {"x": known["x"]}}],
        "constraints": [{"name": "edge", "equation": "sin(c)*x_dot - cos(c)*y_dot + 0.1*t",
                         "coordinates": known}],
        "actuators": [{"name": "steer", "joint": "ice", "coordinate": "angle",
                       "force": {"input": "steer", "start": 0.3}}],
        "analysis": RUN,
        "probes": [probe("angle", "coordinate", joint="ice", component="angle"),
                   probe("tip", "position", group="beam.xmax", component="y"),
                   probe("bend", "displacement", group="beam.xmax", component="y"),
                   probe("edge", "multiplier", constraint="edge"),
                   probe("way", "state", controller="way")],
    }  # fmt: skip


def by(formalism, model):
    """Return a model whose steps are of independent speeds, or of momenta."""
    return model() | {"analysis": RUN | {"formalism": formalism}}


MODELS = {"pendulum": pendulum, "arm": arm, "four_bar": four_bar, "skate": skate}
MODELS |= {
    **{f"{name}_by_speeds": partial(by, "kane", model) for name, model in MODELS.items()},
    "arm_by_momenta": partial(by, "hamilton", arm),
}
#: By independent speeds one model is quick.
LIKE_OTHERS = (
    "pendulum",
    "pendulum_by_speeds",
    "arm",
    "arm_by_speeds",
    "skate_by_speeds",
    "four_bar",
)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """The models, each compiled when it is first wanted."""

    class Compiled(dict):
        def __missing__(self, name):
            solver = build_solver(model_from_dict(MODELS[name]()), name)
            folder = write(library_files(solver), tmp_path_factory.mktemp(name))
            self[name] = Library(compile_shared(folder, name), solver)
            return self[name]

    return Compiled()


@pytest.mark.filterwarnings("ignore:.*redundant")
@pytest.mark.parametrize("name", [slow(name) if name in LIKE_OTHERS else name for name in MODELS])
def test_a_library_moves_as_the_run_does(libraries, name, tmp_path):
    """All probes at all times, by the same C without flexforge."""
    outcome = run_model(model_from_dict(MODELS[name]()), output=tmp_path)
    wanted = np.array([one.values for one in outcome.probes.values()])
    instance = libraries[name].create()
    found = [instance.get()]
    for _ in range(STEPS):
        assert instance.step(END / STEPS) == 0
        found.append(instance.get())
    sizes = np.abs(wanted).max(axis=1)
    np.testing.assert_allclose(np.transpose(found), wanted, atol=1e-8 * sizes.max(), rtol=1e-7)
    assert (np.ptp(wanted, axis=1) > 1e-6 * sizes).sum() >= len(wanted) - 1  # they move


def test_a_torque_accelerates_by_the_inertia(libraries):
    """A bar about its pin, the other one at right angles to the axis: Newton, and by the input."""
    instance = libraries["pendulum"].create()
    before = instance.get()[2]
    assert instance.set(0, 2.5) == 0 and instance.call("settle") == 0
    # Stretched out: two bars as one about the pin, 2/3 + (2/12 + 2 * 1.5^2) kg m^2.
    assert instance.get()[2] - before == pytest.approx(1.0 / (2 / 3 + 2 / 12 + 4.5), rel=1e-9)


def test_laws_are_told_inputs(libraries):
    """A stiffness that is an input: the second bar, 2/3 kg m^2, is accelerated by its torque."""
    library = libraries["pendulum"]
    assert [one.name for one in library.solver.inputs] == ["torque", "grip", "stiff"]
    instance = library.create()
    assert instance.advance(0.1) == 0
    before = instance.get()
    found = []
    for stiff in (5.0, 7.0):
        assert instance.set(2, stiff) == 0 and instance.call("settle") == 0
        found.append(instance.get()[-1])
    assert np.array_equal(instance.get()[:2], before[:2])  # the motion goes on from where it is
    assert found[1] - found[0] == pytest.approx(-2.0 * before[-2] * 1.1 / (2 / 3), rel=1e-9)
    assert abs(before[-2]) > 1e-2


def test_forces_may_be_balanced_between_steps_of_momenta(libraries):
    """As an FMU does after its inputs were set: the steps stay what they were."""
    one, other = (libraries["arm_by_momenta"].create() for _ in range(2))
    for _ in range(STEPS):
        assert one.step(END / STEPS) == 0
        assert other.call("settle") == other.step(END / STEPS) == 0
    positions = [0, 2, 3]
    np.testing.assert_allclose(other.get()[positions], one.get()[positions], rtol=1e-9)


@pytest.mark.parametrize("name", ["skate", slow("arm"), slow("arm_by_speeds"), "arm_by_momenta"])
def test_a_state_is_kept_and_gone_on_from(libraries, name):
    """The whole state in one array: the same steps to the same bits."""
    library = libraries[name]
    instance, other = library.create(), library.create()
    instance.advance(0.05)
    kept = instance.state()
    instance.advance(0.1)
    assert other.call("set_state", kept) == 0
    other.advance(0.1)
    assert np.array_equal(instance.get(), other.get())


def test_settling_costs_no_order(libraries):
    """Accelerations of the same forces once more, before every step: the motion to h^2."""
    apart = []
    for steps in (100, 200):
        ours, other = (libraries["skate"].create() for _ in range(2))
        for _ in range(steps):
            assert other.call("settle") == 0
            assert ours.step(END / steps) == other.step(END / steps) == 0
        apart.append(np.abs(other.get() - ours.get())[:2])
    assert (apart[0] > 3.5 * apart[1]).all()


@pytest.mark.parametrize("name", ["four_bar_by_speeds", slow("four_bar")])
@pytest.mark.parametrize("seed", range(8))
def test_places_are_moved_onto_the_joints(libraries, name, seed):
    """Coordinates that violate joints, and quaternions that are no rotations, are corrected.

    The elastic ends, which have hardly any mass, vibrate far too fast for the steps. Their
    stiffness by stress is linear in the displacements: there are meaningless equilibria at 0.2 m,
    which steps of 2 ms reach from one such state in a hundred, and steps of 1 ms from none of 600.
    """
    library = libraries[name]
    instance = library.create()
    rng = np.random.default_rng(seed)
    places, speeds = instance.coordinates(0), instance.coordinates(1)
    off = places + 1e-4 * rng.normal(size=len(places))
    wrong = 0.1 * rng.normal(size=len(speeds))
    pointers = (np.ascontiguousarray(one).ctypes.data_as(ctypes.c_void_p) for one in (off, wrong))
    assert instance.call("set_coordinates", *pointers) == 0
    found = instance.coordinates(0)
    quaternions = found[:21].reshape(3, 7)[:, 3:]
    assert np.allclose(np.linalg.norm(quaternions, axis=1), 1.0, atol=1e-14)
    assert 1e-5 < np.abs(found - places)[:21].max() < 1e-3  # elastic ends have hardly any mass
    assert not any(instance.advance(time) for time in np.linspace(0.001, 0.1, 100))
    bar_ends = [_turned(one, [1.0, 0, 0]) for one in instance.coordinates(0)[:14].reshape(2, 7)]
    assert abs(np.linalg.norm(bar_ends[1] - bar_ends[0]) - 0.8) < 1e-3  # the elastic coupler
    assert np.abs(instance.coordinates(0)[21:]).max() < 0.05


def _turned(pose, point):
    s, v = pose[3], pose[4:]
    return pose[:3] + point + 2.0 * np.cross(v, s * np.array(point) + np.cross(v, point))


@pytest.fixture(scope="module", params=[2, pytest.param(3, marks=pytest.mark.slow)])
def fmu(request, libraries, tmp_path_factory):
    """The pendulum as an FMU: its version and path."""
    folder = tmp_path_factory.mktemp("fmu")
    solver = libraries["pendulum"].solver
    return request.param, unpacked(solver, request.param, folder / "pendulum.fmu")


def test_an_fmu_is_told_torques(libraries, fmu):
    """The motion is the library's; derivatives are those of the inertia, and of the brake's law."""
    library, (version, path) = libraries["pendulum"], fmu
    assert not validate_fmu(str(path))
    instance, native = Instance(version, path).begin(), library.create()
    for k in range(1, 21):
        torque = 3.0 * np.sin(k)
        instance.set("torque", torque)
        native.set(0, torque)
        native.call("settle")
        instance.fmu.doStep(currentCommunicationPoint=(k - 1) * 0.005, communicationStepSize=0.005)
        native.advance(k * 0.005)
    np.testing.assert_allclose(instance.outputs(), native.get(), rtol=1e-8)
    exact = instance.slope(["push"], ["torque"], [1.0])
    native.set(0, torque + 100.0)
    native.call("settle")
    after = native.get()[2]
    native.set(0, torque)
    native.call("settle")
    assert exact[0] == pytest.approx((after - native.get()[2]) / 100.0, rel=1e-6)
    # Along the speed w of the elbow, which is a state: m l^2 / 3 w' = -grip tanh(20 w) and more.
    speed, slopes = 0.02, []
    instance.set("state[25]", speed)
    for grip in (0.5, 0.0):
        instance.set("grip", grip)
        slopes.append(instance.slope(["folding"], ["state[25]"], [1.0])[0])
    braked = -0.5 * 20.0 / np.cosh(20.0 * speed) ** 2 / (2.0 / 3.0)
    assert slopes[0] - slopes[1] == pytest.approx(braked, rel=1e-10)


def test_what_is_not_exported_is_said():
    """A link with too many coordinates."""
    line = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [40]}
    model = arm()
    model["mesh"]["blocks"]["one"] = line
    del model["reduction"]
    with pytest.raises(
        InputError, match="link 'one': found 240 elastic coordinates; expected at m"
    ):
        build_solver(model_from_dict(model))


def test_another_integrator_takes_the_steps(libraries, fmu):
    """Model exchange: poses are states; CVode moves them as our steps do, joints stay closed."""
    library, (_, path) = libraries["pendulum"], fmu
    found = simulate_fmu(
        str(path.with_suffix("")), fmi_type="ModelExchange", stop_time=END, relative_tolerance=1e-9,
        output_interval=END / 20, start_values={"torque": 1.5},
    )  # fmt: skip
    names = [one.name for one in library.solver.outputs]
    errors = []
    for steps in (100, 200):
        instance = library.create()
        for _ in range(steps):
            assert instance.step(END / steps) == 0
        errors.append(instance.get() - np.array([found[name][-1] for name in names]))
    positions = [k for k, name in enumerate(names) if name in ("angle", "rate", "position")]
    shrunk = np.abs(errors[1][positions] / errors[0][positions])
    assert shrunk == pytest.approx(0.25, abs=0.03)  # our steps are of second order
    # Two bars of one metre, the second from the end of the first: a length that no joint changes.
    assert found["away"][-1] == pytest.approx(1.0, abs=1e-7)
