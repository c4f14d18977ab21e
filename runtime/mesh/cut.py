# SPDX-License-Identifier: BSD-3-Clause
"""A mesh cut at a section: cells on one side of it get nodes of their own there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.mesh import CellBlock, Mesh


def cut_at(mesh: Mesh, section: Ints, direction: Floats, key: str) -> tuple[Mesh, Ints]:
    """Return a mesh whose cells ahead of a section have nodes of their own in it.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    section : ndarray of int64, (n,)
        Nodes of the section.
    direction : ndarray, (3,)
        Across it: cells that lie that way are ahead.
    key : str
        Where the model file has it, for messages.

    Returns
    -------
    mesh : Mesh
        With further nodes at the end, which are in the groups that have those of the section.
    ahead : ndarray of int64, (n,)
        The nodes of the section that the cells ahead have.

    Raises
    ------
    InputError
        When there are cells on one side only.
    """
    count = len(section)
    ahead = len(mesh.points) + np.arange(count)
    new = np.full(len(mesh.points), -1)
    new[section] = ahead
    blocks, sides = [], set[bool]()
    for block in mesh.blocks:
        inside = new[block.nodes] >= 0
        touched = np.flatnonzero(inside.any(axis=1))
        places = mesh.points[block.nodes[touched]]
        shares = inside[touched][:, :, None]
        middle = (places * shares).sum(axis=1) / shares.sum(axis=1)
        which = (places.mean(axis=1) - middle) @ direction
        # Facets of the section itself are of neither side.
        whole = ~inside[touched].all(axis=1)
        sides |= set((which[whole] > 0.0).tolist())
        moved = touched[whole & (which > 0.0)]
        nodes = block.nodes.copy()
        nodes[moved] = np.where(inside[moved], new[nodes[moved]], nodes[moved])
        blocks.append(CellBlock(block.cell, nodes, block.labels))
    if len(sides) < 2:
        raise InputError(
            f"{key}: found cells on one side of the section only; expected it within a body"
        )
    groups = {
        name: replace(group, nodes=_with_new(group.nodes, new))
        for name, group in mesh.groups.items()
    }
    most = int(mesh.node_labels.max(initial=0))
    labels = np.concatenate([mesh.node_labels, most + 1 + np.arange(count)])
    points = np.concatenate([mesh.points, mesh.points[section]])
    made = replace(mesh, points=points, blocks=tuple(blocks), groups=groups, node_labels=labels)
    return made, ahead


def _with_new(nodes: Ints, new: Ints) -> Ints:
    found = new[nodes]
    return np.concatenate([nodes, found[found >= 0]])
