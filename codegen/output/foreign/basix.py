# SPDX-License-Identifier: BSD-3-Clause
"""The nodes of Lagrange elements in basix's order, and the corresponding nodes here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.errors import InputError

Point = tuple[Fraction, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A reference cell of basix.

    Attributes
    ----------
    vertices : tuple
        Coordinates.
    edges, faces : tuple of tuple of int
        Sub-entities by their vertices, in basix's order; only those faces with four
        vertices, which have a midpoint node at degree 2.
    corner : tuple of int
        Vertices that span the cell from vertex 0 along the axes.
    centred : bool
        Whether degree 2 has a node at the centre of the cell.
    symmetric : tuple of bool
        Whether our reference coordinate runs from -1 to 1 instead of 0 to 1, per axis.
    """

    vertices: tuple[tuple[int, ...], ...]
    edges: tuple[tuple[int, int], ...]
    faces: tuple[tuple[int, ...], ...]
    corner: tuple[int, ...]
    centred: bool
    symmetric: tuple[bool, ...]


#: From basix.geometry and basix.topology; the names of the cells are ours.
CELLS: Mapping[str, Cell] = MappingProxyType(
    {
        "triangle": Cell(
            ((0, 0), (1, 0), (0, 1)), ((1, 2), (0, 2), (0, 1)), (), (1, 2), False, (False, False)
        ),
        "quadrilateral": Cell(
            ((0, 0), (1, 0), (0, 1), (1, 1)),
            ((0, 1), (0, 2), (1, 3), (2, 3)),
            (),
            (1, 2),
            True,
            (True, True),
        ),
        "tetrahedron": Cell(
            ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
            ((2, 3), (1, 3), (1, 2), (0, 3), (0, 2), (0, 1)),
            (),
            (1, 2, 3),
            False,
            (False,) * 3,
        ),
        "hexahedron": Cell(
            tuple((x, y, z) for z in (0, 1) for y in (0, 1) for x in (0, 1)),
            (
                (0, 1),
                (0, 2),
                (0, 4),
                (1, 3),
                (1, 5),
                (2, 3),
                (2, 6),
                (3, 7),
                (4, 5),
                (4, 6),
                (5, 7),
                (6, 7),
            ),
            ((0, 1, 2, 3), (0, 1, 4, 5), (0, 2, 4, 6), (1, 3, 5, 7), (2, 3, 6, 7), (4, 5, 6, 7)),
            (1, 2, 4),
            True,
            (True,) * 3,
        ),
        "wedge": Cell(
            tuple((x, y, z) for z in (0, 1) for x, y in ((0, 0), (1, 0), (0, 1))),
            ((0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)),
            ((0, 1, 3, 4), (0, 2, 3, 5), (1, 2, 4, 5)),
            (1, 2, 3),
            False,
            (False, False, True),
        ),
    }
)


def nodes(cell: Cell, degree: int) -> tuple[Point, ...]:
    """Return the points of a Lagrange element of degree 1 or 2 in basix's order.

    They belong to the vertices, the edges, the faces and the cell, in this order.
    """
    vertices = tuple(tuple(Fraction(x) for x in vertex) for vertex in cell.vertices)
    if degree == 1:
        return vertices
    groups = [*cell.edges, *cell.faces]
    if cell.centred:
        groups.append(tuple(range(len(vertices))))
    return (*vertices, *(_middle([vertices[k] for k in group]) for group in groups))


def _middle(points: list[Point]) -> Point:
    return tuple(sum(x, Fraction(0)) / len(points) for x in zip(*points, strict=True))


def order(element: Element) -> tuple[int, ...]:
    """Return the node of an element for each node of basix's element.

    Parameters
    ----------
    element : Element
        A solid or a plane element.

    Returns
    -------
    tuple of int
        ``order[k]`` is our node at the position of basix's node k.

    Raises
    ------
    InputError
        If basix has no element with these nodes: the degrees of freedom of basix's serendipity
        elements are not nodal values.
    """
    cell = CELLS.get(element.cell)
    if cell is not None and element.dimension == element.components:
        ours = [
            tuple(
                (Fraction(str(x)) + 1) / 2 if symmetric else Fraction(str(x))
                for x, symmetric in zip(node, cell.symmetric, strict=True)
            )
            for node in element.nodes
        ]
        for degree in (1, 2):
            theirs = nodes(cell, degree)
            if sorted(theirs) == sorted(ours):
                return tuple(ours.index(point) for point in theirs)
    raise InputError(
        f"element '{element.name}': basix has no Lagrange element with its nodes; expected "
        "one of tri3, tri6, quad4, quad9, tet4, tet10, hex8, hex27 or wedge6, or a variant of it"
    )
