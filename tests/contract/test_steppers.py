# SPDX-License-Identifier: BSD-3-Clause
"""Explicit steps and Gauss's method on the same models, by the same loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.newton import no_inputs
from flexforge.runtime.transient.state import Layout, State
from flexforge.runtime.transient.steppers.gauss import Gauss
from flexforge.runtime.transient.steppers.implicit import CENTRAL_DIFFERENCES, GeneralizedAlpha
from toys import duffing, rigid, stop, tets


def central(model, inputs=no_inputs):
    """Return explicit steps of a model."""
    return GeneralizedAlpha(model, CENTRAL_DIFFERENCES, tolerance=1e-12, inputs=inputs)


ORDERS = [
    pytest.param(stepper, case, order, id=f"{stepper.__name__} {case.name}")
    for stepper, order in ((central, 2), (Gauss, 4))
    for case in (*duffing.CASES, *rigid.CASES[:2], tets.CASES[2])
]


@pytest.mark.parametrize(("stepper", "case", "order"), ORDERS)
def test_order(stepper, case, order):
    """2 of central differences, 4 of Gauss's method, on rotations too: T on the wrong side is order
    1. The largest differences of motions with steps h, h/2 and h/4."""
    first, steps = case.step / case.short, 4
    manifold = Layout(case.model.blocks).manifold

    def path(divisor):
        one = stepper(case.model, inputs=case.inputs)
        return list(march(one, case.state, first / divisor, steps * first))[::divisor]

    paths = [path(divisor) for divisor in (1, 2, 4)]
    coarse, fine = (
        max(
            np.linalg.norm(np.append(manifold.difference(a.q, b.q), a.z - b.z))
            for a, b in zip(one, other, strict=True)
        )
        for one, other in zip(paths, paths[1:], strict=False)
    )
    assert 0.8 * 2**order < coarse / fine < 1.4 * 2**order


@pytest.mark.parametrize("stepper", [central, Gauss])
@pytest.mark.parametrize("case", [duffing.CASES[0], rigid.CASES[1]], ids=lambda case: case.name)
def test_bytes(stepper, case):
    """Stopped, written, read by a new stepper: the same bytes to the end."""
    whole = list(
        march(stepper(case.model, inputs=case.inputs), case.state, case.step, 8 * case.step)
    )
    again = State.from_bytes(whole[5].to_bytes(bytes(32)), bytes(32))
    rest = march(stepper(case.model, inputs=case.inputs), again, case.step, 8 * case.step)
    assert [s.to_bytes(bytes(32)) for s in rest] == [s.to_bytes(bytes(32)) for s in whole[6:]]


@pytest.mark.parametrize("damping", [0.0, 0.3])
def test_damping_does_not_shorten_the_longest_explicit_step(damping):
    """``h < 2 / omega`` with centred damping, xi = 0.3 too (damping that lags half a step would end
    at 0.744 of it): bounded 0.1 % below, unbounded 0.1 % above without damping and 2 % with it."""
    omega = 2.0
    model = duffing.Spring(c=2.0 * damping * omega, k=omega**2, k3=0.0)
    above = 1.001 if damping == 0.0 else 1.02
    sizes = []
    for share in (0.999, above):
        one = central(model, inputs=lambda t: np.zeros(1))
        h = share * 2.0 / omega
        *_, last = march(one, duffing.START, h, 800 * h)
        sizes.append(abs(last.q[0]))
    assert sizes[0] < 50.0
    assert sizes[1] > 1e6


def test_gauss_keeps_the_energy_of_a_linear_model():
    """Quadratic invariants to round-off over 500 steps of a fifth of a period."""
    model = duffing.Spring(c=0.0, k3=0.0)
    one = Gauss(model, inputs=lambda t: np.zeros(1))
    energies = [model.energy(s) for s in march(one, duffing.START, 0.6, 300.0)]
    assert np.ptp(energies) < 1e-12 * energies[0]
    assert one.counts.factorizations == 1


@pytest.mark.parametrize("stepper", [central, Gauss])
def test_a_model_sees_the_state_that_a_step_begins_with(stepper):
    """Before the step asks for forces, every step, and once before the first one."""
    calls = []

    class Watching(duffing.Spring):
        def begin_step(self, state):
            calls.append((state.t, state.q.tolist()))

        def residual(self, at, out):
            calls.append(None)
            super().residual(at, out)

    states = list(march(stepper(Watching(), inputs=lambda t: np.zeros(1)), duffing.START, 0.1, 0.3))
    begun = [
        call for before, call in zip([None, *calls], calls, strict=False) if call and not before
    ]
    assert begun == [(s.t, s.q.tolist()) for s in (states[0], *states[:-1])]


def test_an_explicit_step_never_factors_a_stiffness():
    """The strained block in flight: its masses are factored once in 50 steps."""
    case = tets.CASES[2]
    one = central(case.model)
    list(march(one, case.state, 0.002, 0.1))
    assert one.counts.factorizations == 1


@pytest.mark.parametrize("stepper", [central, Gauss])
def test_rows_are_refused(stepper):
    """A method without multipliers says that it has none, in one line."""
    with pytest.raises(InputError, match="analysis.method: found '.*constraints"):
        stepper(rigid.CASES[2].model).begin(rigid.CASES[2].state)


def test_events_are_of_the_loop():
    """The first impact of the ball is found by explicit steps as well, at sqrt(2 h / g)."""
    one = central(stop.CASES[0].model, inputs=stop.lift)
    states = list(march(one, replace(stop.START), 0.01, 0.6))
    hit = next(a.t for a, b in zip(states, states[1:], strict=False) if a.t == b.t)
    assert abs(hit - np.sqrt(0.2)) < 1e-10
