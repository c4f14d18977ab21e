# SPDX-License-Identifier: BSD-3-Clause
"""Vibrations of tied bodies at one position: ``k x = omega^2 m x``, ``J x = 0``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import factorize
from flexforge.runtime.vibration.massless import dense_singular
from flexforge.runtime.vibration.quadratic import DENSE

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


_BELOW = 1e-7  # the shift, squared frequency relative to that of the mesh
_TOLERANCE = 1e-10  # of eigenvalues
_ROUND_OFF = 1e-15  # of squares of frequencies, relative to that of the mesh


def tied_squares(
    stiffness: csr_matrix, inertia: csr_matrix, constraints: csr_matrix, count: int
) -> tuple[Floats, float]:
    """Return squares of the lowest circular frequencies, and their round-off, (rad/s)^2.

    Parameters
    ----------
    stiffness, inertia : csr_matrix, (n, n)
        Symmetric; both may be singular.
    constraints : csr_matrix, (m, n)
        J, whose rows are independent.
    count : int
        Largest number of them.

    Raises
    ------
    AnalysisError
        When the eigenvalue solver fails.
    """
    from scipy.linalg import null_space
    from scipy.sparse import bmat
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    n = stiffness.shape[0]
    moving = inertia.diagonal() > 0.0
    highest = float(np.median(stiffness.diagonal()[moving] / inertia.diagonal()[moving]))
    noise = _ROUND_OFF * highest
    if n <= DENSE:
        free = null_space(constraints.toarray())
        matrices = (free.T @ (one @ free) for one in (stiffness, inertia))
        return dense_singular(*matrices)[0][:count], noise
    raised = stiffness + _BELOW * highest * inertia
    size = float(np.abs(stiffness.diagonal()).max())  # like the other entries
    tied = size / float(np.abs(constraints.data).max()) * constraints
    factors = factorize(bmat([[raised, tied.T], [tied, None]], format="csr"))

    def solve(x: Floats) -> Floats:
        """Return the response of the tied bodies to a force."""
        full: Floats = factors.solve(np.concatenate([x, np.zeros(constraints.shape[0])]))
        return np.asarray(full[:n], dtype=float)

    first = solve(inertia @ np.random.default_rng(0).standard_normal(n))
    try:
        values = eigsh(
            stiffness,
            min(count, n - constraints.shape[0] - 1),
            inertia,
            sigma=-_BELOW * highest,
            OPinv=LinearOperator((n, n), matvec=solve),
            v0=first,
            tol=_TOLERANCE,
            return_eigenvectors=False,
        )
    except ArpackError as error:
        raise AnalysisError(f"reduce: the eigenvalue solver failed ({error})") from error
    finally:
        factors.close()
    return np.sort(values), noise
