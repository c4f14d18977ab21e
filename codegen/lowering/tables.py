# SPDX-License-Identifier: BSD-3-Clause
"""Tables: shape functions and their derivatives at points, correctly rounded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

import mpmath
import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import REFERENCE, nodal_basis
from flexforge.codegen.elements.quadrature import Degree, rule
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.program import Array, Grid, Mirrors

Points = Sequence[Sequence[float]]


def evaluate(functions: Sequence[sympy.Expr], dimension: int, points: Points) -> list[list[float]]:
    """Return functions of the reference coordinates at points, computed with 30 digits.

    Parameters
    ----------
    functions : sequence of sympy.Expr
        Functions of ``xi, eta, zeta``.
    dimension : int
        How many of these there are.
    points : sequence of points
        The points.

    Returns
    -------
    list of list of float
        One row per point, one column per function; the same on every machine.
    """
    return [list(row) for row in _rows(tuple(functions), dimension, tuple(map(tuple, points)))]


@lru_cache(maxsize=64)
def _rows(
    functions: tuple[sympy.Expr, ...], dimension: int, points: tuple[tuple[float, ...], ...]
) -> tuple[tuple[float, ...], ...]:
    """Compute the rows; cached, because all terms of an element need the same ones."""
    compiled = sympy.lambdify(REFERENCE[:dimension], list(functions), modules="mpmath")
    with mpmath.workdps(30):
        return tuple(tuple(float(v) for v in compiled(*(mpmath.mpf(x) for x in p))) for p in points)


def shape_table(element: Element, points: Points, name: str = "shape") -> Array:
    """Return the table ``N[q][a]``."""
    rows = evaluate(element.shape, element.dimension, points)
    flat = tuple(v for row in rows for v in row)
    shape = (len(rows), len(element.nodes))
    return Array(name, shape, "table", flat, *_structure(element, points))


def derivative_table(element: Element, points: Points, name: str = "shape_derivative") -> Array:
    """Return the table ``dN[q][a][j]`` of reference derivatives."""
    functions = [d for row in element.shape_derivatives for d in row]
    rows = evaluate(functions, element.dimension, points)
    flat = tuple(v for row in rows for v in row)
    shape = (len(rows), len(element.nodes), element.dimension)
    return Array(name, shape, "table", flat, *_structure(element, points))


def find_grid(element: Element, points: Points) -> Grid | None:
    """Return the grid in which shape functions are products of functions of one coordinate.

    None if nodes or points do not fill a grid, or if the functions are not products: this is
    detected, never assumed.
    """
    return _find_grid(element.nodes, element.shape, tuple(map(tuple, points)))


@lru_cache(maxsize=64)
def _find_grid(
    nodes: tuple[tuple[sympy.Rational, ...], ...],
    shape: tuple[sympy.Expr, ...],
    points: tuple[tuple[float, ...], ...],
) -> Grid | None:
    axes = range(len(nodes[0]))
    places = [sorted({node[k] for node in nodes}) for k in axes]
    stations = [list(dict.fromkeys(point[k] for point in points)) for k in axes]
    if list(product(*stations)) != list(points) or not axes:
        return None
    grid = tuple(tuple(places[k].index(node[k]) for k in axes) for node in nodes)
    if sorted(grid) != list(product(*(range(len(p)) for p in places))):
        return None
    xi = REFERENCE[0]
    lines = [nodal_basis("line", [xi**n for n in range(len(p))], [(x,) for x in p]) for p in places]
    for place, function in zip(grid, shape, strict=True):
        factors = [lines[k][place[k]].subs(xi, REFERENCE[k]) for k in axes]
        if sympy.expand(function - sympy.Mul(*factors)) != 0:
            return None
    slopes = [tuple(derivative(function, xi) for function in line) for line in lines]
    at = [tuple((x,) for x in line) for line in stations]
    return Grid(
        grid,
        tuple(_rows(line, 1, at[k]) for k, line in enumerate(lines)),
        tuple(_rows(line, 1, at[k]) for k, line in enumerate(slopes)),
    )


def find_mirrors(element: Element, points: Points) -> Mirrors | None:
    """Return the reflections along axes that exchange the nodes, and exchange the points.

    None if there are none. Tables tell whether the shape functions are mirrored, too.
    """
    return _find_mirrors(element.nodes, tuple(map(tuple, points)))


@lru_cache(maxsize=64)
def _find_mirrors(
    nodes: tuple[tuple[sympy.Rational, ...], ...], points: tuple[tuple[float, ...], ...]
) -> Mirrors | None:
    axes = range(len(nodes[0]))
    middles = [(min(n[k] for n in nodes) + max(n[k] for n in nodes)) / 2 for k in axes]
    places = [_places(nodes, middles), _places(points, [float(x) for x in middles])]
    if any(len(set(each)) < len(each) for each in places):  # a point of a rule that has it twice
        return None
    mirrored = tuple(
        k
        for k in axes
        if all({(*p[:k], -p[k], *p[k + 1 :]) for p in each} == set(each) for each in places)
    )
    return Mirrors(mirrored, places[0], places[1]) if mirrored else None


def _places(
    locations: Sequence[Sequence[Any]], middles: Sequence[Any]
) -> tuple[tuple[int, ...], ...]:
    """Return whole numbers for locations: the rank of the distance from the middle, signed."""
    columns = []
    for column, middle in zip(zip(*locations, strict=True), middles, strict=True):
        ranks = {far: rank for rank, far in enumerate(sorted({abs(x - middle) for x in column}), 1)}
        if 0 in ranks:
            ranks = {far: rank - 1 for far, rank in ranks.items()}
        columns.append([ranks[abs(x - middle)] * (1 if x > middle else -1) for x in column])
    return tuple(zip(*columns, strict=True))


def _structure(element: Element, points: Points) -> tuple[Grid | None, Mirrors | None]:
    """Return what is known of the tables of an element at points."""
    return find_grid(element, points), find_mirrors(element, points)


def weight_table(weights: Sequence[float], name: str = "quadrature_weight") -> Array:
    """Return the table of quadrature weights."""
    return Array(name, (len(weights),), "table", tuple(weights))


def recovery_table(element: Element, degree: Degree) -> Array:
    """Return the table that extrapolates values at quadrature points to the nodes.

    The element's recovery functions are fitted to the values by least squares, and
    the fit is evaluated at the nodes.
    """
    points, _ = rule(element.cell, degree)
    if len(element.recovery) > len(points):
        raise InputError(
            f"element '{element.name}': found {len(element.recovery)} functions of recovery, by "
            f"which stresses reach the nodes, and {len(points)} points of quadrature.stiffness; "
            'expected at most as many functions as points, such as recovery = ["1"]'
        )
    nodes = [[float(x) for x in node] for node in element.nodes]
    at_points = mpmath.matrix(evaluate(element.recovery, element.dimension, points))
    at_nodes = mpmath.matrix(evaluate(element.recovery, element.dimension, nodes))
    with mpmath.workdps(30):
        normal = at_points.T * at_points
        extrapolation = at_nodes * (normal**-1) * at_points.T
    # Set entries that are zero up to rounding to zero, or the table would depend on rounding.
    flat = tuple(float(v) if abs(v) > 1e-15 else 0.0 for row in extrapolation.tolist() for v in row)
    return Array("recovery", (len(nodes), len(points)), "table", flat)
