# SPDX-License-Identifier: BSD-3-Clause
"""What generated C says of meshes whose elements are turned over."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.output.generate import generate

YOUNG, POISSON, THICKNESS = 7e10, 0.3, 0.01
STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror")


class Library:
    """Generated kernels of an element in a shared library."""

    def __init__(self, folder: Path, name: str, term: str, scalar: str = "double") -> None:
        if shutil.which("cc") is None:
            pytest.skip("no C compiler")
        generate(find(name), folder, terms=[term], lanes=[1], scalar=scalar, prefix="plane")
        sources = ("plane_kernels.c", "plane_table.c")
        done = subprocess.run(
            ["cc", *STRICT, "-O1", "-shared", "-fPIC", *sources, "-o", "plane.so", "-lm"],
            cwd=folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.c = ctypes.CDLL(str(folder / "plane.so"))
        self.c.plane_check_elements.restype = ctypes.c_size_t
        self.c.plane_check_elements.argtypes = [ctypes.c_size_t, ctypes.c_void_p, ctypes.c_void_p]
        self.c.plane_check_geometry.argtypes = [ctypes.c_void_p]

    def bad(self, cells: np.ndarray) -> tuple[int, int | None]:
        """Return how many elements are bad, and which is the first."""
        first = ctypes.c_size_t(2**40)
        count = self.c.plane_check_elements(len(cells), cells.ctypes.data, ctypes.byref(first))
        assert self.c.plane_check_elements(len(cells), cells.ctypes.data, None) == count
        return count, None if first.value == 2**40 else first.value

    def energy(self, cells: np.ndarray, moved: np.ndarray) -> float:
        """Return the sum of d . K d / 2."""
        material, total = np.array([YOUNG, POISSON, THICKNESS]), 0.0
        for x, d in zip(cells, moved, strict=True):
            matrix = np.empty((6, 6))
            self.c.plane_stiffness(
                *(ctypes.c_void_p(a.ctypes.data) for a in (x, material)),
                None,
                ctypes.c_void_p(matrix.ctypes.data),
                None,
            )
            total += 0.5 * d.ravel() @ matrix @ d.ravel()
        return total


def _sorted_triangles(count: int) -> np.ndarray:
    """Return the unit square in triangles whose nodes are in ascending order, as some meshers do.

    Squares are cut from the first node to the last: (k, k+1, k+n+2) runs counterclockwise and
    (k, k+n+1, k+n+2) clockwise.
    """
    line = np.linspace(0, 1, count + 1)
    points = np.array([[x, y] for y in line for x in line])
    start = np.array([j * (count + 1) + i for j in range(count) for i in range(count)])
    lower = np.column_stack([start, start + 1, start + count + 2])
    upper = np.column_stack([start, start + count + 1, start + count + 2])
    return points[np.stack([lower, upper], axis=1).reshape(-1, 3)]


def test_clockwise_triangles_are_found(tmp_path: Path) -> None:
    """Half of a mesh clockwise: a uniform stretch costs no energy, and the check says 121 of 242.

    With two nodes of each of these swapped the energy is that of plane stress,
    t E / (1 - nu^2) e^2 / 2 for a unit square.
    """
    plane = Library(tmp_path / "plane", "tri3", "stiffness")
    cells = _sorted_triangles(11)
    area = np.linalg.det(cells[:, 1:] - cells[:, :1]) / 2
    exact = THICKNESS * YOUNG / (1 - POISSON**2) * 1e-6 / 2
    assert abs(plane.energy(cells, 1e-3 * cells * [1, 0])) < 1e-12 * exact
    assert plane.bad(cells) == ((area < 0).sum(), 1) == (121, 1)
    assert plane.c.plane_check_geometry(cells[0].ctypes.data) == 0
    assert plane.c.plane_check_geometry(cells[1].ctypes.data) == 1
    cells[area < 0] = cells[area < 0][:, [0, 2, 1]]
    assert plane.bad(cells) == (0, None)
    assert plane.energy(cells, 1e-3 * cells * [1, 0]) == pytest.approx(exact, rel=1e-12)


def test_single_precision_and_bad_numbers(tmp_path: Path) -> None:
    """In float a triangle flat to rounding is bad, and so is one that is not finite."""
    plane = Library(tmp_path / "plane", "tri3", "mass", "float")
    cells = np.repeat(np.array([[[0, 0], [1, 0], [0, 1]]], dtype=np.float32), 4, axis=0)
    cells[1] = [[0.1, 0.1], [0.4, 0.4], [0.7, 0.7]]
    cells[2, 2, 1] = np.inf
    assert plane.bad(cells) == (2, 1)
    assert plane.bad(cells[[0, 3]]) == (0, None)
    assert plane.bad(np.full((1, 3, 2), np.nan, dtype=np.float32)) == (1, 0)
    assert plane.bad(np.empty((0, 3, 2), dtype=np.float32)) == (0, None)
