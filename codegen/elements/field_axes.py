# SPDX-License-Identifier: BSD-3-Clause
"""Local axes of declared field elements, and derivatives along them.

``line``: x from the first node to the second, in space y in the plane of x and a direction that
the user gives. ``facet``: z normal to the cell, x from the first node to the second;
``oriented_facet``: x along the projection of a direction. ``frame``: the axes of the frame. Lines
are straight and facets are flat, up to rounding in the mesh: the definitions assume so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.axes import ORIENTATION, local_axes
from flexforge.codegen.elements.field import Definition, nodal_position
from flexforge.codegen.elements.field_scope import Scope
from flexforge.codegen.errors import InputError

_LENGTH = sympy.Symbol("length", real=True)


@dataclass(frozen=True)
class LocalAxes:
    """Axes of an element.

    Attributes
    ----------
    rows : sympy.ImmutableMatrix
        The axes in components of the frame.
    along : str
        Letters of the axes along the cell.
    measure : sympy.Expr, optional
        Length or area per unit of the reference cell; None where the declaration gives it.
    parameters : tuple of str
        Scalar arguments that define the axes.
    """

    rows: sympy.ImmutableMatrix
    along: str
    measure: sympy.Expr | None
    parameters: tuple[str, ...] = ()


def line(scope: Scope, nodes: int, components: int) -> LocalAxes:
    """Return the axes of a straight element; ``length`` is the distance between its ends.

    With more nodes, ``x3``, ``x4`` are their distances from the first, and ``stretch`` the length
    per unit of the reference cell.
    """
    span = [_between(0, 1, i) for i in range(components)]
    along = sympy.symbols(f"along1:{components + 1}", real=True)
    scope.geometry([(_LENGTH, sympy.sqrt(sum(s**2 for s in span)))])
    scope.add("length", _LENGTH, "axes")
    scope.geometry([(a, s / _LENGTH) for a, s in zip(along, span, strict=True)])
    others, rows = local_axes(along)
    scope.geometry(others)
    measure = _LENGTH / 2
    if nodes > 2:
        places = [
            scope.define(
                f"x{k + 1}", sum(_between(0, k, i) * a for i, a in enumerate(along)), "axes"
            )
            for k in range(2, nodes)
        ]
        rates = [derivative(h, scope.reference[0]) for h in scope.shape[1:]]
        stretch = sympy.Symbol("stretch", real=True)
        total = sum(r * x for r, x in zip(rates, (_LENGTH, *places), strict=True))
        scope.geometry([(stretch, sympy.expand(total))])
        scope.add("stretch", stretch, "axes")
        measure = stretch
    scope.add_rate("x", (1 / measure,))
    needed = tuple(o.name for o in ORIENTATION) if components == 3 else ()
    return LocalAxes(rows, "x", measure, needed)


def facet(scope: Scope, nodes: int, components: int, *, oriented: bool = False) -> LocalAxes:
    """Return the axes of a flat element; ``x1 y1 ..`` are the nodal positions along them.

    ``stretch`` is its area per unit of the reference cell.
    """
    if components != 3:
        raise InputError("axes: found a facet in a planar element; expected components = 3")
    raw, normal, first, second = (
        sympy.Matrix(sympy.symbols(f"{name}1:4", real=True))
        for name in ("raw_normal", "normal", "along", "across")
    )
    # Sides of a triangle or diagonals of a quadrilateral: both span twice the area.
    ends = ((0, 1), (0, 2)) if nodes in (3, 6) else ((0, 2), (1, 3))
    sides = [sympy.Matrix([_between(*end, i) for i in range(3)]) for end in ends]
    double = sympy.Symbol("double_area", real=True)
    scope.geometry(list(zip(raw, sides[0].cross(sides[1]), strict=True)))
    scope.geometry([(double, sympy.sqrt(raw.dot(raw)))])
    scope.geometry([(n, r / double) for n, r in zip(normal, raw, strict=True)])
    start = sympy.Matrix(ORIENTATION) if oriented else _side(0, 1)
    scope.geometry(_unit_in_plane(start, normal, first, project=oriented or nodes not in (3, 6)))
    scope.geometry(list(zip(second, normal.cross(first), strict=True)))
    places = [
        [
            scope.define(
                f"{letter}{k + 1}", _side(0, k).dot(axis) if k else sympy.Integer(0), "axes"
            )
            for k in range(nodes)
        ]
        for letter, axis in (("x", first), ("y", second))
    ]
    measure = _rates_of_facet(scope, places)
    rows = sympy.ImmutableMatrix([list(first), list(second), list(normal)])
    return LocalAxes(rows, "xy", measure, tuple(o.name for o in ORIENTATION) if oriented else ())


def _rates_of_facet(scope: Scope, places: list[list[sympy.Symbol]]) -> sympy.Expr:
    """Add the derivatives along x and y; return the area per unit of the reference cell."""
    entries = sympy.Matrix(2, 2, sympy.symbols("base11 base12 base21 base22", real=True))
    values = sympy.Matrix(
        2,
        2,
        lambda i, k: sum(
            place * derivative(h, scope.reference[k])
            for h, place in zip(scope.shape, places[i], strict=True)
        ),
    )
    scope.geometry(list(zip(entries, values, strict=True)))
    measure = sympy.Symbol("stretch", real=True)
    scope.geometry([(measure, entries.det())])
    scope.add("stretch", measure, "axes")
    inverse = sympy.Matrix(
        2, 2, sympy.symbols("inverse11 inverse12 inverse21 inverse22", real=True)
    )
    scope.geometry(list(zip(inverse, entries.adjugate().T / measure, strict=True)))
    for k, letter in enumerate("xy"):
        scope.add_rate(letter, inverse.row(k))
    return measure


def frame(scope: Scope, nodes: int, components: int) -> LocalAxes:
    """Return the axes of the frame; derivatives are with respect to reference coordinates.

    The vectors ``place1 ..`` are the positions of the nodes, ``place`` that of a point between.
    """
    places = [
        sympy.ImmutableMatrix([nodal_position(k, i) for i in range(components)])
        for k in range(nodes)
    ]
    for k, place in enumerate(places):
        scope.add(f"place{k + 1}", place, "axes")
    scope.add("place", scope.interpolated(*places), "axes", function=True)
    return LocalAxes(sympy.ImmutableMatrix(sympy.eye(components)), "", None)


def _unit_in_plane(
    start: sympy.Matrix, normal: sympy.Matrix, names: sympy.Matrix, *, project: bool
) -> list[Definition]:
    """Return the definitions of a unit vector in a plane.

    Parameters
    ----------
    start : sympy.Matrix
        A vector along the unit vector, or one whose projection is along it.
    normal : sympy.Matrix
        Unit normal of the plane.
    names : sympy.Matrix
        Symbols of its components.
    project : bool
        Whether the vector has to be projected.
    """
    raw = sympy.Matrix(sympy.symbols("raw_along1:4", real=True))
    length, out = sympy.symbols("along_length along_out", real=True)
    definitions: list[Definition] = []
    if project:
        definitions.append((out, start.dot(normal)))
        start = start - out * normal
    definitions += list(zip(raw, start, strict=True))
    definitions.append((length, sympy.sqrt(raw.dot(raw))))
    return [*definitions, *((n, r / length) for n, r in zip(names, raw, strict=True))]


def _side(start: int, end: int) -> sympy.Matrix:
    return sympy.Matrix([_between(start, end, i) for i in range(3)])


def _between(start: int, end: int, axis: int) -> sympy.Expr:
    return nodal_position(end, axis) - nodal_position(start, axis)


Rule = Callable[[Scope, int, int], LocalAxes]
#: Rules for axes by dimension of the cell and name.
RULES: Mapping[int, Mapping[str, Rule]] = MappingProxyType(
    {
        1: {"line": line, "frame": frame},
        2: {"facet": facet, "oriented_facet": partial(facet, oriented=True), "frame": frame},
    }
)
