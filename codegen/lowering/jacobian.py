# SPDX-License-Identifier: BSD-3-Clause
"""The Jacobian of the map from the reference cell, at all points that an element is judged by.

Every integral takes the determinant as it finds it: with the nodes in the reverse order a solid
has the stiffness -K and the mass -M, which no later step can tell from a right one. So the points
of all its quadratures are looked at, where the determinant has to be positive. The nodes are looked
at as well: an element may be folded at a corner and positive at its quadrature points. There zero
is allowed, since collapsed cells and elements with nodes at the quarter points of their edges
(Barsoum, International Journal for Numerical Methods in Engineering 10, 1976) are meant to have it.

Of a line or surface in space the length or area takes the place of the determinant, projected onto
the tangents at the centre and divided by what it is there: it is negative where the cell is folded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product

import sympy
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

#: How far below the apex of a pyramid its Jacobian is taken: there it depends on the direction.
_BELOW_APEX = 2.0**-40
#: Meaning and units of the term.
JACOBIAN = ("determinant of the Jacobian at points, and the square of a bound", "")


@dataclass(frozen=True)
class Mapping:
    """How the cell of an element lies in space.

    Attributes
    ----------
    shape : tuple of sympy.Expr
        Functions that interpolate the positions.
    rows : tuple of int
        Where the position of each node is in the array of coordinates.
    nodes, points : sequence of points
        Where the Jacobian is taken: at the nodes of a cell that fills its space, and at the points
        of the quadratures.
    """

    shape: tuple[sympy.Expr, ...]
    rows: tuple[int, ...]
    nodes: Points
    points: Points


def mapping(element: AnyElement) -> Mapping:
    """Return the map of an element and the points it is judged by, each once.

    The Jacobian of a straight simplex is the same everywhere: of that there is one point.
    """
    points = _quadrature_points(element)
    shape, carried = (
        (element.shape, 1)
        if isinstance(element, Element)
        else (position_shape(element), len(element.carried))
    )
    rows = tuple(range(0, len(element.nodes), carried))
    constant = all(sympy.diff(n, x).is_number for n in shape for x in REFERENCE)
    if constant and not element.revolved:
        return Mapping(shape, rows, (), points[:1])
    filled = isinstance(element, Element) and element.dimension == element.components
    return Mapping(shape, rows, _places(element) if filled else (), points)


def judged_nodes(cell: str, dimension: int, nodes: int, points: int) -> int:
    """Return how many of the points that a kernel ``jacobian`` takes are nodes: they come first.

    Parameters
    ----------
    cell : str
        The reference cell.
    dimension, nodes : int
        Coordinates a node and nodes of the element.
    points : int
        Rows of what the kernel delivers.
    """
    return nodes if CELL_DIMENSION[cell] == dimension and points > 1 else 0


def good_geometry(cell: str, dimension: int) -> tuple[str, str]:
    """Return what a kernel ``jacobian`` delivers, and what is expected of it, in words."""
    short = dimension - CELL_DIMENSION[cell]
    if short == 0:
        return "the determinant of the Jacobian", "a positive one; are its nodes in reverse order?"
    measure = "length" if CELL_DIMENSION[cell] == 1 else "area"
    return (
        f"the {measure} of a small piece, as a share of that at the centre,",
        "a positive one; is the cell folded, or without extent?",
    )


def _quadrature_points(element: AnyElement) -> list[tuple[float, ...]]:
    """Return the points of the quadratures of all terms, those of the stiffness first."""
    every = (rule(element.cell, degree)[0] for degree in element.degree.values())
    return list(dict.fromkeys(tuple(point) for points in every for point in points))


def _places(element: AnyElement) -> list[tuple[float, ...]]:
    """Return the places of the nodes, but for the apex of a pyramid, which is a little higher."""
    places = [tuple(float(x) for x in node) for node in element.nodes]
    if element.cell != "pyramid":
        return places
    return [(*p[:2], min(p[2], 1 - _BELOW_APEX)) for p in places]


def lower_jacobian(element: AnyElement) -> Program:
    """Return the program of the Jacobian: ``out[point]`` has its determinant and a squared bound.

    The determinant is good where it is more than a small part of the bound, the product of the
    lengths of its columns (Hadamard: no determinant is larger). At a node, where all columns may
    vanish, the square is the negative of that of a number of that kind at the centre. Of a section
    of a body of revolution the determinant is multiplied by the radius, but not at nodes: they may
    lie on the axis.
    """
    graph, found = Graph(), mapping(element)
    size, dim = element.components, element.dimension
    at = [*found.nodes, *found.points]
    outside = [1.0] * len(found.nodes) + [0.0] * len(found.points)
    arrays = [
        Array("coordinates", (len(element.nodes), size), "input"),
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
    """Return the determinant and the squares of its bounds, at quadrature points and nodes.

    There is no square root in them: what needs none is linked without the mathematics library.
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
    """Return the normal of a surface, the tangent of a line: as long as area and length."""
    return tangents[:, 0].cross(tangents[:, 1]) if tangents.cols == 2 else tangents[:, 0]


def _derivative_table(name: str, found: Mapping, dim: int, points: Points) -> Array:
    """Return the table ``dN[q][node][j]``."""
    axes = REFERENCE[:dim]
    rates = [sympy.diff(function, axis) for function in found.shape for axis in axes]
    values = [v for row in evaluate(rates, dim, points) for v in row]
    return Array(name, (len(points), len(found.rows), dim), "table", tuple(values))


def _tangents(
    found: Mapping, shape: tuple[int, int], graph: Graph, names: tuple[str, str, str | int]
) -> list[Statement]:
    """Return the sums of the Jacobian, by its name, the table of derivatives and the point."""
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
    """Return the statements for every node, of its number and its row of the coordinates."""
    if found.rows == tuple(range(len(found.rows))):
        return [For("a", len(found.rows), tuple(terms("a", "a")))]
    return [term for node, row in enumerate(found.rows) for term in terms(node, row)]
