# SPDX-License-Identifier: BSD-3-Clause
"""Named points of a model file as nodes of a mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.mesh.mesh import Group, Mesh


def with_points(mesh: Mesh, points: dict[str, tuple[float, float, float]]) -> Mesh:
    """Return the mesh with points of the model file as additional nodes, one group each.

    Parameters
    ----------
    mesh : Mesh
        The mesh, not scaled.
    points : dict
        Positions by name.

    Raises
    ------
    InputError
        When the mesh already has a group of that name.
    """
    groups, count = dict(mesh.groups), len(mesh.points)
    for number, name in enumerate(points):
        if name in groups:
            raise InputError(
                f"mesh.points.{name}: found a name that a group of {mesh.source} has; expected "
                "another"
            )
        groups[name] = Group(name, 0, {}, np.array([count + number], dtype=np.int64))
    first = int(mesh.node_labels.max(initial=0)) + 1
    labels = np.concatenate([mesh.node_labels, np.arange(first, first + len(points))])
    everything = np.vstack([mesh.points, np.array(list(points.values())).reshape(-1, 3)])
    return replace(mesh, points=everything, groups=groups, node_labels=labels)
