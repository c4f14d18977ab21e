# SPDX-License-Identifier: BSD-3-Clause
"""A mesh of the cells of a user's element, from one that has their corners."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.arguments import element as is_element
from flexforge.codegen.arguments import of, typed
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import boundary_facets
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh
from flexforge.runtime.mesh.own_cells import LINEAR, own_cell
from flexforge.runtime.mesh.shape import shape_functions

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement

_FRACTION = 2.0**40  # two nodes at such a fraction of an edge are one


@typed(mesh=of(Mesh, expected="a mesh, such as one of flexforge.read_mesh"), element=is_element)
def mesh_for_element(mesh: Mesh, element: AnyElement | str | Path) -> Mesh:
    """Return a mesh with the nodes that an element has besides its corners, on straight edges.

    Parameters
    ----------
    mesh : Mesh
        Of cells with corners alone (``tri3``, ``quad4``, ``tet4``, ``pyramid5``, ``wedge6`` or
        ``hex8``), those of the element.
    element : Element, str or Path
        Your own element: a declaration, or its file.

    Returns
    -------
    Mesh
        With the same groups. A group of facets, or of nodes that make facets, has their further
        nodes too.

    Raises
    ------
    InputError
        If the mesh has other cells.

    Examples
    --------
    >>> import flexforge as ff
    >>> corners = ff.mesh_from_arrays([[0, 0], [1, 0], [1, 1], [0, 1]], {"tri3": [[0, 1, 2],
    ...                               [0, 2, 3]]}, {"left": [0, 3]})
    >>> ff.mesh_for_element(corners, ff.element("tri6"))
    mesh: 9 nodes, 2 tri6; groups left
    """
    from flexforge.codegen.elements.catalogue import declaration

    declared = declaration(element)
    linear, cell = LINEAR[declared.cell], own_cell(declared)
    top = [i for i, one in enumerate(mesh.blocks) if CELLS[one.cell].dim == mesh.dim]
    found = [mesh.blocks[i].cell for i in top]
    if found != [linear]:
        raise InputError(
            f"{mesh.source}: has cells {' and '.join(found)}; expected {linear}, the corners of "
            f"element '{declared.name}'"
        )
    block = mesh.blocks[top[0]]
    further = shape_functions(linear, cell.reference)[cell.corners :]
    around, points, local = _added(further, block.nodes, mesh.points)
    connectivity = np.hstack([block.nodes, len(mesh.points) + local])
    blocks = [*mesh.blocks]
    blocks[top[0]] = replace(block, cell=cell.name, nodes=connectivity)
    outside = {
        side
        for facets in boundary_facets(linear, block.nodes)
        for side in _sides(facets.cell, facets.nodes)
    }

    def with_nodes(group: Group) -> Group:
        if top[0] in group.cells:
            nodes = connectivity[group.cells[top[0]]].ravel()
        else:
            sides = _sides_of(group, mesh.blocks, outside)
            chosen = [number for number, one in enumerate(around) if one in sides]
            nodes = len(mesh.points) + np.array(chosen, dtype=np.int64)
        return replace(group, nodes=np.union1d(group.nodes, nodes))

    labels = mesh.node_labels.max() + 1 + np.arange(len(points))
    return replace(
        mesh,
        points=np.vstack([mesh.points, points]),
        blocks=tuple(blocks),
        groups={name: with_nodes(group) for name, group in mesh.groups.items()},
        node_labels=np.concatenate([mesh.node_labels, labels]),
    )


def _added(
    shares: Floats, cells: Ints, points: Floats
) -> tuple[list[frozenset[int]], Floats, Ints]:
    """Return the further nodes: the corners around each, positions, and numbers by cell.

    The shares of the corners in the position of a node identify it: on a side they are those of
    the corners of the side, for each cell that has it.
    """
    whole = np.rint(shares * _FRACTION).astype(np.int64)
    rows = np.where(whole != 0, cells[:, None, :], -1).reshape(-1, cells.shape[1])
    parts = np.tile(whole, (len(cells), 1))
    order = np.argsort(rows, axis=1, kind="stable")
    rows, parts = (np.take_along_axis(one, order, axis=1) for one in (rows, parts))
    _, first, number = np.unique(
        np.hstack([rows, parts]), axis=0, return_index=True, return_inverse=True
    )
    exact = np.take_along_axis(np.tile(shares, (len(cells), 1)), order, axis=1)[first]
    exact[parts[first] == 0] = 0.0
    places = np.einsum("nc,ncx->nx", exact, points[rows[first]])
    around = [frozenset(row[row >= 0].tolist()) for row in rows[first]]
    return around, places, number.reshape(len(cells), len(shares))


def _sides(cell: str, nodes: Ints) -> Iterable[frozenset[int]]:
    """Yield the corners of facets, and those of their edges."""
    for row in nodes.tolist():
        yield frozenset(row)
        yield from (frozenset((row[a], row[b])) for a, b in CELLS[cell].edges)


def _sides_of(
    group: Group, blocks: tuple[CellBlock, ...], outside: set[frozenset[int]]
) -> set[frozenset[int]]:
    """Return the facets and edges of a group: those it lists, or those whose nodes it has."""
    if not group.cells:
        inside = set(group.nodes.tolist())
        return {side for side in outside if side <= inside}
    return {
        side
        for number, rows in group.cells.items()
        for side in _sides(blocks[number].cell, blocks[number].nodes[rows])
    }
