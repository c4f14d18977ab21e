# SPDX-License-Identifier: BSD-3-Clause
"""The eigenvalue problem of undamped critical speeds.

A load of the order o vibrates with o times the speed W. Without damping a shape is free with it
where

    (k + k_0) u = W^2 a u,    a = o^2 m - i o g - k_omega - (k_geo(W) - k_0) / W^2,

with the stresses k_0 of loads at rest, and of 1 rad/s the gyroscopic or Coriolis matrix g and the
centrifugal one. Where stresses grow with the square of the speed, which they nearly do, a is
constant: as k is symmetric and a Hermitian, the positive eigenvalues are the squares of all
critical speeds of the order. Motions that nothing restrains are
known; a spring for each of them makes k definite, and the products with a leave them out, which
changes no other eigenvalue.
Source: Friswell, Penny, Garvey and Lees, Dynamics of Rotating Machines (2010), section 6.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.statics.rigid import free_displacements
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_terms import across

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_NO_INERTIA = 1e-9  # of a free motion, relative to that of its nodes one by one


@dataclass(frozen=True, slots=True)
class Law:
    """What depends on the speed and on a map: what bearings add along their axes, and stresses.

    Attributes
    ----------
    stiffness : ndarray, (bearings, 2, 2)
        To k, N/m; symmetric.
    inertia : ndarray of complex, (bearings, 2, 2)
        To a, kg; Hermitian.
    stress : ndarray, (terms,)
        What the factors of stresses in a have grown by from the highest speed.
    """

    stiffness: Floats
    inertia: Complex
    stress: Floats


@dataclass(frozen=True, eq=False)
class CriticalPencil:
    """Both matrices, but for what some bearings add to them.

    Attributes
    ----------
    stiffness : csr_matrix, (n, n)
        k and k_0, with the springs of motions that nothing restrains.
    inertia : csr_matrix, (n, n)
        a at the highest speed of the stresses; real where no term is imaginary.
    stresses : list of csr_matrix, (n, n) each
        Of which a has the parts that a law says less; none where a is constant.
    mass : csr_matrix, (n, n)
        m.
    elastic : operator
        k, without loss of digits.
    added : csr_matrix, (n, n)
        k_0 and the springs.
    free : ndarray, (n, q)
        Motions that nothing restrains.
    rows : ndarray, (bearings, 2, n)
        Displacements of those bearings along their axes.
    """

    stiffness: csr_matrix
    inertia: csr_matrix
    stresses: list[csr_matrix]
    mass: csr_matrix
    elastic: Any
    added: csr_matrix
    free: Floats
    rows: Floats

    @classmethod
    def of(
        cls, matrices: SpeedMatrices, order: int, held: System, bearings: list[BearingBody]
    ) -> CriticalPencil:
        """Return the problem of an order.

        Parameters
        ----------
        matrices : SpeedMatrices
            The equations from rest to a speed, without these bearings.
        order : int
            Of the load.
        held : System
            The same bodies with all bearings that restrain them.
        bearings : list of BearingBody
            Those that are added.
        """
        free = free_displacements(held)
        rows = [across(matrices.system, one) for one in bearings]
        pairs = zip(matrices.chord(matrices.highest).tolist(), matrices.stresses, strict=True)
        grown = sum(factor * one for factor, one in pairs if factor)
        added = matrices.stresses[1] + _springs(free, matrices.system.stiffness_scale)
        return cls(
            (matrices.matrices[0] + added).tocsr(),
            (matrices.critical(order) - grown).tocsr(),
            [] if matrices.is_linear else matrices.stresses,
            matrices.mass(0.0),
            matrices.elastic,
            added,
            free,
            np.array(rows).reshape(-1, 2, matrices.system.unknowns),
        )

    def stiff_times(self, x: Floats) -> Floats:
        """Return ``k + k_0`` times real vectors (n, k), without loss of digits."""
        return np.asarray(self.elastic @ x + self.added @ x)

    def heavy_times(self, x: Floats | Complex) -> Any:
        """Return a at the highest speed times vectors (n, k), less forces on free motions."""
        found = np.asarray(self.inertia @ x)
        heavy, inverse = self._carried
        return found - heavy @ (inverse @ (heavy.conj().T @ x)) if len(inverse) else found

    def balanced(self, x: Complex) -> Complex:
        """Return vectors (n, k) with the part of free motions that a shape has."""
        heavy, inverse = self._carried
        return x - self.free @ (inverse @ (heavy.conj().T @ x)) if len(inverse) else x

    @cached_property
    def _carried(self) -> tuple[Any, Any]:
        """Return a times the free motions, and the inverse of a among them where they have any."""
        heavy = np.asarray(self.inertia @ self.free)
        small = self.free.conj().T @ heavy
        sizes = np.abs(self.inertia) @ np.abs(self.free)
        least = np.einsum("ij,ij->j", np.abs(self.free), sizes)
        small = np.where(np.abs(small) > _NO_INERTIA * np.sqrt(np.outer(least, least)), small, 0.0)
        return heavy, np.asarray(np.linalg.pinv(small, hermitian=True))


def _springs(free: Floats, stiffness: float) -> csr_matrix:
    """Return springs to the ground, one for each motion that nothing restrains."""
    from scipy.linalg import qr
    from scipy.sparse import csr_matrix

    n, count = free.shape
    if not count:
        return csr_matrix((n, n))
    _, _, places = qr(free.T, mode="economic", pivoting=True)
    some = places[:count]
    return csr_matrix((np.full(count, stiffness), (some, some)), shape=(n, n))
