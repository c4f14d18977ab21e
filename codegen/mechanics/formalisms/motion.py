# SPDX-License-Identifier: BSD-3-Clause
"""Result of a formalism: the equations of motion in its natural form."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject


@dataclass(frozen=True, slots=True)
class SecondOrder:
    """Equations in d'', d', d.

    Attributes
    ----------
    residuals : tuple of sympy.Expr
        Left side minus right side, one per speed or coordinate; of elements densities at the point.
    of_coordinates : bool
        Whether there is one per coordinate; constraint forces are not written.
    """

    residuals: tuple[sympy.Expr, ...]
    of_coordinates: bool = False

    def second_order(self, subject: Subject, ledger: Ledger) -> tuple[sympy.Expr, ...]:
        """Return the residuals of the speeds."""
        if self.of_coordinates:
            return subject.reduced(self.residuals, ledger)
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

    def second_order(self, subject: Subject, ledger: Ledger) -> tuple[sympy.Expr, ...]:
        """Return the residuals after elimination of p: ``d/dt momentum - force``."""
        own = subject.in_coordinates
        rates = own.rates()
        residuals = [
            ledger.total(momentum, rates, "p'") - force
            for momentum, force in zip(self.momenta, self.forces, strict=True)
        ]
        return subject.reduced(residuals, ledger)


Motion = SecondOrder | FirstOrder
