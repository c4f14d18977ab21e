# SPDX-License-Identifier: BSD-3-Clause
"""Regular meshes of a block given by its corners."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.machine.memory import require_memory
from flexforge.runtime.mesh.arcs import CUBES, Arcs, bent_by
from flexforge.runtime.mesh.block_memory import block_bytes
from flexforge.runtime.mesh.cell import Cell
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh
from flexforge.runtime.mesh.part import compact
from flexforge.runtime.mesh.shape import shape_functions
from numpy.typing import ArrayLike


def structured(
    cell: str,
    corners: ArrayLike,
    divisions: ArrayLike,
    key: str = "mesh.block",
    *,
    cylindrical: bool = False,
    arcs: Arcs | None = None,
) -> Mesh:
    """Mesh a block: a line, quadrilateral or hexahedron with straight edges or arcs, or a ring.

    The block is mapped from the unit cube, and its sides are called ``xmin xmax ymin ymax zmin
    zmax`` after that cube, whatever their direction in space. Triangles result from cutting each
    quadrilateral in two, tetrahedra from cutting each hexahedron in six around the same diagonal,
    wedges from cutting it in two, upright, pyramids from joining its centre to its six faces.
    A cylindrical block is mapped in the same way to radii, angles and heights, so its edges are
    straight, arcs or pieces of spirals. Mid-edge nodes lie on the edges, in the middle of straight
    ones.

    Parameters
    ----------
    cell : str
        A plane or solid cell type.
    corners : array_like, (4, 2 or 3) or (8, 3)
        Corners of the block, in the order of the nodes of quad4 or hex8.
    divisions : array_like of int, (2,) or (3,)
        Number of divisions along each direction.
    key : str
        Key of the block in the model file, for messages.
    cylindrical : bool
        Whether the coordinates of the corners are a radius, an angle about z from x (rad), and z.
    arcs : mapping, optional
        Edges that are arcs: a point on each, (2 or 3,), by its two corners, which count from 0.

    Returns
    -------
    Mesh
        With the groups ``all``, the sides (facets), their edges such as ``xmin_zmin`` (also
        ``zmin_xmin``) and ``corner1`` ... (nodes).

    Raises
    ------
    InputError
        If cell, corners and divisions are inconsistent, a radius is negative, an edge or a point of
        an arc is none, or the model would take more memory than is available.
    """
    kind = CELLS.get(cell)
    if kind is None or kind.dim < 1:
        raise InputError(f"{key}: cell '{cell}'; expected a line, a plane or a solid cell")
    dim = kind.dim
    corner, counts = _arrays(key, corners, divisions)
    if corner.shape not in ({1: ((2, 2), (2, 3)), 2: ((4, 2), (4, 3)), 3: ((8, 3),)}[dim]):
        raise InputError(
            f"{key}: corners of shape {corner.shape}; {cell} expects {2**dim} corners with "
            f"{'3' if dim == 3 else '2 or 3'} coordinates"
        )
    if counts.shape != (dim,) or not np.issubdtype(counts.dtype, np.integer) or counts.min() < 1:
        raise InputError(
            f"{key}: divisions {counts.tolist()}; {cell} expects {dim} integers, 1 or more"
        )
    number, size = block_bytes(kind, tuple(counts.tolist()))
    require_memory(size, f"{key}.divisions", f"{number} cells {cell}")
    patterns = _patterns(kind)
    whole = all(np.array_equal(pattern, np.rint(pattern)) for pattern in patterns)
    step = 1 if whole else 2  # a finer lattice if there are nodes between the corners
    lattice = step * counts + 1
    cells = _cells(kind, patterns, counts, lattice, step)
    used, connectivity = compact(cells, int(np.prod(lattice)))
    place = np.stack(np.unravel_index(used, lattice[::-1])[::-1], axis=1)  # x varies fastest
    unit = place / (lattice - 1)
    points = _map(corner, unit)
    for i, (a, b) in enumerate(kind.edges):
        if kind.quadratic:
            middle = 0.5 * (points[connectivity[:, a]] + points[connectivity[:, b]])
            points[connectivity[:, kind.corners + i]] = middle
    for i, around in enumerate(kind.centres, start=kind.corners + len(kind.edges)):
        # The multilinear map of the corners: a face may be warped.
        points[connectivity[:, i]] = points[connectivity[:, around]].mean(axis=1)
    points = _curved(points, unit, corner, key, cylindrical, arcs)
    return _with_groups(cell, points, connectivity, place, lattice)


def side_centres(
    corners: ArrayLike, prefix: str = "", *, cylindrical: bool = False, arcs: Arcs | None = None
) -> dict[str, Floats]:
    """Return the centre of each side of a block, by the name of its group.

    Parameters
    ----------
    corners : array_like, (2 or 4, 2 or 3) or (8, 3)
        As in `structured`.
    prefix : str
        What the names of the groups begin with.
    cylindrical, arcs
        As in `structured`.
    """
    corner = np.asarray(corners, dtype=float)
    dim = len(corner).bit_length() - 1
    centres = {}
    for axis in range(dim):
        for end, limit in (("min", 0.0), ("max", 1.0)):
            unit = np.full((1, dim), 0.5)
            unit[0, axis] = limit
            place = _curved(_map(corner, unit), unit, corner, prefix, cylindrical, arcs)
            centres[f"{prefix}{'xyz'[axis]}{end}"] = place[0]
    return centres


def _on_circles(key: str, points: Floats) -> Floats:
    """Return places from radii, angles and heights, (n, 3) each."""
    radius, angle, height = points.T
    if radius.min() < 0:
        raise InputError(f"{key}.corners: a radius of {radius.min():g}; expected 0 or more")
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)


def _arrays(key: str, corners: ArrayLike, divisions: ArrayLike) -> tuple[Floats, Ints]:
    """Return corners and divisions as arrays."""
    try:
        return np.asarray(corners, dtype=float), np.asarray(divisions)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, not numbers
        raise InputError(
            f"{key}: corners are not a table of numbers; expected equally many coordinates in each"
        ) from None


def _cells(kind: Cell, patterns: list[Floats], counts: Ints, lattice: Ints, step: int) -> Ints:
    """Return the nodes of every cell, by lattice number."""
    stride = np.cumprod([1, *lattice[:-1]])
    origin = np.zeros(1, dtype=np.int64)
    for axis in range(kind.dim):  # x varies fastest
        origin = (np.arange(counts[axis]) * step * stride[axis])[:, None] + origin
        origin = origin.ravel()
    places = [np.rint(step * pattern).astype(np.int64) @ stride for pattern in patterns]
    return (origin[:, None, None] + np.array(places)[None]).reshape(-1, kind.nodes)


def _patterns(kind: Cell) -> list[Floats]:
    """Return the nodes of the cells that fill a unit square or cube, (nodes, dim) each."""
    cube = CUBES[kind.dim]
    unit = 0.5 * (np.array(CELLS[cube].reference) + 1)
    if kind.name == "pyramid5":
        # The base is a face seen from within, the apex is the centre.
        cuts = [(*face[::-1], 8) for face in CELLS["hex8"].facets]
        unit = np.vstack([unit, unit.mean(axis=0)])
    elif kind.corners == 6:
        cuts = [(0, 1, 2, 4, 5, 6), (0, 2, 3, 4, 6, 7)]
    elif kind.corners == len(unit):
        cuts = [tuple(range(len(unit)))]
    elif kind.dim == 2:
        cuts = [(0, 1, 2), (0, 2, 3)]
    else:
        cuts = []
        for order in permutations(range(3)):
            path = np.cumsum(np.vstack([np.zeros(3), np.eye(3)[list(order)]]), axis=0)
            one = [int(np.flatnonzero((unit == p).all(axis=1))[0]) for p in path]
            if np.linalg.det(np.eye(3)[list(order)]) < 0:
                one[1], one[2] = one[2], one[1]
            cuts.append(tuple(one))
    found = []
    for cut in cuts:
        nodes = unit[list(cut)]
        if kind.quadratic:
            nodes = np.vstack([nodes, [0.5 * (nodes[a] + nodes[b]) for a, b in kind.edges]])
        if kind.centres:
            nodes = np.vstack([nodes, [nodes[list(one)].mean(axis=0) for one in kind.centres]])
        found.append(nodes)
    return found


def _map(corner: Floats, unit: Floats) -> Floats:
    """Map from the unit line, square or cube by the linear shape functions of the corners."""
    points = np.zeros((len(unit), 3))
    cube = CUBES[unit.shape[1]]
    points[:, : corner.shape[1]] = shape_functions(cube, 2 * unit - 1) @ corner
    return points


def _curved(
    points: Floats, unit: Floats, corner: Floats, key: str, cylindrical: bool, arcs: Arcs | None
) -> Floats:
    """Return points of a block with straight edges where its circles or arcs have them."""
    if cylindrical:
        return _on_circles(key, points)
    return points + bent_by(arcs, corner, unit, key) if arcs else points


def _with_groups(cell: str, points: Floats, connectivity: Ints, place: Ints, lattice: Ints) -> Mesh:
    dim = CELLS[cell].dim
    labels = np.arange(1, len(connectivity) + 1)
    facets = [one for one in boundary_facets(cell, connectivity) if len(one.nodes)]
    blocks = [CellBlock(cell, connectivity, labels)]
    blocks += [CellBlock(one.cell, one.nodes, labels[one.parent]) for one in facets]
    everything = np.arange(len(points))
    groups = {"all": Group("all", dim, {0: np.arange(len(connectivity))}, everything)}
    sides = {
        f"{'xyz'[axis]}{end}": place[:, axis] == limit
        for axis in range(dim)
        for end, limit in (("min", 0), ("max", lattice[axis] - 1))
    }
    for name, on in sides.items():
        rows = {i: np.flatnonzero(on[one.nodes].all(axis=1)) for i, one in enumerate(facets, 1)}
        chosen = {i: some for i, some in rows.items() if some.size}
        groups[name] = Group(name, dim - 1, chosen, np.flatnonzero(on))
    if dim == 3:
        for a, b in combinations(sides, 2):
            nodes = np.flatnonzero(sides[a] & sides[b])
            if a[0] != b[0]:
                for name in (f"{a}_{b}", f"{b}_{a}"):
                    groups[name] = Group(name, 0, {}, nodes)
    ends = 0.5 * (np.array(CELLS[CUBES[dim]].reference) + 1) * (lattice - 1)
    for i, end in enumerate(ends, start=1):
        node = np.flatnonzero((place == end).all(axis=1))
        groups[f"corner{i}"] = Group(f"corner{i}", 0, {}, node)
    return Mesh(points, tuple(blocks), groups, "mesh.block", everything + 1)
