# SPDX-License-Identifier: BSD-3-Clause
"""Checks of a mesh before anything is computed, with one line per fault."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import Mesh
from flexforge.runtime.mesh.part import Part
from flexforge.runtime.mesh.shape import shape_functions, shape_gradients
from numpy.typing import NDArray

_NO_LENGTH = 1e-12  # of a line, relative to the extent of the mesh
_CHUNK = 1 << 14  # cells at a time: bounds the memory of the check
#: Jacobian relative to the extents of the cell below which it counts as zero.
FLAT = 1e-12
#: The cell with no nodes but the corners, by dimension and number of corners.
_LINEAR = {(one.dim, one.corners): one.name for one in CELLS.values() if not one.quadratic}
_STATES = ("inverted", "degenerate", "out of all proportion")


def check_part(part: Part, *, in_space: bool = False) -> None:
    """Check the cells of one body, naming nodes and cells by their numbers in the file.

    Parameters
    ----------
    part : Part
        The cells of a body.
    in_space : bool
        As in `check_mesh`.

    Raises
    ------
    InputError
        As in `check_mesh`.
    """
    check_mesh(
        part.points,
        part.cell,
        part.connectivity,
        labels=part.labels,
        node_labels=part.node_labels,
        source=part.source,
        in_space=in_space,
    )


def check_mesh(
    points: Floats,
    cell: str,
    connectivity: Ints,
    *,
    labels: Ints | None = None,
    node_labels: Ints | None = None,
    source: str = "mesh",
    in_space: bool = False,
) -> None:
    """Check coordinates and cells.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Coordinates.
    cell : str
        Name of the cell type.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        Rows of `points`.
    labels, node_labels : ndarray of int64, optional
        Numbers of cells and nodes for messages; counted from 1 by default.
    source : str
        File, for messages.
    in_space : bool
        Whether cells of two dimensions are those of a shell, which need not be in a plane.

    Raises
    ------
    InputError
        If a coordinate is not finite, a node belongs to no cell, a cell names a node twice, is
        inverted (negative Jacobian at a node or at the centre), degenerate (zero), or so large or
        small that its Jacobian is not finite, a line runs back and forth, or a plane cell is not in
        the x-y plane.
    """
    cells = np.arange(1, len(connectivity) + 1) if labels is None else labels
    nodes = np.arange(1, len(points) + 1) if node_labels is None else node_labels
    if not len(connectivity):
        raise InputError(f"{source}: no {cell} cells; expected at least one")
    bad = np.argwhere(~np.isfinite(points))
    if bad.size:
        row, axis = bad[0]
        raise InputError(
            f"{source}: node {nodes[row]} has {'xyz'[axis]} = {points[row, axis]}; expected a "
            "finite number"
        )
    unused = np.ones(len(points), dtype=bool)
    unused[connectivity] = False
    if unused.any():
        raise InputError(
            f"{source}: node {nodes[unused.argmax()]} belongs to no cell; expected every node "
            "to belong to a cell"
        )
    _check_repeated(cell, connectivity, cells, nodes, source)
    if CELLS[cell].dim == 2 and in_space:
        _check_surface(points, cell, connectivity, cells, source)
        return
    if CELLS[cell].dim == 2:
        _check_plane(points, nodes, source)
    if CELLS[cell].dim == 1:
        _check_lengths(points, connectivity, cells, source)
        _check_order(points, cell, connectivity, cells, source)
    if CELLS[cell].dim > 1:
        _check_jacobians(points, cell, connectivity, cells, nodes, source)


def _check_lengths(points: Floats, connectivity: Ints, cells: Ints, source: str) -> None:
    """Refuse lines without length, and lines whose squared length is not finite."""
    with np.errstate(all="ignore"):
        span = np.abs(points[connectivity[:, 1]] - points[connectivity[:, 0]]).max(axis=1)
        has_square = _is_number(span**2, span)
    wrong = np.flatnonzero(span <= _NO_LENGTH * np.abs(points).max(initial=0.0))
    if len(wrong):
        raise InputError(
            f"{source}: cell {cells[wrong[0]]} (and {len(wrong) - 1} more) has zero length; "
            "expected distinct end points"
        )
    if not has_square.all():
        row = np.argmin(has_square)
        raise InputError(
            f"{source}: cell {cells[row]} is {_STATES[2]}: a line of about {span[row]:.3g}; "
            "expected a length whose square is a number"
        )


def _check_order(points: Floats, cell: str, connectivity: Ints, cells: Ints, source: str) -> None:
    """Refuse lines that run back and forth: their nodes are in another order.

    A line of three nodes runs forward where the third is between a quarter and three quarters of
    the way, however it is curved.
    """
    if CELLS[cell].nodes < 3:
        return
    gradients, corners = _gradients(cell)[:, 0], points[connectivity]
    tangents = np.einsum("pn,cnx->cpx", gradients, corners)
    forward = np.einsum("cpx,cx->cp", tangents, tangents[:, -1])
    along = forward[:, -1]  # the square of the tangent at the centre
    rows = np.flatnonzero(~((forward.min(axis=1) >= FLAT * along) & (along > 0.0)))
    if not len(rows):
        return
    found = f"its tangent at node {forward[rows[0]].argmin() + 1} of the cell points backwards"
    expected = "the nodes in the order of the element's declaration"
    if CELLS[cell].nodes == 3:
        first, last, third = corners[rows[0]]
        share = (third - first) @ (last - first) / ((last - first) @ (last - first))
        outside = share <= 0.0 or share >= 1.0
        where = (
            "not between the first two" if outside else f"at {share:.3g} of the way between them"
        )
        found = f"its third node is {where}"
        expected = "the order end, end, middle, with the third node near the middle"
    raise InputError(
        f"{source}: cell {cells[rows[0]]} ({cell}): {found}; expected {expected}"
        f"{_of(rows, connectivity)}"
    )


def _check_surface(points: Floats, cell: str, connectivity: Ints, cells: Ints, source: str) -> None:
    """Refuse shell cells that are folded or have no area."""
    gradients = _gradients(cell)
    corners = points[connectivity]
    tiny = np.finfo(float).tiny
    with np.errstate(all="ignore"):
        extent = np.ptp(corners, axis=1).max(axis=1)
        scaled = (corners - corners[:, :1]) / np.maximum(extent, tiny)[:, None, None]
        tangents = np.einsum("pdn,cnx->cpdx", gradients, scaled)
        normals = np.cross(tangents[:, :, 0], tangents[:, :, 1])
        length = np.linalg.norm(normals[:, -1], axis=1)
        middle = normals[:, -1] / np.maximum(length, tiny)[:, None]
        smallest = np.einsum("cpx,cx->cp", normals, middle).min(axis=1)
        smallest[~_is_number(extent**2, extent)] = np.nan
    rows = np.flatnonzero(~(smallest >= FLAT))
    if rows.size:
        row = rows[0]
        state = ("folded", *_STATES[1:])[_state(smallest[rows])[0]]
        raise InputError(
            f"{source}: cell {cells[row]} ({cell}) of a shell is {state}: its normals at the nodes "
            f"disagree or vanish; expected a convex cell{_of(rows, connectivity)}"
        )


def _is_number(size: Floats, extent: Floats) -> NDArray[np.bool_]:
    """Whether a power of an extent is representable; a zero extent is another fault."""
    return np.asarray(np.isfinite(size) & ((size > np.finfo(float).tiny) | (extent == 0.0)))


def _state(smallest: Floats) -> Ints:
    """Return the faults of bad cells, by their relative Jacobians."""
    return np.where(smallest < -FLAT, 0, np.where(np.isfinite(smallest), 1, 2))


def orphan_remarks(mesh: Mesh, others: Sequence[Ints] = ()) -> list[str]:
    """Return a line about the nodes that no cell of the mesh's highest dimension uses, if any.

    Such nodes, for example the centre of an arc that Gmsh has kept, have neither mass nor stiffness
    and are left out of the calculation.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    others : sequence of ndarray, optional
        Nodes that bodies, masses or connectors use.
    """
    unused = np.ones(len(mesh.points), dtype=bool)
    for block in mesh.blocks:
        if CELLS[block.cell].dim == mesh.dim:
            unused[block.nodes] = False
    for nodes in others:
        unused[nodes] = False
    orphans = np.flatnonzero(unused)
    if not orphans.size:
        return []
    first = mesh.node_labels[orphans[0]]
    if orphans.size == 1:
        return [f"{mesh.source}: node {first} belongs to no cell of a body; it is left out"]
    return [
        f"{mesh.source}: {orphans.size} nodes belong to no cell of a body, the first is {first}; "
        "they are left out"
    ]


def _check_repeated(cell: str, connectivity: Ints, cells: Ints, nodes: Ints, source: str) -> None:
    ordered = np.sort(connectivity, axis=1)
    twice = ordered[:, 1:] == ordered[:, :-1]
    rows = np.flatnonzero(twice.any(axis=1))
    if rows.size:
        node = ordered[rows[0], np.argmax(twice[rows[0]])]
        raise InputError(
            f"{source}: cell {cells[rows[0]]} ({cell}) is degenerate: it uses node {nodes[node]} "
            f"twice{_of(rows, connectivity)}"
        )


def _check_plane(points: Floats, nodes: Ints, source: str) -> None:
    z = points[:, 2]
    off = np.flatnonzero(np.abs(z - z[0]) > 1e-9 * max(float(np.ptp(points)), 1e-300))
    if off.size:
        raise InputError(
            f"{source}: node {nodes[off[0]]} has z = {z[off[0]]:g} but node {nodes[0]} z = "
            f"{z[0]:g}; expected all nodes in one plane of constant z"
        )


def _check_jacobians(
    points: Floats, cell: str, connectivity: Ints, cells: Ints, nodes: Ints, source: str
) -> None:
    smallest, where = lowest_jacobians(points, cell, connectivity)
    kind = CELLS[cell]
    rows = np.flatnonzero(~(smallest >= FLAT))  # also true for non-finite values
    if not rows.size:
        return
    state = _state(smallest)
    row = rows[np.argmin(state[rows])]  # inverted ones before flat ones
    used = points[connectivity[row]]
    at = "its centre"
    if where[row] < kind.nodes:
        at = f"node {nodes[connectivity[row, where[row]]]}"
    centre = ", ".join(f"{x:.4g}" for x in used[: kind.corners].mean(axis=0))
    name = _STATES[state[row]]
    with np.errstate(all="ignore"):
        value = _determinants(_gradients(cell), used[None, :, : kind.dim])[0, where[row]]
    remedy = _remedy(points, cell, connectivity[row])
    raise InputError(
        f"{source}: cell {cells[row]} ({cell}) is {name}: Jacobian {value:.3g} at {at}; expected "
        f"positive{_of(rows, connectivity)}; the cell is at ({centre}){remedy}"
    )


def lowest_jacobians(points: Floats, cell: str, connectivity: Ints) -> tuple[Floats, Ints]:
    """Return the lowest Jacobian of every cell over its nodes and its centre, and its position.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Coordinates.
    cell : str
        Name of the cell type.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        Rows of `points`.

    Returns
    -------
    lowest : ndarray, (n_cells,)
        Relative to the extent of the cell, so that the unit of length does not matter; NaN if the
        Jacobian itself is not finite, or underflows.
    where : ndarray of int64, (n_cells,)
        Number of the node; the number of nodes stands for the centre.
    """
    kind, gradients = CELLS[cell], _gradients(cell)
    lowest = np.empty(len(connectivity))
    where = np.empty(len(connectivity), dtype=np.int64)
    tiny = np.finfo(float).tiny
    for start in range(0, len(connectivity), _CHUNK):
        chunk = points[connectivity[start : start + _CHUNK], : kind.dim]
        with np.errstate(all="ignore"):
            extent = np.ptp(chunk, axis=1)
            scaled = (chunk - chunk[:, :1]) / np.maximum(extent, tiny)[:, None, :]
            values = _determinants(gradients, scaled)
            # The determinant that the kernels compute: they do not scale by the extent.
            size = np.prod(extent, axis=1)
            values[~_is_number(size, extent.min(axis=1))] = np.nan
        least = values.argmin(axis=1)  # of NaNs the first
        where[start : start + len(chunk)] = least
        lowest[start : start + len(chunk)] = np.take_along_axis(values, least[:, None], 1)[:, 0]
    return lowest, where


def _gradients(cell: str) -> Floats:
    """Return the derivatives of the shape functions at the nodes of a cell and at its centre."""
    reference = np.array(CELLS[cell].reference)
    centre = reference[: CELLS[cell].corners].mean(axis=0)
    return shape_gradients(cell, np.vstack([reference, centre]))


def straightened(points: Floats, cell: str, connectivity: Ints) -> Floats:
    """Return the points with all nodes of cells where straight edges between the corners put them.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Coordinates.
    cell : str
        Name of a cell type with nodes besides its corners.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        The cells to be straightened.
    """
    kind, moved = CELLS[cell], points.copy()
    middle = corner_shares(cell) @ points[connectivity[:, : kind.corners]]
    moved[connectivity[:, kind.corners :]] = middle
    return moved


def corner_shares(cell: str) -> Floats:
    """Return what corners contribute where linear functions are at other nodes, (others, corners).

    Parameters
    ----------
    cell : str
        Name of a cell type with nodes besides its corners.
    """
    kind = CELLS[cell]
    return shape_functions(_LINEAR[kind.dim, kind.corners], kind.reference[kind.corners :])


def _remedy(points: Floats, cell: str, nodes: Ints) -> str:
    """Return the remedy for a cell: straight edges, or another node order."""
    if CELLS[cell].quadratic:
        straight = straightened(points, cell, nodes[None])
        if (lowest_jacobians(straight, cell, nodes[None])[0] >= FLAT).all():
            return (
                "; straighten = true in [mesh] puts its other nodes where straight edges have them"
            )
    return ""


def _determinants(gradients: Floats, coordinates: Floats) -> Floats:
    """Return the Jacobian of (n, nodes, dim) coordinates at each point: (n, points)."""
    n_points, dim, n_nodes = gradients.shape
    flat = gradients.reshape(n_points * dim, n_nodes)
    jacobian = np.matmul(flat, coordinates).reshape(-1, n_points, dim, dim)
    a = np.moveaxis(jacobian, (2, 3), (0, 1))
    if dim == 2:
        return np.asarray(a[0, 0] * a[1, 1] - a[0, 1] * a[1, 0])
    return np.asarray(
        a[0, 0] * (a[1, 1] * a[2, 2] - a[1, 2] * a[2, 1])
        - a[0, 1] * (a[1, 0] * a[2, 2] - a[1, 2] * a[2, 0])
        + a[0, 2] * (a[1, 0] * a[2, 1] - a[1, 1] * a[2, 0])
    )


def _of(rows: Ints, connectivity: Ints) -> str:
    return f" ({rows.size} of {len(connectivity)} cells)" if rows.size > 1 else ""
