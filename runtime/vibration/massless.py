# SPDX-License-Identifier: BSD-3-Clause
"""Small eigenvalue problems with massless motions.

A flat shell has none as its nodes turn about its normal. Such a motion has no frequency: it follows
the others, balanced by the stiffness.
"""

from __future__ import annotations

from contextlib import suppress

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats

#: Share of the largest inertia, by stiffness, below which a motion has none.
_SINGULAR = 1e-14
_NO_INERTIA = 1e12  # times the usual k_ii / m_ii: above, an inertia is one of round-off
_SHIFT = 1e-6  # first shift, relative to the mesh
_STEEPER = 10.0  # by what it grows that does not exceed what an instability takes
_FARTHEST = 1e3  # at which to give up, relative to the mesh


def dense_singular(stiffness: Floats, inertia: Floats) -> tuple[Floats, Floats]:
    """Return the eigenpairs of finite frequency where a motion may have no inertia.

    ``m phi = theta (k + s m) phi`` has a right matrix that is positive definite, with an s that
    exceeds what an instability takes.

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
    from scipy.linalg import LinAlgError, eigh

    mesh = float(np.abs(stiffness.diagonal()).sum() / np.trace(inertia))
    shift = _SHIFT * mesh
    while True:
        try:
            inverse, vectors = eigh(inertia, stiffness + shift * inertia)
            break
        except LinAlgError:
            shift *= _STEEPER
            if shift > _FARTHEST * mesh:
                raise AnalysisError(
                    "modes: a motion has neither inertia nor stiffness; expected supports or "
                    "elements that hold it"
                ) from None
    kept = np.flatnonzero(inverse > _SINGULAR * inverse[-1])[::-1]
    found = vectors[:, kept] / np.sqrt(inverse[kept])
    return 1.0 / inverse[kept] - shift, found


def unit_mass(stiffness: Floats, inertia: Floats) -> Floats:
    """Return a basis in which the inertia is 1, (n, k): motions that have none are left out.

    What is left out is orthogonal to the basis in the stiffness, so it follows what is kept.

    Parameters
    ----------
    stiffness, inertia : ndarray, (n, n)
        The inertia is symmetric and positive semidefinite.

    Raises
    ------
    AnalysisError
        When a motion has neither inertia nor stiffness.
    """
    from scipy.linalg import solve_triangular

    with suppress(np.linalg.LinAlgError):
        factor = np.linalg.cholesky(inertia)
        squares = np.abs(stiffness.diagonal()) / factor.diagonal() ** 2
        if squares.max() <= _NO_INERTIA * np.median(squares):
            return np.asarray(solve_triangular(factor, np.eye(len(inertia)), lower=True).T)
    return dense_singular(0.5 * (stiffness + stiffness.T), inertia)[1]
