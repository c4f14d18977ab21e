# SPDX-License-Identifier: BSD-3-Clause
"""Steps in time: exact trajectories, order, energy, iterations and factorizations."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.build import build_profile
from flexforge.runtime.start import implicit_steps
from flexforge.runtime.start import start as start_motion
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.scheme import Scheme
from marks import slow
from models import CASES, model, stressed


def start(spec: ModelSpec) -> Motion:
    """Return the motion of a model at t = 0, stepped as large ones are."""
    places = stressed(spec)
    loads, state = Loads(spec, places), initial_state(spec, places)
    return start_motion(spec.analysis, places.system, loads, *state, native=False)


def oscillator(steps: int, include: dict[str, Any] | None = None, **analysis: Any) -> ModelSpec:
    """Return case M3 as a transient in a frame that is spun up, its angle prescribed."""
    case = CASES / "m3_oscillator"
    data = tomllib.loads((case / "model.toml").read_text())
    data["bodies"][0]["frame"] = {"velocity": {"ramp": {"to": 6.0, "duration": 1.0}}}
    data["initial"] = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.4, 0]}]
    data["include"] = include or {}
    data["analysis"] = {"kind": "transient", "duration": 1.5, "steps": steps} | analysis
    return model_from_dict(data, folder=case)


def errors_of(spec: ModelSpec) -> list[float]:
    """Return the distances of d, d' and d'' from the inertial solution at the end.

    The spring to the origin is isotropic: in space the mass swings harmonically with 10 rad/s,
    however the frame turns. At t = 0 the frame is at rest, so both see the same initial state.
    Displacements are relative to the amplitude, their rates to that times 10 rad/s and its square.
    """
    run = start(spec)
    while run.counts.steps < spec.analysis.number_of_steps:
        run.advance()
    t, frame = run.time, run.system.bodies[0].motion.at(run.time)
    place = np.array([0.1, 0]) * np.cos(10 * t) + np.array([0, 0.04]) * np.sin(10 * t)
    speed = np.array([0, 0.4]) * np.cos(10 * t) - np.array([1.0, 0]) * np.sin(10 * t)
    across, w, e = np.array([[0.0, -1.0], [1.0, 0.0]]), frame.w[2], frame.e[2]
    d, v, a = (frame.R[:2, :2].T @ x for x in (place, speed, -100.0 * place))
    v = v - w * across @ d
    a = a - e * across @ d - 2.0 * w * across @ v + w * w * d
    found = (run.displacement[0], run.velocity[0], run.acceleration[0])
    sizes = (0.1, 1.0, 10.0)
    return [
        float(np.linalg.norm(x - y)) / size
        for x, y, size in zip(found, (d, v, a), sizes, strict=True)
    ]


@pytest.mark.parametrize(
    "method",
    [
        slow({"method": "generalized_alpha", "rho_infinity": 0.8}),
        slow({"method": "generalized_alpha", "rho_infinity": 0.0}),
        {"method": "newmark"},
    ],
    ids=["alpha 0.8", "alpha 0", "newmark"],
)
def test_oscillator_in_a_frame_spun_up(method: dict[str, Any]) -> None:
    """All inertia terms together give the harmonic motion seen from space, to second order.

    Accelerations too: those of forces that are balanced within a step would be of first order.
    """
    found = [errors_of(oscillator(steps, tolerance=1e-12, **method)) for steps in (200, 400, 800)]
    errors = np.array(found)
    orders = np.log2(errors[:-1] / errors[1:])
    assert np.all(errors[-1] < (3e-3, 5e-3, 8e-3))
    assert np.all(np.abs(orders - 2.0) < 0.15), (errors, orders)


def test_a_wrong_factor_would_show() -> None:
    """Leaving the Coriolis or the Euler term out spoils the same trajectory: the test can fail."""
    for term in ("coriolis", "euler", "centrifugal_stiffness"):
        assert errors_of(oscillator(400, include={term: False}))[0] > 0.05


def spinning_block(**tables: Any) -> ModelSpec:
    """Return a cantilever that is spun up fast, of a few hundred unknowns."""
    corners = [[x, y, z] for z in (0, 0.1) for x, y in ((0.1, 0), (1.1, 0), (1.1, 0.2), (0.1, 0.2))]
    return model(
        "hex8",
        [12, 3, 2],
        corners=corners,
        supports=[{"group": "xmin"}],
        **{
            "body": {"frame": {"velocity": {"ramp": {"to": 150.0, "duration": 0.5}}}},
            "analysis": {"kind": "transient", "duration": 0.5, "steps": 200},
            **tables,
        },
    )


def test_speed_changes_but_the_factors_stay() -> None:
    """200 steps from rest to nominal speed: at most two factorizations, three solves per step."""
    run = start(spinning_block())
    for _ in range(200):
        run.advance()
    assert run.counts.factorizations <= 2
    assert run.counts.most_solves <= 3
    assert run.counts.solves <= 2 * run.counts.steps


@pytest.mark.parametrize(
    "method",
    [{"method": "newmark"}, {"method": "generalized_alpha", "rho_infinity": 0.3}],
    ids=["newmark", "alpha 0.3"],
)
def test_steps_satisfy_the_equations(method: dict[str, Any]) -> None:
    """The balance at the end of a step, put together anew, holds to the tolerance."""
    spec = spinning_block(analysis={"kind": "transient", "duration": 0.5, "steps": 200} | method)
    run = start(spec)
    for _ in range(60):
        run.advance()
    q, v, a = run.displacement, run.velocity, run.acceleration
    system, moment = run.system, run.time
    spins = system.spins(moment)
    inner = system.apply([Combination(1.0, s.stiffness, s.prestress) for s in spins], q)
    inner += system.apply([Combination(0.0, s.coriolis, np.zeros(1)) for s in spins], v)
    inner += system.mass_times(a)
    force = run.loads.at(moment, spins)
    residual = system.restrict(force - inner)
    assert np.linalg.norm(residual) <= 2e-8 * np.linalg.norm(system.restrict(force))


def test_a_new_factorization_is_taken_when_the_speed_has_moved_far() -> None:
    """Large steps at great speed: the old factors stop paying, the run refactors and goes on."""
    spec = spinning_block(
        analysis={"kind": "transient", "duration": 0.5, "steps": 40, "tolerance": 1e-10},
        body={"frame": {"velocity": {"ramp": {"to": 600.0, "duration": 0.5}}}},
    )
    run = start(spec)
    for _ in range(40):
        run.advance()
    assert 2 <= run.counts.factorizations <= 6
    assert np.isfinite(run.displacement).all()


def energy(run: Motion) -> float:
    """Return kinetic and strain energy of a planar body at rest in its frame."""
    elastic = [Combination(1.0, np.zeros((2, 2)), np.zeros(0))]
    kinetic = np.sum(run.velocity * run.system.mass_times(run.velocity))
    strain = np.sum(run.displacement * run.system.apply(elastic, run.displacement))
    return 0.5 * float(kinetic + strain)


def test_energy_of_a_free_vibration_is_kept() -> None:
    """Newmark with beta 1/4 keeps the energy of an undamped linear body to round-off."""
    spec = model(
        "quad8",
        [4, 2],
        supports=[{"group": "xmin"}],
        initial=[{"velocity": ["0.1*y", "x*x", 0]}],
        analysis={
            "kind": "transient", "duration": 2e-3, "steps": 100, "method": "newmark",
            "tolerance": 1e-13,
        },
    )  # fmt: skip
    run = start(spec)
    first = energy(run)
    for _ in range(100):
        run.advance()
        assert energy(run) == pytest.approx(first, rel=1e-10)


def test_damping_takes_energy_at_its_rate() -> None:
    """Mass damping takes the power alpha v.m v; the energy lost is its integral, step by step."""
    alpha = 40.0
    steel = {"young": 2e11, "poisson": 0.3, "density": 7800.0, "damping": {"alpha": alpha}}
    spec = model(
        "quad8",
        [4, 2],
        materials={"steel": steel},
        supports=[{"group": "xmin"}],
        initial=[{"velocity": [0, "x*x", 0]}],
        analysis={"kind": "transient", "duration": 0.02, "steps": 1000, "method": "newmark"},
    )
    run = start(spec)
    first, lost = energy(run), 0.0
    for _ in range(1000):
        before = run.velocity
        run.advance()
        middle = 0.5 * (before + run.velocity)
        lost += run.step * alpha * float(np.sum(middle * run.system.mass_times(middle)))
    assert first - energy(run) == pytest.approx(lost, rel=1e-7)
    assert energy(run) < 0.5 * first


def test_initial_acceleration_balances_the_forces() -> None:
    """A free body under gravity starts with exactly that acceleration everywhere."""
    spec = model(
        "tet10",
        [1, 1, 1],
        loads=[{"kind": "gravity", "acceleration": [1.0, -2.0, 3.0]}],
        analysis={"kind": "transient", "duration": 1.0, "steps": 10},
    )
    run = start(spec)
    assert np.allclose(run.acceleration, [1.0, -2.0, 3.0], rtol=1e-10)


def test_motion_without_bounds_ends_in_one_line() -> None:
    """Explicit Newmark beyond its limit diverges; the error says when, and is no traceback."""
    spec = model(
        "quad4",
        supports=[{"group": "xmin"}],
        initial=[{"velocity": ["1", "0", "0"]}],
        analysis={
            "kind": "transient", "duration": 10.0, "steps": 1000, "method": "newmark", "beta": 0.0,
        },
    )  # fmt: skip
    places, step = stressed(spec), spec.analysis.step_size
    loads, state = Loads(spec, places), initial_state(spec, places)
    steps = implicit_steps(places.system, loads, Scheme.of(spec.analysis), step, 1e-8, "auto")
    run = Motion(places.system, loads, steps, step, *state)
    with np.errstate(all="ignore"), pytest.raises(AnalysisError, match="transient: .* t = "):
        for _ in range(1000):
            run.advance()


def test_profiles_are_those_of_the_model() -> None:
    """The prescribed ramp reaches its speed at its end (what the trajectories above rely on)."""
    ramp = build_profile(oscillator(10).bodies[0].frame.velocity, 1.5)
    assert float(ramp.derivative(1.0, 0)) == pytest.approx(6.0)
