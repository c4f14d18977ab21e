# SPDX-License-Identifier: BSD-3-Clause
"""The cell types of meshes, as data: nodes, edges, outward facets, reference coordinates.

Nodes are in VTK order: first the corners, then one node per edge; in quad9 and hex27 then the
centres of the faces (VTK's order of faces differs from that of the facets here) and of the cell.
The one exception is wedge6: VTK's linear wedge is the mirror image of its quadratic one and of the
wedges of other programs (Gmsh, Abaqus, Exodus); here both start with the triangle whose normal
points into the cell. Reference cells are the unit simplex (triangle, tetrahedron), the cube [-1,
1]^d (line, quadrilateral, hexahedron), their product (wedge: unit triangle times [-1, 1]) and the
pyramid with base [-1, 1]^2 and apex (0, 0, 1). Facets are listed so that their normal points out of
a cell of positive volume: for the facets of a solid cell ``x_xi cross x_eta``, for the edges of a
counter-clockwise plane cell the tangent rotated clockwise, ``(t_y, -t_x)``.
"""

from __future__ import annotations

from flexforge.runtime.mesh.cell import Cell, CellTable, Rows

_LINE_CORNERS = ((-1.0,), (1.0,))
_TRI_CORNERS = ((0.0, 0.0), (1.0, 0.0), (0.0, 1.0))
_QUAD_CORNERS = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
_TET_CORNERS = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_HEX_CORNERS = tuple((*xy, z) for z in (-1.0, 1.0) for xy in _QUAD_CORNERS)
_WEDGE_CORNERS = tuple((*xy, z) for z in (-1.0, 1.0) for xy in _TRI_CORNERS)
_PYRAMID_CORNERS = (*((*xy, 0.0) for xy in _QUAD_CORNERS), (0.0, 0.0, 1.0))

_TRI_EDGES = ((0, 1), (1, 2), (2, 0))
_QUAD_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0))
_TET_EDGES = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
_HEX_EDGES = (*_QUAD_EDGES, (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
_WEDGE_EDGES = (*_TRI_EDGES, (3, 4), (4, 5), (5, 3), (0, 3), (1, 4), (2, 5))
_PYRAMID_EDGES = (*_QUAD_EDGES, (0, 4), (1, 4), (2, 4), (3, 4))

_TET_FACETS = ((0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2))
_HEX_FACETS = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
_WEDGE_FACETS = ((0, 2, 1), (3, 4, 5), (0, 1, 4, 3), (1, 2, 5, 4), (2, 0, 3, 5))
_PYRAMID_FACETS = ((0, 3, 2, 1), (0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4))

# The faces of a hexahedron in VTK's order, -x +x -y +y -z +z (class vtkTriQuadraticHexahedron).
_HEX_FACES = ((0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))

_P1 = {d: tuple(tuple(int(i == j) for i in range(d)) for j in range(-1, d)) for d in (1, 2, 3)}
_P2 = {
    1: (*_P1[1], (2,)),
    2: (*_P1[2], (2, 0), (1, 1), (0, 2)),
    3: (*_P1[3], (2, 0, 0), (0, 2, 0), (0, 0, 2), (1, 1, 0), (0, 1, 1), (1, 0, 1)),
}
_P3 = {
    1: (*_P2[1], (3,)),
    2: (*_P2[2], (3, 0), (2, 1), (1, 2), (0, 3)),
}
_Q1 = {
    2: ((0, 0), (1, 0), (0, 1), (1, 1)),
    3: tuple((i, j, k) for k in (0, 1) for j in (0, 1) for i in (0, 1)),
}
_SERENDIPITY = {
    2: (*_Q1[2], (2, 0), (0, 2), (2, 1), (1, 2)),
    3: (
        *_Q1[3],
        *((2, j, k) for j in (0, 1) for k in (0, 1)),
        *((i, 2, k) for i in (0, 1) for k in (0, 1)),
        *((i, j, 2) for i in (0, 1) for j in (0, 1)),
    ),
}
# Monomials of a triangle times powers of zeta; the last of the pyramid is xi eta / (1 - zeta).
_WEDGE = (
    tuple((*m, k) for k in (0, 1) for m in _P1[2]),
    (*((*m, k) for k in (0, 1) for m in _P2[2]), *((*m, 2) for m in _P1[2])),
)
_PYRAMID = (*((*m, 0) for m in _P1[3]), (1, 1, 0, -1))
_Q2 = {
    2: tuple((i, j) for j in range(3) for i in range(3)),
    3: tuple((i, j, k) for k in range(3) for j in range(3) for i in range(3)),
}


def _with_midsides(edges: Rows, facet: tuple[int, ...], corners: int) -> tuple[int, ...]:
    """Append to the corners of a facet the middle node of each of its edges."""
    number = {frozenset(edge): corners + i for i, edge in enumerate(edges)}
    if len(facet) == 1:
        return facet
    pairs = [facet] if len(facet) == 2 else list(zip(facet, facet[1:] + facet[:1], strict=True))
    return facet + tuple(number[frozenset(pair)] for pair in pairs)


# By the number of corners: the facet of a linear and of a quadratic cell.
_FACET_CELLS = {
    1: ("point1", "point1"), 2: ("line2", "line3"), 3: ("tri3", "tri6"), 4: ("quad4", "quad8"),
}  # fmt: skip


def _facet_cells(facets: Rows, order: int) -> tuple[str, ...]:
    """Return the cell type of each facet, given by its corners, of a cell of order one or two."""
    return tuple(_FACET_CELLS[len(one)][order - 1] for one in facets)


def _middle(*points: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(column) / len(points) for column in zip(*points, strict=True))


def _pair(
    names: tuple[str, str],
    meshio: tuple[str, str],
    vtk: tuple[int, int],
    facets: Rows,
    edges: Rows,
    corners: tuple[tuple[float, ...], ...],
    spans: tuple[Rows, Rows],
) -> tuple[Cell, Cell]:
    """Build the linear cell and the corresponding quadratic one."""
    n, dim = len(corners), len(corners[0])
    middles = tuple(_middle(corners[a], corners[b]) for a, b in edges)
    curved = tuple(_with_midsides(edges, one, n) for one in facets)
    return (
        Cell(
            names[0],
            meshio[0],
            vtk[0],
            dim,
            n,
            n,
            facets,
            _facet_cells(facets, 1),
            edges,
            corners,
            spans[0],
        ),
        Cell(
            names[1],
            meshio[1],
            vtk[1],
            dim,
            n + len(edges),
            n,
            curved,
            _facet_cells(facets, 2),
            edges,
            corners + middles,
            spans[1],
        ),
    )


def _filled(
    name: str, meshio: str, vtk: int, facet: str, serendipity: Cell, centres: Rows, span: Rows
) -> Cell:
    """Build the cell that also has nodes in its faces and its centre."""
    corners = serendipity.reference[: serendipity.corners]
    added = tuple(_middle(*(corners[i] for i in one)) for one in centres)
    face = {frozenset(one): serendipity.nodes + i for i, one in enumerate(centres)}
    facets = serendipity.facets
    if serendipity.dim == 3:
        facets = tuple((*one, face[frozenset(one[:4])]) for one in facets)
    return Cell(
        name,
        meshio,
        vtk,
        serendipity.dim,
        serendipity.nodes + len(centres),
        serendipity.corners,
        facets,
        (facet,) * len(facets),
        serendipity.edges,
        serendipity.reference + added,
        span,
        centres,
    )


_QUADS = _pair(
    ("quad4", "quad8"),
    ("quad", "quad8"),
    (9, 23),
    _QUAD_EDGES,
    _QUAD_EDGES,
    _QUAD_CORNERS,
    (_Q1[2], _SERENDIPITY[2]),
)
_HEXES = _pair(
    ("hex8", "hex20"),
    ("hexahedron", "hexahedron20"),
    (12, 25),
    _HEX_FACETS,
    _HEX_EDGES,
    _HEX_CORNERS,
    (_Q1[3], _SERENDIPITY[3]),
)

_TABLE: tuple[Cell, ...] = (
    Cell("point1", "vertex", 1, 0, 1, 1, (), (), (), ((),), ((),)),
    *_pair(
        ("line2", "line3"),
        ("line", "line3"),
        (3, 21),
        ((0,), (1,)),
        ((0, 1),),
        _LINE_CORNERS,
        (_P1[1], _P2[1]),
    ),
    *_pair(
        ("tri3", "tri6"),
        ("triangle", "triangle6"),
        (5, 22),
        _TRI_EDGES,
        _TRI_EDGES,
        _TRI_CORNERS,
        (_P1[2], _P2[2]),
    ),
    *_QUADS,
    _filled("quad9", "quad9", 28, "line3", _QUADS[1], ((0, 1, 2, 3),), _Q2[2]),
    *_pair(
        ("tet4", "tet10"),
        ("tetra", "tetra10"),
        (10, 24),
        _TET_FACETS,
        _TET_EDGES,
        _TET_CORNERS,
        (_P1[3], _P2[3]),
    ),
    Cell(
        "pyramid5",
        "pyramid",
        14,
        3,
        5,
        5,
        _PYRAMID_FACETS,
        _facet_cells(_PYRAMID_FACETS, 1),
        _PYRAMID_EDGES,
        _PYRAMID_CORNERS,
        _PYRAMID,
    ),
    *_pair(
        ("wedge6", "wedge15"),
        ("wedge", "wedge15"),
        (13, 26),
        _WEDGE_FACETS,
        _WEDGE_EDGES,
        _WEDGE_CORNERS,
        _WEDGE,
    ),
    *_HEXES,
    _filled(
        "hex27", "hexahedron27", 29, "quad9", _HEXES[1], (*_HEX_FACES, tuple(range(8))), _Q2[3]
    ),
)

# Cells of third order that mesh files may have; no element of the library has them.
_THIRD_ORDER: tuple[Cell, ...] = (
    Cell(
        "line4",
        "line4",
        68,
        1,
        4,
        2,
        ((0,), (1,)),
        ("point1", "point1"),
        ((0, 1),),
        ((-1.0,), (1.0,), (-1 / 3,), (1 / 3,)),
        _P3[1],
        pieces=("line2", ((0, 2), (2, 3), (3, 1))),
    ),
    Cell(
        "tri10",
        "triangle10",
        69,
        2,
        10,
        3,
        ((0, 1, 3, 4), (1, 2, 5, 6), (2, 0, 7, 8)),
        ("line4", "line4", "line4"),
        _TRI_EDGES,
        (
            *_TRI_CORNERS,
            (1 / 3, 0.0),
            (2 / 3, 0.0),
            (2 / 3, 1 / 3),
            (1 / 3, 2 / 3),
            (0.0, 2 / 3),
            (0.0, 1 / 3),
            (1 / 3, 1 / 3),
        ),
        _P3[2],
        pieces=(
            "tri3",
            (
                *((0, 3, 8), (3, 4, 9), (4, 1, 5), (3, 9, 8), (4, 5, 9)),
                *((8, 9, 7), (9, 5, 6), (9, 6, 7), (7, 6, 2)),
            ),
        ),
    ),
)

TO_VTK: dict[str, tuple[int, ...]] = {"wedge6": (0, 2, 1, 3, 5, 4)}
"""Node of ours that each node of VTK's cell is, where the two differ; it is its own inverse."""

CELLS = CellTable(_TABLE, _THIRD_ORDER)
"""Every cell by name; it lists those of the library."""

FROM_MESHIO: dict[str, str] = {cell.meshio: cell.name for cell in (*_TABLE, *_THIRD_ORDER)}
"""Name here of a cell named as meshio names it."""

SUPPORTED = tuple(cell.name for cell in (*_TABLE, *_THIRD_ORDER))
"""The names of the cells that mesh files may have."""

KINDS = {0: "points", 1: "curve", 2: "surface", 3: "volume"}
"""What a group of a given dimension is called in messages and in ``name:kind``."""
