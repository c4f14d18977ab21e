# SPDX-License-Identifier: BSD-3-Clause
"""Small motions of links about a position at rest, or about a steady motion as one rigid body.

Increments dq of the positions, in components of the links that move with speeds z, obey ``dq' = dz
- ad(z) dq`` and ``G dq = 0``. With ``dq = N y`` and the derivatives M, C and K of the equations by
z', z and q, this is ``m y'' + c y' + k y = 0`` with ``m = N^T M N``, ``c = N^T (M ad + C) N`` and
``k = N^T (C ad + K) N`` (physics.md section 12). Equations of speeds are among G where nothing
moves; states of controllers: see `controlled`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.multibody.controlled import Controlled
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.transient import rotation
from flexforge.runtime.transient.model import Linearization, Point
from flexforge.runtime.vibration.massless import dense_singular
from flexforge.runtime.vibration.quadratic import (
    COMPLETE,
    Eigenvalues,
    QuadraticProblem,
    solve_quadratic,
)
from scipy.linalg import LinAlgError, cho_factor, cho_solve, eigh, qr, solve_triangular

#: Size of elastic coordinates beside motions of links, where rows say which follow from others:
#: motions of links do, so that soft motions do not lose digits beside stiff bodies.
_LATER = 1e-3
#: Part of a row below which it depends on others.
_DEPENDENT = 1e-10
#: Parts of the terms of a coefficient that are round-off in it: in sums, and of what is symmetric.
_CANCELLED, _UNPAIRED = 1e-11, 1e-10
#: Squared frequencies that are round-off of rigid motions: part of a usual one of single unknowns,
#: part of the largest of growing motions, and (rad/s)^2.
_STILL, _SHIFTED, _STANDING = 1e-15, 1e-12, 1e-14
#: Part of the largest squared frequency of an unknown below which no difference of mirrored terms
#: of a stiffness is told from round-off.
_EVEN = 1e-13
#: Part of the terms of a stiffness below which it may be zero: spins of bent rods about themselves.
_INEXACT = 1e-6
#: Part of the terms of squared frequencies that inexact steady positions leave in double zeros.
_STEADY = 1e-13
#: Steps of inverse iteration on undamped motions.
_POLISHED = 2
#: Part of an eigenvalue that is no growth: where nothing damps, round-off splits double ones.
_NO_GROWTH, _UNSTABLE = 1e-8, 1e-6


@dataclass(frozen=True)
class SmallMotions:
    """Matrices of the motions y that joints and drivers leave open.

    Attributes
    ----------
    basis : ndarray, (z, f)
        N: increments of positions by y.
    mass, viscous, stiffness : ndarray, (f, f)
        Factors of y'', y' and y.
    terms : tuple of ndarray, (f, f)
        Sums of the magnitudes of all terms in the factors of y' and of y.
    controlled : Controlled, optional
        States of controllers.
    """

    basis: Floats
    mass: Floats
    viscous: Floats
    stiffness: Floats
    terms: tuple[Floats, Floats]
    controlled: Controlled | None = None

    @classmethod
    def about(cls, model: MultibodyModel, at: Point, scales: Floats) -> SmallMotions:
        """Return the small motions about a point.

        Parameters
        ----------
        model : MultibodyModel
            The equations.
        at : Point
            With the multipliers; its speeds are constant.
        scales : ndarray, (z,)
            Sizes of large displacements and rotations.
        """
        z = len(at.z)
        matrix = model.constraints(at).matrix[:, :z].toarray()
        return cls.within(model, at, free_motions(matrix, scales, model.poses.dimension))

    @classmethod
    def within(
        cls, model: MultibodyModel, at: Point, basis: Floats, linear: Linearization | None = None
    ) -> SmallMotions:
        """Return the small motions about a point along given ones, (z, f).

        Parameters
        ----------
        model, at
            As of `about`.
        basis : ndarray, (z, f)
            The motions.
        linear : Linearization, optional
            The derivatives at the point, where they are known.
        """
        from scipy.sparse import csr_matrix

        z = len(at.z)
        linear = linear or model.linearize(at)
        mass, speed, place = (
            csr_matrix(one)[:z, :z] for one in (linear.rate, linear.speed, linear.place)
        )
        turned, sizes = csr_matrix(bracket(model, at.z)), np.abs(basis)
        by_rate, by_place = abs(mass) @ abs(turned), abs(speed) @ abs(turned)
        turning = basis.T @ model.conditions_by_place(at, basis)
        controlled = Controlled.along(linear, basis, turned, len(model.formulas.controllers))
        return cls(
            basis,
            basis.T @ (mass @ basis),
            basis.T @ ((mass @ turned + speed) @ basis),
            basis.T @ ((speed @ turned + place) @ basis) + turning,
            (
                sizes.T @ ((by_rate + abs(speed)) @ sizes),
                sizes.T @ ((by_place + abs(place)) @ sizes) + abs(turning),
            ),
            controlled if controlled.size else None,
        )

    @property
    def size(self) -> int:
        """Number of motions."""
        return int(self.basis.shape[1])

    @cached_property
    def paired(self) -> bool:
        """Whether nothing damps or feeds: lambda and -lambda occur together."""
        if self.controlled is not None:
            return False
        c, k = self.viscous, self.stiffness
        rates, places = (one + one.T for one in self.terms)
        damped = (np.abs(c + c.T) > _CANCELLED * rates).any()
        return not damped and not (np.abs(k - k.T) > _UNPAIRED * places + self._uneven).any()

    @cached_property
    def gyroscopic(self) -> bool:
        """Whether speeds couple motions."""
        c = self.viscous
        rates = self.terms[0] + self.terms[0].T
        return bool((np.abs(c - c.T) > _CANCELLED * rates).any())

    @cached_property
    def conservative(self) -> tuple[Floats, Floats]:
        """Squares, (rad/s)^2, ascending, and motions of unit modal mass of m and the symmetric k.

        Squares of motions that nothing holds are zero.
        """
        k = 0.5 * (self.stiffness + self.stiffness.T)
        if not np.abs(k).max(initial=0.0):
            factor = np.linalg.cholesky(self.mass) if self.size else np.zeros((0, 0))
            return np.zeros(self.size), np.linalg.inv(factor).T
        inertia = self.mass.diagonal()  # kg, kg m^2: motions of unlike units are made alike
        scales = np.sqrt(np.where(inertia > 0.0, inertia, float(inertia.max())))
        both = tuple(one / scales / scales[:, None] for one in (k, self.mass))
        try:
            squares, vectors = dense_singular(*both)
        except AnalysisError:  # far beyond buckling, as while links fall
            with suppress(LinAlgError):
                squares, vectors = eigh(*both)
                return squares, vectors / scales[:, None]
            raise
        vectors = vectors / scales[:, None]
        return self._without_noise(squares, vectors), vectors

    @property
    def falls(self) -> bool:
        """Whether a motion is unstable, by more than the stiffness of bent bodies is inexact."""
        squares, vectors = self.conservative
        if not self.size or not squares[0] < 0.0:
            return False
        size = np.abs(vectors[:, 0])
        return bool(squares[0] < -_INEXACT * (size @ self.terms[1] @ size))

    @property
    def still(self) -> int:
        """Number of motions that nothing holds."""
        return int(self._still[0].shape[1])

    def eigenvalues(
        self, count: int, target: float | None, solver: str, threads: int = 1
    ) -> Solved:
        """Return the lowest eigenvalues, one of each pair, or those nearest to a frequency.

        Parameters
        ----------
        count : int
            Number of eigenvalues.
        target : float, optional
            rad/s.
        solver : str
            Linear solver of large problems.
        threads : int
            Number of its threads.

        Raises
        ------
        AnalysisError
            When a motion has neither inertia nor stiffness.
        """
        count = min(count, self.size + (self.controlled.size if self.controlled else 0))
        if self.paired and not self.gyroscopic:
            found = self._undamped(count, target)
        else:
            found = self._quadratic(count, target, solver, threads)
        values = found.values.copy()
        least = _UNSTABLE if self.paired else _NO_GROWTH
        values.real[np.abs(values.real) <= least * np.abs(values)] = 0.0
        residual = self._residual(values, found.vectors)
        vectors = found.vectors[: self.size]
        if self.controlled is not None:  # oscillations of controllers alone move nothing
            moving = np.linalg.norm(vectors, axis=0) > _CANCELLED * np.linalg.norm(
                found.vectors, axis=0
            )
            vectors = np.where(moving, vectors, 0.0)
        vectors = np.array([self._turned(one) for one in vectors.T]).T
        return Solved(values, vectors.reshape(self.size, -1), residual, found.missing, found.solver)

    def _undamped(self, count: int, target: float | None) -> Eigenvalues:
        squares, vectors = self.conservative
        apart = squares if target is None else np.abs(squares - target**2)
        chosen = np.sort(np.argsort(apart, kind="stable")[:count])
        squares, vectors = self._polished(squares[chosen], vectors[:, chosen])
        values = np.sqrt(np.maximum(-squares, 0.0)) + 1j * np.sqrt(np.maximum(squares, 0.0))
        return Eigenvalues(values, vectors.astype(complex), solver=COMPLETE)

    def _polished(self, squares: Floats, vectors: Floats) -> tuple[Floats, Floats]:
        """Return eigenpairs without what round-off has left of much stiffer motions in them."""
        k = 0.5 * (self.stiffness + self.stiffness.T)
        if not len(squares) or not np.abs(k).max():
            return squares, vectors
        shift = float(np.abs(squares).max()) or _STANDING
        with suppress(LinAlgError):
            factor = cho_factor(k + 2.0 * shift * self.mass)
            for _ in range(_POLISHED):
                vectors = cho_solve(factor, self.mass @ vectors)
                found, small = eigh(vectors.T @ k @ vectors, vectors.T @ self.mass @ vectors)
                vectors = vectors @ small
            return self._without_noise(found, vectors), vectors
        return squares, vectors

    def _without_noise(self, squares: Floats, vectors: Floats) -> Floats:
        """Return squares, ascending, with those zero that are round-off."""
        sizes = np.abs(vectors)
        terms, uneven = (
            np.einsum("ij,ij->j", sizes, one @ sizes) for one in (self.terms[1], self._uneven)
        )
        inertia = self.mass.diagonal()
        moving = inertia > 0.0
        usual = np.median(np.abs(self.stiffness.diagonal()[moving]) / inertia[moving])
        least = max(_STILL * float(usual), -_SHIFTED * float(squares[0]), _STANDING)
        still = np.abs(squares) <= np.maximum(_CANCELLED * terms + uneven, least)
        return np.where(still, 0.0, squares)

    @property
    def _uneven(self) -> Floats:
        """What round-off has left of a stiffness that is not symmetric, (f, f): its own size.

        Terms of moments cancel before they are known, and their sizes with them.
        """
        apart = np.abs(self.stiffness - self.stiffness.T)
        inertia = self.mass.diagonal()
        moving = inertia > 0.0
        roots = np.sqrt(np.where(moving, inertia, 0.0))
        largest = np.max(np.abs(self.stiffness.diagonal()[moving]) / inertia[moving], initial=0.0)
        return np.where(apart <= _EVEN * largest * np.outer(roots, roots), apart, 0.0)

    def _quadratic(
        self, count: int, target: float | None, solver: str, threads: int
    ) -> Eigenvalues:
        from scipy.sparse import csr_matrix

        still, idle = self._still
        inertia = self.mass.diagonal()
        moving = inertia > 0.0
        terms = self.terms[1].diagonal()[moving] / inertia[moving]
        mass, viscous, stiffness = (csr_matrix(one) for one in self._whole)
        problem = QuadraticProblem(
            mass,
            viscous,
            stiffness,
            paired=self.paired,
            singular=bool(still.shape[1] + idle),
            still=still.shape[1],
            idle=idle,
            inherited=_STEADY * float(terms.max(initial=0.0)),
        )
        found = solve_quadratic(problem, count, target, solver, threads)
        if self.controlled is not None:  # zeros of motions and of w are mixed
            zeros = np.flatnonzero(found.values == 0.0)
            found.vectors[:, zeros] = 0.0
            found.vectors[: self.size, zeros] = still[:, : len(zeros)]
        return found

    @property
    def _whole(self) -> tuple[Floats, ...]:
        """The matrices with those of controllers."""
        own = self.mass, self.viscous, self.stiffness
        return own if self.controlled is None else self.controlled.joined(*own)

    @property
    def _still(self) -> tuple[Floats, int]:
        """Motions that nothing holds, (f, k), and number of zeros that are no motions."""
        squares, motions = self.conservative
        if self.controlled is None:
            return motions[:, squares == 0.0], 0
        return self.controlled.still(self.stiffness, squares, motions)

    def _turned(self, vector: Complex) -> Complex:
        """Return a motion with the phase of its largest real part, of unit modal mass there."""
        vector = vector * np.exp(-0.5j * np.angle(vector @ self.mass @ vector))
        real = vector.real
        return np.asarray(vector / np.sqrt(max(float(real @ self.mass @ real), 1e-300)))

    def _residual(self, values: Complex, vectors: Complex) -> float:
        """Return the largest residual of the equations of a motion, relative to their terms."""
        mass, viscous, stiffness = self._whole
        terms = [*self.terms]
        if self.controlled is not None:
            _, *terms = self.controlled.joined(self.mass, *self.terms)
        scales = np.sqrt(np.maximum(terms[1].diagonal(), mass.diagonal()))
        drags, places = (float((abs(one) / scales / scales[:, None]).max()) for one in terms)
        norm = np.linalg.norm
        largest = 0.0
        for value, vector in zip(values, vectors.T, strict=True):
            inertia, drag = value**2 * (mass @ vector), value * (viscous @ vector)
            left = (inertia + drag + stiffness @ vector) / scales
            size = norm(scales * vector) * (places + drags * abs(value)) + norm(inertia / scales)
            largest = max(largest, float(norm(left) / size))
        return largest


@dataclass(frozen=True, slots=True)
class Solved:
    """Eigenvalues of small motions, ascending in frequency.

    Attributes
    ----------
    values : ndarray, (count,)
        Rate of growth and angular frequency, 1/s.
    vectors : ndarray, (f, count)
        Motions y in columns; real parts are largest, and of unit modal mass.
    residual : float
        Largest residual of the equations of a motion, relative to the terms in them.
    missing : str
        Why there are fewer than asked for; empty where all are there.
    solver : str
        What solved.
    """

    values: Complex
    vectors: Complex
    residual: float
    missing: str
    solver: str


def free_motions(matrix: Floats, scales: Floats, rigid: int) -> Floats:
    """Return the motions that rows allow, (z, f): f coordinates, and others that follow from them.

    Parameters
    ----------
    matrix : ndarray, (m, z)
        The rows; some may depend on others.
    scales : ndarray, (z,)
        Sizes of large displacements and rotations.
    rigid : int
        Number of motions of links, the first columns, which rather follow than elastic coordinates.
    """
    z = matrix.shape[1]
    if not len(matrix):
        return np.eye(z)
    weights = np.where(np.arange(z) < rigid, scales, _LATER * scales)
    factor, order = qr(matrix * weights, mode="r", pivoting=True)
    sizes = np.abs(factor.diagonal())
    rank = int((sizes > _DEPENDENT * sizes[0]).sum()) if len(sizes) and sizes[0] > 0.0 else 0
    following, free = order[:rank], order[rank:]
    found = np.zeros((z, len(free)))
    found[free, np.arange(len(free))] = 1.0
    if rank:
        follow = solve_triangular(factor[:rank, :rank], factor[:rank, rank:])
        found[following] = -weights[following, None] * follow / weights[free]
    return found


def bracket(model: MultibodyModel, z: Floats) -> Floats:
    """Return ad(z), (z, z): ``dz = dq' + ad(z) dq`` for increments dq of poses and coordinates."""
    count, kept = model.poses.count, model.poses.numbers
    whole = np.zeros(6 * count)
    whole[kept] = z[: len(kept)]
    blocks = np.zeros((6 * count, 6 * count))
    for k in range(count):
        first = 6 * k
        moved, turned = (
            rotation.cross(one) for one in (whole[first : first + 3], whole[first + 3 : first + 6])
        )
        blocks[first : first + 3, first : first + 3] = turned
        blocks[first : first + 3, first + 3 : first + 6] = moved
        blocks[first + 3 : first + 6, first + 3 : first + 6] = turned
    found = np.zeros((len(z), len(z)))
    found[: len(kept), : len(kept)] = blocks[np.ix_(kept, kept)]
    return found
