# SPDX-License-Identifier: BSD-3-Clause
"""Kernels timed in a loop of C, in turns, and their instructions counted by callgrind."""

from __future__ import annotations

import ctypes
import re
import shutil
import statistics
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from flexforge.codegen.driver import Kernel
from flexforge.codegen.jit.build import INCLUDE, build
from flexforge.codegen.jit.compilers import COMMON, find_compiler
from flexforge.codegen.output.lanes import LANES as BY_LEVEL
from flexforge.codegen.output.sources import kernel_sources
from flexforge.runtime.assembly.kernels import level

ROUNDS = 41
SECONDS = 0.003  # a kernel runs about that long in each round: mostly not interrupted by others

TIMER = r"""
#define _POSIX_C_SOURCE 199309L
#include <time.h>
typedef void kernel(const double *, const double *, const double *, double *, double *);
/* Seconds in which a kernel computes `count` elements, over and over the same `distinct` ones. */
double flexforge_timer(kernel *f, const double *x, const double *p, const double *s, double *out,
                       double *work, long count, long distinct, long nx, long ns)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < count; i++)
        f(x + (i % distinct) * nx, p, s + (i % distinct) * ns, out, work);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
"""
APART = "-fno-ipa-icf"  # two formalisms may lead to one text: gcc would merge their functions
#: Elements per call that are timed: one, eight, and those of this processor's vectors.
LANES = (1, *sorted({BY_LEVEL[level()], 8}))
DISTINCT = 64  # elements: their data stay in the first-level cache's reach


def nanoseconds(kernels: Sequence[Kernel], shapes: np.ndarray) -> dict[str, float]:
    """Return the median ns an element of kernels that take turns, by name.

    Parameters
    ----------
    kernels : sequence of Kernel
        Kernels of one element in double precision.
    shapes : ndarray, (DISTINCT, nodes, dimension)
        Elements to compute.
    """
    return in_turns(our_calls(kernels, shapes))


def in_turns(
    calls: Mapping[str, Callable[[int], float]],
    figure: Callable[[list[float]], float] = statistics.median,
) -> dict[str, float]:
    """Return the ns an element of calls that take turns.

    Parameters
    ----------
    calls : mapping
        Each computes so many elements (a multiple of DISTINCT) and returns the seconds it took.
    figure : callable
        What is kept of the rounds: the median, or the least, which others on the machine add to
        least.
    """
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for call in calls.values():
        call(DISTINCT)  # the first call of all takes long: it would get the shorter rounds
    often = {name: DISTINCT * max(1, int(SECONDS / call(DISTINCT))) for name, call in calls.items()}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            taken[name].append(call(often[name]) / often[name])
    return {name: 1e9 * float(figure(seconds)) for name, seconds in taken.items()}


def our_calls(
    kernels: Sequence[Kernel], shapes: np.ndarray, states: np.ndarray | None = None
) -> dict[str, _Call]:
    """Compile kernels and return what calls them over and over, by name.

    Parameters
    ----------
    kernels : sequence of Kernel
        Kernels of one element in double precision.
    shapes : ndarray, (DISTINCT, nodes, dimension)
        Elements to compute.
    states : ndarray, (DISTINCT, nodes, dimension), optional
        Their displacements, where kernels read one nodal vector; by default random numbers.
    """
    compiler = find_compiler()
    compiler = replace(compiler, native=(*compiler.native, APART))
    library = ctypes.CDLL(str(build(kernel_sources(kernels) | {"timer.c": TIMER}, compiler)))
    library.flexforge_timer.restype = ctypes.c_double
    return {kernel.name: _Call(library, kernel, shapes, states) for kernel in kernels}


class _Call:
    """A kernel with its arguments; batch kernels get their elements lane by lane."""

    def __init__(
        self,
        library: ctypes.CDLL,
        kernel: Kernel,
        shapes: np.ndarray,
        states: np.ndarray | None = None,
    ) -> None:
        state = next((a for a in kernel.program.arrays if a.name == "state"), None)
        lanes = self._lanes = kernel.lanes
        size = lanes * int(np.prod(state.shape)) if state else 0
        rng = np.random.default_rng(1)

        def by_lanes(values: np.ndarray) -> np.ndarray:
            groups = values.reshape(DISTINCT // lanes, lanes, *values.shape[1:])
            return aligned_copy(np.moveaxis(groups, 1, -1))

        given = rng.standard_normal((DISTINCT // lanes, max(size, 1)))
        self._arrays = (
            by_lanes(shapes),
            np.full(len(kernel.parameters), 0.3),
            aligned_copy(given) if states is None else by_lanes(states),
            _aligned(kernel.rows * kernel.columns * lanes),
            _aligned(kernel.layout.workspace // 8),
        )
        self._library, self._function = library, getattr(library, kernel.name)
        self._sizes = DISTINCT // lanes, shapes[0].size * lanes, size

    @property
    def out(self) -> np.ndarray:
        """What the last element gave."""
        return self._arrays[3]

    def set_parameters(self, parameters: Sequence[float]) -> None:
        """Compute with these scalar arguments from now on."""
        self._arrays[1][:] = parameters

    def share_arguments(self, other: _Call) -> None:
        """Compute with the arguments of another variant of the kernel, wherever they lie."""
        self._arrays = (*other._arrays[:4], *self._arrays[4:])

    def __call__(self, count: int) -> float:
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in self._arrays]
        numbers = [ctypes.c_long(n) for n in (count // self._lanes, *self._sizes)]
        seconds: float = self._library.flexforge_timer(self._function, *pointers, *numbers)
        return seconds


def _aligned(size: int) -> np.ndarray:
    """Return doubles that begin at a cache line."""
    raw = np.empty(size + 8)
    first = -raw.ctypes.data % 64 // 8
    return raw[first : first + size]


def aligned_copy(values: np.ndarray) -> np.ndarray:
    """Return a copy that begins at a cache line, as the runtime's arrays do."""
    copy = _aligned(values.size).reshape(values.shape)
    copy[...] = values
    return copy


def valgrind_missing() -> str:
    """Return why instructions cannot be counted; empty when they can."""
    return "" if shutil.which("valgrind") else "valgrind is not installed"


def instructions(kernels: Sequence[Kernel], shape: np.ndarray) -> dict[str, int]:
    """Return the instructions one element executes, by name, as callgrind counts them.

    The kernels are compiled for AVX2 with fused multiply-adds, which valgrind executes, whatever
    the machine has.
    """
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        sources = kernel_sources(kernels) | {"main.c": _main(kernels, shape)}
        for name, text in sources.items():
            (root / name).write_text(text)
        program, trace = root / "program", root / "trace"
        flags = [flag for flag in COMMON if flag not in ("-fPIC", "-shared")]
        subprocess.run(
            ["gcc", *flags, APART, "-march=haswell", f"-I{INCLUDE}",
             *(str(root / name) for name in sources), "-o", str(program), "-lm"],
            check=True,
        )  # fmt: skip
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={trace}", str(program)],
            check=True, capture_output=True,
        )  # fmt: skip
        counted = own_costs(trace.read_text())
    return {kernel.name: counted[kernel.name] for kernel in kernels}


def own_costs(trace: str) -> Counter[str]:
    """Return the instructions of every function itself, from a file of callgrind."""
    names: dict[str, str] = {}
    costs: Counter[str] = Counter()
    current, called = "", False
    for line in trace.splitlines():
        if found := re.match(r"fn=\((\d+)\)(?: (.*))?", line):
            number, name = found.groups()
            if name is not None:
                names[number] = name
            current = names[number]
        elif found := re.match(r"c?fn=\((\d+)\) (.*)", line):
            names[found[1]] = found[2]
        elif line.startswith("calls="):
            called = True
        elif re.match(r"[+\-*\d]", line) and current:
            if not called:
                costs[current] += int(line.split()[1])
            called = False
    return costs


def _main(kernels: Sequence[Kernel], shape: np.ndarray) -> str:
    """Return a program that calls every kernel once."""
    calls = "\n".join(f"    {k.name}(x, p, s, out, work);" for k in kernels)
    prototypes = "\n".join(
        f"void {k.name}(const double *, const double *, const double *, double *, double *);"
        for k in kernels
    )
    numbers = ", ".join(repr(float(v)) for v in shape.ravel())
    size = max(k.rows * k.columns for k in kernels)
    work = max(k.layout.workspace for k in kernels) // 8 + 1
    return (
        f"{prototypes}\nstatic double p[64], s[3 * {shape.size}], out[{size}], work[{work}];\n"
        f"static const double x[] = {{{numbers}}};\n"
        "int main(void)\n{\n    for (int i = 0; i < 64; i++) p[i] = 0.3;\n"
        f"    for (int i = 0; i < 3 * {shape.size}; i++) s[i] = 0.01 * i;\n{calls}\n"
        "    return 0;\n}\n"
    )
