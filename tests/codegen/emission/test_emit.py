# SPDX-License-Identifier: BSD-3-Clause
"""Emitted C: deterministic, strict C99, and arithmetic printed right."""

from __future__ import annotations

import os
import sys

import numpy as np
import pytest
from compiled import build_kernels, run_command, write_files
from compiled import kernels as generated
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.emission.emit import emit
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.expression import Graph
from flexforge.codegen.ir.interpret import interpret
from flexforge.codegen.ir.program import Array, For, Let, Program, Store
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.output.sources import header, kernel_sources
from marks import slow
from specimens import ELEMENTS, FACET_ELEMENTS, REPEATED, heavy_are_slow, spring_point

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{INCLUDE}")


@pytest.mark.parametrize(
    "name",
    ["bar2", *map(slow, ("timoshenko_beam", "mitc4", "tri3_plane_stress", "quad8_plane_strain",
                         "tet4"))],
)  # fmt: skip
def test_the_same_bytes_under_any_hash_seed(name):
    """Generation is deterministic: hash seeds change no byte of source, header or table."""
    program = (
        "import sys\n"
        "from flexforge.codegen.elements.catalogue import find\n"
        "from flexforge.codegen.driver import compile_kernel\n"
        "from flexforge.codegen.output.sources import header, kernel_sources\n"
        f"e = find('{name}')\n"
        "terms = ('stiffness', 'geometric', 'euler_load')\n"
        "k = [compile_kernel(e, t, lanes=n) for t in terms for n in (1, 4)]\n"
        "sys.stdout.write(''.join(kernel_sources(k).values()) + header(k, 'G'))\n"
    )
    texts = []
    for seed in ("0", "4242"):
        done = run_command(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert done.returncode == 0, done.stderr
        texts.append(done.stdout)
    assert len(texts[0]) > 10000
    assert texts[0] == texts[1]


def test_the_same_text_twice_in_one_process():
    """A second generation in the same process, with warm caches, prints the same."""
    first, second = (
        kernel_sources(
            [compile_kernel(ELEMENTS["tri6_plane_stress"], t) for t in ("stiffness", "mass")]
        )
        for _ in range(2)
    )
    assert first == second


@pytest.mark.parametrize(
    "name",
    heavy_are_slow(
        *ELEMENTS, *FACET_ELEMENTS, "spring", more=("tet4", "hex8", "quad4_plane_strain", *REPEATED)
    ),
)
def test_strict_c99_without_a_warning(name, tmp_path):
    """cc -std=c99 -Wall -Wextra -Werror -pedantic accepts every kernel: scalar, batch, float."""
    subject = ELEMENTS.get(name) or FACET_ELEMENTS.get(name) or spring_point()
    if name == "spring":
        kernels = [
            compile_kernel(subject, t, lanes=n, scalar=s, name=f"k_{t}_{n}_{s}")
            for t in terms_of(subject)
            for n in (1, 4)
            for s in ("double", "float")
        ]
    else:
        kernels = [
            k
            for key in ((1, "double"), (16, "double"), (8, "float"))
            for k in generated(name, *key)
        ]
    paths = write_files(tmp_path, kernel_sources(kernels))
    compiler = find_compiler()
    done = run_command([*compiler.command, *STRICT, "-fsyntax-only", *paths])
    assert done.returncode == 0, done.stderr[:2000]
    # Warnings that need the optimizer: uninitialized variables, bounds.
    scalar = write_files(tmp_path, kernel_sources(kernels[: len(kernels) // 3]))
    done = run_command(
        [*compiler.command, *STRICT, "-O2", "-c", scalar[0], "-o", str(tmp_path / "o.o")]
    )
    assert done.returncode == 0, done.stderr[:2000]


def test_the_header_is_c_and_cpp(tmp_path):
    """The header with the prototypes compiles alone, in C and in C++."""
    kernels = [
        compile_kernel(ELEMENTS["tet4"], t, lanes=n) for t in ("mass", "stress") for n in (1, 8)
    ]
    (tmp_path / "k.h").write_text(header(kernels, "K_H"))
    (tmp_path / "k.c").write_text('#include "k.h"\n')
    compiler = find_compiler()
    done = run_command([*compiler.command, *STRICT, "-fsyntax-only", str(tmp_path / "k.c")])
    assert done.returncode == 0, done.stderr
    cpp = ("-x", "c++", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", "-fsyntax-only")
    done = run_command([*compiler.command, *cpp, str(tmp_path / "k.c")])
    if "cc1plus" in done.stderr:
        pytest.skip("no C++ compiler: " + done.stderr.splitlines()[0])
    assert done.returncode == 0, done.stderr


def test_a_compiler_without_vectors_is_told(tmp_path):
    """Without the GNU dialect a batch kernel stops at an #error that says what to do."""
    for lanes, expected in ((8, 1), (1, 0)):
        kernel = compile_kernel(ELEMENTS["tet4"], "mass", lanes=lanes)
        source = write_files(tmp_path, kernel_sources([kernel]))[0]
        flags = ("-std=c99", "-U__GNUC__", f"-I{INCLUDE}", "-fsyntax-only")
        done = run_command([*find_compiler().command, *flags, source])
        assert bool(done.returncode) == bool(expected), done.stderr
        words = "need the vectors of the GNU dialect: compile with gcc or clang"
        assert (words in done.stderr) == bool(expected)


def _kernel(program, lanes, scalar="double"):
    """Return a program as a kernel, to be compiled and called."""
    words = ("by_hand", "point", "term", "none", "planar", "", "1", "general", "full")
    return Kernel(f"by_hand_{scalar}_{lanes}", *words, 3, 1, 3, 1, scalar, lanes, program)


def _roots_and_signs():
    """Return a program with all the printer has to get right: signs, nesting, roots, uniforms."""
    g = Graph()
    x, p, r = g.load("coordinates", "a"), g.parameter("p"), g.parameter("r")
    minus = lambda e: g.mul(g.const(-1), e)  # noqa: E731
    square = g.mul(x, x)
    rows = [
        g.add(minus(g.add(x, p)), minus(g.mul(g.const(2), x, r)), g.const(-3)),
        g.div(minus(x), g.div(g.add(p, r), minus(g.mul(x, r)))),
        g.sqrt(g.add(g.const(1), square, g.sqrt(g.add(g.const(2), square)))),
        g.mul(g.sqrt(p), minus(g.sqrt(r))),
        minus(g.mul(minus(p), g.add(x, minus(r)))),
        g._product(g._product(x, p), g._product(x, p)),
        g.add(minus(p), minus(r)),
        g.const(0),
        g.div(g.const(1), g.add(p, minus(g.mul(r, g.const(3))))),
    ]
    stores = tuple(Store("out", ("a", k), e) for k, e in enumerate(rows))
    arrays = (Array("coordinates", (3,), "input"), Array("out", (3, len(rows)), "output"))
    body = (Let("unused_name", p), For("a", 3, stores))
    return Program(arrays, ("p", "r"), body, g)


@pytest.mark.parametrize("scalar", ["double", "float"])
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_signs_quotients_roots_and_uniform_stores(lanes, scalar):
    """Expressions that are easy to print wrongly, compiled and compared with the interpreter."""
    program = _roots_and_signs()
    (native,) = build_kernels([_kernel(program, lanes, scalar)]).values()
    X = np.linspace(-1.7, 2.3, 3 * lanes).reshape(3, lanes)
    parameters = {"p": 0.7, "r": 1.9}
    expected = interpret(program, {"coordinates": X}, parameters)
    found = np.full((3, 9, lanes), np.nan, np.float32 if scalar == "float" else float)
    scalars = np.array([0.7, 1.9], found.dtype)
    X = X.astype(found.dtype)
    native.call(X, scalars, None, found)
    assert np.allclose(found, expected, rtol=1e-5 if scalar == "float" else 1e-14, atol=0)
    text = "\n".join(native.kernel.pieces.statements)
    assert ("sqrtf(" in text) == (scalar == "float")


def test_numbers_are_printed_to_the_last_digit():
    """A constant comes back as the same double; fractions are rounded correctly."""
    from fractions import Fraction

    g = Graph()
    numbers = [0.1, 1e-300, 1e22, -2.5, 123456789.123456789, Fraction(1, 3), Fraction(-7), 5e-324]
    out = Array("out", (len(numbers),), "output")
    stores = tuple(Store("out", (k,), g.const(v)) for k, v in enumerate(numbers))
    pieces = emit(Program((out,), (), stores, g), "double", 1)
    printed = [line.split("=")[1].strip(" ;") for line in pieces.statements]
    assert [float(t) for t in printed] == [float(v) for v in numbers]
    assert all("." in t or "e" in t for t in printed)


def test_names_must_differ():
    """Two kernels of one name are refused before anything is written."""
    kernel = compile_kernel(ELEMENTS["tri3_plane_stress"], "mass")
    with pytest.raises(InputError, match="'tri3_plane_stress_mass' given twice"):
        kernel_sources([kernel, kernel])


def test_templates_miss_nothing():
    """An undefined name in a template is an error, never an empty text."""
    import jinja2
    from flexforge.templates import render

    with pytest.raises(jinja2.UndefinedError):
        render("table.c.jinja", kernels=[], version="0")
