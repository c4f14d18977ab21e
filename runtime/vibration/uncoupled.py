# SPDX-License-Identifier: BSD-3-Clause
"""Parts of small systems that nothing couples, such as bending, torsion and tension of a shaft.

What takes the third power of the number of unknowns takes less for each of the parts.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from numpy.typing import NDArray

#: What is round-off, of the sizes of a row and of a column.
_ROUND_OFF = 1e-14


def uncoupled(*each: tuple[Floats, Floats]) -> list[Ints]:
    """Return the unknowns of parts between which entries of matrices are round-off.

    Parameters
    ----------
    *each : tuple of ndarray (n, n) and (n,)
        Sizes of the entries of a matrix, and of what is not small in each of its rows.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    count, labels = connected_components(csr_matrix(acting(*each)), directed=False)
    return [np.flatnonzero(labels == k) for k in range(count)]


def acting(*each: tuple[Floats, Floats]) -> NDArray[np.bool_]:
    """Return whether an entry of any of some matrices is more than round-off, (n, n).

    Parameters are those of :func:`uncoupled`.
    """
    roots = [np.sqrt(scale) for _, scale in each]
    found = [
        sizes > _ROUND_OFF * np.outer(root, root)
        for (sizes, _), root in zip(each, roots, strict=True)
    ]
    return np.asarray(np.any(found, axis=0))


def largest(sizes: Floats) -> Floats:
    """Return the largest of the sizes (n, n) in every row and column, (n,)."""
    return np.asarray(np.maximum(sizes.max(axis=0, initial=0.0), sizes.max(axis=1, initial=0.0)))
