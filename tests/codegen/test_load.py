# SPDX-License-Identifier: BSD-3-Clause
"""Built libraries, loaded: what they say about themselves, and which are refused."""

from __future__ import annotations

import ctypes
import platform
import re
from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.errors import InputError
from flexforge.codegen.jit.build import build
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.output.sources import kernel_sources
from flexforge.runtime import _standard
from flexforge.runtime.assembly.assemble import kernel_parameters
from flexforge.runtime.assembly.kernels import load_library
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


def _refusal(sources):
    """Build a library and return in what words it is refused, one line."""
    path = build(sources)
    with pytest.raises(InputError) as caught:
        load_library(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: kernel 'tri3_plane_stress_scalar_mass' ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: kernel 'tri3_plane_stress_scalar_mass' ")


def test_a_kernel_for_another_processor_is_refused(cache, sources, monkeypatch):
    """Compiled for more than the processor runs: both levels and what to do, before any call."""
    target = find_compiler().resolved_target()
    words = {
        "__AVX512F__": "AVX-512 (level 4)",
        "__AVX2__": "AVX2 (level 3)",
        "__AVX__": "AVX (level 2)",
    }
    needed = next((text for macro, text in words.items() if f"#define {macro} " in target), None)
    if needed is None:
        pytest.skip("this processor has the instructions of the baseline only")
    (kernel,) = load_library(build(sources))
    assert f"(level {kernel.level})" in needed
    assert kernel.level <= _standard.level()
    load_library.cache_clear()
    monkeypatch.setattr(_standard, "level", lambda: 1)
    assert _refusal(sources) == (
        f"was compiled for {needed}; this processor runs baseline (level 1): build the library "
        "again on this machine, or remove it from the cache"
    )


def test_the_baseline_runs_everywhere(cache, sources, monkeypatch):
    """Compiled for the baseline, a library says level 1 and loads on any processor."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("levels are of x86")
    monkeypatch.setattr(_standard, "level", lambda: 1)
    baseline = replace(find_compiler(), native=("-march=x86-64",))
    (kernel,) = load_library(build(sources, baseline))
    assert kernel.level == 1


@pytest.mark.parametrize(
    ("pattern", "other", "words"),
    [
        (r"FLEXFORGE_LEVEL,", "9,", "was compiled for instructions unknown here (level 9); this"),
        (r"\b1, 3, 2,", "32, 3, 2,",
         "computes 32 elements per call; this runtime expects 1 to 16"),
        (r"\b1, 3, 2,", "0, 3, 2,", "computes 0 elements per call; this runtime expects 1 to 16"),
        (r'"planar", "double"', '"planar", "half"',
         "computes in 'half'; this runtime expects double or float"),
    ],
)  # fmt: skip
def test_a_kernel_of_an_unknown_kind_is_refused(cache, sources, pattern, other, words):
    """Levels, lanes and scalar types that came later are named with what is expected."""
    changed = {name: re.sub(pattern, other, text) for name, text in sources.items()}
    assert changed != sources
    assert _refusal(changed).startswith(words)


def test_matrices_are_assembled_in_double_precision(cache):
    """A kernel in float loads, and assembly refuses it instead of misreading its memory."""
    subject = ELEMENTS["tri3_plane_stress"]
    kernel = compile_kernel(subject, "scalar_mass", scalar="float")
    (found,) = load_library(build(kernel_sources([kernel])))
    with pytest.raises(InputError, match="computes in float; expected double"):
        kernel_parameters(found, {"density": 1.0, "thickness": 1.0})


def test_what_is_no_library_of_kernels(cache, tmp_path):
    """A file that is no library, and a library without the table, are named."""
    no_library = tmp_path / "text.so"
    no_library.write_text("no library")
    empty = build(
        {"empty.c": "int flexforge_nothing(void);\nint flexforge_nothing(void) { return 0; }\n"}
    )
    for path in (no_library, empty, tmp_path / "missing.so"):
        with pytest.raises(InputError, match="is not a kernel library") as caught:
            load_library(path)
        assert str(path) in str(caught.value)


def test_a_built_kernel_tells_what_it_is(cache):
    """The descriptor in memory says what the compiler knows, and the function computes it."""
    kernel = compile_kernel(ELEMENTS["tri3_plane_stress"], "centrifugal", lanes=2, name="mine")
    (found,) = load_library(build(kernel_sources([kernel])))
    assert (found.name, found.term, found.lanes) == ("mine", "centrifugal", 2)
    assert found.parameters == ("density", "w3", "thickness")
    assert (found.rows, found.columns, found.nodes, found.dimension) == (6, 6, 3, 2)
    assert found.operations == kernel.written.operations
    assert (found.bytes, found.stack) == (kernel.written.bytes_moved, kernel.layout.stack)
    assert (found.workspace, found.level) == (0, min(found.level, _standard.level()))
    assert (found.symmetry, found.structure, found.state_vectors) == ("symmetric", "full", 0)
    assert found.hash == kernel.hash
    X = distorted(ELEMENTS["tri3_plane_stress"], 2, seed=1)
    out, p = np.empty((3, 2, 3, 2, 2)), np.array([2.0, 3.0, 0.5])
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(found.function)
    call(X.ctypes.data, p.ctypes.data, None, out.ctypes.data, None)
    edges = X[1:] - X[0]
    area = 0.5 * (edges[0, 0] * edges[1, 1] - edges[0, 1] * edges[1, 0])
    # - w^2 m: all entries of one direction sum up to minus the mass times w^2
    assert np.allclose(out[:, 0, :, 0].sum(axis=(0, 1)), -9 * 2 * 0.5 * area, rtol=1e-14)
