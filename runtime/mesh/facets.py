# SPDX-License-Identifier: BSD-3-Clause
"""The facets that bound a body: faces of solid cells, edges of plane cells."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.mesh import Group, Mesh
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Facets:
    """Facets of one type.

    Attributes
    ----------
    cell : str
        Name of the facets' cell type.
    nodes : ndarray of int64, (n_facets, n_facet_nodes)
        Node numbers like those of the body's cells; the normal points outward, as defined in
        `cells`. Ordered by cell, then as the cell lists its facets.
    parent : ndarray of int64, (n_facets,)
        Row of the cell of each facet.
    """

    cell: str
    nodes: Ints
    parent: Ints


def boundary_facets(cell: str, connectivity: Ints) -> tuple[Facets, ...]:
    """Find the facets that belong to one cell only.

    Parameters
    ----------
    cell : str
        Name of the cell type.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        Any numbering of the nodes.

    Returns
    -------
    tuple of Facets
        One of each type that the cell has, even if none of its facets is on the boundary.
    """
    kind = CELLS[cell]
    found = []
    for facet_cell, numbers in kind.facets_by_cell().items():
        local = np.array([kind.facets[i] for i in numbers])
        corners = CELLS[facet_cell].corners
        keys = np.sort(connectivity[:, local[:, :corners]].reshape(-1, corners), axis=1)
        alone = np.flatnonzero(_seen_once(keys))
        parent = alone // len(local)
        nodes = connectivity[parent[:, None], local[alone % len(local)]]
        found.append(Facets(facet_cell, nodes, parent))
    return tuple(found)


def facets_of_group(mesh: Mesh, group: Group, cell: str, connectivity: Ints) -> tuple[Facets, ...]:
    """Find the boundary facets of a body in a group of the mesh.

    If the group has cells of the facets' dimension, it means exactly those; they are matched by
    their corners, so their own orientation and order do not matter. Any other group means the
    facets whose nodes are all in it.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    group : Group
        One of its groups.
    cell : str
        Name of the cell type of the body.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        The body's cells, in rows of `Mesh.points`.

    Returns
    -------
    tuple of Facets
        As from `boundary_facets`, for those types of which there are any.

    Raises
    ------
    InputError
        If the group has no facet on the body's boundary.
    """
    if CELLS[cell].facet_fault:
        raise InputError(
            f"{CELLS[cell].facet_fault}; expected zero there, so that its facets can be loaded"
        )
    boundary = boundary_facets(cell, connectivity)
    dim = CELLS[cell].dim - 1
    listed = any(CELLS[mesh.blocks[i].cell].dim == dim for i in group.cells)
    chosen = []
    for facets in boundary:
        taken = _listed(mesh, group, facets) if listed else _inside(mesh, group, facets)
        if taken.any():
            chosen.append(Facets(facets.cell, facets.nodes[taken], facets.parent[taken]))
    if not chosen:
        kinds = " or ".join(f"{len(one.nodes)} {one.cell}" for one in boundary)
        raise InputError(
            f"{mesh.source}: group '{group.name}' ({KINDS[group.dim]}) has no facet on the "
            f"boundary of the body; expected some of its {kinds} facets"
        )
    return tuple(chosen)


def cells_of_group(mesh: Mesh, group: Group, cell: str, connectivity: Ints) -> tuple[Facets, ...]:
    """Find the cells of a shell in a group of the mesh: listed, or with all nodes in it.

    Parameters
    ----------
    mesh, group, cell, connectivity
        As in `facets_of_group`.

    Raises
    ------
    InputError
        If the group has no such cell.
    """
    every = np.arange(len(connectivity))
    found = Facets(cell, connectivity, every)
    listed = any(CELLS[mesh.blocks[i].cell].dim == CELLS[cell].dim for i in group.cells)
    taken = _listed(mesh, group, found) if listed else _inside(mesh, group, found)
    if not taken.any():
        raise InputError(
            f"{mesh.source}: group '{group.name}' ({KINDS[group.dim]}) has no cell of the shell; "
            f"expected some of its {len(connectivity)} {cell} cells"
        )
    return (Facets(cell, connectivity[taken], every[taken]),)


def _listed(mesh: Mesh, group: Group, facets: Facets) -> NDArray[np.bool_]:
    """Return which facets the group lists as cells."""
    dim, corners = CELLS[facets.cell].dim, CELLS[facets.cell].corners
    named = [
        mesh.blocks[i].nodes[rows, :corners]
        for i, rows in group.cells.items()
        if CELLS[mesh.blocks[i].cell].dim == dim and CELLS[mesh.blocks[i].cell].corners == corners
    ]
    if not named:
        return np.zeros(len(facets.nodes), dtype=bool)
    wanted = np.unique(np.sort(np.concatenate(named), axis=1), axis=0)
    keys = np.sort(facets.nodes[:, :corners], axis=1)
    both = np.concatenate([keys, wanted])
    return np.logical_not(_seen_once(both)[: len(keys)])


def _inside(mesh: Mesh, group: Group, facets: Facets) -> NDArray[np.bool_]:
    """Return which facets have all their nodes in the group."""
    inside = np.zeros(len(mesh.points), dtype=bool)
    inside[group.nodes] = True
    return np.asarray(inside[facets.nodes].all(axis=1))


def _seen_once(keys: Ints) -> NDArray[np.bool_]:
    """Return which rows of sorted node numbers are unique."""
    order = np.lexsort(keys.T)
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[order[1:]] = same
    repeated[order[:-1]] |= same
    return np.logical_not(repeated)
