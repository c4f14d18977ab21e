# SPDX-License-Identifier: BSD-3-Clause
"""Hoisting: every expression is computed at the slowest rate it has."""

from __future__ import annotations

import pytest
from compiled import kernel_of
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.expression import Add, Graph, Mul, Parameter, Temp, operands
from flexforge.codegen.ir.program import Accumulate, Array, For, Let, Program, Store, Zero, walk
from flexforge.codegen.ir.traversal import dependences, postorder
from flexforge.codegen.passes.hoist import hoist_invariants
from programs import exact, nest, random_program
from specimens import ELEMENTS, FACET_ELEMENTS

MOTION = ("w1", "w2", "w3", "e1", "e2", "e3", "a_O1", "a_O2", "a_O3", "f1", "f2", "f3")


def _places(program):
    """Return the loops around each named scalar."""
    places = {}

    def visit(body, loops):
        for s in body:
            if isinstance(s, Let):
                places[s.name] = loops
            if isinstance(s, For):
                visit(s.body, (*loops, s.index))

    visit(program.body, ())
    return places


def test_every_rate_by_hand():
    """P r goes to the call, p X[a] to the loop over a, table[q] p stays in the loop over q."""
    program = nest(
        lambda g: g.mul(
            g.add(g.mul(g.parameter("p"), g.parameter("r")), g.load("coordinates", "a", 0)),
            g.add(g.load("table", "q", "b"), g.mul(g.parameter("p"), g.parameter("r"))),
            g.div(g.const(1), g.load("coordinates", "b", 1)),
        )
    )
    after = hoist_invariants(program)
    assert exact(after) == exact(program)
    places = _places(after)
    # p r and 1 + r at the call; the sum with X[a] in a; the quotient, with it, in b
    assert sorted(places.values(), key=len)[0] == ()
    assert ("a",) in places.values()
    assert ("a", "b") in places.values()
    assert ("a", "b", "q") not in places.values()
    assert count(after).operations < 0.55 * count(program).operations


def test_slow_operands_are_regrouped():
    """P table[q] r: the two slow factors leave together, one product stays a point."""
    program = nest(lambda g: g.mul(g.parameter("p"), g.load("table", "q", "a"), g.parameter("r")))
    after = hoist_invariants(program)
    assert exact(after) == exact(program)
    assert count(program).products - count(after).products == 2 * 2 * 3 - 1


def test_accumulators_do_not_move():
    """A sum is finished only after its loop: what reads it stays behind it."""
    program = nest(lambda g: g.load("value", "q"), after=lambda g, t: g.mul(t, t, g.parameter("p")))
    after = hoist_invariants(program)
    assert exact(after) == exact(program)
    inner = after.body[-1].body[-1].body
    kinds = [type(s) for s in inner]
    assert kinds.index(Store) > kinds.index(For)


def test_arrays_written_in_the_loop_stay():
    """An entry that the loop itself writes is not read before the loop."""
    g = Graph()
    kept = g.load("kept", 0)
    arrays = (Array("coordinates", (3,), "input"), Array("kept", (1,), "local"),
              Array("out", (3,), "output"))  # fmt: skip
    body = (For("q", 3, (
        Store("kept", (0,), g.mul(g.load("coordinates", "q"), g.parameter("p"))),
        Store("out", ("q",), g.add(g.mul(kept, kept), g.const(1))),
    )),)  # fmt: skip
    program = Program(arrays, ("p",), body, g)
    assert exact(hoist_invariants(program)) == exact(program)


def _leftovers(program, kinds=(Add, Mul)):
    """Yield invariant work in loops: whole nodes, or several slow operands of one node."""
    names = {}

    def visit(body, loops):
        for s in body:
            match s:
                case Let(name, value):
                    names[name] = dependences([value], names)[value.number] & set(loops)
                case Zero(name):
                    names[name] = frozenset(loops)
                case For(index, _, inner, _):
                    made = {x.name for x in walk(inner) if isinstance(x, Let | Zero)}
                    names.update(dict.fromkeys(made, frozenset({index})))
                    yield from visit(inner, (*loops, index))
            if isinstance(s, Let | Accumulate | Store) and loops:
                depends = dependences([s.value], names)
                for node in postorder([s.value]):
                    args = operands(node)
                    slow = [a for a in args if loops[-1] not in depends[a.number]]
                    several = isinstance(node, kinds) and len(slow) > 1
                    if several or (args and loops[-1] not in depends[node.number]):
                        yield s, node

    yield from visit(program.body, ())


@pytest.mark.parametrize(
    "name",
    [
        "tet4",
        "facet_quad8_3d",
        *(pytest.param(one, marks=pytest.mark.slow) for one in ("quad8_plane_strain", "hex8")),
    ],
)
def test_nothing_invariant_is_left_in_a_loop(name):
    """Right after the pass no loop holds work that does not change with it, signs excepted."""
    subject = ELEMENTS.get(name) or FACET_ELEMENTS[name]
    for term in terms_of(subject):
        stages = {}
        compile_kernel(subject, term, dump=stages.__setitem__)
        for statement, node in _leftovers(stages["hoist"]):
            free = isinstance(node, Mul) and all(not operands(a) for a in operands(node))
            signs = [a for a in operands(node) if getattr(a, "value", None) == -1]
            assert free and signs, (term, statement)


def _tainted(program, names):
    """Return the scalars and the statements whose value depends on the named parameters."""
    tainted, statements = set(), []

    def reads(value):
        return any(
            (isinstance(n, Parameter) and n.name in names)
            or (isinstance(n, Temp) and n.name in tainted)
            for n in postorder([value])
        )

    def visit(body, loops):
        for s in body:
            if isinstance(s, For):
                visit(s.body, (*loops, s.index))
            elif isinstance(s, Let | Accumulate | Store) and reads(s.value):
                statements.append((loops, s))
                if not isinstance(s, Store):
                    tainted.add(s.name)

    visit(program.body, ())
    return statements


@pytest.mark.parametrize("name", ["tri3_plane_stress", "quad8_plane_strain", "tet4", "hex8"])
@pytest.mark.parametrize("term", ["coriolis", "euler", "centrifugal"])
def test_motion_and_geometry_are_apart(name, term):
    """Nothing that depends on w or e is summed over the points: geometry is done without motion.

    Only the last products, matrix entry = mass moment times a block entry, see both.
    """
    program = kernel_of(name, term).program
    statements = _tainted(program, MOTION)
    assert statements
    for loops, statement in statements:
        assert "q" not in loops, statement
        if loops:  # per pair: one product with a moment, never sums of geometry
            assert isinstance(statement, Store | Let)
            assert sum(1 for n in postorder([statement.value]) if isinstance(n, Add)) == 0


@pytest.mark.parametrize("name", ["quad8_plane_stress", "hex8"])
def test_material_constants_do_not_enter_the_sums(name):
    """With several points Young's modulus and Poisson's ratio multiply moments, not integrands."""
    program = kernel_of(name, "stiffness").program
    for loops, statement in _tainted(program, ("young", "poisson")):
        assert "q" not in loops, statement


@pytest.mark.parametrize("seed", range(20))
def test_operations_do_not_grow(seed):
    """On random programs no operation is done more often than before."""
    program = random_program(seed)
    assert count(hoist_invariants(program)).operations <= count(program).operations
