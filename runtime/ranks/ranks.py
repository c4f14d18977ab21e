# SPDX-License-Identifier: BSD-3-Clause
"""Sums and norms over all processes of a run; of one process alone they are those of NumPy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from numpy.typing import NDArray

Value = TypeVar("Value", float, Floats, Complex)
Item = TypeVar("Item")


class Ranks:
    """The processes that share a run, called ranks; here one alone.

    Vectors of unknowns hold those of one rank each. All methods must be called by all ranks.

    Attributes
    ----------
    number : int
        This rank, from 0.
    count : int
        Number of ranks.
    """

    number = 0
    count = 1

    @property
    def is_first(self) -> bool:
        """Whether this is the rank that reads and writes files, and speaks."""
        return self.number == 0

    def total(self, value: Value) -> Value:
        """Return the sum of a number, or of arrays of one shape, over the ranks."""
        return value

    def largest(self, value: float) -> float:
        """Return the largest of the numbers of all ranks."""
        return value

    def any(self, value: object) -> bool:
        """Whether a condition holds on any rank."""
        return self.largest(float(bool(value))) > 0.0

    def dot(self, x: NDArray[Any], y: NDArray[Any]) -> float:
        """Return the inner product of two vectors."""
        return self.total(float(x @ y))

    def norm(self, x: NDArray[Any]) -> float:
        """Return the Euclidean norm of a vector."""
        return float(np.linalg.norm(x))

    def gathered(self, item: Item) -> list[Item]:
        """Return what all ranks hand over, to every one of them."""
        return [item]

    def collected(self, item: Item) -> list[Item] | None:
        """Return what all ranks hand over, to the first; None to the others."""
        return [item]

    def exchanged(self, items: Sequence[Item]) -> list[Item]:
        """Hand one item to every rank, and return what they hand to this one, rank by rank."""
        return list(items)

    def handed_out(self, items: Iterable[Item] | None) -> Item:
        """Return this rank's item of those that the first rank hands out."""
        assert items is not None
        return next(iter(items))


ONE = Ranks()
