# SPDX-License-Identifier: BSD-3-Clause
"""Pieces that the model file names: groups of cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.substructures.cells import BodyCells


def pieces_of_groups(
    groups: Sequence[str], bodies: Sequence[BodyCells], mesh: Mesh, key: str
) -> list[Ints]:
    """Return the group that every cell of the bodies on a link belongs to.

    Parameters
    ----------
    groups : sequence of str
        Names of groups of cells.
    bodies : sequence of BodyCells
        All bodies of the link.
    mesh : Mesh
        Their mesh.
    key : str
        Where the model file has the names, for messages.

    Returns
    -------
    list of ndarray of int64, (n,)
        For every body the numbers of the groups of its cells, from 0.

    Raises
    ------
    InputError
        For groups that are missing, overlap or have no cell of the link, and for cells of no group.
    """
    found = [np.full(len(body.rows), -1, dtype=np.int64) for body in bodies]
    for number, name in enumerate(groups):
        try:
            group = mesh.select(name, max(body.dim for body in bodies))
        except InputError as error:
            raise InputError(f"{key}[{number}]: {error}") from None
        count = 0
        for body, piece in zip(bodies, found, strict=True):
            none = np.zeros(0, dtype=np.int64)
            inside = np.isin(body.rows, group.cells.get(body.block, none))
            twice = np.flatnonzero(inside & (piece >= 0))
            if len(twice):
                raise InputError(
                    f"{key}: groups '{groups[piece[twice[0]]]}' and '{name}' both have cell "
                    f"{_label(body, int(twice[0]), mesh)}; expected every cell in one group"
                )
            piece[inside] = number
            count += int(inside.sum())
        if not count:
            raise InputError(
                f"{key}[{number}]: group '{name}' has no cell of a body on the link; expected some"
            )
    for body, piece in zip(bodies, found, strict=True):
        left = np.flatnonzero(piece < 0)
        if len(left):
            raise InputError(
                f"{key}: cell {_label(body, int(left[0]), mesh)} of body '{body.name}' (and "
                f"{len(left) - 1} more) is in none of the groups; expected every cell in one"
            )
    return found


def _label(body: BodyCells, row: int, mesh: Mesh) -> int:
    return int(mesh.blocks[body.block].labels[body.rows[row]])
