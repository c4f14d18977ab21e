# SPDX-License-Identifier: BSD-3-Clause
"""What a mesh holds: size, cells with their quality, groups."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS, KINDS
from flexforge.runtime.mesh.check import orphan_remarks
from flexforge.runtime.mesh.mesh import CellBlock, Mesh
from flexforge.runtime.mesh.shape import shape_gradients

_CHUNK = 1 << 14  # cells at a time: bounds the memory
_POOR = 0.1


@dataclass(frozen=True, slots=True)
class CellReport:
    """The cells of one type.

    Attributes
    ----------
    cell : str
        The type.
    count : int
        Number of cells.
    edges : tuple of float
        Shortest and longest distance of the corners of an edge, in the unit of the file.
    ratio : tuple of float
        Lowest and median ratio of the smallest to the largest Jacobian of a cell, at its nodes and
        its centre: 1 for a parallelepiped or a straight simplex, negative for a folded cell.
    worst : int
        Number in the file of the cell with the lowest ratio.
    poor : int
        Number of cells with a ratio below 0.1.
    """

    cell: str
    count: int
    edges: tuple[float, float]
    ratio: tuple[float, float]
    worst: int
    poor: int

    def line(self) -> str:
        """Return the report as a line of text."""
        text = f"{self.count} {self.cell}: edges {self.edges[0]:.4g} to {self.edges[1]:.4g}"
        if CELLS[self.cell].dim == 1:
            return text
        text += f"; Jacobian ratio {self.ratio[1]:.3g}, lowest {self.ratio[0]:.3g} "
        return f"{text}(cell {self.worst}), {self.poor} below {_POOR:g}"


@dataclass(frozen=True, slots=True)
class MeshReport:
    """A mesh in figures; lengths in the unit of the file.

    Attributes
    ----------
    source : str
        The file.
    nodes : int
        Number of nodes.
    box : tuple of two tuples
        Lowest and highest coordinates.
    cells : tuple of CellReport
        One per type, those of the highest dimension first.
    groups : dict
        Kind, cells and nodes of every group, by name.
    remarks : tuple of str
        Omissions and changes.
    """

    source: str
    nodes: int
    box: tuple[tuple[float, ...], tuple[float, ...]]
    cells: tuple[CellReport, ...]
    groups: dict[str, tuple[str, int, int]]
    remarks: tuple[str, ...]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Return the report as plain data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*self.box, strict=True))
        lines = [f"{self.source}: {self.nodes} nodes, {size}"]
        lines += [f"  {one.line()}" for one in self.cells]
        width = max((len(name) for name in self.groups), default=0)
        lines += ["groups:" if self.groups else "no groups"]
        lines += [
            f"  {name.ljust(width)}  {kind}, {f'{cells} cells, ' if cells else ''}{nodes} nodes"
            for name, (kind, cells, nodes) in self.groups.items()
        ]
        return [*lines, *(f"remark: {text}" for text in self.remarks)]


def describe(mesh: Mesh) -> MeshReport:
    """Return a mesh in figures.

    Parameters
    ----------
    mesh : Mesh
        The mesh, in the unit of its file.
    """
    blocks = sorted(mesh.blocks, key=lambda block: -CELLS[block.cell].dim)
    return MeshReport(
        mesh.source,
        len(mesh.points),
        (tuple(mesh.points.min(axis=0).tolist()), tuple(mesh.points.max(axis=0).tolist())),
        tuple(_cells(mesh.points, block) for block in blocks),
        {name: (KINDS[group.dim], sum(len(rows) for rows in group.cells.values()), len(group.nodes))
         for name, group in mesh.groups.items()},
        (*mesh.remarks, *orphan_remarks(mesh)),
    )  # fmt: skip


def _cells(points: Floats, block: CellBlock) -> CellReport:
    kind = CELLS[block.cell]
    ends = np.array(kind.edges or ((0, 1),)) if kind.dim else np.zeros((1, 2), dtype=int)
    pairs = block.nodes[:, ends]
    lengths = np.linalg.norm(points[pairs[..., 1]] - points[pairs[..., 0]], axis=-1)
    ratios = _ratios(points, block.cell, block.nodes) if kind.dim > 1 else np.ones(len(pairs))
    worst = int(np.argmin(ratios))
    return CellReport(
        block.cell,
        len(block.nodes),
        (float(lengths.min()), float(lengths.max())),
        (float(ratios[worst]), float(np.median(ratios))),
        int(block.labels[worst]),
        int((ratios < _POOR).sum()),
    )


def _ratios(points: Floats, cell: str, connectivity: Ints) -> Floats:
    """Return the smallest Jacobian over the largest of each cell, at its nodes and its centre."""
    kind = CELLS[cell]
    reference = np.array(kind.reference)
    places = np.vstack([reference, reference[: kind.corners].mean(axis=0)])
    gradients = shape_gradients(cell, places)
    flat = bool(kind.dim == 2 and not np.ptp(points[:, 2]))
    found = np.empty(len(connectivity))
    for start in range(0, len(connectivity), _CHUNK):
        chunk = points[connectivity[start : start + _CHUNK]]
        jacobian = np.einsum("gdn,cnx->cgdx", gradients, chunk)
        if kind.dim == 3:
            values = np.linalg.det(jacobian)
        else:
            normals = np.cross(jacobian[:, :, 0], jacobian[:, :, 1])
            # A facet in space is judged against its mean normal, a plane cell against z.
            mean = normals.mean(axis=1) if not flat else np.array([[0.0, 0.0, 1.0]])
            length = np.linalg.norm(mean, axis=-1, keepdims=True)
            values = np.einsum("cgx,cx->cg", normals, np.broadcast_to(
                mean / np.maximum(length, np.finfo(float).tiny), (len(chunk), 3)))  # fmt: skip
        most = np.abs(values).max(axis=1)
        found[start : start + len(chunk)] = values.min(axis=1) / np.where(most > 0, most, 1.0)
    return found
