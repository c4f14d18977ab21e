# SPDX-License-Identifier: BSD-3-Clause
"""Solution with an upper triangle that may be empty, which LAPACK refuses in older SciPy."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats


def solve_upper(triangle: Floats, right: Floats) -> Floats:
    """Return ``triangle^-1 right``; without rows it is empty as `right` is.

    Parameters
    ----------
    triangle : ndarray, (n, n)
        Upper triangle; n may be zero.
    right : ndarray, (n,) or (n, m)
        Right-hand sides.

    Examples
    --------
    >>> import numpy as np
    >>> solve_upper(np.array([[2.0, 1.0], [0.0, 4.0]]), np.array([3.0, 4.0]))
    array([1., 1.])
    >>> solve_upper(np.zeros((0, 0)), np.zeros((0, 3))).shape
    (0, 3)
    """
    from scipy.linalg import solve_triangular

    if not len(triangle):
        return np.zeros(right.shape)
    return np.asarray(solve_triangular(triangle, right))
