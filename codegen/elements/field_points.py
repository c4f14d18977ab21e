# SPDX-License-Identifier: BSD-3-Clause
"""Quantities of a field element that are given at its points of integration, and their integrals.

A section that varies along an element is a row of numbers, one at each point of integration, where
formulas need it. The integral of such a quantity from the beginning of the cell is that of the
polynomial through its values; at the end of the cell it is the quadrature. A displacement that is
an integral of its strain has that strain at the points: shape functions may come from the
flexibility of a section (Neuenhofer and Filippou, Journal of Structural Engineering 124, 1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import mpmath
import sympy
from flexforge.codegen.elements.quadrature import rule

_DIGITS = 34


@dataclass(frozen=True)
class CellPoints:
    """The points of integration along a cell, with what is known at each.

    Attributes
    ----------
    places, weights : tuple of float
        The rule on [-1, 1].
    """

    places: tuple[float, ...]
    weights: tuple[float, ...]

    @classmethod
    def of(cls, degree: int) -> CellPoints:
        """Return the points of the rule of a degree on the interval.

        Examples
        --------
        >>> CellPoints.of(1)
        CellPoints(places=(0.0,), weights=(2.0,))
        """
        points, weights = rule("interval", degree)
        return cls(tuple(x for (x,) in points), weights)

    @property
    def shares(self) -> tuple[sympy.Symbol, ...]:
        """Symbols of the integrals of Lagrange's polynomials up to a point, one for each."""
        return tuple(sympy.symbols(f"share_p1:{len(self.places) + 1}", real=True))

    def shares_at(self, number: int) -> dict[sympy.Symbol, sympy.Float]:
        """Return the values of :attr:`shares` at one of the points."""
        return dict(zip(self.shares, _integrals(self.places)[number], strict=True))

    @cached_property
    def numbers(self) -> range:
        """Numbers of the points, from 0."""
        return range(len(self.places))


@cache
def _integrals(places: tuple[float, ...]) -> tuple[tuple[sympy.Float, ...], ...]:
    """Return the integrals of Lagrange's polynomials from -1 to every point, row by row."""
    with mpmath.workdps(_DIGITS):
        exact = [mpmath.mpf(x) for x in places]
        powers = range(len(exact))
        moments = mpmath.matrix([[x**k for k in powers] for x in exact])
        whole = [[(x ** (k + 1) - (-1) ** (k + 1)) / (k + 1) for k in powers] for x in exact]
        found = mpmath.matrix(whole) * moments**-1
        return tuple(tuple(sympy.Float(v, _DIGITS) for v in row) for row in found.tolist())


def at_point(symbol: sympy.Symbol, number: int) -> sympy.Symbol:
    """Return the name of a quantity at a point of integration, from 0.

    Examples
    --------
    >>> at_point(sympy.Symbol("bend", real=True), 0)
    bend_p1
    """
    return sympy.Symbol(f"{symbol}_p{number + 1}", real=True)


def given_at(name: str, number: int) -> sympy.Symbol:
    """Return the scalar argument with a quantity at a point of integration, from 0.

    Examples
    --------
    >>> given_at("area", 0)
    area1
    """
    return sympy.Symbol(f"{name}{number + 1}", real=True)
