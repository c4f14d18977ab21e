# SPDX-License-Identifier: BSD-3-Clause
"""Meshes: cell types, reading and generation, facets, checks.

Read in this order: ``cell`` and ``cells`` (data), ``shape`` (shape functions), ``own_cells``
(those of users' elements), ``pieces``, ``part`` and ``mesh`` (the interface), ``build`` (filled by
readers), ``read`` and one ``read_*`` per format, ``structured``, ``for_element``, ``facets``,
``check``.
"""

from flexforge.runtime.mesh.cell import Cell
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.check import check_mesh, check_part, orphan_remarks
from flexforge.runtime.mesh.facets import boundary_facets, cells_of_group, facets_of_group
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh, group_at
from flexforge.runtime.mesh.part import Part
from flexforge.runtime.mesh.read import read_mesh
from flexforge.runtime.mesh.structured import structured

__all__ = [
    "CELLS",
    "Cell",
    "CellBlock",
    "Group",
    "Mesh",
    "Part",
    "boundary_facets",
    "check_mesh",
    "check_part",
    "cells_of_group",
    "facets_of_group",
    "group_at",
    "orphan_remarks",
    "read_mesh",
    "structured",
]
