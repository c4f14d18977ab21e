# SPDX-License-Identifier: BSD-3-Clause
"""Factors of small matrices in C, against NumPy; nothing beside a matrix and a vector is read."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from flexforge.runtime.export.library import HEADERS

SOURCE = """
#include "ff_dense.h"
int factor(int n, double *matrix, int *pivots) { return ff_dense_factor(n, matrix, pivots); }
int sign(int n, const double *matrix, const int *pivots, double *ratio)
{
    return ff_dense_sign(n, matrix, pivots, ratio);
}
void solve(int n, const double *matrix, const int *pivots, double *x)
{
    ff_dense_solve(n, matrix, pivots, x);
}
"""


@pytest.fixture(scope="module")
def dense(tmp_path_factory):
    """Compile the header."""
    folder = Path(tmp_path_factory.mktemp("dense"))
    (folder / "dense.c").write_text(SOURCE)
    command = ["cc", "-std=c99", "-O1", "-shared", "-fPIC", f"-I{HEADERS}", "dense.c", "-o", "d.so"]
    subprocess.run([*command, "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "d.so"))


def _guarded(values):
    """Return values followed by what no sum may contain."""
    return np.concatenate([np.ravel(values), np.full(4, np.nan)])


def _pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


@pytest.mark.parametrize("n", range(1, 10))
def test_solutions_and_determinants_are_those_of_numpy(dense, n):
    """Of full matrices, and of some with zeros: to round-off times the condition."""
    rng = np.random.default_rng(n)
    for zeros in (0.0, 0.4):
        matrix = rng.standard_normal((n, n)) * (rng.random((n, n)) >= zeros) + np.eye(n)
        wanted = rng.standard_normal(n)
        factors, pivots = _guarded(matrix), np.zeros(n, dtype=np.int32)
        assert dense.factor(n, _pointer(factors), _pointer(pivots)) == 0
        x, ratio = _guarded(matrix @ wanted), np.zeros(1)
        dense.solve(n, _pointer(factors), _pointer(pivots), _pointer(x))
        error = np.abs(x[:n] - wanted).max() / np.abs(wanted).max()
        assert error < 1e-14 * n * np.linalg.cond(matrix)
        found = dense.sign(n, _pointer(factors), _pointer(pivots), _pointer(ratio))
        assert found == np.sign(np.linalg.det(matrix)) and 0.0 < ratio[0] <= 1.0


def test_a_row_without_a_pivot_is_told(dense):
    """By its number, from one: the third is the sum of the others."""
    matrix = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 4.0], [1.0, 3.0, 4.0]])
    factors, pivots = _guarded(matrix), np.zeros(3, dtype=np.int32)
    assert dense.factor(3, _pointer(factors), _pointer(pivots)) == 3
