# SPDX-License-Identifier: BSD-3-Clause
"""The cells of all bodies on a link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.system.elements import element_of


@dataclass(frozen=True, slots=True)
class BodyCells:
    """The cells of a body.

    Attributes
    ----------
    body : int
        Number of the body in the model.
    name, element : str
        Names of the body and of its element.
    block : int
        Number of their block in the mesh.
    rows : ndarray of int64, (n,)
        Their rows in this block.
    nodes : ndarray of int64, (n, k)
        Their nodes, rows of the points of the mesh.
    dim : int
        Their dimension.
    turns : bool
        Whether nodes have rotations.
    planar : bool
        Whether it is one of the plane.
    """

    body: int
    name: str
    element: str
    block: int
    rows: Ints
    nodes: Ints
    dim: int
    turns: bool
    planar: bool


def cells_of(number: int, model: ModelSpec, mesh: Mesh) -> BodyCells:
    """Return the cells of a body.

    Parameters
    ----------
    number : int
        Number of the body.
    model : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.

    Raises
    ------
    InputError
        For cells that are missing or of the wrong kind.
    """
    spec = model.bodies[number]
    element = element_of(spec, model)
    mesh.part(spec.cells, element.cell)  # refuses other cells
    dim = CELLS[element.cell].dim
    ((block, rows),) = mesh.rows_of(spec.cells, dim).items()
    nodes = mesh.blocks[block].nodes[rows]
    return BodyCells(
        number,
        spec.name,
        spec.element,
        block,
        rows,
        nodes,
        dim,
        turns=element.carried > 1,
        planar=element.components == 2,
    )


def require_own_cells(bodies: Sequence[BodyCells], key: str) -> None:
    """Refuse bodies of the same cells: which of them a piece has would be open."""
    for k, one in enumerate(bodies):
        for other in bodies[:k]:
            if one.block == other.block and np.isin(one.rows, other.rows).any():
                raise InputError(
                    f"{key}: bodies '{other.name}' and '{one.name}' have cells in common; "
                    "expected every cell in one body"
                )
