# SPDX-License-Identifier: BSD-3-Clause
"""The lowest modes by a preconditioned block iteration, which solves no equations.

LOBPCG (Knyazev, *SIAM J. Sci. Comput.* 23, 2001), of SciPy, from where an iterative solver would be
asked for many exact solutions: every iteration takes one V-cycle per mode instead.
"""

from __future__ import annotations

import warnings

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.solvers import Factorization
from flexforge.runtime.statics.pencil import Pencil

_BESIDE = 4  # modes more, which make the wanted ones converge
_AT_ONCE, _ROUNDS = 15, 6  # iterations between looks at the residuals, and such looks
#: Residual of a mode relative to its inertia forces: its square is the error of the eigenvalue.
_RESIDUAL = 1e-6
_LEAST = 20  # unknowns for each vector of the block


def lowest(
    pencil: Pencil, count: int, factors: Factorization, sigma: float
) -> tuple[Floats, Floats] | None:
    """Return the lowest squares, ascending, and their shapes (n, count).

    Parameters
    ----------
    pencil : Pencil
        Its unrestrained motions are left out.
    count : int
        Number of modes.
    factors : Factorization
        Of ``k - sigma m``, positive definite, of which only `precondition` is used.
    sigma : float
        Shift, (rad/s)^2, at most zero.

    Returns
    -------
    tuple of ndarray, or None
        None if the iteration does not converge, or the block is too large for the problem.
    """
    from scipy.sparse.linalg import LinearOperator, lobpcg

    size = pencil.inertia.shape[0]
    block = count + max(_BESIDE, count // 4)
    if size < _LEAST * block:
        return None

    def precondition(x: Floats) -> Floats:
        columns = [factors.precondition(np.ascontiguousarray(one)) for one in x.reshape(size, -1).T]
        return np.column_stack(columns)

    operator = LinearOperator((size, size), matvec=precondition, matmat=precondition)
    held = pencil.still if pencil.still.shape[1] else None
    inertia, stiffness = pencil.inertia, pencil.stiffness
    found = precondition(inertia @ np.random.default_rng(0).standard_normal((size, block)))
    tolerance = 0.0
    for _ in range(_ROUNDS):
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")  # of what is checked below
            try:
                squares, found = lobpcg(
                    stiffness,
                    found,
                    inertia,
                    operator,
                    held,
                    tol=tolerance,
                    maxiter=_AT_ONCE,
                    largest=False,
                )
            except (np.linalg.LinAlgError, ValueError):
                return None
        if not np.isfinite(squares).all():
            return None
        force = (inertia @ found[:, :count]) * np.abs(squares[:count] - sigma)
        left = stiffness @ found[:, :count] - (inertia @ found[:, :count]) * squares[:count]
        sizes = np.linalg.norm(force, axis=0)
        if (np.linalg.norm(left, axis=0) <= _RESIDUAL * sizes).all():
            return squares[:count], found[:, :count]
        tolerance = 0.3 * _RESIDUAL * float(sizes.min())
    return None
