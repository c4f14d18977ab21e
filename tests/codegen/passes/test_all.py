# SPDX-License-Identifier: BSD-3-Clause
"""What holds of every pass: it changes no output, is idempotent, and costs no operation.

A pass that joins the pipeline is covered by joining it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from compiled import kernel_of
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import Accumulate, For, Let, Store, Zero, walk
from flexforge.codegen.passes import PIPELINE
from programs import exact, exact_inputs, random_program
from specimens import ELEMENTS, FACET_ELEMENTS, distorted, heavy_are_slow, relative, values

PASSES = list(PIPELINE)
#: Every shape of program the compiler makes: constant and varying Jacobians, lines and facets.
#: In exact arithmetic one element of one point, whose fractions are short.
EXACT = ("tri3_plane_stress",)
QUICK = ["tri3_plane_stress", "tri6_plane_stress", "quad4_plane_strain", "tet4", *FACET_ELEMENTS]
NAMES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in (*ELEMENTS, *FACET_ELEMENTS)
]
#: Terms on which every pass is tried alone; of a facet its only one.
ALONE = (
    "stiffness",
    "stiffness_action",
    "scalar_mass",
    "coriolis",
    "centrifugal_load",
    "geometric",
    "stress",
)
#: Passes that put tables in the place of others: the numbers of both are rounded.
ROUNDS = ("mirrored_sums",)
#: A small kernel that costs more without the pass.
SAVES = {
    "mirrored_sums": ("quad9_plane_strain", "stiffness_action"),
    "uniform": ("tet4", "scalar_mass"),
    "moments": ("tri6_plane_stress", "stiffness"),
    "precompute": ("quad4_plane_strain", "geometric"),
    "unroll": ("tri3_plane_stress", "stiffness"),
    "factor": ("quad4_plane_strain", "geometric"),
    "hoist": ("tri6_plane_stress", "stiffness"),
    "cse": ("tri3_plane_stress", "stiffness"),
    "prune": ("tri3_plane_stress", "stress"),
}


def _subject(name):
    return ELEMENTS.get(name) or FACET_ELEMENTS[name]


@cache
def _lowered(name, term):
    return compile_kernel(_subject(name), term, passes={}).program


@cache
def _stages(name, term):
    """Return the name of every pass with the program after it, the lowered one first."""
    stages = {"lowered": _lowered(name, term)}
    for pass_name, run in PIPELINE.items():
        stages[pass_name] = run(list(stages.values())[-1])
    return stages


def _exact_case(program):
    """Return inputs for which no Jacobian is zero, and what the program makes of them."""
    for seed in range(1, 9):
        given = exact_inputs(program, 1, seed)
        with suppress(ZeroDivisionError):
            return given, exact(program, given)
    raise AssertionError("eight times in a row a determinant was zero")


def _assert_same(after, given, expected, pass_name):
    """Compare outputs, exactly wherever the pass is algebra; return what is found."""
    found = exact(after, given)
    if pass_name in ROUNDS:
        scale = max(map(abs, expected))
        assert max(abs(a - b) for a, b in zip(found, expected, strict=True)) < 1e-14 * scale
    else:
        assert found == expected
    return found


@pytest.mark.parametrize(
    "name",
    heavy_are_slow(*ELEMENTS, *FACET_ELEMENTS, more=tuple(n for n in ELEMENTS if n not in EXACT)),
)
def test_exactly_neutral_in_place(name):
    """In exact arithmetic the output is the same fraction after every pass of the pipeline.

    A pass that computes tables anew changes it by their rounding, and has an exact test of its own.
    """
    for term in terms_of(_subject(name)):
        stages = _stages(name, term)
        before = stages["lowered"]
        given, expected = _exact_case(before)
        for pass_name, after in stages.items():
            if after != before:
                expected = _assert_same(after, given, expected, pass_name)
            before = after


@pytest.mark.parametrize("name", NAMES)
def test_idempotent_in_place(name):
    """A second run of a pass changes nothing, statement by statement, where it stands."""
    for term in terms_of(_subject(name)):
        stages = _stages(name, term)
        for pass_name, run in PIPELINE.items():
            assert run(stages[pass_name]) == stages[pass_name], (term, pass_name)


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("name", heavy_are_slow(*QUICK, "hex8", more=("hex8",)))
def test_neutral_and_idempotent_alone(name, pass_name):
    """On what lowering made, with no pass before it: the same fractions, and once is enough."""
    for term in terms_of(_subject(name)):
        if term in (*ALONE, "pressure"):
            program = _lowered(name, term)
            after = PIPELINE[pass_name](program)
            assert PIPELINE[pass_name](after) == after, term
            if after != program:
                _assert_same(after, *_exact_case(program), pass_name)


@pytest.mark.parametrize("name", NAMES)
def test_neutral_in_doubles(name):
    """In doubles the output differs by rounding only after all passes, for every term."""
    subject = _subject(name)
    X = distorted(subject, 2, seed=71)
    rates = 0.1 * np.random.default_rng(72).standard_normal((3, *X.shape))
    for term in terms_of(subject):
        state = rates if term == "motion_action" else rates[0]
        inputs = {"coordinates": X, "state": state}
        if name in ("hex20", "hex27") and term in ("mass", "coriolis", "euler"):
            continue  # the same loops as centrifugal; the interpreter is slow on 20 nodes
        *_, finished = (stages := _stages(name, term)).values()
        parameters = values(finished.parameters)
        expected = interpret(stages["lowered"], inputs, parameters)
        assert relative(interpret(finished, inputs, parameters), expected) < 1e-13, term


@pytest.mark.parametrize("name", NAMES)
def test_operations_do_not_grow(name):
    """The passes together make no kernel more expensive, and every kernel of solids cheaper."""
    for term in terms_of(_subject(name)):
        stages = _stages(name, term)
        before, after = count(stages["lowered"]), count(list(stages.values())[-1])
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


@pytest.mark.parametrize("left_out", PASSES)
def test_every_pass_saves_operations(left_out):
    """Without any one of the passes some kernel costs more.

    ``flexforge bench ablation`` measures the same on more kernels.
    """
    name, term = SAVES[left_out]
    passes = {key: run for key, run in PIPELINE.items() if key != left_out}
    without = compile_kernel(ELEMENTS[name], term, passes=passes).count.operations
    assert kernel_of(name, term).count.operations < without


@pytest.mark.parametrize("seed", range(60))
def test_idempotent_in_place_on_random_programs(seed):
    """A second run of a pass changes nothing of a random program where the pass stands."""
    program = random_program(seed)
    for name, run in PIPELINE.items():
        program = run(program)
        assert run(program) == program, name


@pytest.mark.parametrize("pass_name", PASSES)
@pytest.mark.parametrize("seed", range(40))
def test_neutral_on_random_programs(seed, pass_name):
    """Random sums over points for pairs of nodes: same fractions after a pass alone."""
    program = random_program(seed)
    given = exact_inputs(program)
    after = PIPELINE[pass_name](program)
    assert exact(after, given) == exact(program, given)
    assert PIPELINE[pass_name](after) == after


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


@pytest.mark.parametrize("name", heavy_are_slow("tri6_plane_stress", "hex8", more=("hex8",)))
def test_every_scalar_is_assigned_once_before_use(name):
    """After the passes: names are unique, defined before they are read, and all are read."""
    from flexforge.codegen.ir.expression import Temp
    from flexforge.codegen.ir.traversal import postorder

    for term in terms_of(ELEMENTS[name]):
        *_, program = _stages(name, term).values()
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
