# SPDX-License-Identifier: BSD-3-Clause
"""The toys against closed forms and independent methods."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.rotation import exponential, matrix
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk
from toys import belt, duffing, rigid, stop, tets

UNDAMPED = Scheme.generalized_alpha(1.0)
TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def test_duffing_follows_an_independent_integration():
    """The driven hardening spring against DOP853; the error is that of order 2, 1e-5."""
    model = duffing.Spring()

    def rates(t, y):
        spring = model.c * y[1] + model.k * y[0] + model.k3 * y[0] ** 3
        return [y[1], (duffing.force(t)[0] - spring) / model.m]

    wanted = solve_ivp(rates, (0.0, 3.0), [0.7, -0.4], method="DOP853", **TIGHT).y[:, -1]
    *_, last = march(duffing.CASES[0].make(), duffing.START, 0.005, 3.0)
    np.testing.assert_allclose([last.q[0], last.z[0]], wanted, atol=1e-4)


def test_a_free_body_follows_jacobis_elliptic_functions():
    """J = (1, 2, 3), over a whole period, and order 2.

    Landau and Lifshitz, Mechanics, section 37: with ``L^2 > 2 T J2`` the components are
    ``w1 = a1 cn(tau), w2 = a2 sn(tau), w3 = a3 dn(tau)``.
    """
    j1, j2, j3 = 1.0, 2.0, 3.0
    w = np.array([1.2, 0.0, 1.0])  # cn = 1, sn = 0, dn = 1 at the start
    twice, square = j1 * w[0] ** 2 + j3 * w[2] ** 2, (j1 * w[0]) ** 2 + (j3 * w[2]) ** 2
    assert square > twice * j2
    rate = np.sqrt((j3 - j2) * (square - twice * j1) / (j1 * j2 * j3))
    modulus = (j2 - j1) * (twice * j3 - square) / ((j3 - j2) * (square - twice * j1))
    height = np.sqrt((twice * j3 - square) / (j2 * (j3 - j2)))
    body = rigid.Body(inertia=(j1, j2, j3))
    start = replace(rigid.SPIN, z=np.concatenate([np.zeros(3), w]))
    end = 4.0 * ellipk(modulus) / rate
    errors = []
    for steps in (200, 400):
        error = 0.0
        for state in march(GeneralizedAlpha(body, UNDAMPED), start, end / steps, end):
            sn, cn, dn, _ = ellipj(rate * state.t, modulus)
            wanted = np.array([w[0] * cn, height * sn, w[2] * dn])
            error = max(error, np.abs(state.z[3:] - wanted).max())
        errors.append(error)
    assert errors[0] < 2e-3
    assert 3.7 < errors[0] / errors[1] < 4.3


def test_a_spin_about_the_middle_axis_flips_over():
    """Dzhanibekov: w2 goes from 2 to -2 and back while momentum and energy stay, to the order of
    the method (drift falls by four or more with the step)."""
    body = rigid.Body(centre=(0.05, -0.1, 0.2), inertia=(1.3, 2.3, 3.3))
    start = replace(rigid.SPIN, z=np.array([0.2, 0.5, -0.3, 0.05, 2.0, 0.05]))
    drifts, lowest = [], 0.0
    for step in (0.04, 0.02):
        states = list(march(GeneralizedAlpha(body, UNDAMPED), start, step, 8.0))
        lowest = min(state.z[4] for state in states)
        energy = np.array([body.energy(state) for state in states])
        momenta = np.array([body.momenta(state) for state in states])
        drifts.append([np.ptp(energy) / energy[0], np.abs(momenta - momenta[0]).max()])
    assert lowest < -1.9
    (energy, momentum), (fine_energy, fine_momentum) = drifts
    assert energy < 2e-3
    assert momentum < 5e-2
    assert energy / fine_energy > 3.5
    assert momentum / fine_momentum > 3.5


def test_a_heavy_body_falls_with_its_centre_of_mass():
    """Uniform gravity: the centre of mass moves on a parabola whatever the body's point O does, and
    angular momentum about the centre is kept."""
    case = rigid.CASES[1]
    body, errors = case.model, []
    for step in (0.01, 0.005):
        states = list(march(case.make(rho=1.0), case.state, step, 0.5))
        first, last = states[0], states[-1]
        turn = matrix(first.q[3:])
        centre = first.q[:3] + turn @ body.centre
        speed = turn @ (first.z[:3] + np.cross(first.z[3:], body.centre))
        wanted = centre + speed * 0.5 + 0.125 * body.gravity
        errors.append(np.abs(last.q[:3] + matrix(last.q[3:]) @ body.centre - wanted).max())
    assert errors[0] < 1e-3
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_the_pendulum_keeps_time_with_the_elliptic_integral():
    """Period ``4 K(sin^2(a/2)) sqrt(J / (m g l))`` of a swing by a = 1.2 rad, and the forces of
    both hinges together: at the lowest point ``m g + m l w^2`` up."""
    body = rigid.CASES[2].model
    m, l_, g, j = 2.0, 0.5, 9.81, 0.8
    period = 4.0 * ellipk(np.sin(0.6) ** 2) * np.sqrt(j / (m * g * l_))
    stepper, steps = rigid.CASES[2].make(rho=1.0), 100
    states = list(march(stepper, rigid.CASES[2].state, period / steps, period))
    assert np.abs(states[-1].q - states[0].q).max() < 5e-3
    low = states[steps // 4]
    w2 = 2.0 * m * g * l_ * (1.0 - np.cos(1.2)) / j
    assert abs(low.z[5] ** 2 - w2) < 5e-3 * w2
    force = stepper.point(low).force.reshape(2, 3).sum(axis=0)
    np.testing.assert_allclose(force, [0.0, m * g + m * l_ * w2, 0.0], atol=0.1)
    place = body.constraints(stepper.point(low)).place
    assert np.abs(place).max() < 1e-13, "rows hold, the redundant one too"


def test_a_strained_block_does_not_see_rigid_motions():
    """Objectivity, 20 random rotations and shifts: energy as it was, forces turn along, to 1e-12;
    no force in any rigid motion."""
    solid = tets.CASES[2].model
    points, random = solid.mesh.points, np.random.default_rng(3)
    strained = 0.2 * random.normal(size=points.shape)
    force, zero = solid.inner(strained.ravel()), np.zeros(points.size)
    energy = solid.energy(strained.ravel(), zero)
    for _ in range(20):
        turn, shift = matrix(exponential(random.normal(size=3) * 2.0)), random.normal(size=3)
        moved = (points + strained) @ turn.T + shift - points
        assert abs(solid.energy(moved.ravel(), zero) - energy) < 1e-12 * energy
        turned = force.reshape(-1, 3) @ turn.T
        np.testing.assert_allclose(
            solid.inner(moved.ravel()).reshape(-1, 3), turned, atol=1e-12 * np.abs(force).max()
        )
        rigid_motion = points @ turn.T + shift - points
        assert np.abs(solid.inner(rigid_motion.ravel())).max() < 1e-12 * np.abs(force).max()


def test_a_free_block_keeps_its_momentum():
    """Momentum of a free strained block to round-off, whatever the step; angular momentum and
    energy to the order of the method."""
    case, drifts = tets.CASES[2], []
    solid = case.model
    for step in (0.004, 0.002):
        states = list(march(case.make(rho=1.0, tolerance=1e-12), case.state, step, 0.2))
        energy = np.array([solid.energy(s.q, s.z) for s in states])
        p = np.array([(solid.masses @ s.z).reshape(-1, 3) for s in states])
        places = np.array([solid.mesh.points + s.q.reshape(-1, 3) for s in states])
        spin = np.cross(places, p).sum(axis=1)
        assert np.abs(p.sum(axis=1) - p[0].sum(axis=0)).max() < 1e-11 * np.abs(p).max()
        turned = np.abs(spin - spin[0]).max() / np.abs(spin[0]).max()
        drifts.append([np.ptp(energy) / energy[0], turned])
    assert max(drifts[0]) < 0.05
    assert min(np.array(drifts[0]) / drifts[1]) > 3.0


@pytest.mark.parametrize("case", tets.CASES[:2], ids=lambda case: case.name)
def test_reactions_balance_momentum_and_loads(case):
    """Supports and tie: reactions of all nodes together are the rate of momentum less the weight,
    at every step, to round-off; free nodes have none, the tied pair has equal and opposite ones."""
    model, stepper = case.model, case.make(tolerance=1e-13)
    solid = model.model
    sizes = []
    for state in case.run(stepper=stepper):
        at = stepper.point(state)
        forces = model.full_residual(at).reshape(-1, 3)
        rate = (solid.masses @ model.expand(at).rate).reshape(-1, 3).sum(axis=0)
        weight = solid.loads.reshape(-1, 3).sum(axis=0)
        size = np.abs(forces).max() + np.abs(solid.inner(model.expand(at).q)).max()
        np.testing.assert_allclose(forces.sum(axis=0), rate - weight, atol=1e-12 * size)
        tied = np.flatnonzero(solid.mesh.points[:, 0] == 2.0)
        free = np.setdiff1d(np.flatnonzero(solid.mesh.points[:, 0] > 0.0), tied[[0, -1]])
        assert np.abs(forces[free]).max() < 1e-9 * size
        pair = forces[tied[[0, -1]]]
        assert np.abs(pair[0] + pair[1]).max() < 1e-9 * size
        sizes.append(abs(pair[0, 1]))
        q = model.expand(at).q.reshape(-1, 3)
        assert (q[solid.mesh.points[:, 0] == 0.0] == [0.0, 0.0, tets.shaken(state.t)[0]]).all()
    assert max(sizes) > 1e-3, "the tie carries something"


def test_friction_follows_an_independent_integration():
    """Stick and slip of the block on the belt over 2 s, the normal force (a multiplier) changing
    all the time, against LSODA with the normal force known beforehand."""
    case = belt.CASES[0]
    wanted = solve_ivp(
        case.model.reference(belt.pressed),
        (0.0, 2.0),
        [0.0, 0.0, 0.0],
        method="LSODA",
        max_step=1e-2,
        rtol=1e-10,
        atol=1e-12,
        dense_output=True,
    ).sol
    errors = []
    for step in (0.01, 0.005):
        stepper = case.make(rho=0.5)
        states = list(march(stepper, case.state, step, 2.0))
        found = np.array([[s.q[0], s.z[0], s.s[0]] for s in states])
        times = np.array([s.t for s in states])
        errors.append(np.abs(found - wanted(times).T).max(axis=0))
        speeds = found[:, 1] - case.model.speed
        assert (np.abs(speeds) < 2e-3).sum() * step > 0.5, "it sticks"
        assert (np.abs(speeds) > 0.05).sum() * step > 0.3, "it slips"
        normal = np.array([stepper.point(s).force[0] for s in states])
        np.testing.assert_allclose(normal, [9.81 - belt.pressed(t)[1] for t in times], atol=1e-9)
    assert errors[1][0] < 2e-4
    assert errors[0][0] / errors[1][0] > 3.0


def test_a_ball_bounces_rests_and_is_lifted():
    """Times of impacts ``t0 (1 + 2 e + 2 e^2 ...)``, t0 = sqrt(2 h / g), to 1e-9 s at any step
    (free flight is a parabola, which the method has no error of); then it rests, and leaves at t =
    3 s, where the lifting force is its weight."""
    case = stop.CASES[0]
    for step in (0.02, 0.037):
        states = case.run(step=step, end=3.4)
        pairs = [(a, b) for a, b in zip(states, states[1:], strict=False) if a.t == b.t]
        fall, e = np.sqrt(0.2), case.model.restitution
        hits = [fall]
        while (speed := 10.0 * fall * e ** len(hits)) > case.model.slowest:
            hits.append(hits[-1] + 2.0 * speed / 10.0)
        np.testing.assert_allclose([a.t for a, _ in pairs], [*hits, 3.0], atol=1e-9)
        assert [int(b.mode[0]) for _, b in pairs] == [stop.FREE] * (len(hits) - 1) + [1, 0]
        assert min(s.q[0] for s in states) > -1e-10
        resting = [s for s in states if s.mode[0] == stop.RESTING]
        assert all(abs(s.q[0]) < 1e-13 for s in resting)
        late = states[-1].t - 3.0
        assert abs(states[-1].q[0] - 10.0 * late**3 / 6.0) < 0.5 * step**2


def test_a_checkpoint_remembers_the_mode():
    """Bytes written while the ball rests: it goes on resting, and leaves at the same time."""
    case = stop.CASES[0]
    states = case.run(step=0.04, end=3.2)
    at = next(i for i, s in enumerate(states) if s.mode[0] == stop.RESTING and s.t > 2.5)
    again = State.from_bytes(states[at].to_bytes(bytes(32)), bytes(32))
    rest = list(march(case.make(), again, 0.04, 3.2))
    assert [s.to_bytes(bytes(32)) for s in rest] == [
        s.to_bytes(bytes(32)) for s in states[at + 1 :]
    ]
