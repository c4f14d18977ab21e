# SPDX-License-Identifier: BSD-3-Clause
"""Meshes: what cells are, reading and making them, their facets, and whether they are sound.

Read in this order: ``cells`` (data), ``shape`` (numbers from it), ``part`` and ``mesh`` (what
everybody else sees), ``build`` (what readers fill), ``read`` and one ``read_*`` for each format,
``structured``, ``facets``, ``check``.
"""

from flexforge.runtime.mesh.cells import CELLS, Cell
from flexforge.runtime.mesh.check import check_mesh, check_part, orphan_remarks
from flexforge.runtime.mesh.facets import boundary_facets, cells_of_group, facets_of_group
from flexforge.runtime.mesh.mesh import CellBlock, Group, Mesh
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
    "orphan_remarks",
    "read_mesh",
    "structured",
]
