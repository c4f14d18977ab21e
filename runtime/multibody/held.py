# SPDX-License-Identifier: BSD-3-Clause
"""Slips that dry friction of contacts would hold where joints hold them already."""

from __future__ import annotations

import numpy as np
import scipy.linalg
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.contacts import WAY, WAYS
from flexforge.codegen.forces.declaration import GRIPS
from flexforge.runtime.arrays import Floats
from flexforge.runtime.multibody.model import MultibodyModel
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.state import State

#: Part of a slip, relative, that is none.
_DEPENDENT = 1e-9


def refuse_held_slips(model: MultibodyModel, start: State) -> None:
    """Refuse contacts that stick along directions in which joints let nothing slip.

    Joints and friction would share a force that nothing tells apart.

    Parameters
    ----------
    model : MultibodyModel
        The equations.
    start : State
        Where the links begin.

    Raises
    ------
    InputError
        Names the first such force.
    """
    dry = {
        one.name: k
        for k, one in enumerate(model.formulas.forces)
        if one.law.gap and any(event.name == "sticks" for event in one.law.events)
    }
    if not dry:
        return
    slips: dict[str, list[Floats]] = {name: [] for name in dry}
    none = np.zeros(model.space.size)
    for way in np.eye(3):  # whose parts across the normal are all directions there
        force = np.concatenate(
            [np.zeros(len(model.names) + len(model.formulas.held)), _kept(model, way)]
        )
        at = Point(start.t, start.q, start.z, start.s, start.mode, none, force)
        held = model.held_rows(at)
        for name, rows in slips.items():
            rows.append(held[f"{name}[{GRIPS[0]}]"][: len(start.z)])
    fixed = model.constraints(at)
    joints = fixed.matrix[:, : len(start.z)].toarray()
    joints = joints[[not one.startswith("driver") for one in fixed.names]]
    free = scipy.linalg.null_space(joints, rcond=_DEPENDENT)
    for name, slip in slips.items():
        matrix = np.array(slip)
        least = _DEPENDENT * np.linalg.norm(matrix)
        if np.linalg.matrix_rank(matrix @ free, least) < np.linalg.matrix_rank(matrix, least):
            raise InputError(
                f"forces[{dry[name]}].friction: found dry of '{name}', which would stick in a "
                "direction that joints hold already; expected joints that let it slip, dry "
                "friction of the joint, or coulomb"
            )


def _kept(model: MultibodyModel, way: Floats) -> Floats:
    """Return what forces keep where all slips go a way, (3,)."""
    known = {WAY: 1.0} | dict(zip(WAYS, way.tolist(), strict=True))
    kept = (one.name for force in model.formulas.forces for one in force.law.kept)
    return np.array([known.get(name, 0.0) for name in kept])
