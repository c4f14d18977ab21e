# SPDX-License-Identifier: BSD-3-Clause
"""Node numbering: bodies in the same frame share common nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import Mesh, Part
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_spin import SpinSpec


@dataclass(frozen=True, slots=True)
class Member:
    """A member with nodes in the system: cells in a frame.

    Attributes
    ----------
    key : str
        Its key in the model file, for messages.
    frame : FrameSpec or str
        Motion of its frame; members with equal frames share nodes.
    part : Part
        Its cells.
    carried : int
        Vectors per node: its displacement, and its rotation if it has one.
    spin : SpinSpec, optional
        Its rotation about its own axis, which the axes of its frame do not take part in.
    internal : int
        Vectors that are no motions of nodes.
    """

    key: str
    frame: FrameSpec | str
    part: Part
    carried: int
    spin: SpinSpec | None = None
    internal: int = 0


def number_nodes(members: Sequence[Member], mesh: Mesh) -> tuple[list[Ints], int]:
    """Return numbers for the nodes of every frame.

    The rotations of the nodes of a frame are numbered after their displacements, what is internal
    to members after the nodes of all frames.

    Parameters
    ----------
    members : sequence of Member
        Bodies, masses and connectors.
    mesh : Mesh
        The mesh of their parts.

    Returns
    -------
    numbers : list of ndarray
        For every member: the numbers of the displacements of its nodes, then of their rotations,
        and of its internal vectors.
    size : int
        Number of nodes.

    Raises
    ------
    InputError
        When members in different frames share a node.
    """
    frames = [member.frame for member in members]
    different = [frame for i, frame in enumerate(frames) if frame not in frames[:i]]
    numbers: list[Ints] = [np.zeros(0, dtype=np.int64)] * len(members)
    taken = np.full(len(mesh.points), -1)
    size = 0
    for k, frame in enumerate(different):
        inside = [i for i, one in enumerate(frames) if one == frame]
        used = np.unique(np.concatenate([members[i].part.nodes for i in inside]))
        shared = used[taken[used] >= 0]
        if len(shared):
            raise InputError(
                f"{members[inside[0]].key}.frame: node {mesh.node_labels[shared[0]]} of "
                f"{mesh.source} (and {len(shared) - 1} more) belongs to bodies in different "
                "frames; expected one frame for bodies that share nodes"
            )
        taken[used] = k
        for i in inside:
            numbers[i] = size + np.searchsorted(used, members[i].part.nodes)
        size += len(used)
        turning = [i for i in inside if members[i].carried > 1]
        if turning:
            turned = np.unique(np.concatenate([members[i].part.nodes for i in turning]))
            for i in turning:
                rotations = size + np.searchsorted(turned, members[i].part.nodes)
                numbers[i] = np.concatenate([numbers[i], rotations])
            size += len(turned)
    for i, member in enumerate(members):
        own: Ints = np.arange(size, size + member.internal, dtype=np.int64)
        numbers[i] = np.concatenate([numbers[i], own])
        size += member.internal
    return numbers, size
