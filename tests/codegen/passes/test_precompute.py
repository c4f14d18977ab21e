# SPDX-License-Identifier: BSD-3-Clause
"""Precompute: in a sum for pairs of nodes, what belongs to one node is computed once a node."""

from __future__ import annotations

from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Mul, operands
from flexforge.codegen.ir.program import Accumulate, For, Store, walk
from flexforge.codegen.passes.precompute import precompute_point_values
from programs import exact, nest
from specimens import ELEMENTS


def _weighted(g):
    return g.mul(g.load("value", "q"), g.load("table", "q", "a"), g.load("table", "q", "b"))


def test_by_hand():
    """Sum_q v t_a t_b for 2 x 2 pairs and 3 points: 24 products become 12 + 6."""
    program = nest(_weighted)
    after = precompute_point_values(program)
    assert exact(after) == exact(program)
    assert (count(program).products, count(after).products) == (24, 18)
    (new,) = set(after.arrays) - set(program.arrays)
    assert (new.kind, new.shape) == ("local", (3, 2))
    stores = [s for s in walk(after.body) if isinstance(s, Store) and s.array == new.name]
    assert [s.index for s in stores] == [("q", "a")]


def test_triangular_pairs():
    """With pairs b >= a only, 3 pairs: 18 products become 9 + 6."""
    program = nest(_weighted, first="a")
    after = precompute_point_values(program)
    assert exact(after) == exact(program)
    assert (count(program).products, count(after).products) == (18, 15)


def test_equal_values_are_stored_once():
    """Two terms with one factor of the node a need one array."""

    def build(g):
        v, t = g.load("value", "q"), g.load("table", "q", "a")
        return g.add(
            g.mul(v, t, g.load("table", "q", "b")), g.mul(v, t, g.load("coordinates", "b", 0))
        )

    program = nest(build)
    after = precompute_point_values(program)
    assert exact(after) == exact(program)
    assert len(after.arrays) == len(program.arrays) + 1


def test_a_bare_entry_needs_no_array():
    """T_a t_b has nothing to save."""
    program = nest(lambda g: g.mul(g.load("table", "q", "a"), g.load("table", "q", "b")))
    after = precompute_point_values(program)
    assert after.body == program.body
    assert after.arrays == program.arrays


def test_it_is_left_alone_where_multiplying_out_costs_more():
    """A cube of a sum over a and b has many monomials: the loops stay as they are."""

    def build(g):
        total = g.add(
            g.load("table", "q", "a"),
            g.load("coordinates", "b", 0),
            g.load("value", "q"),
            g.load("table", "q", "b"),
        )
        return g.mul(total, total, total)

    program = nest(build)
    after = precompute_point_values(program)
    assert after.body == program.body


def test_one_product_a_point_and_pair_remains():
    """In the scalar mass and in every stiffness moment one product a point and pair is left."""
    for term in ("scalar_mass", "stiffness"):
        stages = {}
        compile_kernel(ELEMENTS["hex27"], term, dump=stages.__setitem__)
        pairs = next(
            s
            for s in stages["precompute"].body
            if isinstance(s, For) and isinstance(s.body[0], For) and s.body[0].first == s.index
        )
        for statement in walk(pairs.body):
            if isinstance(statement, Accumulate):
                assert isinstance(statement.value, Mul)
                assert len(operands(statement.value)) == 2
