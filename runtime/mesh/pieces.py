# SPDX-License-Identifier: BSD-3-Clause
"""Cells of the library that stand for other cells in results and pictures."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.cells import CELLS


def pieces(cell: str, connectivity: Ints) -> tuple[str, Ints]:
    """Return the type and the nodes of the cells of the library that show cells of any type.

    Parameters
    ----------
    cell : str
        Name of the cell type.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        The cells.

    Returns
    -------
    str, ndarray of int64, (n_pieces, n_piece_nodes)
        Cells of the library as they are. Other plane cells are cut into triangles between their
        nodes, other solid ones keep the nodes of the largest cell of the library among them.
    """
    shown = CELLS[cell].pieces
    if shown is None:
        return cell, connectivity
    name, local = shown
    return name, connectivity[:, np.array(local)].reshape(-1, CELLS[name].nodes)
