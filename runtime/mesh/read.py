# SPDX-License-Identifier: BSD-3-Clause
"""Reading a mesh: the single entry for all formats."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flexforge.codegen.arguments import path as a_path
from flexforge.codegen.arguments import typed
from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.codegen.files.reading import check_file
from flexforge.runtime.machine.memory import COPIES_OF_FILE, require_memory
from flexforge.runtime.mesh.mesh import Mesh


@typed(path=a_path)
def read_mesh(path: str | Path) -> Mesh:
    r"""Read a mesh file; the suffix determines the format.

    Parameters
    ----------
    path : str or Path
        ``.msh`` (Gmsh 2.2, 4.0 or 4.1), ``.vtk``, ``.vtu``, ``.inp`` (Abaqus, CalculiX), or ``.e``,
        ``.exo``, ``.ex2`` (Exodus II, if the library netCDF4 is installed).

    Returns
    -------
    Mesh

    Raises
    ------
    InputError
        If the file is missing, of an unknown format, damaged, or contains unsupported cells. The
        message is one line.

    Examples
    --------
    >>> import flexforge as ff
    >>> with open("square.vtk", "w") as file:
    ...     _ = file.write(
    ...         "# vtk DataFile Version 3.0\nsquare\nASCII\nDATASET UNSTRUCTURED_GRID\n"
    ...         "POINTS 4 double\n0 0 0 1 0 0 1 1 0 0 1 0\n"
    ...         "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n9\n")
    >>> ff.read_mesh("square.vtk")
    square.vtk: 4 nodes, 1 quad4; no groups
    """
    file = Path(path)
    reader = _reader(file)
    require_memory(COPIES_OF_FILE * check_file(file, "a mesh file"), str(file), "its numbers")
    try:
        return reader(file)
    except FlexforgeError:
        raise
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from None
    except MemoryError:
        raise InputError(f"{file}: does not fit in memory, or is damaged") from None
    except Exception as error:  # a damaged file can cause any error in a reader or its library
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{file}: is damaged or truncated ({reason})") from None


def _reader(file: Path) -> Callable[[Path], Mesh]:
    # Each reader is imported when it is needed: some import large libraries.
    match file.suffix.lower():
        case ".msh":
            from flexforge.runtime.mesh.read_gmsh import read_gmsh

            return read_gmsh
        case ".vtk" | ".vtu":
            from flexforge.runtime.mesh.read_vtk import read_vtk

            return read_vtk
        case ".inp":
            from flexforge.runtime.mesh.read_abaqus import read_abaqus

            return read_abaqus
        case ".e" | ".exo" | ".ex2":
            from flexforge.runtime.mesh.read_exodus import read_exodus

            return read_exodus
        case other:
            raise InputError(
                f"{file}: unknown format '{other}'; expected .msh .vtk .vtu .inp .e .exo .ex2"
            )
