# SPDX-License-Identifier: BSD-3-Clause
"""Beams one after the other, cut into pieces of equal length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.substructures.cells import BodyCells


def pieces_along(count: int, bodies: Sequence[BodyCells], mesh: Mesh, key: str) -> list[Ints]:
    """Return the piece that every cell of beams belongs to, counted from an end of their chain.

    Cuts are at the nodes nearest to those of pieces of equal length. The chain begins at the end
    whose node comes first in the mesh.

    Parameters
    ----------
    count : int
        Number of pieces.
    bodies : sequence of BodyCells
        All beams of a link.
    mesh : Mesh
        Their mesh.
    key : str
        Where the model file has the count, for messages.

    Returns
    -------
    list of ndarray of int64, (n,)
        For every body the numbers of the pieces of its cells, from 0.

    Raises
    ------
    InputError
        For other elements than beams, more pieces than cells, and beams that are no chain.
    """
    for body in bodies:
        if body.dim != 1:
            raise InputError(
                f"{key}: found {count} with body '{body.name}' of {body.element}; expected beams, "
                "or a list of groups of cells"
            )
        if not body.turns:
            raise InputError(
                f"{key}: found {count} with body '{body.name}' of {body.element}, whose nodes have "
                "no rotations; expected beams"
            )
    ends = np.concatenate([body.nodes[:, :2] for body in bodies])
    if count > len(ends):
        raise InputError(f"{key}: found {count} pieces; expected at most {len(ends)}, the cells")
    lengths = np.concatenate([_lengths(body.nodes, mesh.points) for body in bodies])
    order = _order(ends, mesh, key)
    along = np.concatenate([[0.0], np.cumsum(lengths[order])])
    piece = np.zeros(len(ends), dtype=np.int64)
    for cut in _cuts(along, count):
        piece[order[cut:]] += 1
    sizes = np.cumsum([len(body.rows) for body in bodies])[:-1]
    return np.split(piece, sizes)


def _lengths(nodes: Ints, points: Floats) -> Floats:
    """Return the lengths of lines, (n,), along the nodes that they have between their ends."""
    inner = range(2, nodes.shape[1])
    path = points[nodes[:, [0, *inner, 1]]]
    return np.asarray(np.linalg.norm(np.diff(path, axis=1), axis=2).sum(axis=1))


def _order(ends: Ints, mesh: Mesh, key: str) -> Ints:
    """Return the cells one after the other, from the end whose node comes first."""
    at: dict[int, list[int]] = {}
    for cell, pair in enumerate(ends.tolist()):
        for node in pair:
            at.setdefault(node, []).append(cell)
    branched = [node for node, cells in at.items() if len(cells) > 2]
    if branched:
        raise InputError(
            f"{key}: found a branch of {len(at[branched[0]])} beams at node "
            f"{mesh.node_labels[branched[0]]}; expected one chain, or a list of groups of cells"
        )
    tips = sorted(node for node, cells in at.items() if len(cells) == 1)
    if len(tips) != 2:
        what = "a closed ring of beams" if not tips else f"beams with {len(tips)} ends"
        raise InputError(
            f"{key}: found {what}; expected one chain with 2 ends, or a list of groups of cells"
        )
    order: list[int] = []
    node, cell = tips[0], at[tips[0]][0]
    while True:
        order.append(cell)
        node = next(one for one in ends[cell].tolist() if one != node)
        following = [one for one in at[node] if one != cell]
        if not following:
            break
        cell = following[0]
    if len(order) < len(ends):  # two ends belong to a chain, the other cells to rings
        raise InputError(f"{key}: found a closed ring of beams; expected one chain with 2 ends")
    return np.array(order, dtype=np.int64)


def _cuts(along: Floats, count: int) -> list[int]:
    """Return how many cells come before every cut, ascending; each piece has one at least."""
    cuts: list[int] = []
    for k in range(1, count):
        wanted = along[-1] * k / count
        least = (cuts[-1] if cuts else 0) + 1
        most = len(along) - 1 - (count - k)
        nearest = int(np.argmin(np.abs(along - wanted)))
        cuts.append(min(max(nearest, least), most))
    return cuts
