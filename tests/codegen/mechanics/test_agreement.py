# SPDX-License-Identifier: BSD-3-Clause
"""One meaning, four ways to it: SymPy, interpreter, scalar kernel, every lane of a batch."""

from __future__ import annotations

import re

import by_sympy
import numpy as np
import pytest
from compiled import library
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.emission.emit import emit
from flexforge.codegen.ir.interpret import interpret
from specimens import (
    ELEMENTS,
    FACET_ELEMENTS,
    HEAVY,
    REPEATED,
    SMALL,
    TERMS,
    by_lanes,
    distorted,
    equations,
    heavy_are_slow,
    relative,
    values,
)

#: Agreement promised on random distorted elements, relative.
TOLERANCE = 1e-13
COUNT = 19  # no multiple of any number of lanes: the last group is incomplete
#: Every term of small elements, and the stiffness of those that are little larger, in `make test`.
CASES = [
    pytest.param(
        name,
        term,
        marks=()
        if name in SMALL or (term == "stiffness" and name not in (*HEAVY, *REPEATED, "hex8"))
        else pytest.mark.slow,
    )
    for name in ELEMENTS
    for term in TERMS
]
CASES += [(name, "pressure") for name in FACET_ELEMENTS]


def _subject(name):
    return ELEMENTS.get(name) or FACET_ELEMENTS[name]


def _case(name, term, count=COUNT):
    """Return element, kernel, coordinates, parameters and state of a case."""
    subject = _subject(name)
    kernel = library(name)[term].kernel
    X = distorted(subject, count, seed=11)
    rates = [a.shape[:-2] for a in kernel.program.arrays if a.name == "state"]
    shape = (*(rates[0] if rates else ()), *X.shape)
    state = 0.1 * np.random.default_rng(12).standard_normal(shape)
    return subject, kernel, X, values(tuple(p.name for p in kernel.parameters)), state


@pytest.mark.parametrize(("name", "term"), CASES)
def test_interpreter_sympy_and_scalar_kernel_agree(name, term):
    """Symbolic densities, the optimized program and its machine code give the same numbers."""
    subject, kernel, X, parameters, state = _case(name, term)
    derived = None if term in ("pressure", "stress") else equations(name)
    expected = by_sympy.reference(subject, derived, term, X, parameters, state)
    interpreted = interpret(kernel.program, {"coordinates": X, "state": state}, parameters)
    assert relative(interpreted, expected) < TOLERANCE
    assert relative(library(name)[term](X, parameters, state), expected) < TOLERANCE


@pytest.mark.parametrize(("name", "lanes"), by_lanes([2, 8], usual=8, more=SMALL[1:]))
def test_every_lane_does_what_the_scalar_kernel_does(name, lanes):
    """A batch kernel is the scalar kernel on every lane, for every term."""
    for term, batch in library(name, lanes).items():
        _, _, X, parameters, state = _case(name, term)
        scalar = library(name)[term](X, parameters, state)
        found = batch(X, parameters, state)
        assert found.shape == scalar.shape
        assert relative(found, scalar) < TOLERANCE, term


@pytest.mark.parametrize(("name", "lanes"), by_lanes([1, 8], usual=8, more=SMALL[1:]))
def test_single_precision(name, lanes):
    """Float kernels agree to the precision of floats (eps = 6e-8) and hold no double anywhere."""
    for term, single in library(name, lanes, "float").items():
        kernel = single.kernel
        text = "\n".join((*kernel.pieces.tables, *kernel.pieces.views, *kernel.pieces.locals,
                          *kernel.pieces.statements))  # fmt: skip
        assert "double" not in text
        # Every constant with a point or an exponent carries the suffix of floats.
        numbers = re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=e))(?:e[-+]?\d+)?(\w?)", text)
        assert set(numbers) <= {"f"}, term
        _, _, X, parameters, state = _case(name, term)
        exact = library(name)[term](X, parameters, state)
        found = single(X, parameters, state)
        assert found.dtype == np.float32
        error = relative(found, exact)
        assert error < 1e-4, term
        assert error > 0 or not exact.any()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    heavy_are_slow(*ELEMENTS, more=("quad4_plane_strain", "tet4", "hex8", *REPEATED)),
)
def test_lagrange_and_kane_compile_to_the_same_numbers(name):
    """physics.md section 4, check 2: the formalisms agree as compiled numbers to 1e-12."""
    other = library(name, formalism="kane")
    for term, kernel in library(name).items():
        _, _, X, parameters, state = _case(name, term, count=3)
        expected = kernel(X, parameters, state)
        assert relative(other[term](X, parameters, state), expected) < 1e-12, term
        assert other[term].kernel.formalism == "kane"


@pytest.mark.parametrize("name", heavy_are_slow("quad8_plane_strain", "tet4"))
def test_lanes_and_scalar_type_do_not_change_the_program(name):
    """Scalar and batch kernels come from one program, statement by statement."""
    for term in TERMS:
        program = library(name)[term].kernel.program
        other = compile_kernel(ELEMENTS[name], term, lanes=8, scalar="float").program
        assert (other.arrays, other.parameters) == (program.arrays, program.parameters)
        assert emit(other, "double", 1) == emit(program, "double", 1)


def test_a_wrong_density_is_noticed():
    """The comparison can fail: a Coriolis term with factor two is not the Coriolis kernel."""
    subject, _, X, parameters, state = _case("quad4_plane_stress", "coriolis")
    expected = by_sympy.integral(
        subject, equations("quad4_plane_stress"), "coriolis", X, parameters, state
    )
    found = library("quad4_plane_stress")["coriolis"](X, parameters, state)
    assert relative(2 * found, expected) > 0.5


def test_lanes_do_not_mix():
    """A lane with a NaN leaves the other lanes alone."""
    kernel = library("hex8", 4)["stiffness"]
    X = distorted(ELEMENTS["hex8"], 4, seed=3)
    parameters = values(tuple(p.name for p in kernel.kernel.parameters))
    clean = kernel(X, parameters)
    X[2, 1, 2] = np.nan
    spoiled = kernel(X, parameters)
    assert np.isnan(spoiled[..., 2]).all()
    assert np.array_equal(spoiled[..., [0, 1, 3]], clean[..., [0, 1, 3]])


def test_unused_arguments_may_be_null():
    """The header promises that an argument nothing reads may be NULL."""
    kernel = library("tet4")["stiffness"]
    assert kernel.kernel.pieces.unused == ("state", "workspace")
    X = distorted(ELEMENTS["tet4"], 1, seed=3)
    found = kernel(X, values(("young", "poisson")), None)
    assert np.isfinite(found).all()


def test_kernel_names_and_sizes_are_checked():
    """Unknown terms, scalar types, lanes and names end in one line that names the right ones."""
    from flexforge.codegen.errors import InputError

    subject = ELEMENTS["tet4"]
    for arguments, words in (
        ({"term": "stifness"}, "did you mean 'stiffness'"),
        ({"term": "mass", "scalar": "half"}, "expected double or float"),
        ({"term": "mass", "lanes": 3}, "expected 1, 2, 4, 8 or 16"),
        ({"term": "mass", "lanes": 32}, "expected 1, 2, 4, 8 or 16"),
        ({"term": "mass", "name": "a-b"}, "not a valid C identifier"),
        ({"term": "mass", "formalism": "kain"}, "did you mean 'kane'"),
    ):
        with pytest.raises(InputError, match=words) as caught:
            compile_kernel(subject, **arguments)
        assert "\n" not in str(caught.value)
