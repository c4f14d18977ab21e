# SPDX-License-Identifier: BSD-3-Clause
"""The motion of all frames over many times, and what it makes of inertia: factors of blocks.

Every inertia term is a constant matrix for a block, and every block of a moving frame a combination
of a few: in the plane of 1 and J, in space of three skew ones and six symmetric ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.runtime._compact import combined
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.model.schema_loads import IncludeSpec
from flexforge.runtime.motion.frame import FrameTrajectory
from flexforge.runtime.system.body import Body
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def frames_over(
    bodies: Sequence[Body], times: Floats, links: Floats | None
) -> list[FrameTrajectory]:
    """Return the motion of every body's frame.

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
            if isinstance(motion, LinkMotion):
                assert links is not None
                states = links[:, motion.link]
                course = FrameTrajectory(states[:, 1:4], states[:, 5], states[:, 7], states[:, 6])
            else:
                course = motion.over(times)
            found[id(motion)] = course
        frames.append(found[id(motion)])
    return frames


def unit_blocks(dimension: int) -> Floats:
    """Return the blocks that span those of moving frames, (n, d, d)."""
    if dimension == 2:
        return np.array([np.eye(2), [[0.0, -1.0], [1.0, 0.0]]])
    unit = np.eye(3)
    skews = [_skew(w[None])[0] for w in unit]
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    symmetric = [
        np.outer(unit[i], unit[j]) + (np.outer(unit[j], unit[i]) if i != j else 0.0)
        for i, j in pairs
    ]
    return np.array([*skews, *symmetric])


def block_factors(blocks: Floats) -> Floats:
    """Return the factors of the unit blocks in blocks (T, d, d), (T, n)."""
    if blocks.shape[1] == 2:
        return np.stack([blocks[:, 0, 0], blocks[:, 1, 0]], axis=1)
    turned = np.swapaxes(blocks, 1, 2)
    skew, even = 0.5 * (blocks - turned), 0.5 * (blocks + turned)
    axial = [skew[:, 2, 1], skew[:, 0, 2], skew[:, 1, 0]]
    pairs = [(i, j) for i in range(3) for j in range(i, 3)]
    return np.stack([*axial, *(even[:, i, j] for i, j in pairs)], axis=1)


def pattern_factors(centrifugal: Floats, patterns: Floats) -> Floats:
    """Return the factors of prestress patterns (p, 3, 3) in ``w~ w~`` (T, 3, 3), (T, p)."""
    return combined(centrifugal.reshape(-1, 9), np.ascontiguousarray(pattern_inverse(patterns)))


def pattern_inverse(patterns: Floats) -> Floats:
    """Return the matrix (9, p) that makes factors of patterns (p, 3, 3) out of ``w~ w~``."""
    return np.asarray(np.linalg.pinv(patterns.reshape(len(patterns), 9)))


@dataclass(frozen=True, slots=True)
class Blocks:
    """Blocks of the inertia terms of a body at many times, (T, d, d) each.

    Attributes
    ----------
    stiffness, coriolis, load : ndarray
        Of displacements, of velocities, of the positions that load it; see ``inertia.Spin``.
    centrifugal : ndarray, (T, 3, 3)
        ``w~ w~``, of which the prestress of the rotation comes.
    """

    stiffness: Floats
    coriolis: Floats
    load: Floats
    centrifugal: Floats


def inertia_blocks(frames: FrameTrajectory, include: IncludeSpec, dimension: int) -> Blocks:
    """Return the blocks of the motion of a frame."""
    w, e = _skew(frames.w), _skew(frames.e)
    # Sums as an exported solver adds them, so that both run alike to the last digit.
    centrifugal = np.asarray(sum(w[:, :, k, None] * w[:, None, k, :] for k in range(3)))
    cut = (slice(None), slice(0, dimension), slice(0, dimension))
    stiffness = include.euler * e + include.centrifugal_stiffness * centrifugal
    load = include.euler_load * e + include.centrifugal_load * centrifugal
    return Blocks(stiffness[cut], 2.0 * include.coriolis * w[cut], load[cut], centrifugal)


def _skew(vectors: Floats) -> Floats:
    """Return the matrices of the cross products of vectors (T, 3), (T, 3, 3)."""
    found = np.zeros((len(vectors), 3, 3))
    x, y, z = vectors.T
    found[:, 0, 1], found[:, 0, 2], found[:, 1, 2] = -z, y, -x
    found[:, 1, 0], found[:, 2, 0], found[:, 2, 1] = z, -y, x
    return found
