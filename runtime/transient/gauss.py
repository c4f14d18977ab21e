# SPDX-License-Identifier: BSD-3-Clause
"""Gauss methods for first-order equations, and compensated sums.

Hairer, Lubich and Wanner, *Geometric Numerical Integration*, 2nd ed.: section II.1.3 (Gauss
methods), theorem IV.2.1 (they keep every quadratic invariant), section VIII.5 (round-off).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats


@dataclass(frozen=True, slots=True)
class Gauss:
    """Coefficients of a Gauss method.

    Attributes
    ----------
    nodes, weights : tuple of float, one a stage
        Where in a step the stages are, and their shares of it.
    matrix : tuple of tuples of float
        Share of every stage in the state at every other.
    symmetrizer : tuple of float
        Factors of the rows that make ``matrix`` symmetric, and its square with it.
    """

    nodes: tuple[float, ...]
    weights: tuple[float, ...]
    matrix: tuple[tuple[float, ...], ...]
    symmetrizer: tuple[float, ...]


_EARLY = 0.25 - np.sqrt(3.0) / 6.0
_LATE = 0.5 - _EARLY  # so that b_i a_ij + b_j a_ji = b_i b_j to the last digit

MIDPOINT = Gauss((0.5,), (1.0,), ((0.5,),), (1.0,))
GAUSS4 = Gauss(
    (0.25 + _EARLY, 0.25 + _LATE),
    (0.5, 0.5),
    ((0.25, _EARLY), (_LATE, 0.25)),
    (1.0, _EARLY / _LATE),
)
METHODS = {"midpoint": MIDPOINT, "gauss4": GAUSS4}
"""By the name they have in model files."""


def carried_sum(value: Floats, rest: Floats, change: Floats) -> tuple[Floats, Floats]:
    """Return a vector that has grown by a small change, and what rounding has dropped of it.

    Parameters
    ----------
    value, rest : ndarray
        The vector before, rounded, and what rounding had dropped of it.
    change : ndarray
        What it grows by.
    """
    change = change + rest
    total = value + change
    # The exact error of the sum (Knuth), whichever of the two is larger.
    taken = total - value
    return total, (value - (total - taken)) + (change - taken)
