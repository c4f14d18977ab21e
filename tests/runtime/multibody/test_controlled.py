# SPDX-License-Identifier: BSD-3-Clause
"""Equilibria and vibrations of links with controllers and equations of speeds: closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from swinging import DOWN, G, begin, coordinates, of, pin, rod, slide, transient
from vibrating import modes, run


def pendulum(**keys):
    """Return a rod whose motor holds it aside, by the deviation and its integral."""
    return {
        "planar": True, "loads": DOWN, "links": [rod("a", placement={"angle": -1.2})],
        "joints": [pin("hook", "ground", "a", [0, 0, 0])],
        "controllers": [{"name": "total", "rate": "-0.9 - q", "coordinates": {"q": of("hook")}}],
        "actuators": [{"name": "motor", "joint": "hook",
                       "law": "9*(-0.9 - x) - 0.5*x_dot + 6*total"}],
        **keys,
    }  # fmt: skip


def test_integral_controller_holds_a_pendulum_where_it_is_told():
    """At rest the integral alone carries the weight; it takes any value, and starts from none."""
    motion = begin(pendulum(analysis=transient(1.0, 100, start="equilibrium")))
    assert coordinates(motion)[0, 0] == pytest.approx(-0.9, abs=1e-12)
    assert motion.state.s[-1] == pytest.approx(0.5 * G * np.cos(-0.9) / 6.0, rel=1e-11)
    for _ in range(100):
        motion.advance()
    assert coordinates(motion)[0, 0] == pytest.approx(-0.9, abs=1e-11)


def test_pendulum_and_its_controller_vibrate_as_a_cubic_says(tmp_path):
    """J a'' + d a' + (k - m g l sin) a = 6 s with s' = -a about -0.9 rad."""
    outcome = run(pendulum(), tmp_path)[0]
    stiffness = 9.0 - 0.5 * G * np.sin(-0.9)
    roots = np.roots([1.0 / 3.0, 0.5, stiffness, 6.0])
    (pair,) = roots[roots.imag > 0.0]
    assert outcome.figures["mode 1"][0] == pytest.approx(pair.imag / (2.0 * np.pi), rel=1e-9)
    ratio = -pair.real / abs(pair)
    assert outcome.figures["damping ratio of mode 1"] == pytest.approx(ratio, rel=1e-8)
    assert outcome.figures["largest residual of the modes"] < 1e-11


def balanced(gains, **keys):
    """Return a rod that stands on a cart, on which a controller with a filtered rate acts."""
    cart = {"name": "cart", "mass": 2.0, "inertia": [1.0]}
    law = " + ".join(f"{gain}*{name}" for name, gain in gains.items())
    return {
        "planar": True, "loads": DOWN,
        "links": [cart, rod("pole", placement={"angle": np.pi / 2})],
        "joints": [slide("rail", "cart"), pin("hub", "cart", "pole", [[0, 0, 0], [0, 0, 0]])],
        "controllers": [{"name": "slow", "rate": "8*(a_dot - slow)",
                         "coordinates": {"a": of("hub")}}],
        "actuators": [{"name": "motor", "joint": "rail", "law": law,
                       "coordinates": {"a": of("hub")}}],
        **keys,
    }  # fmt: skip


@pytest.mark.parametrize("held", [1.0, 0.3])
def test_a_pole_that_a_cart_balances(tmp_path, held):
    """Upright it rests by its controller alone; where this is too weak, its modes grow."""
    upright = np.pi / 2
    gains = {f"(a - {upright!r})": 120.0 * held, "slow": 25.0 * held, "x": 8.0, "x_dot": 12.0}
    figures = run(balanced(gains, analysis=modes(4, start="initial")), tmp_path)[0].figures
    # of the cart x, and of the lean b to the left: sines and cosines of small angles
    mass = np.array([[3.0, -0.5], [-0.5, 1.0 / 3.0]])
    force = np.array([[8.0, 120.0 * held], [0.0, 0.5 * G]])
    rates = np.array([[12.0, 0.0], [0.0, 0.0]])
    whole = np.zeros((5, 5))
    whole[:2, 2:4] = np.eye(2)
    whole[2:4, :2], whole[2:4, 2:4] = np.linalg.solve(mass, force), np.linalg.solve(mass, rates)
    whole[2:4, 4] = np.linalg.solve(mass, [25.0 * held, 0.0])
    whole[4, 3:] = 8.0, -8.0
    values = np.linalg.eigvals(whole)
    kept = sorted(
        values[(values.imag > 1e-9) | ((np.abs(values.imag) < 1e-9) & (values.real > 0))],
        key=lambda one: (one.imag, -one.real),
    )
    found = [name for name in figures if name.startswith("mode ")]
    assert len(found) == len(kept) > 0
    for k, value in enumerate(kept, start=1):
        assert figures[f"mode {k}"][0] == pytest.approx(
            value.imag / (2 * np.pi), rel=1e-8, abs=1e-9
        )
    growth = [one.real for one in kept if one.real > 1e-9]
    told = [figures[name] for name in figures if "growth" in name]
    assert bool(growth) == bool(told)


def test_what_controllers_do_not_hold_is_listed_once(tmp_path):
    """A hinge that a controller only watches has a frequency of zero; one that it holds has not."""
    law = {"name": "motor", "joint": "hook", "law": "-9*x - 0.1*x_dot - 4*total"}
    for actuators, zeros in (([], 1), ([law], 0)):
        tables = pendulum(loads=[], actuators=actuators)
        tables["controllers"][0]["rate"] = "q"
        _, frequencies, shapes = run(tables, tmp_path / str(zeros))
        assert (frequencies == 0.0).sum() == zeros
        assert len(frequencies) == 1
        assert np.isfinite(shapes["a"]).all()


def test_motions_that_only_decay_are_no_modes(tmp_path):
    """A hinge with a strong damper: nothing vibrates, and that is no error."""
    tables = pendulum(controllers=[], actuators=[{"name": "d", "joint": "hook", "damping": 50.0}])
    outcome, frequencies, _ = run(tables, tmp_path)
    assert not len(frequencies)
    assert outcome.figures["free motions"] == 1


def gripped(count, **keys):
    """Return an elastic beam on a hinge that a controller with a filter holds."""
    block = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [count]}
    return {
        "mesh": {"blocks": {"b": block}},
        "materials": {"m": {"young": 2e10, "poisson": 0.3, "density": 7800.0}},
        "links": [{"name": "l"}],
        "bodies": [{"name": "b", "cells": "b", "material": "m", "frame": "l",
                    "element": "euler_beam_plane",
                    "section": {"shape": "round", "diameter": 0.02}}],
        "supports": [{"group": "b.xmin"}],
        "joints": [pin("hook", "ground", "l", [[0, 0, 0], "b.xmin"])],
        "controllers": [{"name": "slow", "rate": "200*(q - slow)",
                         "coordinates": {"q": of("hook")}}],
        "actuators": [{"name": "motor", "joint": "hook", "law": "-4000*slow - 20*x_dot"}],
        **keys,
    }  # fmt: skip


@pytest.mark.slow
def test_many_unknowns_agree_with_few(tmp_path):
    """A Krylov space for many elements, all eigenvalues for few: the same modes."""
    found = []
    for count in (30, 150):
        figures = run(gripped(count, analysis=modes(3)), tmp_path / str(count))[0].figures
        found.append(
            [figures[f"{name}mode {k}"] for k in (1, 2, 3) for name in ("", "damping ratio of ")]
        )
        assert (figures["solver"] == "LAPACK") == (count == 30)
    few, many = (
        np.array([one[0] if isinstance(one, list) else one for one in each]) for each in found
    )
    assert many == pytest.approx(few, rel=1e-5)


def sledge(**keys):
    """Return a sledge across a slope, held by springs; what turns it grows with how far it is."""
    free = {"name": "g", "kind": "free", "links": ["ground", "s"]}
    spring = {"joint": "g", "coordinate": "second_slide", "stiffness": 30.0, "name": "y"}
    law = {
        "joint": "g",
        "coordinate": "angle",
        "name": "turn",
        "law": "-5*x + 2*b",
        "coordinates": {"b": of("g", "second_slide")},
    }
    return {
        "planar": True, "loads": [{"kind": "gravity", "acceleration": [-3.0, 0.0, 0.0]}],
        "links": [{"name": "s", "mass": 2.0, "inertia": [0.5]}], "joints": [free],
        "actuators": [spring, law],
        "constraints": [{"name": "edge", "equation": "u_dot*cos(a) + v_dot*sin(a)",
                         "coordinates": {"u": of("g", "slide"), "v": of("g", "second_slide"),
                                         "a": of("g", "angle")}}],
        **keys,
    }  # fmt: skip


def test_edge_under_load_couples_turn_and_glide(tmp_path):
    """The edge holds the weight m g; turned by a it lets m g a act along the slope."""
    figures = run(sledge(), tmp_path)[0].figures
    left = np.array([[30.0, -6.0], [-2.0, 5.0]])  # of y and a
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(np.diag([2.0, 0.5]), left)))
    for k, square in enumerate(squares, start=1):
        assert figures[f"mode {k}"][0] == pytest.approx(np.sqrt(square) / (2.0 * np.pi), rel=1e-7)


NOWHERE = "start: found no position near the placements in which links and states of controllers"


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"controllers": [{"name": "total", "rate": "1 + 0*total"}]}, AnalysisError, NOWHERE),
        ({"joints": [slide("hook", "a") | {"axis": [0, 1, 0]}], "actuators": []},
         AnalysisError, NOWHERE),
        ({"analysis": modes(start="initial"), "loads": [], "actuators": [],
          "links": [rod("a", placement={"angle": -0.5})]}, InputError,
         "controllers.0.: found 'total' with a rate of -0.4 per second where the links rest"),
    ],
)  # fmt: skip
def test_controllers_that_never_rest_are_refused(tmp_path, changes, error, message):
    """A clock; a rod that falls; a position in which the controller is not where it is told."""
    with pytest.raises(error, match=message) as found:
        run(pendulum() | changes, tmp_path)
    assert "\n" not in str(found.value)


def test_equations_of_speeds_in_a_steady_motion_are_refused(tmp_path):
    """They say which way a turned link moves."""
    tables = sledge(loads=[], links=[{"name": "s", "mass": 2.0, "inertia": [0.5],
                                      "angular_velocity": [0.0, 0.0, 2.0]}])  # fmt: skip
    with pytest.raises(InputError, match="constraints: found them where all links move steadily"):
        run(tables, tmp_path)
