# SPDX-License-Identifier: BSD-3-Clause
"""A model and its mesh with the sections of bolts cut: ``[[pretensions]]``.

With the nodes of both sides, u behind the section and u' ahead of it, the unit vector n across it
and the displacement d of the point,

    (u' - u) . n + d = 0,       (u' - u) . t = 0 of two directions t in the section,

so that a force on the point is the tension, and a displacement brings the sides nearer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.mesh.cut import cut_at
from flexforge.runtime.mesh.mesh import Mesh, group_at
from flexforge.runtime.mesh.relations import Followers, Relations
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.model.schema_pretensions import PretensionSpec

_FLAT = 1e-6  # depth of a section relative to its size


def tightened(model: ModelSpec, mesh: Mesh) -> tuple[ModelSpec, Mesh]:
    """Return a model and its mesh with the sections of its bolts cut.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh, in metres.

    Returns
    -------
    model : ModelSpec
        With supports that hold what points of sections have no use for.
    mesh : Mesh
        With further nodes, and relations between them.

    Raises
    ------
    InputError
        For groups that are missing, points that cells have, and sections that are not flat, or not
        within a body.
    """
    supports = list(model.supports)
    for number, spec in enumerate(model.pretensions):
        key = f"pretensions[{number}]"
        mesh = _cut(mesh, spec, key, planar=model.is_planar)
        held: dict[str, Any] = {"group": spec.point}
        held["components"] = ["y"] if model.is_planar else ["y", "z"]
        supports.append(SupportSpec.model_validate(held))
    if not model.pretensions:
        return model, mesh
    return model.model_copy(update={"supports": tuple(supports)}), mesh


def _cut(mesh: Mesh, spec: PretensionSpec, key: str, *, planar: bool) -> Mesh:
    direction = np.array(spec.direction) / np.linalg.norm(spec.direction)
    section = _section(mesh, spec, direction, key)
    point = _point(mesh, spec, key)
    mesh, ahead = cut_at(mesh, section, direction, f"{key}.facets")
    # Across the section and along it: an orthogonal matrix whose first row is the direction.
    axes = np.linalg.svd(direction[None])[2]
    axes[0] = direction
    if planar:
        axes = np.array([direction[:2], [-direction[1], direction[0]]])
    d = len(axes)
    nodes = np.repeat(np.stack([ahead, section], axis=1), d, axis=1)  # (n, 2 d)
    components = np.tile(np.arange(d), 2)
    found = []
    for axis, row in enumerate(axes):
        own, which, factors = nodes, components, np.concatenate([row, -row])
        if axis == 0:
            own = np.column_stack([nodes, np.full(len(nodes), point)])
            which = np.append(components, 0)
            factors = np.append(factors, -1.0 if spec.apart else 1.0)
        some = factors != 0.0
        found.append(
            Relations.of(
                own[:, some],
                which[some],
                np.broadcast_to(factors[some], (len(nodes), int(some.sum()))),
            )
        )
    gap = Relations.together(found)
    one = np.array([point])
    if mesh.followers is None:
        none = np.zeros(0, dtype=np.int64)
        still = np.zeros(1, dtype=bool)
        labels = mesh.node_labels[one]
        followers = Followers(one, still, np.zeros(1, np.int64), labels, gap, none, none)
    else:
        followers = mesh.followers.joined(one, mesh.node_labels[one], gap)
    return replace(mesh, followers=followers)


def _section(mesh: Mesh, spec: PretensionSpec, direction: Floats, key: str) -> Ints:
    """Return the nodes of a section."""
    nodes: Ints = np.unique(group_at(mesh, spec.facets, f"{key}.facets").nodes)
    places = mesh.points[nodes]
    depth = float(np.ptp(places @ direction))
    if not depth <= _FLAT * float(np.ptp(places, axis=0).max(initial=0.0)):
        raise InputError(
            f"{key}.facets: found nodes {depth:.3g} m apart along the direction; expected a flat "
            "section across it"
        )
    return nodes


def _point(mesh: Mesh, spec: PretensionSpec, key: str) -> int:
    nodes = group_at(mesh, spec.point, f"{key}.point").nodes
    if len(nodes) != 1:
        raise InputError(f"{key}.point: group '{spec.point}' has {len(nodes)} nodes; expected one")
    if any((block.nodes == nodes[0]).any() for block in mesh.blocks):
        raise InputError(
            f"{key}.point: found the node of a cell; expected a node of its own, such as a point "
            "of mesh.points"
        )
    return int(nodes[0])
