# SPDX-License-Identifier: BSD-3-Clause
"""Equations as the formalisms write them: the same motion, by every method and at every stage."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from compiled import build_kernels, library, quick_compiler
from flexforge.codegen.elements.library import element
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.as_written import (
    STAGES,
    compile_equations,
    equations_kernel,
    natural_programs,
    write_equations,
)
from marks import slow
from specimens import ELEMENTS, SMALL, distorted, relative, values

MATRICES = {"mass": (2, 1), "coriolis": (1, 2), "stiffness": (0, 1), "euler": (0, 1),
            "centrifugal": (0, 1)}  # fmt: skip
LARGE = [n if n == SMALL[0] else slow(n) for n in ELEMENTS]


@cache
def _programs(name, formalism):
    """Return the programs of an element's equations, written once a process."""
    return natural_programs(write_equations(element(name), formalism))


def _shapes(name, count):
    """Return distorted elements; straight ones where m and k are integrated by different rules."""
    subject = ELEMENTS[name]
    X = distorted(subject, count, seed=5)
    if subject.degree["mass"] == subject.degree["stiffness"]:
        return X
    linear = [k for k, node in enumerate(subject.nodes) if all(x in (0, 1) for x in node)]
    reference = np.array(subject.nodes, dtype=float)
    corners = np.stack([X[k] for k in linear])
    weights = np.column_stack([1 - reference.sum(axis=1), reference])
    return np.einsum("ac,cie->aie", weights, corners)


def _canonical(name, X, p, state):
    """Return m d'' + 2 c d' + (k + k_eps + k_omega) d + q_eps + q_omega + m_O a_O - q*."""
    kernels = library(name)
    total = np.zeros(X.shape)
    for term, (rate, factor) in MATRICES.items():
        matrix = kernels[term](X, p)
        total += factor * np.einsum("aibje,bje->aie", matrix, state[rate])
    for term in ("euler_load", "centrifugal_load", "translation"):
        total += kernels[term](X, p)
    return total - kernels["body_load"](X, p)


def _hamilton(name, X, p, state):
    """Return c d + s, and p' from the balance: (m d' + c d + s)' less the second-order left side.

    With e = 0 and a_O = w x v_O, where momentum changes by m d'' + c d' only: p' is then
    m d'' + c d' minus the residual, whatever d'' is.
    """
    kernels = library(name)
    w = _vector(p, "w")
    v = _vector(p, "v_O")
    steady = p | {k: 0.0 for k in p if k[0] == "e"} | _named("a_O", np.cross(w, v))
    own = kernels["euler_load"](X, p | _named("e", w))
    own += kernels["translation"](X, p | _named("a_O", v))
    momentum = np.einsum("aibje,bje->aie", kernels["coriolis"](X, p), state[0]) + own
    change = np.einsum("aibje,bje->aie", kernels["mass"](X, p), state[2])
    change += np.einsum("aibje,bje->aie", kernels["coriolis"](X, p), state[1])
    return np.stack([momentum, change - _canonical(name, X, steady, state)])


def _vector(p, stem):
    """Return a vector of parameters in space; in the plane w and e are along the normal."""
    if stem + "1" in p:
        return np.array([p.get(f"{stem}{i}", 0.0) for i in (1, 2, 3)])
    return np.array([0.0, 0.0, p[f"{stem}3"]])


def _named(stem, vector):
    return {f"{stem}{i + 1}": vector[i] for i in range(3)}


def _case(name, count=4):
    subject = ELEMENTS[name]
    X = _shapes(name, count)
    state = 0.1 * np.random.default_rng(7).standard_normal((3, *X.shape))
    names = _programs("tri3" if subject.components == 2 else "tet4", "kane")
    p = values(names["passes"].parameters)
    return X, p, state


@pytest.mark.parametrize("name", [SMALL[0], slow(SMALL[1]), slow(SMALL[2])])
@pytest.mark.parametrize("formalism", FORMALISMS)
def test_every_stage_computes_the_equations_of_motion(name, formalism):
    """As written, after sympy.cse and after our passes: the canonical terms, to 1e-12."""
    X, p, state = _case(name)
    expected = (_hamilton if formalism == "hamilton" else _canonical)(name, X, p, state)
    for stage, program in _programs(name, formalism).items():
        used = {k: p[k] for k in program.parameters}
        found = interpret(program, {"coordinates": X, "state": state}, used)
        target = expected if formalism == "hamilton" else expected[None]
        assert relative(found, target) < 1e-12, stage


@pytest.mark.parametrize("name", LARGE)
def test_formalisms_compile_to_the_same_motion(name):
    """physics.md section 4, check 2, as compiled numbers to 1e-12: every formalism, own kernel."""
    X, p, state = _case(name, count=2)
    for formalism in FORMALISMS:
        kernel = compile_equations(ELEMENTS[name], formalism)
        expected = (_hamilton if formalism == "hamilton" else _canonical)(name, X, p, state)
        native = build_kernels([kernel], quick_compiler())["equations"]
        found = np.stack(
            [native(X[..., [k]], p, state[..., [k]])[..., 0] for k in range(X.shape[-1])], axis=-1
        )
        target = expected if formalism == "hamilton" else expected[None]
        assert relative(found, target) < 1e-12, formalism


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_stages_cost_less_and_less(formalism):
    """Naming what occurs twice saves operations; the passes save more than sympy.cse does."""
    programs = _programs("quad4_plane_stress", formalism)
    assert tuple(programs) == STAGES
    costs = [count(program).operations for program in programs.values()]
    assert costs[0] > costs[1] > costs[2]


def test_a_wrong_equation_is_noticed():
    """The comparison can fail: without the factor 2 of Coriolis the kernels disagree."""
    X, p, state = _case("tri3_plane_stress")
    program = _programs("tri3_plane_stress", "kane")["passes"]
    used = {k: p[k] for k in program.parameters}
    spoiled = state.copy()
    spoiled[1] /= 2
    found = interpret(program, {"coordinates": X, "state": spoiled}, used)
    assert relative(found[0], _canonical("tri3_plane_stress", X, p, state)) > 1e-6


def test_descriptor_and_errors():
    """A kernel of equations says what it computes; wrong names suggest the nearest."""
    kernel = compile_equations(ELEMENTS["tri3_plane_stress"], "hamilton")
    assert (kernel.rows, kernel.columns, kernel.units) == (12, 1, "kg m/s, N")
    assert kernel.name == "tri3_plane_stress_hamilton_passes"
    assert "Hamilton" in kernel.meaning
    program = _programs("tri3_plane_stress", "kane")["sympy_cse"]
    assert equations_kernel(ELEMENTS["tri3_plane_stress"], "kane", "sympy_cse", program).rows == 6
    with pytest.raises(InputError, match="did you mean 'passes'"):
        compile_equations(ELEMENTS["tri3_plane_stress"], "kane", "pases")
    with pytest.raises(InputError, match="did you mean 'kane'"):
        compile_equations(ELEMENTS["tri3_plane_stress"], "kain")
