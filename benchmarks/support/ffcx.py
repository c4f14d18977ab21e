# SPDX-License-Identifier: BSD-3-Clause
"""Kernels that FFCx generates, compiled beside ours and called in the same way."""

from __future__ import annotations

import ctypes
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from support.counting import operations
from support.harness import DISTINCT, own_costs

CELLS = {
    "tri3": ("triangle", 1), "tri6": ("triangle", 2), "quad4": ("quadrilateral", 1),
    "quad9": ("quadrilateral", 2), "tet4": ("tetrahedron", 1), "tet10": ("tetrahedron", 2),
    "hex8": ("hexahedron", 1), "hex27": ("hexahedron", 2),
}  # fmt: skip
FLAGS = {"-O3": ("-O3",), "-O3 -ffast-math": ("-O3", "-ffast-math")}
CONSTANTS = (0.5769, 0.3846)

LOOP = r"""
#define _POSIX_C_SOURCE 199309L
#include <string.h>
#include <time.h>
#include <ufcx.h>
extern ufcx_tabulate_tensor_float64 KERNEL;
/* Seconds in which the kernel computes `count` elements into a matrix cleared before each. */
double drive(const double *x, const double *w, const double *c, double *out, long count,
             long distinct, long nx, long nw)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (long i = 0; i < count; i++) {
        memset(out, 0, ENTRIES * sizeof(double));
        KERNEL(out, w + (i % distinct) * nw, c, x + (i % distinct) * nx, 0, 0, 0);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    return b.tv_sec - a.tv_sec + 1e-9 * (b.tv_nsec - a.tv_nsec);
}
"""


class PeerCall:
    """A kernel of FFCx with its arguments."""

    def __init__(self, library: Path, x: np.ndarray, w: np.ndarray, out: np.ndarray) -> None:
        self._code = ctypes.CDLL(str(library))
        self._code.drive.restype = ctypes.c_double
        self._x, self._w, self._constants, self.out = x, w, np.array(CONSTANTS), out

    def __call__(self, count: int) -> float:
        arrays = (self._x, self._w, self._constants, self.out)
        pointers = [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]
        numbers = [ctypes.c_long(n) for n in (count, DISTINCT, self._x[0].size, self._w[0].size)]
        seconds: float = self._code.drive(*pointers, *numbers)
        return seconds


class Peer:
    """What FFCx generates for one cell.

    Parameters
    ----------
    python : Path
        Interpreter of the environment FFCx is installed in.
    cell : str
        Our name of it.
    degrees : dict
        Quadrature degrees of ``stiffness`` and ``mass``.
    corners : ndarray, (DISTINCT, vertices, dimension)
        Elements to compute, in FFCx's order of vertices.
    states : ndarray, (DISTINCT, nodes, dimension), optional
        Displacements, in FFCx's order of nodes: of the term ``tangent``, the only one then.
    """

    def __init__(
        self,
        python: Path,
        cell: str,
        degrees: dict[str, int],
        corners: np.ndarray,
        states: np.ndarray | None = None,
    ) -> None:
        script = Path(__file__).parents[1] / "contestants" / "ffcx_kernels.py"
        name, degree = CELLS[cell]
        numbers = [*map(str, (degree, degrees["stiffness"], degrees["mass"]))]
        numbers += [] if states is None else ["tangent"]
        done = subprocess.run(
            [str(python), str(script), name, *numbers], capture_output=True, text=True, check=True
        )
        self._found: dict[str, Any] = json.loads(done.stdout)
        self.version = self._found["version"]
        self._x = np.zeros((DISTINCT, corners.shape[1], 3))
        self._x[..., : corners.shape[2]] = corners
        self._w = np.zeros((DISTINCT, 1)) if states is None else np.ascontiguousarray(states)
        self._folder = tempfile.TemporaryDirectory()

    def call(self, term: str, flags: str) -> PeerCall:
        """Compile the kernel of a term and return what calls it over and over."""
        found, root = self._found[term], Path(self._folder.name)
        size = self._found["size"]
        (root / "kernel.c").write_text(found["source"])
        loop = LOOP.replace("KERNEL", found["function"]).replace("ENTRIES", str(size**2))
        (root / "loop.c").write_text(loop)
        library = root / f"{term}{len(list(root.iterdir()))}.so"
        subprocess.run(
            ["gcc", *FLAGS[flags], "-march=native", "-fPIC", "-shared",
             f"-I{self._found['include']}", str(root / "kernel.c"), str(root / "loop.c"),
             "-o", str(library), "-lm"],
            check=True,
        )  # fmt: skip
        return PeerCall(library, self._x, self._w, np.zeros(size**2))

    def operations(self, term: str) -> int:
        """Return the operations of an element, as the text has them: no compiler simplified it."""
        found = self._found[term]
        # After the function stands a table of functions, of numbers we do not count.
        source = found["source"].split("\nufcx_integral ")[0]
        out, constants = np.zeros(self._found["size"] ** 2), np.array(CONSTANTS)
        arguments = [out, self._w[0], constants, self._x[0], None, None, None]
        counted = operations(source, found["function"], arguments, [Path(self._found["include"])])
        return sum(counted.values())

    def instructions(self, term: str, flags: str) -> int:
        """Return the instructions an element executes, compiled as ours are for counting."""
        found, root = self._found[term], Path(self._folder.name)
        numbers = ", ".join(repr(float(v)) for v in self._x[0].ravel())
        (root / "kernel.c").write_text(found["source"])
        (root / "main.c").write_text(
            f"#include <ufcx.h>\nextern ufcx_tabulate_tensor_float64 {found['function']};\n"
            f"static const double x[] = {{{numbers}}}, c[] = {{{CONSTANTS[0]}, {CONSTANTS[1]}}};\n"
            f"static double out[{self._found['size'] ** 2}];\n"
            f"int main(void) {{ {found['function']}(out, 0, c, x, 0, 0, 0); return 0; }}\n"
        )
        subprocess.run(
            ["gcc", *FLAGS[flags], "-march=haswell", f"-I{self._found['include']}",
             str(root / "kernel.c"), str(root / "main.c"), "-o", str(root / "program"), "-lm"],
            check=True,
        )  # fmt: skip
        subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={root / 'trace'}",
             str(root / "program")],
            check=True, capture_output=True,
        )  # fmt: skip
        return own_costs((root / "trace").read_text())[found["function"]]
