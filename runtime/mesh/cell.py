# SPDX-License-Identifier: BSD-3-Clause
"""A cell type as data, and the table of all cell types by name.

The table has the cells of the library's elements, which it lists, and further ones, which it finds
by name: cells of third order that mesh files may have, and those of users' own elements.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from threading import Lock

Rows = tuple[tuple[int, ...], ...]
Points = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell type.

    Parameters
    ----------
    name, meshio : str
        Name here and in meshio; no name in meshio is empty.
    vtk : int
        Cell type number of VTK; 0 without one.
    dim, nodes, corners : int
        Dimension, number of nodes, number of corner nodes (the first ones).
    facets : tuple
        Local nodes of each facet, in outward order.
    facet_cells : tuple of str
        Name of the cell of each facet.
    edges : tuple
        The two local corners of each edge; in a cell of second order node ``corners + i`` is the
        middle of edge ``i``.
    reference : tuple
        Reference coordinates of the nodes, (nodes, dim).
    monomials : tuple
        Exponents of the monomials of the shape functions, (m, dim); for a pyramid one more, of
        ``1 - zeta``.
    centres : tuple
        The corners around each node after the mid-edge nodes: of faces, of the cell.
    functions : tuple
        Coefficient of every monomial in every shape function, (m, nodes). Without them there are as
        many monomials as nodes, and the nodes determine the functions.
    pieces : tuple, optional
        Name of the cell type that results show it as, and the local nodes of each piece; by default
        it is shown as it is.
    facet_fault : str
        Why its facets carry no pressure; empty if they do.
    """

    name: str
    meshio: str
    vtk: int
    dim: int
    nodes: int
    corners: int
    facets: Rows
    facet_cells: tuple[str, ...]
    edges: Rows
    reference: Points
    monomials: Rows
    centres: Rows = ()
    functions: Points = ()
    pieces: tuple[str, Rows] | None = None
    facet_fault: str = ""

    @property
    def quadratic(self) -> bool:
        """Whether the cell has nodes besides its corners."""
        return self.nodes > self.corners

    def facets_by_cell(self) -> dict[str, tuple[int, ...]]:
        """Return the facets of each cell type, in the order of their first one."""
        return {
            cell: tuple(i for i, one in enumerate(self.facet_cells) if one == cell)
            for cell in dict.fromkeys(self.facet_cells)
        }

    def facet_at(self, corners: set[int]) -> int:
        """Return the number of the facet with these corners."""
        return next(i for i, facet in enumerate(self.facets) if corners <= set(facet))


class CellTable(dict[str, Cell]):
    """Cells by name: it lists those of the library and also finds further ones, ``table[name]``.

    Parameters
    ----------
    library : tuple of Cell
        Cells that it lists.
    further : tuple of Cell
        Cells that it finds.
    """

    def __init__(self, library: tuple[Cell, ...], further: tuple[Cell, ...]) -> None:
        super().__init__({cell.name: cell for cell in library})
        self._further = {cell.name: cell for cell in further}
        self._lock = Lock()

    def __missing__(self, name: str) -> Cell:
        return self._further[name]

    def knows(self, name: str) -> bool:
        """Whether there is a cell of this name."""
        return name in self or name in self._further

    def known(self) -> tuple[Cell, ...]:
        """Return all cells, those of the library first."""
        return (*self.values(), *self._further.values())

    def add(self, cell: Cell) -> Cell:
        """Add a further cell and return it, or the same one that was added before.

        A name belongs to one cell for as long as the program runs. A different cell with that name
        gets a number after it: a mesh made for the first one does not fit the second.
        """
        with self._lock:
            for number in count(1):
                name = cell.name if number == 1 else f"{cell.name} ({number})"
                named = replace(cell, name=name)
                if not self.knows(name):
                    self._further[name] = named
                if self[name] == named:
                    return named
        raise AssertionError("unreachable")
