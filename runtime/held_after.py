# SPDX-License-Identifier: BSD-3-Clause
"""Supports that hold nodes where an earlier step has left them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.mesh.mesh import NUMBERED, group_at
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.results.end_state import NAME as END
from flexforge.runtime.results.end_state import read_end
from flexforge.runtime.system.construct import build_system
from flexforge.runtime.system.system import System


def held_after(spec: ModelSpec, mesh: Mesh, folder: Path) -> ModelSpec:
    """Return the model of a step with displacements in place of the names of earlier steps.

    Parameters
    ----------
    spec : ModelSpec
        The model of the step.
    mesh : Mesh
        Its mesh, in metres.
    folder : Path
        Folder of the folders of all steps.

    Returns
    -------
    ModelSpec
        The same where no support has `after`; else with a support for every node of those that do.

    Raises
    ------
    InputError
        For groups that are missing, and states at the end that cannot be read.
    """
    if all(one.after is None for one in spec.supports):
        return spec
    system = build_system(spec, mesh).system
    places = _places(system, len(mesh.points))
    supports: list[SupportSpec] = []
    for i, one in enumerate(spec.supports):
        if one.after is None:
            supports.append(one)
            continue
        nodes = group_at(mesh, one.group, f"supports[{i}].group").nodes
        end, _ = read_end(folder / one.after / END, (system.size, system.dimension))
        supports += _where_they_are(one, nodes, mesh, places, end)
    return spec.model_copy(update={"supports": tuple(supports)})


def _places(system: System, count: int) -> Ints:
    """Return the numbers of displacement and rotation of every node of the mesh, -1 without one."""
    found = np.full((count, 2), -1)
    for body in system.bodies:
        found[body.part.nodes, 0] = body.placed
        if body.turns:
            found[body.part.nodes, 1] = body.rotations
    return found


def _where_they_are(
    support: SupportSpec, nodes: Ints, mesh: Mesh, places: Ints, end: Floats
) -> Iterator[SupportSpec]:
    """Yield a support for every node of a group."""
    dimension = end.shape[1]
    for node in nodes[(places[nodes] >= 0).any(axis=1)].tolist():
        values = {}
        for component in support.components:
            place = places[node, int(component.startswith("r"))]
            axis = "xyz".index(component[-1])
            if dimension == 2 and component == "rz":
                axis = 0
            if place >= 0 and axis < dimension:
                values[component] = float(end[place, axis])
        change = {"group": f"{NUMBERED}{mesh.node_labels[node]}", "after": None}
        yield support.model_copy(update=change | {"displacement": values})
