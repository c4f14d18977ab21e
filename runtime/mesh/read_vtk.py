# SPDX-License-Identifier: BSD-3-Clause
"""VTK files, .vtk and .vtu, through meshio; integer arrays become groups."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.reading import read_bytes
from flexforge.runtime.mesh.cells import SUPPORTED
from flexforge.runtime.mesh.from_meshio import converted
from flexforge.runtime.mesh.mesh import Mesh


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
    return converted(found, str(path), 1)


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
