# SPDX-License-Identifier: BSD-3-Clause
"""Steps, starts, rows and parts: what could be wrong without a trajectory showing it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.transient.linear_solver import Conjugate, Direct
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.manifold import SE3, Euclidean
from flexforge.runtime.transient.newton import Newton, NotConvergedError, Trial
from flexforge.runtime.transient.restrained import Restrained
from flexforge.runtime.transient.state import Block, Layout, State, pack, unpack
from flexforge.runtime.transient.steppers.implicit import GeneralizedAlpha
from flexforge.runtime.transient.unknowns import Equation, Unknowns
from toys import bead, belt, duffing, parts, rigid, stop, tets

AWAY = ((0.3, 0.4, -0.3), (0.31, 0.4, 0.4))  # an axis off the origin, where g has round-off
SWINGING = State(0.0, SE3().origin(), np.array([0.1, -0.2, 0.1, 0.0, 0.0, 2.0]))


@pytest.mark.parametrize("case", [duffing.CASES[0], bead.CASES[0]], ids=lambda case: case.name)
def test_averaged_rates_follow_a_change_of_step(case):
    """Order 2 where the step changes all the time (1 : 3); an averaged rate that is not moved to
    the new length leaves an error of first order. Of multipliers too: the velocities that steps of
    one length settle at are not those of another (a swing of first order otherwise)."""

    def path(divisor):
        stepper, h, found = case.make(rho=0.5, tolerance=1e-12), 0.4 * case.step / divisor, []
        state = stepper.begin(case.state)
        for number in range(10 * divisor):
            for length in (h, 3.0 * h):
                state = stepper.advance(state, length, state.t + length)
            if (number + 1) % divisor == 0:
                found.append([*state.q, *state.z, *stepper.point(state).force])
        return np.array(found)

    one, two, four = (path(divisor) for divisor in (1, 2, 4))
    ratios = np.abs(one - two).max(axis=0) / np.abs(two - four).max(axis=0)
    assert (ratios > 3.3).all(), ratios
    assert (ratios < 4.8).all(), ratios


@pytest.mark.parametrize("turn", [0.0, 1.5])
def test_the_matrix_of_a_step_is_the_derivative_of_its_equations(turn):
    """Complex steps of the residual and of the rows by the unknown rate, in a step that turns a
    body in a ball joint by 1.5 rad: T is in both, with the sign of the increment."""
    seen = []

    class Seen(Direct):
        def prepare(self, operator, space):
            seen.append(operator.assemble().toarray())
            return super().prepare(operator, space)

    model = rigid.CASES[3].model
    newton = Newton(model, Seen(), 1e-10, lambda t: np.zeros(0))
    random, h = np.random.default_rng(6), 0.1
    rate, speed, unknown = random.normal(size=(3, 6))
    increment = np.concatenate([[0.3, -0.2, 0.1], turn * np.array([0.6, -0.64, 0.48])])
    trial = Trial(0.0, h, 1.2, 0.6 * h, 0.3 * h * h, rate, speed, increment, rigid.SPIN.q)
    force, mode, which = random.normal(size=3), np.zeros(0, dtype=int), np.ones(3, dtype=bool)
    kept = newton.factor(newton.record(trial, unknown, force), mode, which, None)
    columns, rows = [], []
    for e in np.eye(6):
        at = newton.reached(trial, unknown + 1e-30j * e, force, mode)
        out = np.zeros(6, dtype=complex)
        model.residual(at, out)
        columns.append(out.imag / 1e-30)
        rows.append(model.constraints(at).place.imag / 1e-30 / trial.c)
    matrix = seen[0]
    np.testing.assert_allclose(matrix[:6, :6], np.array(columns).T, atol=1e-12)
    np.testing.assert_allclose(matrix[6:, :6], -kept.border * np.array(rows).T, atol=1e-12)


@pytest.mark.parametrize("h", [1e-6, 1e-4, 1e-2, 1e-1])
def test_rows_and_multipliers_have_no_scale_of_the_step(h):
    """Hinges off the origin: the matrix of a step is conditioned alike at any step, positions hold
    to round-off, and the forces of the hinges are those of the start (10 m/s^2 of a body that has
    moved by z h). Index 3 makes of a rounding of g a force of eps m / (beta h^2), 1e-3 N at 1e-6 s.
    """
    seen = []

    class Seen(Direct):
        def prepare(self, operator, space):
            seen.append(operator.assemble().toarray())
            return super().prepare(operator, space)

    body = rigid.Hinged(AWAY, **rigid.PENDULUM)
    stepper = GeneralizedAlpha(body, solver=Seen())
    state = stepper.begin(SWINGING)
    first = stepper.point(state).force
    for _ in range(10):
        state = stepper.advance(state, h, state.t + h)
    at = stepper.point(state)
    rows = body.constraints(at)
    assert np.linalg.cond(seen[-1]) < 20.0
    assert np.abs(rows.place).max() < 2e-16
    assert np.abs(rows.matrix @ state.z).max() < 1e-9
    assert np.abs(at.force - first).max() < 0.02 + 1000.0 * h
    assert stepper.counts.residuals < 10 * 14


def test_a_redundant_row_is_found_and_named():
    """Two ball joints on one axis are six rows of rank five; the one left out is satisfied as well,
    and the motion is that of either choice."""
    body = rigid.Hinged(AWAY, **rigid.PENDULUM)
    stepper = GeneralizedAlpha(body)
    state = stepper.begin(replace(SWINGING, q=SE3().retract(SWINGING.q, np.full(6, 0.05))))
    start = stepper.start
    assert len(start.redundant) == 1
    assert start.rows.sum() == 5
    assert start.redundant[0].startswith("hinge")
    assert set(start.moved) == {"motion of 'body'"}
    assert 0.01 < start.moved["motion of 'body'"] < 0.3
    at = stepper.point(state)
    rows = body.constraints(at)
    assert np.abs(rows.place).max() < 1e-13
    assert np.abs(rows.matrix @ state.z).max() < 1e-13
    np.testing.assert_allclose(rows.matrix @ at.rate, rows.second, atol=1e-11)
    out = np.zeros(6)
    body.residual(at, out)
    np.testing.assert_allclose(out, 0.0, atol=1e-11)


def test_rates_at_the_start_satisfy_rows_with_given_motion():
    """A bead on a sphere of which x is prescribed: ``q.q = 1`` and its two rates hold at the start,
    with those of g in them, and the force of the sphere is ``m (n.z' + g n_z)``."""
    case = bead.CASES[1]
    stepper = case.make()
    at = case.model.expand(stepper.point(stepper.begin(case.state)))
    assert abs(at.q @ at.q - 1.0) < 1e-14
    assert abs(at.q @ at.z) < 1e-14
    assert abs(at.q @ at.rate + at.z @ at.z) < 1e-12
    assert abs(at.z @ at.z) > 1.0
    reaction = case.model.full_residual(stepper.point(stepper.begin(case.state)))
    np.testing.assert_allclose(reaction[1:], 0.0, atol=1e-13)
    normal = at.q @ (0.7 * (at.rate + [0.0, 0.0, 9.81]) - reaction)
    assert abs(at.force[0] - normal) < 1e-12


def test_rows_that_contradict_each_other_are_refused():
    """Hinges farther apart than the points of the body they hold: one line, with the row."""
    body = rigid.Hinged(AWAY, **rigid.PENDULUM)
    body.places[1, 2] += 0.01
    with pytest.raises(InputError, match="start: found no position that satisfies 'hinge"):
        GeneralizedAlpha(body).begin(SWINGING)


def test_what_is_held_stays():
    """A start moves what it may: with the turn held, the body is shifted alone."""
    body = rigid.Hinged(rigid.AXIS[:1], **rigid.PENDULUM)
    q = SE3().retract(SE3().origin(), np.array([0.1, 0.2, -0.1, 0.3, -0.2, 0.5]))
    stepper = GeneralizedAlpha(body)
    state = stepper.begin(State(0.0, q, np.zeros(6)), held=(3, 4, 5))
    np.testing.assert_allclose(state.q[3:], q[3:], atol=1e-15)
    assert np.abs(state.q[:3] - q[:3]).max() > 0.05


def test_multipliers_converge_of_their_own():
    """The residual at the end of every step is round-off: forces of a joint of a body that turns
    are wrong long after its motion is right (the equations of the motion do not see them)."""
    case = rigid.CASES[3]
    stepper = case.make(tolerance=1e-12)
    for state in case.run(stepper=stepper):
        at, out = stepper.point(state), np.zeros(6)
        case.model.residual(at, out)
        assert np.abs(out).max() < 1e-10 * np.abs(at.force).max()


def test_steps_land_on_the_grid_and_on_the_end():
    """Times are multiples of the step whatever the start, and the step is one number to the last
    digit, so that a linear model is factored once in 1000 steps (and once for the short end)."""
    case = duffing.CASES[1]
    stepper = case.make()
    states = list(march(stepper, case.state, 0.1, 100.05))
    assert [s.t for s in states[:-1]] == [0.1 * k for k in range(1001)]
    assert states[-1].t == 100.05
    assert stepper.counts.factorizations == 2
    off = list(march(case.make(), replace(case.state, t=0.234), 0.1, 0.5))
    np.testing.assert_allclose([s.t for s in off], [0.234, 0.3, 0.4, 0.5], atol=1e-15)


def test_a_step_that_fails_is_halved_and_the_grid_is_met_again():
    """Where long steps do not converge shorter ones are taken, and times of the grid are met all
    the same; where none does, the message names the block."""
    case = duffing.CASES[0]
    stepper = case.make()
    advance = stepper.advance

    def limited(state, h, to):
        if h > 0.03:
            raise NotConvergedError("too long")
        return advance(state, h, to)

    stepper.advance = limited
    times = [s.t for s in march(stepper, case.state, 0.05, 0.2)]
    np.testing.assert_allclose(times, np.arange(9) * 0.025, atol=1e-15)
    hopeless = replace(case, model=duffing.Spring(k3=np.nan))
    with pytest.raises(AnalysisError, match="displacement of 'mass'"):
        list(march(hopeless.make(), stepper.begin(case.state), 0.05, 0.2))


def test_events_that_do_not_end_are_an_error():
    """A ball that bounces on for ever shorter has infinitely many impacts by ``t0 (1 + e) / (1 -
    e)``, 0.45625 s for e = 0.01: it says so."""
    stepper = GeneralizedAlpha(stop.Ball(restitution=0.01, slowest=0.0), inputs=stop.lift)
    with pytest.raises(AnalysisError, match="found an endless sequence of events at 0.4562"):
        list(march(stepper, stop.START, 0.1, 1.0))


def test_sizes_of_q_z_and_s_differ():
    """A body on SE(3) beside the block of the belt: 9 numbers q, 8 of z, 1 of s, each in its
    slice."""
    layout = Layout((*rigid.CASES[0].model.blocks, *belt.CASES[0].model.blocks))
    assert layout.sizes == (9, 8, 1)
    assert layout.slices == [slice(0, 6), slice(6, 8), slice(8, 9)]
    mode, history = np.array([3, -1]), pack(np.arange(4.0))
    state = State(1.5, np.arange(9.0), np.arange(8.0), np.array([7.0]), mode, history)
    again = State.from_bytes(state.to_bytes(bytes(32)), bytes(32))
    for name in ("q", "z", "s", "mode", "history"):
        np.testing.assert_array_equal(getattr(again, name), getattr(state, name))
    assert again.mode.dtype == np.int64


def test_packed_vectors_come_back():
    """History is vectors of any length, empty ones too."""
    vectors = [np.arange(3.0), np.zeros(0), np.array([np.inf, -0.0])]
    for one, other in zip(unpack(pack(*vectors)), vectors, strict=True):
        np.testing.assert_array_equal(one, other)


def test_unknowns_of_mixed_blocks():
    """T acts on Euclidean blocks, a rigid body passes through: ``expand`` of an increment of y is
    the increment T dy of q, g' and g'' are derivatives of g, and y comes back."""
    blocks = (
        Block("displacement", "mesh", Euclidean(4)),
        Block("motion", "body", SE3()),
        Block("pressure", "valve", Euclidean(1), first_order=True),
    )

    def moved(t):
        return np.sin(2 * t), 2 * np.cos(2 * t), -4 * np.sin(2 * t)

    unknowns = Unknowns.eliminate(
        blocks,
        [Equation("slope", (0, 1, 2), (1.0, -2.0, 0.5), moved), Equation("support", (3,), (1.0,))],
    )
    full, own = Layout(blocks), Layout(unknowns.blocks)
    assert (full.sizes, own.sizes) == ((11, 10, 1), (9, 8, 1))
    random = np.random.default_rng(4)
    y = own.manifold.retract(own.manifold.origin(), random.normal(size=8))
    v, a, dy = random.normal(size=(3, 8))
    q, z, rate = unknowns.expand(0.7, y, v, a)
    assert abs(q[0] - 2.0 * q[1] + 0.5 * q[2] - np.sin(1.4)) < 1e-14
    assert abs(z[0] - 2.0 * z[1] + 0.5 * z[2] - 2.0 * np.cos(1.4)) < 1e-14
    assert abs(rate[0] - 2.0 * rate[1] + 0.5 * rate[2] + 4.0 * np.sin(1.4)) < 1e-14
    assert (q[3], z[3], rate[3]) == (0.0, 0.0, 0.0)
    there = unknowns.expand(0.7, own.manifold.retract(y, dy), v, a)[0]
    other = full.manifold.retract(q, unknowns.matrix @ dy)
    np.testing.assert_allclose(there, other, atol=1e-14)
    back = unknowns.reduce(0.7, q, z)
    np.testing.assert_allclose(back[0], y, atol=1e-14)
    np.testing.assert_allclose(back[1], v, atol=1e-14)
    with pytest.raises(InputError, match="'ball': expected coordinates other than rotations"):
        Unknowns.eliminate(blocks, [Equation("ball", (7,), (1.0,))])
    twice = [Equation("one", (0, 1), (1.0, 1.0)), Equation("two", (0, 1), (2.0, 2.0))]
    once = Unknowns.eliminate(blocks, twice[:1])
    again = Unknowns.eliminate(blocks, twice)
    np.testing.assert_allclose(again.matrix.toarray(), once.matrix.toarray(), rtol=1e-14)
    twice[1] = Equation("two", (0, 1), (2.0, 2.0), lambda t: (1.0, 0.0, 0.0))
    with pytest.raises(InputError, match="found contradictory equations or supports: 'one', 'two'"):
        Unknowns.eliminate(blocks, twice)


def test_unknowns_of_a_cyclic_sector_are_complex():
    """Six equal masses in a ring, of which one with ``q_right = q_left e^(i n 2 pi/6)`` is solved
    for: ``T^H K T = 2 k (1 - cos(2 pi n / 6))``, the closed form."""
    blocks = (Block("displacement", "sector", Euclidean(2)),)
    k = 3.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    for n in range(4):
        phase = np.exp(2j * np.pi * n / 6)
        t = np.array([[1.0], [phase]])
        unknowns = Unknowns(blocks, t, (Block("displacement", "sector", Euclidean(1)),))
        found = (unknowns.adjoint @ k @ unknowns.matrix)[0, 0]
        assert abs(found - 6.0 * (1.0 - np.cos(2.0 * np.pi * n / 6))) < 1e-13
        assert abs(unknowns.restrict(k @ t[:, 0])[0] - found) < 1e-13


def test_two_parts_are_the_whole():
    """Two parts of the shaken block with an exchange of shared nodes against one, to 1e-12; both
    parts took the same decisions, and the products were counted once."""
    for tolerance in (1e-4, 1e-7):  # where corrections end differs from step to step
        loose = parts.run_parts(0.1, 6, tolerance)[1]
        assert loose[0] == loose[1]
    step, steps = 0.02, 12
    found, counts = parts.run_parts(step, steps)
    assert counts[0] == counts[1]
    solid = tets.Solid(tets.box(), gravity=(0.0, 0.0, -2.0))
    model = Restrained(solid, tets.held(solid, tied=False))
    for solver in (Direct(), Conjugate()):
        stepper = GeneralizedAlpha(model, tolerance=1e-13, solver=solver)
        *_, last = march(stepper, tets.at_rest(model), step, step * steps)
        whole = model.unknowns.expand(last.t, last.q, last.z, last.z)[0].reshape(-1, 3)
        assert np.abs(found - whole).max() < 1e-12 * np.abs(whole).max()


def test_products_of_parts_count_shared_values_once():
    """dot and norms over two parts are those of the whole, and a halo is the sum of the shares."""
    from concurrent.futures import ThreadPoolExecutor

    ids = [np.array([0, 1, 2, 5]), np.array([2, 3, 4, 5])]
    whole = np.array([1.0, -2.0, 3.0, 4.0, 5.0, -6.0])
    meeting = parts.Meeting(2)

    def run(rank):
        space, x = parts.PartSpace(meeting, rank, ids), whole[ids[rank]]
        with pytest.raises(ValueError, match="use Conjugate"):
            Direct().prepare(None, space)
        return space.dot(x, 2.0 * x), space.norms(x, [slice(0, 4)]), space.halo(x)

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(run, range(2)))
    for rank, (dot, norms, halo) in enumerate(found):
        assert dot == 2.0 * whole @ whole
        np.testing.assert_allclose(norms, [np.linalg.norm(whole)], rtol=1e-15)
        shared = np.array([1.0, 1.0, 2.0, 1.0, 1.0, 2.0])
        np.testing.assert_array_equal(halo, (whole * shared)[ids[rank]])
