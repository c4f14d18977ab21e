# SPDX-License-Identifier: BSD-3-Clause
"""Conjugate gradients with a preconditioner that rounds: the flexible form of Polak and Ribiere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.ranks import ONE, Ranks

Operator = Callable[[Floats], Floats]

_EPSILON = float(np.finfo(float).eps)
_WINDOW = 100  # iterations in which the residual must fall
_FALL = 0.5  # to this fraction
_RESTARTS = 3  # from the true residual, which the recurrence drifts away from


@dataclass(frozen=True, slots=True)
class Found:
    """Result of a solve.

    Attributes
    ----------
    solution : ndarray, (n,)
        The last iterate.
    iterations : int
        Number of preconditioner calls.
    residual : float
        ``||b - A x|| / ||b||``, of the last iterate itself.
    why_not : str
        Reason why it is no solution; empty if it is one.
    is_indefinite : bool
        Whether a direction of negative or no energy was met.
    """

    solution: Floats
    iterations: int
    residual: float
    why_not: str = ""
    is_indefinite: bool = False


def conjugate_gradients(
    matrix: Operator,
    rhs: Floats,
    precondition: Operator,
    *,
    scale: float,
    tolerance: float = 1e-12,
    most_iterations: int = 500,
    ranks: Ranks = ONE,
) -> Found:
    """Solve ``A x = b`` to ``||b - A x|| <= tolerance * ||b||``, or to round-off in ``A x``.

    Parameters
    ----------
    matrix : callable
        Takes x (n,), returns A x; symmetric positive definite.
    rhs : ndarray, (n,)
        Right-hand side b.
    precondition : callable
        Takes r (n,), returns an approximation of ``A^-1 r``.
    scale : float
        Size of the entries of A, to which round-off is relative.
    tolerance : float
        Relative residual at which the iteration stops.
    most_iterations : int
        Limit of the iterations.
    ranks : Ranks
        The processes that share the vectors.
    """
    size = ranks.norm(rhs)
    x, count = np.zeros_like(rhs), 0
    if size == 0.0:
        return Found(x, 0, 0.0)
    residual = rhs.copy()
    for _ in range(_RESTARTS):
        direction, before = np.zeros_like(rhs), 1.0
        known = [ranks.norm(residual)]
        old = residual
        while known[-1] > max(tolerance * size, _EPSILON * scale * ranks.norm(x)):
            if count == most_iterations or (
                len(known) > _WINDOW and known[-1] > _FALL * known[-1 - _WINDOW]
            ):
                reached = ranks.norm(rhs - matrix(x)) / size
                return Found(x, count, reached, f"residual {reached:.1e} after {count} iterations")
            step = precondition(residual)
            count += 1
            product = ranks.dot(step, residual)
            # Polak and Ribiere: (z, r - r_old), which forgives what the preconditioner rounds.
            factor = (product - ranks.dot(step, old)) / before if len(known) > 1 else 0.0
            direction = step + factor * direction
            image = matrix(direction)
            energy = ranks.dot(direction, image)
            if not energy > 0.0:
                return Found(x, count, known[-1] / size, "a direction without energy", True)
            length = ranks.dot(direction, residual) / energy
            x += length * direction
            old, before = residual, product
            residual = residual - length * image
            known.append(ranks.norm(residual))
        residual = rhs - matrix(x)
        reached = ranks.norm(residual)
        if reached <= 2.0 * max(tolerance * size, _EPSILON * scale * ranks.norm(x)):
            break
    return Found(x, count, reached / size)
