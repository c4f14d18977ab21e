# SPDX-License-Identifier: BSD-3-Clause
"""Built libraries, loaded: what they say about themselves, and which are refused."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest
from flexforge.codegen.build import build
from flexforge.codegen.errors import InputError
from flexforge.codegen.kernel import compile_kernel
from flexforge.codegen.sources import kernel_sources
from flexforge.runtime.kernels import load_library
from specimens import ELEMENTS, distorted


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache folder of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("FLEXFORGE_CACHE", str(folder))
    return folder


@pytest.fixture(scope="module")
def sources():
    return kernel_sources([compile_kernel(ELEMENTS["tri3_plane_stress"], "scalar_mass")])


def test_a_kernel_of_another_abi_is_refused(cache, sources):
    """A library generated for another version of flexforge.h is named with both versions."""
    other = {
        name: re.sub(r"\bFLEXFORGE_ABI,", "FLEXFORGE_ABI + 40,", text)
        for name, text in sources.items()
    }
    with pytest.raises(InputError) as caught:
        load_library(build(other))
    message = str(caught.value)
    assert (
        "kernel 'tri3_plane_stress_scalar_mass' has ABI version 42; this runtime expects 2"
        in message
    )
    assert "generate the kernels again" in message
    assert "\n" not in message


def test_what_is_no_library_of_kernels(cache, tmp_path):
    """A file that is no library, and a library without the table, are named."""
    no_library = tmp_path / "text.so"
    no_library.write_text("no library")
    empty = build(
        {"empty.c": "int flexforge_nothing(void);\nint flexforge_nothing(void) { return 0; }\n"}
    )
    for path in (no_library, empty, tmp_path / "missing.so"):
        with pytest.raises(InputError, match="no library of kernels") as caught:
            load_library(path)
        assert str(path) in str(caught.value)


def test_a_built_kernel_tells_what_it_is(cache):
    """The descriptor in memory says what the compiler knows, and the function computes it."""
    kernel = compile_kernel(ELEMENTS["tri3_plane_stress"], "centrifugal", lanes=2, name="mine")
    (found,) = load_library(build(kernel_sources([kernel])))
    assert (found.name, found.term, found.lanes) == ("mine", "centrifugal", 2)
    assert found.parameters == ("density", "w3", "thickness")
    assert (found.rows, found.columns, found.nodes, found.dimension) == (6, 6, 3, 2)
    assert found.operations == kernel.count.operations
    assert (found.bytes, found.stack) == (kernel.count.bytes_moved, kernel.layout.stack)
    assert (found.symmetry, found.structure, found.uses_state) == ("symmetric", "full", False)
    assert found.hash == kernel.hash
    X = distorted(ELEMENTS["tri3_plane_stress"], 2, seed=1)
    out, p = np.empty((3, 2, 3, 2, 2)), np.array([2.0, 3.0, 0.5])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(found.function)
    call(X.ctypes.data, p.ctypes.data, None, out.ctypes.data, None)
    edges = X[1:] - X[0]
    area = 0.5 * (edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    # - w^2 m: all entries of one direction sum up to minus the mass times w^2
    assert np.allclose(out[:, 0, :, 0].sum(axis=(0, 1)), -9 * 2 * 0.5 * area, rtol=1e-14)
