# SPDX-License-Identifier: BSD-3-Clause
"""The numbering of nodes as each format's own manual publishes it, and writers that follow it.

Independent of flexforge's tables: each middle node is given by the corners it lies between (two of
an edge, four of a face, eight of a cell), copied from the manual named beside it (counted from 0).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

# Corners on the unit square or cube; all four formats number corners alike.
CORNERS = {
    "tri": [(0, 0, 0), (1, 0, 0), (0, 1, 0)],
    "quad": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)],
    "tet": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
    "hex": [(i, j, k) for k in (0, 1) for i, j in ((0, 0), (1, 0), (1, 1), (0, 1))],
    "pyramid": [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0.5, 1)],
    "wedge": [(i, j, k) for k in (0, 1) for i, j in ((0, 0), (1, 0), (0, 1))],
}
_TET = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]
_BOTTOM, _TOP = [(0, 1), (1, 2), (2, 3), (3, 0)], [(4, 5), (5, 6), (6, 7), (7, 4)]
_UPRIGHT = [(0, 4), (1, 5), (2, 6), (3, 7)]
_WEDGE = [(0, 1), (1, 2), (2, 0)], [(3, 4), (4, 5), (5, 3)], [(0, 3), (1, 4), (2, 5)]
MIDDLES: dict[str, dict[str, list[tuple[int, ...]]]] = {
    # vtkQuadraticTetra, vtkQuadraticHexahedron, vtkQuadraticWedge class references
    "vtk": {"tet10": _TET, "hex20": _BOTTOM + _TOP + _UPRIGHT,
            "wedge15": _WEDGE[0] + _WEDGE[1] + _WEDGE[2]},
    # Abaqus Analysis User's Guide, "Three-dimensional solid element library"
    "inp": {"tet10": _TET, "hex20": _BOTTOM + _TOP + _UPRIGHT,
            "wedge15": _WEDGE[0] + _WEDGE[1] + _WEDGE[2]},
    # SAND92-2137, figure 10: the uprights come before the top
    "exo": {"tet10": _TET, "hex20": _BOTTOM + _UPRIGHT + _TOP,
            "wedge15": _WEDGE[0] + _WEDGE[2] + _WEDGE[1]},
    # Gmsh reference manual, "Node ordering"
    "msh": {
        "tet10": [(0, 1), (1, 2), (0, 2), (0, 3), (2, 3), (1, 3)],
        "hex20": [
            (0, 1), (0, 3), (0, 4), (1, 2), (1, 5), (2, 3), (2, 6), (3, 7), (4, 5), (4, 7),
            (5, 6), (6, 7),
        ],
        "wedge15": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 4), (2, 5), (3, 4), (3, 5), (4, 5)],
    },
}  # fmt: skip
for _edges in MIDDLES.values():
    _edges |= {"tri6": [(0, 1), (1, 2), (2, 0)], "quad8": _BOTTOM}
    _edges["quad9"] = [*_BOTTOM, (0, 1, 2, 3)]
_CENTRE = tuple(range(8))
_CENTRES = {
    # vtkTriQuadraticHexahedron class reference, the figure of the three layers
    "vtk": [(0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4), (3, 2, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7),
            _CENTRE],
    # Abaqus Analysis User's Guide, "Three-dimensional solid element library": C3D27, the centre,
    # then faces 1 to 6: 1-2-3-4, 5-8-7-6, 1-5-6-2, 2-6-7-3, 3-7-8-4, 4-8-5-1
    "inp": [_CENTRE, (0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3),
            (3, 7, 4, 0)],
    # SAND92-2137, figure 10: the centre, bottom, top, left, right, front, back
    "exo": [_CENTRE, (0, 1, 2, 3), (4, 5, 6, 7), (0, 3, 7, 4), (1, 2, 6, 5), (0, 1, 5, 4),
            (3, 2, 6, 7)],
    # Gmsh reference manual, "Node ordering", Hexahedron27
    "msh": [(0, 1, 2, 3), (0, 1, 5, 4), (0, 3, 7, 4), (1, 2, 6, 5), (2, 3, 7, 6), (4, 5, 6, 7),
            _CENTRE],
}  # fmt: skip
for _manual, _middles in _CENTRES.items():
    MIDDLES[_manual]["hex27"] = [*MIDDLES[_manual]["hex20"], *_middles]

GMSH = {"tri3": 2, "quad4": 3, "tet4": 4, "hex8": 5, "tri6": 9, "tet10": 11, "quad8": 16,
        "hex20": 17, "quad9": 10, "hex27": 12, "pyramid5": 7, "wedge6": 6,
        "wedge15": 18}  # fmt: skip
VTK = {"tri3": 5, "quad4": 9, "tet4": 10, "hex8": 12, "tri6": 22, "quad8": 23, "tet10": 24,
       "hex20": 25, "quad9": 28, "hex27": 29, "pyramid5": 14, "wedge6": 13,
       "wedge15": 26}  # fmt: skip
ABAQUS = {
    "tri3": ("CPS3", "CPE3"), "tri6": ("CPS6", "CPE6", "CPS6M"), "tet4": ("C3D4", "C3D4H"),
    "quad4": ("CPS4", "CPE4", "CPS4R", "CPE4RH", "CPS4I"),
    "quad8": ("CPS8", "CPE8", "CPS8R"), "hex8": ("C3D8", "C3D8R", "C3D8I"),
    "tet10": ("C3D10", "C3D10M"), "hex20": ("C3D20", "C3D20R"),
    "pyramid5": ("C3D5",), "wedge6": ("C3D6", "C3D6H"), "wedge15": ("C3D15", "C3D15H"),
    "quad9": ("M3D9", "M3D9R", "S9R5"), "hex27": ("C3D27", "C3D27R", "C3D27H"),
}  # fmt: skip
EXODUS = {"tri3": "TRI3", "tri6": "tri6", "quad4": "QUAD", "quad8": "QUAD8", "tet4": "TETRA",
          "tet10": "TETRA10", "hex8": "HEX", "hex20": "HEX20", "quad9": "QUAD9",
          "hex27": "HEX27", "pyramid5": "PYRAMID5", "wedge6": "WEDGE",
          "wedge15": "WEDGE15"}  # fmt: skip


def nodes(cell: str, manual: str) -> np.ndarray:
    """Return a sheared, stretched cell's nodes, numbered as the manual numbers them."""
    corner = np.array(CORNERS[cell.rstrip("0123456789")], dtype=float)
    if (cell, manual) == ("wedge6", "vtk"):
        # VTK User's Guide, "Linear cell types": the normal of the first triangle points outward.
        corner = corner[[0, 2, 1, 3, 5, 4]]
    middle = [corner[list(around)].mean(axis=0) for around in MIDDLES[manual].get(cell, [])]
    unit = np.vstack([corner, *middle])
    shear = np.array([[2.0, 0.3, 0.2], [0.25, 1.1, -0.1], [0.0, 0.0, 0.7]])
    return unit @ shear.T + [0.5, -0.25, 0.0]


def volume(cell: str) -> float:
    """Return the volume (area) of that cell in closed form."""
    area = 2.0 * 1.1 - 0.3 * 0.25
    part = {"tri": 0.5, "quad": 1.0, "tet": 0.7 / 6, "pyramid": 0.7 / 3, "wedge": 0.35, "hex": 0.7}
    return area * part[cell.rstrip("0123456789")]


def write(folder: Path, cell: str, ending: str, variant: str = "") -> Path:
    """Write a file of that one cell, by hand, and return its path."""
    manual = {"vtu": "vtk"}.get(ending, ending)
    path, x = folder / f"{cell}.{ending}", nodes(cell, manual)
    {"vtk": _vtk, "vtu": _vtu, "inp": _inp, "exo": _exo, "msh": _msh}[ending](
        path, cell, x, variant
    )
    return path


def _rows(x: np.ndarray, first: str = "", separator: str = " ") -> str:
    lines = (separator.join(repr(float(v)) for v in row) for row in x)
    return "\n".join(first.format(i + 1) + line for i, line in enumerate(lines))


def _msh(path: Path, cell: str, x: np.ndarray, variant: str) -> None:
    numbers = " ".join(str(i + 1) for i in range(len(x)))
    if variant == "2.2":
        path.write_text(
            f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{len(x)}\n{_rows(x, '{} ')}\n"
            f"$EndNodes\n$Elements\n1\n1 {GMSH[cell]} 2 0 1 {numbers}\n$EndElements\n"
        )
        return
    dim = 2 if cell[:3] in ("tri", "qua") else 3
    tags = numbers.replace(" ", "\n")
    path.write_text(
        f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {len(x)} 1 {len(x)}\n"
        f"{dim} 1 0 {len(x)}\n{tags}\n{_rows(x)}\n$EndNodes\n"
        f"$Elements\n1 1 1 1\n{dim} 1 {GMSH[cell]} 1\n1 {numbers}\n$EndElements\n"
    )


def _vtk(path: Path, cell: str, x: np.ndarray, variant: str) -> None:
    numbers = " ".join(str(i) for i in range(len(x)))
    path.write_text(
        f"# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n"
        f"POINTS {len(x)} double\n{_rows(x)}\nCELLS 1 {len(x) + 1}\n{len(x)} {numbers}\n"
        f"CELL_TYPES 1\n{VTK[cell]}\n"
    )


def _vtu(path: Path, cell: str, x: np.ndarray, variant: str) -> None:
    numbers = " ".join(str(i) for i in range(len(x)))
    array = '<DataArray type="{}" Name="{}" NumberOfComponents="{}" format="ascii">{}</DataArray>'
    path.write_text(
        '<?xml version="1.0"?><VTKFile type="UnstructuredGrid" version="0.1" '
        'byte_order="LittleEndian"><UnstructuredGrid>'
        f'<Piece NumberOfPoints="{len(x)}" NumberOfCells="1"><Points>'
        + array.format("Float64", "Points", 3, _rows(x))
        + "</Points><Cells>"
        + array.format("Int64", "connectivity", 1, numbers)
        + array.format("Int64", "offsets", 1, len(x))
        + array.format("UInt8", "types", 1, VTK[cell])
        + "</Cells><PointData/><CellData/></Piece></UnstructuredGrid></VTKFile>"
    )


def _inp(path: Path, cell: str, x: np.ndarray, variant: str) -> None:
    numbers = [str(10 * i + 10) for i in range(len(x))]
    lines = ["1", *numbers]  # at most sixteen numbers a line, as Abaqus demands
    data = ",\n".join(", ".join(lines[i : i + 16]) for i in range(0, len(lines), 16))
    table = "\n".join(
        f"{n}, " + ", ".join(repr(float(v)) for v in row) for n, row in zip(numbers, x, strict=True)
    )
    path.write_text(f"*HEADING\nby hand\n*NODE\n{table}\n*ELEMENT, TYPE={variant}\n{data}\n")


def _exo(path: Path, cell: str, x: np.ndarray, variant: str) -> None:
    import netCDF4

    with netCDF4.Dataset(str(path), "w", format="NETCDF3_64BIT_OFFSET") as file:
        dims = {"num_nodes": len(x), "num_dim": 3, "num_elem": 1, "num_el_blk": 1,
                "num_el_in_blk1": 1, "num_nod_per_el1": len(x)}  # fmt: skip
        for name, size in dims.items():
            file.createDimension(name, size)
        for axis, column in zip("xyz", x.T, strict=True):
            file.createVariable(f"coord{axis}", "f8", ("num_nodes",))[:] = column
        file.createVariable("eb_prop1", "i4", ("num_el_blk",))[:] = 12
        cells = file.createVariable("connect1", "i4", ("num_el_in_blk1", "num_nod_per_el1"))
        cells.elem_type = EXODUS[cell]
        cells[:] = np.arange(1, len(x) + 1)[None]
