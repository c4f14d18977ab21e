# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness and inertia of small vibrations, which motions cost nothing, and what round-off hides.

At rest only motions that nothing holds have the frequency zero, however small the others are: rigid
motions of a body, or of the parts of a mechanism. They are known by their kind, not by a number
that looks small: in none of them an element deforms, and no prestress or spin acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.precise import PreciseStiffness, rest_matrix
from flexforge.runtime.statics.rigid import free_displacements, may_hold_itself
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_EPSILON = float(np.finfo(float).eps)
#: Round-off of a square of a frequency, relative to it, from which on products are taken precisely.
_LOST = 1e-7
#: Energy of a motion in which no element deforms, relative to what its nodes would take one by one:
#: with rigid motions of elements taken out, round-off leaves strains of 1e-13 of the motion.
_RIGID = 1e-23
#: What round-off leaves of the forces on a motion that nothing holds, relative to their terms: of
#: those of prestress and spin, and of all.
_STILL, _TIED = 1e-12, 1e-9
#: Energy that nothing is left of where prestress and spin balance the stiffness, relative to them.
_CRITICAL = 1e-10
_TURNS = 3  # of inverse iteration, to see where the lowest squares are


@dataclass(frozen=True)
class Pencil:
    """``(k - lambda m) phi = 0`` on the unknowns of a system.

    Attributes
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        What the stiffness is made of, one a body.
    stiffness, inertia : csr_matrix, (n, n)
        The inertia is symmetric and positive semidefinite.
    added : csr_matrix, optional
        What the stiffness has beside that of the system.
    within : tuple of Pencil and csr_matrix (N, n), optional
        A pencil of more unknowns, and what these make of those, where this is a part of one.
    """

    system: System
    combinations: Sequence[Combination]
    stiffness: csr_matrix
    inertia: csr_matrix
    added: csr_matrix | None = None
    within: tuple[Pencil, csr_matrix] | None = None

    @property
    def matrices(self) -> tuple[csr_matrix, csr_matrix]:
        """Stiffness and inertia."""
        return self.stiffness, self.inertia

    @classmethod
    def at_rest(cls, system: System) -> Pencil:
        """Return the pencil of the elastic stiffness alone, without prestress and spin."""
        d = system.dimension
        elastic = Combination(1.0, np.zeros((d, d)), np.zeros(0))
        return cls.of(system, [elastic] * len(system.bodies))

    @classmethod
    def of(cls, system: System, combinations: Sequence[Combination]) -> Pencil:
        """Return the pencil of a stiffness."""
        unit = Combination(0.0, np.eye(system.dimension), np.zeros(0))
        inertia = system.matrix([unit] * len(system.bodies))
        return cls(system, combinations, system.matrix(combinations), inertia)

    def part(self, transform: csr_matrix, places: NDArray[np.int64]) -> Pencil:
        """Return the pencil of some coordinates v of ``x = T v``.

        Parameters
        ----------
        transform : csr_matrix, (n, n)
            T, which leaves most unknowns as they are.
        places : ndarray of int
            Which of the coordinates; the others are zero.
        """
        some = transform.tocsc()[:, places].tocsr()
        stiffness, inertia = (
            (some.T @ one @ some).tocsr() for one in (self.stiffness, self.inertia)
        )
        system = replace(self.system, map=self.system.map.part(places))
        return Pencil(system, self.combinations, stiffness, inertia, within=(self, some))

    def raised(self, added: csr_matrix) -> Pencil:
        """Return the pencil with another matrix added to the stiffness."""
        return replace(self, stiffness=self.stiffness + added, added=added)

    @cached_property
    def precise(self) -> PreciseStiffness:
        """The stiffness as an operator; of no part of another pencil."""
        return PreciseStiffness(self.system, self.combinations)

    def times(self, x: Floats) -> Floats:
        """Return the stiffness times one vector (n,) or several (n, k), no digits lost."""
        if self.within is not None:
            whole, transform = self.within
            return np.asarray(transform.T @ whole.times(transform @ x))
        product = self.precise @ x
        return product if self.added is None else np.asarray(product + self.added @ x)

    @cached_property
    def typical(self) -> float:
        """Square of a frequency as those of single nodes are, (rad/s)^2."""
        inertia = self.inertia.diagonal()
        moving = inertia > 0.0  # what turns a plane shell about its normal has no inertia
        if not moving.any():
            return 1.0
        return float(np.median(np.abs(self.stiffness.diagonal()[moving]) / inertia[moving])) or 1.0

    @cached_property
    def still(self) -> Floats:
        """Rigid motions that nothing holds or acts on, of unit modal mass, (n, motions)."""
        motions = free_displacements(self.system)
        if not motions.shape[1]:
            return motions
        sizes, turn = np.linalg.eigh(motions.T @ (self.inertia @ motions))
        heavy = sizes > _EPSILON * sizes[-1]  # what has no mass does not vibrate
        modes = np.asarray(motions @ (turn[:, heavy] / np.sqrt(sizes[heavy])), dtype=float)
        if not heavy.any():
            return modes
        checks = [(self.stiffness, _TIED)]
        if not may_hold_itself(self.system) and self.within is None and self.added is None:
            checks.append((self._rest, _STILL))
        rows = [_acting(matrix, modes) / allowed for matrix, allowed in checks]
        found = np.linalg.svd(np.linalg.qr(np.vstack(rows), mode="r"))
        return np.asarray(modes @ found.Vh[np.sqrt(len(modes)) >= found.S].T)

    def lost(self, squares: Floats, vectors: Floats, highest: float = 0.0) -> bool:
        """Whether round-off in the matrix reaches the digits of squares of frequencies.

        Where prestress and spin act, the digits are those of squares of their size: near a critical
        speed less is a result, and its error counts relative to the speed.

        Parameters
        ----------
        squares, vectors : ndarray, (k,), (n, k)
            What was found.
        highest : float
            Largest square that was computed together with them by a dense method, whose round-off
            they share.
        """
        noise = np.maximum(self.round_off(vectors), _EPSILON * highest)
        return bool((noise > _LOST * np.maximum(np.abs(squares), self._turning(vectors))).any())

    def _turning(self, vectors: Floats) -> Floats:
        """Return magnitudes of the prestress and spin terms in the Rayleigh quotients of (n, k)."""
        sizes = np.abs(vectors)
        energy = np.einsum("ij,ij->j", sizes, abs(self._rest) @ sizes)
        return np.asarray(energy / np.einsum("ij,ij->j", vectors, self.inertia @ vectors))

    @cached_property
    def _rest(self) -> csr_matrix:
        """The stiffness without that of elements that only deform; zero of a part."""
        if self.within is not None:
            return 0.0 * self.stiffness
        return rest_matrix(self.system, self.combinations)

    @property
    def hidden(self) -> float:
        """Square of a frequency below which a dense method of full matrices loses digits."""
        return _EPSILON / _LOST * self.typical

    def round_off(self, vectors: Floats) -> Floats:
        """Return the round-off of the matrix in the Rayleigh quotients of shapes (n, k)."""
        sizes = np.abs(vectors)
        energy = np.einsum("ij,ij->j", sizes, abs(self.stiffness) @ sizes)
        mass = np.einsum("ij,ij->j", vectors, self.inertia @ vectors)
        return np.asarray(_EPSILON * energy / mass)

    def ritz(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Return the best squares and shapes in the span of vectors (n, k), by precise products.

        A motion in which no element deforms has the square 0 exactly.
        """
        from scipy.linalg import eigh

        energy = vectors.T @ self.times(vectors)
        mass = vectors.T @ (self.inertia @ vectors)
        _, turn = eigh(0.5 * (energy + energy.T), 0.5 * (mass + mass.T))
        found = np.asarray(vectors @ turn)
        # Not the eigenvalues of that small matrix: their round-off is that of its largest entry.
        squares = np.einsum("ij,ij->j", found, self.times(found))
        size = np.maximum(self.round_off(found) / _EPSILON, self.typical)
        still = np.abs(squares) <= _RIGID * size
        return np.where(still, 0.0, squares), found

    def without_still(self, x: Floats) -> Floats:
        """Return a vector without the motions that nothing holds."""
        return np.asarray(x - self.still @ (self.still.T @ (self.inertia @ x)), dtype=float)

    def rough(self, solve: Callable[[Floats], Floats], sigma: float = 0.0) -> tuple[Floats, Floats]:
        """Return a square near a shift and its shape, roughly, by inverse iteration.

        Parameters
        ----------
        solve : callable
            With ``k - sigma m``.
        sigma : float
            (rad/s)^2.
        """
        x = np.random.default_rng(1).standard_normal(self.inertia.shape[0])
        for _ in range(_TURNS):
            x = self.without_still(solve(self.inertia @ x))
            x /= np.abs(x).max()  # near a singular matrix its square may be beyond all numbers
            x /= np.sqrt(x @ (self.inertia @ x))
        following = self.without_still(solve(self.inertia @ x))
        value = sigma + 1.0 / float(x @ (self.inertia @ following))
        return np.array([value]), x[:, None]

    def is_held(self, shape: Floats) -> bool:
        """Whether a shape (n, 1) takes or releases energy, be it little.

        Little beside what prestress and spin alone do in it, as at a critical speed, is none.
        """
        (square,), found = self.ritz(shape)
        return bool(abs(square) > _CRITICAL * self._turning(found)[0])


def _acting(matrix: csr_matrix, modes: Floats) -> Floats:
    """Return the forces a matrix makes of motions, relative to the terms they are sums of."""
    size = abs(matrix) @ np.abs(modes).max(axis=1)
    return np.asarray(matrix @ modes / np.where(size > 0.0, size, 1.0)[:, None])
