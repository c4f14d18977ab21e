# SPDX-License-Identifier: BSD-3-Clause
"""The order of coordinates in which a small matrix has a narrow band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Unknowns and half band width up to which a banded matrix is factored at every step.
MOST_UNKNOWNS, WIDEST = 1500, 60


def factor_bytes(size: int, band: int) -> int:
    """Return the bytes of the factors of a band matrix with row exchanges, as in ``ff_band.h``.

    Parameters
    ----------
    size : int
        Rows.
    band : int
        Half width.
    """
    return 8 * size * (3 * band + 1)


def narrow(pattern: csr_matrix) -> tuple[NDArray[np.int64], int]:
    """Return an order (n,) that makes the band of a symmetric pattern narrow, and its half width.

    Cuthill and McKee's order, reversed, as SciPy finds it.
    """
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order = reverse_cuthill_mckee(pattern, symmetric_mode=True).astype(np.int64)
    entries = pattern[order][:, order].tocoo()
    return order, int(np.abs(entries.row - entries.col).max(initial=0))
