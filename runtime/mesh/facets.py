# SPDX-License-Identifier: BSD-3-Clause
"""The facets that bound a body: faces of solid cells, edges of plane ones."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.mesh import Group, Mesh
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def boundary_facets(cell: str, connectivity: Ints) -> tuple[str, Ints, Ints]:
    """Find the facets that belong to one cell only.

    Parameters
    ----------
    cell : str
        Name of the cell.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        Any numbering of the nodes.

    Returns
    -------
    facet_cell : str
        Name of the facets' cell.
    facets : ndarray of int64, (n_facets, n_facet_nodes)
        Nodes in the numbering given; the normal points outward, as `cells` defines it. Ordered by
        cell, then as the cell lists its facets.
    parent : ndarray of int64, (n_facets,)
        Row of the cell each belongs to.
    """
    kind = CELLS[cell]
    local = np.array(kind.facets)
    corners = CELLS[kind.facet].corners
    keys = np.sort(connectivity[:, local[:, :corners]].reshape(-1, corners), axis=1)
    alone = np.flatnonzero(_seen_once(keys))
    parent = alone // len(local)
    return kind.facet, connectivity[parent[:, None], local[alone % len(local)]], parent


def facets_of_group(
    mesh: Mesh, group: Group, cell: str, connectivity: Ints
) -> tuple[str, Ints, Ints]:
    """Find the boundary facets of a body that a group of the mesh names.

    A group that has cells of the facets' dimension means exactly those; they are matched by their
    corners, so their own orientation, and whether they are linear, does not matter. Any other
    group means the facets all of whose nodes it holds.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    group : Group
        One of its groups.
    cell : str
        Name of the body's cell.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        The body's cells, in rows of `Mesh.points`.

    Returns
    -------
    facet_cell, facets, parent
        As from `boundary_facets`.

    Raises
    ------
    InputError
        If the group has no facet on the body's boundary.
    """
    facet_cell, facets, parent = boundary_facets(cell, connectivity)
    dim, corners = CELLS[facet_cell].dim, CELLS[facet_cell].corners
    named = [
        mesh.blocks[i].nodes[rows, :corners]
        for i, rows in group.cells.items()
        if CELLS[mesh.blocks[i].cell].dim == dim and CELLS[mesh.blocks[i].cell].corners == corners
    ]
    if named:
        wanted = np.unique(np.sort(np.concatenate(named), axis=1), axis=0)
        keys = np.sort(facets[:, :corners], axis=1)
        both = np.concatenate([keys, wanted])
        chosen = np.logical_not(_seen_once(both)[: len(keys)])
    else:
        inside = np.zeros(len(mesh.points), dtype=bool)
        inside[group.nodes] = True
        chosen = np.asarray(inside[facets].all(axis=1))
    if not chosen.any():
        raise InputError(
            f"{mesh.source}: group '{group.name}' ({KINDS[group.dim]}) has no facet on the "
            f"boundary of the body; expected some of its {len(facets)} {facet_cell} facets"
        )
    return facet_cell, facets[chosen], parent[chosen]


def _seen_once(keys: Ints) -> NDArray[np.bool_]:
    """Return for each row of sorted node numbers whether no other row equals it."""
    order = np.lexsort(keys.T)
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    repeated = np.zeros(len(keys), dtype=bool)
    repeated[order[1:]] = same
    repeated[order[:-1]] |= same
    return np.logical_not(repeated)
