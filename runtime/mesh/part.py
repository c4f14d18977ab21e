# SPDX-License-Identifier: BSD-3-Clause
"""The cells of one body, extracted from a mesh with their own numbering."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Part:
    """The cells of one type that form one body, with their own node numbers.

    Parameters
    ----------
    cell : str
        Name of the cell type.
    points : ndarray, (n, 3)
        The points of the cells, in the order of the mesh.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        Rows of `points`.
    nodes : ndarray of int64, (n,)
        Row of `Mesh.points` of each point.
    labels : ndarray of int64, (n_cells,)
        Numbers of the cells in the file.
    node_labels : ndarray of int64, (n,)
        Numbers of the nodes in the file.
    source : str
        The file.
    """

    cell: str
    points: Floats
    connectivity: Ints
    nodes: Ints
    labels: Ints
    node_labels: Ints
    source: str

    def local(self, nodes: Ints) -> Ints:
        """Return mesh nodes as nodes of the part, leaving out those that it does not have.

        Parameters
        ----------
        nodes : ndarray of int64
            Rows of `Mesh.points`.

        Returns
        -------
        ndarray of int64
            Rows of `points`, in the order given.
        """
        wanted = np.asarray(nodes, dtype=np.int64)
        if not self.nodes.size:
            return np.empty(0, dtype=np.int64)
        place = np.minimum(np.searchsorted(self.nodes, wanted), self.nodes.size - 1)
        return np.asarray(place[self.nodes[place] == wanted])


def compact(cells: Ints, n_points: int) -> tuple[Ints, Ints]:
    """Renumber the nodes of cells to the points in use.

    Parameters
    ----------
    cells : ndarray of int64, (n_cells, n_nodes)
        Rows of a table of points.
    n_points : int
        Length of that table.

    Returns
    -------
    nodes : ndarray of int64
        The rows in use, ascending.
    connectivity : ndarray of int64, (n_cells, n_nodes)
        The cells in positions of `nodes`.
    """
    used = np.zeros(n_points, dtype=bool)
    used[cells] = True
    number = np.cumsum(used) - 1
    return np.flatnonzero(used), number[cells]
