# SPDX-License-Identifier: BSD-3-Clause
"""Block Jacobi: the blocks on the diagonal inverted, where a matrix hardly couples its nodes.

So it is with masses, and with the matrices of steps that are short beside the time a wave takes
through an element.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.conjugate import conjugate_gradients
from flexforge.runtime.solvers.layout import diagonal_places
from flexforge.runtime.solvers.threaded import ThreadedProduct
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

_EMPTY = 1e-10  # of the largest eigenvalue of a diagonal block, below which it is no stiffness
#: Iterations of a trial and the residual it must reach: fifty then reach 1e-8, and take as long as
#: ten V-cycles, whose levels would have to be made first.
_TRIAL, _REACHED = 8, 0.05


class BlockJacobi:
    """The inverses of the diagonal blocks of a symmetric matrix.

    Parameters
    ----------
    matrix : bsr_matrix, (m, m)
        In blocks of nodes.

    Attributes
    ----------
    bytes : int
        Memory of the inverses.
    """

    def __init__(self, matrix: bsr_matrix) -> None:
        self._inverse = inverses(matrix.data[diagonal_places(matrix)])
        self.bytes = self._inverse.nbytes

    def __call__(self, residual: Floats) -> Floats:
        """Return the residual times the inverse of the diagonal blocks."""
        return scaled(self._inverse, residual)

    def suffices(self, matrix: ThreadedProduct, scale: float) -> bool:
        """Whether conjugate gradients converge fast: tried for an arbitrary right-hand side.

        Parameters
        ----------
        matrix : ThreadedProduct
            The matrix.
        scale : float
            Size of its entries.
        """
        b = self._inverse.shape[1]
        # Smooth parts are the slow ones, and few among arbitrary values.
        rhs = 1.0 + np.random.default_rng(0).standard_normal(len(self._inverse) * b)
        found = conjugate_gradients(
            matrix.__matmul__, rhs, self, scale=scale, tolerance=_REACHED, most_iterations=_TRIAL
        )
        return not found.why_not


def scaled(blocks: NDArray[np.floating], vector: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return a block diagonal matrix, (k, b, b), times a vector (k b,)."""
    found: NDArray[np.floating] = np.matmul(blocks, vector.reshape(-1, blocks.shape[1], 1)).ravel()
    return found


def inverses(blocks: Floats) -> Floats:
    """Return the inverses of symmetric blocks (k, b, b), of what stiffness they have."""
    sizes, axes = np.linalg.eigh(blocks)
    stiff = sizes > _EMPTY * sizes[:, -1:]
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=stiff & (sizes > 0.0))
    found: Floats = (axes * inverted[:, None, :]) @ axes.swapaxes(1, 2)
    return found
