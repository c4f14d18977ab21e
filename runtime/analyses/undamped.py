# SPDX-License-Identifier: BSD-3-Clause
"""The real eigenvalue problem ``k phi = omega^2 m phi`` of undamped vibrations at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.analyses import quadratic
from flexforge.runtime.analyses.quadratic import not_all
from flexforge.runtime.analyses.rigid import free_displacements, free_motions
from flexforge.runtime.solvers import Factorization, factorize
from flexforge.runtime.solvers.interface import SingularMatrixError
from flexforge.runtime.system import System
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]

#: Of squares of frequencies, relative to those of the mesh.
ROUND_OFF = 1e-12
#: Share of the largest inertia, by stiffness, below which a motion has none.
_SINGULAR = 1e-14
_TOLERANCE = 1e-10  # of eigenvalues; round-off in the solves may forbid more
_BELOW = 1e-7  # zero, by squares of frequencies, relative to the highest
_RESTARTS = 1000  # of Krylov's method


@dataclass(frozen=True, slots=True)
class Undamped:
    """What was found, ascending.

    Attributes
    ----------
    squares : ndarray, (count,)
        Squares of circular frequencies, (rad/s)^2.
    vectors : ndarray, (n, count)
        Shapes of unit modal mass, in columns.
    noise : float
        Round-off of the squares.
    missing : str
        Why there are fewer than were asked for; empty where all are there.
    """

    squares: Floats
    vectors: Floats
    noise: float
    missing: str = ""


def solve_undamped(
    system: System, count: int, shift: float | None, stiffness: csr_matrix, inertia: csr_matrix,
    solver: str,
) -> Undamped:  # fmt: skip
    """Return the lowest modes, or those nearest to a frequency.

    Parameters
    ----------
    system : System
        What the matrices belong to.
    count : int
        How many.
    shift : float, optional
        Frequency, Hz.
    stiffness, inertia : csr_matrix, (n, n)
        Symmetric; the inertia may be singular.
    solver : str
        Sparse solver.

    Returns
    -------
    Undamped
        Where some do not converge, those that do.

    Raises
    ------
    AnalysisError
        When the eigenvalue solver fails.
    """
    # Near the square of the highest frequency of the mesh, which sets the round-off of all.
    moving = inertia.diagonal() > 0  # what turns a plane shell about its normal has no inertia
    highest = float(np.median(stiffness.diagonal()[moving] / inertia.diagonal()[moving]))
    noise = ROUND_OFF * highest
    if system.unknowns <= max(quadratic.DENSE, 2 * count + 2):
        from scipy.linalg import eigh

        turning = any(len(body.rotations) for body in system.bodies)
        solve = dense_singular if turning else eigh
        values, vectors = solve(stiffness.toarray(), inertia.toarray())
        if shift is not None:
            nearest = np.argsort(np.abs(values - (2.0 * np.pi * shift) ** 2), kind="stable")
            chosen = np.sort(nearest[:count])
            values, vectors = values[chosen], vectors[:, chosen]
        return Undamped(values[:count], vectors[:, :count], noise)
    known = np.zeros((system.unknowns, 0))
    if shift is None:
        known = _rigid_modes(system, stiffness, inertia, noise)[:, :count]
    left = count - known.shape[1]
    if not left:
        return Undamped(np.zeros(count), known, noise)
    values, vectors = _nearest(system, left, shift, stiffness, inertia, solver, highest, known)
    missing = "" if len(values) == left else not_all(count - left + len(values), count, "")
    values, vectors = np.append(np.zeros(known.shape[1]), values), np.hstack([known, vectors])
    order = np.argsort(values, kind="stable")
    return Undamped(values[order], vectors[:, order], noise, missing)


def _rigid_modes(
    system: System, stiffness: csr_matrix, inertia: csr_matrix, noise: float
) -> Floats:
    """Return the rigid motions, if none costs energy, of unit modal mass, in columns."""
    motions = free_displacements(system)
    reduced = motions.T @ (inertia @ motions)
    modes = np.asarray(np.linalg.solve(np.linalg.cholesky(reduced), motions.T).T, dtype=float)
    energy = np.abs(np.einsum("ij,ij->j", modes, stiffness @ modes))
    return modes if energy.max(initial=0.0) < noise else modes[:, :0]


def _nearest(
    system: System, count: int, shift: float | None, stiffness: csr_matrix, inertia: csr_matrix,
    solver: str, highest: float, without: Floats,
) -> tuple[Floats, Floats]:  # fmt: skip
    """Return the eigenpairs nearest to a shift, by Krylov's method on the shifted inverse.

    Where it does not converge, those that have converged are fewer than the count. Of one vector
    the method sees one direction of a multiple eigenvalue; the rigid motions are known, so they
    are kept out of it.
    """
    from scipy.sparse.linalg import ArpackError, ArpackNoConvergence, LinearOperator, eigsh

    if shift is not None:
        sigma = (2.0 * np.pi * shift) ** 2
    else:
        # Below zero, free bodies can be factored although their k is singular.
        sigma = -_BELOW * highest if free_motions(system) else 0.0
    try:
        factors = _shifted(system, stiffness, inertia, sigma, solver)
    except SingularMatrixError:
        if shift is not None or sigma:
            raise
        sigma = -_BELOW * highest  # a mechanism: nothing is free as a whole, yet k is singular
        factors = _shifted(system, stiffness, inertia, sigma, solver)

    def solve(x: Floats) -> Floats:
        y: Floats = factors.solve(x)
        return np.asarray(y - without @ (without.T @ (inertia @ y)), dtype=float)

    inverse = LinearOperator(stiffness.shape, matvec=solve)
    start = solve(inertia @ np.random.default_rng(0).standard_normal(system.unknowns))
    try:
        values, vectors = eigsh(
            stiffness, count, inertia, sigma=sigma, OPinv=inverse, v0=start, tol=_TOLERANCE,
            maxiter=_RESTARTS,
        )  # fmt: skip
    except ArpackNoConvergence as error:
        values, vectors = error.eigenvalues, error.eigenvectors
    except ArpackError as error:
        raise AnalysisError(f"modes: the eigenvalue solver failed ({error})") from error
    finally:
        factors.close()
    order = np.argsort(values)
    return values[order], vectors[:, order]


def _shifted(
    system: System, stiffness: csr_matrix, inertia: csr_matrix, sigma: float, solver: str
) -> Factorization:
    """Factor ``k - sigma m``, which near an eigenvalue may be as good as singular."""
    return factorize(
        stiffness - sigma * inertia, solver, system.threads, symmetric=True, check=not sigma
    )


def dense_singular(stiffness: Floats, inertia: Floats) -> tuple[Floats, Floats]:
    """Return the eigenpairs of finite frequency where a motion may have no inertia.

    ``m phi = theta (k + s m) phi`` has a right matrix that is positive definite.

    Parameters
    ----------
    stiffness, inertia : ndarray, (n, n)
        Symmetric.
    """
    from scipy.linalg import eigh

    shift = 1e-6 * float(np.trace(stiffness) / np.trace(inertia))
    inverse, vectors = eigh(inertia, stiffness + shift * inertia)
    kept = np.flatnonzero(inverse > _SINGULAR * inverse[-1])[::-1]
    found = vectors[:, kept] / np.sqrt(inverse[kept])
    return 1.0 / inverse[kept] - shift, found
