# SPDX-License-Identifier: BSD-3-Clause
"""A mesh for the rest of the runtime: points, blocks of cells, named groups."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import InputError, nearest
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.part import Part, compact
from flexforge.runtime.mesh.relations import Followers

#: What a list of numbers of nodes begins with, in place of the name of a group.
NUMBERED = "#"
_HINTS = 3  # groups suggested at most
_SHOWN = 16  # group names listed in a message before it says "and n more"


@dataclass(frozen=True, slots=True)
class CellBlock:
    """All cells of one type.

    Parameters
    ----------
    cell : str
        Name of the cell type, see `flexforge.runtime.mesh.cells`.
    nodes : ndarray of int64, (n_cells, n_nodes)
        Rows of `Mesh.points`.
    labels : ndarray of int64, (n_cells,)
        Cell numbers in the file, for messages.
    """

    cell: str
    nodes: Ints
    labels: Ints


@dataclass(frozen=True, slots=True)
class Group:
    """A named part of a mesh.

    Parameters
    ----------
    name : str
        Its name in the file.
    dim : int
        Highest dimension of its cells, 0 for a set of nodes.
    cells : dict of int to ndarray of int64
        Block index to rows of that block.
    nodes : ndarray of int64
        Its nodes, sorted, each once.
    """

    name: str
    dim: int
    cells: dict[int, Ints]
    nodes: Ints


@dataclass(frozen=True, slots=True)
class Mesh:
    """Points, cells and groups, read or generated.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Coordinates.
    blocks : tuple of CellBlock
        One block per cell type.
    groups : dict of str to Group
        By name. A name shared by groups of several dimensions appears as ``name:volume``,
        ``name:surface``, ``name:curve``, ``name:points``.
    source : str
        The file, for messages.
    node_labels : ndarray of int64, (n,)
        Node numbers in the file.
    remarks : tuple of str
        Remarks on omissions and changes, one line each.
    followers : Followers, optional
        Nodes of no cell that move with others.

    Examples
    --------
    >>> import flexforge as ff
    >>> points, triangle = [[0, 0], [1, 0], [0, 1]], [[0, 1, 2]]
    >>> mesh = ff.mesh_from_arrays(points, {"tri3": triangle}, {"left": [0, 2]})
    >>> mesh.points.shape, mesh.blocks[0].nodes
    ((3, 3), array([[0, 1, 2]]))
    >>> mesh.groups["left"].nodes
    array([0, 2])
    """

    points: Floats
    blocks: tuple[CellBlock, ...]
    groups: dict[str, Group]
    source: str
    node_labels: Ints
    remarks: tuple[str, ...] = ()
    followers: Followers | None = None

    def __repr__(self) -> str:
        cells = [f"{len(block.nodes)} {block.cell}" for block in self.blocks]
        kinds = ", ".join([f"{len(self.points)} nodes", *cells])
        return f"{self.source}: {kinds}; {'groups ' if self.groups else ''}{self._listing()}"

    @property
    def dim(self) -> int:
        """Highest dimension of the cells.

        Examples
        --------
        >>> mesh.dim
        2
        """
        return max((CELLS[block.cell].dim for block in self.blocks), default=0)

    def select(self, name: str, dim: int | None = None) -> Group:
        """Return the group with a given name.

        Parameters
        ----------
        name : str
            The name, or ``name:kind`` if groups of several dimensions share the name; or numbers
            of nodes in the file, as in ``#3, 7, 20-25``.
        dim : int, optional
            Required dimension, if known.

        Returns
        -------
        Group

        Raises
        ------
        InputError
            If there is none, or more than one.

        Examples
        --------
        >>> mesh.select("left").dim
        0
        """
        if name in self.groups:
            return self.groups[name]
        if name.startswith(NUMBERED):
            return self._numbered(name)
        same = {
            kind: f"{name}:{kind}" for kind in KINDS.values() if f"{name}:{kind}" in self.groups
        }
        if dim is not None and KINDS[dim] in same:
            return self.groups[same[KINDS[dim]]]
        if same:
            raise InputError(
                f"{self.source}: group '{name}' is a {' and a '.join(same)}; "
                f"expected one of {', '.join(same.values())}"
            )
        raise InputError(
            f"{self.source}: no group named '{name}'{self._meant(name)}; the mesh has "
            f"{self._listing()}"
        )

    def numbered(self, nodes: Ints) -> str:
        """Return the list of numbers that :meth:`select` takes for some nodes.

        Parameters
        ----------
        nodes : ndarray of int64
            Rows of `points`.

        Examples
        --------
        >>> mesh.numbered(mesh.select("left").nodes)
        '#0, 2'
        """
        return _listed(np.unique(self.node_labels[nodes]))

    def numbered_cells(self, labels: Ints) -> str:
        """Return the list of numbers that :meth:`rows_of` takes for some cells.

        Parameters
        ----------
        labels : ndarray of int64
            Their numbers in the file.

        Examples
        --------
        >>> mesh.numbered_cells(mesh.blocks[0].labels)
        '#0'
        """
        return _listed(np.unique(labels))

    def _numbered(self, name: str) -> Group:
        """Return the nodes of a list of their numbers in the file."""
        return Group(name, 0, {}, self._places(name, self.node_labels, "node"))

    def _numbered_cells(self, name: str, least: int) -> dict[int, Ints]:
        """Return the cells of a list of their numbers in the file, as rows of every block."""
        wanted = [n for n, block in enumerate(self.blocks) if CELLS[block.cell].dim >= least]
        labels = [self.blocks[n].labels for n in wanted]
        starts = np.cumsum([0, *map(len, labels)])
        found = self._places(name, np.concatenate([np.zeros(0, np.int64), *labels]), "cell")
        which = np.searchsorted(starts, found, side="right") - 1
        return {wanted[k]: found[which == k] - starts[k] for k in np.unique(which)}

    def _places(self, name: str, labels: Ints, what: str) -> Ints:
        """Return where the numbers of a list are among labels, ascending."""
        wanted: list[Ints] = []
        for piece in name.removeprefix(NUMBERED).split(","):
            found = re.fullmatch(r"(\d{1,15})(?:\s*-\s*(\d{1,15}))?", piece.strip())
            first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
            if last < first:
                raise InputError(
                    f"found '{piece.strip()}' in '{name}'; expected numbers of {what}s such as "
                    f"{NUMBERED}3, 7, 20-25"
                )
            inside = (labels >= first) & (labels <= last)
            wanted.append(np.flatnonzero(inside))
            if not inside.any():
                raise InputError(f"{self.source}: no {what} {piece.strip()}, of '{name}'")
        return np.unique(np.concatenate(wanted))

    def _meant(self, name: str) -> str:
        """Return a hint at the group that a name was meant to be."""
        alike = [one for one in self.groups if one.lower() == name.lower()]
        side = "." + name.rpartition(".")[2]
        sides = [one for one in self.groups if "." in name and one.endswith(side)][:_HINTS]
        if alike:
            return f"; did you mean '{alike[0]}'?"
        close = nearest(name, self.groups)
        if close or not sides:
            return close
        return (
            f"; did you mean {' or '.join(map(repr, sides))}? The prefix is the name of a block of "
            "the mesh"
        )

    def part(self, group: str | None = None, cell: str | None = None) -> Part:
        """Return the cells of one body.

        Parameters
        ----------
        group : str, optional
            Name of a group of cells; all cells of the mesh's highest dimension by default.
        cell : str, optional
            The expected cell type; by default the only one there is.

        Returns
        -------
        Part

        Raises
        ------
        InputError
            If there are no such cells, or several types where one is expected.

        Examples
        --------
        >>> mesh.part().cell
        'tri3'
        """
        chosen = self.rows_of(group, 2 if cell is None else CELLS[cell].dim)
        kinds = {self.blocks[b].cell: b for b in chosen}
        where = f"{self.source}: " + (f"group '{group}'" if group else "the mesh")
        if not kinds:
            raise InputError(f"{where} has no cells; expected {cell or 'solid or plane cells'}")
        if cell is None and len(kinds) > 1:
            raise InputError(
                f"{where} mixes {' and '.join(kinds)}; expected one kind of cell in a body: "
                "make a group of each"
            )
        if cell is not None and set(kinds) != {cell}:
            raise InputError(f"{where} has {' and '.join(kinds)} cells; expected {cell} only")
        name, index = next(iter(kinds.items()))
        block, rows = self.blocks[index], chosen[index]
        cells = block.nodes[rows]
        nodes, connectivity = compact(cells, len(self.points))
        return Part(
            name,
            self.points[nodes],
            connectivity,
            nodes,
            block.labels[rows],
            self.node_labels[nodes],
            self.source,
        )

    def scaled(self, factor: float) -> Mesh:
        """Return the mesh with its coordinates multiplied by a factor.

        Examples
        --------
        >>> float(mesh.scaled(1e-3).points.max())
        0.001
        """
        return replace(self, points=self.points * factor)

    def with_remarks(self, remarks: Sequence[str]) -> Mesh:
        """Return the mesh with further remarks.

        Examples
        --------
        >>> mesh.with_remarks(["two triangles were left out"]).remarks
        ('two triangles were left out',)
        """
        return replace(self, remarks=(*self.remarks, *remarks))

    def _listing(self) -> str:
        """Return the names of the groups, or the first of many."""
        if not self.groups:
            is_gmsh = self.source.lower().endswith(".msh")
            hint = " (Gmsh writes those of the command Physical)" if is_gmsh else ""
            return f"no {'physical ' * is_gmsh}groups{hint}"
        shown = ", ".join(list(self.groups)[:_SHOWN])
        more = len(self.groups) - _SHOWN
        return shown + (f" and {more} more" if more > 0 else "")

    def rows_of(self, name: str | None = None, least: int = 2) -> dict[int, Ints]:
        """Return the rows of every block; points and lines only where an element needs them.

        Parameters
        ----------
        name : str, optional
            Name of a group of cells, or their numbers in the file, as in ``#3, 7, 20-25``; all
            cells of the mesh's highest dimension by default.
        least : int
            Dimension of the cells of the element.

        Examples
        --------
        >>> mesh.rows_of()
        {0: array([0])}
        """
        least = min(least, 2)
        if name is None:
            top = self.dim
            return {
                i: np.arange(len(block.nodes))
                for i, block in enumerate(self.blocks)
                if CELLS[block.cell].dim == top and top >= least
            }
        if name.startswith(NUMBERED):
            return self._numbered_cells(name, least)
        group = self.select(name, self.dim)
        return {
            i: rows
            for i, rows in group.cells.items()
            if CELLS[self.blocks[i].cell].dim == group.dim and group.dim >= least
        }


def _listed(labels: Ints) -> str:
    """Return ascending numbers as a list of them and of ranges."""
    runs = np.split(labels, np.flatnonzero(np.diff(labels) > 1) + 1)
    pieces = [f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    return NUMBERED + ", ".join(pieces)


def group_at(mesh: Mesh, name: str, key: str) -> Group:
    """Return a group that a key of the model file names.

    Raises
    ------
    InputError
        As of :meth:`Mesh.select`, with the key before it.
    """
    try:
        return mesh.select(name)
    except InputError as error:
        raise InputError(f"{key}: {error}") from None
