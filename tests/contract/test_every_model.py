# SPDX-License-Identifier: BSD-3-Clause
"""What every model has to satisfy: derivatives, rows, bytes, order; all toys are asked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.state import Layout, State
from toys import bead, belt, duffing, rigid, stop, tets

CASES = [*duffing.CASES, *rigid.CASES, *tets.CASES, *belt.CASES, *bead.CASES, *stop.CASES]
LINEAR = [case for case in CASES if case.model.linear is not None]
SMOOTH = [case for case in CASES if case not in stop.CASES]
EPS = 1e-30


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request):
    return request.param


def residual(model, at):
    out = np.zeros(len(at.rate), dtype=complex)
    model.residual(at, out)
    return out


def moved(model, at, dz):
    """Return a point whose position has an (imaginary) increment."""
    q = Layout(model.blocks).manifold.retract(at.q.astype(complex), dz)
    return replace(at, q=q)


def modes(case):
    """Return the modes of a case that have equations of their own."""
    return (
        [np.array([m]) for m in (stop.FREE, stop.RESTING)]
        if case in stop.CASES
        else [case.state.mode]
    )


def points(case):
    for mode in modes(case):
        at, _ = case.random_point()
        at = replace(at, mode=mode)
        force = np.random.default_rng(5).normal(size=len(case.model.constraints(at).names))
        yield replace(at, force=force)


def test_linearize_is_the_complex_step_of_the_residual(case):
    """All five matrices, column by column, at a point where nothing vanishes."""
    model = case.model
    for at in points(case):
        found, n = model.linearize(at), len(at.rate)
        z = len(at.z)
        pushed = {
            "rate": [replace(at, rate=at.rate + 1j * EPS * e) for e in np.eye(n)],
            "speed": [
                replace(at, z=at.z + 1j * EPS * e[:z], s=at.s + 1j * EPS * e[z:]) for e in np.eye(n)
            ],
            "place": [moved(model, at, 1j * EPS * e) for e in np.eye(z)],
            "force": [replace(at, force=at.force + 1j * EPS * e) for e in np.eye(len(at.force))],
            "inputs": [replace(at, u=at.u + 1j * EPS * e) for e in np.eye(len(at.u))],
        }
        for name, where in pushed.items():
            if not where:
                continue
            wanted = np.array([residual(model, one).imag / EPS for one in where]).T
            size = max(1.0, np.abs(wanted).max())
            np.testing.assert_allclose(
                getattr(found, name).toarray(), wanted, atol=2e-13 * size, err_msg=name
            )
        if found.symmetric:
            for name in ("rate", "speed", "place"):
                one = getattr(found, name).toarray()
                np.testing.assert_allclose(one, one.T, atol=1e-13 * max(1.0, np.abs(one).max()))


def test_rows_are_derivatives_of_their_places(case):
    """``g' = G z - speed`` and ``g'' = G z' - second`` along any motion, by complex steps."""
    model = case.model
    for at in points(case):
        rows = model.constraints(at)
        if not rows.names:
            continue
        z = len(at.z)
        pushed = replace(moved(model, at, 1j * EPS * at.z), t=at.t + 1j * EPS)
        speed = np.concatenate([at.z, at.s])
        still = ~rows.of_speeds
        wanted = model.constraints(pushed).place.imag / EPS
        np.testing.assert_allclose(
            (rows.matrix @ speed - rows.speed)[still], wanted[still], atol=1e-13
        )
        for k, e in enumerate(np.eye(z)):
            column = model.constraints(moved(model, at, 1j * EPS * e)).place.imag / EPS
            np.testing.assert_allclose(rows.matrix.toarray()[still, k], column[still], atol=1e-13)
        later = model.constraints(replace(pushed, z=at.z + 1j * EPS * at.rate[:z]))
        rate = (later.matrix @ (speed + 1j * EPS * at.rate) - later.speed).imag / EPS
        np.testing.assert_allclose(rows.matrix @ at.rate - rows.second, rate, atol=2e-13)


def test_multipliers_act_along_the_rows(case):
    """``r_lambda = -G^T``; friction adds what the normal force does along the belt."""
    for at in points(case):
        rows = case.model.constraints(at)
        if rows.names:
            left = case.model.linearize(at).force.toarray() + rows.matrix.toarray().T
            if case in belt.CASES:
                assert left[0, 0] != 0.0
                left[0] = 0.0
            np.testing.assert_allclose(left, 0.0, atol=1e-14)


def test_a_run_goes_on_from_its_bytes_bit_for_bit(case):
    """Stopped in the middle, written, read by a new stepper: every later state has the same bytes,
    history and all, though factors are kept from long before. And a step depends on its state
    alone: what is rolled back is as if it had never been, whatever steps come in between."""
    identity, stepper, h = case.model.identity, case.make(), case.step
    whole = case.run(stepper=stepper, end=12 * h)
    for stop_at in (1, 7):
        data = whole[stop_at].to_bytes(identity)
        again = State.from_bytes(data, identity)
        assert again.to_bytes(identity) == data
        rest = list(march(case.make(), again, h, 12 * h))
        assert [one.to_bytes(identity) for one in rest] == [
            one.to_bytes(identity) for one in whole[stop_at + 1 :]
        ]
    early, later = whole[5], whole[6]
    for state, length in ((early, 0.37 * h), (whole[11], h)):
        stepper.advance(state, length, state.t + length)
        once_more = stepper.advance(early, h, later.t)
        assert once_more.to_bytes(identity) == later.to_bytes(identity)


@pytest.mark.parametrize("case", LINEAR, ids=lambda case: case.name)
def test_the_linear_form_is_the_residual(case):
    """One solve per step and one factorization give the motion that Newton's method gives, and the
    two forms agree at any point."""
    at, _ = case.random_point()
    equations = case.model.linear.at(at.t, at.u)
    place = np.concatenate([at.q, np.zeros(len(at.rate) - len(at.q))])
    speed = np.concatenate([at.z, at.s])
    wanted = equations.inner(place, speed, at.rate) - equations.force
    parts = np.random.default_rng(3).normal(size=(3, len(speed)))
    product = sum(
        equations.combine(*unit).apply(x) for unit, x in zip(np.eye(3).tolist(), parts, strict=True)
    )
    close = 1e-12 * np.abs(product).max()
    np.testing.assert_allclose(product, equations.inner(*parts[::-1]), rtol=0, atol=close)
    one = case.model.linearize(at)
    assert one.combine(1.0, 0.2, 0.3).key == one.combine(1.0, 0.2, 0.3).key is not None
    assert one.combine(1.0, 0.2, 0.3).key != one.combine(1.0, 0.2, 0.4).key
    found = residual(case.model, at).real
    np.testing.assert_allclose(found, wanted, atol=1e-12 * np.abs(found).max())

    fast, stepper = case.make(), case.make(tolerance=1e-13)
    one = case.run(stepper=fast)
    linear, case.model.linear = case.model.linear, None
    try:
        other = case.run(stepper=stepper)
    finally:
        case.model.linear = linear
    assert (fast.counts.solves, fast.counts.factorizations) == (case.steps, 1)
    assert stepper.counts.factorizations == 1, "the key of constant matrices tells that"
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a.q, b.q, rtol=1e-11, atol=1e-13)
        np.testing.assert_allclose(a.z, b.z, rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.8])
@pytest.mark.parametrize("case", SMOOTH, ids=lambda case: case.name)
def test_errors_fall_by_four_where_the_step_is_halved(case, rho):
    """Order 2 of positions, velocities, states of first order and multipliers, at any damping: the
    largest differences of motions with steps h, h/2 and h/4.
    """
    first, steps = case.step / case.short, 6
    manifold = Layout(case.model.blocks).manifold
    paths = []
    for divisor in (1, 2, 4):
        stepper = case.make(rho=rho, tolerance=1e-11)
        states = list(march(stepper, case.state, first / divisor, steps * first))[::divisor]
        paths.append([(state, stepper.point(state).force) for state in states])
    errors = []
    for coarse, fine in ((paths[0], paths[1]), (paths[1], paths[2])):
        differences = [
            [
                np.linalg.norm(manifold.difference(a.q, b.q)),
                np.linalg.norm(a.z - b.z),
                np.linalg.norm(a.s - b.s),
                np.linalg.norm(f - g),
            ]
            for (a, f), (b, g) in zip(coarse, fine, strict=True)
        ]
        errors.append(np.max(differences, axis=0))
    for what, coarse, fine in zip(("q", "z", "s", "lambda"), *errors, strict=True):
        if coarse > 1e-10:
            assert 3.3 < coarse / fine < 4.8, (what, coarse, fine)


def test_bytes_of_another_model_are_refused(case):
    """A state of another model, of another version, or cut short, is one line for the user."""
    identity = case.model.identity
    data = case.state.to_bytes(identity)
    other = CASES[CASES.index(case) - 1].model.identity
    for wrong, text in (
        (case.state.to_bytes(other), "another model"),
        (data[:8] + b"\x09" + data[9:], "version 9"),
        (data[:-1] if len(data) > 200 else data + b"0", "bytes; expected"),
        (b"PK" + data[2:], "other data"),
        (data[:30], "other data"),
    ):
        with pytest.raises(InputError, match=text):
            State.from_bytes(wrong, identity)
