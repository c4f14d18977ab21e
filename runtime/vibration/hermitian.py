# SPDX-License-Identifier: BSD-3-Clause
"""Eigenvalues of ``(lambda^2 m + lambda c + k) phi = 0`` with Hermitian m and k.

They are those of the sector of a wheel at a nodal diameter. With Coriolis forces c is
skew-Hermitian and ``lambda = i s`` has real s, but unlike those of a real problem the roots are not
in pairs: negative s travel forward, positive ones backward (for ``exp(i (s t + n theta))``). The
lowest of both signs are found, by Arnoldi's method on the inverse of the companion matrix about a
real shift, which leaves both signs alike. Frequencies of undamped problems are then those that the
equation itself gives to their shapes, ``s^2 m - s g - k = 0`` with ``g = i c``, whose error is the
square of that of the shape.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Ints
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.solvers.interface import LARGEST_ERROR, SingularMatrixError, known_error
from flexforge.runtime.system.products import Products
from flexforge.runtime.vibration.massless import unit_mass
from flexforge.runtime.vibration.quadratic import Eigenvalues, QuadraticProblem, not_all

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_COMPLETE = 150  # unknowns up to which all roots take less time than the lowest ones
_ROUND_OFF = 1e-13  # of entries, relative
_TOLERANCE = 1e-11
_RESTARTS = 1000
_BELOW = 1e-7  # square of a shift for a singular stiffness, relative to the mesh
_RESTING = 1e-6  # imaginary part of a real root, relative
_MOST = 40  # roots, for each one wanted, of which as many may be of one sign
_MORE = 6  # roots beyond those wanted, as signs are not known before


def solve_hermitian(
    problem: QuadraticProblem, count: int, solver: str, threads: int, *, both: bool
) -> Eigenvalues:
    """Return the lowest roots of either sign, or above zero.

    Parameters
    ----------
    problem : QuadraticProblem
        Complex matrices; ``paired`` where there is no damping.
    count : int
        Number of roots of each sign.
    solver : str
        Linear solver.
    threads : int
        Number of threads of the linear solver.
    both : bool
        Whether roots of both signs are wanted: without Coriolis forces they come in pairs.

    Returns
    -------
    Eigenvalues
        Those below zero first, ascending in frequency.

    Raises
    ------
    AnalysisError
        When the eigenvalue solver fails.
    """
    n = problem.mass.shape[0]
    count = min(count, n)
    if n <= max(_COMPLETE, 4 * count + 2 * _MORE):
        values, vectors = _dense(problem)
        name = Eigenvalues(values, vectors).solver
    else:
        values, vectors, name = _sparse(problem, count, solver, threads)
    vectors = vectors / np.sqrt(_products(problem.mass, vectors).real)
    if problem.paired:
        values = _settled(problem, values, vectors)
    smallest = np.argsort(np.abs(values), kind="stable")[: 2 * problem.still]
    values[smallest[np.abs(values[smallest]) ** 2 <= problem.noise]] = 0.0
    signs = 2 if both else 1
    chosen = _of_each(values, count, signs, problem.still)
    missing = ""
    if len(chosen) < signs * count:
        missing = not_all(len(chosen), signs * count, "")
    return Eigenvalues(values[chosen], vectors[:, chosen], 0, missing, name)


def _of_each(values: Complex, count: int, signs: int, still: int) -> Ints:
    """Return the lowest roots below zero, if both signs are wanted, then those above.

    Of zeros one for each motion that nothing restrains counts as above, and others, where these
    are double, as below. Real roots that decay do not vibrate.
    """
    order = np.argsort(np.abs(values), kind="stable")
    ordered = values[order]
    resting = np.abs(ordered.imag) <= _RESTING * np.abs(ordered)
    below, above = ~resting & (ordered.imag < 0.0), ~resting & (ordered.imag > 0.0)
    above |= resting & (ordered.real > 0.0)
    zeros = np.flatnonzero(ordered == 0.0)
    above[zeros[:still]], below[zeros[still:]] = True, True
    chosen = [order[one][:count] for one in (below, above)[2 - signs :]]
    return np.concatenate(chosen)


def _products(matrix: csr_matrix, vectors: Complex) -> Complex:
    """Return ``phi^H a phi`` of vectors in columns."""
    return np.asarray(np.einsum("ij,ij->j", vectors.conj(), matrix @ vectors))


def _settled(problem: QuadraticProblem, values: Complex, vectors: Complex) -> Complex:
    """Return the roots that the equation gives to shapes of unit mass, nearest to those found."""
    gyroscopic = (1j * _products(problem.viscous, vectors)).real
    stiffness = _products(problem.stiffness, vectors).real
    # s^2 - s g - k = 0; complex where the motion grows
    root = np.sqrt((0.25 * gyroscopic**2 + stiffness).astype(complex))
    both = 1j * np.array([0.5 * gyroscopic + root, 0.5 * gyroscopic - root])
    nearest = np.abs(both - values).argmin(axis=0)
    return np.asarray(both[nearest, np.arange(len(values))])


def _matrices(problem: QuadraticProblem) -> tuple[csr_matrix, csr_matrix, csr_matrix]:
    """Return inertia, factor of lambda, and stiffness."""
    mass, viscous, stiffness = problem.mass, problem.viscous, problem.stiffness
    for one in (mass, viscous, stiffness):
        assert not isinstance(one, Products)  # sectors are not shared by ranks
    return mass, viscous, stiffness


def _dense(problem: QuadraticProblem) -> tuple[Complex, Complex]:
    """Return all roots of a small problem."""
    from scipy.linalg import eig

    mass, viscous, stiffness = (one.toarray() for one in _matrices(problem))
    basis, motions = unit_mass(stiffness, mass)
    small = [basis.conj().T @ one @ motions for one in (viscous, stiffness)]
    m = basis.shape[1]
    scale = float(np.sqrt(np.abs(np.diag(small[1])).max())) or 1.0
    companion = np.block([[np.zeros((m, m)), scale * np.eye(m)], [-small[1] / scale, -small[0]]])
    values, vectors = eig(companion)
    return values, motions @ vectors[:m]


def _sparse(
    problem: QuadraticProblem, count: int, solver: str, threads: int
) -> tuple[Complex, Complex, str]:
    """Return roots nearest to zero, enough for the count of either sign, and the solver."""
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigs

    shift, factors = _factored(problem, solver, threads)
    n = problem.mass.shape[0]
    mass, viscous = problem.mass, problem.viscous
    scale = float(np.sqrt(_lowest(problem, factors)))

    def inverse(z: Complex) -> Complex:
        """Return ``scale / (companion - shift)`` times z = (phi, psi), psi = lambda phi / scale."""
        phi, psi = z[:n], scale * z[n:]
        force = viscous @ phi + mass @ (psi + shift * phi)
        found = -factors.solve(force)
        return np.concatenate([scale * found, phi + shift * found])

    operator = LinearOperator((2 * n, 2 * n), matvec=inverse, dtype=np.complex128)
    wanted = 2 * count + _MORE
    start = inverse(np.random.default_rng(0).standard_normal(2 * n).astype(complex))
    try:
        while True:
            inverted, vectors = eigs(
                operator, wanted, v0=start, ncv=2 * wanted + 10, tol=_TOLERANCE, maxiter=_RESTARTS
            )
            values = shift + scale / inverted
            signs = [(values.imag < 0.0).sum(), (values.imag > 0.0).sum()]
            if min(signs) >= count or wanted >= min(_MOST * count, n):
                break
            wanted = min(2 * wanted, _MOST * count, n)
    except ArpackNoConvergence as error:
        values, vectors = shift + scale / error.eigenvalues, error.eigenvectors
    except ArpackError as error:
        raise AnalysisError(f"modes: the eigenvalue solver failed ({error})") from error
    finally:
        factors.close()
    return values, vectors[:n], factors.name


def _factored(problem: QuadraticProblem, solver: str, threads: int) -> tuple[float, Factorization]:
    """Factor ``k + shift c + shift^2 m`` about zero, or beside it where k is singular."""
    mass, viscous, stiffness = _matrices(problem)
    # Indefinite beyond critical speeds; not Hermitian where the rotation becomes faster.
    kinds = ((True, True), (True, False)) if _is_hermitian(stiffness) else ((False, False),)
    for symmetric, definite in () if problem.singular else kinds:
        with suppress(SingularMatrixError):
            factors = factorize(
                stiffness,
                solver,
                threads,
                symmetric=symmetric,
                positive_definite=definite,
                check=False,
            )
            if known_error(factors, stiffness)[0] <= LARGEST_ERROR:
                return 0.0, factors
            factors.close()
    assert problem.pencil is not None
    shift = float(np.sqrt(_BELOW * problem.pencil.typical))
    shifted = (stiffness + shift * viscous + shift**2 * mass).tocsr()
    return shift, factorize(shifted, solver, threads, check=False)


def _is_hermitian(matrix: csr_matrix) -> bool:
    beside = abs(matrix - matrix.conj().T)
    return bool(beside.max() <= _ROUND_OFF * abs(matrix).max())


def _lowest(problem: QuadraticProblem, factors: Factorization) -> float:
    """Return a square of the order of the lowest ones."""
    x = np.random.default_rng(1).standard_normal(problem.mass.shape[0]).astype(complex)
    for _ in range(2):
        x = factors.solve(problem.mass @ x)
        x /= np.abs(x).max()
    x /= np.sqrt(np.vdot(x, problem.mass @ x).real)
    following = factors.solve(problem.mass @ x)
    return 1.0 / abs(complex(np.vdot(x, problem.mass @ following)))
