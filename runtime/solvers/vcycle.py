# SPDX-License-Identifier: BSD-3-Clause
"""A V-cycle of smoothed aggregation in single precision: an approximation of ``A^-1``.

Aggregates of nodes, found by pyamg, move rigidly, and one step of Jacobi's method smooths their
motions (Vanek, Mandel, Brezina, *Computing* 56, 1996). Smoothers are Chebyshev polynomials of the
matrix with its diagonal blocks inverted, so that all work is products, in threads. Levels are made
here and not by pyamg, from parts of the rows of a matrix: it need not be in memory as a whole.

Between the nodes of quadratic elements and the aggregates is a level of linear ones, where these
are known: displacements of corners, linear in between (p-multigrid).

Where ranks share the matrix, aggregates have the nodes of one rank each. Levels of few nodes are
handed to every rank, which does the same with them: that takes less time than to exchange.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from flexforge.runtime.arrays import Floats, Ints, Singles
from flexforge.runtime.ranks import Ranks
from flexforge.runtime.solvers.blocks import EMPTY, block_diagonal, diagonal_places, of_singles
from flexforge.runtime.solvers.jacobi import inverses
from flexforge.runtime.solvers.matmul import multiplied, multiplied_turned, stacked, summed
from flexforge.runtime.solvers.preconditioner import Preconditioner
from flexforge.runtime.solvers.rows import KeptRows, Product, Rows
from flexforge.runtime.solvers.sharing import gathered_rows, rows_of
from flexforge.runtime.solvers.threaded import of_blocks
from flexforge.runtime.solvers.transfers import transfers

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix, csr_matrix

_COARSEST = 300  # nodes, or aggregates, of the level that is solved directly
_TOGETHER = 2000  # of the level that every rank of several has as a whole
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


class VCycle(Preconditioner):
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
    corners : tuple, optional
        Interpolation from the corners of quadratic elements, and these among the rows: the first
        coarse level, instead of aggregates.

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
        self,
        rows: Rows,
        motions: Floats,
        threads: int,
        inverse: Floats | None = None,
        corners: tuple[bsr_matrix, Ints] | None = None,
    ) -> None:
        self._ranks = ranks = rows.ranks
        self._levels: list[_Level] = []
        least = _COARSEST if ranks.count == 1 else _TOGETHER
        sizes, count = [rows.size], ranks.total(float(rows.count))
        while count > least and len(sizes) < _MOST_LEVELS:
            level, coarser, motions = _coarsened(rows, motions, threads, inverse, corners)
            inverse, corners, before = None, None, count
            counts = ranks.gathered(len(motions) // coarser.blocksize[0])
            count = sum(counts)
            if count >= before:
                break
            rows = rows_of(ranks, coarser, counts, threads)
            self._levels.append(level)
            sizes.append(rows.size)
        self._coarsest: Coarsest
        if ranks.count == 1:
            self._coarsest = _Dense(rows.some(0, rows.count).toarray())
        else:
            self._coarsest = _Together(rows, motions, threads)
        self.levels = tuple(sizes)
        self.bytes = self._coarsest.bytes + sum(level.bytes for level in self._levels)

    def __call__(self, residual: Floats) -> Floats:
        """Return an approximation of ``A^-1 r`` (m,); it is symmetric and positive definite."""
        size = self._ranks.norm(residual)
        if size == 0.0:
            return np.zeros_like(residual)
        found = self.cycle((residual / size).astype(np.float32))
        return size * found.astype(np.float64)

    def cycle(self, residual: Singles, depth: int = 0) -> Singles:
        """Return an approximation in single precision, from one of the levels on.

        Parameters
        ----------
        residual : ndarray, (m,)
            Right-hand side; its largest values are about one.
        depth : int
            Number of the level, from the finest.
        """
        if depth == len(self._levels):
            return self._coarsest(residual)
        level = self._levels[depth]
        solution = level.smooth(residual)
        rest = level.restriction @ (residual - level.matrix @ solution)
        solution += level.interpolation @ self.cycle(rest, depth + 1)
        solution += level.smooth(residual - level.matrix @ solution)
        return solution


class _Together:
    """A V-cycle with the rows of all ranks, by every one of them."""

    def __init__(self, rows: Rows, motions: Floats, threads: int) -> None:
        self._ranks, self._own = rows.ranks, len(motions)
        before = self._ranks.gathered(self._own)[: self._ranks.number]
        self._first = sum(before)
        whole = np.concatenate(self._ranks.gathered(motions))
        self._levels = VCycle(gathered_rows(rows), whole, threads)
        self.bytes = self._levels.bytes

    def __call__(self, residual: Singles) -> Singles:
        whole = np.concatenate(self._ranks.gathered(residual))
        return self._levels.cycle(whole)[self._first : self._first + self._own]


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
    rows: Rows,
    motions: Floats,
    threads: int,
    inverse: Floats | None,
    corners: tuple[bsr_matrix, Ints] | None,
) -> tuple[_Level, bsr_matrix, Floats]:
    """Return a level, the matrix of the next one and its motions.

    What is coarse is numbered over all ranks, rank by rank. Of the matrix each rank has what its
    own rows contribute to the sum over the ranks; of the motions, its own part.
    """
    if inverse is None:
        inverse = inverses(rows.diagonal())
    product, scaling = (
        rows.times(np.float32, threads),
        of_blocks(inverse.astype(np.float32), threads),
    )
    largest = _largest(product, scaling, rows.size, rows.ranks)
    if corners is None:
        smooth, motions = _moving_rigidly(rows, motions, inverse, _DAMPED / largest, threads)
    else:
        smooth, chosen = corners
        motions = motions.reshape(rows.count, rows.block, -1)[chosen]
        motions = motions.reshape(-1, motions.shape[2])
    counts = rows.ranks.gathered(len(motions) // smooth.blocksize[1])
    coarser = _projected(rows, smooth, threads)
    smooth = of_singles(smooth)  # before it is transposed, for the memory
    between = transfers(rows.ranks, counts, smooth, threads)
    return _Level(product, *between, scaling, largest), coarser, motions


def _moving_rigidly(
    rows: Rows, motions: Floats, inverse: Floats, factor: float, threads: int
) -> tuple[bsr_matrix, Floats]:
    """Return the smoothed motions of aggregates, and the given ones in terms of those."""
    from pyamg.aggregation.tentative import fit_candidates

    aggregates = _aggregates(rows)
    rigid, motions = fit_candidates(aggregates, motions)
    counts = rows.ranks.gathered(aggregates.shape[1])
    rigid = _numbered(rigid, sum(counts[: rows.ranks.number]), sum(counts))
    return _smoothed(rows, rigid, inverse, factor, threads), motions


def _aggregates(rows: Rows) -> csr_matrix:
    """Return which rows belong to which aggregate, (count, aggregates).

    Nodes join along strong couplings: relative to the geometric mean of the norms of their own
    blocks. Those that are strongly coupled to nodes of other ranks alone are aggregates by
    themselves; those that nothing is coupled to are in none.
    """
    from pyamg.aggregation.aggregate import standard_aggregation
    from scipy.sparse import csr_matrix, hstack

    sizes = np.linalg.norm(rows.diagonal(), axis=(1, 2))
    across = rows.spread(sizes)
    columns, lengths, abroad = [], [], np.zeros(rows.count, dtype=bool)
    for low, high in rows.parts():
        part = rows.some(low, high)
        row = np.repeat(np.arange(low, high), np.diff(part.indptr))
        square = np.einsum("kij,kij->k", part.data, part.data)
        column = rows.own(part.indices)
        strong = square >= _STRENGTH**2 * sizes[row] * across[part.indices]
        abroad[row[strong & (column < 0)]] = True
        strong = (strong & (column >= 0)) | (column == row)
        columns.append(column[strong].astype(np.int32))
        lengths.append(np.bincount(row[strong] - low, minlength=high - low))
    pointers = np.concatenate([[0], np.cumsum(np.concatenate(lengths))]).astype(np.int32)
    column = np.concatenate(columns)
    strong = csr_matrix(
        (np.ones(len(column), dtype=np.int8), column, pointers), shape=(rows.count,) * 2
    )
    found, _ = standard_aggregation(strong)
    lonely = np.flatnonzero(abroad & (np.diff(found.indptr) == 0))
    if len(lonely):
        ones = np.ones(len(lonely), dtype=found.dtype)
        alone = csr_matrix((ones, (lonely, np.arange(len(lonely)))), (rows.count, len(lonely)))
        found = hstack([found, alone]).tocsr()
    return found


def _numbered(rigid: bsr_matrix, first: int, count: int) -> bsr_matrix:
    """Return motions of aggregates that are numbered from another number on."""
    from scipy.sparse import bsr_matrix

    parts = (rigid.data, rigid.indices + first, rigid.indptr)
    return bsr_matrix(parts, shape=(rigid.shape[0], count * rigid.blocksize[1]))


def _smoothed(
    rows: Rows, rigid: bsr_matrix, inverse: Floats, factor: float, threads: int
) -> bsr_matrix:
    """Return ``P - factor D^-1 A P`` of the rigid motions P of aggregates."""
    whole, own = rows.spread_rows(rigid), KeptRows(rigid)
    found = []
    for low, high in rows.parts():
        change = multiplied(rows.some(low, high), whole, threads)
        change = multiplied(block_diagonal(-factor * inverse[low:high]), change, threads)
        part = own.some(low, high)  # at most a block in a row, which A P has too: A_ii P_i
        aggregate = np.full(high - low, -1)
        filled = np.diff(part.indptr) > 0
        aggregate[filled] = part.indices
        change.data[diagonal_places(change, aggregate)] += part.data
        found.append(change)
    return stacked(found)


def _projected(rows: Rows, smooth: bsr_matrix, threads: int) -> bsr_matrix:
    """Return ``P^T A P``, summed part by part: A P takes as much memory as A."""
    whole, own = rows.spread_rows(smooth), KeptRows(smooth)
    parts = []
    for low, high in rows.parts():
        product = multiplied(rows.some(low, high), whole, threads)
        parts.append(multiplied_turned(own.some(low, high), product, threads))
    return summed(parts, threads)


def _largest(product: Product, scaling: Product, count: int, ranks: Ranks) -> float:
    """Return a bound of the largest eigenvalue of ``D^-1 A``, by the power method."""
    x: Singles = np.random.default_rng(ranks.number).standard_normal(count).astype(np.float32)
    largest = 0.0
    for _ in range(_POWERS):
        x = scaling @ (product @ (x * np.float32(1.0 / ranks.norm(x))))
        largest = ranks.norm(x)
    return _SAFETY * largest
