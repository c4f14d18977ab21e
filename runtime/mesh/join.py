# SPDX-License-Identifier: BSD-3-Clause
"""Several meshes in one, with group names prefixed by the mesh name."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh


def join(meshes: Mapping[str, Mesh], source: str) -> Mesh:
    """Return one mesh from several that share no nodes.

    Parameters
    ----------
    meshes : mapping of str to Mesh
        By name. The group ``xmin`` of the mesh ``rod`` becomes ``rod.xmin``; ``rod`` is all of it.
        The first may be without a name: its groups keep theirs, and its nodes their labels.
    source : str
        Name of the mesh for messages.
    """
    pieces: dict[str, list[Ints]] = {}
    groups: dict[str, Group] = {}
    count = 0
    kinds = list(dict.fromkeys(b.cell for mesh in meshes.values() for b in mesh.blocks))
    for name, mesh in meshes.items():
        merged: dict[int, tuple[int, int]] = {}  # block to its kind, and where it begins there
        for number, block in enumerate(mesh.blocks):
            so_far = pieces.setdefault(block.cell, [])
            merged[number] = kinds.index(block.cell), sum(len(nodes) for nodes in so_far)
            so_far.append(block.nodes + count)
        for group in mesh.groups.values():
            cells: dict[int, Ints] = {}
            for number, rows in group.cells.items():
                kind, first = merged[number]
                cells[kind] = np.concatenate([cells.get(kind, rows[:0]), first + rows])
            full = name if name and group.name == "all" else f"{name}.{group.name}".lstrip(".")
            groups[full] = Group(full, group.dim, cells, group.nodes + count)
        count += len(mesh.points)
    blocks = []
    for cell in kinds:
        nodes = np.concatenate(pieces[cell])
        blocks.append(CellBlock(cell, nodes, np.arange(1, len(nodes) + 1)))
    points = np.concatenate([mesh.points for mesh in meshes.values()])
    remarks = tuple(text for mesh in meshes.values() for text in mesh.remarks)
    labels = np.arange(1, count + 1)
    if "" in meshes and len(meshes[""].points):
        own = meshes[""].node_labels
        labels = np.concatenate([own, own.max() + labels[: count - len(own)]])
    return Mesh(points, tuple(blocks), groups, source, labels, remarks)
