# SPDX-License-Identifier: BSD-3-Clause
"""Lanczos's method in blocks, with restarts: the extreme eigenpairs of an inverse times an inertia.

Vectors are processed in blocks: symmetric bodies have multiple frequencies, of which a single
vector finds one shape, and solutions for several vectors take little more time than for one. Every
block is made orthogonal to all others; where the space is full, its best shapes begin the next one
(K. Wu and H. Simon, Thick-restart Lanczos method for large symmetric eigenvalue problems, SIAM J.
Matrix Anal. Appl. 22, 2000).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints

Product = Callable[[Floats], Floats]

#: Vectors that are processed at once, more than there are shapes of one frequency.
BLOCK = 6
#: What is new in a vector, relative to the vector, so that it is more than round-off.
_DEPENDENT = 1e-12
_SMALL = 1e-3
#: Part of a remainder to which a restart reduces it if nothing prevents it.
_FALLS = 0.9
#: Growth of the tolerance otherwise, where the remainder is as small, or round-off of the largest.
_LOOSER, _SETTLED, _EPSILON = 10.0, 1e-6, float(np.finfo(float).eps)
#: Values are those of one frequency, relative.
_EQUAL = 1e-8
#: Blocks in a space besides the wanted shapes and as many others.
_ROOM = 9


@dataclass(frozen=True, slots=True)
class Found:
    """The eigenpairs that converged, the largest inverse first.

    Attributes
    ----------
    inverses : ndarray, (k,)
        Eigenvalues of the inverse times the inertia.
    vectors : ndarray, (n, k)
        Their vectors, of unit mass.
    """

    inverses: Floats
    vectors: Floats


def largest(
    solve: Product, weigh: Product, size: int, count: int, *, tolerance: float, restarts: int,
    kind: type = float,
) -> Found:  # fmt: skip
    """Return the eigenpairs of ``S m`` with the largest absolute values.

    Parameters
    ----------
    solve : callable
        S times vectors (n, k), symmetric or Hermitian.
    weigh : callable
        m times vectors (n, k), positive semidefinite.
    size : int
        n.
    count : int
        Number of eigenpairs, less than n.
    tolerance : float
        Remainder ``S m x - theta x`` in the norm of m, relative to theta, of what has converged;
        ten times as much for every restart that hardly reduces what is below 1e-6, or below
        round-off of the largest theta: errors of theta are of the order of its square.
    restarts : int
        Number of spaces that are built at most.
    kind : type
        Of the numbers: float or complex.

    Returns
    -------
    Found
        Fewer than the count where not all have converged, or m has a smaller rank.
    """
    space, chances = _Space(solve, weigh, size, min(2 * count + _ROOM * BLOCK, size), kind), 1
    before = np.inf
    while True:
        inverses, turns, left = space.step()
        done = np.flatnonzero(left[:count] <= tolerance * np.abs(inverses[:count]))
        if len(done) == count and _multiplicity(inverses[:count]) < BLOCK * chances:
            return space.found(inverses, turns, done)
        if len(done) == count or space.ended:
            # There may be more shapes of one frequency than blocks of chance can find so far.
            kept = min(count + BLOCK, len(inverses))
            space.keep(inverses, turns, kept, follows=False)
            chances += 1
            if not space.begins_anew():
                return space.found(inverses[:kept], np.eye(kept), done)
        elif space.is_full:
            restarts -= 1
            if not restarts:
                return space.found(inverses, turns, done)
            rest = float((left / np.abs(inverses))[:count].max())
            noise = _EPSILON * np.abs(inverses[0])
            if rest > _FALLS * before and (rest < _SETTLED or (left[:count] < noise).all()):
                tolerance *= _LOOSER  # round-off of the solutions prevents more
            before = rest
            space.keep(inverses, turns, min(count + BLOCK, len(inverses) - BLOCK), follows=True)


def _multiplicity(inverses: Floats) -> int:
    """Return the largest number of equal values, of values in order."""
    ends = np.flatnonzero(np.abs(np.diff(inverses)) > _EQUAL * np.abs(inverses[1:]))
    return int(np.diff([-1, *ends, len(inverses) - 1]).max(initial=0))


class _Space:
    """A space of vectors of unit mass, and S m projected on it.

    Parameters
    ----------
    solve, weigh, size, kind
        As of :func:`largest`.
    most : int
        Number of vectors at which it is full.
    """

    def __init__(self, solve: Product, weigh: Product, size: int, most: int, kind: type) -> None:
        self._solve, self._weigh, self._most = solve, weigh, most
        self._basis: Floats = np.zeros((size, most + BLOCK), kind, order="F")
        self._heavy = np.zeros_like(self._basis)  # m times the basis
        self._projected: Floats = np.zeros((most + BLOCK,) * 2, kind)
        self._known = 0  # vectors whose images are known
        self._count = 0  # with those of the last block
        self._random = np.random.default_rng(0)
        self.begins_anew()

    def begins_anew(self) -> bool:
        """Add a block of chance where there is no other; return whether it has anything new."""
        drawn = self._random.standard_normal((len(self._basis), min(BLOCK, self._most)))
        self._join(self._solve(self._weigh(drawn)))
        return not self.ended

    @property
    def ended(self) -> bool:
        """Whether the images of all vectors are in the space: it has exact eigenvectors."""
        return self._known == self._count

    @property
    def is_full(self) -> bool:
        """Whether there is no room for the next block."""
        return self._known + BLOCK > self._most

    def step(self) -> tuple[Floats, Floats, Floats]:
        """Add the images of the last block.

        Returns
        -------
        inverses : ndarray, (k,)
            Eigenvalues of the projected problem, the largest absolute ones first.
        turns : ndarray, (k, k)
            Their vectors.
        left : ndarray, (k,)
            Remainders in the norm of m.
        """
        before, known = self._known, self._count
        images = self._solve(self._heavy[:, before:known])
        self._known = known
        inside, coupled = self._join(images)
        self._projected[:known, before:known] = inside
        self._projected[before:known, :known] = inside.conj().T
        self._projected[known : self._count, before:known] = coupled
        small = self._projected[:known, :known]
        inverses, turns = np.linalg.eigh(0.5 * (small + small.conj().T))
        order = np.argsort(-np.abs(inverses), kind="stable")
        inverses, turns = inverses[order], turns[:, order]
        return inverses, turns, np.linalg.norm(coupled @ turns[before:], axis=0)

    def keep(self, inverses: Floats, turns: Floats, kept: int, *, follows: bool) -> None:
        """Begin a new space with the best shapes, and the block that follows them or none."""
        known, new = self._known, self._count - self._known if follows else 0
        for one in (self._basis, self._heavy):
            best, following = one[:, :known] @ turns[:, :kept], one[:, known : known + new].copy()
            one[:, :kept], one[:, kept : kept + new] = best, following
        self._projected[:kept, :kept] = np.diag(inverses[:kept])
        self._known, self._count = kept, kept + new

    def found(self, inverses: Floats, turns: Floats, chosen: Ints) -> Found:
        """Return eigenpairs.

        A vector is replaced by its image, which has no part that m does not see: round-off of such
        parts grows from block to block (B. Nour-Omid, B. Parlett, T. Ericsson and P. Jensen, Math.
        Comp. 48, 1987).
        """
        seen = self._heavy[:, : len(turns)] @ turns[:, chosen]
        return Found(inverses[chosen], self._solve(seen) / inverses[chosen])

    def _join(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Add what is new in vectors (n, k) as vectors of unit mass.

        Returns
        -------
        inside : ndarray, (known, k)
            Their products with the vectors before.
        coupled : ndarray, (new, k)
            With the new ones.
        """
        count = self._count
        basis, heavy = self._basis[:, :count], self._heavy[:, :count]
        inside = heavy.conj().T @ vectors
        rest = vectors - basis @ inside
        again = heavy.conj().T @ rest
        rest -= basis @ again
        inside += again
        weighed = self._weigh(rest)
        whole = np.sqrt(np.maximum(_diagonal(rest, weighed) + _squares(inside), 0.0))
        whole[whole == 0.0] = 1.0
        squares, turn = np.linalg.eigh(_hermitian((rest / whole).conj().T @ (weighed / whole)))
        held = squares > _DEPENDENT**2
        sizes = np.sqrt(squares[held])
        turn = turn[:, held]
        new, heavy_new = (one @ (turn / whole[:, None] / sizes) for one in (rest, weighed))
        coupled = (sizes[:, None] * turn.conj().T) * whole
        # Again: what was small is not orthogonal to all digits, nor its product exact.
        off = heavy.conj().T @ new
        new -= basis @ off
        if sizes.min(initial=1.0) < _SMALL:
            heavy_new = self._weigh(new)
        else:
            heavy_new -= heavy @ off
        factor = np.linalg.cholesky(_hermitian(new.conj().T @ heavy_new))
        inverse = np.linalg.inv(factor).conj().T
        here = slice(count, count + len(sizes))
        self._basis[:, here], self._heavy[:, here] = new @ inverse, heavy_new @ inverse
        self._count = count + len(sizes)
        return inside, factor.conj().T @ coupled


def _hermitian(matrix: Floats) -> Floats:
    return np.asarray(0.5 * (matrix + matrix.conj().T))


def _diagonal(left: Floats, right: Floats) -> Floats:
    """Return the products of columns, (k,), real."""
    return np.asarray(np.einsum("ij,ij->j", left.conj(), right).real)


def _squares(matrix: Floats) -> Floats:
    """Return the squares of the lengths of columns, (k,)."""
    return np.asarray((matrix.conj() * matrix).real.sum(axis=0))
