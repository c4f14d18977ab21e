# SPDX-License-Identifier: BSD-3-Clause
"""Where the pieces of a link are joined: at the nodes that they share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.substructures.cells import BodyCells

#: Extent of nodes across a line, of that along it, below which they are on the line.
_STRAIGHT = 1e-9


@dataclass(frozen=True, slots=True)
class Seam:
    """Two pieces and the nodes, as numbered before the cut, at which they are joined.

    Attributes
    ----------
    pieces : tuple of int
        The piece with the originals of the nodes, and the one with copies.
    nodes : ndarray of int64
        Shared nodes, ascending.
    """

    pieces: tuple[int, int]
    nodes: Ints


def seams_of(
    bodies: Sequence[BodyCells],
    pieces: Sequence[Ints],
    names: Sequence[str],
    mesh: Mesh,
    key: str,
    *,
    planar: bool,
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
    planar : bool
        Whether the bodies are plane ones.

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
        Seam((i, k), nodes)
        for k in range(1, len(names))
        for i in range(k)
        if len(nodes := np.flatnonzero(own[k] & (first == i)))
    ]
    for seam in found:
        turns = len(seam.nodes) == 1 and turning[list(seam.pieces), seam.nodes[0]].all()
        if not turns and not _holds_turns(mesh.points[seam.nodes], planar=planar):
            one, two = (names[k] for k in seam.pieces)
            raise InputError(
                f"{key}: {one} and {two} share {_nodes(seam.nodes, mesh)}, which leaves rotations "
                "open; expected a node of beams, or a face"
            )
    _require_joined(found, names, key)
    return found


def _holds_turns(
    points: np.ndarray[tuple[int, ...], np.dtype[np.float64]], *, planar: bool
) -> bool:
    """Whether the displacements of nodes at these points tell how they turn."""
    sizes = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    wanted = 1 if planar else 2
    return len(sizes) >= wanted and bool(sizes[wanted - 1] > _STRAIGHT * max(sizes[0], 1e-300))


def _nodes(nodes: Ints, mesh: Mesh) -> str:
    """Return the nodes of a seam in words."""
    first = f"node {mesh.node_labels[nodes[0]]}"
    return f"{first} alone" if len(nodes) == 1 else f"{len(nodes)} nodes on a line, such as {first}"


def _require_joined(seams: Sequence[Seam], names: Sequence[str], key: str) -> None:
    """Refuse pieces that hang together with no other."""
    together = list(range(len(names)))
    for seam in seams:
        one, two = (together[k] for k in seam.pieces)
        together = [min(one, two) if k in (one, two) else k for k in together]
    for name, group in zip(names, together, strict=True):
        if group:
            raise InputError(
                f"{key}: {name} shares no node with {names[0]} or what it is joined to; expected "
                "pieces that share nodes"
            )
