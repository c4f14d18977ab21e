# SPDX-License-Identifier: BSD-3-Clause
"""A V-cycle of smoothed aggregation in single precision: an approximation of ``A^-1``.

Aggregates of nodes, found by pyamg, move rigidly, and one step of Jacobi's method smooths their
motions (Vanek, Mandel, Brezina, *Computing* 56, 1996). Smoothers are Chebyshev polynomials of the
matrix with its diagonal blocks inverted, so that all work is products, in threads. Levels are made
here and not by pyamg, from parts of the rows of a matrix: it need not be in memory as a whole.

Where ranks share the matrix, aggregates have the nodes of one rank each, and PETSc does what is
below the finest level, at which nearly all work is done.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats, Singles
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.solvers.blocks import EMPTY
from flexforge.runtime.solvers.gamg import Gamg
from flexforge.runtime.solvers.jacobi import inverses
from flexforge.runtime.solvers.rows import KeptRows, Product, Rows
from flexforge.runtime.solvers.threaded import of_blocks
from flexforge.runtime.solvers.transfers import transfers

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix

_COARSEST = 300  # nodes, or aggregates, of the level that is solved directly
_STRENGTH = 0.02  # of a coupling relative to its nodes, below which it does not join them
_DEGREE = 2  # of the polynomial of a smoother
_SMOOTHED = 10.0  # ratio of the largest eigenvalue to the least one that is smoothed
_SAFETY = 1.1  # by which the power iteration underestimates the largest eigenvalue
_POWERS = 15
_DAMPED = 4.0 / 3.0  # of the step of Jacobi's method that smooths motions
_MOST_LEVELS = 20


@dataclass(frozen=True)
class _Level:
    """A level above the coarsest.

    Attributes
    ----------
    matrix, interpolation, restriction : Product
        A, P and its transpose.
    scaling : Product
        Inverses of the diagonal blocks.
    largest : float
        Bound of the eigenvalues of ``D^-1 A``.
    """

    matrix: Product
    interpolation: Product
    restriction: Product
    scaling: Product
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


class Coarsest(Protocol):
    """What solves on the coarsest level, nearly or exactly."""

    bytes: int

    def __call__(self, residual: Singles) -> Singles:
        """Return the solution for a right-hand side (n,)."""


class VCycle:
    """A V-cycle for a symmetric positive definite matrix.

    Parameters
    ----------
    rows : Rows
        Of the matrix.
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

    Raises
    ------
    numpy.linalg.LinAlgError
        When the coarsest level is not positive definite.
    """

    def __init__(
        self, rows: Rows, motions: Floats, threads: int, inverse: Floats | None = None
    ) -> None:
        self._ranks = rows.ranks
        self._levels: list[_Level] = []
        sizes = [rows.size]
        if rows.ranks.count > 1:
            level, coarser, motions = _coarsened(rows, motions, threads, inverse)
            self._levels.append(level)
            self._coarsest: Coarsest = Gamg(rows.ranks, coarser, motions)
        else:
            while rows.count > _COARSEST and len(sizes) < _MOST_LEVELS:
                level, coarser, motions = _coarsened(rows, motions, threads, inverse)
                inverse = None
                if coarser.shape[0] >= sizes[-1]:
                    break
                rows = KeptRows(coarser)
                self._levels.append(level)
                sizes.append(rows.size)
            self._coarsest = _Dense(rows.some(0, rows.count).toarray())
        self.levels = tuple(sizes)
        self.bytes = self._coarsest.bytes + sum(level.bytes for level in self._levels)

    def __call__(self, residual: Floats) -> Floats:
        """Return an approximation of ``A^-1 r`` (m,); it is symmetric and positive definite."""
        size = self._ranks.norm(residual)
        if size == 0.0:
            return np.zeros_like(residual)
        found = self._cycle(0, (residual / size).astype(np.float32))
        return size * found.astype(np.float64)

    def _cycle(self, depth: int, residual: Singles) -> Singles:
        if depth == len(self._levels):
            return self._coarsest(residual)
        level = self._levels[depth]
        solution = level.smooth(residual)
        rest = level.restriction @ (residual - level.matrix @ solution)
        solution += level.interpolation @ self._cycle(depth + 1, rest)
        solution += level.smooth(residual - level.matrix @ solution)
        return solution


class _Dense:
    """Factors of a dense matrix; combinations that move nothing are held."""

    def __init__(self, matrix: Floats) -> None:
        from scipy.linalg import cho_factor

        empty = matrix.diagonal() <= EMPTY * matrix.diagonal().max()
        matrix[empty, empty] = matrix.diagonal().max()
        self._factors = cho_factor(matrix)
        self.bytes = matrix.nbytes

    def __call__(self, residual: Singles) -> Singles:
        from scipy.linalg import cho_solve

        found: Singles = cho_solve(self._factors, residual.astype(np.float64))
        return found.astype(np.float32)


def _coarsened(
    rows: Rows, motions: Floats, threads: int, inverse: Floats | None
) -> tuple[_Level, bsr_matrix, Floats]:
    """Return a level, the matrix of the next one and its motions.

    Aggregates are numbered over all ranks, rank by rank. Of the matrix each rank has what its own
    rows contribute to the sum over the ranks; of the motions, those of its own aggregates.
    """
    from pyamg.aggregation.tentative import fit_candidates

    ranks, aggregates = rows.ranks, _aggregates(rows)
    if inverse is None:
        inverse = inverses(rows.diagonal())
    product, scaling = (
        rows.times(np.float32, threads),
        of_blocks(inverse.astype(np.float32), threads),
    )
    largest = _largest(product, scaling, rows.size, ranks)
    rigid, motions = fit_candidates(aggregates, motions)
    counts = ranks.gathered(aggregates.shape[1])
    rigid = _numbered(rigid, sum(counts[: ranks.number]), sum(counts))
    smooth = _smoothed(rows, rigid, inverse, _DAMPED / largest)
    del rigid, aggregates
    coarser = _projected(rows, smooth)
    smooth = smooth.astype(np.float32)  # before it is transposed, for the memory
    level = _Level(product, *transfers(ranks, counts, smooth, threads), scaling, largest)
    return level, coarser, motions


def _aggregates(rows: Rows) -> csr_matrix:
    """Return which rows belong to which aggregate, (count, aggregates).

    Nodes join along strong couplings: relative to the geometric mean of the norms of their own
    blocks.
    """
    from pyamg.aggregation.aggregate import standard_aggregation
    from scipy.sparse import csr_matrix

    sizes = np.linalg.norm(rows.diagonal(), axis=(1, 2))
    across = rows.spread(sizes)
    columns, lengths = [], []
    for low, high in rows.parts():
        part = rows.some(low, high)
        row = np.repeat(np.arange(low, high), np.diff(part.indptr))
        square = np.einsum("kij,kij->k", part.data, part.data)
        column = rows.own(part.indices)
        strong = square >= _STRENGTH**2 * sizes[row] * across[part.indices]
        strong = (strong & (column >= 0)) | (column == row)
        columns.append(column[strong].astype(np.int32))
        lengths.append(np.bincount(row[strong] - low, minlength=high - low))
    pointers = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int32)
    column = np.concatenate(columns)
    strong = csr_matrix(
        (np.ones(len(column), dtype=np.int8), column, pointers), shape=(rows.count,) * 2
    )
    found, _ = standard_aggregation(strong)
    return found


def _numbered(rigid: bsr_matrix, first: int, count: int) -> bsr_matrix:
    """Return motions of aggregates that are numbered from another number on."""
    from scipy.sparse import bsr_matrix

    parts = (rigid.data, rigid.indices + first, rigid.indptr)
    return bsr_matrix(parts, shape=(rigid.shape[0], count * rigid.blocksize[1]))


def _smoothed(rows: Rows, rigid: bsr_matrix, inverse: Floats, factor: float) -> bsr_matrix:
    """Return ``P - factor D^-1 A P`` of the rigid motions P of aggregates."""
    from scipy.sparse import bsr_matrix

    whole, own = rows.spread_rows(rigid), KeptRows(rigid)
    found = []
    for low, high in rows.parts():
        change = rows.some(low, high) @ whole
        row = np.repeat(np.arange(low, high), np.diff(change.indptr))
        change.data = -factor * (inverse[row] @ change.data)
        found.append((own.some(low, high) + change).tobsr(rigid.blocksize))
    lengths = np.concatenate([[0], *(np.diff(one.indptr) for one in found)])
    parts = (
        np.concatenate([one.data for one in found]),
        np.concatenate([one.indices for one in found]),
        np.cumsum(lengths),
    )
    return bsr_matrix(parts, shape=rigid.shape)


def _projected(rows: Rows, smooth: bsr_matrix) -> bsr_matrix:
    """Return ``P^T A P``, summed part by part: A P takes as much memory as A."""
    from scipy.sparse import bsr_matrix

    count, sizes = smooth.shape[1], (smooth.blocksize[1],) * 2
    total = bsr_matrix((count, count), blocksize=sizes)
    whole, own = rows.spread_rows(smooth), KeptRows(smooth)
    for low, high in rows.parts():
        turned = own.some(low, high).T.tobsr(sizes[:1] + (rows.block,))
        total = total + turned @ (rows.some(low, high) @ whole)
    return total.tobsr(sizes)


def _largest(product: Product, scaling: Product, count: int, ranks: Ranks) -> float:
    """Return a bound of the largest eigenvalue of ``D^-1 A``, by the power method."""
    x: Singles = np.random.default_rng(ranks.number).standard_normal(count).astype(np.float32)
    largest = 0.0
    for _ in range(_POWERS):
        x = scaling @ (product @ (x * np.float32(1.0 / ranks.norm(x))))
        largest = ranks.norm(x)
    return _SAFETY * largest
