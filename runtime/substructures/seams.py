# SPDX-License-Identifier: BSD-3-Clause
"""Where the pieces of a link are joined: at the nodes that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.substructures.cells import BodyCells
from numpy.typing import NDArray

#: Extent of nodes across a line, of the size of the mesh, below which they are on the line.
_STRAIGHT = 1e-9


@dataclass(frozen=True, slots=True)
class Seam:
    """Two pieces and the nodes, as numbered before the cut, at which they are joined.

    Attributes
    ----------
    pieces : tuple of int
        The piece with the originals of the nodes, and the one with copies.
    nodes : ndarray of int64, (n,)
        Shared nodes, ascending.
    turns : ndarray of bool, (n,)
        Whether both pieces have a rotation there.
    """

    pieces: tuple[int, int]
    nodes: Ints
    turns: NDArray[np.bool_]

    def is_firm(self, points: Floats, *, planar: bool) -> bool:
        """Whether the shared nodes hold rotations between the pieces: not a point, not a line."""
        across = points[self.nodes] - points[self.nodes].mean(axis=0)
        sizes, wanted = np.linalg.svd(across, compute_uv=False), 1 if planar else 2
        spread = len(sizes) >= wanted and sizes[wanted - 1] > _STRAIGHT * np.abs(points).max()
        return bool(self.turns.any() or spread)


def seams_of(
    bodies: Sequence[BodyCells],
    pieces: Sequence[Ints],
    names: Sequence[str],
    mesh: Mesh,
    key: str,
) -> list[Seam]:
    """Return where the pieces of a link are joined, each shared node to its first piece.

    Parameters
    ----------
    bodies : sequence of BodyCells
        The bodies on the link.
    pieces : sequence of ndarray of int64
        The piece of every cell of each of them.
    names : sequence of str
        What messages call the pieces.
    mesh : Mesh
        The mesh before the cut.
    key : str
        Where the model file asks for the pieces, for messages.

    Raises
    ------
    InputError
        For pieces that share no node with another, or nodes that do not hold their rotations.
    """
    shape = (len(names), len(mesh.points))
    own, turning = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    for body, piece in zip(bodies, pieces, strict=True):
        for k in range(len(names)):
            own[k, body.nodes[piece == k]] = True
            turning[k, body.nodes[piece == k]] |= body.turns
    first = np.argmax(own, axis=0)
    found = [
        Seam((i, k), nodes, turning[i, nodes] & turning[k, nodes])
        for k in range(1, len(names))
        for i in range(k)
        if len(nodes := np.flatnonzero(own[k] & (first == i)))
    ]
    together = list(range(len(names)))
    for seam in found:
        if seam.is_firm(mesh.points, planar=bodies[0].planar):
            least, other = sorted(together[k] for k in seam.pieces)
            together = [least if k == other else k for k in together]
    loose = [seam for seam in found if together[seam.pieces[0]] != together[seam.pieces[1]]]
    if loose:
        one, two = (names[k] for k in loose[0].pieces)
        raise InputError(
            f"{key}: {one} and {two} share {_nodes(loose[0].nodes, mesh)}, which leaves rotations "
            "open; expected a node of beams or shells, or a face"
        )
    apart = [name for name, k in zip(names, together, strict=True) if k]
    if apart:
        raise InputError(
            f"{key}: {apart[0]} shares no node with {names[0]} or what it is joined to; expected "
            "pieces that share nodes"
        )
    return found


def _nodes(nodes: Ints, mesh: Mesh) -> str:
    """Return the nodes of a seam in words."""
    first = f"node {mesh.node_labels[nodes[0]]}"
    return f"{first} alone" if len(nodes) == 1 else f"{len(nodes)} nodes on a line, such as {first}"
