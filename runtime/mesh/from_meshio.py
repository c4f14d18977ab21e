# SPDX-License-Identifier: BSD-3-Clause
"""Meshes of meshio: of its readers, and objects of other programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.build import MeshBuilder
from flexforge.runtime.mesh.cells import FROM_MESHIO, SUPPORTED, TO_VTK
from flexforge.runtime.mesh.mesh import Mesh
from numpy.typing import NDArray

#: Lagrange cells of VTK by their number of nodes, where their order of nodes is that of here.
LAGRANGE = {
    **{("VTK_LAGRANGE_CURVE", n): f"line{n}" for n in (2, 3, 4)},
    **{("VTK_LAGRANGE_TRIANGLE", n): f"tri{n}" for n in (3, 6, 10)},
    **{("VTK_LAGRANGE_QUADRILATERAL", n): f"quad{n}" for n in (4, 9)},
}
_MOST_VALUES = 256  # an array with more values than this numbers things, it does not group them
_PARTS = ("points", "cells", "cell_data", "point_data", "cell_sets", "point_sets")


def mesh_from_meshio(found: Any) -> Mesh:
    """Return a mesh of meshio as a mesh for the key ``mesh`` of :func:`load_model`.

    What other programs read or make for meshio, Nastran's and Ansys's meshes among them, comes in
    this way. Its sets are groups; an integer cell array gives one group ``array:value`` per value,
    a point array of zeros and ones a group of nodes with the array's name.

    Parameters
    ----------
    found : meshio.Mesh
        Its positions are in m; messages call the node of row 0 node 0.

    Returns
    -------
    Mesh

    Raises
    ------
    InputError
        If it is no such mesh, or has unsupported cells, sets of rows that do not exist, or
        positions that are not finite.

    Examples
    --------
    >>> import flexforge as ff
    >>> import meshio
    >>> square = meshio.Mesh([[0, 0], [1, 0], [1, 1], [0, 1]], [("quad", [[0, 1, 2, 3]])],
    ...                      point_sets={"left": [0, 3]})
    >>> ff.mesh_from_meshio(square)
    mesh: 4 nodes, 1 quad4; groups left
    """
    missing = [name for name in _PARTS if not hasattr(found, name)]
    if missing:
        raise InputError(
            f"mesh: found {type(found).__name__} without {missing[0]}; expected a mesh of meshio"
        )
    return converted(found, "mesh", 0)


def converted(found: Any, source: str, first: int) -> Mesh:
    """Return the mesh of a mesh of meshio.

    Parameters
    ----------
    found : meshio.Mesh
        Its mesh.
    source : str
        What messages call it.
    first : int
        Number of the first node and of the first cell.
    """
    build = MeshBuilder(source)
    points = np.asarray(found.points, dtype=float)
    build.add_nodes(np.arange(first, first + len(points)), points)
    start = first
    for i, block in enumerate(found.cells):
        cell = _cell(block)
        if cell is None:
            raise InputError(
                f"{source}: has cells {block.type}, which are not supported; expected "
                f"{', '.join(SUPPORTED)}"
            )
        labels = np.arange(start, start + len(block.data))
        nodes = np.asarray(block.data, dtype=np.int64)
        _require_rows(nodes, len(points), f"{source}: cells {block.type}")
        if cell == "wedge6" and _mirrored(points, nodes):
            nodes = nodes[:, TO_VTK[cell]]
        places = build.add_cells(cell, nodes + first, labels)
        start += len(block.data)
        for name, arrays in found.cell_data.items():
            values = _column(arrays[i])
            if values is not None:
                different = np.unique(values)
                for value in different if different.size <= _MOST_VALUES else ():
                    build.add_to_group(f"{name}:{value}", cell, places[values == value])
        for name, sets in found.cell_sets.items():
            rows = _rows(sets[i], len(block.data), source, name)
            if rows.size:
                build.add_to_group(name, cell, places[rows])
    for name, array in found.point_data.items():
        values = _column(array)
        if values is not None and set(np.unique(values)) <= {0, 1}:
            build.add_node_group(name, np.flatnonzero(values) + first)
    for name, given in found.point_sets.items():
        build.add_node_group(name, _rows(given, len(points), source, name) + first)
    return build.mesh()


def _rows(given: Any, count: int, source: str, name: str) -> Ints:
    """Return the rows of a set; None has none."""
    rows = np.asarray([] if given is None else given).ravel().astype(np.int64)
    _require_rows(rows, count, f"{source}: set '{name}'")
    return rows


def _require_rows(rows: Ints, count: int, where: str) -> None:
    """Refuse rows that do not exist."""
    wrong = rows[(rows < 0) | (rows >= count)]
    if wrong.size:
        raise InputError(f"{where}: found row {wrong[0]}; expected rows from 0 to {count - 1}")


def _cell(block: Any) -> str | None:
    """Return the name here of the cells of a block; None for those without one.

    The order of Lagrange cells depends on their number of nodes.
    """
    return FROM_MESHIO.get(block.type) or LAGRANGE.get((block.type, block.data.shape[1]))


def _mirrored(points: Any, wedges: NDArray[np.int64]) -> bool:
    """Whether all wedges have the numbering of other formats, as many programs write them.

    meshio takes them for VTK's own, and returns them mirrored.
    """
    x = np.asarray(points, dtype=float)[wedges]
    with np.errstate(all="ignore"):  # sizes are checked with the other cells
        along = x[:, 3:].mean(axis=1) - x[:, :3].mean(axis=1)
        area = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
        return bool((np.einsum("ec,ec->e", area, along) < 0).all())


def _column(array: Any) -> NDArray[Any] | None:
    """Return an array with one integer per entry as a row, None for any other kind."""
    values = np.asarray(array)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    return values if values.ndim == 1 and values.dtype.kind in "iub" else None
