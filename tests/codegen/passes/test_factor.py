# SPDX-License-Identifier: BSD-3-Clause
"""Factoring: a b + a c = a (b + c), the most frequent factor first."""

from __future__ import annotations

import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.passes import PIPELINE
from flexforge.codegen.passes.factor import factor, factor_sums
from marks import slow
from programs import exact, exact_inputs, flat, random_program
from specimens import ELEMENTS


def _operations(build):
    program = flat(build)
    after = factor_sums(program)
    assert exact(after) == exact(program)
    return count(program).operations, count(after).operations


def test_by_hand():
    """P r + p s: three operations become two."""
    g = Graph()
    p, r, s = (g.parameter(n) for n in "prs")
    assert factor(g.add(g.mul(p, r), g.mul(p, s)), g) is g.mul(p, g.add(r, s))
    assert _operations(lambda g, p, r, s: [g.add(g.mul(p, r), g.mul(p, s))]) == (3, 2)


def test_the_most_frequent_factor_goes_first():
    """P r + p s + s r + p = p (r + s + 1) + s r."""
    g = Graph()
    p, r, s = (g.parameter(n) for n in "prs")
    found = factor(g.add(g.mul(p, r), g.mul(p, s), g.mul(s, r), p), g)
    assert found is g.add(g.mul(p, g.add(r, s, g.const(1))), g.mul(s, r))


def test_nested():
    """Both parts are factored further: p r s + p r^2 + p = p (r (s + r) + 1)."""
    g = Graph()
    p, r, s = (g.parameter(n) for n in "prs")
    found = factor(g.add(g.mul(p, r, s), g.mul(p, r, r), p), g)
    assert found is g.mul(p, g.add(g.mul(r, g.add(s, r)), g.const(1)))


def test_numbers_leave_their_sign_behind():
    """2 p - 2 r = 2 (p - r), a product less; -p - r has nothing to pull out."""
    g = Graph()
    p, r = g.parameter("p"), g.parameter("r")
    two, minus = g.const(2), g.const(-1)
    found = factor(g.add(g.mul(two, p), g.mul(g.const(-2), r)), g)
    assert found is g.mul(two, g.add(p, g.mul(minus, r)))
    node = g.add(g.mul(minus, p), g.mul(minus, r))
    assert factor(node, g) is node


def test_squares():
    """P^2 + p = p (p + 1): a factor counts once a term and is taken out once."""
    g = Graph()
    p = g.parameter("p")
    assert factor(g.add(g.mul(p, p), p), g) is g.mul(p, g.add(p, g.const(1)))


@pytest.mark.parametrize("seed", range(20))
def test_operations_do_not_grow(seed):
    """On random programs: never more operations, and the same fractions."""
    program = random_program(seed)
    after = factor_sums(program)
    assert count(after).operations <= count(program).operations
    given = exact_inputs(program)
    assert exact(after, given) == exact(program, given)


@pytest.mark.parametrize("name", ["tri6_plane_stress", "quad4_plane_strain", slow("tet4")])
def test_it_is_kept_only_where_it_pays(name):
    """Factoring hides products that sums have in common: the pipeline takes the cheaper way.

    Found on the stiffness of tri6: 1166 operations with factoring, 1084 without.
    """
    never = {k: v for k, v in PIPELINE.items() if k != "factor"}
    always = PIPELINE | {"factor": factor_sums}
    chose = set()
    for term in ("stiffness", "geometric", "stress"):
        cost = {
            way: compile_kernel(ELEMENTS[name], term, passes=passes).count.operations
            for way, passes in (("chosen", PIPELINE), ("never", never), ("always", always))
        }
        assert cost["chosen"] == min(cost.values()), term
        chose |= {way for way in ("never", "always") if cost[way] > cost["chosen"]}
    assert chose == {"never", "always"}
