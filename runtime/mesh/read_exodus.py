# SPDX-License-Identifier: BSD-3-Clause
"""Exodus II files: element blocks, node sets, side sets.

This reader uses netCDF4 and not meshio because meshio (5.3.5) returns hex20 in Exodus's own
numbering, misnames four-node tetrahedra, and drops block names and side sets. Numbering: Exodus II,
a finite element data model (SAND92-2137), section 4.8; sides: table 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.machine.child import try_in_child
from flexforge.runtime.mesh.build import MeshBuilder
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import Mesh

_KINDS = {
    "HEX": {8: "hex8", 20: "hex20", 27: "hex27"}, "TET": {4: "tet4", 10: "tet10"},
    "WEDGE": {6: "wedge6", 15: "wedge15"}, "PYRAMID": {5: "pyramid5"},
    "TRI": {3: "tri3", 6: "tri6"}, "QUAD": {4: "quad4", 8: "quad8", 9: "quad9"},
    "SHELL": {3: "tri3", 6: "tri6", 4: "quad4", 8: "quad8", 9: "quad9"},
    "BAR": {2: "line2", 3: "line3"}, "BEAM": {2: "line2", 3: "line3"},
    "TRUSS": {2: "line2", 3: "line3"}, "EDGE": {2: "line2", 3: "line3"},
    "SPHERE": {1: "point1"}, "NODE": {1: "point1"},
}  # fmt: skip
# Exodus numbers the vertical edges of a hexahedron or a wedge before those of its top, and the
# centre of a hexahedron before the faces -z +z -x +x -y +y.
_HEX20 = [*range(12), *range(16, 20), *range(12, 16)]
_WEDGE15 = [*range(9), *range(12, 15), *range(9, 12)]
ORDER = {"wedge15": _WEDGE15, "hex20": _HEX20, "hex27": [*_HEX20, 23, 24, 25, 26, 21, 22, 20]}
_SIDES = {
    "hex": (
        (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (0, 4, 7, 3), (0, 3, 2, 1), (4, 5, 6, 7),
    ),
    "tet": ((0, 1, 3), (1, 2, 3), (0, 3, 2), (0, 2, 1)),
    "wedge": ((0, 1, 4, 3), (1, 2, 5, 4), (0, 3, 5, 2), (0, 2, 1), (3, 4, 5)),
    "pyramid": ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4), (0, 3, 2, 1)),
    "tri": ((0, 1), (1, 2), (2, 0)),
    "quad": ((0, 1), (1, 2), (2, 3), (3, 0)),
}  # fmt: skip


def read_exodus(path: Path) -> Mesh:
    """Read an Exodus II file.

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
        If the library netCDF4 is missing, or the file contains unsupported cells.
    """
    try:
        import netCDF4
    except ImportError:
        raise InputError(
            f"{path}: Exodus files need the library netCDF4, which is not installed "
            "(pip install netCDF4)"
        ) from None

    def read() -> Mesh:
        with netCDF4.Dataset(str(path)) as file:
            file.set_auto_mask(False)
            return _Reader(path, file).read()

    try_in_child(read, path)  # a damaged file can put the library into an endless loop
    return read()


class _Reader:
    def __init__(self, path: Path, file: Any) -> None:
        self.path, self.variables = path, file.variables
        self.dims = {name: len(one) for name, one in file.dimensions.items()}
        largest = max(self.dims.values(), default=0)
        if largest > path.stat().st_size:  # a damaged number must not allocate all memory
            raise InputError(
                f"{path}: is damaged: declares {largest} entries, more than the file can hold"
            )
        self.build = MeshBuilder(str(path))
        self.blocks: list[tuple[str, Ints, Ints]] = []  # cell, nodes by number, numbers

    def read(self) -> Mesh:
        count = self.dims.get("num_nodes", 0)
        self.node_labels = self._map(("node_num_map",), count)
        self.cell_labels = self._map(("elem_num_map", "elem_map"), self.dims.get("num_elem", 0))
        if "coord" in self.variables:
            points = np.asarray(self.variables["coord"][:], dtype=float).T
        else:
            axes = [f"coord{a}" for a in "xyz" if f"coord{a}" in self.variables]
            columns = [np.asarray(self.variables[a][:], dtype=float) for a in axes]
            points = np.column_stack(columns) if columns else np.empty((count, 0))
        self.build.add_nodes(self.node_labels, points)
        start = 0
        for i, name in enumerate(self._names("eb", self.dims.get("num_el_blk", 0)), start=1):
            start = self._block(i, name, start)
        for i, name in enumerate(self._names("ns", self.dims.get("num_node_sets", 0)), start=1):
            if f"node_ns{i}" in self.variables:
                places = np.asarray(self.variables[f"node_ns{i}"][:], dtype=np.int64) - 1
                self.build.add_node_group(name, self.node_labels[places])
        for i, name in enumerate(self._names("ss", self.dims.get("num_side_sets", 0)), start=1):
            if f"elem_ss{i}" in self.variables:
                self._sides(i, name)
        return self.build.mesh()

    def _map(self, names: tuple[str, ...], count: int) -> Ints:
        for name in names:
            if name in self.variables:
                return np.asarray(self.variables[name][:], dtype=np.int64)
        return np.arange(1, count + 1)

    def _names(self, kind: str, count: int) -> list[str]:
        """Return names of blocks or sets; one without a name is named by its number."""
        ids = self._map((f"{kind}_prop1",), count)
        names = [""] * count
        if f"{kind}_names" in self.variables:
            rows = self.variables[f"{kind}_names"][:]
            names = [b"".join(row).split(b"\0")[0].decode("utf-8", "replace") for row in rows]
        return [name.strip() or str(number) for name, number in zip(names, ids, strict=True)]

    def _block(self, i: int, name: str, start: int) -> int:
        if f"connect{i}" not in self.variables:  # an empty block
            return start
        variable = self.variables[f"connect{i}"]
        rows = np.asarray(variable[:], dtype=np.int64)
        kind = str(variable.elem_type).upper().strip("\0 ")
        family = next((f for f in sorted(_KINDS, key=len)[::-1] if kind.startswith(f)), "")
        cell = _KINDS.get(family, {}).get(rows.shape[1])
        if cell is None:
            raise InputError(
                f"{self.path}: block '{name}' has cells {kind} with {rows.shape[1]} nodes, which "
                f"are not supported; expected {', '.join(CELLS)}"
            )
        rows = rows[:, ORDER[cell]] if cell in ORDER else rows
        nodes = self.node_labels[rows - 1]
        labels = self.cell_labels[start : start + len(rows)]
        self.build.add_to_group(name, cell, self.build.add_cells(cell, nodes, labels))
        self.blocks.append((cell, nodes, labels))
        return start + len(rows)

    def _sides(self, i: int, name: str) -> None:
        """Turn a side set into cells of one dimension less."""
        elements = np.asarray(self.variables[f"elem_ss{i}"][:], dtype=np.int64) - 1
        sides = np.asarray(self.variables[f"side_ss{i}"][:], dtype=np.int64)
        start = 0
        for cell, nodes, labels in self.blocks:
            here = (elements >= start) & (elements < start + len(nodes))
            faces: tuple[tuple[int, ...], ...] = _SIDES.get(cell.rstrip("0123456789"), ())
            # In space a plane cell is a shell: sides 1 and 2 are its faces, followed by its edges.
            shift = 2 if CELLS[cell].dim == 2 and self.dims.get("num_dim", 3) == 3 else 0
            for number in np.unique(sides[here]):
                chosen = elements[here & (sides == number)] - start
                self._side(name, cell, nodes[chosen], labels[chosen], faces, int(number) - shift)
            start += len(nodes)

    def _side(
        self,
        name: str,
        cell: str,
        nodes: Ints,
        labels: Ints,
        faces: tuple[tuple[int, ...], ...],
        number: int,
    ) -> None:
        if number <= 0:
            self.build.add_to_group(name, cell, self.build.add_cells(cell, nodes, labels))
        elif number <= len(faces):
            self.build.add_facets(name, cell, nodes, labels, faces[number - 1])
