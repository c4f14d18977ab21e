# SPDX-License-Identifier: BSD-3-Clause
"""Nodal bases: exact shape functions from a function space and a set of nodes."""

from __future__ import annotations

from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

import sympy
from flexforge.codegen.errors import InputError
from sympy.polys.matrices import DomainMatrix
from sympy.polys.matrices.exceptions import DMNonInvertibleMatrixError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

REFERENCE: tuple[sympy.Symbol, ...] = sympy.symbols("xi eta zeta", real=True)


#: Values of a ratio at a pole.
POLES = (sympy.zoo, sympy.nan)


def complete(dimension: int, degree: int) -> tuple[sympy.Expr, ...]:
    """Return the monomials of total degree at most ``degree`` (the space P of simplices)."""
    return tuple(m for m, powers in _monomials(dimension, degree) if sum(powers) <= degree)


def tensor(dimension: int, degree: int) -> tuple[sympy.Expr, ...]:
    """Return the monomials of degree at most ``degree`` in each coordinate (the space Q)."""
    return tuple(m for m, _ in _monomials(dimension, degree))


def serendipity(dimension: int) -> tuple[sympy.Expr, ...]:
    """Return the quadratic serendipity space: superlinear degree at most two.

    The superlinear degree of a monomial ignores variables that enter linearly
    (Arnold and Awanou, Foundations of Computational Mathematics 11, 2011).
    """
    return tuple(
        m for m, powers in _monomials(dimension, 2) if sum(p for p in powers if p > 1) <= 2
    )


def wedge(triangle: int, line: int) -> tuple[sympy.Expr, ...]:
    """Return products of the space P of a triangle with polynomials along the third axis."""
    zeta = REFERENCE[2]
    return tuple(m * zeta**k for k in range(line + 1) for m in complete(2, triangle))


def pyramid() -> tuple[sympy.Expr, ...]:
    """Return the space of a pyramid with linear and bilinear functions on its faces.

    No polynomial is bilinear on the base and linear on the four triangles; the fifth function is
    rational (Bedrosian, International Journal for Numerical Methods in Engineering 35, 1992).
    """
    xi, eta, zeta = REFERENCE
    return (*complete(3, 1), xi * eta / (1 - zeta))


def _monomials(dimension: int, degree: int) -> list[tuple[sympy.Expr, tuple[int, ...]]]:
    """Return monomials sorted by total degree, lowest first."""
    powers = sorted(product(range(degree + 1), repeat=dimension), key=lambda p: (sum(p), p))
    return [(sympy.Mul(*(x**k for x, k in zip(REFERENCE, p, strict=False))), p) for p in powers]


def nodal_basis(
    name: str, monomials: Sequence[sympy.Expr], nodes: Sequence[Sequence[sympy.Rational]]
) -> tuple[sympy.Expr, ...]:
    """Return the functions of ``span(monomials)`` that are one at a node and zero at the others.

    Parameters
    ----------
    name : str
        Name of the element, for the error message.
    monomials : sequence of sympy.Expr
        Basis of the space, functions of ``xi, eta, zeta``; at a pole, a ratio takes its limit
        along the last axis, as at the apex of a pyramid.
    nodes : sequence of points
        Reference coordinates, rational.

    Returns
    -------
    tuple of sympy.Expr
        One shape function per node.

    Raises
    ------
    InputError
        When the nodes do not determine a function of the space.
    """
    for k, one in enumerate(monomials):
        if one in monomials[:k]:
            raise InputError(
                f"monomials[{k}]: found '{one}' again, which is monomials[{monomials.index(one)}]; "
                f"expected {len(monomials)} different functions in element '{name}'"
            )
    rows = [[at_node(m, node) for m in monomials] for node in nodes]
    vandermonde = DomainMatrix.from_Matrix(sympy.Matrix(rows)).to_field()
    try:
        inverse = vandermonde.inv().to_Matrix()
    except DMNonInvertibleMatrixError:
        raise InputError(
            f"element '{name}': its nodes do not determine its interpolation "
            f"(singular Vandermonde matrix); expected nodes unisolvent for {list(monomials)}"
        ) from None
    return tuple(
        sympy.Add(*(inverse[j, a] * m for j, m in enumerate(monomials))) for a in range(len(nodes))
    )


def at_node(function: sympy.Expr, node: Sequence[sympy.Rational]) -> sympy.Expr:
    """Return the value at a node; coordinates are substituted one by one, for limits at poles."""
    value = sympy.sympify(function, strict=True)
    for axis, place in zip(REFERENCE, node, strict=False):
        there = value.subs(axis, place)
        value = sympy.cancel(value).subs(axis, place) if there.has(*POLES) else there
    return value


#: Spaces that interpolate positions and temperatures of bars, beams and shells, by cell and number
#: of nodes.
POSITION_SPACES: Mapping[tuple[str, int], tuple[sympy.Expr, ...]] = MappingProxyType(
    {
        ("interval", 2): tensor(1, 1),
        ("interval", 3): tensor(1, 2),
        ("interval", 4): tensor(1, 3),
        ("triangle", 3): complete(2, 1),
        ("triangle", 6): complete(2, 2),
        ("quadrilateral", 4): tensor(2, 1),
    }
)
