# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness and inertia of small vibrations, zero-energy motions, and the limits of round-off.

At rest, only unrestrained motions have the frequency zero, however small other frequencies are:
rigid motions of a body, or of the parts of a mechanism. They are identified by their nature, not by
a small number: in them no element deforms, and no prestress or rotation acts on them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime import _operators
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers.layout import Blocked
from flexforge.runtime.statics.precise import PreciseStiffness, deforms_only, rest_matrix
from flexforge.runtime.statics.rigid import blocked_of, free_displacements, may_hold_itself
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_EPSILON = float(np.finfo(float).eps)
#: Relative round-off of a squared frequency from which on precise products are used.
_LOST = 1e-7
#: Energy of a motion without deformation, relative to that of its nodes one by one: without the
#: rigid motions of elements, round-off leaves strains of 1e-13 of the motion.
_RIGID = 1e-23
#: Round-off of the forces on an unrestrained motion, relative to their terms: of prestress and
#: rotation, and of all.
_STILL, _TIED = 1e-12, 1e-9
#: Remaining energy where prestress and rotation balance the stiffness, relative to them.
_CRITICAL = 1e-8
#: Energy within elements that is round-off, relative to the terms that make it up.
_IDLE = 1e-14
#: Displacements in a motion, relative to its largest, below which round-off is of that size.
_ON_AXIS = 1e-2
_TURNS = 3  # of inverse iteration, to estimate the lowest squares


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of a pencil, and not assembled from bodies.

    Attributes
    ----------
    stiffness, inertia : ndarray, (n, n)
        The matrices.
    free : ndarray, (n, k)
        Rigid motions among which those are that nothing restrains.
    rest : tuple of ndarray (n, n) and of a list of them, optional
        Where there are any: the stiffness without that of elements that only deform, and matrices
        of which terms it is a sum.
    still : ndarray, (n, k), optional
        The motions that nothing restrains, of unit modal mass, where these are known.
    """

    stiffness: Floats
    inertia: Floats
    free: Floats
    rest: tuple[Floats, Sequence[Floats]] | None = None
    still: Floats | None = None


@dataclass(frozen=True)
class Pencil:
    """``(k - lambda m) phi = 0`` for the unknowns of a system.

    Both matrices are symmetric, the stiffness but for some bearings and circulation; of unknowns
    that are complex amplitudes they are Hermitian.

    Attributes
    ----------
    system : System
        The bodies.
    combinations : sequence of Combination
        The stiffness as a combination of matrices, one per body.
    given : tuple of two csr_matrix (n, n), optional
        Stiffness and inertia of other unknowns than those of the system.
    added : csr_matrix, optional
        A matrix added to the stiffness of the system.
    within : tuple of Pencil and csr_matrix (N, n), optional
        For a part: the pencil of all unknowns, and these unknowns as functions of the coordinates.
    known : Known, optional
        Matrices of the unknowns that are known; without combinations there are no products of
        elements.
    """

    system: System
    combinations: Sequence[Combination]
    given: tuple[csr_matrix, csr_matrix] | None = None
    added: csr_matrix | None = None
    within: tuple[Pencil, csr_matrix] | None = None
    known: Known | None = None

    @property
    def matrices(self) -> tuple[csr_matrix, csr_matrix]:
        """Stiffness and inertia."""
        return self.stiffness, self.inertia

    @classmethod
    def at_rest(cls, system: System) -> Pencil:
        """Return the pencil of the elastic stiffness alone, without prestress and rotation."""
        d = system.dimension
        elastic = Combination(1.0, np.zeros((d, d)), np.zeros(0))
        return cls.of(system, [elastic] * len(system.bodies))

    @classmethod
    def of(cls, system: System, combinations: Sequence[Combination]) -> Pencil:
        """Return the pencil of a stiffness."""
        return cls(system, combinations)

    @cached_property
    def stiffness(self) -> csr_matrix | Floats:
        """Stiffness, (n, n)."""
        if self.known is not None:
            return self.known.stiffness
        found = self.given[0] if self.given else self.system.matrix(self.combinations)
        return found if self.added is None else found + self.added

    @property
    def is_symmetric(self) -> bool:
        """Whether the stiffness is symmetric, as without bearings that are not and circulation."""
        return self.system.is_symmetric and all(c.is_symmetric for c in self.combinations)

    @property
    def is_blocked(self) -> bool:
        """Whether its stiffness is that of one body and of its nodes."""
        return self.given is None and self.added is None and self.system.is_blocked

    def blocked(self, sigma: float = 0.0) -> Blocked | None:
        """Return ``k - sigma m`` in blocks of nodes, in half the memory; None if it has none.

        It is made anew: whoever asks for it decides how long it stays in memory.

        Parameters
        ----------
        sigma : float
            Square of an angular frequency, (rad/s)^2.
        """
        if not self.is_blocked:
            return None
        less = sigma * np.eye(self.system.dimension)
        combinations = [
            replace(c, inertia=c.inertia - less) if sigma else c for c in self.combinations
        ]
        return blocked_of(self.system, combinations)

    @cached_property
    def inertia(self) -> csr_matrix | Floats:
        """Inertia (n, n), symmetric and positive semidefinite; an equilibrium does not need it."""
        if self.known is not None:
            return self.known.inertia
        if self.given is not None:
            return self.given[1]
        unit = Combination(0.0, np.eye(self.system.dimension), np.zeros(0))
        return self.system.matrix([unit] * len(self.system.bodies))

    def part(self, transform: csr_matrix, places: NDArray[np.int64]) -> Pencil:
        """Return the pencil of some coordinates v of ``x = T v``.

        Parameters
        ----------
        transform : csr_matrix, (n, n)
            T, which leaves most unknowns unchanged.
        places : ndarray of int
            Indices of these coordinates; the others are zero.
        """
        some = transform.tocsc()[:, places].tocsr()
        stiffness, inertia = (
            (some.T @ one @ some).tocsr() for one in (self.stiffness, self.inertia)
        )
        system = replace(self.system, map=self.system.map.part(places))
        return Pencil(system, self.combinations, (stiffness, inertia), within=(self, some))

    def raised(self, added: csr_matrix) -> Pencil:
        """Return the pencil with another matrix added to the stiffness."""
        return replace(self, added=added)

    @cached_property
    def precise(self) -> PreciseStiffness:
        """The stiffness as an operator; not for a part of another pencil."""
        return PreciseStiffness(self.system, self.combinations)

    def times(self, x: Floats) -> Floats:
        """Return the stiffness times one vector (n,) or several (n, k), without loss of digits."""
        if self.within is not None:
            whole, transform = self.within
            return np.asarray(transform.T @ whole.times(transform @ x))
        product = self.precise @ x
        return product if self.added is None else np.asarray(product + self.added @ x)

    def weighed(self, x: Floats) -> Floats:
        """Return the inertia times vectors: rows are shared by threads, each summed by one.

        Parameters
        ----------
        x : ndarray, (n,) or (n, k)
            Displacements of the unknowns, m.
        """
        return _by_rows(self.inertia, x, self.system.threads)

    @cached_property
    def typical(self) -> float:
        """Squared frequency typical of single nodes, (rad/s)^2."""
        inertia = self.inertia.diagonal().real
        moving = inertia > 0.0  # rotation of a flat shell about its normal has no inertia
        if not moving.any():
            return 1.0
        return float(np.median(np.abs(self.stiffness.diagonal()[moving]) / inertia[moving])) or 1.0

    @cached_property
    def still(self) -> Floats:
        """Unrestrained rigid motions of unit modal mass, (n, motions)."""
        if self.known is not None and self.known.still is not None:
            return self.known.still
        motions = free_displacements(self.system) if self.known is None else self.known.free
        if not motions.shape[1]:
            return motions
        sizes, turn = np.linalg.eigh(motions.conj().T @ (self.inertia @ motions))
        heavy = sizes > _EPSILON * sizes[-1]  # massless motions do not vibrate
        modes = np.asarray(motions @ (turn[:, heavy] / np.sqrt(sizes[heavy])))
        if not heavy.any():
            return modes
        rows = [_acting(self.stiffness, [self.stiffness], modes) / _TIED]
        if not may_hold_itself(self.system) and self.within is None and self.added is None:
            rows.append(_acting(self._rest, self._rest_parts, modes) / _STILL)
        found = np.linalg.svd(np.linalg.qr(np.vstack(rows), mode="r"))
        return np.asarray(modes @ found.Vh[np.sqrt(len(modes)) >= found.S].conj().T)

    def lost(self, squares: Floats, vectors: Floats, highest: float = 0.0) -> bool:
        """Whether round-off in the matrix affects the digits of squared frequencies.

        Where prestress and rotation act, the digits are relative to the squares due to them: near a
        critical speed a smaller square is a result, and its error is relative to the speed.

        Parameters
        ----------
        squares, vectors : ndarray, (k,), (n, k)
            The computed squares and shapes.
        highest : float
            Largest square computed together with them by a dense method, whose round-off they
            share.
        """
        return bool(self.which_lost(squares, vectors, highest).any())

    def which_lost(
        self, squares: Floats, vectors: Floats, highest: float = 0.0
    ) -> NDArray[np.bool_]:
        """Return the squares whose digits round-off affects, (k,), as :meth:`lost` does of any."""
        noise = np.maximum(self.round_off(vectors), _EPSILON * highest)
        return np.asarray(noise > _LOST * np.maximum(np.abs(squares), self._turning(vectors)))

    def _turning(self, vectors: Floats) -> Floats:
        """Return magnitudes of the prestress and spin terms in the Rayleigh quotients of (n, k)."""
        if self._only_deforms:
            return np.zeros(vectors.shape[1])
        sizes = np.abs(vectors)
        energy = np.einsum("ij,ij->j", sizes, self._sized(self._rest, sizes))
        return np.asarray(energy / _quadratic(vectors, self.inertia @ vectors))

    @cached_property
    def _only_deforms(self) -> bool:
        """Whether the stiffness is that of elements that only deform."""
        pairs = zip(self.system.bodies, self.combinations, strict=True)
        return self.within is None and all(
            deforms_only(body) and not replace(c, stiffness=0.0).acts for body, c in pairs
        )

    @cached_property
    def _rest(self) -> csr_matrix | Floats:
        """The stiffness without that of elements that only deform; zero for a part."""
        if self.known is not None and self.known.rest is not None:
            return self.known.rest[0]
        if self.within is not None:
            return 0.0 * self.stiffness
        return rest_matrix(self.system, self.combinations)

    @property
    def _rest_parts(self) -> Sequence[csr_matrix | Floats]:
        """Matrices whose terms it sums: prestress and rotation may cancel to round-off.

        Rotation is as large as all its blocks of inertia: those that act on a motion may cancel.
        """
        if self.known is not None and self.known.rest is not None:
            return self.known.rest[1]
        inert = [
            replace(
                c,
                geometric=0.0 * c.geometric,
                inertia=float(np.abs(c.inertia).max(initial=0.0)) * np.eye(len(c.inertia)),
            )
            for c in self.combinations
        ]
        stressed = [replace(c, inertia=0.0 * c.inertia) for c in self.combinations]
        return [rest_matrix(self.system, one) for one in (inert, stressed)]

    @property
    def hidden(self) -> float:
        """Squared frequency below which a dense method loses digits."""
        return _EPSILON / _LOST * self.typical

    def round_off(self, vectors: Floats) -> Floats:
        """Return the round-off of the matrix in the Rayleigh quotients of shapes (n, k)."""
        sizes = np.abs(vectors)
        energy = np.einsum("ij,ij->j", sizes, self._sized(self.stiffness, sizes))
        mass = _quadratic(vectors, self.inertia @ vectors)
        return np.asarray(_EPSILON * energy / mass)

    def _sized(self, matrix: csr_matrix | Floats, sizes: Floats) -> Floats:
        """Return the sizes of the entries of a matrix times vectors (n, k)."""
        return _by_rows(matrix, sizes, self.system.threads, sizes=True)

    def ritz(self, vectors: Floats) -> tuple[Floats, Floats]:
        """Return the best squares and shapes in the span of vectors (n, k), by precise products.

        A motion without deformation has the square 0 exactly.
        """
        from scipy.linalg import eigh

        energy = vectors.conj().T @ self.times(vectors)
        mass = vectors.conj().T @ (self.inertia @ vectors)
        _, turn = eigh(0.5 * (energy + energy.conj().T), 0.5 * (mass + mass.conj().T))
        found = np.asarray(vectors @ turn)
        # Not the eigenvalues of that small matrix: their round-off is relative to its largest
        # entry.
        squares = _quadratic(found, self.times(found))
        size = np.maximum(self.round_off(found) / _EPSILON, self.typical)
        still = np.abs(squares) <= _RIGID * size
        return np.where(still, 0.0, squares), found

    def without_still(self, x: Floats) -> Floats:
        """Return a vector without its unrestrained motions."""
        if not self.still.shape[1]:
            return x
        return np.asarray(x - self.still @ (self.still.conj().T @ (self.inertia @ x)))

    def rough(self, solve: Callable[[Floats], Floats], sigma: float = 0.0) -> tuple[Floats, Floats]:
        """Return a rough estimate of a square near a shift and its shape, by inverse iteration.

        Parameters
        ----------
        solve : callable
            With ``k - sigma m``.
        sigma : float
            (rad/s)^2.
        """
        x = np.random.default_rng(1).standard_normal(self.inertia.shape[0])
        for _ in range(_TURNS):
            x = self.without_still(solve(self.weighed(x)))
            x /= np.abs(x).max()  # near a singular matrix its square may overflow
            x /= np.sqrt(np.vdot(x, self.weighed(x)).real)
        following = self.without_still(solve(self.weighed(x)))
        value = sigma + 1.0 / float(np.vdot(x, self.inertia @ following).real)
        return np.array([value]), x[:, None]

    def is_held(self, shape: Floats) -> bool:
        """Whether a shape (n, 1) has positive or negative energy, however small.

        An energy that is small compared with that of prestress and rotation, as at a critical
        speed, counts as zero. Where elements only deform, so does one that is round-off of what
        makes it up within them: elements of reduced integration have motions without strains.
        """
        (square,), found = self.ritz(shape)
        if not self._only_deforms:
            return bool(abs(square) > _CRITICAL * self._turning(found)[0])
        mass = _quadratic(found, self.inertia @ found)
        return bool(abs(square) > _IDLE * (self.precise.energy_terms(found) / mass)[0])


def dense(matrix: csr_matrix | Floats) -> Floats:
    """Return a matrix as an array, with its zeros."""
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _by_rows(
    matrix: csr_matrix | Floats, x: Floats, threads: int, *, sizes: bool = False
) -> Floats:
    """Return a matrix, or that of the sizes of its entries, times vectors (n,) or (n, k).

    Rows are shared by threads, each summed by one.
    """
    real = matrix.dtype == x.dtype == np.float64
    if isinstance(matrix, np.ndarray) or not real or matrix.indices.dtype != np.int32:
        return np.asarray((abs(matrix) if sizes else matrix) @ x)
    given = np.ascontiguousarray(x if x.ndim > 1 else x[:, None])
    found = np.empty_like(given)
    product = _operators.sizes_times if sizes else _operators.times
    product(matrix.indptr, matrix.indices, matrix.data, given, found, threads)
    return found.reshape(x.shape)


def _quadratic(vectors: Floats, forces: Floats) -> Floats:
    """Return the products of vectors, conjugated, with their forces, (n, k) each: (k,)."""
    return np.asarray(np.einsum("ij,ij->j", vectors.conj(), forces).real)


def _acting(matrix: csr_matrix, parts: Sequence[csr_matrix], modes: Floats) -> Floats:
    """Return the forces of a matrix for motions, relative to the terms that they are sums of.

    Parameters
    ----------
    matrix : csr_matrix, (n, n)
        The matrix.
    parts : sequence of csr_matrix, (n, n) each
        Matrices that contain these terms.
    modes : ndarray, (n, k)
        The motions.
    """
    moving = np.abs(modes).max(axis=1)
    # Nodes on the axis of a turn do not move, but for round-off, of which there are forces.
    moving = np.maximum(moving, _ON_AXIS * moving.max(initial=0.0))
    size = sum(abs(part) @ moving for part in parts)
    return np.asarray(matrix @ modes / np.where(size > 0.0, size, 1.0)[:, None])
