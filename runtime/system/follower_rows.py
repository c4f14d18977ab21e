# SPDX-License-Identifier: BSD-3-Clause
"""Rows of the relations of a mesh: nodes that follow those of solids."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Ints
from flexforge.runtime.mesh.relations import ROTATION, Knot
from flexforge.runtime.system.curved.family import Family
from flexforge.runtime.system.curved.follow import Follow
from flexforge.runtime.system.curved.mean_rotation import MeanRotation
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.rows import Rows


def follower_rows(places: NameTable, frames: Ints) -> Iterator[Rows]:
    """Yield the rows of the relations of the mesh of a model.

    Parameters
    ----------
    places : NameTable
        Names of the model in the system, and its mesh.
    frames : ndarray of int64, (N,)
        Number of the frame that every node is in.

    Raises
    ------
    InputError
        When nodes are in different frames.
    """
    if places.mesh.followers is None:
        return
    given, d = places.mesh.followers.relations, places.system.dimension
    moved, turned = _vectors(places)
    turns = given.component >= ROTATION
    vector = np.where(turns, turned[given.node], moved[given.node])
    place = vector * d + given.component - np.where(turns, ROTATION, 0)
    order = np.argsort(given.equation, kind="stable")
    counts = np.bincount(given.equation, minlength=given.count)
    starts = np.cumsum(counts) - counts
    for terms in np.unique(counts[counts > 0]).tolist():
        rows = order[starts[counts == terms][:, None] + np.arange(terms)]
        own = frames[vector[rows]]
        if (own != own[:, :1]).any():
            raise InputError(
                "bodies: found expanded bodies in different frames that share nodes; expected one "
                "frame"
            )
        none = np.zeros(0, dtype=np.int64)
        yield Rows("expansion", place[rows], given.factor[rows], none, np.zeros((len(rows), 0)))


def knots_and_turns(places: NameTable) -> list[Family]:
    """Return the equations of the knots and of the mean rotations of the mesh of a model."""
    if places.mesh.followers is None:
        return []
    moved, turned = _vectors(places)
    by_stretches: dict[int, list[Knot]] = {}
    for one in places.mesh.followers.knots:
        by_stretches.setdefault(one.stretched.shape[1], []).append(one)
    found: list[Family] = []
    for stretches, knots in by_stretches.items():
        sizes = [len(one.own) for one in knots]
        nodes = np.array([one.node for one in knots])
        strains = moved[[one.strain for one in knots]]
        found.append(
            Follow(
                "expansion",
                moved[np.concatenate([one.own for one in knots])],
                np.repeat(np.arange(len(knots)), sizes),
                np.concatenate([one.arms for one in knots]),
                moved[nodes],
                turned[nodes],
                np.concatenate([one.stretched for one in knots]),
                strains[:, None] * 3 + np.arange(stretches),
            )
        )
    points = places.mesh.points
    for turn in places.mesh.followers.turns:
        angles = (turned[turn.node] * 3 + turn.component)[:, None]
        around = moved[turn.own], points[turn.own], turn.axis
        found.append(MeanRotation("expansion", *around, angles, turn.share[:, None]))
    return found


def _vectors(places: NameTable) -> tuple[Ints, Ints]:
    """Return the numbers of the displacement and the rotation of every node of the mesh, or -1."""
    moved, turned = (np.full(len(places.mesh.points), -1) for _ in range(2))
    for body in places.system.bodies:
        moved[body.part.nodes] = body.nodes[: len(body.part.points)]
        if body.turns:
            turned[body.part.nodes] = body.rotations
    return moved, turned
