# SPDX-License-Identifier: BSD-3-Clause
"""A mesh cut into pieces: every piece has its own copy of the nodes that pieces share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.mesh.mesh import CellBlock
from flexforge.runtime.substructures.cells import BodyCells
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Cut:
    """A mesh whose cells of a link are cut into pieces.

    Attributes
    ----------
    mesh : Mesh
        The mesh. Groups have the nodes that they had: of a shared node the first piece has the
        original, and the others have copies at the end of the points.
    copy_of : tuple of ndarray of int64, (n,)
        For every piece, by nodes before the cut: its own copy; -1 of nodes that it does not have.
    """

    mesh: Mesh
    copy_of: tuple[Ints, ...]

    def of_piece(self, piece: int, nodes: Ints) -> Ints:
        """Return the copies that a piece has of nodes, as far as it has them."""
        inside = nodes[nodes < len(self.copy_of[piece])]
        found = self.copy_of[piece][inside]
        return found[found >= 0]

    def of_all(self, nodes: Ints) -> Ints:
        """Return nodes with all their copies, ascending."""
        copies = [self.of_piece(piece, nodes) for piece in range(len(self.copy_of))]
        return np.unique(np.concatenate([nodes, *copies]))


def cut_mesh(
    mesh: Mesh, bodies: Sequence[BodyCells], pieces: Sequence[Ints], others: Sequence[BodyCells]
) -> Cut:
    """Return the mesh in which pieces share no node.

    Parameters
    ----------
    mesh : Mesh
        The mesh.
    bodies : sequence of BodyCells
        The bodies of a link.
    pieces : sequence of ndarray of int64
        The piece of every cell of each of them.
    others : sequence of BodyCells
        All other bodies, whose cells stay as they are.
    """
    count, size = 1 + max(int(piece.max()) for piece in pieces), len(mesh.points)
    own = np.zeros((count, size), dtype=bool)
    for body, piece in zip(bodies, pieces, strict=True):
        for k in range(count):
            own[k, body.nodes[piece == k]] = True
    copied = own & (np.cumsum(own, axis=0) > 1)
    copy_of = np.where(own, np.arange(size), -1)
    originals = np.nonzero(copied)[1]
    copy_of[copied] = size + np.arange(len(originals))
    blocks = list(mesh.blocks)
    taken = [np.zeros(len(block.nodes), dtype=bool) for block in blocks]
    for body in (*bodies, *others):
        taken[body.block][body.rows] = True
    for body, piece in zip(bodies, pieces, strict=True):
        nodes = blocks[body.block].nodes.copy()
        nodes[body.rows] = copy_of[piece[:, None], body.nodes]
        blocks[body.block] = replace(blocks[body.block], nodes=nodes)
    # Facets, edges and points go with the first piece that has all of their nodes.
    blocks = [
        _with_copies(block, ~done, own, copy_of) for block, done in zip(blocks, taken, strict=True)
    ]
    return Cut(
        replace(
            mesh,
            points=np.vstack([mesh.points, mesh.points[originals]]),
            node_labels=np.concatenate([mesh.node_labels, mesh.node_labels[originals]]),
            blocks=tuple(blocks),
        ),
        tuple(copy_of),
    )


def _with_copies(
    block: CellBlock, chosen: NDArray[np.bool_], own: NDArray[np.bool_], copy_of: Ints
) -> CellBlock:
    """Return a block whose chosen cells have the nodes of the first piece that has them all."""
    rows = np.flatnonzero(chosen)
    nodes = block.nodes.copy()
    for piece in range(1, len(own)):
        cells = block.nodes[rows]
        inside = own[piece][cells].all(axis=1) & ~own[:piece][:, cells].all(axis=2).any(axis=0)
        nodes[rows[inside]] = copy_of[piece][cells[inside]]
    return replace(block, nodes=nodes)
