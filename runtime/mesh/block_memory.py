# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a block of cells, known before it is generated."""

from __future__ import annotations

from math import prod

from flexforge.runtime.machine.memory import matrix_bytes
from flexforge.runtime.mesh.cell import Cell

#: Copies of the connectivity that exist at once while a block is generated: on the lattice, in its
#: own numbers, sorted facets (six per solid cell, half of it each), and their owners.
_COPIES = 4
#: Per box of a large block: its cells, its nodes, and the average number of nodes that share a cell
#: with one of them, counted in blocks of 12 boxes per side.
_OF_A_BOX = {
    "line2": (1, 1, 3),
    "line3": (1, 2, 4),
    "tri3": (2, 1, 7),
    "tri6": (2, 4, 11),
    "quad4": (1, 1, 9),
    "quad8": (1, 3, 15),
    "quad9": (1, 4, 16),
    "tet4": (6, 1, 15),
    "tet10": (6, 8, 27),
    "pyramid5": (6, 2, 20),
    "wedge6": (2, 1, 21),
    "wedge15": (2, 5, 39),
    "hex8": (1, 1, 27),
    "hex20": (1, 4, 57),
    "hex27": (1, 8, 64),
}


def block_bytes(cell: Cell, divisions: tuple[int, ...]) -> tuple[int, float]:
    """Return the number of cells of a block and the memory of its mesh and matrices.

    Parameters
    ----------
    cell : Cell
        The cell type.
    divisions : tuple of int
        Number of boxes along each side.
    """
    boxes = prod(divisions)
    in_box, nodes, neighbours = _OF_A_BOX[cell.name]
    cells = boxes * in_box
    mesh = 8 * _COPIES * cells * cell.nodes + 8 * 6 * boxes * nodes
    return cells, mesh + matrix_bytes(boxes * nodes * neighbours, cell.dim, cells * cell.nodes)
