# SPDX-License-Identifier: BSD-3-Clause
"""What conjugate gradients are preconditioned with."""

from __future__ import annotations

from abc import ABC, abstractmethod

from flexforge.runtime.arrays import Floats


class Preconditioner(ABC):
    """An approximation of the inverse of a matrix, symmetric and positive definite.

    Attributes
    ----------
    bytes : int
        Its memory.
    """

    bytes: int

    @abstractmethod
    def __call__(self, residual: Floats) -> Floats:
        """Return an approximation of ``A^-1 r`` (m,)."""

    def close(self) -> None:
        """Release memory of libraries; that of arrays goes with them."""
        self.bytes = 0
