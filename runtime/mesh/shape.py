# SPDX-License-Identifier: BSD-3-Clause
"""Shape functions of the cells at given reference points, as numbers.

They are used for geometry only: checking cells, cutting facets for pictures. The element kernels
derive their shape functions symbolically. Both follow from the same definition: sums of the cell's
monomials that are one at their own node and zero at the others. Those of a pyramid also contain
powers of ``1 - zeta``; at its apex they are evaluated as the limit along the axis.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS
from numpy.typing import ArrayLike

_APEX = 1e-100


def shape_functions(cell: str, reference: ArrayLike) -> Floats:
    """Evaluate the shape functions of a cell.

    Parameters
    ----------
    cell : str
        Name of the cell type.
    reference : array_like, (n, dim)
        Reference coordinates.

    Returns
    -------
    ndarray, (n, nodes)
    """
    points = np.atleast_2d(np.asarray(reference, dtype=float))
    return _monomials(cell, points) @ _coefficients(cell)


def shape_gradients(cell: str, reference: ArrayLike) -> Floats:
    """Evaluate the derivatives of the shape functions with respect to reference coordinates.

    Parameters
    ----------
    cell : str
        Name of the cell type.
    reference : array_like, (n, dim)
        Reference coordinates.

    Returns
    -------
    ndarray, (n, dim, nodes)
    """
    points = _variables(cell, np.atleast_2d(np.asarray(reference, dtype=float)))
    exponents = np.array(CELLS[cell].monomials)
    rows = []
    for axis in range(exponents.shape[1]):
        lowered = exponents.copy()
        lowered[:, axis] -= exponents[:, axis] != 0
        rows.append(exponents[:, axis] * np.prod(points[:, None, :] ** lowered, axis=2))
    if len(rows) > CELLS[cell].dim:
        along, against = rows[-2:]  # 1 - zeta decreases as zeta increases
        rows[-2:] = [along - against]
    return np.stack(rows, axis=1) @ _coefficients(cell)


def _monomials(cell: str, points: Floats) -> Floats:
    exponents = np.array(CELLS[cell].monomials)
    values: Floats = np.prod(_variables(cell, points)[:, None, :] ** exponents, axis=2)
    return values


def _variables(cell: str, points: Floats) -> Floats:
    """Return the variables of a cell's monomials: the coordinates, and 1 - zeta for a pyramid."""
    if len(CELLS[cell].monomials[0]) == CELLS[cell].dim:
        return points
    # Not quite the apex: there xi = eta = 0, and 0 / 0 becomes 0 as on the axis.
    return np.column_stack([points, np.maximum(1 - points[:, 2], _APEX)])


@cache
def _coefficients(cell: str) -> Floats:
    """Return the coefficients of N_i in column i: those of the cell, or the inverse Vandermonde."""
    if CELLS[cell].functions:
        return np.array(CELLS[cell].functions)
    nodes = np.array(CELLS[cell].reference)
    return np.asarray(np.linalg.inv(_monomials(cell, nodes)))
