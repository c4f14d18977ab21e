# SPDX-License-Identifier: BSD-3-Clause
"""Quadrature rules on the reference cells, in full double precision.

Tensor cells are [-1, 1]^n and use Gauss-Legendre rules; simplices are the unit simplices and use
fully symmetric rules with positive weights. A wedge is the product of a triangle and [-1, 1]; a
pyramid has the base [-1, 1]^2 and its apex at (0, 0, 1), and is the image of a cube.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import permutations, product
from typing import TypeAlias

import sympy
from flexforge.codegen.elements.limits import HIGHEST
from flexforge.codegen.errors import InputError
from sympy.integrals.quadrature import gauss_jacobi, gauss_legendre

Number: TypeAlias = sympy.Expr
Rule: TypeAlias = tuple[tuple[tuple[Number, ...], ...], tuple[Number, ...]]
#: Barycentric coordinates, whose permutations are the points, and the weight of each point.
Orbit: TypeAlias = tuple[tuple[Number, ...], Number]

_DIGITS = 34


def _orbit(barycentric: tuple[Number, ...]) -> list[tuple[Number, ...]]:
    """Return all distinct permutations of barycentric coordinates, as Cartesian points."""
    return [point[1:] for point in dict.fromkeys(permutations(barycentric))]


def _simplex(cell: str, degree: int) -> Rule:
    """Return the rule made of orbits; weights are given for a cell of unit volume."""
    found, volume = (
        _orbits(cell, degree),
        sympy.Rational(1, {"triangle": 2, "tetrahedron": 6}[cell]),
    )
    orbits = _polished(found) if isinstance(found, _Published) else found
    points, weights = [], []
    for barycentric, weight in orbits:
        for point in _orbit(barycentric):
            points.append(point)
            weights.append(weight * volume)
    return tuple(points), tuple(weights)


def _orbits(cell: str, degree: int) -> tuple[Orbit, ...] | _Published:
    """Return the orbits of a rule of a simplex."""
    return _triangle(degree) if cell == "triangle" else _tetrahedron(degree)


@dataclass(frozen=True, slots=True)
class _Published:
    """Orbits of unknowns whose decimals are published, and the moments that determine all digits.

    The moments are powers of barycentric coordinates that the rule integrates exactly.
    """

    orbits: tuple[Orbit, ...]
    unknowns: tuple[sympy.Symbol, ...]
    start: tuple[float, ...]
    moments: tuple[tuple[int, ...], ...]


def _triangle(degree: int) -> tuple[Orbit, ...] | _Published:
    """Return a rule of the triangle (Strang and Fix 1973; Dunavant 1985, in closed form)."""
    third = sympy.Rational(1, 3)
    if degree <= 1:
        return (((third,) * 3, sympy.Integer(1)),)
    if degree == 2:
        a = sympy.Rational(1, 6)
        return (((1 - 2 * a, a, a), third),)
    if degree <= 4:
        # Closed form of Dunavant's six-point rule of degree four.
        root = sympy.sqrt(38 - 44 * sympy.sqrt(sympy.Rational(2, 5)))
        orbits = []
        for sign in (1, -1):
            a = (8 - sympy.sqrt(10) + sign * root) / 18
            w = (620 + sign * sympy.sqrt(213125 - 53320 * sympy.sqrt(10))) / 3720
            orbits.append(((1 - 2 * a, a, a), w))
        return tuple(orbits)
    if degree <= 6:
        return _dunavant()
    raise _no_rule("triangle", degree)


def _tetrahedron(degree: int) -> tuple[Orbit, ...] | _Published:
    """Return a rule of the tetrahedron (Keast 1986; Walkington 2000 for degree five)."""
    quarter = sympy.Rational(1, 4)
    if degree <= 1:
        return (((quarter,) * 4, sympy.Integer(1)),)
    if degree == 2:
        a = (5 - sympy.sqrt(5)) / 20
        return (((1 - 3 * a, a, a, a), quarter),)
    if degree <= 5:
        return _walkington()
    raise _no_rule("tetrahedron", degree)


def _no_rule(cell: str, degree: int) -> InputError:
    return InputError(
        f"quadrature: no rule of degree {degree} on the {cell}; expected at most {HIGHEST[cell]}"
    )


def _dunavant() -> _Published:
    """Return the 12-point rule of degree six of the triangle."""
    start = (
        0.249286745170910, 0.063089014491502, 0.053145049844817, 0.310352451033784,
        0.116786275726379, 0.050844906370207, 0.082851075618374,
    )  # fmt: skip
    a, b, c, d, u, v, w = unknowns = sympy.symbols("a b c d u v w")
    orbits = (((1 - 2 * a, a, a), u), ((1 - 2 * b, b, b), v), ((1 - c - d, c, d), w))
    return _Published(orbits, unknowns, start, ((0,), (2,), (3,), (4,), (5,), (6,), (2, 2, 2)))


def _walkington() -> _Published:
    """Return the 14-point rule of degree five of the tetrahedron."""
    start = (
        0.31088591926330061, 0.092735250310891226, 0.045503704125649649,
        0.11268792571801585, 0.073493043116361949, 0.042546020777081466,
    )  # fmt: skip
    a, b, c, u, v, w = unknowns = sympy.symbols("a b c u v w")
    half = sympy.Rational(1, 2)
    orbits = (((1 - 3 * a, a, a, a), u), ((1 - 3 * b, b, b, b), v), ((c, c, half - c, half - c), w))
    return _Published(orbits, unknowns, start, ((0,), (2,), (3,), (2, 2), (4,), (3, 2)))


@cache
def _polished(published: _Published) -> tuple[Orbit, ...]:
    """Return orbits with their published decimals refined by Newton's method."""
    orbits, unknowns = published.orbits, published.unknowns
    corners = len(orbits[0][0])
    equations = []
    for powers in published.moments:
        total = sum(
            weight * sympy.Mul(*(x**k for x, k in zip(point, powers, strict=False)))
            for barycentric, weight in orbits
            for point in dict.fromkeys(permutations(barycentric))
        )
        exact = sympy.factorial(corners - 1) * sympy.Mul(*(sympy.factorial(k) for k in powers))
        equations.append(total - exact / sympy.factorial(sum(powers) + corners - 1))
    solution = sympy.nsolve(equations, unknowns, published.start, prec=_DIGITS)
    values = dict(zip(unknowns, solution, strict=True))
    return tuple(
        (tuple(sympy.sympify(x, strict=True).subs(values) for x in bary), weight.subs(values))
        for bary, weight in orbits
    )


def _along(degree: int) -> int:
    """Return the number of points of a Gauss rule along one axis."""
    return degree // 2 + 1


def _gauss(dimension: int, degree: int) -> Rule:
    """Return the tensor Gauss-Legendre rule, the last coordinate fastest."""
    nodes, weights = gauss_legendre(_along(degree), _DIGITS)
    points = tuple(product(nodes, repeat=dimension))
    return points, tuple(sympy.Mul(*w) for w in product(weights, repeat=dimension))


def _wedge(degree: int) -> Rule:
    """Return the product of a rule on the triangle and a Gauss rule along the third axis."""
    flat, areas = _simplex("triangle", degree)
    along, lengths = _gauss(1, degree)
    points = tuple((*point, *height) for point in flat for height in along)
    return points, tuple(area * length for area in areas for length in lengths)


def _pyramid(degree: int) -> Rule:
    """Return the rule of a cube collapsed into a pyramid (Stroud 1971, section 2.4).

    With ``xi = a (1 - c)``, ``eta = b (1 - c)``, ``zeta = c`` the shape functions of a pyramid are
    polynomials in a, b, c, their gradients polynomials in a and b alone, and the volume element is
    ``(1 - c)^2``: the weight of a Gauss-Jacobi rule.
    """
    flat, areas = _gauss(2, degree)
    nodes, weights = gauss_jacobi(_along(degree), 2, 0, _DIGITS)
    heights = [(1 + node) / 2 for node in nodes]
    points = tuple(
        (a * (1 - height), b * (1 - height), height) for a, b in flat for height in heights
    )
    # int_0^1 (1 - c)^2 f dc is one eighth of the integral over [-1, 1].
    return points, tuple(area * weight / 8 for area in areas for weight in weights)


@dataclass(frozen=True, slots=True)
class GivenRule:
    """A quadrature rule given by the user.

    Attributes
    ----------
    points : tuple of tuple of float
        Reference coordinates, (Q, dimension).
    weights : tuple of float
        Their sum is the measure of the reference cell.
    """

    points: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]


#: Quadrature of a cell: exact for polynomials of a degree, or a given rule.
Degree: TypeAlias = int | GivenRule


#: Dimension of the cells whose rules are products of rules along an axis.
_TENSOR = {"interval": 1, "quadrilateral": 2, "hexahedron": 3}


def point_count(cell: str, degree: Degree) -> int:
    """Return the number of points of :func:`rule`, without computing their digits.

    Examples
    --------
    >>> point_count("tetrahedron", 4)
    14
    """
    if isinstance(degree, GivenRule):
        return len(degree.weights)
    _check_degree(degree)
    match cell:
        case "point":
            return 1
        case "interval" | "quadrilateral" | "hexahedron":
            return int(_along(degree) ** _TENSOR[cell])
        case "triangle" | "tetrahedron":
            found = _orbits(cell, degree)
            orbits = found.orbits if isinstance(found, _Published) else found
            return sum(len(_orbit(barycentric)) for barycentric, _ in orbits)
        case "wedge":
            return point_count("triangle", degree) * _along(degree)
        case "pyramid":
            return _along(degree) ** 3
        case _:
            raise _no_rules(cell)


def _check_degree(degree: int) -> None:
    if degree < 0:
        raise InputError(f"quadrature: degree {degree}; expected zero or more")


def _no_rules(cell: str) -> InputError:
    return InputError(f"quadrature: cell '{cell}' has no rules")


def finest(cell: str, degrees: Iterable[Degree]) -> Degree:
    """Return the quadrature with most points."""
    return max(degrees, key=lambda degree: point_count(cell, degree))


@cache
def rule(cell: str, degree: Degree) -> tuple[tuple[tuple[float, ...], ...], tuple[float, ...]]:
    """Return points and weights that integrate polynomials of ``degree`` exactly.

    Parameters
    ----------
    cell : str
        Name of the reference cell.
    degree : int or GivenRule
        Total degree on simplices and pyramids, degree per coordinate on tensor cells; on a
        wedge, total degree in the triangle and degree along the third axis.

    Returns
    -------
    points, weights : tuple
        Points (Q, dimension) and weights (Q,), correctly rounded doubles.

    Raises
    ------
    InputError
        For a cell without rules, or a degree that no rule reaches.
    """
    if isinstance(degree, GivenRule):
        return degree.points, degree.weights
    _check_degree(degree)
    match cell:
        case "point":
            exact: Rule = (((),), (sympy.Integer(1),))
        case "interval" | "quadrilateral" | "hexahedron":
            exact = _gauss(_TENSOR[cell], degree)
        case "triangle" | "tetrahedron":
            exact = _simplex(cell, degree)
        case "wedge":
            exact = _wedge(degree)
        case "pyramid":
            exact = _pyramid(degree)
        case _:
            raise _no_rules(cell)
    points, weights = exact
    return (
        tuple(tuple(_round(x) for x in point) for point in points),
        tuple(_round(w) for w in weights),
    )


def _round(value: Number) -> float:
    """Return the double nearest to an exact number."""
    return float(sympy.N(value, _DIGITS))
