# SPDX-License-Identifier: BSD-3-Clause
"""Elastic mechanisms: all formalisms move them alike, and momentum, work and energy balance."""

from __future__ import annotations

import elastic_links
import numpy as np
import pytest
import tied
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.observe.probes import build_probes
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads

FORMALISMS = ("maggi", "kane", "gibbs_appell", "lagrange")
RAMP = {"ramp": {"to": 60.0, "duration": 0.05}}
STIFF = elastic_links.SOFT | {"young": 70e9}
GRAVITY = {"planar": [0.0, -9.81, 0.0], "spatial": [0.0, 0.0, -9.81]}


#: Steps of the slider-crank, halved twice for its order; it is of two formalisms that differ most.
STEPS, ORDERED = (100, 200, 400), ("lagrange", "kane")


@pytest.fixture(scope="module")
def followed():
    """The slider-crank of K3 by every formalism: its motion and its energies."""
    data = elastic_links.slider_crank(RAMP)
    return {
        (formalism, steps): follow(data, 0.06, steps, formalism=formalism)
        for formalism in FORMALISMS
        for steps in STEPS
        if steps < 400 or formalism in ORDERED
    }


@pytest.fixture(scope="module")
def cranks(followed):
    """The slider-crank at its end, by formalism and number of steps."""
    return {key: motion for key, (motion, _) in followed.items()}


def test_formalisms_agree_on_the_slider_crank(cranks):
    """K3: trajectories differ by less than the error of the step, which falls by 4 when halved."""
    size = np.abs(cranks["maggi", 200].state.q).max()
    for formalism in FORMALISMS:
        steps = cranks[formalism, 100], cranks[formalism, 200]
        error = np.abs(steps[0].state.q - steps[1].state.q).max()
        assert 1e-3 * size < error < 0.05 * size
        for number, one in zip((100, 200), steps, strict=True):
            apart = np.abs(one.state.q - cranks["maggi", number].state.q).max()
            assert apart < 1e-3 * error, (formalism, number, apart, error)


def test_the_step_of_the_slider_crank_is_of_second_order(cranks):
    """K3: halving the step of 0.8 ms divides the error by 4, whatever the formalism."""
    for formalism in ORDERED:
        ends = [cranks[formalism, steps].state.q for steps in STEPS]
        coarse, fine = np.abs(ends[0] - ends[1]).max(), np.abs(ends[1] - ends[2]).max()
        assert np.log2(coarse / fine) == pytest.approx(2.0, abs=0.2)


def test_formalisms_agree_on_forces(cranks):
    """The force of the wrist pin and the torque of the motor are the same by every formalism."""
    force, torque = (
        cranks["maggi", 200].reactions["wrist"].force,
        cranks["maggi", 200].multiplier("motor"),
    )
    for formalism in FORMALISMS:
        found = cranks[formalism, 200]
        # Multipliers' accelerations hold to the order of the method only.
        close = 1e-2 if formalism == "lagrange" else 1e-5
        size = np.linalg.norm(force)
        assert np.abs(found.reactions["wrist"].force - force).max() < close * size
        assert abs(found.multiplier("motor") - torque) < close * size * 0.15


MECHANISMS = {
    "planar": (elastic_links.four_bar, 0.3),
    "spatial": (lambda: elastic_links.spatial_four_bar(materials={"m": STIFF}), 0.3),
}


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("formalism", ["maggi", "kane", "lagrange"])
def test_the_ground_gives_everything_its_momentum(name, formalism):
    """Forces of the ground and weight are the rate of momentum of all that moves and bends."""
    make, duration = MECHANISMS[name]
    motion = tied.run(make(), duration, 40, formalism=formalism, tolerance=1e-11)
    mass = sum(body.total_mass for body in motion.system.bodies)
    force = tied.ground_force(motion) + mass * np.array(GRAVITY[name])
    if name == "spatial":
        force[0] += motion.multiplier("stop")  # the driver that keeps the rocker from sliding
    rate = tied.momentum_rate(motion)
    assert np.linalg.norm(rate) > 0.5 * np.linalg.norm(mass * np.array(GRAVITY[name]))
    np.testing.assert_allclose(force, rate, atol=1e-9 * np.abs(rate).max())


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("formalism", ["maggi", "kane"])
def test_joints_do_no_work_and_stay_closed(name, formalism):
    """Joint forces have no power but round-off, and all three levels of the constraints hold."""
    make, duration = MECHANISMS[name]
    drift = tied.run(make(), duration, 40, formalism=formalism, tolerance=1e-11).drift
    assert drift.power_size > 1.0
    assert drift.power < 1e-12 * drift.power_size
    assert drift.position < 1e-15 and drift.velocity < 1e-13 and drift.acceleration < 1e-10


def follow(data, duration, steps, **analysis):
    """Return a motion at its end and its energies, with by how much they do not balance."""
    given = {"kind": "transient", "duration": duration, "steps": steps, "threads": 1}
    motion = tied.motion_of(data | {"analysis": given | {"tolerance": 1e-11} | analysis})
    energy = Energy(motion)
    energy.follow()
    for _ in range(steps):
        motion.advance()
        energy.follow()
    assert energy.known
    return motion, energy.figures()


def balance(data, duration, steps, **analysis):
    """Return the energies of a run, and by how much they do not balance."""
    return follow(data, duration, steps, **analysis)[1]


ERROR = "largest error of the energy balance"


@pytest.mark.parametrize("formalism", ORDERED)
def test_work_is_what_energy_gains(formalism, followed):
    """Work of the motor less the gain of energy settles at the second order of the step."""
    left = []
    for steps in STEPS:
        _, found = followed[formalism, steps]
        gain = found["kinetic energy"][0] + found["strain energy"][0]  # from rest
        left.append(found["work of drivers"][0] - gain)
        assert found[ERROR] < 3e-4
    order = np.log2((left[0] - left[1]) / (left[1] - left[2]))
    print(f"{formalism}: work that is not energy {left} J, order {order:.2f}")
    assert order > 1.8


@pytest.mark.slow
def test_what_is_left_of_the_balance_is_of_third_order():
    """A rod 16 times as stiff misses 1/256 of the balance: what linear strains leave out."""
    missing = []
    for stiffer in (1.0, 16.0):
        data = elastic_links.slider_crank(
            RAMP, materials={"m": elastic_links.SOFT | {"young": 4e9 * stiffer}}
        )
        data["mesh"]["blocks"]["rod"] = elastic_links.line(0.3, 16)
        missing.append(balance(data, 0.06, 200, formalism="lagrange")[ERROR])
    assert missing[0] < 3e-4
    assert missing[0] / missing[1] == pytest.approx(256.0, rel=0.25)


def test_a_thick_crank_has_the_energy_of_its_sections_turn():
    """``W^2 (rho A L^3 / 3 + rho I L) / 2`` of a stiff beam about its end, I a twentieth of it."""
    speed, length, diameter, density = 5.0, 0.2, 0.1, 1000.0
    data = {
        "planar": True,
        "mesh": {"blocks": {"crank": elastic_links.line(length)}},
        "materials": {"m": {"young": 1e12, "poisson": 0.0, "density": density}},
        "links": [{"name": "crank"}],
        "bodies": [elastic_links.beam("crank", "euler_beam_plane",
                                      section={"shape": "round", "diameter": diameter})],
        "joints": [{"name": "A", "kind": "revolute", "links": ["ground", "crank"],
                    "at": [[0, 0, 0], "crank.xmin"]}],
        "drivers": [{"name": "motor", "joint": "A", "velocity": speed}],
    }  # fmt: skip
    area, second = np.pi * diameter**2 / 4, np.pi * diameter**4 / 64
    expected = 0.5 * speed**2 * density * (area * length**3 / 3 + second * length)
    found = balance(data, 0.02, 20)["kinetic energy"][0]
    assert found == pytest.approx(expected, rel=1e-4)


def test_weight_does_work_and_dampers_take_it():
    """A damped four-bar under its weight and a force that turns with it: what these do, and what
    the damping takes, balance."""
    data = elastic_links.four_bar(
        materials={"m": elastic_links.SOFT | {"damping": {"alpha": 2.0, "beta": 5e-3}}}
    )
    data["loads"] = [*data["loads"], elastic_links.PUSH]
    found = balance(data, 0.4, 300, formalism="kane")
    size = max(found["kinetic energy"][0], abs(found["work of loads"][0]))
    assert abs(found["work of loads"][0]) > 0.05 * size
    assert found["dissipated"][0] > 10 * found[ERROR] * size
    assert found[ERROR] < 1e-3


def test_efforts_of_drivers_have_units():
    """A torque on an angle, a force along a slide."""
    probes = [
        {"name": name, "constraint": name, "quantity": "multiplier"} for name in ("motor", "stop")
    ]
    spec = model_from_dict(
        elastic_links.spatial_four_bar(
            probes=probes, analysis={"kind": "transient", "duration": 0.1, "steps": 10}
        )
    )
    places = build_system(spec, build_mesh(spec))
    found = build_probes(spec, places, Loads(spec, places))
    assert [one.column.unit for one in found] == ["N m", "N"]
