# SPDX-License-Identifier: BSD-3-Clause
"""Least solutions of many sparse rows none of which is near the span of others.

Mechanisms of hundreds of links have thousands of rows of a few entries each. Where sparse factors
of ``G G^T`` show that they do not depend on each other, dense decompositions are not needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Floats

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Rows below which dense decompositions are as quick, and say more.
_FEW = 200
#: Square of the distance of a row of unit length from the span of others that is clear.
_CLEAR = 1e-10
#: Refinements of a solution: the factors lose as many digits as that has.
_REFINED = 2


@dataclass(frozen=True)
class ClearRows:
    """Rows that clearly do not depend on each other.

    Attributes
    ----------
    rows : csr_matrix, (m, n)
        Of unit length.
    sizes : ndarray, (m,)
        Their lengths before.
    factors : SuperLU
        Of ``G G^T`` with these rows.
    """

    rows: csr_matrix
    sizes: Floats
    factors: Any

    def least(self, right: Floats) -> Floats:
        """Return the x of least norm with ``G x = right``."""
        wanted = right / self.sizes
        found = np.zeros(len(wanted))
        for _ in range(1 + _REFINED):
            found += self.factors.solve(wanted - self.rows @ (self.rows.T @ found))
        return np.asarray(self.rows.T @ found)


def clear_rows(matrix: Floats | csr_matrix) -> ClearRows | None:
    """Return many rows that clearly do not depend on each other; None if they are few or not clear.

    Parameters
    ----------
    matrix : ndarray or csr_matrix, (m, n)
        The rows G.
    """
    from scipy.sparse import csr_matrix, diags
    from scipy.sparse.linalg import splu

    count, width = matrix.shape
    if not _FEW <= count <= width:
        return None
    rows = csr_matrix(matrix)
    sizes = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    if not sizes.all():
        return None
    rows = csr_matrix(diags(1.0 / sizes) @ rows)
    options = {"SymmetricMode": True}
    try:
        factors = splu(
            (rows @ rows.T).tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options=options,
        )
    except RuntimeError:  # singular
        return None
    if np.abs(factors.U.diagonal()).min() < _CLEAR:
        return None
    return ClearRows(rows, sizes, factors)
