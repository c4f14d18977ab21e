# SPDX-License-Identifier: BSD-3-Clause
"""Lowest vibrations under conditions on all unknowns: of a body without supports, in mean axes.

Rigid motions do not meet the conditions, so the smallest square is positive, and Krylov's method
needs no shift: every vector that the conditioned inverse returns meets them. It takes vectors in
blocks: symmetric bodies have multiple frequencies, of which a single vector finds one shape.
Solutions for several vectors take little more time than for one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.statics.conditioned import Conditioned
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.vibration import quadratic
from flexforge.runtime.vibration.undamped import Undamped, solve_dense

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

#: Vectors that are processed at once, more than there are shapes of one frequency.
_BLOCK = 8
#: What the inverse leaves of a shape outside the space, relative to the shape.
_SETTLED = 1e-8
_DEPENDENT = 1e-12  # square of what is new in a vector
_MOST = 20  # vectors at most, for every wanted one


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
    shapes = _lowest(pencil, inverse.solve, count)
    # What Krylov's method leaves of other shapes, and round-off of the matrix, goes.
    squares, shapes = pencil.ritz(inverse.solve(pencil.inertia @ shapes))
    return Undamped(squares, shapes, "", inverse.name)


def _lowest(pencil: Pencil, solve: Callable[[Floats], Floats], count: int) -> Floats:
    """Return the shapes of the lowest squares, (n, count), by Krylov's method in blocks."""
    size, inertia = pencil.inertia.shape[0], pencil.inertia
    basis = heavy = np.zeros((size, 0))
    projected = np.zeros((0, 0))  # of the inverse times the inertia
    rest = solve(inertia @ np.random.default_rng(0).standard_normal((size, _BLOCK)))
    while basis.shape[1] < _MOST * (count + _BLOCK):
        before, new = basis.shape[1], _orthonormal(rest, inertia)
        new = _orthonormal(new - basis @ (heavy.T @ new), inertia)  # again: the rest was small
        if not new.shape[1]:
            break
        basis, heavy = np.hstack([basis, new]), np.hstack([heavy, inertia @ new])
        rest = solve(heavy[:, before:])
        found = np.zeros((basis.shape[1],) * 2)
        found[:before, :before] = projected
        found[:, before:] = heavy.T @ rest
        found[before:, :before] = found[:before, before:].T
        projected, rest = found, rest - basis @ found[:, before:]
        inverses, turns = np.linalg.eigh(0.5 * (found + found.T))
        best = turns[:, ::-1][:, :count]
        outside = rest @ best[before:]
        left = np.sqrt(np.maximum(np.einsum("ij,ij->j", outside, inertia @ outside), 0.0))
        if best.shape[1] == count and (left <= _SETTLED * inverses[::-1][:count]).all():
            return np.asarray(basis @ best)
    raise AnalysisError(
        f"modes: {count} eigenvalues have not converged; expected fewer, or other supports"
    )


def _orthonormal(vectors: Floats, inertia: csr_matrix) -> Floats:
    """Return vectors of unit mass (n, k) that span others, as far as these are independent."""
    sizes = np.sqrt(np.maximum(np.einsum("ij,ij->j", vectors, inertia @ vectors), 0.0))
    vectors = vectors[:, sizes > 0.0] / sizes[sizes > 0.0]
    squares, turns = np.linalg.eigh(vectors.T @ (inertia @ vectors))
    kept = squares > _DEPENDENT
    return np.asarray(vectors @ (turns[:, kept] / np.sqrt(squares[kept])))
