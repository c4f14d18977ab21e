# SPDX-License-Identifier: BSD-3-Clause
"""Controllers beside small motions: states of first order that motions drive and that act on them.

Small changes s of the states obey ``s' + r y' + q y + o s = 0`` and act on motions y as ``a s``.
With ``s = w'`` both are one problem of second order, in which every state has an eigenvalue of zero
that is no motion: ``w`` constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.transient.model import Linearization
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Bools = NDArray[np.bool_]

#: Part of a number, in units of its row and column, that is round-off of none.
_NONE = 1e-9
#: Rounds in which rows and columns of a matrix are made alike.
_ROUNDS = 5


@dataclass(frozen=True)
class Controlled:
    """Factors of motions y and of changes s of states that act on motions.

    Attributes
    ----------
    acting : ndarray, (f, s)
        a, of states in the equations of the motions.
    by_rate, by_place : ndarray, (s, f)
        r and q, of motions in the equations of the states.
    own : ndarray, (s, s)
        o.
    """

    acting: Floats
    by_rate: Floats
    by_place: Floats
    own: Floats

    @classmethod
    def along(
        cls, linear: Linearization, basis: Floats, turned: csr_matrix, states: int
    ) -> Controlled:
        """Return the factors of motions along given ones.

        Parameters
        ----------
        linear : Linearization
            Derivatives at the point; the last equations and rates are those of the states.
        basis : ndarray, (z, f)
            The motions.
        turned : csr_matrix, (z, z)
            Their bracket, see `small_motions.bracket`.
        states : int
            Number of states.
        """
        z, n = len(basis), linear.speed.shape[0]
        speed, place = linear.speed.tocsr(), linear.place.tocsr()
        own = np.arange(n - states, n)
        own = own[_felt(speed[:z][:, own].toarray(), speed[own][:, own].toarray())]
        return cls(
            basis.T @ speed[:z][:, own].toarray(),
            np.asarray(speed[own][:, :z] @ basis),
            np.asarray((speed[own][:, :z] @ turned + place[own][:, :z]) @ basis),
            speed[own][:, own].toarray(),
        )

    @property
    def size(self) -> int:
        """Number of states."""
        return len(self.own)

    def joined(self, mass: Floats, viscous: Floats, stiffness: Floats) -> tuple[Floats, ...]:
        """Return the matrices (f + s, f + s) of motions and of w, from those of motions."""
        f, s = self.acting.shape
        none, across = np.zeros((s, s)), np.zeros((f, s))
        return (
            np.block([[mass, across], [across.T, np.eye(s)]]),
            np.block([[viscous, self.acting], [self.by_rate, self.own]]),
            np.block([[stiffness, across], [self.by_place, none]]),
        )

    def still(self, stiffness: Floats, squares: Floats, motions: Floats) -> tuple[Floats, int]:
        """Return motions that nothing holds, controllers included, (f, k), and a number of zeros.

        These are eigenvalues of zero that are no motions: of w, and of states that stay as they
        are.

        Parameters
        ----------
        stiffness : ndarray, (f, f)
            Factor of the motions.
        squares, motions : ndarray, (m,) and (f, m)
            Squared frequencies without controllers, zero where nothing else holds, and motions.
        """
        loose, stiff = motions[:, squares == 0.0], motions[:, squares != 0.0]
        count, s = loose.shape[1], self.size
        # Stiff motions follow what states do to them.
        follow = -stiff @ np.linalg.solve(stiff.T @ stiffness @ stiff, stiff.T @ self.acting)
        left = np.block([
            [np.zeros((count, count)), loose.T @ self.acting],
            [self.by_place @ loose, self.own + self.by_place @ follow],
        ])  # fmt: skip
        columns = np.ones(count + s)
        for _ in range(_ROUNDS):
            for axis in (0, 1):
                sizes = np.sqrt(np.abs(left).max(axis=axis))
                sizes = np.where(sizes > 0.0, sizes, 1.0)
                left = left / (sizes if axis == 0 else sizes[:, None])
                columns = columns / sizes if axis == 0 else columns
        _, sizes, vectors = np.linalg.svd(left)
        null = columns[:, None] * vectors[sizes <= _NONE].T
        _, lengths, apart = np.linalg.svd(null[:count], full_matrices=False)
        moving = lengths > _NONE  # others are states at rest that act on nothing
        found = (loose @ null[:count] + follow @ null[count:]) @ apart[moving].T
        return found, s + null.shape[1] - int(moving.sum())


def _felt(acting: Floats, own: Floats) -> Bools:
    """Return which states, (s,), act on motions, or on states that do: others only watch."""
    felt: Bools = np.any(acting != 0.0, axis=0)
    for _ in range(len(felt)):
        felt |= np.any(own[felt] != 0.0, axis=0)
    return felt
