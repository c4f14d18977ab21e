# SPDX-License-Identifier: BSD-3-Clause
"""Small eigenvalue problems with massless motions.

A flat shell has one per node, the rotation about its normal. Such a motion has no frequency: it
follows the other motions, balanced by the stiffness.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from numpy.typing import NDArray

#: Fraction of the largest ratio of inertia to stiffness below which a motion has no inertia.
_SINGULAR = 1e-14
_NO_INERTIA = 1e12  # times the usual k_ii / m_ii: above it, the inertia is round-off
_SHIFT = 1e-6  # first shift, relative to the mesh
_STEEPER = 10.0  # growth factor of a shift that does not exceed the instability
_OFF_DIAGONAL = 1e-2  # times the largest entry: the least that counts as stiffness of the mesh
_FARTHEST = 1e3  # relative to the mesh, where the search ends


def dense_singular(stiffness: Floats, inertia: Floats) -> tuple[Floats, Floats]:
    """Return the eigenpairs of finite frequency for a possibly singular inertia.

    In ``m phi = theta (k + s m) phi`` the right-hand matrix is positive definite for an s that
    exceeds the instability.

    Parameters
    ----------
    stiffness, inertia : ndarray, (n, n)
        Symmetric.

    Returns
    -------
    squares : ndarray, (k,)
        (rad/s)^2.
    vectors : ndarray, (n, k)
        In columns, of unit modal mass.

    Raises
    ------
    AnalysisError
        When a motion has neither inertia nor stiffness.
    """
    inverse, vectors, shift = _pencil(stiffness, inertia)
    kept = np.flatnonzero(_moves(inverse))[::-1]
    found = vectors[:, kept] / np.sqrt(inverse[kept])
    return 1.0 / inverse[kept] - shift, found


def _moves(inverse: Floats) -> NDArray[np.bool_]:
    """Return which motions have inertia, by its ratio to their stiffness."""
    return np.asarray(inverse > _SINGULAR * inverse[-1])


def _pencil(stiffness: Floats, inertia: Floats) -> tuple[Floats, Floats, float]:
    """Return theta, ascending, phi, and s; parameters are those of :func:`dense_singular`."""
    from scipy.linalg import LinAlgError, eigh

    sizes = np.abs(stiffness)
    mesh = float(max(sizes.trace(), _OFF_DIAGONAL * sizes.max()) / np.trace(inertia).real)
    shift = _SHIFT * mesh
    while True:
        try:
            inverse, vectors = eigh(inertia, stiffness + shift * inertia)
            return inverse, vectors, shift
        except LinAlgError:
            shift *= _STEEPER
            if shift > _FARTHEST * mesh:
                raise AnalysisError(
                    "modes: a motion has neither inertia nor stiffness; expected supports or "
                    "elements that hold it"
                ) from None


def unit_mass(stiffness: Floats, inertia: Floats) -> tuple[Floats, Floats]:
    """Return a basis in which the inertia is 1, and the motions that follow it without inertia.

    Parameters
    ----------
    stiffness, inertia : ndarray, (n, n)
        The inertia is symmetric and positive semidefinite.

    Returns
    -------
    basis : ndarray, (n, k)
        Vectors that are orthogonal to the massless motions in the symmetric part of the stiffness.
    motions : ndarray, (n, k)
        The vectors of the basis with the massless motions that the stiffness balances beside them:
        they are the same where it is symmetric.

    Raises
    ------
    AnalysisError
        When a motion has neither inertia nor stiffness.
    """
    from scipy.linalg import solve_triangular

    with suppress(np.linalg.LinAlgError):
        factor = np.linalg.cholesky(inertia)
        squares = np.abs(stiffness.diagonal()) / factor.diagonal().real ** 2
        if squares.max() <= _NO_INERTIA * np.median(squares):
            basis = solve_triangular(factor, np.eye(len(inertia)), lower=True).conj().T
            return basis, basis
    inverse, vectors, _ = _pencil(0.5 * (stiffness + stiffness.conj().T), inertia)
    moves = _moves(inverse)
    basis = (vectors[:, moves] / np.sqrt(inverse[moves]))[:, ::-1]
    massless = vectors[:, ~moves]
    forces = massless.conj().T @ stiffness
    follow = np.linalg.solve(forces @ massless, forces @ basis)
    return basis, np.asarray(basis - massless @ follow)
