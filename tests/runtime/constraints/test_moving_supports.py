# SPDX-License-Identifier: BSD-3-Clause
"""Supports that move as given where joints, gears and constraints of velocities tie bodies."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
import tied
from flexforge.codegen.errors import InputError
from flexforge.runtime.export.solver import build_solver
from flexforge.runtime.loading.load import model_from_dict
from marks import slow

FORMALISMS = ("maggi", "kane", "lagrange", slow("hamilton"))
MOVED = "2e-3*sin(25*t)**2"


def moving_four_bar(build=elastic_links.four_bar, component="x"):
    """Return a four-bar whose coupler is displaced along itself at the crank's pin."""
    support = {"group": "coupler.xmin", "displacement": {component: MOVED}}
    return build(supports=[support | {"components": [component]}])


def apart(motion, joint):
    """Return the gap of a pin in space and its rate, from frames and displacements alone."""
    constraints, system = motion.constraints, motion.system
    of_link = dict(zip((body.motion.link for body in system.bodies), system.bodies, strict=True))
    frames = dict(zip(of_link, system.frames(motion.time), strict=True))
    (number,) = (k for k, one in enumerate(constraints.mechanism.joints) if one.name == joint)
    found = constraints.mechanism.joints[number]
    gap, rate = np.zeros((2, 3))
    for sign, link, marker in zip((1.0, -1.0), found.links, found.markers, strict=True):
        body, frame = of_link[link], frames[link]
        points = np.zeros((len(body.points), 3))
        points[:, : body.points.shape[1]] = body.points
        node = int(np.linalg.norm(points - marker.point, axis=1).argmin())
        u, v = np.zeros((2, 3))
        u[: system.dimension] = motion.displacement[body.placed[node]]
        v[: system.dimension] = motion.velocity[body.placed[node]]
        place = marker.point + u
        gap += sign * (frame.r_O + frame.R @ place)
        rate += sign * frame.R @ (frame.v_O + np.cross(frame.w, place) + v)
    return np.abs(gap).max(), np.abs(rate).max()


@pytest.mark.parametrize("formalism", FORMALISMS)
@pytest.mark.parametrize(
    "data",
    [
        moving_four_bar(),
        pytest.param(moving_four_bar(elastic_links.spatial_four_bar, "y"), marks=pytest.mark.slow),
    ],
    ids=["planar", "spatial"],
)
def test_pins_stay_closed_in_space(data, formalism):
    """The ends of two elastic bars meet, one of which a support displaces."""
    motion = tied.run(data, 0.1, 50, formalism=formalism)
    for joint in ("B", "C"):
        gap, rate = apart(motion, joint)
        # Multipliers close them as far as the step is solved, and velocities to its order.
        assert gap < (1e-10 if formalism == "lagrange" else 1e-13)
        assert rate < (1e-3 if formalism == "lagrange" else 1e-11)
    body = motion.system.bodies[1]
    component = 0 if motion.system.dimension == 2 else 1
    given = 2e-3 * np.sin(25 * 0.1) ** 2
    assert motion.displacement[body.placed[0], component] == pytest.approx(given, rel=1e-14)


def test_formalisms_agree_on_a_moving_support():
    """Multipliers and speeds of both kinds take the same steps but for round-off."""
    ends = [
        tied.run(moving_four_bar(), 0.06, 40, formalism=formalism).state.q
        for formalism in ("maggi", "kane", "lagrange")
    ]
    for end in ends[1:]:
        np.testing.assert_allclose(end, ends[0], rtol=0.0, atol=1e-6 * np.abs(ends[0]).max())


@pytest.mark.parametrize("formalism", ["lagrange", *map(slow, ("maggi", "kane", "hamilton"))])
def test_a_bar_is_shaken_through_a_joint(formalism):
    """``m22 x'' + k x = k g - m12 g''`` with ``g = a (1 - cos(W t))``; the force of the joint."""
    amplitude, speed, duration = 1e-3, 300.0, 0.002
    data = {
        "mesh": {"blocks": {"one": elastic_links.line(0.5, 1), "two": elastic_links.line(0.8, 1)}},
        "materials": {"m": elastic_links.SOFT},
        "links": [{"name": "one"}, {"name": "two", "placement": {"position": [0.5, 0, 0]}}],
        "bodies": [elastic_links.beam(name, "euler_beam_plane") for name in ("one", "two")],
        "joints": [
            {"name": "wall", "kind": "fixed", "links": ["ground", "one"],
             "at": [[0, 0, 0], "one.xmin"]},
            {"name": "weld", "kind": "fixed", "links": ["one", "two"],
             "at": ["one.xmax", "two.xmin"]},
        ],
        "supports": [{"group": "one.xmax", "components": ["x"],
                      "displacement": {"x": f"{amplitude}*(1 - cos({speed}*t))"}}],
    }  # fmt: skip
    area = 0.25 * np.pi * 0.01**2
    mass, k = 1200.0 * area * 0.8, 4e9 * area / 0.8
    m22, m12 = mass / 3, mass / 6
    w = np.sqrt(k / m22)
    x = -amplitude * (k + m12 * speed**2) / (k - m22 * speed**2)
    forced, own = np.cos(speed * duration), np.cos(w * duration)
    wanted = amplitude + x * forced - (amplitude + x) * own
    second = -x * speed**2 * forced + (amplitude + x) * w**2 * own
    g, g2 = amplitude * (1 - forced), amplitude * speed**2 * forced
    force = m22 * g2 + m12 * second + k * (g - wanted)
    errors = []
    for steps in (100, 200):
        motion = tied.run(data, duration, steps, formalism=formalism)
        end = motion.displacement[motion.system.bodies[1].placed[1], 0]
        found = motion.reactions["weld"].force[0]
        errors.append([abs(end - wanted) / amplitude, abs(found - force) / (k * amplitude)])
    assert errors[1][0] < 2e-3 and errors[1][1] < 5e-3
    np.testing.assert_allclose(np.log2(np.divide(*errors)), 2.0, atol=0.25)


@pytest.mark.parametrize("formalism", (slow("maggi"), "lagrange"))
def test_a_velocity_follows_one_that_is_given(formalism):
    """``x' = 3 y' - 0.2 t y``, y of a support: the place and the force of the constraint."""
    data = {
        "mesh": {"points": {"a": [0, 0, 0]}},
        "masses": [{"name": "edge", "group": "a", "mass": 2.0}],
        "supports": [{"group": "a", "components": ["y"],
                      "displacement": {"y": "0.1*(1 - cos(2*t))"}}],
        "constraints": [{"name": "cam", "equation": "x_dot - 3*y_dot + 0.2*t*y",
                         "coordinates": {n: {"group": "a", "component": n} for n in "xy"}}],
    }  # fmt: skip
    places, t = [], 1.5
    sine, cosine = np.sin(2 * t), np.cos(2 * t)
    # The integral of t (1 - cos 2t) is t^2/2 - t sin(2t)/2 - (cos(2t) - 1)/4.
    wanted = 0.3 * (1 - cosine) - 0.02 * (0.5 * t**2 - 0.5 * t * sine - 0.25 * (cosine - 1))
    second = 1.2 * cosine - 0.02 * (1 - cosine + 2 * t * sine)
    for steps in (50, 100):
        motion = tied.run(data, t, steps, formalism=formalism)
        places.append(abs(motion.displacement[0, 0] - wanted))
        assert motion.multiplier("cam") == pytest.approx(2 * second, abs=2e-3)
    assert places[1] < 1e-4 and np.log2(places[0] / places[1]) > 1.7


def test_a_spring_of_a_joint_feels_the_support():
    """The torque of a spring at a pin, from the turns of both sides."""
    data = elastic_links.slider_crank(
        {"ramp": {"to": 60.0, "duration": 0.05}},
        supports=[{"group": "rod.xmax", "components": ["rz"], "displacement": {"rz": MOVED}}],
        actuators=[{"name": "spring", "joint": "wrist", "stiffness": 5.0, "damping": 0.1}],
    )
    motion = tied.run(data, 0.03, 30)
    coupling = motion.constraints.coupling(motion.time)
    (force,) = coupling.forces(motion.state.q, motion.state.z)
    rod, slider = (motion.constraints.mechanism.at(motion.time)[k] for k in (1, 2))
    given, rate = 2e-3 * np.sin(0.75) ** 2, 2e-3 * 25 * np.sin(1.5)
    angle = np.arctan2(rod.R[1, 0], rod.R[0, 0])
    turned = -(angle + given) * 5.0 - 0.1 * (rod.w[2] + rate - slider.w[2])
    assert abs(force) == pytest.approx(abs(turned), rel=1e-10)


def test_what_moving_supports_refuse(tmp_path):
    """A joint that would open, a reduction, an export: by name."""
    closed = elastic_links.four_bar(
        supports=[{"group": "crank.xmin", "displacement": {"x": MOVED}}]
    )
    with pytest.raises(InputError, match="supports.displacement: it would open 'A'"):
        tied.run(closed, 0.1, 10)
    data = moving_four_bar() | {"analysis": {"kind": "transient", "duration": 0.1, "steps": 10}}
    with pytest.raises(InputError, match="moving support with links; expected none to export"):
        build_solver(model_from_dict(data))
    with pytest.raises(InputError, match=r"supports\[0\].displacement: found with links and \[red"):
        model_from_dict(data | {"reduction": {"method": "craig_bampton", "modes": 4}})
