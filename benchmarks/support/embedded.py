# SPDX-License-Identifier: BSD-3-Clause
"""Exported solvers timed in C: a library's steps and an FMU's, in one shared object."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from flexforge.codegen.jit.compilers import COMMON, find_compiler
from flexforge.runtime.export.fmu import fmu_sources
from flexforge.runtime.export.library import header, sources
from flexforge.runtime.export.platforms import compile_shared, here
from flexforge.runtime.export.solver import Solver
from flexforge.runtime.native.steps import NativeSteps
from flexforge.runtime.transient.loop import march
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

TIMER = """
#include "fmi2.c"
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds that steps of the library take from its start on; what they come to in *last. */
double seconds_library(long steps, double *last);
double seconds_library(long steps, double *last)
{
    NAME_instance *one = NAME_create();
    const double begin = now();
    for (long i = 0; i < steps; ++i)
        if (NAME_step(one, UPPER_STEP))
            return NAN;
    const double found = now() - begin;
    *last = NAME_get(one, 0);
    NAME_free(one);
    return found;
}

/* The same by fmi2DoStep. */
double seconds_fmu(long steps, double *last);
double seconds_fmu(long steps, double *last)
{
    fmi2CallbackFunctions functions = {NULL, calloc, free, NULL, NULL};
    void *one = fmi2Instantiate("one", fmi2CoSimulation, UPPER_FINGERPRINT, "", &functions, 0, 0);
    fmi2SetupExperiment(one, 0, 0.0, 0.0, 0, 0.0);
    fmi2EnterInitializationMode(one);
    fmi2ExitInitializationMode(one);
    const double begin = now();
    for (long i = 0; i < steps; ++i)
        if (fmi2DoStep(one, (double)i * UPPER_STEP, UPPER_STEP, 1))
            return NAN;
    const double found = now() - begin;
    const unsigned output = 1 + 3 * UPPER_INPUTS;
    fmi2GetReal(one, &output, 1, last);
    fmi2FreeInstance(one);
    return found;
}

/* The same, step by step, in each (steps,). */
int seconds_each(long steps, double *each);
int seconds_each(long steps, double *each)
{
    NAME_instance *one = NAME_create();
    int code = 0;
    for (long i = 0; i < steps && !code; ++i) {
        const double begin = now();
        code = NAME_step(one, UPPER_STEP);
        each[i] = now() - begin;
    }
    NAME_free(one);
    return code;
}

/* Bytes of an instance. */
size_t bytes_of_instance(void);
size_t bytes_of_instance(void) { return NAME_size(); }

/* Seconds that it takes to make and release an instance. */
double seconds_create(long times);
double seconds_create(long times)
{
    const double begin = now();
    for (long i = 0; i < times; ++i)
        NAME_free(NAME_create());
    return now() - begin;
}
"""


class Embedded:
    """A solver in a shared object, with its clock.

    Parameters
    ----------
    solver : Solver
        The model.
    flags : sequence of str
        Of the compiler, beside the usual ones.
    """

    def __init__(self, solver: Solver, flags: Sequence[str] = ()) -> None:
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        text = TIMER.replace("NAME", solver.name).replace("UPPER", solver.name.upper())
        for name, content in (fmu_sources(solver, 2) | {"timer.c": text}).items():
            (folder / name).write_text(content)
        compiler = find_compiler()
        flags = [*(flag for flag in COMMON if flag != "-std=c99"), *flags]
        subprocess.run(
            [*compiler.command, *flags, "-std=gnu99", "-fvisibility=default", "-shared",
             str(folder / "timer.c"), "-o", str(folder / "timer.so"), "-lm"],
            check=True,
        )  # fmt: skip
        self._library = ctypes.CDLL(str(folder / "timer.so"))
        for name in ("library", "fmu", "create"):
            getattr(self._library, f"seconds_{name}").restype = ctypes.c_double
        size = self._library.bytes_of_instance
        size.restype = ctypes.c_size_t
        self.memory = int(size())

    def steps(self, kind: str, count: int) -> tuple[float, float]:
        """Return the seconds of steps, and the first output at their end."""
        last = ctypes.c_double()
        call = getattr(self._library, f"seconds_{kind}")
        return float(call(ctypes.c_long(count), ctypes.byref(last))), last.value

    def each(self, count: int) -> NDArray[np.float64]:
        """Return the seconds of every one of steps of the library, from its start on."""
        found = np.zeros(count)
        pointer = found.ctypes.data_as(ctypes.c_void_p)
        if self._library.seconds_each(ctypes.c_long(count), pointer):
            raise RuntimeError("a step was not taken")
        return found

    def creation(self, times: int) -> float:
        """Return the seconds it takes to make an instance."""
        return float(self._library.seconds_create(ctypes.c_long(times))) / times


def python_steps(solver: Solver, count: int) -> float:
    """Return the seconds that steps take in flexforge's own runtime, from their start on."""
    step, rest = solver.step, np.zeros(solver.size)
    steps = NativeSteps(solver.matrices, solver.scheme, step, count)
    states = march(steps, State(0.0, rest, rest), step, count * step)
    next(states)
    clock = time.perf_counter()
    for _ in states:
        pass
    return time.perf_counter() - clock


def sizes(solver: Solver) -> dict[str, int]:
    """Return the bytes of the library of a solver, stripped, and of its sources."""
    texts = sources(solver) | {f"{solver.name}.h": header(solver)}
    library = compile_shared(texts, f"{solver.name}.c", solver.name, here())
    return {"library, bytes": len(library), "sources, bytes": sum(map(len, texts.values()))}
