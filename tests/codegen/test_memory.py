# SPDX-License-Identifier: BSD-3-Clause
"""Emitted C is free of undefined behaviour and stays within its arrays."""

from __future__ import annotations

import os

import numpy as np
import pytest
from compiled import kernels as generated
from compiled import library, run_command, write_files
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.output.sources import kernel_sources
from marks import slow
from specimens import (
    ELEMENTS,
    FACET_ELEMENTS,
    REPEATED,
    distorted,
    heavy_are_slow,
    spring_point,
    values,
)

DRIVER = """
#include "flexforge.h"
#include <stdio.h>
#include <stdlib.h>
const flexforge_kernel *const *flexforge_kernels(int *count);

/* Exactly the arrays the descriptor asks for, aligned as scalars only. */
#define CALL(T) do { \\
    const size_t x = (size_t)k->nodes * k->dimension * k->lanes; \\
    const size_t s = x * (size_t)k->state_vectors; \\
    const size_t n = (size_t)k->rows * k->columns * k->lanes; \\
    const size_t p = (size_t)k->parameter_count; \\
    T *X = malloc((x + 1) * sizeof(T)), *S = malloc((s + 1) * sizeof(T)); \\
    const size_t w = (size_t)k->workspace / sizeof(T); \\
    T *P = malloc((p + 1) * sizeof(T)), *O = malloc((n + 1) * sizeof(T)); \\
    T *W = malloc((w + 1) * sizeof(T)); \\
    for (size_t i = 0; i <= x; ++i) X[i] = (T)(i * 7919 % 101) / 101 - (T)0.5; \\
    for (size_t i = 0; i <= s; ++i) S[i] = (T)(i * 104729 % 103) / 103 - (T)0.5; \\
    for (size_t i = 0; i <= p; ++i) P[i] = (T)0.1 + (T)i / 20; \\
    for (size_t i = 0; i <= n; ++i) O[i] = (T)1e30; \\
    ((flexforge_function_##T)k->function)(X + 1, P + 1, k->state_vectors ? S + 1 : NULL, O + 1, \\
                                          w ? W + 1 : NULL); \\
    for (size_t i = 1; i <= n; ++i) \\
        if (O[i] == (T)1e30) { printf("%s: %d not written\\n", k->name, (int)i); return 1; } \\
    free(X); free(S); free(P); free(O); free(W); } while (0)

int main(void)
{
    int count;
    const flexforge_kernel *const *all = flexforge_kernels(&count);
    for (int i = 0; i < count; ++i) {
        const flexforge_kernel *k = all[i];
        if (k->abi != FLEXFORGE_ABI) return 2;
        if (k->scalar[0] == 'f') CALL(float); else CALL(double);
    }
    printf("%d kernels\\n", count);
    return 0;
}
"""


def _every_kind():
    """Return one kernel of every kind: all terms, plane and solid, facets, a point, all types."""
    chosen = [*generated("tri6_plane_stress"), *generated("tri6_plane_stress", 4)]
    chosen += generated("tet4", 8, "float")
    chosen += [k for k in generated("hex8", 2) if k.term in ("stiffness", "geometric", "stress")]
    chosen += [*generated("facet_line3_2d", 4), *generated("facet_quad8_3d", 4)]
    # Local arrays in the workspace, and more lanes than a vector has.
    chosen += [k for k in generated("hex8", 16) if k.term in ("stiffness", "stress")]
    assert chosen[-2].layout.workspace
    point = spring_point()
    return chosen + [compile_kernel(point, t, lanes=n) for t in terms_of(point) for n in (1, 8)]


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path):
    """Address and undefined-behaviour sanitizers, unaligned exact arrays, NULL where allowed."""
    kernels = _every_kind()
    paths = write_files(tmp_path, kernel_sources(kernels) | {"driver.c": DRIVER})
    binary = tmp_path / "driver"
    compiler = find_compiler()
    flags = ["-std=c99", "-g0", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    built = run_command(
        [*compiler.command, *flags, f"-I{INCLUDE}", *paths, "-lm", "-o", str(binary)]
    )
    if built.returncode and any(w in built.stderr for w in ("asan", "ubsan", "sanitize")):
        pytest.skip("no sanitizer libraries: " + built.stderr.strip().splitlines()[-1])
    assert built.returncode == 0, built.stderr[:2000]
    done = run_command([str(binary)], env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"})
    assert done.returncode == 0, (done.stdout + done.stderr)[:2000]
    assert done.stdout == f"{len(kernels)} kernels\n"


def _guarded(count, dtype):
    """Return an array with 64 marked scalars on both sides, and the array inside."""
    whole = np.full(count + 128, 12345.678, dtype)
    return whole, whole[64 : 64 + count]


@pytest.mark.parametrize(("lanes", "scalar"), [(1, "double"), (8, "double"), slow(8, "float")])
@pytest.mark.parametrize(
    "name", heavy_are_slow(*ELEMENTS, *FACET_ELEMENTS, more=("hex8", "tet4", *REPEATED))
)
def test_nothing_but_the_output_is_written(name, lanes, scalar):
    """Guards around out stay as they were, every entry of out is written, inputs are not."""
    dtype = np.float32 if scalar == "float" else np.float64
    for term, kernel in library(name, lanes, scalar).items():
        k = kernel.kernel
        subject = ELEMENTS.get(name) or FACET_ELEMENTS[name]
        X = np.ascontiguousarray(distorted(subject, lanes, seed=3), dtype)
        state = (0.1 * np.stack([X] * max(k.state_vectors, 1))).astype(dtype)
        parameters = np.array(list(values(tuple(p.name for p in k.parameters)).values()), dtype)
        whole, out = _guarded(k.rows * k.columns * lanes, dtype)
        before = [a.copy() for a in (X, parameters, state)]
        kernel.call(X, parameters, state, out)
        mark = dtype(12345.678)
        assert (whole[:64] == mark).all(), term
        assert (whole[64 + out.size :] == mark).all(), term
        assert np.isfinite(out).all(), term
        assert not (out == mark).any(), term
        for a, b in zip((X, parameters, state), before, strict=True):
            assert np.array_equal(a, b)
        # overwritten, never added to
        first = out.copy()
        kernel.call(X, parameters, state, out)
        assert np.array_equal(out, first), term
