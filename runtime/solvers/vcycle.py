# SPDX-License-Identifier: BSD-3-Clause
"""A V-cycle of smoothed aggregation in single precision: an approximation of ``A^-1``.

Aggregates of nodes, found by pyamg, move rigidly, and one step of Jacobi's method smooths their
motions (Vanek, Mandel, Brezina, *Computing* 56, 1996). Smoothers are Chebyshev polynomials of the
matrix with its diagonal blocks inverted, so that all work is products, in threads. Levels are made
here and not by pyamg, which copies the matrix twice on the way and estimates its largest eigenvalue
once for the motions and once for the smoother.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.jacobi import inverses
from flexforge.runtime.solvers.layout import diagonal_places
from flexforge.runtime.solvers.threaded import ThreadedProduct, of_blocks
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix

Singles = NDArray[np.float32]

_COARSEST = 300  # nodes, or aggregates, of the level that is solved directly
_STRENGTH = 0.02  # of a coupling relative to its nodes, below which it does not join them
_DEGREE = 2  # of the polynomial of a smoother
_SMOOTHED = 10.0  # ratio of the largest eigenvalue to the least one that is smoothed
_SAFETY = 1.1  # by which the power iteration underestimates the largest eigenvalue
_POWERS = 15
_DAMPED = 4.0 / 3.0  # of the step of Jacobi's method that smooths motions
_MOST_LEVELS = 20
_PARTS = 8  # of the sum of a coarse matrix
_EMPTY = 1e-10  # of the largest diagonal entry, below which it is no stiffness


@dataclass(frozen=True)
class _Level:
    """A level above the coarsest.

    Attributes
    ----------
    matrix, interpolation, restriction : ThreadedProduct
        A, P and its transpose.
    scaling : ThreadedProduct
        Inverses of the diagonal blocks.
    largest : float
        Bound of the eigenvalues of ``D^-1 A``.
    """

    matrix: ThreadedProduct
    interpolation: ThreadedProduct
    restriction: ThreadedProduct
    scaling: ThreadedProduct
    largest: float

    @property
    def bytes(self) -> int:
        """Memory of its matrices."""
        matrices = (self.matrix, self.interpolation, self.restriction, self.scaling)
        return sum(one.bytes for one in matrices)

    def smooth(self, residual: Singles) -> Singles:
        """Return a polynomial of the matrix times a residual, close to the solution.

        The recurrence of Chebyshev's method (Saad, *Iterative Methods for Sparse Linear Systems*,
        2nd ed., algorithm 12.1), begun at zero: a symmetric operator.
        """
        least = self.largest / _SMOOTHED
        centre, half = 0.5 * (self.largest + least), 0.5 * (self.largest - least)
        ratio = half / centre
        step: Singles = self.scaling @ (residual / np.float32(centre))
        solution = step.copy()
        for _ in range(_DEGREE - 1):
            residual = residual - self.matrix @ step
            following = 1.0 / (2.0 * centre / half - ratio)
            step = np.float32(following * ratio) * step
            step += np.float32(2.0 * following / half) * (self.scaling @ residual)
            solution += step
            ratio = following
        return solution


class VCycle:
    """A V-cycle for a symmetric positive definite matrix.

    Parameters
    ----------
    matrix : bsr_matrix, (m, m)
        In blocks of nodes.
    motions : ndarray, (m, k)
        Vectors that cost almost no energy, such as rigid motions.
    threads : int
        Threads of the products.
    inverse : ndarray, (m / b, b, b), optional
        Inverses of the diagonal blocks, if they are known.

    Attributes
    ----------
    bytes : int
        Memory of all levels.
    levels : tuple of int
        Unknowns of every level.
    """

    def __init__(
        self, matrix: bsr_matrix, motions: Floats, threads: int, inverse: Floats | None = None
    ) -> None:
        from scipy.linalg import cho_factor

        self._levels: list[_Level] = []
        sizes = [matrix.shape[0]]
        while matrix.shape[0] > _COARSEST * matrix.blocksize[0] and len(sizes) < _MOST_LEVELS:
            level, coarser, motions = _coarsened(matrix, motions, threads, inverse)
            inverse = None
            if coarser.shape[0] >= sizes[-1]:
                break
            matrix = coarser
            self._levels.append(level)
            sizes.append(matrix.shape[0])
        self.levels = tuple(sizes)
        coarsest = matrix.toarray()
        empty = coarsest.diagonal() <= _EMPTY * coarsest.diagonal().max()
        coarsest[empty, empty] = coarsest.diagonal().max()  # combinations that move nothing
        self._coarsest = cho_factor(coarsest)
        self.bytes = coarsest.nbytes + sum(level.bytes for level in self._levels)

    def __call__(self, residual: Floats) -> Floats:
        """Return an approximation of ``A^-1 r`` (m,); it is symmetric and positive definite."""
        size = float(np.linalg.norm(residual))
        if size == 0.0:
            return np.zeros_like(residual)
        found = self._cycle(0, (residual / size).astype(np.float32))
        return size * found.astype(np.float64)

    def _cycle(self, depth: int, residual: Singles) -> Singles:
        if depth == len(self._levels):
            from scipy.linalg import cho_solve

            found: Singles = cho_solve(self._coarsest, residual.astype(np.float64))
            return found.astype(np.float32)
        level = self._levels[depth]
        solution = level.smooth(residual)
        rest = level.restriction @ (residual - level.matrix @ solution)
        solution += level.interpolation @ self._cycle(depth + 1, rest)
        solution += level.smooth(residual - level.matrix @ solution)
        return solution


def _coarsened(
    matrix: bsr_matrix, motions: Floats, threads: int, inverse: Floats | None
) -> tuple[_Level, bsr_matrix, Floats]:
    """Return a level, the matrix of the next one and its motions."""
    from pyamg.aggregation.aggregate import standard_aggregation
    from pyamg.aggregation.tentative import fit_candidates
    from pyamg.strength import symmetric_strength_of_connection

    aggregates, _ = standard_aggregation(symmetric_strength_of_connection(matrix, _STRENGTH))
    rigid, motions = fit_candidates(aggregates, motions)
    if inverse is None:
        inverse = inverses(matrix.data[diagonal_places(matrix)])
    product, scaling = (
        ThreadedProduct(matrix, threads),
        of_blocks(inverse.astype(np.float32), threads),
    )
    largest = _largest(product, scaling, matrix.shape[0])
    smooth = _smoothed(matrix, rigid, inverse, _DAMPED / largest)
    del rigid, aggregates
    coarser = _projected(matrix, smooth)
    smooth = smooth.astype(np.float32)  # before it is transposed, for the memory
    level = _Level(
        product,
        ThreadedProduct(smooth, threads),
        ThreadedProduct(smooth.T.tobsr(smooth.blocksize[::-1]), threads),
        scaling,
        largest,
    )
    return level, coarser, motions


def _smoothed(matrix: bsr_matrix, rigid: bsr_matrix, inverse: Floats, factor: float) -> bsr_matrix:
    """Return ``P - factor D^-1 A P`` of the rigid motions P of aggregates."""
    change = matrix @ rigid
    rows = np.repeat(np.arange(len(inverse)), np.diff(change.indptr))
    change.data = -factor * (inverse[rows] @ change.data)
    return (rigid + change).tobsr(rigid.blocksize)


def _projected(matrix: bsr_matrix, smooth: bsr_matrix) -> bsr_matrix:
    """Return ``P^T A P``, by parts of its sum: A P takes as much memory as A."""
    from scipy.sparse import bsr_matrix

    d, count = matrix.blocksize[0], smooth.shape[1]
    sizes = (smooth.blocksize[1],) * 2
    total = bsr_matrix((count, count), blocksize=sizes)
    bounds = np.linspace(0, matrix.shape[0] // d, _PARTS + 1).astype(int)
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        rows, own = (_rows(one, low, high) for one in (matrix, smooth))
        total = total + own.T.tobsr(sizes[:1] + (d,)) @ (rows @ smooth)
    return total.tobsr(sizes)


def _rows(matrix: bsr_matrix, low: int, high: int) -> bsr_matrix:
    """Return rows of blocks of a matrix, which share its entries."""
    from scipy.sparse import bsr_matrix

    begin, end = matrix.indptr[[low, high]]
    parts = (
        matrix.data[begin:end],
        matrix.indices[begin:end],
        matrix.indptr[low : high + 1] - begin,
    )
    return bsr_matrix(parts, shape=((high - low) * matrix.blocksize[0], matrix.shape[1]))


def _largest(product: ThreadedProduct, scaling: ThreadedProduct, count: int) -> float:
    """Return a bound of the largest eigenvalue of ``D^-1 A``, by the power method."""
    x = np.random.default_rng(0).standard_normal(count).astype(np.float32)
    largest = 0.0
    for _ in range(_POWERS):
        x = scaling @ (product @ (x / np.float32(np.linalg.norm(x))))
        largest = float(np.linalg.norm(x))
    return _SAFETY * largest
