# SPDX-License-Identifier: BSD-3-Clause
"""The first coarse level of quadratic elements: linear ones between their corners (p-multigrid)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.solvers.blocks import chosen_columns
from flexforge.runtime.solvers.layout import Blocked

if TYPE_CHECKING:
    from scipy.sparse import bsr_matrix


def from_corners(blocked: Blocked) -> tuple[bsr_matrix, Ints] | None:
    """Return the interpolation from the corners of quadratic elements, and these among the rows.

    Its columns are the corners of all ranks, rank by rank. Components that are held, of nodes and
    of corners, are left out.

    Parameters
    ----------
    blocked : Blocked
        The matrix.

    Returns
    -------
    bsr_matrix, (m, n), and ndarray of int, or None
        None without quadratic elements.
    """
    linear, rows = blocked.linear(), blocked.rows
    ranks = rows.ranks
    if linear is None:
        return None
    row = np.repeat(np.arange(rows.count), np.diff(linear.indptr))
    free = blocked.free
    itself = rows.own(linear.indices) == row
    corners = np.flatnonzero(np.bincount(row[itself], minlength=rows.count) * free.any(axis=1))
    counts = ranks.gathered(len(corners))
    number = np.full(rows.count, -1.0)
    number[corners] = sum(counts[: ranks.number]) + np.arange(len(corners))
    across = rows.spread(free.astype(float)) > 0.0
    masks = free[row][:, :, None] & across[linear.indices][:, None, :]
    masked = type(linear)((linear.data * masks, linear.indices, linear.indptr), shape=linear.shape)
    found = chosen_columns(masked, rows.spread(number).astype(int))
    width = sum(counts) * rows.block
    return type(found)((found.data, found.indices, found.indptr), (found.shape[0], width)), corners
