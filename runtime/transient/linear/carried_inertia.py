# SPDX-License-Identifier: BSD-3-Clause
"""Carried inertia and damping: terms of joint rates that no generalized speed gives.

Where ``q = A y``, velocities are ``A y' - D J' q`` and accelerations ``A y'' - D (2 J' q' +
J'' q)`` (see ``constraints.null_space``). In a step that is more force for a unit of its unknowns,
``-[M K, C K] P E^T x``, of a few constant combinations K of coordinates that move with ``D``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.apart import Apart, apart_of
from flexforge.runtime.constraints.basis import Basis
from flexforge.runtime.constraints.null_space import NullSpace
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.system import System

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix


class CarriedInertia:
    """Combinations of coordinates that are dragged along, for one choice of speeds.

    Parameters
    ----------
    along : csc_matrix, (n, k)
        K.
    apart : Apart
        Which of them reach the same bodies.
    spread : ndarray, (k, m), optional
        ``H^T = K spread``; without it K is ``H^T``.
    system : System
        The bodies.
    """

    def __init__(
        self, along: csc_matrix, apart: Apart, spread: Floats | None, system: System
    ) -> None:
        self._along, self.apart, self._spread, self._system = along, apart, spread, system

    @classmethod
    def of(
        cls, basis: Basis, span: csc_matrix, apart: Apart, system: System
    ) -> CarriedInertia | None:
        """Return the carried inertia of a choice of generalized speeds.

        Parameters
        ----------
        basis : Basis
            The choice.
        span : csc_matrix, (n, p)
            E, of the rows of J.
        apart : Apart
            Which of those reach the same bodies.
        system : System
            The bodies.

        Returns
        -------
        CarriedInertia or None
            None where what depends is neither made of E nor of single coordinates.
        """
        spread = basis.spanned_by(span)
        if spread is not None:
            return cls(span, apart, spread, system)
        own = basis.dependent(span.shape[0])
        return None if own is None else cls(own, apart_of(system, own), None, system)

    def loads(self) -> Floats:
        """Return ``[M K, C K]`` packed part by part, (n, 2 most)."""
        system, identity = self._system, np.eye(self._system.dimension)
        damping = [
            Combination(body.beta, body.alpha * identity, np.zeros(0), 1.0)
            for body in system.bodies
        ]
        packed = (self._along @ self.apart.packing).toarray()
        moved = [system.expand(one) for one in packed.T]
        found = [system.mass_times(one) for one in moved]
        found += [system.apply(damping, one) for one in moved]
        return np.column_stack([system.restrict(one) for one in found])

    def amounts(
        self, reduction: NullSpace, span: csc_matrix, viscous: float, elastic: float
    ) -> Floats:
        """Return P at one time, (2 k, p).

        Parameters
        ----------
        reduction : NullSpace
            A and D then.
        span : csc_matrix, (n, p)
            E.
        viscous, elastic : float
            Velocities and positions that a unit of the unknowns adds.
        """
        rows = reduction.rows
        first, second = ((rows.matrix(order) @ span).toarray() for order in (1, 2))
        asked = (2.0 * viscous * first + elastic * second, elastic * first)
        turned = [reduction.turn(one) for one in asked]
        if self._spread is not None:
            turned = [self._spread @ one for one in turned]
        return np.vstack(turned)
