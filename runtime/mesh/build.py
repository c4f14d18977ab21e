# SPDX-License-Identifier: BSD-3-Clause
"""The common target of all readers: numbered nodes, numbered cells and sets become a `Mesh`.

Files number their nodes and cells arbitrarily; here the numbers become rows, cells of one type from
several pieces are joined into one block, and names shared by several dimensions become distinct.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh
from numpy.typing import NDArray

#: Largest number of a node or cell that is exact when read as a double.
_EXACT = 2.0**53


def whole(numbers: NDArray[Any], source: str) -> Ints:
    """Return numbers of nodes, cells or entities that a file may store as doubles.

    Raises
    ------
    InputError
        If one is not finite, or too large to be exact.
    """
    found = np.asarray(numbers)
    if found.dtype.kind == "f" and not np.all(np.abs(found) <= _EXACT):
        wrong = found[~(np.abs(found) <= _EXACT)].ravel()[0]
        raise InputError(f"{source}: found {wrong:g}; expected a whole number")
    return found.astype(np.int64)


class MeshBuilder:
    """Collects the content of a file, with the numbers of the file.

    Parameters
    ----------
    source : str
        The file, for messages.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self._labels: list[Ints] = []
        self._points: list[Floats] = []
        self._cells: dict[str, list[Ints]] = {}
        self._cell_labels: dict[str, list[Ints]] = {}
        self._groups: dict[tuple[str, int], tuple[dict[str, list[Ints]], list[Ints]]] = {}
        self._remarks: list[str] = []

    def add_nodes(self, labels: Ints | Floats, points: Floats) -> None:
        """Add nodes: whole numbers (n,) and coordinates (n, 2 or 3)."""
        full = np.zeros((len(labels), 3))
        full[:, : points.shape[1]] = points
        numbers = whole(labels, self.source)
        if not np.isfinite(full).all():
            row, axis = np.argwhere(~np.isfinite(full))[0]
            raise InputError(
                f"{self.source}: node {numbers[row]}: a coordinate is {full[row, axis]}; expected "
                "finite numbers"
            )
        self._labels.append(numbers)
        self._points.append(full)

    def add_cells(self, cell: str, nodes: Ints, labels: Ints) -> Ints:
        """Add cells of one type, with nodes by number; return their positions within that type."""
        start = sum(len(piece) for piece in self._cells.get(cell, []))
        rows = np.asarray(nodes, dtype=np.int64).reshape(-1, CELLS[cell].nodes)
        self._cells.setdefault(cell, []).append(rows)
        self._cell_labels.setdefault(cell, []).append(np.asarray(labels, dtype=np.int64))
        return np.arange(start, start + len(rows))

    def add_to_group(self, name: str, cell: str, places: Ints) -> None:
        """Add cells (type and positions within that type) to a group of their dimension."""
        cells, _ = self._groups.setdefault((name, CELLS[cell].dim), ({}, []))
        cells.setdefault(cell, []).append(places)

    def add_facets(
        self, name: str, cell: str, nodes: Ints, labels: Ints, corners: Sequence[int]
    ) -> None:
        """Add the facets of cells that have some of their corners, as members of a group.

        Parameters
        ----------
        name : str
            Of the group.
        cell, nodes, labels
            As of :meth:`add_cells`.
        corners : sequence of int
            Local nodes of the facet.
        """
        kind = CELLS[cell]
        number = kind.facet_at(set(corners))
        facet = kind.facet_cells[number]
        self.add_to_group(name, facet, self.add_cells(facet, nodes[:, kind.facets[number]], labels))

    def add_node_group(self, name: str, labels: Ints) -> None:
        """Add nodes, by number, to a group of nodes."""
        _, nodes = self._groups.setdefault((name, 0), ({}, []))
        nodes.append(np.asarray(labels, dtype=np.int64))

    def remark(self, text: str) -> None:
        """Record a remark on the file for the reader of the results."""
        self._remarks.append(f"{self.source}: {text}")

    def mesh(self, *, of_nodes: bool = False) -> Mesh:
        """Join everything, check that every number used is defined, and name the groups.

        Parameters
        ----------
        of_nodes : bool
            Whether nodes alone are a mesh, those of springs and masses.
        """
        if not self._labels or not (self._cells or of_nodes):
            raise InputError(f"{self.source}: no nodes or no cells found; expected a mesh")
        labels = np.concatenate(self._labels)
        rows = _Rows(labels, self.source)
        blocks = []
        for cell, pieces in self._cells.items():
            numbers = np.concatenate(self._cell_labels[cell])
            nodes = rows.of_cells(np.concatenate(pieces), numbers, cell)
            blocks.append(CellBlock(cell, nodes, numbers))
        index = {block.cell: i for i, block in enumerate(blocks)}
        groups: dict[tuple[str, int], Group] = {}
        for (name, dim), (cells, node_lists) in self._groups.items():
            chosen = {index[cell]: np.unique(np.concatenate(p)) for cell, p in cells.items()}
            parts = [blocks[i].nodes[places].ravel() for i, places in chosen.items()]
            parts += [self._present(rows, piece, name) for piece in node_lists]
            groups[name, dim] = Group(name, dim, chosen, np.unique(np.concatenate(parts)))
        points = np.concatenate(self._points)
        named = distinct_names(groups)
        return Mesh(points, tuple(blocks), named, self.source, labels, tuple(self._remarks))

    def _present(self, rows: _Rows, numbers: Ints, name: str) -> Ints:
        """Return the rows of the nodes of a set, with a remark about undefined ones."""
        found, known = rows.find(numbers)
        if not known.all():
            missing = numbers[~known]
            self.remark(
                f"group '{name}' names {missing.size} nodes that the file does not define, the "
                f"first is {missing[0]}; they are left out"
            )
        return found[known]


class _Rows:
    """Maps node numbers of the file to rows."""

    def __init__(self, labels: Ints, source: str) -> None:
        self.order = np.argsort(labels, kind="stable")
        self.sorted = labels[self.order]
        self.source = source
        twice = np.flatnonzero(self.sorted[1:] == self.sorted[:-1])
        if twice.size:
            raise InputError(f"{source}: node {self.sorted[twice[0]]} is defined twice")

    def find(self, numbers: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """Return the row of each number, and whether there is one."""
        place = np.minimum(np.searchsorted(self.sorted, numbers), len(self.sorted) - 1)
        return self.order[place], self.sorted[place] == numbers

    def of_cells(self, nodes: Ints, labels: Ints, cell: str) -> Ints:
        found, known = self.find(nodes)
        if not known.all():
            row, column = np.argwhere(~known)[0]
            raise InputError(
                f"{self.source}: cell {labels[row]} ({cell}) uses node {nodes[row, column]}, "
                "which the file does not define"
            )
        return found


def distinct_names(groups: Mapping[tuple[str, int], Group]) -> dict[str, Group]:
    """Give each group a unique name.

    One name may refer to a volume and to its boundary. To clamp one where the other was meant must
    not happen silently, so the kind is appended to both names. A set of nodes that merely repeats
    the nodes of the cells of the same name is dropped.

    Parameters
    ----------
    groups : mapping
        Groups by name and dimension.

    Returns
    -------
    dict of str to Group
    """
    by_name: dict[str, list[Group]] = {}
    for (name, _), group in groups.items():
        by_name.setdefault(name, []).append(group)
    named: dict[str, Group] = {}
    for name, same in by_name.items():
        solid = [group for group in same if group.cells]
        kept = [
            group
            for group in same
            if group.cells or not any(np.array_equal(group.nodes, one.nodes) for one in solid)
        ]
        for group in kept:
            full = name if len(kept) == 1 else f"{name}:{KINDS[group.dim]}"
            named[full] = Group(full, group.dim, group.cells, group.nodes)
    return named
