# SPDX-License-Identifier: BSD-3-Clause
"""Definitions of a field element with what varies along it written out at its points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.elements.field import Definition, FieldElement
from flexforge.codegen.elements.field_points import at_point, given_at
from flexforge.codegen.elements.interpolation import REFERENCE


@dataclass(frozen=True)
class Placed:
    """Definitions of an element with those that vary along it written out at every point.

    Attributes
    ----------
    definitions : tuple of (sympy.Symbol, sympy.Expr)
        In order.
    at : tuple of dict
        By point what stands there for quantities that vary.
    """

    definitions: tuple[Definition, ...]
    at: tuple[dict[sympy.Symbol, sympy.Expr], ...]

    @classmethod
    def of(cls, element: FieldElement) -> Placed:
        """Return the definitions of an element with quantities that are given at its points."""
        points = element.points
        at: list[dict[sympy.Symbol, sympy.Expr]] = [
            {
                REFERENCE[0]: sympy.Float(place),
                **points.shares_at(k),
                **{sympy.Symbol(n, real=True): given_at(n, k) for n in element.varying},
            }
            for k, place in enumerate(points.places)
        ]
        found = cls((), tuple(at))
        return found.adding(element.definitions)

    def varies(self, value: sympy.Basic) -> bool:
        """Whether a formula differs between the points."""
        return bool(value.free_symbols & self.at[0].keys())

    def adding(self, definitions: Sequence[Definition]) -> Placed:
        """Return the same with further definitions."""
        found, at = list(self.definitions), [dict(known) for known in self.at]
        for symbol, value in definitions:
            if not value.free_symbols & at[0].keys():
                found.append((symbol, value))
                continue
            for k, known in enumerate(at):
                found.append((at_point(symbol, k), value.xreplace(known)))
            for k, known in enumerate(at):
                known[symbol] = at_point(symbol, k)
        return Placed(tuple(found), tuple(at))
