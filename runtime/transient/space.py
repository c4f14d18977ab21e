# SPDX-License-Identifier: BSD-3-Clause
"""Products and norms of vectors: the only code that depends on threads or ranks.

Every rank holds the values of all unknowns its elements reach, those it shares with others too.
What elements add up is at first the share of this rank; `halo` makes it the sum over all. Values
that a stepper keeps (states, increments) are the same wherever they are held.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from flexforge.runtime.arrays import Floats


class Space(Protocol):
    """Vectors of the equations ``v = (z, s)`` of a model."""

    @property
    def size(self) -> int:
        """Numbers of a vector on this rank."""

    @property
    def ranks(self) -> int:
        """Number of ranks that share the vectors."""

    def zeros(self) -> Floats:
        """Return a vector of zeros, (size,)."""

    def dot(self, x: Floats, y: Floats) -> float:
        """Return the inner product over all ranks, shared values counted once."""

    def norms(self, x: Floats, parts: Sequence[slice]) -> Floats:
        """Return the norms of parts of a vector over all ranks, (parts,)."""

    def halo(self, x: Floats) -> Floats:
        """Return the shares of all ranks added, where values are shared."""


class SerialSpace:
    """Vectors of one process.

    Parameters
    ----------
    size : int
        Numbers of a vector.
    """

    def __init__(self, size: int) -> None:
        self.size, self.ranks = size, 1

    def zeros(self) -> Floats:
        """Return a vector of zeros."""
        return np.zeros(self.size)

    def dot(self, x: Floats, y: Floats) -> float:
        """Return the inner product."""
        return float(x @ y)

    def norms(self, x: Floats, parts: Sequence[slice]) -> Floats:
        """Return the norms of parts of a vector."""
        return np.array([np.linalg.norm(x[part]) for part in parts])

    def halo(self, x: Floats) -> Floats:
        """Return the vector: nothing is shared."""
        return x
