# SPDX-License-Identifier: BSD-3-Clause
"""Common subexpressions: examples by hand, the cost model, and what must not be shared."""

from __future__ import annotations

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.ir.count import count, operations_of
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero, walk
from flexforge.codegen.passes.cse import eliminate_common_subexpressions
from marks import slow
from programs import exact, flat, random_program
from specimens import ELEMENTS


def _changed(build):
    program = flat(build)
    after = eliminate_common_subexpressions(program)
    assert exact(after) == exact(program)
    lets = [s for s in after.body if isinstance(s, Let)]
    return count(program).operations, count(after).operations, lets


def test_a_shared_product_is_named_once():
    """P r + s and p r s: the product p r is computed once, 4 operations become 3."""
    before, after, lets = _changed(lambda g, p, r, s: [g.add(g.mul(p, r), s), g.mul(p, r, s)])
    assert (before, after, len(lets)) == (4, 3, 1)


def test_partial_sums_are_found():
    """P + r + s and p + r - 1: the partial sum p + r is shared, 4 operations become 3."""
    before, after, lets = _changed(lambda g, p, r, s: [g.add(p, r, s), g.add(p, r, g.const(-1))])
    assert (before, after, len(lets)) == (4, 3, 1)


def test_a_pair_inside_one_node_is_shared():
    """P r p r = (p r)^2: three products become two."""
    before, after, lets = _changed(lambda g, p, r, s: [g.mul(p, r, p, r)])
    assert (before, after, len(lets)) == (3, 2, 1)


@pytest.mark.parametrize(("power", "products"), [(2, 1), (3, 2), (4, 2), (6, 3), (8, 3)])
def test_flattened_powers(power, products):
    """P p p p, multiplied out, is computed by squares again; p^3 gains nothing and is left."""
    before, after, lets = _changed(lambda g, p, r, s: [g.mul(*[p] * power)])
    assert before == power - 1
    assert after <= before
    assert after == products if power != 6 else after <= 4
    if power <= 3:
        assert not lets


def test_signs_are_free_and_get_no_name():
    """P - r s and r s + p, -p used twice: only r s is named; -p costs nothing."""

    def build(g, p, r, s):
        minus = g.const(-1)
        return [g.add(p, g.mul(minus, r, s)), g.add(g.mul(r, s), g.mul(minus, p)), g.mul(minus, p)]

    before, after, lets = _changed(build)
    assert (before, after) == (4, 3)
    assert len(lets) == 1


def test_what_a_sign_hides_is_shared():
    """-(p + r) over s and over p: the sum below the sign is computed once."""

    def build(g, p, r, s):
        negative = g.mul(g.const(-1), g.add(p, r))
        return [g.div(negative, s), g.div(negative, p)]

    before, after, lets = _changed(build)
    assert (before, after, len(lets)) == (4, 3, 1)


def test_a_product_and_its_negative_share():
    """P r s and -p r are made of one product p r: 3 operations become 2."""
    before, after, _ = _changed(lambda g, p, r, s: [g.mul(p, r, s), g.mul(g.const(-1), p, r)])
    assert (before, after) == (3, 2)


def test_whole_expressions_and_quotients():
    """A quotient used by two stores is divided once."""
    before, after, lets = _changed(
        lambda g, p, r, s: [g.div(p, g.add(r, s)), g.mul(s, g.div(p, g.add(r, s)))]
    )
    assert (before, after, len(lets)) == (5, 3, 1)


def test_what_is_used_once_stays_in_place():
    """Nothing shared, nothing named."""
    before, after, lets = _changed(lambda g, p, r, s: [g.add(g.mul(p, r), s), g.mul(p, s)])
    assert (before, after, lets) == (3, 3, [])


def test_a_let_lends_its_own_name():
    """An expression that a statement already names is not named again."""
    g = Graph()
    p, r = g.parameter("p"), g.parameter("r")
    out = Array("out", (1,), "output")
    body = (Let("t", g.mul(p, r)), Store("out", (0,), g.add(g.mul(p, r), g.temp("t"))))
    after = eliminate_common_subexpressions(Program((out,), ("p", "r"), body, g))
    assert after.body == (
        Let("t", g.mul(p, r)),
        Store("out", (0,), g.add(g.temp("t"), g.temp("t"))),
    )


def test_bodies_do_not_share_across_loops():
    """A name is used only where it is defined: the loop's body has its own."""
    g = Graph()
    x = g.load("coordinates", "q")
    product = g.mul(x, g.parameter("p"))
    arrays = (Array("coordinates", (3,), "input"), Array("out", (1,), "output"))
    body = (
        Zero("sum"),
        For("q", 3, (Accumulate("sum", product), Accumulate("sum", g.add(product, x)))),
        Store("out", (0,), g.temp("sum")),
    )
    program = Program(arrays, ("p",), body, g)
    after = eliminate_common_subexpressions(program)
    assert exact(after) == exact(program)
    loop = next(s for s in after.body if isinstance(s, For))
    assert isinstance(loop.body[0], Let)
    assert count(after).operations == count(program).operations - 3


@pytest.mark.parametrize("name", ["tri6_plane_stress", slow("tet4"), slow("hex8")])
def test_every_shared_name_saves_an_operation(name):
    """The cost model: the pass names no more scalars than it saves operations, and none is free."""
    for term in terms_of(ELEMENTS[name]):
        stages = {}
        compile_kernel(ELEMENTS[name], term, dump=stages.__setitem__)
        before, after = stages["hoist"], stages["cse"]
        lets = [s for s in walk(after.body) if isinstance(s, Let) and s.name.startswith("shared")]
        assert all(sum(operations_of(s.value)) > 0 for s in lets), term
        assert count(before).operations - count(after).operations >= len(lets), term


@pytest.mark.parametrize("seed", range(20))
def test_operations_do_not_grow(seed):
    """On random programs the pass alone never costs an operation."""
    program = random_program(seed)
    assert count(eliminate_common_subexpressions(program)).operations <= count(program).operations
