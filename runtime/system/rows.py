# SPDX-License-Identifier: BSD-3-Clause
"""Rows ``C q = B f(t)`` of equations between displacements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Complex, Floats, Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


@dataclass(frozen=True, eq=False)
class Rows:
    """Equations of one kind.

    Attributes
    ----------
    key : str
        Where the model file has them, for messages.
    places : ndarray of int64, (m, c)
        Places ``node * d + component`` of the terms of every equation.
    factors : ndarray, (m, c)
        Their factors, complex where the unknowns are complex amplitudes.
    functions : ndarray of int64, (k,)
        Numbers of the functions on the right-hand side.
    given : ndarray, (m, k)
        Their factors.
    """

    key: str
    places: Ints
    factors: Floats | Complex
    functions: Ints
    given: Floats


def csr_none(size: int) -> csr_matrix:
    """Return the matrix of no equations, (0, size)."""
    from scipy.sparse import csr_matrix

    return csr_matrix((0, size))


def matrices(rows: Sequence[Rows], size: int, functions: int) -> tuple[csr_matrix, csr_matrix]:
    """Return C (m, size) and B (m, functions) of all equations."""
    from scipy.sparse import csr_matrix, vstack

    left, right = [], []
    for one in rows:
        count = len(one.places)
        number = np.broadcast_to(np.arange(count)[:, None], one.places.shape).ravel()
        entries = (one.factors.ravel(), (number, one.places.ravel()))
        left.append(csr_matrix(entries, shape=(count, size)))
        number, column = np.nonzero(one.given)
        entries = (one.given[number, column], (number, one.functions[column]))
        right.append(csr_matrix(entries, shape=(count, functions)))
    return vstack(left, format="csr"), vstack(right, format="csr")
