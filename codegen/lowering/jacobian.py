# SPDX-License-Identifier: BSD-3-Clause
"""The Jacobian of the map from the reference cell, at all points where an element is checked.

Integrals do not check the sign of the determinant: a solid with its nodes in reverse order has the
stiffness -K and the mass -M, which no later step can tell from valid ones. Therefore the
determinant is checked to be positive at the points of all quadratures, and also at the nodes: an
element may be folded at a corner although it is positive at its quadrature points. At nodes zero is
allowed, since collapsed cells and elements with nodes at the quarter points of their edges
(Barsoum, International Journal for Numerical Methods in Engineering 10, 1976) have it on purpose.

For a line or surface in space, the determinant is replaced by the length or area element, projected
onto the tangents at the centre and divided by its value there: it is negative where the cell is
folded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.ir.convert import convert
from flexforge.codegen.ir.expression import Expr, Graph, Index
from flexforge.codegen.ir.program import (
    Accumulate,
    Array,
    For,
    Let,
    Program,
    Statement,
    Store,
    Zero,
)
from flexforge.codegen.lowering.stations import position_shape
from flexforge.codegen.lowering.tables import Points, evaluate

#: Distance below the apex of a pyramid of its check: at the apex, J depends on the direction.
_BELOW_APEX = 2.0**-40
#: Meaning and units of the term.
JACOBIAN = ("determinant of the Jacobian at points, and the squared bound", "")


@dataclass(frozen=True)
class Mapping:
    """The map from the reference cell of an element into space.

    Attributes
    ----------
    shape : tuple of sympy.Expr
        Functions that interpolate the positions.
    rows : tuple of int
        Row of each node in the array of coordinates.
    nodes, points : sequence of points
        Points at which the Jacobian is computed: nodes, if the cell fills its space, and
        quadrature points.
    """

    shape: tuple[sympy.Expr, ...]
    rows: tuple[int, ...]
    nodes: Points
    points: Points


def mapping(element: AnyElement) -> Mapping:
    """Return the map of an element and the points where it is checked, each once.

    The Jacobian of a straight simplex is constant, so that one point is enough.
    """
    points = _quadrature_points(element)
    shape, carried = (
        (element.shape, 1)
        if isinstance(element, Element)
        else (position_shape(element), len(element.carried))
    )
    rows = tuple(range(0, len(element.nodes), carried))
    constant = all(derivative(n, x).is_number for n in shape for x in REFERENCE)
    if constant and not element.revolved:
        return Mapping(shape, rows, (), points[:1])
    filled = isinstance(element, Element) and element.dimension == element.ambient
    return Mapping(shape, rows, _places(element) if filled else (), points)


def judged_nodes(cell: str, ambient: int, nodes: int, points: int) -> int:
    """Return how many of the points of a kernel ``jacobian`` are nodes, which come first.

    Parameters
    ----------
    cell : str
        The reference cell.
    ambient, nodes : int
        Dimension of the space of positions, and number of nodes.
    points : int
        Rows of the output of the kernel.
    """
    return nodes if CELL_DIMENSION[cell] == ambient and points > 1 else 0


def good_geometry(cell: str, ambient: int) -> tuple[str, str]:
    """Return the output of a kernel ``jacobian`` and its expected value, in words.

    Parameters are those of :func:`judged_nodes`.
    """
    short = ambient - CELL_DIMENSION[cell]
    if short == 0:
        return (
            "the determinant of the Jacobian",
            "a positive one; are its nodes in reverse order, or interchanged?",
        )
    if CELL_DIMENSION[cell] == 1:
        return (
            "the length element relative to that at the centre",
            "a positive one; is the cell degenerate, or are its nodes in another order than end, "
            "end, middle?",
        )
    return (
        "the area element relative to that at the centre",
        "a positive one; is the cell folded or degenerate?",
    )


def _quadrature_points(element: AnyElement) -> list[tuple[float, ...]]:
    """Return the points of the quadratures of all terms, those of the stiffness first."""
    every = (rule(element.cell, degree)[0] for degree in element.degree.values())
    return list(dict.fromkeys(tuple(point) for points in every for point in points))


def _places(element: AnyElement) -> list[tuple[float, ...]]:
    """Return the positions of the nodes; for the apex of a pyramid, a point just below it."""
    places = [tuple(float(x) for x in node) for node in element.nodes]
    if element.cell != "pyramid":
        return places
    return [(*p[:2], min(p[2], 1 - _BELOW_APEX)) for p in places]


def lower_jacobian(element: AnyElement) -> Program:
    """Return the program of the Jacobian: ``out[point]`` is its determinant and a squared bound.

    The determinant is acceptable if it exceeds a small fraction of the bound, the product of the
    lengths of its columns (Hadamard's inequality). At a node, where all columns may vanish, the
    squared bound is that at the centre with a negative sign. In a section of a body of revolution
    the determinant is multiplied by the radius, except at nodes, which may lie on the axis.
    """
    graph, found = Graph(), mapping(element)
    size, dim = element.ambient, element.dimension
    at = [*found.nodes, *found.points]
    outside = [1.0] * len(found.nodes) + [0.0] * len(found.points)
    arrays = [
        Array("coordinates", (len(element.nodes), element.components), "input"),
        _derivative_table("shape_derivative", found, dim, at),
        Array("inside", (len(at),), "table", tuple(1 - x for x in outside)),
        Array("outside", (len(at),), "table", tuple(outside)),
        Array("out", (len(at), 2), "output"),
    ]
    centre = rule(element.cell, 0)[0]
    arrays.append(_derivative_table("centre_derivative", found, dim, centre))
    before = _tangents(found, (size, dim), graph, ("centre", "centre_derivative", 0))
    body = _tangents(found, (size, dim), graph, ("jacobian", "shape_derivative", "q"))
    inner: Expr = graph.load("inside", "q")
    radius = inner
    if element.revolved:
        values = [v for row in evaluate(found.shape, dim, at) for v in row]
        shape = (len(at), len(found.rows))
        arrays.append(Array("radius_shape", shape, "table", tuple(values)))
        body += [
            Zero("radius"),
            *_sum_over_nodes(
                found,
                lambda node, row: [
                    Accumulate(
                        "radius",
                        graph.mul(
                            graph.load("coordinates", row, 0), graph.load("radius_shape", "q", node)
                        ),
                    )
                ],
            ),
        ]
        radius = graph.mul(inner, graph.temp("radius"))
    entries = product(("jacobian", "centre"), range(size), range(dim))
    leaves = {_entry(*entry): graph.temp("{}{}{}".format(*entry)) for entry in entries}
    for name, value in _measures(size, dim).items():
        body.append(Let(name, convert(value, leaves, graph)))
        leaves[sympy.Symbol(name, positive=True)] = graph.temp(name)
    corner = graph.load("outside", "q")
    bound = graph.mul(inner, graph.temp("bound"))
    if found.nodes:
        lowest = graph.mul(graph.const(-1), corner, graph.temp("corner_bound"))
        bound = graph.add(bound, lowest)
    body += [
        Store("out", ("q", 0), graph.mul(graph.add(radius, corner), graph.temp("measure"))),
        Store("out", ("q", 1), bound),
    ]
    return Program(tuple(arrays), (), (*before, For("q", len(at), tuple(body))), graph)


def _entry(name: str, i: int, j: int) -> sympy.Symbol:
    return sympy.Symbol(f"{name}{i}{j}", real=True)


def _measures(size: int, dim: int) -> dict[str, sympy.Expr]:
    """Return the determinant and its squared bounds, at quadrature points and at nodes.

    Squares avoid roots, so that kernels without roots do not need the mathematics library.
    """
    there, centre = (
        sympy.Matrix(size, dim, partial(_entry, name)) for name in ("jacobian", "centre")
    )
    squares, at_centre = ([J[:, j].dot(J[:, j]) for j in range(dim)] for J in (there, centre))
    if dim == size:
        extent = sympy.Symbol("extent", positive=True)
        return {
            "measure": there.det(),
            "bound": sympy.Mul(*squares),
            "extent": sum(at_centre),
            "corner_bound": extent**dim,
        }
    middle, square = _normal(centre), sympy.Symbol("centre_square", positive=True)
    return {
        square.name: middle.dot(middle),
        "measure": _normal(there).dot(middle) / square,
        "bound": sympy.Mul(*squares) / square,
    }


def _normal(tangents: sympy.Matrix) -> sympy.Matrix:
    """Return the normal of a surface or tangent of a line, scaled to the area or length element."""
    return tangents[:, 0].cross(tangents[:, 1]) if tangents.cols == 2 else tangents[:, 0]


def _derivative_table(name: str, found: Mapping, dim: int, points: Points) -> Array:
    """Return the table ``dN[q][node][j]``."""
    axes = REFERENCE[:dim]
    rates = [derivative(function, axis) for function in found.shape for axis in axes]
    values = [v for row in evaluate(rates, dim, points) for v in row]
    return Array(name, (len(points), len(found.rows), dim), "table", tuple(values))


def _tangents(
    found: Mapping, shape: tuple[int, int], graph: Graph, names: tuple[str, str, str | int]
) -> list[Statement]:
    """Return the sums of a Jacobian, given its name, the table of derivatives and the point."""
    name, table, point = names
    pairs = list(product(*map(range, shape)))
    return [
        *(Zero(f"{name}{i}{j}") for i, j in pairs),
        *_sum_over_nodes(
            found,
            lambda node, row: [
                Accumulate(
                    f"{name}{i}{j}",
                    graph.mul(graph.load("coordinates", row, i), graph.load(table, point, node, j)),
                )
                for i, j in pairs
            ],
        ),
    ]


def _sum_over_nodes(
    found: Mapping, terms: Callable[[Index, Index], list[Accumulate]]
) -> list[Statement]:
    """Return the statements for all nodes, made from node number and row of coordinates."""
    if found.rows == tuple(range(len(found.rows))):
        return [For("a", len(found.rows), tuple(terms("a", "a")))]
    return [term for node, row in enumerate(found.rows) for term in terms(node, row)]
