# SPDX-License-Identifier: BSD-3-Clause
"""Which displacements and rotations are unknown, and which are held."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_loads import SupportSpec
from flexforge.runtime.system.lumped_body import LumpedBody
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def free_unknowns(model: ModelSpec, places: NameTable) -> Ints:
    """Return the unknowns that nothing holds.

    Parameters
    ----------
    model : ModelSpec
        With the supports.
    places : NameTable
        Its names in the system.

    Raises
    ------
    InputError
        When all are held.
    """
    system = places.system
    held = np.zeros((system.size, system.dimension), dtype=bool)
    for body in system.bodies:
        if body.revolved:  # what lies on the axis stays there
            held[body.nodes[body.points[:, 0] == 0], 0] = True
    for i, support in enumerate(model.supports):
        for _, found in held_places(support, places, f"supports[{i}].group"):
            held.ravel()[found] = True
    if system.dimension == 2:
        for body in system.bodies:  # a rotation in the plane has one coordinate
            held[body.rotations, 1] = True
    held[_without_rotation(system)] = True
    _check_massless(system, held)
    if held.all():
        raise InputError("supports: every displacement is held; expected some unknowns")
    return np.flatnonzero(~held.ravel())


def held_places(support: SupportSpec, places: NameTable, key: str) -> Iterator[tuple[str, Ints]]:
    """Yield the components that a support holds, and their places ``node * d + component``.

    Parameters
    ----------
    support : SupportSpec
        The support.
    places : NameTable
        Names of its model in the system.
    key : str
        Where its group is named, for messages.

    Raises
    ------
    InputError
        When the group is missing.
    """
    d = places.system.dimension
    about = ("rz",) if d == 2 else ("rx", "ry", "rz")
    for body, nodes in places.nodes(support.group, support.body, key):
        for component in support.components:
            if component in "xyz"[:d]:
                yield component, body.nodes[nodes] * d + "xyz".index(component)
            elif component in about and len(body.rotations):
                yield component, body.rotations[nodes] * d + about.index(component)


def _check_massless(system: System, held: NDArray[np.bool_]) -> None:
    """Refuse nodes that connectors alone have, and that move: they have no mass."""
    heavy = np.zeros(system.size, dtype=bool)
    for body in system.bodies:
        heavy[body.placed] |= body.has_mass
    for body in system.bodies:
        wrong = body.placed[~heavy[body.placed] & ~held[body.placed].all(axis=1)]
        if len(wrong):
            raise InputError(
                f"{body.part.source}: a node of '{body.name}' has neither body nor mass; expected "
                "one, or a support that holds its displacement"
            )


def _without_rotation(system: System) -> Ints:
    """Return the rotations that connectors ask for at nodes that have none: they are zero."""
    asked, there = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for body in system.bodies:
        tie = isinstance(body, LumpedBody) and body.is_connector
        (asked if tie else there).append(body.rotations)
    return np.setdiff1d(np.concatenate(asked), np.concatenate(there))
