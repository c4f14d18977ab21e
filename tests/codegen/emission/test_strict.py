# SPDX-License-Identifier: BSD-3-Clause
"""Without fused operations a batch kernel computes, lane by lane, the bits of the scalar kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from compiled import build_kernels, kernel_of
from flexforge.codegen.jit.compilers import find_compiler
from specimens import ELEMENTS, FACET_ELEMENTS, distorted, values

TERMS = ("stiffness", "scalar_mass", "geometric")
USUAL = ("tri3_plane_stress", *FACET_ELEMENTS)
COUNT = 21  # one full batch of sixteen lanes and a rest


def _strict():
    """Return the usual compiler, which may fuse nothing.

    The superword vectorizer of gcc 12 makes fused vfmaddsub of neighbouring sums and differences
    of products even so, in scalar kernels (seen in the object code of quad8, stiffness).
    """
    found = find_compiler()
    strict = ("-ffp-contract=off", "-fno-tree-slp-vectorize")
    return replace(found, native=(*found.native, *strict))


def _bits(array):
    return np.ascontiguousarray(array).view(np.int64)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in USUAL else pytest.mark.slow)
        for name in (*ELEMENTS, *FACET_ELEMENTS)
    ],
)
def test_batches_have_the_bits_of_the_scalar_kernel(name):
    """Lanes 4, 8 and 16 against lane 1 on random distorted elements: not one bit differs."""
    subject = ELEMENTS.get(name) or FACET_ELEMENTS[name]
    scalar = [kernel_of(name, t) for t in (TERMS if name in ELEMENTS else ("pressure",))]
    X = distorted(subject, COUNT, seed=11)
    state = 0.05 * np.random.default_rng(12).standard_normal(X.shape)
    expected = {}
    for lanes in (1, 4, 8, 16):
        chosen = [replace(k, lanes=lanes, name=f"{k.name}_x{lanes}") for k in scalar]
        for term, kernel in build_kernels(chosen, _strict()).items():
            parameters = values(tuple(p.name for p in kernel.kernel.parameters))
            found = kernel(X, parameters, state if kernel.kernel.state_vectors else None)
            first = expected.setdefault(term, found)
            assert np.abs(first).max() > 0
            assert np.array_equal(_bits(found), _bits(first)), (term, lanes)


def test_a_fused_operation_would_be_noticed():
    """The comparison can fail: with fused operations the same kernel has other bits."""
    if "__FMA__" not in find_compiler().resolved_target():
        pytest.skip("this processor has no fused multiply-add")
    kernel = kernel_of("tet10", "stiffness")
    X = distorted(ELEMENTS["tet10"], 3, seed=11)
    parameters = values(tuple(p.name for p in kernel.parameters))
    strict, usual = (
        build_kernels([kernel], compiler)["stiffness"](X, parameters)
        for compiler in (_strict(), None)
    )
    assert not np.array_equal(strict, usual)
    assert np.allclose(strict, usual, rtol=1e-12, atol=1e-12 * np.abs(strict).max())
