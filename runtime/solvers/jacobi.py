# SPDX-License-Identifier: BSD-3-Clause
"""Block Jacobi: the blocks on the diagonal inverted, where a matrix hardly couples its nodes.

So it is with masses, and with the matrices of steps that are short beside the time a wave takes
through an element.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.blocks import EMPTY
from flexforge.runtime.solvers.conjugate import conjugate_gradients
from flexforge.runtime.solvers.preconditioner import Preconditioner
from flexforge.runtime.solvers.rows import Product, Rows
from flexforge.runtime.solvers.threaded import of_blocks

#: Iterations of a trial and the residual it must reach: fifty then reach 1e-8, and take as long as
#: ten V-cycles, whose levels would have to be made first.
_TRIAL, _REACHED = 8, 0.05


class BlockJacobi(Preconditioner):
    """The inverses of the diagonal blocks of a symmetric matrix.

    Parameters
    ----------
    rows : Rows
        Of the matrix.
    threads : int
        Threads of the products.

    Attributes
    ----------
    inverses : ndarray, (m / b, b, b)
        Of the blocks.
    bytes : int
        Memory of the inverses.
    """

    def __init__(self, rows: Rows, threads: int) -> None:
        self._size, self._ranks = rows.size, rows.ranks
        self.inverses = inverses(rows.diagonal())
        self._inverse = of_blocks(self.inverses, threads)
        self.bytes = self._inverse.bytes

    def __call__(self, residual: Floats) -> Floats:
        """Return the residual times the inverse of the diagonal blocks."""
        return self._inverse @ residual

    def suffices(self, matrix: Product, scale: float) -> bool:
        """Whether conjugate gradients converge fast: tried for an arbitrary right-hand side.

        Parameters
        ----------
        matrix : Product
            The matrix.
        scale : float
            Size of its entries.
        """
        # Smooth parts are the slow ones, and few among arbitrary values.
        own = np.random.default_rng(self._ranks.number)
        found = conjugate_gradients(
            matrix.__matmul__,
            1.0 + own.standard_normal(self._size),
            self,
            scale=scale,
            tolerance=_REACHED,
            most_iterations=_TRIAL,
            ranks=self._ranks,
        )
        return not found.why_not


def inverses(blocks: Floats) -> Floats:
    """Return the inverses of symmetric blocks (k, b, b), of what stiffness they have."""
    sizes, axes = np.linalg.eigh(blocks)
    stiff = sizes > EMPTY * sizes[:, -1:]
    inverted = np.divide(1.0, sizes, out=np.zeros_like(sizes), where=stiff & (sizes > 0.0))
    found: Floats = (axes * inverted[:, None, :]) @ axes.swapaxes(1, 2)
    return found
