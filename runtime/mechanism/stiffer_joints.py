# SPDX-License-Identifier: BSD-3-Clause
"""Joints of a kind that holds more, with which a mechanism that moves too freely is determined.

A joint may hold more where the motion that is left over slips or turns in it. Which axes the new
kind has then is for the user to see.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.joints import Joint

#: Kinds that hold more, with how many displacements and rotations more.
STIFFER = {
    "spherical": (("universal", 0, 1), ("revolute", 0, 2)),
    "universal": (("revolute", 0, 1),),
    "cylindrical": (("revolute", 1, 0), ("prismatic", 0, 1)),
}
#: Relative motion below which a joint is at rest; the motions are of size 1.
_AT_REST = 1e-6
MOST_TOLD = 3


def stiffer_joints(parts: Parts, frames: Floats, loose: Floats) -> str:
    """Return joints of stiffer kinds that hold what is left over, in words; else nothing.

    Parameters
    ----------
    parts : Parts
        The mechanism.
    frames : (L, 8, 3) array
        States of the links.
    loose : (m, n) array
        The motions that joints and drivers leave over, scaled, with orthonormal rows.
    """
    moved = {parts.coordinates[one.coordinate] for one in parts.drivers}
    found = []
    for number, joint in enumerate(parts.joints):
        used = {one.name for one in moved if one.joint == number}
        slips, turns = map(np.array, zip(*_relative(parts, frames, joint, loose), strict=True))
        for kind, lengths, angles in STIFFER.get(joint.kind, ()):
            if lengths + angles != len(loose) or _rank(slips) < lengths or _rank(turns) < angles:
                continue
            if used - _kept(joint.kind, kind):
                continue
            found.append(f"joint '{joint.name}' {kind} instead of {joint.kind}")
    return ", or ".join(found[:MOST_TOLD])


def _kept(kind: str, stiffer: str) -> set[str]:
    """Return the coordinates that a joint of the stiffer kind has too."""
    return set(JOINTS[kind].free) & set(JOINTS[stiffer].free)


def _relative(
    parts: Parts, frames: Floats, joint: Joint, loose: Floats
) -> Iterator[tuple[Floats, Floats]]:
    """Yield displacement and turn of the second marker beside the first in every motion."""
    for motion in loose:
        each = motion.reshape(len(parts.links), -1)
        slip, turn = np.zeros((2, 2, 3))
        for side, (link, marker) in enumerate(zip(joint.links, joint.markers, strict=True)):
            if link < 0 or parts.planar:
                continue
            axes = frames[link, 1:4]
            turn[side] = axes @ each[link, 3:]
            slip[side] = axes @ (
                each[link, :3] + np.cross(each[link, 3:], marker.point / parts.size)
            )
        yield slip[1] - slip[0], turn[1] - turn[0]


def _rank(vectors: Floats) -> int:
    return int(np.linalg.matrix_rank(vectors, tol=_AT_REST))
