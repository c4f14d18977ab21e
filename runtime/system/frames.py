# SPDX-License-Identifier: BSD-3-Clause
"""Motion of all frames over many times, and their inertia factors.

Every inertia term is a constant matrix per block, and every block of a moving frame is a
combination of a few: in the plane of 1, J and y y^T, in space of three skew ones and six symmetric
ones. In the plane only bodies of revolution need y y^T: they turn about y.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime._frames import block_units, combined, turning_blocks
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameTrajectory
from flexforge.runtime.system.body import Body
from flexforge.runtime.system.inertia import skew


def frames_over(
    bodies: Sequence[Body], times: Floats, links: Floats | None
) -> list[FrameTrajectory]:
    """Return the motion of the frame of every body.

    Parameters
    ----------
    bodies : sequence of Body
        The bodies.
    times : ndarray, (T,)
        Times, s.
    links : ndarray, (T, L, 8, 3), optional
        States of the links of their mechanism.
    """
    found: dict[int, FrameTrajectory] = {}
    frames = []
    for body in bodies:
        motion = body.motion
        if id(motion) not in found:
            if motion.link is None:
                course = motion.over(times)
            else:
                assert links is not None
                states = links[:, motion.link]
                course = FrameTrajectory(states[:, 1:4], states[:, 5], states[:, 7], states[:, 6])
            found[id(motion)] = course
        frames.append(found[id(motion)])
    return frames


def unit_blocks(dimension: int) -> Floats:
    """Return the blocks that span those of moving frames, (n, d, d)."""
    if dimension == 2:
        return np.array([np.eye(2), [[0.0, -1.0], [1.0, 0.0]], np.diag([0.0, 1.0])])
    unit = np.eye(3)
    skews = [skew(w) for w in unit]
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    symmetric = [
        np.outer(unit[i], unit[j]) + (np.outer(unit[j], unit[i]) if i != j else 0.0)
        for i, j in pairs
    ]
    return np.array([*skews, *symmetric])


def unit_blocks_of(body: Body) -> Floats:
    """Return the blocks that span those of the frame of a body, the first of its dimension."""
    found = unit_blocks(body.dimension)
    return found[:2] if body.dimension == 2 and not body.revolved else found


def block_factors(blocks: Floats) -> Floats:
    """Return the coefficients of blocks (T, d, d) in the unit blocks, (T, n)."""
    d = blocks.shape[1]
    rows = np.zeros((len(blocks), 3, 3))
    rows[:, :d, :d] = blocks
    return block_units(rows, d)


def pattern_factors(centrifugal: Floats, unpatterned: Floats) -> Floats:
    """Return the coefficients of ``w~ w~`` (T, 3, 3) in p prestress patterns, (T, p).

    From the inverse (9, p) of the patterns, see ``inertia.pattern_inverse``.
    """
    return combined(centrifugal.reshape(-1, 9), np.ascontiguousarray(unpatterned))


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of the inertia terms of a body at many times, (T, d, d) each.

    Attributes
    ----------
    stiffness, coriolis, load : ndarray
        For displacements, for velocities, and for the positions in the loads; see ``inertia.Spin``.
    centrifugal : ndarray, (T, 3, 3)
        ``w~ w~``, which determines the prestress of the rotation.
    """

    stiffness: Floats
    coriolis: Floats
    load: Floats
    centrifugal: Floats


def inertia_blocks(frames: FrameTrajectory, include: IncludeSpec, dimension: int) -> Blocks:
    """Return the blocks of the motion of a frame."""
    found = turning_blocks(frames.w, frames.e, include)
    stiffness, coriolis, load = np.moveaxis(found[:, :3, :dimension, :dimension], 1, 0)
    return Blocks(stiffness, coriolis, load, np.ascontiguousarray(found[:, 3]))
