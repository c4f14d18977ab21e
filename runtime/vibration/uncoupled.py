# SPDX-License-Identifier: BSD-3-Clause
"""Parts of small systems that nothing couples, such as bending, torsion and tension of a shaft.

What takes the third power of the number of unknowns takes less for each of the parts.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from numpy.typing import NDArray

#: Of the largest entries in a row and in a column, what is round-off.
_ROUND_OFF = 1e-14


def uncoupled(*sizes: Floats) -> list[Ints]:
    """Return the unknowns of parts between which entries of matrices are round-off.

    Parameters
    ----------
    *sizes : ndarray, (n, n)
        Sizes of the entries of matrices, each of one unit.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    coupled = np.any([_acts(one) for one in sizes], axis=0)
    count, labels = connected_components(csr_matrix(coupled), directed=False)
    return [np.flatnonzero(labels == k) for k in range(count)]


def _acts(sizes: Floats) -> NDArray[np.bool_]:
    """Return which entries (n, n) are more than round-off."""
    rows, columns = (np.sqrt(sizes.max(axis=axis, initial=0.0)) for axis in (1, 0))
    return np.asarray(sizes > _ROUND_OFF * np.outer(rows, columns))
