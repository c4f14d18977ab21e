# SPDX-License-Identifier: BSD-3-Clause
"""Functions of vectors beside mpmath, number by number, and that kernels of lanes call them."""

from __future__ import annotations

import ctypes
import re
from dataclasses import replace

import numpy as np
import pytest
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.energy import ENERGIES
from flexforge.codegen.elements.hyperelastic import hyperelastic
from flexforge.codegen.emission.lane_functions import LANE_FUNCTIONS, lane_functions
from flexforge.codegen.jit.build import build
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.output.sources import kernel_sources
from mpmath import mp, mpf

COUNT = 400  # numbers of a range
LARGE, TINY = 709.78, 745.0  # exponents of the largest and the least number
RANGES = {
    "log": [("x", 0.5, 2.0), ("near 1", -16, -1), ("exp", -TINY, LARGE), ("x", 0.0, 1e-307)],
    "log1p": [("x", -1.0, 3.0), ("small", -300, -1), ("exp", -40.0, LARGE), ("near -1", -16, -1)],
    "exp": [("x", -TINY, LARGE), ("x", -1.0, 1.0), ("small", -20, 0), ("x", -746.0, -700.0)],
    "expm1": [("x", -50.0, LARGE), ("x", -1.0, 1.0), ("small", -307, 0)],
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 1e308, -1e308, 5e-324, 710.0, 709.9, -746.0, -800.0,
           np.inf, -np.inf, np.nan]  # fmt: skip


def library(width: int, flags: tuple[str, ...] = ()):
    """Return the functions of vectors of a width, each in a loop over many numbers."""
    loops = [
        f"void many_{name}(long n, const double *x, const double *y, double *z) {{ (void)y;"
        f"for (long i = 0; i < n; i += {width}) flexforge_{name}{width}("
        f"(const flexforge_reals{width} *)(x + i), "
        + (f"(const flexforge_reals{width} *)(y + i), " if name == "fmax" else "")
        + f"(flexforge_reals{width} *)(z + i)); }}"
        for name in LANE_FUNCTIONS
    ]
    heads = '#include "flexforge.h"\n#include <math.h>\n#include <stdint.h>\n'
    compiler = find_compiler()
    flags = (*(flags or compiler.native), "-Wall", "-Wextra", "-Werror")
    compiler = replace(compiler, native=flags)
    text = heads + lane_functions(width, LANE_FUNCTIONS) + "\n".join(loops) + "\n"
    return ctypes.CDLL(str(build({"functions.c": text}, compiler)))


def values(loaded, name: str, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """Return what a function makes of numbers."""
    found, x = np.empty_like(x), np.ascontiguousarray(x)
    arrays = [ctypes.c_void_p(one.ctypes.data) for one in (x, x if y is None else y, found)]
    getattr(loaded, f"many_{name}")(ctypes.c_long(len(x)), *arrays)
    return found


def numbers(kind: str, low: float, high: float) -> np.ndarray:
    """Return numbers of a range."""
    rng = np.random.default_rng(5)
    x, sign = rng.uniform(low, high, COUNT), rng.choice([-1.0, 1.0], COUNT)
    return {
        "x": lambda: x,
        "exp": lambda: np.exp(x),
        "small": lambda: sign * 10.0**x,
        "near 1": lambda: 1.0 + sign * 10.0**x,
        "near -1": lambda: -1.0 + 10.0**x,
    }[kind]()


@pytest.mark.parametrize(
    ("width", "flags"), [(8, ()), (4, ("-march=haswell",)), (2, ("-march=x86-64",))]
)
@pytest.mark.parametrize("name", RANGES)
def test_the_last_place(name: str, width: int, flags: tuple[str, ...]) -> None:
    """At most 0.8 units, 1.5 of expm1, at any place of a vector and for subnormal numbers too."""
    if flags and "x86_64" not in find_compiler().resolved_target():
        pytest.skip("flags of x86-64")
    if flags == ("-march=haswell",) and "__AVX2__" not in find_compiler().resolved_target():
        pytest.skip("this processor has no AVX2")
    loaded = library(width, flags)
    with mp.workprec(120):
        for one in RANGES[name]:
            x = numbers(*one)
            for given, found in zip(x, values(loaded, name, x), strict=True):
                exact = getattr(mp, name)(mpf(float(given)))
                unit = mpf(float(np.spacing(abs(float(exact)))))
                assert abs(mpf(float(found)) - exact) <= (1.5 if name == "expm1" else 0.8) * unit


@pytest.mark.parametrize("width", [2, 8])
def test_special_numbers(width: int) -> None:
    """Infinities, NaN and what is beyond the ends are those of NumPy; signs of zeros aside."""
    loaded, x = library(width), np.tile(SPECIAL, width)
    with np.errstate(all="ignore"):
        for name in RANGES:
            known = getattr(np, name)(x)
            np.testing.assert_allclose(values(loaded, name, x), known, rtol=1e-15, atol=0.0)
        np.testing.assert_array_equal(values(loaded, "fabs", x), np.abs(x))
        y = np.roll(x, 5)
        np.testing.assert_array_equal(values(loaded, "fmax", x, y), np.fmax(x, y))


@pytest.mark.parametrize("law", ENERGIES)
def test_kernels_of_lanes_call_no_function_lane_by_lane(law: str) -> None:
    """But for square roots, which are instructions; of vectors they call those that a law has."""
    kernel = compile_kernel(hyperelastic("hex8", law), "tangent", lanes=8)
    text = kernel_sources([kernel])["hex8_" + law + ".c"]
    body = text[text.rindex(f"void {kernel.name}(") :]
    assert not re.search(r"\b(exp|expm1|log|log1p|fabs|fmax|pow)\(", body)
    called = re.findall(r"flexforge_(exp|expm1|log|log1p|fabs|fmax)8\(", body)
    assert bool(called) == (law != "st_venant_kirchhoff")
