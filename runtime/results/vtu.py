# SPDX-License-Identifier: BSD-3-Clause
"""VTU files, one per frame, and the PVD file that lists them for ParaView.

The format is written here and not by meshio because a frame may be written every step: raw appended
data go to disk as they are in memory, without base64. Fields are in single precision, which
suffices for pictures; results.h5 has all digits.
Format: VTK file formats, https://docs.vtk.org/en/latest/design_documents/VTKFileFormats.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS, TO_VTK
from flexforge.runtime.results.data import STRESS_COMPONENTS
from flexforge.runtime.results.stored import reading
from numpy.typing import NDArray

Array = NDArray[np.generic]

#: Name of the cell type of a point.
VERTEX = "vertex"
_LARGEST = float(np.finfo("f4").max)
_TYPES = {"f4": "Float32", "f8": "Float64", "i4": "Int32", "i8": "Int64", "u1": "UInt8"}


def write_vtu(
    path: Path,
    points: Floats,
    cell: str,
    connectivity: Ints,
    fields: Mapping[str, Floats],
    time: float | None = None,
    origin: str = "",
) -> None:
    """Write one file atomically.

    Parameters
    ----------
    path : Path
        The file.
    points : ndarray, (n, 3)
        Coordinates, m.
    cell : str
        Name of the cell type.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Rows of `points`.
    fields : mapping of str to ndarray
        Values at the points: (n,), (n, 2), (n, 3) or (n, 6).
    time : float, optional
        Time of the frame, s.
    origin : str
        Provenance as JSON, written as a comment before the grid.
    """
    n_cells, n_nodes = connectivity.shape
    small = len(points) < 2**31
    ordered = connectivity[:, TO_VTK[cell]] if cell in TO_VTK else connectivity
    cells = np.ascontiguousarray(ordered, dtype="<i4" if small else "<i8")
    ends = np.arange(n_nodes, n_cells * n_nodes + 1, n_nodes, dtype="<i8")
    kinds = np.full(n_cells, 1 if cell == VERTEX else CELLS[cell].vtk, dtype="u1")
    data = _Appended()
    coordinates = data.array("Points", np.ascontiguousarray(points, dtype="<f8"))
    topology = [
        data.array("connectivity", cells.ravel()),
        data.array("offsets", ends),
        data.array("types", kinds),
    ]
    values = [data.array(name, _single(field)) for name, field in fields.items()]
    stamp = (
        '<FieldData><DataArray type="Float64" Name="TimeValue" NumberOfTuples="1" format="ascii">'
        f"{time!r}</DataArray></FieldData>\n"
        if time is not None
        else ""
    )
    head = (
        f'<?xml version="1.0"?>\n{_comment(origin)}'
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" '
        'header_type="UInt64">\n<UnstructuredGrid>\n'
        f'{stamp}<Piece NumberOfPoints="{len(points)}" NumberOfCells="{n_cells}">\n'
        f"<Points>\n{coordinates}</Points>\n<Cells>\n{''.join(topology)}</Cells>\n"
        f"<PointData>\n{''.join(values)}</PointData>\n<CellData>\n</CellData>\n"
        '</Piece>\n</UnstructuredGrid>\n<AppendedData encoding="raw">\n_'
    )
    with replacing(path) as file:
        file.write(head.encode())
        for piece in data.pieces:
            file.write(np.uint64(piece.nbytes).tobytes())
            file.write(piece.data)
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _comment(origin: str) -> str:
    """Return a text as a comment: meshio (5.3.5) reads no file with a text among its fields.

    A comment contains no two hyphens in a row; JSON has another way to write one.
    """
    text = origin.replace("--", "-\\u002d")
    return f"<!-- {text} -->\n" if text else ""


def write_pvd(path: Path, frames: Iterable[tuple[float, str, str]]) -> None:
    """Write the list of frames that ParaView opens as one animation.

    Parameters
    ----------
    path : Path
        The file.
    frames : iterable of (time, body, file)
        Files are relative to `path`.
    """
    parts: dict[str, int] = {}
    rows = []
    for time, body, file in frames:
        part = parts.setdefault(body, len(parts))
        rows.append(
            f'<DataSet timestep="{float(time)!r}" part="{part}" name={quoteattr(body)} '
            f"file={quoteattr(file)}/>\n"
        )
    with replacing(path) as out:
        out.write(
            b'<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" '
            b'byte_order="LittleEndian">\n<Collection>\n'
        )
        out.write("".join(rows).encode())
        out.write(b"</Collection>\n</VTKFile>\n")


class _Appended:
    """Arrays appended after the XML, each preceded by its size."""

    def __init__(self) -> None:
        self.pieces: list[Array] = []
        self.offset = 0

    def array(self, name: str, values: Array) -> str:
        """Append an array, return the XML that announces it."""
        entry = (
            f'<DataArray type="{_TYPES[values.dtype.str[1:]]}" Name={quoteattr(name)} '
            f'format="appended" offset="{self.offset}"{_components(values)}/>\n'
        )
        self.pieces.append(values)
        self.offset += 8 + values.nbytes
        return entry


def _components(values: Array) -> str:
    """Return the number and names of the components of an array, as attributes."""
    width = values.shape[1] if values.ndim == 2 else 1
    size = f' NumberOfComponents="{width}"' if values.ndim == 2 else ""
    labels = STRESS_COMPONENTS if width == 6 else "xyz" if width == 3 else ""
    return size + "".join(f' ComponentName{i}="{label}"' for i, label in enumerate(labels))


def arrays_of(fields: Mapping[str, Floats]) -> Iterator[str]:
    """Yield what a list of parts says of the fields that they have, as XML."""
    for name, field in fields.items():
        some = _single(np.asarray(field)[:1])
        kind = _TYPES[some.dtype.str[1:]]
        yield f'<PDataArray type="{kind}" Name={quoteattr(name)}{_components(some)}/>\n'


def _single(field: Floats) -> Array:
    """Return a field in single precision, plane vectors with a third component.

    Raises
    ------
    AnalysisError
        When single precision cannot represent it.
    """
    given = np.asarray(field)
    if given.size and float(np.abs(given).max()) > _LARGEST:
        raise AnalysisError(
            f"found values of {float(np.abs(given).max()):.3g}; VTU files hold at most "
            f"{_LARGEST:.3g}, format hdf5 holds more"
        )
    if given.ndim == 2 and given.shape[1] == 2:
        full = np.zeros((len(given), 3), dtype="<f4")
        full[:, :2] = given
        return full
    return np.ascontiguousarray(given, dtype="<f4")


@dataclass(frozen=True, slots=True)
class Piece:
    """Content of a file.

    Attributes
    ----------
    points : ndarray, (n, 3)
        Coordinates, m.
    cell : str
        Name of the cell type.
    connectivity : ndarray of int, (n_cells, n_nodes)
        Rows of `points`.
    fields : dict of str to ndarray
        Values at the points, (n, ...).
    """

    points: Floats
    cell: str
    connectivity: NDArray[np.int64]
    fields: dict[str, Floats]


def read_vtu(path: Path) -> Piece:
    """Read a file written by `write_vtu`; other programs' meshes are read elsewhere.

    meshio (5.3.5) is unreliable for raw appended data: it confuses offsets that it has changed with
    those that it has not, and fails for some sizes of bodies.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    InputError
        When it is damaged, or written by another program.
    """
    with reading(path):
        head, found, data = path.read_bytes().partition(b'<AppendedData encoding="raw">\n_')
        # No entities, whose expansion may be endless.
        if not found or b"<!" in head.replace(b"<!--", b""):
            raise ValueError("not a results file")
        tree = ElementTree.fromstring(head + b"</VTKFile>")
        piece = tree.find("UnstructuredGrid/Piece")
        if piece is None:
            raise ValueError("no grid")
        points = _array(piece, "Points", data)
        kinds, ends = _array(piece, "types", data), _array(piece, "offsets", data)
        cell = {one.vtk: one.name for one in CELLS.values()}[int(kinds[0])]
        nodes = CELLS[cell].nodes
        connectivity = _array(piece, "connectivity", data).astype(np.int64).reshape(-1, nodes)
        regular = np.arange(1, len(connectivity) + 1) * nodes
        alike = len(kinds) == len(regular) and bool(np.all(kinds == kinds[0]))
        if not alike or not np.array_equal(ends, regular):
            raise ValueError("cells of several kinds")
        if cell in TO_VTK:
            connectivity = connectivity[:, np.argsort(TO_VTK[cell])]
        with np.errstate(invalid="ignore"):  # damaged bytes may be signalling NaNs
            fields = {
                str(one.attrib["Name"]): _array(piece, one.attrib["Name"], data).astype(float)
                for one in piece.iterfind("PointData/DataArray")
            }
        return Piece(points.astype(float), cell, connectivity, fields)


def _array(piece: ElementTree.Element, name: str, data: bytes) -> Array:
    """Return the array of a name, from the offset that the XML states."""
    told = next((one for one in piece.iter("DataArray") if one.attrib["Name"] == name), None)
    if told is None:
        raise ValueError(f"no {name}")
    kind = np.dtype({name: code for code, name in _TYPES.items()}[told.attrib["type"]])
    start = int(told.attrib["offset"])
    if not 0 <= start <= len(data) - 8:
        raise ValueError(f"{name} begins beyond the end")
    size = int.from_bytes(data[start : start + 8], "little")
    if size % kind.itemsize or start + 8 + size > len(data):
        raise ValueError(f"{name} ends beyond the end")
    values = np.frombuffer(data, kind, size // kind.itemsize, start + 8)
    width = told.attrib.get("NumberOfComponents")
    return values.reshape(-1, int(width)) if width is not None else values
