# SPDX-License-Identifier: BSD-3-Clause
"""Rows of ``[[ties]]``: nodes that follow the closest points of facets."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh import facets_of_group, group_at
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.mesh.projection import Projected, project
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_tied import TieSpec
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.rows import Rows

#: Largest distance by default, relative to the size of the facet.
APART = 0.05
_NONE = 1e-12  # a shape function that is zero


def tie_rows(model: ModelSpec, places: NameTable, frames: Ints) -> Iterator[Rows]:
    """Yield the rows of the ties of a model.

    Parameters
    ----------
    model : ModelSpec
        With the ties.
    places : NameTable
        Its names in the system.
    frames : ndarray of int64, (N,)
        Number of the frame that every node is in.

    Raises
    ------
    InputError
        For groups that are missing or have no facets, nodes too far away, and different frames.
    """
    for index, spec in enumerate(model.ties):
        yield from _rows_of(spec, f"ties[{index}]", places, frames)


def _rows_of(spec: TieSpec, key: str, places: NameTable, frames: Ints) -> Iterator[Rows]:
    mesh, d = places.mesh, places.system.dimension
    vector = vectors_of(places)
    facets = facets_of(spec.facets, f"{key}.facets", places)
    masters = np.unique(np.concatenate([nodes.ravel() for _, nodes in facets]))
    tied = group_at(mesh, spec.nodes, f"{key}.nodes").nodes
    tied = tied[(vector[tied] >= 0) & ~np.isin(tied, masters)]
    if not len(tied):
        raise InputError(f"{key}.nodes: found no node of a body beside the facets; expected some")
    for node, found in zip(tied.tolist(), project(mesh.points[tied], mesh.points, facets),
                           strict=True):  # fmt: skip
        size = float(np.ptp(mesh.points[found.nodes], axis=0).max())
        if found.distance > (APART * size if spec.within is None else spec.within):
            if spec.within is not None:
                continue
            raise InputError(
                f"{key}.nodes: node {mesh.node_labels[node]} is {found.distance:.4g} m away from "
                f"the facets of '{spec.facets}'; expected at most {APART * size:.4g} m, or within"
            )
        yield _row(key, int(vector[node]), found, vector, frames, d)


def _row(key: str, node: int, found: Projected, vector: Ints, frames: Ints, d: int) -> Rows:
    """Return the equations of one node: its components are those of the facet there."""
    acting = np.abs(found.weights) > _NONE
    others, weights = vector[found.nodes[acting]], found.weights[acting]
    if (frames[others] != frames[node]).any():
        raise InputError(f"{key}: found nodes and facets in different frames; expected one frame")
    columns = np.concatenate([[node], others])
    places = columns[None, :] * d + np.arange(d)[:, None]
    factors = np.tile(np.concatenate([[1.0], -weights]), (d, 1))
    return Rows(key, places, factors, np.zeros(0, dtype=np.int64), np.zeros((d, 0)))


def vectors_of(places: NameTable) -> Ints:
    """Return the number of every node of the mesh in the system, or -1."""
    found = np.full(len(places.mesh.points), -1)
    for body in places.system.bodies:
        if not body.lumped:
            found[body.part.nodes] = body.nodes[: len(body.part.points)]
    return found


def facets_of(name: str, key: str, places: NameTable) -> list[tuple[str, Ints]]:
    """Return the facets of a group, of all bodies that have some, in nodes of the mesh.

    Parameters
    ----------
    name : str
        The group.
    key : str
        Its key in the model file, for messages.
    places : NameTable
        Names of the model in the system.

    Raises
    ------
    InputError
        When the group is missing or has no facets.
    """
    group = group_at(places.mesh, name, key)
    found: list[tuple[str, Ints]] = []
    faults = []
    for body in places.system.bodies:
        if body.lumped or CELLS[body.part.cell].dim != body.ambient:
            continue
        cells = body.part.nodes[body.part.connectivity]
        try:
            kinds = facets_of_group(places.mesh, group, body.part.cell, cells)
        except InputError as fault:
            faults.append(fault)
            continue
        found += [(one.cell, one.nodes) for one in kinds if len(one.nodes)]
    if not found:
        raise InputError(f"{key}: {faults[0] if faults else 'found no solid or plane body'}")
    return found
