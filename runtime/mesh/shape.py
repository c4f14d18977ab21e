# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the cells at given reference points, as plain numbers.

They serve geometry only: checking cells, cutting facets for pictures. The element kernels derive
theirs symbolically. Both follow from the same definition: polynomials in the cell's monomials that
are one at their own node and zero at the others.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from flexforge.runtime.mesh.cells import CELLS
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


def shape_functions(cell: str, reference: ArrayLike) -> Floats:
    """Evaluate the shape functions of a cell.

    Parameters
    ----------
    cell : str
        Name of the cell.
    reference : array_like, (n, dim)
        Reference coordinates.

    Returns
    -------
    ndarray, (n, nodes)
    """
    points = np.atleast_2d(np.asarray(reference, dtype=float))
    return _monomials(cell, points) @ _coefficients(cell)


def shape_gradients(cell: str, reference: ArrayLike) -> Floats:
    """Evaluate the derivatives of the shape functions by the reference coordinates.

    Parameters
    ----------
    cell : str
        Name of the cell.
    reference : array_like, (n, dim)
        Reference coordinates.

    Returns
    -------
    ndarray, (n, dim, nodes)
    """
    dim = CELLS[cell].dim
    points = np.atleast_2d(np.asarray(reference, dtype=float))
    exponents = np.array(CELLS[cell].monomials)
    rows = []
    for axis in range(dim):
        lowered = exponents.copy()
        lowered[:, axis] = np.maximum(lowered[:, axis] - 1, 0)
        rows.append(exponents[:, axis] * np.prod(points[:, None, :] ** lowered, axis=2))
    return np.stack(rows, axis=1) @ _coefficients(cell)


def _monomials(cell: str, points: Floats) -> Floats:
    exponents = np.array(CELLS[cell].monomials)
    values: Floats = np.prod(points[:, None, :] ** exponents, axis=2)
    return values


@cache
def _coefficients(cell: str) -> Floats:
    """Return the inverse Vandermonde matrix: column i holds the coefficients of N_i."""
    nodes = np.array(CELLS[cell].reference)
    return np.asarray(np.linalg.inv(_monomials(cell, nodes)))
