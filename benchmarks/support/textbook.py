# SPDX-License-Identifier: BSD-3-Clause
"""The textbook kernels, compiled beside ours and called in the same way."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from support.harness import DISTINCT, aligned_copy

FOLDER = Path(__file__).parents[1] / "textbook"
FLAGS = {"-O3": ("-O3",), "-O3 -ffast-math": ("-O3", "-ffast-math")}
#: Young's modulus and Poisson's ratio.
CONSTANTS = (2.1, 0.29)

LOOP = r"""
#define _POSIX_C_SOURCE 199309L
#include <time.h>
void KERNEL(const double *x, const double *p, double *out);
void textbook_prepare(void);
/* Seconds in which the kernel is called `count` times, over and over the same `distinct` groups. */
double drive(const double *x, const double *p, double *out, long count, long distinct, long nx)
{
    struct timespec a, b;
    textbook_prepare();
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < count; i++)
        KERNEL(x + (i % distinct) * nx, p, out);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
"""


def is_there(name: str) -> bool:
    """Whether there is a textbook kernel of an element."""
    return (FOLDER / f"{name}.c").is_file()


class TextbookCall:
    """A textbook kernel of the stiffness, compiled, with its arguments.

    Parameters
    ----------
    name : str
        The element.
    shapes : ndarray, (DISTINCT, nodes, dimension)
        Elements to compute.
    lanes : int
        Elements a call.
    flags : str
        One of FLAGS.
    """

    def __init__(self, name: str, shapes: np.ndarray, lanes: int, flags: str) -> None:
        self._lanes, self._size = lanes, shapes[0].size * lanes
        groups = shapes.reshape(DISTINCT // lanes, lanes, *shapes.shape[1:])
        self._x = aligned_copy(np.moveaxis(groups, 1, -1))
        self._constants = np.array(CONSTANTS)
        self.out = aligned_copy(np.zeros(shapes[0].size ** 2 * lanes))
        with tempfile.TemporaryDirectory() as folder:
            loop, library = Path(folder) / "loop.c", Path(folder) / "textbook.so"
            loop.write_text(LOOP.replace("KERNEL", f"textbook_{name}"))
            subprocess.run(
                ["gcc", "-std=c99", *FLAGS[flags], "-march=native", "-fopenmp-simd", "-fPIC",
                 "-shared", f"-DLANES={lanes}", str(FOLDER / f"{name}.c"), str(loop),
                 "-o", str(library), "-lm"],
                check=True, capture_output=True, text=True,
            )  # fmt: skip
            self._code = ctypes.CDLL(str(library))
        self._code.drive.restype = ctypes.c_double

    def __call__(self, count: int) -> float:
        arrays = (self._x, self._constants, self.out)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        groups = DISTINCT // self._lanes
        numbers = [ctypes.c_long(n) for n in (count // self._lanes, groups, self._size)]
        seconds: float = self._code.drive(*pointers, *numbers)
        return seconds


def textbook_calls(name: str, shapes: np.ndarray, lanes: int) -> dict[str, TextbookCall]:
    """Return the textbook kernels of an element by flags; none where none was written."""
    if not is_there(name):
        return {}
    return {flags: TextbookCall(name, shapes, lanes, flags) for flags in FLAGS}
