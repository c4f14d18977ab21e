# SPDX-License-Identifier: BSD-3-Clause
"""Constant directions of the coordinates that span the rows of joints at all times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.constraints.apart import Apart, apart_of
from flexforge.runtime.constraints.rows import Pattern
from flexforge.runtime.constraints.span import most_directions, span_of
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix, csr_matrix

#: Coordinates from which on it pays: below, a matrix is soon factored again, ties and all.
LARGE = 2_000
#: Directions that joints may hold: a small matrix of that size is inverted at every time.
MOST_DIRECTIONS = 400
#: Entries that X may have; 320 MB.
MOST_ENTRIES = 40_000_000
_NO_MASS = 1e-14


@dataclass(frozen=True, slots=True)
class Directions:
    """What joints hold.

    Attributes
    ----------
    matrix : csc_matrix, (n, p)
        E, orthonormal.
    light : ndarray of int
        Which directions have coordinates without inertia.
    mass : float
        What those get, kg.
    apart : Apart
        Which of them reach the same bodies.
    """

    matrix: csc_matrix
    light: NDArray[np.int64]
    mass: float
    apart: Apart

    def added(self) -> csr_matrix:
        """Return the matrix of what is added to the bodies, (n, n)."""
        of = self.matrix[:, self.light]
        return (self.mass * (of @ of.T)).tocsr()


def condensing(pattern: Pattern, system: System) -> Directions | None:
    """Return the directions of the joints, or None where factoring all together is as good."""
    n = pattern.shape[1]
    if n < LARGE or not 0 < most_directions(pattern) <= MOST_DIRECTIONS:
        return None
    span, masses = span_of(pattern), system.map.sample(system.mass_diagonal())
    apart = apart_of(system, span)
    if n * apart.most > MOST_ENTRIES:
        return None
    empty = (masses <= _NO_MASS * masses.max()).astype(np.float64)
    light = np.flatnonzero(abs(span).T @ empty)
    return Directions(span, light, float(masses[masses > 0].mean()), apart)
