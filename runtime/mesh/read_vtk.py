# SPDX-License-Identifier: BSD-3-Clause
"""VTK files, .vtk and .vtu, through meshio; integer arrays become groups."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.reading import read_bytes
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


def read_vtk(path: Path) -> Mesh:
    """Read a .vtk or .vtu file.

    An integer cell array gives one group ``array:value`` per value, a point array of zeros and ones
    a group of nodes with the array's name.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    Mesh

    Raises
    ------
    InputError
        If it is truncated, in several pieces, or contains unsupported cells.
    """
    raw = read_bytes(path, "a mesh file")
    pieces = len(re.findall(rb"<Piece\b", raw))
    if pieces > 1:
        raise InputError(f"{path}: is in {pieces} pieces; expected one (merge blocks, save again)")
    found = _through_meshio(path, raw)
    stated = re.search(rb'NumberOfCells="\s*(\d+)' if pieces else rb"\nCELL_TYPES\s+(\d+)", raw)
    read = sum(len(block.data) for block in found.cells)
    if stated is not None and int(stated[1]) != read:
        raise InputError(
            f"{path}: declares {int(stated[1])} cells but {read} could be read: truncated, "
            f"or cells that are not supported; expected {', '.join(SUPPORTED)}"
        )
    return _convert(path, found)


def _through_meshio(path: Path, raw: bytes) -> Any:
    import meshio.vtk
    import meshio.vtu
    from meshio import _mesh

    # meshio (5.3.5) reads the cells of VTK's quadratic wedge but fails on their dimension.
    _mesh.topological_dimension.setdefault("wedge15", 3)
    # meshio.read prints and exits on bad input, hence the reader itself, silenced.
    name = path.suffix.lower()
    reader = meshio.vtu if name == ".vtu" else meshio.vtk
    quiet = io.StringIO()
    try:
        with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
            if name == ".vtu" or raw.endswith(b"\n"):
                return reader.read(str(path))
            # Gmsh ends a binary .vtk without the line end that meshio expects.
            with tempfile.NamedTemporaryFile(suffix=name) as completed:
                completed.write(raw + b"\n")
                completed.flush()
                return reader.read(completed.name)
    except Exception as error:  # any exception at all means that the file is damaged
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: cannot be read as {name} ({reason}); truncated?") from None


def _convert(path: Path, found: Any) -> Mesh:
    build = MeshBuilder(str(path))
    build.add_nodes(np.arange(1, len(found.points) + 1), np.asarray(found.points, dtype=float))
    start = 1
    for i, block in enumerate(found.cells):
        cell = _cell(block)
        if cell is None:
            raise InputError(
                f"{path}: has cells {block.type}, which are not supported; expected "
                f"{', '.join(SUPPORTED)}"
            )
        labels = np.arange(start, start + len(block.data))
        nodes = np.asarray(block.data, dtype=np.int64)
        if cell == "wedge6" and _mirrored(found.points, nodes):
            nodes = nodes[:, TO_VTK[cell]]
        places = build.add_cells(cell, nodes + 1, labels)
        start += len(block.data)
        for name, arrays in found.cell_data.items():
            values = _column(arrays[i])
            if values is not None:
                different = np.unique(values)
                for value in different if different.size <= _MOST_VALUES else ():
                    build.add_to_group(f"{name}:{value}", cell, places[values == value])
    for name, array in found.point_data.items():
        values = _column(array)
        if values is not None and set(np.unique(values)) <= {0, 1}:
            build.add_node_group(name, np.flatnonzero(values) + 1)
    return build.mesh()


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
