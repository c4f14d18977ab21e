# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms as C: the motion of the runtime, step by step; what cannot be reached is told."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.export.library import HEADERS
from linkages import Native
from marks import slow

sys.path.insert(0, str(Path(__file__).parents[1] / "mechanism"))
import mechanisms
from mechanisms import driver, joint, link, mechanism

#: As ``ff_model.h`` has them.
LOCKED, SINGULAR_POSITION, UNDEFINED = 5, 6, 2
#: Round-off of other compilers, relative to the largest of each kind.
TIGHT = 1e-12
EXTRA = ("-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Wpointer-arith", "-Wwrite-strings")

ROLLING = {
    "planar": True,
    "links": [link("carriage", (0, 0.4, 0)), link("wheel", (0, 0.4, 0))],
    "joints": [
        joint("rail", "prismatic", "ground", "carriage", [[0, 0.4, 0], [0, 0, 0]], axis=[1, 0, 0]),
        joint("road", "rolling", "ground", "wheel", radius=0.4),
        joint("axle", "point_on_line", "carriage", "wheel", axis=[0, 1, 0]),
    ],
    "drivers": [driver("rail", velocity="3*cos(2*t)", value0=0.2)],
}
GEARS = {
    "planar": True,
    "links": [link("a", angle=0.3), link("b", (1, 0, 0), -0.7), link("c", (1.4, -0.3, 0))],
    "joints": [
        joint("A", "revolute", "ground", "a"),
        joint("B", "revolute", "ground", "b", [[1, 0, 0], [0, 0, 0]]),
        joint("C", "revolute", "b", "c", [[0.5, 0, 0], [0, 0, 0]]),
    ],
    "gears": [{"name": "mesh", "joints": ["A", "B"], "ratio": -2.5}],
    "drivers": [
        driver("A", acceleration="30*cos(2*t) + 10", value0=0.3, velocity0=-1.0),
        driver("C", name="hand", velocity="2*cos(3*t)", value0=0.1),
    ],
}
RAMP = {"ramp": {"to": 9.0, "duration": 0.2, "start": 0.05}}
#: A mechanism, its span, and how many numbers of knots its drivers take.
MOVING = {
    "slider-crank": (mechanisms.slider_crank(), 0.1, 0),
    "spatial": (mechanisms.spatial_four_bar(), 1.5, 0),
    "ring": (mechanisms.twelve_bodies(), 2.0, 0),
    "gears": (GEARS, 2.0, 2),
    "rolling": (ROLLING, 2.0, 1),
    "ramp": (mechanisms.four_bar(velocity=RAMP, value0=0.5), 0.5, 0),
}


@pytest.fixture
def native(tmp_path):
    """Compile a mechanism in the folder of the test."""
    return lambda found, *more: Native(found, tmp_path, *more)


def agree(found, wanted, scales):
    """Whether motions are equal to round-off: frames and coordinates, each kind of its size."""
    for one, other, scale in zip(found, wanted, scales, strict=True):
        assert (np.abs(one - other) <= TIGHT * scale).all()


def scales_of(course):
    """Return the sizes of positions, rows of R, speeds, accelerations; of coordinates."""
    frames = np.abs(course.frames).max(axis=(0, 1, 3))[:, None]
    moved = np.abs(course.coordinates).max(axis=(0, 1))
    turning = np.array([1.0, *[frames[k].item() for k in (5, 7)]])
    # Rates of lengths and of angles stand side by side in coordinates.
    return np.maximum(frames, 1e-300), np.maximum(moved, turning)


@pytest.mark.parametrize("name", MOVING)
def test_motion_is_that_of_the_runtime(native, name):
    """Forward in equal steps, back in longer ones, by leaps, between knots that stay: to 1e-12."""
    data, span, knots = MOVING[name]
    model = mechanism(data, span)
    times = np.linspace(0.0, span, 121)
    course = model.solve(times)
    scales = scales_of(course)
    found = native(model)
    assert found.knots == knots
    assert found.start() == 0
    for k in (*range(121), *range(120, -1, -7), 120, 0):
        assert found.move(times[k]) == 0
        agree(found.motion, (course.frames[k], course.coordinates[k]), scales)
        for number, (_, *turn, _, w, a, e) in enumerate(found.motion[0]):
            np.testing.assert_array_equal(found.frame(number), np.concatenate([*turn, w, e, a]))
    before = found.state
    for k in (3, 40, 17):
        assert found.at(times[k]) == 0
        agree(found.motion, (course.frames[k], course.coordinates[k]), scales)
    np.testing.assert_array_equal(found.state, before)


def test_any_time_to_start_at(native):
    """From the position at t = 0 to another time at once, in as many steps as it takes."""
    data, span, _ = MOVING["slider-crank"]
    model = mechanism(data, span)
    course = model.solve(np.linspace(0.0, span, 201))
    found = native(model)
    for t in (span, -span):
        assert found.start(t) == 0
        frames = np.array([np.vstack([s.r_O, s.R, s.v_O, s.w, s.a_O, s.e]) for s in model.at(t)])
        agree(found.motion, (frames, model.coordinates_at(t)), scales_of(course))


def test_the_state_is_all_that_a_motion_goes_on_from(native):
    """Another instance with the same state takes the same steps, bit by bit."""
    found = native(mechanism(*MOVING["gears"][:2]))
    other = native(mechanism(*MOVING["gears"][:2]))
    assert found.start() == 0 and other.start() == 0
    for k in range(20):
        assert found.move(0.013 * k) == 0
    other.restore(found.state)
    for k in range(20, 30):
        assert found.move(0.013 * k) == other.move(0.013 * k) == 0
        np.testing.assert_array_equal(found.state, other.state)


def test_an_input_drives(native):
    """Value, rate and acceleration that are set make the motion of that polynomial."""
    crank = mechanisms.slider_crank() | {
        "drivers": [driver("bearing", value={"input": "turn", "start": 0.0})]
    }
    found = native(mechanism(crank))
    assert found.start() == 0
    assert found.set(0.0, 3.0, 8.0) == 0
    crank["drivers"] = [driver("bearing", value="3*t + 4*t**2")]
    times = np.linspace(0.0, 1.0, 51)
    course = mechanism(crank).solve(times)
    for k, t in enumerate(times):
        assert found.move(t) == 0
        agree(found.motion, (course.frames[k], course.coordinates[k]), scales_of(course))


@pytest.mark.parametrize("turn", [0.1, slow(2.0), -9.0])
def test_an_input_may_jump(native, turn):
    """At rest, after a jump of what drives: the position of a crank turned there step by step."""
    crank = mechanisms.slider_crank()
    crank |= {"drivers": [driver("bearing", value={"input": "turn", "start": 0.0})]}
    found = native(mechanism(crank))
    assert found.start() == 0
    assert found.set(turn) == 0
    assert found.at(0.0) == 0
    crank["drivers"] = [driver("bearing", value=f"{turn}*t")]
    course = mechanism(crank).solve(np.linspace(0.0, 1.0, 101))
    frames, coordinates = found.motion
    scales = scales_of(course)
    agree((frames[:, :4], coordinates[:, :1]),
          (course.frames[-1, :, :4], course.coordinates[-1, :, :1]),
          (scales[0][:4], scales[1][:1]))  # fmt: skip
    assert not frames[:, 4:].any()
    assert found.move(0.001) == 0


def test_an_input_given_as_a_velocity_is_integrated(native):
    """A velocity of 2 + 3 t rad/s, told in two pieces: the angle that it integrates to."""
    crank = mechanisms.slider_crank() | {
        "drivers": [driver("bearing", velocity={"input": "speed", "start": 2.0})]
    }
    found = native(mechanism(crank))
    assert found.knots == 1
    assert found.start() == 0
    assert found.set(2.0, 3.0) == 0
    for t in (0.2, 0.5):
        assert found.move(t) == 0
    assert found.set(3.5, 3.0) == 0
    for t in (0.7, 1.0):
        assert found.move(t) == 0
    wanted = [2.0 + 1.5, 5.0, 3.0]
    np.testing.assert_allclose(found.motion[1][0], wanted, rtol=TIGHT)


def test_a_mechanism_that_locks_stays_where_it_is(native):
    """Beyond the longest diagonal the code says so, and no bit of the state has changed."""
    model = mechanism(mechanisms.four_bar((4.0, 2.0, 2.5, 2.5), value="0.5 + t"), 0.5)
    # The diagonal from crank pin to the rocker's bearing is then coupler + rocker, 5 m.
    when = np.arccos((4.0**2 + 2.0**2 - 5.0**2) / 16.0) - 0.5
    found = native(model)
    assert found.start() == 0
    assert found.move(when - 1e-4) == 0
    before = found.state
    for t in (when + 1e-4, when + 1.0):
        # In line it is in a singular position as well: either is told.
        assert found.move(t) in (LOCKED, SINGULAR_POSITION)
        np.testing.assert_array_equal(found.state, before)
        assert found.at(t) in (LOCKED, SINGULAR_POSITION)
        np.testing.assert_array_equal(found.state, before)
    assert found.move(0.1) == 0


def test_a_singular_position_is_told(native):
    """A parallelogram in line could go on in two ways; the state is as before."""
    data = mechanisms.four_bar((4.0, 1.0, 4.0, 1.0), value="0.5 + t")
    data["links"][1]["placement"] |= {"position": [0.9, 0.5, 0], "angle": 0.0}
    data["links"][2]["placement"]["angle"] = 0.5
    found = native(mechanism(data, 1.0))
    assert found.start() == 0
    times = np.linspace(0.0, 4.0, 42)
    flat = int(np.searchsorted(times, np.pi - 0.5))
    assert [found.move(t) for t in times[:flat]] == [0] * flat
    before = found.state
    assert found.move(times[flat]) == SINGULAR_POSITION
    np.testing.assert_array_equal(found.state, before)


def test_a_driver_without_a_value_is_told(native):
    """The root of what is negative: UNDEFINED, and the state is as before."""
    found = native(
        mechanism(
            mechanisms.slider_crank() | {"drivers": [driver("bearing", velocity="sqrt(0.5 - t)")]},
            0.4,
        )
    )
    assert found.start() == 0
    before = found.state
    assert found.move(0.6) == UNDEFINED
    np.testing.assert_array_equal(found.state, before)


def test_elastic_kernels_are_those_of_the_runtime(native):
    """J, J' and J'' of every joint in a position of the motion."""
    model = mechanism(mechanisms.spatial_four_bar())
    states = model.at(0.4)
    found = native(model)
    for number, one in enumerate(model.joints):
        frames = [None if k < 0 else states[k] for k in one.links]
        wanted = one.evaluate("elastic", *frames)
        both = np.zeros((2, 8, 3))
        both[:, 1:4] = np.eye(3)
        for side, s in enumerate(frames):
            if s is not None:
                both[side] = np.vstack([s.r_O, s.R, s.v_O, s.w, s.a_O, s.e])
        rows = found.elastic(number, both, len(wanted))
        np.testing.assert_allclose(rows, wanted, rtol=0, atol=TIGHT * np.abs(wanted).max())


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_sources_compile_without_a_warning(native, compiler):
    """With every warning of conversions; and nothing is seen from outside but the caller's."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    found = native(mechanism(ROLLING), compiler, EXTRA)
    assert found.start() == 0
    said = subprocess.run(["nm", "-gD", "--defined-only", str(found.path)], check=True,
                          capture_output=True, text=True)  # fmt: skip
    assert not [line for line in said.stdout.splitlines() if " ff_" in line]


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_the_equations_compile_as_cpp(compiler, tmp_path):
    """The headers of the equations are C++ as well."""
    if not shutil.which(compiler):
        pytest.skip(f"{compiler} is not installed")
    text = tmp_path / "main.cpp"
    text.write_text('#include "ff_linkage_step.h"\nint main() { return 0; }\n', encoding="ascii")
    subprocess.run([compiler, "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *EXTRA[:2],
                    f"-I{HEADERS}", "-fsyntax-only", str(text)], check=True)  # fmt: skip
