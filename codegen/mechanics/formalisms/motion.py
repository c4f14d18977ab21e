# SPDX-License-Identifier: BSD-3-Clause
"""Result of a formalism: the equations of motion in its natural form."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """Equations in d'', d', d.

    Attributes
    ----------
    residuals : tuple of sympy.Expr
        Left side minus right side, one per nodal coordinate, as densities at the point.
    """

    residuals: tuple[sympy.Expr, ...]

    def second_order(self, point: MaterialPoint) -> tuple[sympy.Expr, ...]:
        """Return the residuals."""
        return self.residuals


@dataclass(frozen=True, slots=True)
class FirstOrder:
    """A pair of equations in d and p: ``m d' + c d + s = p`` and ``p' = force``.

    The first one stays a linear system for d'; its matrix is never inverted.

    Attributes
    ----------
    momenta : tuple of sympy.Expr
        Densities of ``m d' + c d + s``.
    forces : tuple of sympy.Expr
        Densities of p', in terms of d and the d' of the first equation.
    """

    momenta: tuple[sympy.Expr, ...]
    forces: tuple[sympy.Expr, ...]

    def second_order(self, point: MaterialPoint) -> tuple[sympy.Expr, ...]:
        """Return the residuals after elimination of p: ``d/dt momentum - force``."""
        rates, uncounted = point.rates(), Ledger()
        return tuple(
            uncounted.total(momentum, rates, "p'") - force
            for momentum, force in zip(self.momenta, self.forces, strict=True)
        )


Motion = SecondOrder | FirstOrder
