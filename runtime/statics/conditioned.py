# SPDX-License-Identifier: BSD-3-Clause
"""Solutions of a stiffness under a few conditions on all unknowns, such as mean axes.

In ``k x + B l = f``, ``B^T x = g`` the stiffness may have rigid motions N, ``k N = 0``, which the
conditions determine. The border B would fill factors, so that ``k`` is factored alone, with as many
of its unknowns held as there are rigid motions. Multipliers l that balance the loads,
``N^T (f - B l) = 0``, leave no force on what is held; motions N are added to meet the conditions.
With mean axes B = M R this is the flexibility ``P^T k_held^-1 P`` of inertia relief,
``P = 1 - M R (R^T M R)^-1 R^T``.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.solvers import Factorization
from flexforge.runtime.statics.held import factor_held
from flexforge.runtime.statics.pencil import Pencil
from flexforge.runtime.statics.refined import Refined
from flexforge.runtime.statics.rigid import free_motions

#: Part of the largest singular value below which conditions let a motion be, or agree.
_RANK = 1e-9


class Conditioned:
    """The inverse of a stiffness under conditions.

    Parameters
    ----------
    pencil : Pencil
        Stiffness and inertia of n unknowns, without the conditions.
    conditions : ndarray, (n, c)
        B.
    solver : str
        Linear solver.
    analysis : str
        Purpose, with which error messages begin.

    Attributes
    ----------
    name : str
        Backend of the factorization.

    Raises
    ------
    AnalysisError
        When a motion costs no energy and meets the conditions, naming the bodies; when conditions
        contradict each other or what is held.
    """

    def __init__(self, pencil: Pencil, conditions: Floats, solver: str, analysis: str) -> None:
        self._conditions, self._still = conditions, pencil.still
        left, sizes, right = np.linalg.svd(conditions.T @ self._still)
        rank = len(sizes)
        if self._still.shape[1] > rank or (sizes <= _RANK * sizes.max(initial=0.0)).any():
            text = "; ".join(
                f"body '{body}' is free to move ({', '.join(names)})"
                for body, names in free_motions(pencil.system)
            )
            raise AnalysisError(
                f"{analysis}: {text}, and not with all that is in its frame; expected one body, or "
                "several that hang together"
            )
        self._balancing = left[:, :rank] / sizes @ right  # l = ... N^T f
        self._others = left[:, rank:]  # multipliers that do no work in rigid motions
        size, held = len(conditions), _places_that_hold(pencil, self._still)
        self._inner = np.setdiff1d(np.arange(size), held)
        if len(held):
            from scipy.sparse import identity

            pencil = pencil.part(identity(size, format="csr"), self._inner)
        self._factors = _precise(pencil, factor_held(pencil, solver, analysis))
        self.name = self._factors.name
        self._answers = self._held(conditions @ self._others)
        self._soft = self._others.T @ (conditions.T @ self._answers)
        sizes = np.linalg.eigvalsh(self._soft)
        if len(sizes) and sizes[0] <= _RANK * sizes[-1]:
            self.close()
            raise AnalysisError(
                f"{analysis}: found too few motions besides those that are kept for a frame that "
                "follows its bodies on average; expected more nodes, or fewer that are kept"
            )

    def solve(self, forces: Floats, values: Floats | None = None) -> Floats:
        """Return displacements x.

        Parameters
        ----------
        forces : ndarray, (n,) or (n, k)
            f.
        values : ndarray, (c,) or (c, k), optional
            g; by default zero.
        """
        balanced = forces - self._conditions @ (self._balancing @ (self._still.T @ forces))
        found = self._held(balanced)
        missing = -self._conditions.T @ found
        if values is not None:
            missing += values
        if self._others.shape[1]:
            found += self._answers @ np.linalg.solve(self._soft, self._others.T @ missing)
            missing = -self._conditions.T @ found + (0.0 if values is None else values)
        return np.asarray(found + self._still @ (self._balancing.T @ missing))

    def close(self) -> None:
        """Release the memory of the factors."""
        self._factors.close()

    def _held(self, forces: Floats) -> Floats:
        """Return the displacements for balanced forces, zero where the rigid motions are held."""
        found = np.zeros_like(forces)
        if forces.size:
            found[self._inner] = self._factors.solve(np.ascontiguousarray(forces[self._inner]))
        return found


def _precise(pencil: Pencil, factors: Factorization | Refined) -> Factorization | Refined:
    """Return solutions that lose no digits of the softest motions of slender bodies."""
    if isinstance(factors, Refined) or factors.iterative:
        return factors
    if not pencil.lost(*pencil.rough(factors.solve)):
        return factors
    return Refined(factors, pencil.times, symmetric=True)


def _places_that_hold(pencil: Pencil, motions: Floats) -> Ints:
    """Return as many unknowns as there are rigid motions, which holds all of these, far apart.

    Motions are weighted by the stiffness at each unknown, of displacements and rotations alike.
    """
    from scipy.linalg import qr

    if not motions.shape[1]:
        return np.zeros(0, dtype=np.int64)
    weights = np.sqrt(np.maximum(pencil.stiffness.diagonal(), 0.0))
    _, order = qr((weights[:, None] * motions).T, mode="r", pivoting=True)
    return np.sort(order[: motions.shape[1]]).astype(np.int64)
