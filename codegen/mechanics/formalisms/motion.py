# SPDX-License-Identifier: BSD-3-Clause
"""What a formalism delivers: the equations of motion as it naturally writes them."""

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
        Left side minus right side, one a nodal coordinate, as densities at the point.
    """

    residuals: tuple[sympy.Expr, ...]

    def second_order(self, point: MaterialPoint) -> tuple[sympy.Expr, ...]:
        """Return the residuals."""
        return self.residuals


@dataclass(frozen=True, slots=True)
class FirstOrder:
    """A pair of equations in d and p: ``m d' + c d + s = p`` and ``p' = force``.

    The first one is left as it is: a linear system to be solved for d', never inverted.

    Attributes
    ----------
    momenta : tuple of sympy.Expr
        Densities of ``m d' + c d + s``.
    forces : tuple of sympy.Expr
        Densities of p', written in d and the d' that the first equation gives.
    """

    momenta: tuple[sympy.Expr, ...]
    forces: tuple[sympy.Expr, ...]

    def second_order(self, point: MaterialPoint) -> tuple[sympy.Expr, ...]:
        """Return the residuals that are left when p is eliminated: ``d/dt momentum - force``."""
        rates, uncounted = point.rates(), Ledger()
        return tuple(
            uncounted.total(momentum, rates, "p'") - force
            for momentum, force in zip(self.momenta, self.forces, strict=True)
        )


Motion = SecondOrder | FirstOrder
