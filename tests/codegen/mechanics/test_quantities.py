# SPDX-License-Identifier: BSD-3-Clause
"""Named quantities: derivatives by the chain rule are those of the expressions written out."""

from __future__ import annotations

import random

import pytest
import sympy
from flexforge.codegen.mechanics.quantities import Quantities

Q = sympy.symbols("q1:4", real=True)
V = sympy.symbols("v1:4", real=True)
A = sympy.symbols("a1:4", real=True)
RATES = dict(zip((*Q, *V), (*V, *A), strict=True))


def _graph(seed):
    """Return random quantities, each made of earlier ones."""
    source, known = random.Random(seed), Quantities({})
    values = [*Q, *V]
    for _ in range(12):
        a, b, c = source.sample(values, 3)
        made = source.choice(
            [a * b - 2 * c, sympy.sin(a + b), a**2 + b * c, sympy.cos(a) * b, a / (2 + b**2),
             sympy.sqrt(3 + a**2) - c]
        )  # fmt: skip
        values.append(known.name(made))
    return known, values[-3:]


def _written(known, value):
    for name in reversed(known.definitions):
        value = value.xreplace({name: known.definitions[name]})
    return value


def _same(left, right):
    at = {s: sympy.Rational(k + 3, 7 + 2 * k) for k, s in enumerate((*Q, *V, *A))}
    return abs(sympy.N(left.xreplace(at) - right.xreplace(at), 30)) < 1e-25


@pytest.mark.parametrize("seed", range(6))
def test_derivatives_are_those_of_what_is_written_out(seed):
    """Partial, total and backward derivatives against SymPy's of the whole expression."""
    known, values = _graph(seed)
    for value in values:
        whole = _written(known, value)
        for symbol in (*Q, *V):
            found = _written(known, known.partial(value, symbol))
            assert _same(found, sympy.diff(whole, symbol))
        change = sum(sympy.diff(whole, s) * rate for s, rate in RATES.items())
        assert _same(_written(known, known.total(value, RATES)), change)
    weights = [sympy.Integer(2), V[0], -Q[1]]
    backward = known.reverse(zip(values, weights, strict=True), Q)
    for symbol, found in zip(Q, backward, strict=True):
        expected = sum(
            w * sympy.diff(_written(known, v), symbol) for v, w in zip(values, weights, strict=True)
        )
        assert _same(_written(known, found), expected)


def test_equal_expressions_have_one_name_and_opposite_ones_its_negative():
    known = Quantities({})
    first = known.name(Q[0] * Q[1])
    assert known.name(Q[1] * Q[0]) == first
    assert known.name(-Q[0] * Q[1]) == -first
    assert known.name(-first) == -first and known.name(sympy.Integer(3)) == 3
    assert len(known.definitions) == 1


def test_a_known_rate_replaces_the_chain_rule():
    """A vector that turns: its rate is the cross product, and df/dq = df'/dq'."""
    known = Quantities({Q[0]: V[0]})
    turned = known.name(sympy.sin(Q[0]) * 3, lambda: V[0] * Q[2])
    assert _written(known, known.total(turned, RATES)) == V[0] * Q[2]
    assert known.partial(turned, Q[0]) == Q[2]
    # In other speeds, the rate of the coordinate is what replaces its velocity.
    other = {Q[0]: 5 * A[2]}
    assert _same(_written(known, known.total(turned, other)), 5 * A[2] * Q[2])


def test_values_replaced_below_names():
    known = Quantities({})
    inner = known.name(Q[0] + V[0])
    outer = known.name(inner * Q[1])
    (found,) = known.at([outer], {V[0]: sympy.Integer(0)})
    assert _written(known, found) == Q[0] * Q[1]
    assert known.at([outer], {}) == [outer]


def test_users_may_call_their_symbols_like_a_name():
    """Names contain a point, which no symbol of a user does."""
    known = Quantities({})
    mine = sympy.Symbol("s1", real=True)
    assert known.name(Q[0] * Q[1]) != mine
    assert all("." in name.name for name in known.definitions)
