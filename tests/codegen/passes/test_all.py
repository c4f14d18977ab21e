# SPDX-License-Identifier: BSD-3-Clause
"""What holds of every pass: it changes no output, is idempotent, and costs no operation."""

from __future__ import annotations

import numpy as np
import pytest
from flexforge.codegen.count import count
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import Accumulate, For, Let, Store, Zero, walk
from flexforge.codegen.kernel import compile_kernel, terms_of
from flexforge.codegen.passes import PIPELINE
from programs import exact, exact_inputs, random_program
from specimens import ELEMENTS, FACET_ELEMENTS, distorted, relative, values

PASSES = list(PIPELINE)
NAMES = [
    pytest.param(n, marks=pytest.mark.slow if n == "hex27" else ())
    for n in (*ELEMENTS, *FACET_ELEMENTS)
]
#: Elements whose programs are run in exact arithmetic.
EXACT = [("tri3_plane_stress", t) for t in terms_of(ELEMENTS["tri3_plane_stress"])]
EXACT += [("quad4_plane_strain", t) for t in ("stiffness", "centrifugal", "geometric", "stress")]
EXACT += [("tet4", t) for t in ("stiffness", "coriolis", "centrifugal_load")]
EXACT += [("facet_line3_2d", "pressure"), ("facet_tri3_3d", "pressure")]


def _subject(name):
    return ELEMENTS.get(name) or FACET_ELEMENTS[name]


def _stages(program):
    """Yield the name of every pass with the program before and after it."""
    for name, run in PIPELINE.items():
        after = run(program)
        yield name, program, after
        program = after


@pytest.mark.parametrize(("name", "term"), EXACT)
def test_exactly_neutral_on_elements(name, term):
    """In exact arithmetic the output is the same fraction before and after every pass."""
    program = compile_kernel(_subject(name), term, passes={}).program
    given = exact_inputs(program)
    expected = exact(program, given)
    for pass_name, _, after in _stages(program):
        assert exact(after, given) == expected, pass_name


@pytest.mark.parametrize("name", NAMES)
def test_neutral_on_all_terms(name):
    """In doubles the output differs by rounding only after all passes, for every term."""
    subject = _subject(name)
    X = distorted(subject, 2, seed=71)
    state = 0.1 * np.random.default_rng(72).standard_normal(X.shape)
    inputs = {"coordinates": X, "state": state}
    for term in terms_of(subject):
        if name in ("hex20", "hex27") and term in ("mass", "coriolis", "euler"):
            continue  # the same loops as centrifugal; the interpreter is slow on 20 nodes
        program = compile_kernel(subject, term, passes={}).program
        parameters = values(program.parameters)
        expected = interpret(program, inputs, parameters)
        *_, (_, _, finished) = _stages(program)
        assert relative(interpret(finished, inputs, parameters), expected) < 1e-13, term


@pytest.mark.parametrize("name", NAMES)
def test_operations_do_not_grow(name):
    """The passes together make no kernel more expensive, and every kernel of solids cheaper."""
    for term in terms_of(_subject(name)):
        before = compile_kernel(_subject(name), term, passes={}).count
        after = compile_kernel(_subject(name), term).count
        assert after.operations < before.operations, term
        assert after.bytes_moved == before.bytes_moved
        assert (after.quotients, after.roots) <= (before.quotients, before.roots)


@pytest.mark.parametrize("seed", range(60))
def test_operations_do_not_grow_on_random_programs(seed):
    """Nor do they make a random program more expensive, wherever multiplying out would."""
    program = after = random_program(seed)
    for run in PIPELINE.values():
        after = run(after)
    assert count(after).operations <= count(program).operations


@pytest.mark.parametrize("left_out", ["moments", "precompute", "factor", "hoist", "cse"])
def test_every_pass_saves_operations(left_out):
    """Without any one of the passes the stiffness and mass kernels together cost more."""
    fewer = {name: run for name, run in PIPELINE.items() if name != left_out}
    totals = [0, 0]
    for name in ("quad4_plane_stress", "tet10", "hex8"):
        for term in ("stiffness", "mass", "stress"):
            for k, passes in enumerate((PIPELINE, fewer)):
                kernel = compile_kernel(ELEMENTS[name], term, passes=passes)
                totals[k] += kernel.count.operations
    assert totals[0] < totals[1]


@pytest.mark.parametrize("name", ELEMENTS)
def test_idempotent(name):
    """A second run of a pass changes nothing, statement by statement."""
    for term in terms_of(ELEMENTS[name]):
        program = compile_kernel(ELEMENTS[name], term, passes={}).program
        for pass_name, _, after in _stages(program):
            again = PIPELINE[pass_name](after)
            assert again.body == after.body, (term, pass_name)
            assert again.arrays == after.arrays


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("seed", range(40))
def test_neutral_on_random_programs(seed, pass_name):
    """Random sums over points for pairs of nodes: same fractions after a pass alone."""
    program = random_program(seed)
    given = exact_inputs(program)
    after = PIPELINE[pass_name](program)
    assert exact(after, given) == exact(program, given)
    again = PIPELINE[pass_name](after)
    assert again.body == after.body


@pytest.mark.parametrize("seed", range(40, 60))
def test_pipeline_on_random_programs(seed):
    """All passes one after the other, in the order of the compiler and in the reverse order."""
    program = random_program(seed)
    given = exact_inputs(program)
    expected = exact(program, given)
    for order in (PASSES, PASSES[::-1]):
        changed = program
        for name in order:
            changed = PIPELINE[name](changed)
            assert exact(changed, given) == expected, name


@pytest.mark.parametrize("name", ["tri6_plane_stress", "hex8"])
def test_every_scalar_is_assigned_once_before_use(name):
    """After the passes: names are unique, defined before they are read, and all are read."""
    from flexforge.codegen.ir.expression import Temp
    from flexforge.codegen.ir.traversal import postorder

    for term in terms_of(ELEMENTS[name]):
        program = compile_kernel(ELEMENTS[name], term).program
        names = [s.name for s in walk(program.body) if isinstance(s, Let | Zero)]
        assert len(names) == len(set(names))
        read = set()

        def visit(body, known, read=read):
            known = set(known)
            for statement in body:
                if isinstance(statement, Let | Accumulate | Store):
                    used = {n.name for n in postorder([statement.value]) if isinstance(n, Temp)}
                    assert used <= known
                    read |= used
                if isinstance(statement, Accumulate):
                    assert statement.name in known
                if isinstance(statement, Let | Zero):
                    known.add(statement.name)
                if isinstance(statement, For):
                    visit(statement.body, known, read)

        visit(program.body, set())
        assert set(names) == read


def test_a_pass_that_flips_a_sign_is_noticed():
    """The comparison can fail: negating one accumulation changes the fractions."""
    from dataclasses import replace

    from flexforge.codegen.passes.rewriting import map_bodies

    program = random_program(3)
    graph = program.graph

    def flip(body):
        return tuple(
            replace(s, value=graph.mul(graph.const(-1), s.value))
            if isinstance(s, Accumulate)
            else s
            for s in body
        )

    spoiled = replace(program, body=map_bodies(program.body, flip))
    assert exact(spoiled) != exact(program)
