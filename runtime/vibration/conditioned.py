# SPDX-License-Identifier: BSD-3-Clause
"""Lowest vibrations under conditions on all unknowns: of a body without supports, in mean axes.

Rigid motions do not meet the conditions, so the smallest square is positive, and Lanczos's method
needs no shift: every vector that the conditioned inverse returns meets them.
"""

from __future__ import annotations

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.conditioned import Conditioned
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.lanczos import largest
from flexforge.runtime.vibration.undamped import Undamped, solve_dense

#: What the inverse leaves of a shape outside the space, relative to the shape.
_SETTLED = 1e-8
_RESTARTS = 10  # of Lanczos's method


def solve_conditioned(
    pencil: Pencil, conditions: Floats, inverse: Conditioned, count: int
) -> Undamped:
    """Return the lowest modes ``k phi = omega^2 m phi`` with ``B^T phi = 0``.

    Parameters
    ----------
    pencil : Pencil
        Stiffness and inertia of n unknowns, without the conditions.
    conditions : ndarray, (n, c)
        B.
    inverse : Conditioned
        The inverse of the stiffness under them.
    count : int
        Number of modes, n - c at most.

    Raises
    ------
    AnalysisError
        When the shapes do not converge.
    """
    if len(conditions) <= max(quadratic.DENSE, 2 * count + 2):
        return Undamped(*solve_dense(pencil, count, None, conditions))
    found = largest(
        inverse.solve,
        pencil.weighed,
        len(conditions),
        count,
        tolerance=_SETTLED,
        restarts=_RESTARTS,
    )
    if len(found.inverses) < count:
        raise AnalysisError(
            f"modes: {count} eigenvalues have not converged; expected fewer, or other supports"
        )
    # What Lanczos's method leaves of other shapes, and round-off of the matrix, goes.
    squares, shapes = pencil.ritz(inverse.solve(pencil.inertia @ found.vectors))
    return Undamped(squares, shapes, "", inverse.name)
