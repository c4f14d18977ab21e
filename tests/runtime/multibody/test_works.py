# SPDX-License-Identifier: BSD-3-Clause
"""Works and impulses of found links, integrated over steps whether or not they are recorded."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.runtime._native import UNSETTLED, WORKS
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.multibody.steps import FoundSteps
from flexforge.runtime.run import run_model
from scipy.interpolate import CubicSpline
from swinging import DOWN, begin, of, pin, rod, slide, transient


def works_of(motion):
    """Return works, then impulses and their moments, up to the state of a motion."""
    return motion.works[WORKS["works"] :][: 9 + len(motion.links.model.formulas.forces)]


def to_the_end(tables):
    """Return the motion at its end, with works followed from the start on."""
    motion, left = begin(tables), tables["analysis"]["steps"]
    motion.follow()
    while left:
        left -= motion.leap(left)
    return motion


def pushed(steps, force, **keys):
    """Return a mass that a force in time pushes along a guide, with nothing else."""
    return {
        "planar": True, "links": [{"name": "m", "mass": 2.0, "inertia": [1.0]}],
        "joints": [slide("rail", "m")], "analysis": transient(1.0, steps, **keys),
        "actuators": [{"name": "push", "joint": "rail", "force": force}],
    }  # fmt: skip


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 5, 40])
def test_impulse_of_a_cubic_in_time_is_exact(steps):
    """However few steps there are from three on; a line for one, and a parabola for two."""
    impulse = works_of(to_the_end(pushed(steps, "4*t**3 - 3*t**2 + 1")))[3]
    order = min(steps, 3)
    times = np.linspace(0.0, 1.0, order + 1)
    through = np.polyfit(times, 4 * times**3 - 3 * times**2 + 1, order)
    assert impulse == pytest.approx(np.polyval(np.polyint(through), 1.0), rel=1e-13)


def test_impulse_is_exact_for_steps_of_other_lengths(monkeypatch):
    """Two halves of every third step, which does not converge as a whole."""
    run = FoundSteps._run

    def refusing(self, state, h, times, *, each=True):
        before = np.flatnonzero((np.round(times / 0.1) % 3 == 0) & (h > 0.06))
        count = int(before[0]) if len(before) else len(times)
        if not count:
            return np.empty((0, 0)), 0, UNSETTLED
        return run(self, state, h, times[:count], each=each)

    monkeypatch.setattr(FoundSteps, "_run", refusing)
    motion = to_the_end(pushed(10, "4*t**3"))
    assert motion.counts.steps == 13
    assert works_of(motion)[3] == pytest.approx(1.0, rel=1e-13)


def test_impulse_of_a_force_with_a_jump_is_exact():
    """Where steps adapt they end there: cubics on either side."""
    motion = to_the_end(pushed(1, "4*t**3 + step(t, 1/3)*(5 - t**2)", accuracy=1e-5))
    later = 5.0 * 2.0 / 3.0 - (1.0 - 1.0 / 27.0) / 3.0
    assert motion.adapted.shortest < 0.7 * motion.adapted.longest
    assert works_of(motion)[3] == pytest.approx(1.0 + later, rel=1e-11)


def crank(steps, **keys):
    """Return a driven crank with a rod on a spring and a damper, under a load."""
    return {
        "planar": True, "loads": DOWN,
        "links": [rod("crank", length=0.5),
                  rod("arm", placement={"position": [0.5, 0, 0]})],
        "joints": [pin("axle", "ground", "crank", [0, 0, 0]),
                   pin("elbow", "crank", "arm", [[0.5, 0, 0], [0, 0, 0]])],
        "drivers": [{"name": "motor", "joint": "axle", "value": "2*sin(3*t)"}],
        "actuators": [{"name": "spring", "joint": "elbow", "stiffness": 5.0, "damping": 0.4,
                       "force": "sin(4*t)"},
                      {"name": "brake", "joint": "elbow", "law": "-0.1*q_dot**3",
                       "coordinates": {"q": of("elbow")}}],
        "analysis": transient(2.0, steps, **keys),
    }  # fmt: skip


def test_works_are_those_of_powers_at_all_steps():
    """Against a spline through the accounts of all states, and against what energy has gained."""
    motion = begin(crank(1200, formalism="kane"))  # whose forces of drivers do not alternate
    motion.follow()
    accounts, times = [motion.links.model.account(motion.point)], [0.0]
    for _ in range(1200):
        motion.advance()
        accounts.append(motion.links.model.account(motion.point))
        times.append(motion.time)
    rows = [[a.driving, a.loads, a.damping, *a.external] for a in accounts]
    whole = CubicSpline(times, rows).integrate(0.0, 2.0)
    assert np.allclose(works_of(motion), whole, rtol=0, atol=1e-7 * np.abs(whole).max())
    assert (np.abs(whole[:3]) > 0.1).all()
    energy = [a.kinetic + a.strain for a in accounts]
    left = whole[0] + whole[1] - whole[2] - (energy[-1] - energy[0])
    numbers = motion.works
    assert abs(left) <= 1.01 * numbers[WORKS["error"]] + 1e-9
    assert numbers[WORKS["error"]] < 1e-3 * numbers[WORKS["largest"]]
    assert numbers[WORKS["kinetic"]] == accounts[-1].kinetic
    assert numbers[WORKS["strain"]] == accounts[-1].strain
    momentum = numbers[WORKS["momentum"] :][:6]
    assert momentum.tolist() == accounts[-1].momentum.tolist()


@pytest.mark.parametrize(("formalism", "power"), [("kane", 2.0 / 3.0), ("lagrange", 0.2)])
def test_balances_close_with_the_accuracy_of_steps_that_adapt(formalism, power):
    """Errors of energy and momenta are of h^2, as those of the motion: the power 2/3, or more.

    Less with multipliers, which alternate where the length of steps changes.
    """
    errors = []
    for accuracy in (1e-5, 1e-7):
        numbers = to_the_end(crank(1, accuracy=accuracy, formalism=formalism)).works
        errors.append(numbers[WORKS["error"] :][:3] / numbers[WORKS["largest"] :][:3])
    assert (np.log10(errors[0]) - np.log10(errors[1]) > 0.9 * 2.0 * power).all(), errors
    assert (errors[1] < 1e-3).all()


def test_damper_has_dissipated_what_the_closed_form_says():
    """Of a mass on a spring: its energy at the start less that at the end."""
    mass, stiffness, damping, speed = 2.0, 50.0, 1.0, 3.0
    tables = pushed(4000, 0.0)
    tables["actuators"] = [
        {"name": "leg", "joint": "rail", "stiffness": stiffness, "damping": damping}
    ]
    tables["joints"][0]["start_velocity"] = {"slide": speed}
    decay = damping / (2.0 * mass)
    rate = np.sqrt(stiffness / mass - decay**2)
    x = speed / rate * np.exp(-decay) * np.sin(rate)
    v = speed / rate * np.exp(-decay) * (rate * np.cos(rate) - decay * np.sin(rate))
    lost = 0.5 * mass * (speed**2 - v**2) - 0.5 * stiffness * x**2
    assert works_of(to_the_end(tables))[2] == pytest.approx(lost, rel=1e-6)


@pytest.mark.parametrize("keys", [{}, {"accuracy": 1e-6}])
def test_summary_has_the_same_works_however_much_is_recorded(keys, tmp_path):
    """Also of a run that was stopped and has gone on: they are a part of its state."""
    found = []
    tables = crank(50, **keys)
    for every in (1, 13, 50):
        spec = model_from_dict(tables | {"output": {"formats": ["csv"], "every": every}})
        found.append(run_model(spec, output=tmp_path / str(every)).figures)

    def stop(what, done, total):
        if what == "steps" and done >= 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "stopped", progress=stop)
    found.append(run_model(spec, output=tmp_path / "stopped", resume=True).figures)
    names = [name for name in found[0] if "work" in name or "balance" in name]
    names += ["dissipated", "kinetic energy", "strain energy"]
    assert len(names) == 8
    for name in names:
        assert found[0][name] == found[1][name] == found[2][name] == found[3][name], name
