# SPDX-License-Identifier: BSD-3-Clause
"""Sums of vectors in one pass over memory, which is what steps of large models wait for."""

from __future__ import annotations

import numpy as np
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats


def combined(f: float, x: Floats, g: float, y: Floats) -> Floats:
    """Return ``f x + g y``, rounded as NumPy rounds it.

    Parameters
    ----------
    f, g : float
        Factors.
    x, y : ndarray, (n,)
        Vectors.
    """
    if x.dtype != np.float64 or y.dtype != np.float64:  # complex ones, of derivatives
        return np.asarray(f * x + g * y)
    out = np.empty(len(x))
    _operators.combine(f, x, g, y, out)
    return out
