# SPDX-License-Identifier: BSD-3-Clause
"""The mesh cell of a user's element, derived from its declaration.

The corners are the first nodes. A facet of the reference cell has the nodes that lie on it: its
corners, those on each of its edges, and those inside. Its own shape functions are those of the
element on it, which make it a cell of the library or another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cell import Cell, Points, Rows
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.shape import shape_functions

if TYPE_CHECKING:
    import sympy
    from flexforge.codegen.elements.declaration import Element
    from flexforge.codegen.elements.field import AnyElement

#: Cell of the corners of each reference cell.
LINEAR = {
    "point": "point1", "interval": "line2", "triangle": "tri3", "quadrilateral": "quad4",
    "tetrahedron": "tet4", "pyramid": "pyramid5", "wedge": "wedge6", "hexahedron": "hex8",
}  # fmt: skip
_NEAR = 1e-9
_DERIVED: dict[tuple[object, ...], Cell] = {}


def own_cell(element: AnyElement) -> Cell:
    """Return the mesh cell of a user's element: one with the same nodes, or its own.

    Parameters
    ----------
    element : Element or FieldElement
        Its declaration.

    Returns
    -------
    Cell
        Which :data:`CELLS` contains from now on, with its facets.

    Raises
    ------
    InputError
        If its first nodes are not the corners of its reference cell, or a beam or shell has nodes
        of its own.
    """
    from flexforge.codegen.elements.declaration import Element

    declared = getattr(element, "places", element.nodes)  # vectors of a node share its position
    reference = np.array([[float(x) for x in node] for node in declared])
    named = [one for one in CELLS.known() if not one.functions]
    for cell in named:
        if reference.shape == (cell.nodes, cell.dim) and np.allclose(reference, cell.reference):
            return cell
    if not isinstance(element, Element) or element.dimension == 0:
        raise InputError(
            f"element '{element.name}': its nodes match no mesh cell; expected the nodes "
            f"of one of {', '.join(CELLS)} in VTK order"
        )
    key = (element.name, element.cell, element.nodes, element.monomials, element.components)
    if key not in _DERIVED:
        _DERIVED[key] = derived_cell(element)
    return _DERIVED[key]


def derived_cell(element: Element) -> Cell:
    """Return the cell with the nodes and shape functions of an element, and add it to the cells."""
    linear = CELLS[LINEAR[element.cell]]
    reference = np.array([[float(x) for x in node] for node in element.nodes])
    corners = np.array(linear.reference)
    if len(reference) < linear.nodes or not np.allclose(reference[: linear.nodes], corners):
        raise InputError(
            f"element '{element.name}': its first nodes are "
            f"{_told(reference[: linear.nodes])}; expected the corners of its {element.cell}, "
            f"{_told(corners)}, in this order"
        )
    facets = tuple(_on_facet(reference, one) for one in linear.facets)
    names, fault = _facet_cells(element, linear, facets)
    return CELLS.add(_cell(element, element.name, linear, facets, names, fault))


def _cell(
    element: Element,
    name: str,
    linear: Cell,
    facets: Rows,
    facet_cells: tuple[str, ...],
    fault: str,
) -> Cell:
    """Return the cell of an element or of a facet of one."""
    reference = np.array([[float(x) for x in node] for node in element.nodes])
    monomials, functions = _polynomials(element.shape, element.dimension)
    return Cell(
        name,
        "",
        0,
        linear.dim,
        len(reference),
        linear.corners,
        facets,
        facet_cells,
        linear.edges,
        tuple(tuple(float(x) for x in node) for node in reference),
        monomials,
        functions=functions,
        pieces=_triangles(reference) if linear.dim == 2 else _largest(reference, linear),
        facet_fault=fault,
    )


def _told(points: Floats) -> str:
    return ", ".join("(" + ", ".join(f"{x:.4g}" for x in point) + ")" for point in points)


def _on_facet(reference: Floats, corners: Sequence[int]) -> tuple[int, ...]:
    """Return the nodes on a facet: its corners, those on each of its edges, those inside."""
    if len(corners) == 1:
        return tuple(corners)
    places = _places(reference, corners)
    on = np.flatnonzero(~np.isnan(places[:, 0]))
    others = [int(node) for node in on if node not in corners]
    ends = [*corners, corners[0]] if len(corners) > 2 else list(corners)
    ordered = list(corners)
    for first, last in zip(ends, ends[1:], strict=False):
        side = _places(reference, (first, last))[:, 0]
        ordered += sorted((node for node in others if not np.isnan(side[node])),
                          key=lambda node: float(side[node]))  # fmt: skip
    inside = [node for node in others if node not in ordered]
    ordered += sorted(inside, key=lambda node: tuple(places[node].round(9)[::-1].tolist()))
    return tuple(ordered)


def _places(reference: Floats, corners: Sequence[int]) -> Floats:
    """Return the coordinates of points along the sides at the first corner; NaN for others."""
    origin = reference[corners[0]]
    ends = [corners[1]] if len(corners) == 2 else [corners[1], corners[-1]]
    sides = np.stack([reference[end] - origin for end in ends], axis=1)
    along = (reference - origin) @ np.linalg.pinv(sides).T
    gap = np.abs(along @ sides.T - (reference - origin)).max(axis=1)
    inside = (along > -_NEAR).all(axis=1) & (along < 1 + _NEAR).all(axis=1)
    along[(gap > _NEAR) | ~inside] = np.nan
    return np.asarray(along)


def _facet_cells(element: Element, linear: Cell, facets: Rows) -> tuple[tuple[str, ...], str]:
    """Return the cell of every facet, and why they carry no pressure, if so."""
    from flexforge.codegen.elements.traces import trace

    names = []
    for nodes, plain in zip(facets, linear.facet_cells, strict=True):
        kind = CELLS[plain]
        try:
            found = trace(element, nodes, kind.corners)
        except InputError as error:
            return linear.facet_cells, str(error)
        cell = _cell(found, f"{plain[:-1]}{len(nodes)}", kind, (), (), "")
        names.append(_same(cell) or CELLS.add(cell).name)
    return tuple(names), ""


def _same(cell: Cell) -> str | None:
    """Return the name of the cell with the same nodes and functions, if there is one."""
    points = np.random.default_rng(1).random((2 * cell.nodes, cell.dim))
    exponents, factors = np.array(cell.monomials), np.array(cell.functions)
    values = np.prod(points[:, None, :] ** exponents, axis=2) @ factors
    for other in CELLS.known():
        alike = (other.nodes, other.dim) == (cell.nodes, cell.dim)
        if (
            alike
            and np.allclose(other.reference, cell.reference)
            and np.allclose(shape_functions(other.name, points), values)
        ):
            return other.name
    return None


def _polynomials(functions: Iterable[sympy.Expr], dim: int) -> tuple[Rows, Points]:
    """Return exponents of monomials, and the coefficients of each in all functions.

    Functions of a pyramid may have powers of ``1 - zeta`` in the denominator.
    """
    import sympy
    from flexforge.codegen.elements.interpolation import REFERENCE

    axes = REFERENCE[:dim]
    columns: list[dict[tuple[int, ...], float]] = []
    for function in functions:
        plain = function.is_polynomial(*axes)
        above, below = (function, sympy.S.One) if plain else sympy.fraction(sympy.cancel(function))
        power = sympy.degree(below, axes[-1]) if below.free_symbols else 0
        above = sympy.cancel(above * (1 - axes[-1]) ** power / below) if power else above / below
        terms = sympy.Poly(above, *axes).terms()
        columns.append({(*powers, -int(power)): float(factor) for powers, factor in terms})
    found = sorted({powers for column in columns for powers in column})
    rows = tuple(tuple(column.get(powers, 0.0) for column in columns) for powers in found)
    if all(powers[-1] == 0 for powers in found):
        found = [powers[:-1] for powers in found]
    return tuple(found), rows


def _triangles(reference: Floats) -> tuple[str, Rows]:
    """Return the triangles between the nodes of a plane cell."""
    from scipy.spatial import Delaunay

    found = []
    for a, b, c in Delaunay(reference).simplices.tolist():
        sides = reference[[b, c]] - reference[a]
        area = sides[0, 0] * sides[1, 1] - sides[0, 1] * sides[1, 0]
        if abs(area) > _NEAR:  # nodes on a straight side make triangles without area
            found.append((a, b, c) if area > 0 else (a, c, b))
    return "tri3", tuple(sorted(found))


def _largest(reference: Floats, linear: Cell) -> tuple[str, Rows]:
    """Return the cell of the library with the most nodes that are all among those given."""
    best = linear.name, tuple(range(linear.nodes))
    for cell in CELLS.values():
        if (cell.dim, cell.corners) != (linear.dim, linear.corners):
            continue
        gaps = np.abs(np.array(cell.reference)[:, None] - reference).max(axis=2)
        if (gaps.min(axis=1) < _NEAR).all() and cell.nodes > len(best[1]):
            best = cell.name, tuple(int(i) for i in gaps.argmin(axis=1))
    return best[0], (best[1],)
