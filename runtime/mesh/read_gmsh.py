# SPDX-License-Identifier: BSD-3-Clause
"""Gmsh's .msh files, versions 2.2, 4.0 and 4.1, text and binary, with every physical group.

This reader replaces meshio because meshio (5.3.5) keeps only the first physical group of an entity,
loses one of two groups that share a name across dimensions, stops when part of a 4.1 mesh belongs
to no physical group, and accepts truncated files.
Format: Gmsh reference manual, "MSH file format".
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.reading import read_bytes
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.build import MeshBuilder
from flexforge.runtime.mesh.cells import CELLS, SUPPORTED
from flexforge.runtime.mesh.gmsh_sections import Sections
from flexforge.runtime.mesh.mesh import Mesh

_TYPES = {
    1: "line2", 2: "tri3", 3: "quad4", 4: "tet4", 5: "hex8", 6: "wedge6", 7: "pyramid5", 8: "line3",
    9: "tri6", 10: "quad9", 11: "tet10", 12: "hex27", 15: "point1", 16: "quad8", 17: "hex20",
    18: "wedge15", 21: "tri10", 26: "line4",
}  # fmt: skip
_OTHER_TYPES = {13: "prism18", 14: "pyramid14", 19: "pyramid13"}
_HEX20 = [0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 9, 16, 18, 19, 17, 10, 12, 14, 15]
# Our node i is Gmsh's node ORDER[i]; all other cells are numbered alike.
ORDER = {
    "tet10": [0, 1, 2, 3, 4, 5, 6, 7, 9, 8],
    "wedge15": [0, 1, 2, 3, 4, 5, 6, 9, 7, 12, 14, 13, 8, 10, 11],
    "hex20": _HEX20,
    "hex27": [*_HEX20, 22, 23, 21, 24, 20, 25, 26],
}


def read_gmsh(path: Path) -> Mesh:
    """Read a .msh file.

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
        If it is truncated, of another version, or contains unsupported cells.
    """
    data = read_bytes(path, "a mesh file")
    header = re.match(
        rb"\s*(?:\$Comments.*?\$EndComments\s*)?\$MeshFormat\s+(\S+) (\d) (\d)", data, re.DOTALL
    )
    if header is None:
        raise InputError(f"{path}: no $MeshFormat at its start; expected a Gmsh .msh file")
    version, binary, size = header[1].decode(), header[2] == b"1", int(header[3])
    if version not in ("2", "2.2", "4", "4.0", "4.1"):
        raise InputError(f"{path}: is .msh version {version}; expected 2.2, 4.0 or 4.1")
    old = version in ("4", "4.0")  # Gmsh writes "4"; its blocks have a different structure
    if old and binary:
        raise InputError(f"{path}: is a binary .msh of version 4.0; expected text, or 4.1")
    if binary and not _little_endian(data, header.end()):
        raise InputError(f"{path}: is a big-endian file; expected little-endian or text")
    if b"$PartitionedEntities" in data:
        raise InputError(f"{path}: is a partitioned mesh; expected an unpartitioned one")
    file = Sections(path, data, binary, size)
    if version.startswith("2"):
        return _read_2(file)
    return _read_40(file) if old else _read_41(file)


def _little_endian(data: bytes, end: int) -> bool:
    start = data.find(b"\n", end) + 1
    return data[start : start + 4] == b"\x01\x00\x00\x00"


def _cell(path: Path, number: int) -> str:
    if number in _TYPES:
        return _TYPES[number]
    name = _OTHER_TYPES.get(number, "of another kind")
    raise InputError(
        f"{path}: has cells {name} (Gmsh type {number}), which are not supported; "
        f"expected {', '.join(SUPPORTED)}"
    )


def _ordered(cell: str, nodes: Ints) -> Ints:
    return nodes[:, ORDER[cell]] if cell in ORDER else nodes


def _read_40(file: Sections) -> Mesh:
    build = MeshBuilder(str(file.path))
    nodes = file.cursor("Nodes")
    for _ in range(int(nodes.sizes(2)[0])):
        _, dim, parametric = nodes.ints(3)
        count = int(nodes.sizes(1)[0])
        width = 4 + (int(dim) if parametric else 0)
        rows = nodes.doubles(count * width).reshape(count, width)
        build.add_nodes(rows[:, 0], rows[:, 1:4])
    return _with_cells(build, file, _entities(file, 6), 2, 1)


def _read_41(file: Sections) -> Mesh:
    build = MeshBuilder(str(file.path))
    nodes = file.cursor("Nodes")
    for _ in range(int(nodes.sizes(4)[0])):
        dim, _, parametric = nodes.ints(3)
        count = int(nodes.sizes(1)[0])
        labels = nodes.sizes(count)
        width = 3 + (int(dim) if parametric else 0)
        build.add_nodes(labels, nodes.doubles(count * width).reshape(count, width)[:, :3])
    return _with_cells(build, file, _entities(file, 3), 4, 0)


def _with_cells(
    build: MeshBuilder,
    file: Sections,
    groups: dict[tuple[int, int], list[int]],
    sizes: int,
    dim: int,
) -> Mesh:
    """Return the mesh with the cells of all entities, and their groups.

    The section begins with so many ``sizes``; ``dim`` is the place of an entity's dimension, which
    stands beside its number.
    """
    names, cells = file.names(), file.cursor("Elements")
    for _ in range(int(cells.sizes(sizes)[0])):
        *entity, number = (int(one) for one in cells.ints(3))
        cell = _cell(file.path, number)
        width = 1 + CELLS[cell].nodes
        rows = cells.sizes(int(cells.sizes(1)[0]) * width).reshape(-1, width)
        places = build.add_cells(cell, _ordered(cell, rows[:, 1:]), rows[:, 0])
        for tag in groups.get((entity[dim], entity[1 - dim]), []):
            build.add_to_group(names.get((entity[dim], tag), str(tag)), cell, places)
    return build.mesh()


def _entities(file: Sections, point: int) -> dict[tuple[int, int], list[int]]:
    """Return the physical groups of every entity; a negative number only means reversed.

    ``point`` is the number of coordinates of a point: in version 4.0 a box, as for all others.
    """
    found: dict[tuple[int, int], list[int]] = {}
    if file.body("Entities") is None:
        return found
    section = file.cursor("Entities")
    for dim, count in enumerate(section.sizes(4)):
        for _ in range(int(count)):
            tag = int(section.ints(1)[0])
            section.doubles(6 if dim else point)
            physical = section.ints(int(section.sizes(1)[0]))
            found[dim, tag] = sorted({abs(int(one)) for one in physical})
            if dim:
                section.ints(int(section.sizes(1)[0]))
    return found


def _read_2(file: Sections) -> Mesh:
    build = MeshBuilder(str(file.path))
    names = file.names()
    nodes = file.cursor("Nodes")
    build.add_nodes(*nodes.points(nodes.count()))
    cells = file.cursor("Elements")
    kinds: dict[str, list[tuple[Ints, Ints, Ints]]] = {}
    for number, labels, tags, connectivity in cells.runs(
        cells.count(), lambda number: CELLS[_cell(file.path, number)].nodes
    ):
        kinds.setdefault(_TYPES[number], []).append((labels, tags, connectivity))
    for cell, parts in kinds.items():
        labels, tags, connectivity = (np.concatenate(column) for column in zip(*parts, strict=True))
        first, place = _merged(connectivity)
        places = build.add_cells(cell, _ordered(cell, connectivity[first]), labels[first])
        for tag in np.unique(tags[tags > 0]):
            name = names.get((CELLS[cell].dim, int(tag)), str(tag))
            build.add_to_group(name, cell, places[np.unique(place[tags == tag])])
    return build.mesh()


def _merged(nodes: Ints) -> tuple[Ints, Ints]:
    """Find repeated cells: version 2.2 repeats a cell for each physical group.

    Returns the rows to keep, in file order, and for every row its position among them.
    """
    key = np.sort(nodes, axis=1)
    order = np.lexsort(key.T)
    new = np.ones(len(key), dtype=bool)
    new[1:] = (key[order[1:]] != key[order[:-1]]).any(axis=1)
    number = np.cumsum(new) - 1
    first = order[new]  # lexsort is stable: the earliest of each
    rank = np.argsort(np.argsort(first))
    place = np.empty(len(key), dtype=np.int64)
    place[order] = rank[number]
    return np.sort(first), place
