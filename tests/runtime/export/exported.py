# SPDX-License-Identifier: BSD-3-Clause
"""Exported solvers compiled and called, for the tests of exports."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from flexforge.runtime.export.solver import Solver
from numpy.typing import NDArray

STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
#: Of what is run a few steps only: not optimized, which takes longer than the steps.
QUICK = (*STRICT, "-O0")


def write(files: Mapping[str, str | bytes], folder: Path) -> Path:
    """Write the files of an export; return the folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def compile_shared(folder: Path, name: str, compiler: str = "gcc") -> Path:
    """Compile the sources of a library, with warnings as errors; return the shared object."""
    out = folder / f"lib{name}.so"
    subprocess.run(
        [compiler, *QUICK, "-shared", "-fPIC", f"-I{folder / 'include'}",
         str(folder / "src" / f"{name}.c"), "-o", str(out), "-lm"],
        check=True,
    )  # fmt: skip
    return out


class Library:
    """A compiled solver, by ctypes.

    Parameters
    ----------
    path : Path
        Its shared object.
    solver : Solver
        What was exported.
    """

    def __init__(self, path: Path, solver: Solver) -> None:
        self._library, self._name, self.solver = ctypes.CDLL(str(path)), solver.name, solver
        for name, kind in (
            ("create", ctypes.c_void_p),
            ("time", ctypes.c_double),
            ("get", ctypes.c_double),
            ("state_size", ctypes.c_size_t),
            ("size", ctypes.c_size_t),
            ("error_text", ctypes.c_char_p),
            ("fingerprint", ctypes.c_char_p),
            ("forces", ctypes.POINTER(ctypes.c_double)),
            ("coordinates", ctypes.POINTER(ctypes.c_double)),
        ):
            self.function(name).restype = kind

    def function(self, name: str):
        """Return a function of the library."""
        return getattr(self._library, f"{self._name}_{name}")

    def create(self) -> Instance:
        """Return a new instance."""
        return Instance(self, self.function("create")())


class Instance:
    """A motion in progress."""

    def __init__(self, library: Library, pointer: int) -> None:
        assert pointer
        self._library, self._pointer = library, ctypes.c_void_p(pointer)

    def call(self, name: str, *arguments):
        """Call a function with this instance first."""
        return self._library.function(name)(self._pointer, *arguments)

    @property
    def time(self) -> float:
        """Time reached, s."""
        return self.call("time")

    def step(self, length: float) -> int:
        """Take a step; return the code."""
        return self.call("step", ctypes.c_double(length))

    def advance(self, until: float) -> int:
        """Take steps up to a time; return the code."""
        return self.call("advance", ctypes.c_double(until))

    def start(self, time: float) -> int:
        """Begin anew; return the code."""
        return self.call("start", ctypes.c_double(time))

    def get(self) -> NDArray[np.float64]:
        """Return the values of all outputs."""
        return np.array([self.call("get", k) for k in range(len(self._library.solver.outputs))])

    def set(self, number: int, value: float, first: float = 0.0, second: float = 0.0) -> int:
        """Set an input; return the code."""
        return self.call("set_moving", number, *map(ctypes.c_double, (value, first, second)))

    def coordinates(self, order: int) -> NDArray[np.float64]:
        """Return coordinates, velocities or accelerations."""
        found, solver = self.call("coordinates", order), self._library.solver
        return np.ctypeslib.as_array(found, (solver.speeds if order else solver.size,)).copy()

    def state(self) -> ctypes.Array:
        """Return the whole state."""
        found = (ctypes.c_double * self._library.function("state_size")())()
        self.call("get_state", found)
        return found

    def restore(self, state: ctypes.Array) -> int:
        """Set the whole state; return the code."""
        return self.call("set_state", state)

    def free(self) -> None:
        """Release it."""
        self.call("free")
