# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of ``(lambda^2 m + lambda c + k) phi = 0`` near a point of the imaginary axis.

Small problems are solved whole. Of large ones a second-order Krylov space is built about a shift
(Bai and Su, SIAM J. Matrix Anal. Appl. 26, 2005; in two levels as Lu, Su and Bai, ibid. 37, 2016):
``k + shift c + shift^2 m`` is factored once, and each pair of vectors takes one solve. The problem
is then projected on a real basis of that space, orthonormal in m. This keeps what the matrices are:
a skew c stays skew and a symmetric k symmetric, so eigenvalues come in pairs of lambda and -lambda
exactly, and with the shift its mirror images are in the space as well, since the basis is real.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.analyses.gyroscopic import general_values, gyroscopic_pairs
from flexforge.runtime.analyses.krylov import SecondOrderSpace, factor_shifted
from flexforge.runtime.solvers.interface import Factorization
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
Complex = NDArray[np.complex128]

DENSE = 400
"""Unknowns up to which all eigenvalues are computed."""

_TOLERANCE = 1e-11  # relative change of a squared eigenvalue between two looks
_LARGEST_SPACE = 120  # vectors, beside ten for each eigenvalue
_ROUND_OFF = 1e-12  # of squared frequencies, relative to those of the mesh
_LEAST_SHIFT = 1e-7  # of the same, where k is singular


@dataclass(frozen=True, slots=True)
class QuadraticProblem:
    """The matrices on the unknowns.

    Attributes
    ----------
    mass : csr_matrix
        Symmetric and positive definite.
    viscous : csr_matrix
        Factor of lambda: Coriolis, which is skew, and damping.
    stiffness : csr_matrix
        All that multiplies displacements.
    paired : bool
        Nothing damps and the stiffness is symmetric: lambda and -lambda come together.
    singular : bool
        Whether the stiffness may be singular, as that of free bodies is.
    inherited : float
        Round-off of squared frequencies that the matrices bring along, (rad/s)^2.
    """

    mass: csr_matrix
    viscous: csr_matrix
    stiffness: csr_matrix
    paired: bool
    singular: bool
    inherited: float = 0.0

    @property
    def noise(self) -> float:
        """Round-off of squared frequencies: it is that of the highest of the mesh, (rad/s)^2."""
        inertia = self.mass.diagonal()
        moving = inertia > 0  # what turns a plane shell about its normal has no inertia
        sizes = np.abs(self.stiffness.diagonal()[moving]) / inertia[moving]
        return max(_ROUND_OFF * float(np.median(sizes)), self.inherited)


@dataclass(frozen=True, slots=True)
class Eigenvalues:
    """What was found, ascending in frequency.

    Attributes
    ----------
    values : ndarray, (count,)
        1/s, one of each pair.
    vectors : ndarray, (n, count)
        In columns, of unit modal mass.
    solves : int
        Right-hand sides solved for; 0 where the whole problem was solved.
    missing : str
        Why there are fewer than were asked for; empty where all are there.
    """

    values: Complex
    vectors: Complex
    solves: int = 0
    missing: str = ""


def not_all(settled: int, count: int, where: str) -> str:
    """Say that some eigenvalues have not converged, and what helps."""
    return (
        f"{settled} of {count} eigenvalues have converged{where}; expected all: ask for fewer, or "
        "give a shift near them"
    )


def solve_quadratic(
    problem: QuadraticProblem,
    count: int,
    target: float | None,
    solver: str,
    threads: int,
    tell: Callable[[str, int, int], None] | None = None,
) -> Eigenvalues:
    """Return the eigenvalues nearest to ``i target``, one of each pair.

    Where some do not converge, those that do are returned, with what to say of the others.

    Parameters
    ----------
    problem : QuadraticProblem
        The matrices.
    count : int
        How many.
    target : float, optional
        rad/s; by default the lowest are sought.
    solver : str
        Linear solver.
    threads : int
        For the linear solver.
    tell : callable, optional
        Called with a text, how many eigenvalues have converged, and the count.

    Raises
    ------
    AnalysisError
        When the shifted matrix is singular.
    """
    n = problem.mass.shape[0]
    if n <= max(DENSE, 4 * count):
        return Eigenvalues(*_solve_dense(problem, count, target))
    shift = _shift(problem, target)
    try:
        factors = _factor(problem, shift, solver, threads)
    except AnalysisError:
        if shift:
            raise
        # At a critical speed k + k_omega + k_geo is singular although everything is held.
        shift = _beside_zero(problem)
        factors = _factor(problem, shift, solver, threads)
    try:
        space = SecondOrderSpace(problem.mass, problem.viscous, problem.stiffness, shift, factors)
        return _iterate(problem, space, count, target, tell)
    finally:
        factors.close()


def _iterate(
    problem: QuadraticProblem, space: SecondOrderSpace, count: int, target: float | None,
    tell: Callable[[str, int, int], None] | None,
) -> Eigenvalues:  # fmt: skip
    """Extend the space until the eigenvalues stay as they are."""
    n = problem.mass.shape[0]
    most = min(n, _LARGEST_SPACE + 10 * count)
    step = 4 + count // 2
    before = np.zeros(0, dtype=np.complex128)
    settled = np.zeros(0, dtype=bool)
    steady = 0
    while True:
        grown = space.extend(2 * count + 6 if not len(before) else step)
        values, small = _solve_small(problem, *space.projected, count, target)
        if len(values) == len(before):
            # What round-off moves of a double root stays small in the square.
            allowed = _TOLERANCE * np.abs(values) ** 2 + 1e-2 * problem.noise
            settled = np.abs(values**2 - before**2) <= allowed
            steady = steady + 1 if settled.all() else 0
            if tell is not None:
                tell("modes", int(settled.sum()), count)
            if steady == 2:
                break
        before = values
        if not grown or space.size >= n:
            break
        if space.size > most:
            kept = np.flatnonzero(settled)
            where = f" in a space of {space.size} vectors"
            return Eigenvalues(values[kept], space.basis @ small[:, kept], space.solves,
                               not_all(len(kept), count, where))  # fmt: skip
    return Eigenvalues(values, space.basis @ small, space.solves)


def _shift(problem: QuadraticProblem, target: float | None) -> complex:
    """Return the point about which the space is built.

    Zero where it can be: the real k is cheapest to factor. A singular k gets a small real shift,
    which is as near to i omega as to -i omega. A target is on the imaginary axis.
    """
    if target:
        return 1j * target
    if not problem.singular:
        return 0.0j
    return _beside_zero(problem)


def _beside_zero(problem: QuadraticProblem) -> complex:
    return complex(np.sqrt(_LEAST_SHIFT / _ROUND_OFF * problem.noise))


def _factor(problem: QuadraticProblem, shift: complex, solver: str, threads: int) -> Factorization:
    matrices = (problem.mass, problem.viscous, problem.stiffness)
    return factor_shifted(*matrices, shift, problem.paired, solver, threads)


def _solve_dense(
    problem: QuadraticProblem, count: int, target: float | None
) -> tuple[Complex, Complex]:
    """Solve a small problem whole, in coordinates in which the mass is 1."""
    from scipy.linalg import solve_triangular

    matrices = (problem.mass, problem.viscous, problem.stiffness)
    mass, viscous, stiffness = (a.toarray() for a in matrices)
    factor = np.linalg.cholesky(mass)
    inverse = solve_triangular(factor, np.eye(len(mass)), lower=True)
    scaled = (inverse @ viscous @ inverse.T, inverse @ stiffness @ inverse.T)
    values, vectors = _solve_small(problem, *scaled, count, target)
    return values, inverse.T @ vectors


def _solve_small(
    problem: QuadraticProblem, viscous: Floats, stiffness: Floats, count: int,
    target: float | None,
) -> tuple[Complex, Complex]:  # fmt: skip
    """Return the chosen eigenvalues of a problem of unit mass, and vectors of length 1."""
    near = target or 0.0
    if problem.paired:
        stiffness = 0.5 * (stiffness + stiffness.T)
        values, vectors = gyroscopic_pairs(stiffness, 0.5 * (viscous - viscous.T), count, near)
        values = np.where(np.abs(values) ** 2 <= problem.noise, 0.0, values)
        upper = np.arange(len(values))
    else:
        values, vectors = general_values(stiffness, viscous, count, near)
        upper = _upper(values, problem.noise)
        values = np.where(np.abs(values) ** 2 <= problem.noise, 0.0, values)
    distance = np.abs(values[upper] - 1j * near)
    nearest = upper[np.argsort(distance, kind="stable")[:count]]
    chosen = nearest[np.lexsort((-values[nearest].real, values[nearest].imag))]
    vectors = vectors[:, chosen]
    return values[chosen], vectors / np.linalg.norm(vectors, axis=0)


def _upper(values: Complex, noise: float) -> NDArray[np.int64]:
    """Return which eigenvalues to keep where they are not in pairs of lambda and -lambda.

    Of a complex pair the upper one; of zeros, which are double, every second; of real ones those
    that grow: the others are no vibrations.
    """
    zero = np.abs(values) ** 2 <= noise
    still = np.abs(values.imag) <= 1e-9 * np.abs(values)
    upper = ~zero & (still & (values.real > 0.0) | ~still & (values.imag > 0.0))
    upper[np.flatnonzero(zero)[::2]] = True
    return np.flatnonzero(upper)
