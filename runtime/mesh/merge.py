# SPDX-License-Identifier: BSD-3-Clause
"""Nodes at the same place made one: blocks and parts of files that touch are then one mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh

#: Distance below which nodes are at the same place, relative to the diagonal of the mesh.
SAME = 1e-6
#: The same for nodes that may have been meant to be at the same place.
_CLOSE = 1e-4


def merge(mesh: Mesh) -> Mesh:
    """Return the mesh with one node wherever several are at the same place.

    The node with the lowest row stays, with its coordinates and its number. Remarks state how many
    nodes are gone, and how many pairs nearly met, as where an angle of 2 pi was rounded.

    Parameters
    ----------
    mesh : Mesh
        Joined from blocks or read from a file.

    Returns
    -------
    Mesh

    Raises
    ------
    InputError
        If two nodes of one cell are at the same place, if two facets have the same corners but not
        the same nodes between them, or if the mesh has nodes that follow others.
    """
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components
    from scipy.spatial import cKDTree

    if mesh.followers is not None:
        raise InputError(
            f"mesh.merge: nodes of {mesh.source} follow others; expected a mesh without such nodes"
        )
    size = float(np.linalg.norm(np.ptp(mesh.points, axis=0))) if len(mesh.points) else 0.0
    count = len(mesh.points)
    near = cKDTree(mesh.points).query_pairs(_CLOSE * size, output_type="ndarray")
    apart = np.linalg.norm(mesh.points[near[:, 0]] - mesh.points[near[:, 1]], axis=1)
    pairs, open_pairs = near[apart <= SAME * size], near[apart > SAME * size]
    links = coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(count, count))
    number, place = connected_components(links, directed=False)
    if number == count:
        text = f"{mesh.source}: no two nodes are at the same place"
        return mesh.with_remarks([text, *_nearly(mesh, open_pairs)])
    kept = np.unique(place, return_index=True)[1]  # the lowest row of each place
    order = np.argsort(kept)
    rank = np.empty_like(order)
    rank[order] = np.arange(number)
    new = rank[place]
    kept = kept[order]
    blocks = tuple(replace(block, nodes=new[block.nodes]) for block in mesh.blocks)
    for block in blocks:
        _check_cells(mesh, block)
    _check_facets(mesh, blocks, kept)
    groups = {
        name: replace(group, nodes=np.unique(new[group.nodes]))
        for name, group in mesh.groups.items()
    }
    merged = replace(
        mesh,
        points=mesh.points[kept],
        blocks=blocks,
        groups=groups,
        node_labels=mesh.node_labels[kept],
    )
    text = f"{mesh.source}: {count - number} of {count} nodes were at the place of another"
    return merged.with_remarks([text, *_nearly(mesh, open_pairs)])


def check_sides(mesh: Mesh, centres: Mapping[str, Floats]) -> None:
    """Refuse sides of blocks with the same centre that do not share all facets.

    Cells on either side of such a seam would deform apart from each other, or overlap.

    Parameters
    ----------
    mesh : Mesh
        With its nodes merged.
    centres : mapping of str to ndarray, (3,)
        The centre of each side, by the name of its group.

    Raises
    ------
    InputError
        If there are such sides.
    """
    from scipy.spatial import cKDTree

    names = list(centres)
    places = np.array([centres[name] for name in names])
    near = SAME * float(np.linalg.norm(np.ptp(mesh.points, axis=0)))
    for one, two in sorted(cKDTree(places).query_pairs(near)):
        sets = [_facets(mesh, mesh.groups[names[side]]) for side in (one, two)]
        if sets[0] != sets[1]:
            raise InputError(
                f"mesh.merge: the sides {names[one]} and {names[two]} touch, but of their "
                f"{len(sets[0])} and {len(sets[1])} facets {len(sets[0] & sets[1])} are the same; "
                "expected the same corners, divisions and cells on both sides (with triangles and "
                "tetrahedra also the same diagonals)"
            )


def _nearly(mesh: Mesh, pairs: Ints) -> list[str]:
    """Return what to say of pairs of nodes that nearly are at the same place."""
    if not len(pairs):
        return []
    x, y, z = mesh.points[pairs[0, 0]]
    return [
        f"{mesh.source}: {len(pairs)} pairs of nodes are closer than {_CLOSE:g} of the size of the "
        f"mesh and remain apart, one of them at ({x:g}, {y:g}, {z:g}); are coordinates rounded?"
    ]


def _check_cells(mesh: Mesh, block: CellBlock) -> None:
    """Refuse cells that have lost a node."""
    ordered = np.sort(block.nodes, axis=1)
    lost = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if lost.size:
        raise InputError(
            f"mesh.merge: two nodes of cell {block.labels[lost[0]]} ({block.cell}) of "
            f"{mesh.source} are at the same place (within {SAME:g} of the size of the mesh); "
            "expected cells whose nodes lie apart"
        )


def _check_facets(mesh: Mesh, blocks: Sequence[CellBlock], kept: Ints) -> None:
    """Refuse facets with the same corners whose other nodes differ, as an arc and its chord."""
    cells = [block for block in blocks if CELLS[block.cell].dim == mesh.dim > 1]
    found: dict[int, list[tuple[Ints, Ints]]] = {}  # by the number of corners
    for block in cells:
        for facet, numbers in CELLS[block.cell].facets_by_cell().items():
            local = np.array([CELLS[block.cell].facets[i] for i in numbers])
            corners = CELLS[facet].corners
            nodes = block.nodes[:, local].reshape(-1, local.shape[1])
            ends, between = np.sort(nodes[:, :corners], axis=1), np.sort(nodes[:, corners:], axis=1)
            found.setdefault(corners, []).append((ends, between))
    for pieces in found.values():
        width = max(between.shape[1] for _, between in pieces)
        ends = np.concatenate([one for one, _ in pieces])
        between = np.concatenate(
            [
                np.pad(one, ((0, 0), (0, width - one.shape[1])), constant_values=-1)
                for _, one in pieces
            ]
        )
        order = np.lexsort(ends.T)
        ends, between = ends[order], between[order]
        beside = (ends[1:] == ends[:-1]).all(axis=1)
        open_facets = np.flatnonzero(beside & (between[1:] != between[:-1]).any(axis=1))
        if open_facets.size:
            corners_at = mesh.points[kept[ends[open_facets[0]]]]
            x, y, z = corners_at.mean(axis=0)
            raise InputError(
                f"mesh.merge: two cells of {mesh.source} share the corners of their facet at "
                f"({x:g}, {y:g}, {z:g}), but not its other nodes; expected nodes at the same "
                "places, or none, on both sides: an arc does not meet a straight edge"
            )


def _facets(mesh: Mesh, group: Group) -> set[tuple[int, ...]]:
    """Return the facets of a group as sorted nodes."""
    found: set[tuple[int, ...]] = set()
    for index, rows in group.cells.items():
        if CELLS[mesh.blocks[index].cell].dim == group.dim:
            found.update(map(tuple, np.sort(mesh.blocks[index].nodes[rows], axis=1).tolist()))
    return found
