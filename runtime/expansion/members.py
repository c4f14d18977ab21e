# SPDX-License-Identifier: BSD-3-Clause
"""Cells of shells and beams that become solids, with their thicknesses and directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.mesh import Mesh, group_at
from flexforge.runtime.mesh.shape import shape_gradients
from flexforge.runtime.model.schema_body import BodySpec
from flexforge.runtime.model.schema_section import SectionSpec
from numpy.typing import NDArray

_NONE = 1e-10  # length of a normal or a tangent that has no direction


@dataclass(frozen=True, eq=False)
class Members:
    """The cells of one body, before they become solids.

    Attributes
    ----------
    body : int
        Number of the body.
    cell : str
        Type of the cells.
    nodes : ndarray of int64, (n, k)
        Their nodes.
    labels : ndarray of int64, (n,)
        Their numbers in the file.
    block : int
        The block of the mesh that has them.
    rows : ndarray of int64, (n,)
        Their rows there.
    along : ndarray, (n, k, 3)
        At every node of every cell a unit vector: the normal of a shell, the tangent of a beam.
    across : ndarray, (n, k, 3)
        The second direction of the cross section of a beam; that of a shell is its normal again.
    size : ndarray, (n, k, 2)
        Thickness along the normal, or those along both directions of a cross section.
    offset : tuple of float
        Where the middle is from the nodes, against these directions, in thicknesses.
    given : ndarray of bool, (n, k)
        Whether the direction is the user's.
    is_round : bool
        Whether a cross section is a circle or an ellipse.
    """

    body: int
    cell: str
    nodes: Ints
    labels: Ints
    block: int
    rows: Ints
    along: Floats
    across: Floats
    size: Floats
    offset: tuple[float, float]
    given: NDArray[np.bool_]
    is_round: bool = False

    @property
    def is_beam(self) -> bool:
        """Whether the cells are lines."""
        return CELLS[self.cell].dim == 1


def members_of(number: int, spec: BodySpec, mesh: Mesh) -> Members:
    """Return the cells of a body that is expanded.

    Parameters
    ----------
    number : int
        Of the body.
    spec : BodySpec
        The body.
    mesh : Mesh
        The mesh.

    Raises
    ------
    InputError
        For cells that are missing, of several types or without directions.
    """
    key = f"bodies[{number}]"
    least = 1 if spec.section is not None else 2
    chosen = {
        b: rows
        for b, rows in mesh.rows_of(spec.cells, least).items()
        if len(rows) and CELLS[mesh.blocks[b].cell].dim == least
    }
    if len(chosen) != 1:
        kinds = " and ".join(mesh.blocks[b].cell for b in chosen) or "no cells"
        what = "lines of a beam" if least == 1 else "triangles or quadrilaterals of a shell"
        raise InputError(f"{key}.cells: found {kinds}; expected one type of cells, {what}")
    (block, rows), *_ = chosen.items()
    cells, kind = mesh.blocks[block].nodes[rows], mesh.blocks[block].cell
    labels = mesh.blocks[block].labels[rows]
    points = mesh.points[cells]
    gradients = shape_gradients(kind, np.array(CELLS[kind].reference))
    tangents = np.einsum("ida,nax->nidx", gradients, points)
    if spec.section is not None:
        along = _unit(tangents[:, :, 0], labels, f"{key}: a tangent")
        first = np.array(spec.section.orientation, dtype=float)
        across = _unit(np.cross(along, first), labels, f"{key}.section.orientation: the normal")
        sizes, offset = _of_section(spec.section)
        size = np.broadcast_to(sizes, (*cells.shape, 2))
        given = np.zeros(cells.shape, dtype=bool)
        is_round = spec.section.is_round
        return Members(number, kind, cells, labels, block, rows, along, across, size, offset, given,
                       is_round)  # fmt: skip
    normals = _unit(np.cross(tangents[:, :, 0], tangents[:, :, 1]), labels, f"{key}: a normal")
    given = np.zeros(cells.shape, dtype=bool)
    for i, one in enumerate(spec.normals):
        found = group_at(mesh, one.group, f"{key}.normals[{i}].group")
        here = np.isin(cells, found.nodes)
        if one.cell is not None:
            here[labels != one.cell] = False
        normals[here] = np.array(one.direction) / np.linalg.norm(one.direction)
        given |= here
    layers = sum(ply.thickness for ply in spec.plies or ())
    thickness = np.full(cells.shape, spec.thickness or layers)
    for name, value in spec.thicknesses.items():
        found = group_at(mesh, name, f"{key}.thicknesses")
        thickness[np.isin(cells, found.nodes)] = value
    size = np.stack([thickness, thickness], axis=2)
    offset = (-spec.offset, 0.0)
    return Members(number, kind, cells, labels, block, rows, normals, normals, size, offset, given)


def _unit(vectors: Floats, labels: Ints, what: str) -> Floats:
    length = np.linalg.norm(vectors, axis=2, keepdims=True)
    wrong = np.flatnonzero((length <= _NONE * np.abs(length).max(initial=0.0)).any(axis=(1, 2)))
    if len(wrong):
        raise InputError(f"{what} of cell {labels[wrong[0]]} has no length; expected a direction")
    return np.asarray(vectors / length)


def _of_section(section: SectionSpec) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the thicknesses of a cross section, and the offset of the line of the nodes."""
    names = ("diameter", "diameter") if "diameter" in section.sizes else ("width", "height")
    sizes = float(section.sizes[names[0]]), float(section.sizes[names[1]])
    y, z = section.offset
    return sizes, (-y / sizes[0], -z / sizes[1])
