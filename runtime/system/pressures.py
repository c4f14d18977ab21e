# SPDX-License-Identifier: BSD-3-Clause
"""Nodal forces of a pressure: on facets of solids and plane bodies, on cells of shells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.assembly.assemble import Scalars
from flexforge.runtime.assembly.calls import CompiledKernel
from flexforge.runtime.assembly.kernels import kernels_of
from flexforge.runtime.mesh import Group, Mesh, cells_of_group, facets_of_group
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.facets import Facets
from flexforge.runtime.model.schema_loads import PressureLoad
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.name_table import NameTable
from numpy.typing import NDArray


def _pressure_kernel(cell: str, body: Body) -> CompiledKernel:
    """Return the kernel of the pressure on the facets of a body."""
    kind = CELLS[body.part.cell]
    if body.declared is not None and cell in kind.facet_cells:
        from flexforge.codegen.elements.declaration import Element
        from flexforge.codegen.elements.traces import trace

        assert isinstance(body.declared, Element)  # a declared beam or shell has no facets
        nodes = kind.facets[kind.facet_cells.index(cell)]
        own = trace(body.declared, nodes, CELLS[cell].corners)
        return kernels_of(own, ("pressure",))["pressure"]
    if not body.revolved:
        return kernels_of(f"facet_{cell}", ("pressure",))["pressure"]
    from flexforge.codegen.elements.library import facet

    return kernels_of(facet(cell, body.dimension, revolved=True), ("pressure",))["pressure"]


def _loaded(mesh: Mesh, group: Group, body: Body, cells: NDArray[np.int64]) -> tuple[Facets, ...]:
    """Return the facets of a body in a group; for a shell, its cells."""
    if CELLS[body.part.cell].dim == body.ambient:
        return facets_of_group(mesh, group, body.part.cell, cells)
    return cells_of_group(mesh, group, body.part.cell, cells)


#: Kernels of a pressure, with the nodes of their facets among those of a body, and their arguments.
Pressed: TypeAlias = tuple[Sequence[tuple[CompiledKernel, Ints]], Scalars]


def pressed(load: PressureLoad, places: NameTable, key: str) -> list[tuple[Body, Pressed]]:
    """Return what a unit pressure acts on, of every body with facets in the group.

    Parameters
    ----------
    load : PressureLoad
        The load.
    places : NameTable
        Maps the names of the model file to the system.
    key : str
        Key of the load, for errors.

    Returns
    -------
    list of (Body, Pressed)

    Raises
    ------
    InputError
        When no body has facets, or no shell has cells, in the group.
    """
    mesh, found = places.mesh, list[tuple[Body, Pressed]]()
    group = mesh.select(load.group, places.system.bodies[0].ambient - 1)
    faults, before = [], list[NDArray[np.int64]]()
    for body in (one for one in places.bodies(load.body) if not one.lumped):
        cells = body.part.nodes[body.part.connectivity]
        if any(np.array_equal(cells, one) for one in before):
            continue  # another ply of the same cells
        before.append(cells)
        try:
            kinds = _loaded(mesh, group, body, cells)
        except InputError as fault:
            faults.append(fault)
            continue
        values = {**body.values, "pressure": 1.0}
        on = [
            (_pressure_kernel(one.cell, body), np.searchsorted(body.part.nodes, one.nodes))
            for one in kinds
        ]
        found.append((body, (on, values)))
    if not found:
        raise InputError(f"{key}: {faults[0]}")
    return found
