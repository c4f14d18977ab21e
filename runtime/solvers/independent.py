# SPDX-License-Identifier: BSD-3-Clause
"""Which of some rows do not depend on each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.solvers.clear_rows import clear_rows
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_RANK = 1e-9  # of the pivots, relative to the largest


def independent_rows(rows: csr_matrix) -> NDArray[np.bool_]:
    """Return which rows (m, n) do not depend on others, by QR of their transpose with pivoting.

    Parameters
    ----------
    rows : csr_matrix, (m, n)
        Rows of any lengths.

    Returns
    -------
    ndarray of bool, (m,)
        As many as the rank.
    """
    from scipy.linalg import qr

    which = np.zeros(rows.shape[0], dtype=bool)
    if not len(which):
        return which
    if clear_rows(rows) is not None:
        return ~which
    g = rows[:, np.unique(rows.indices)].toarray().T
    norms = np.linalg.norm(g, axis=0)
    _, r, order = qr(g / np.where(norms > 0.0, norms, 1.0), mode="economic", pivoting=True)
    which[order[: int((np.abs(np.diag(r)) > _RANK).sum())]] = True
    return which
