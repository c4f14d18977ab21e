# SPDX-License-Identifier: BSD-3-Clause
"""Modes of links about a steady motion, against closed forms and the analysis of driven frames."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from swinging import G, pin, slide
from vibrating import DENSITY, YOUNG, beam, modes, run

ARM = 0.6  # m
VERTICAL = [{"kind": "gravity", "acceleration": [0.0, 0.0, -G]}]


def turntable(speed, angle, **keys):
    """Return a particle on an arm that hinges on a driven table, from straight down at pi / 2."""
    small = [1e-9] * 3
    return {
        "links": [
            {"name": "table", "mass": 1.0, "inertia": [1.0, 1.0, 1.0]},
            {"name": "arm", "mass": 2.0, "inertia": small, "centre": [ARM, 0, 0],
             "placement": {"axis": [0, 1, 0], "angle": angle}},
        ],
        "joints": [
            {"name": "axle", "kind": "revolute", "links": ["ground", "table"]},
            {"name": "hinge", "kind": "revolute", "links": ["table", "arm"], "axis": [0, 1, 0]},
        ],
        "drivers": [{"name": "motor", "joint": "axle", "velocity": speed}],
        "probes": [{"name": "angle", "joint": "hinge", "quantity": "coordinate"}],
        "loads": VERTICAL, **keys,
    }  # fmt: skip


@pytest.mark.parametrize("speed", [3.0, 5.0])
def test_hanging_arm_loses_its_stability_where_omega_squared_is_g_by_l(speed, tmp_path):
    """Squares of frequency: g / l - Omega^2, at 4.04 rad/s zero."""
    figures = run(turntable(speed, np.pi / 2), tmp_path)[0].figures
    square = G / ARM - speed**2
    if square > 0.0:
        assert figures["mode 1"][0] == pytest.approx(np.sqrt(square) / (2.0 * np.pi), rel=1e-8)
        assert "growth of mode 1" not in figures
    else:
        assert figures["mode 1"][0] == 0.0
        assert figures["growth of mode 1"][0] == pytest.approx(np.sqrt(-square), rel=1e-8)


def test_governor_stands_and_vibrates_at_its_angle(tmp_path):
    """cos = g / (l Omega^2) from the vertical; the frequency there is Omega sin."""
    speed = 6.0
    outcome, frequencies, _ = run(turntable(speed, 0.6), tmp_path)
    cosine = G / (ARM * speed**2)
    angle = np.pi / 2 - np.arccos(cosine)
    assert outcome.figures["angle"][0] == pytest.approx(angle, abs=1e-7)
    assert 2.0 * np.pi * frequencies == pytest.approx([speed * np.sqrt(1 - cosine**2)], rel=1e-8)
    assert outcome.figures["steady angular velocity"] == [pytest.approx(speed, rel=1e-12), "rad/s"]


@pytest.mark.parametrize("speed", [3.0, 7.0])
@pytest.mark.parametrize("damping", [0.0, 0.8])
def test_rotor_whirls_below_and_above_its_critical_speed(speed, damping, tmp_path):
    """z'' + (2 i Omega + c / m) z' + (omega^2 - Omega^2) z = 0: internal damping feeds above it."""
    mass, own = 2.0, 5.0
    spring = {"stiffness": mass * own**2, "damping": damping}
    tables = {
        "planar": True,
        "links": [{"name": "disc", "mass": 1.0, "inertia": [1.0]},
                  {"name": "slide", "mass": 1e-12, "inertia": [1e-12]},
                  {"name": "mass", "mass": mass, "inertia": [0.5]}],
        "joints": [pin("axle", "ground", "disc", [0, 0, 0]),
                   slide("x", "slide") | {"links": ["disc", "slide"]},
                   slide("y", "mass") | {"links": ["slide", "mass"], "axis": [0, 1, 0]}],
        "drivers": [{"name": "motor", "joint": "axle", "velocity": speed}],
        "actuators": [{"name": "sx", "joint": "x", **spring},
                      {"name": "sy", "joint": "y", **spring}],
    }  # fmt: skip
    figures = run(tables, tmp_path)[0].figures
    roots = np.roots([1.0, 2j * speed + damping / mass, own**2 - speed**2])
    for k, root in enumerate(sorted(roots, key=lambda one: abs(one.imag)), start=1):
        assert 2.0 * np.pi * figures[f"mode {k}"][0] == pytest.approx(abs(root.imag), rel=1e-9)
        growth = figures.get(f"growth of mode {k}", [0.0])[0]
        assert growth == pytest.approx(max(root.real, 0.0), rel=1e-9, abs=1e-12)
        ratio = figures.get(f"damping ratio of mode {k}", 0.0)
        assert ratio == pytest.approx(max(-root.real, 0.0) / abs(root), rel=1e-9, abs=1e-12)


def test_arm_in_the_plane_of_a_table_swings_with_its_speed(tmp_path):
    """Lead and lag of a particle on a hinge at radius e: Omega sqrt(e / l)."""
    arm = {"name": "arm", "mass": 1.0, "inertia": [1e-12], "centre": [ARM, 0, 0],
           "placement": {"position": [0.3, 0, 0], "angle": 0.2}}  # fmt: skip
    tables = {
        "planar": True, "links": [{"name": "table", "mass": 1.0, "inertia": [1.0]}, arm],
        "joints": [pin("axle", "ground", "table", [0, 0, 0]),
                   pin("hinge", "table", "arm", [[0.3, 0, 0], [0, 0, 0]])],
        "drivers": [{"name": "motor", "joint": "axle", "velocity": 4.0}],
    }  # fmt: skip
    frequencies = run(tables, tmp_path)[1]
    assert 2.0 * np.pi * frequencies == pytest.approx([4.0 * np.sqrt(0.3 / ARM)], rel=1e-9)


def test_arm_on_a_table_that_nothing_drives_exchanges_momentum_with_it(tmp_path):
    """A zero frequency of the turn, and Omega^2 sin^2 (1 + 4 cos^2 m r^2 / (I + m r^2))."""
    speed, table, mass = 6.0, 1.0, 2.0
    tables = turntable(speed, 0.6, drivers=[])
    tables["joints"][0]["start_velocity"] = {"angle": speed}
    tables["links"][1]["angular_velocity"] = [0.0, 0.0, speed]
    figures = run(tables, tmp_path)[0].figures
    cosine = G / (ARM * speed**2)
    sine = np.sqrt(1.0 - cosine**2)
    turned = mass * ARM**2 * sine**2  # about the axle
    square = speed**2 * (sine**2 + 4.0 * cosine**2 * turned / (table + turned))
    assert figures["gyroscopic"]
    assert figures["mode 1"][0] == 0.0
    assert figures["mode 2"][0] == pytest.approx(np.sqrt(square) / (2.0 * np.pi), rel=1e-8)


@pytest.mark.parametrize("angle", [0.3, 1.2])
def test_conical_pendulum_oscillates_about_the_motion_nearest(angle, tmp_path):
    """A ball at the end of an arm on a ball joint, on its circle or hanging.

    With epsilon, the part of its own inertia in that about the joint, its frequencies are Omega
    sqrt(1 + ((2 - epsilon)^2 - 1) cos^2), and Omega less both roots of x^2 - epsilon Omega x = g'.
    It hangs where it is placed near the vertical, and swings there as seen from what turns.
    """
    speed, own = 6.0, 1e-3
    arm = turntable(speed, angle)["links"][1]
    arm |= {"inertia": [own] * 3, "angular_velocity": [0.0, 0.0, speed]}
    joint = {"name": "hook", "kind": "spherical", "links": ["ground", "arm"]}
    found = run({"links": [arm], "joints": [joint], "loads": VERTICAL}, tmp_path)[1]
    whole = own + arm["mass"] * ARM**2
    cosine, part = G / (ARM * speed**2), own / whole
    square = 1.0 + ((2.0 - part) ** 2 - 1.0) * cosine**2
    expected = [0.0, 0.0, speed * np.sqrt(square)]  # it turns, and spins
    if angle > 1.0:
        swinging = np.roots([1.0, -part * speed, -arm["mass"] * G * ARM / whole])
        expected = [0.0, *np.sort(speed - swinging)]
    assert 2.0 * np.pi * found == pytest.approx(expected, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_spinning_body_grows_about_its_middle_axis_only(axis, tmp_path):
    """Euler's equations: squares Omega^2 (C - A)(C - B) / (A B), C about the axis of spin."""
    inertia, speed = np.array([1.0, 2.0, 2.5]), 5.0
    spin = np.zeros(3)
    spin[axis] = speed
    body = {"name": "body", "mass": 2.0, "inertia": inertia.tolist(),
            "angular_velocity": spin.tolist(), "placement": {"position": [0.3, 0.4, 0.5]},
            }  # fmt: skip
    figures = run({"links": [body]}, tmp_path)[0].figures
    own, others = inertia[axis], np.delete(inertia, axis)
    square = speed**2 * np.prod(own - others) / np.prod(others)
    growth = figures.get("growth of mode 1", [0.0])[0]
    assert growth == pytest.approx(np.sqrt(max(-square, 0.0)), rel=1e-9)
    if square > 0.0:
        found = [figures[f"mode {k}"][0] for k in range(1, 7)]
        wanted = np.sqrt(square) / (2.0 * np.pi)
        assert np.abs(np.array(found) - wanted).min() < 1e-9 * wanted
        # Seen from the body, what is at rest in space turns: two places, and the tilt of the axis.
        # As places may drift, those are double roots, which round-off splits by its square root.
        assert np.isclose(found, speed / (2.0 * np.pi), rtol=1e-6).sum() >= 3


def test_turning_beam_has_the_modes_of_a_driven_frame(tmp_path):
    """A clamped rod on a driven link, in and out of the plane, as far as it is stretched.

    At 20 rad/s centrifugal forces stretch it by rho (Omega l)^2 / (3 E), 5e-5, which only the link
    counts in its inertia.
    """
    tables = beam(
        12, "euler_beam", analysis=modes(4),
        supports=[{"group": "b.xmin", "components": ["x", "y", "z", "rx", "ry", "rz"]}],
    )  # fmt: skip
    link = tables | {
        "joints": [{"name": "p", "kind": "revolute", "links": ["ground", "l"],
                    "at": [[0, 0, 0], "b.xmin"]}],
        "drivers": [{"name": "motor", "joint": "p", "velocity": 20.0}],
    }  # fmt: skip
    found = run(link, tmp_path)[1]
    frame = {key: one for key, one in tables.items() if key != "links"}
    frame["bodies"] = [tables["bodies"][0] | {"frame": {"axis": [0, 0, 1], "velocity": 20.0}}]
    expected = run(frame, tmp_path)[1]
    assert found == pytest.approx(expected, rel=DENSITY * 20.0**2 / (3.0 * YOUNG))
    assert expected[1] - expected[0] > 0.05 * expected[0]  # 20 rad/s stiffen and soften


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"loads": [{"kind": "gravity", "acceleration": [0.0, -1.0, -G]}]},
         "forces that change as they turn: by a moment of .* on link 'arm'"),
        ({"drivers": [{"name": "motor", "joint": "axle", "value": "3*t + t**2"}]},
         "driver 'motor': does not allow that all links turn steadily"),
        ({"drivers": [{"name": "motor", "joint": "axle", "value": "t**2"}]},
         "driver 'motor': found an acceleration of 2 at t = 0 with modes"),
        ({"drivers": [{"name": "motor", "joint": "axle", "velocity": 3.0},
                      {"name": "swing", "joint": "hinge", "velocity": 1.0}]},
         "links do not move as one rigid body"),
        ({"analysis": modes(start="initial")},
         r"analysis\.start: .* placements are in no equilibrium"),
    ],
)  # fmt: skip
def test_what_is_no_steady_motion_is_refused(change, said, tmp_path):
    """One line that says what changes."""
    with pytest.raises(InputError, match=said):
        run(turntable(3.0, 1.0, **change), tmp_path)
