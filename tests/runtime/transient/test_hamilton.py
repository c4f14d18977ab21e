# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's pair by Gauss steps: order, frequencies, what it reads, what it leaves out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from blocks import ORDERS, UNDAMPED, begin, block, finish, oscillator
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.motion.frame import FrameMotion, FrameState
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.initial import initial_state
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.transient.gauss import METHODS, carried_sum
from flexforge.runtime.transient.pair import hamilton_pair
from marks import slow
from models import model, stressed
from numpy.typing import NDArray
from scipy.integrate import solve_ivp

Floats = NDArray[np.float64]


def second_order(spec: ModelSpec, accuracy: float = 1e-12) -> tuple[Floats, Floats]:
    """Return displacement and velocity at the end by DOP853 on the second-order equations.

    m d'' + 2 c d' + damping + (k + k_eps + k_omega + k_geo) d = all forces, with e and a_O.
    """
    places = stressed(spec)
    system, loads = places.system, Loads(spec, places)
    (body,), n, identity = system.bodies, system.unknowns, np.eye(system.dimension)
    free, nothing = np.ix_(system.map.places, system.map.places), np.zeros_like(identity)
    patterns = np.eye(len(body.patterns))
    k, *k_geo = (
        body.matrix(Combination(stiffness, nothing, geometric)).toarray()[free]
        for stiffness, geometric in [(1.0, patterns[0] * 0.0), *((0.0, one) for one in patterns)]
    )
    corner = nothing.copy()
    corner[0, 0] = 1.0
    scalar = body.matrix(Combination(0.0, corner, patterns[0] * 0.0)).toarray()
    scalar = scalar[:: system.dimension, :: system.dimension]
    inverse = np.linalg.inv(np.kron(scalar, identity)[free])

    def rate(t: float, state: Floats) -> Floats:
        frames = system.frames(t)
        (spin,) = spins = system.spins_of(frames)
        d, v = state[:n], state[n:]
        force = system.restrict(loads.at(t, spins, frames)) - k @ (d + body.beta * v)
        force -= np.kron(scalar, spin.stiffness)[free] @ d
        force -= np.kron(scalar, spin.coriolis + body.alpha * identity)[free] @ v
        for factor, matrix in zip(spin.prestress, k_geo, strict=True):
            force -= factor * (matrix @ d)
        return np.concatenate([v, inverse @ force])

    begin = np.concatenate([system.restrict(x) for x in initial_state(spec, places)])
    found = solve_ivp(
        rate, (0.0, spec.analysis.duration), begin, "DOP853", rtol=accuracy, atol=0.1 * accuracy
    ).y[:, -1]
    return system.expand(found[:n]), system.expand(found[n:])


def slopes(method: str, spec: Any, exact: tuple[Floats, ...]) -> Floats:
    """Print steps, error and slope of displacement and velocity; return the slopes."""
    table = []
    for steps in (200, 400) if method == "midpoint" else (100, 200):
        run = finish(begin(spec(steps, method)), steps)
        found = (run.displacement, run.velocity)[: len(exact)]
        errors = [np.abs(f - e).max() / np.abs(e).max() for f, e in zip(found, exact, strict=True)]
        table.append(errors)
        slope = np.log2(np.divide(table[-2], errors)) if len(table) > 1 else np.zeros(0)
        print(f"{method:9} {steps:4}", *(f"{e:.2e}" for e in errors), *(f"{s:.2f}" for s in slope))
    return np.log2(np.divide(table[:-1], table[1:]))


@pytest.mark.parametrize("name", ["planar", slow("spatial")])
def test_the_pair_moves_as_the_second_order_form(name: str) -> None:
    """d and d' of both forms agree to order 2 and 4 under variable w, v_O, loads, with damping."""
    exact = second_order(block(name, 1))
    for method, order in ORDERS.items():
        found = slopes(method, lambda steps, method: block(name, steps, method), exact)
        assert np.abs(found[-1] - order).max() < 0.1, (method, found)


@cache
def with_all_terms() -> Floats:
    """Return the displacement at the end when no term is left out."""
    return finish(begin(block("spatial", 100, "gauss4")), 100).displacement


@pytest.mark.parametrize(
    "term",
    ["centrifugal_load",
     *map(slow, ("coriolis", "euler", "centrifugal_stiffness", "euler_load", "origin_load"))],
)  # fmt: skip
def test_a_term_left_out_is_the_same_term(term: str) -> None:
    """The pair without a term moves as the second-order form without it, and unlike that with."""
    without = {"include": {term: False}}
    exact, _ = second_order(block("spatial", 1, **without), 1e-8)
    found = finish(begin(block("spatial", 100, "gauss4", **without)), 100).displacement
    error = np.abs(found - exact).max()
    assert error < 1e-5 * np.abs(exact).max()
    assert np.abs(with_all_terms() - exact).max() > 100 * error


@pytest.mark.parametrize("method", ORDERS)
def test_oscillator_in_a_frame_spun_up(method: str) -> None:
    """Seen from space the mass swings with 10 rad/s, to the method's order, as the frame spins."""
    spun = {"velocity": {"ramp": {"to": 6.0, "duration": 1.0}}}
    swing = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.4, 0]}]

    def spec(steps: int, method: str) -> ModelSpec:
        return oscillator(steps, method, spun, initial=swing)

    t = 1.5
    exact = np.array([[0.1, 0]]) * np.cos(10 * t) + np.array([[0, 0.04]]) * np.sin(10 * t)
    turn = begin(spec(1, method)).system.bodies[0].motion.at(t).R[:2, :2]
    found = slopes(method, spec, (exact @ turn,))
    assert np.abs(found[-1] - ORDERS[method]).max() < 0.1


@pytest.mark.parametrize("method", ORDERS)
@pytest.mark.parametrize("seen", [7.0, -13.0])
def test_frequencies_in_a_turning_frame(method: str, seen: float) -> None:
    """w0 - W and w0 + W turn by the angle of the method's own R(iwh) a step: to 1e-12."""
    mode = [{"displacement": [0.1, 0, 0], "velocity": [0, 0.1 * seen, 0]}]
    steps = 150
    run = begin(oscillator(steps, method, {"velocity": 3.0}, initial=mode))
    angle = 0.0
    for _ in range(steps):
        before = complex(*run.displacement[0])
        run.advance()
        angle += float(np.angle(complex(*run.displacement[0]) / before))
    z = 1j * seen * run.step  # Pade approximants (1,1) and (2,2) of exp(z)
    top = 1 + z / 2 + (z * z / 12 if method == "gauss4" else 0)
    assert angle / run.time == pytest.approx(2 * np.angle(top) / run.step, rel=1e-12)
    assert abs(angle / run.time / seen - 1) < abs(z) ** ORDERS[method]


def test_momentum_turns_with_the_frame() -> None:
    """Forces of the frame's motion only turn the momentum: ``p' = -w x p - k d``, any d and d'.

    In the pair they are put together from c d', k_omega d, q_omega and m_O w~ v_O.
    """
    spec = block("spatial", 1, supports=[], loads=[], materials={"steel": UNDAMPED})
    run = begin(spec)
    system, size = run.system, run.system.dimension
    pair = hamilton_pair(system, run.loads, 0.3)
    rng = np.random.default_rng(5)
    d, v = rng.normal(size=(2, system.size, size))
    momentum = system.mass_times(v) + system.apply(pair.momentum, d)
    momentum += pair.own.reshape(momentum.shape)
    elastic = [Combination(1.0, np.zeros((3, 3)), c.geometric) for c in pair.elastic]
    rate = pair.force.reshape(d.shape) - system.apply(pair.elastic, d)
    rate -= system.apply(pair.viscous, v)
    turning = -np.cross(system.bodies[0].motion.at(0.3).w, momentum) - system.apply(elastic, d)
    assert np.abs(rate - turning).max() < 1e-12 * np.abs(rate).max()


@pytest.mark.parametrize("name", ["planar", "spatial"])
def test_neither_e_nor_the_acceleration_of_the_origin_is_read(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With e and a_O that are no numbers the motion is the same to the last bit (physics.md 3)."""
    expected = finish(begin(block(name, 20, "gauss4")), 20)
    honest = FrameMotion.at

    def spoiled(self: FrameMotion, t: float) -> FrameState:
        return replace(honest(self, t), e=np.full(3, np.nan), a_O=np.full(3, np.nan))

    monkeypatch.setattr(FrameMotion, "at", spoiled)
    found = finish(begin(block(name, 20, "gauss4")), 20)
    assert np.array_equal(found.displacement, expected.displacement)
    assert np.array_equal(found.velocity, expected.velocity)
    with pytest.raises(AnalysisError, match="not finite"):
        _ = found.acceleration  # the only output that needs them


@pytest.mark.parametrize("method", ORDERS)
def test_acceleration_is_the_rate_of_the_velocity(method: str) -> None:
    """Accelerations handed to probes are the differences of the velocities around them."""
    run = finish(begin(block("spatial", 20_000, method)), 20)
    before = run.velocity
    run.advance()
    found = run.acceleration
    run.advance()
    difference = (run.velocity - before) / (2 * run.step)
    assert np.abs(found - difference).max() < 1e-4 * np.abs(found).max()


@pytest.mark.parametrize("method", ORDERS)
def test_speed_changes_but_the_factors_stay(method: str) -> None:
    """From rest to nominal speed: one factorization, at most three solves per step."""
    analysis = {"kind": "transient", "duration": 0.5, "steps": 100, "method": method}
    run = finish(begin(block("spatial", 100, analysis=analysis)), 100)
    print(method, run.counts)
    assert run.counts.factorizations == 1
    assert run.counts.most_solves <= 3


def test_coefficients() -> None:
    """Gauss' conditions: b_i a_ij + b_j a_ji = b_i b_j exactly, and order by quadrature."""
    for name, rule in METHODS.items():
        a, b, c = np.array(rule.matrix), np.array(rule.weights), np.array(rule.nodes)
        product = b[:, None] * a
        assert np.array_equal(product + product.T, np.outer(b, b))
        for k in range(1, len(c) + 1):  # the stages are exact for polynomials of degree s - 1
            assert np.allclose(a @ c ** (k - 1), c**k / k, rtol=1e-14, atol=1e-16)
        for k in range(1, ORDERS[name] + 1):
            assert b @ c ** (k - 1) == pytest.approx(1 / k, rel=1e-14)
        scaled = np.array(rule.symmetrizer)[:, None] * a
        assert np.allclose(scaled, scaled.T, rtol=1e-14)
        assert np.allclose(scaled @ a, (scaled @ a).T, rtol=1e-14)


def test_a_carried_sum_loses_nothing() -> None:
    """100,000 times 0.1 added to 1e9 is exact to the last digit; a plain sum is not."""
    total, rest, plain = np.array([1e9]), np.zeros(1), np.array([1e9])
    for _ in range(100_000):
        total, rest = carried_sum(total, rest, np.array([0.1]))
        plain = plain + 0.1
    assert total[0] == 1e9 + 1e4
    assert plain[0] != 1e9 + 1e4


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"method": "gaus4"}, "analysis.method: found 'gaus4'; expected .*did you mean 'gauss4'"),
        ({"method": "midpoint", "beta": 0.25}, "analysis.beta: found with method midpoint; expec"),
        ({"method": "gauss4", "rho_infinity": 1.0}, "analysis.rho_infinity: found with method ga"),
    ],
)
def test_faults_in_the_model(keys: dict[str, Any], message: str) -> None:
    """A method unknown, or parameters of another one, is one line with its key."""
    analysis = {"kind": "transient", "duration": 1.0, "steps": 5}
    with pytest.raises(InputError, match=message) as caught:
        model("quad4", analysis=analysis | keys)
    assert "\n" not in str(caught.value)
