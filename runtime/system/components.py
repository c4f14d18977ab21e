# SPDX-License-Identifier: BSD-3-Clause
"""Positions ``node * d + component`` of named displacements and rotations."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.model.schema_ties import PlaceSpec
from flexforge.runtime.system.name_table import NameTable

_AXES = {2: ("x", "y"), 3: ("x", "y", "z")}
_TURNS = {2: ("rz",), 3: ("rx", "ry", "rz")}


def component_places(spec: PlaceSpec, places: NameTable, key: str) -> Ints:
    """Return the positions of a component of every node of a group, each node once.

    Parameters
    ----------
    spec : PlaceSpec
        Group, component and body.
    places : NameTable
        Names in the system.
    key : str
        Key of the table in the model file, for messages.

    Raises
    ------
    InputError
        When the nodes are missing or have no such component.
    """
    d, component = places.system.dimension, spec.component
    if component not in (*_AXES[d], *_TURNS[d]):
        raise InputError(f"{key}.component: found '{component}' in a planar model; expected x or y")
    pairs = places.nodes(spec.group, spec.body, f"{key}.group")
    if component in _TURNS[d]:
        turning = [body.rotations[nodes] for body, nodes in pairs if body.turns]
        if not turning:
            raise InputError(f"{key}.component: the node has no rotations; expected x, y or z")
        return np.unique(np.concatenate(turning)) * d + _TURNS[d].index(component)
    displaced = [body.placed[nodes] for body, nodes in pairs]
    return np.unique(np.concatenate(displaced)) * d + _AXES[d].index(component)


def component_place(spec: PlaceSpec, places: NameTable, key: str) -> int:
    """Return the position of a component of the single node of a group.

    Parameters are those of :func:`component_places`.

    Raises
    ------
    InputError
        When there is not exactly one node, or it has no such component.
    """
    found = component_places(spec, places, key)
    if len(found) != 1:
        raise InputError(
            f"{key}.group: group '{spec.group}' has {len(found)} such nodes; expected one"
        )
    return int(found[0])
