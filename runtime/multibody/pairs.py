# SPDX-License-Identifier: BSD-3-Clause
"""Lower pairs: joints whose motions are a subgroup of rigid motions, found from their equations.

The motions that the held rows of a joint allow at a place are screws. Where these are closed under
the bracket and rows stay what they were along their exponentials, the motions of the joint are
exp(H q) with screws H that are constant in the marker. Where they are not closed (a universal
joint), the smallest subgroup that contains them (that of a spherical joint) needs rows besides.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.linalg
from flexforge.runtime import _multibody
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.joints import VALUE, Joint, marker, row_values
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.transient import rotation

#: Singular value of screws of unit length below which one follows from others.
_DEPENDENT = 1e-9
#: Motion along screws by which rows are tried, rad and m.
_TRIED = 0.3
#: Condition of the coordinates of a joint beyond which they are no coordinates of its screws.
_SINGULAR = 1e6


@dataclass(frozen=True, slots=True)
class LowerPair:
    """A subgroup that contains the motions of a joint.

    Attributes
    ----------
    screws : ndarray, (m, 6)
        Displacement and turn of a marker in its own axes.
    covered : tuple of bool
        Of every held row, whether all these motions keep it.
    counted : tuple of int
        Of every screw, the free coordinate that changes as its speed says; -1 of none.
    """

    screws: Floats
    covered: tuple[bool, ...]
    counted: tuple[int, ...]


def lower_pair(joint: Joint, side: int) -> LowerPair | None:
    """Return the lower pair of a joint, or None if only all motions of a body contain its own.

    Parameters
    ----------
    joint : Joint
        The joint.
    side : int
        The link whose marker the screws are of, 0 or 1.
    """
    along = joint.planar and joint.markers[0].axes[2, 2] == 0.0
    return _pair(joint.kind, joint.planar, along, joint.radius, side)


@cache
def _pair(kind: str, planar: bool, along: bool, radius: float, side: int) -> LowerPair | None:
    place = marker(np.zeros(3), (1.0, 0.0, 0.0) if along else (0.0, 0.0, 1.0), planar=planar)
    joint = Joint("", kind, (0, 1), (place, place), planar, radius)
    held, free = list(joint.held_rows), list(joint.free_rows.values())
    start = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
    values, rows = _rows(joint, side, start)
    whole = np.eye(6)[[0, 1, 5]] if planar else np.eye(6)
    screws = scipy.linalg.null_space(rows[held] @ whole.T, _DEPENDENT).T @ whole
    screws = _closed(screws)
    if len(screws) == len(whole):
        return None
    by_coordinate = rows[free] @ screws.T
    square = len(free) == len(screws) > 0 and np.linalg.cond(by_coordinate) < _SINGULAR
    screws = np.linalg.solve(by_coordinate.T, screws) if square else _echelon(screws)
    changes = np.zeros((2 * len(screws), len(values)))  # along all screws, and again from there
    moved = np.empty(7)
    for k, screw in enumerate([*screws, *screws]):
        _multibody.retract(start, _TRIED * screw, moved)
        changes[k] = _rows(joint, side, moved, values)[0] - values
        start, values = moved.copy(), values + changes[k]
    covered = [bool(np.abs(changes[:, row]).max(initial=0.0) < _DEPENDENT) for row in held]
    if sum(covered) < len(whole) - len(screws):  # closed, but no subgroup: a disc that rolls
        return None
    unit = _TRIED * np.tile(np.eye(len(screws)), 2)
    counted = [-1] * len(screws)
    for k, row in enumerate(free if square else ()):
        if np.abs(changes[:, row] - unit[k]).max() < _DEPENDENT:
            counted[k] = k
    axes = scipy.linalg.block_diag(place.axes, place.axes)
    return LowerPair(screws @ axes.T, tuple(covered), tuple(counted))


def _rows(
    joint: Joint, side: int, pose: Floats, near: Floats | None = None
) -> tuple[Floats, Floats]:
    """Return values of all rows, and their derivatives by screws of a link, (n, 6), in a pose."""
    none = np.zeros(3)
    frames = [FrameState(none, none, none, none, np.eye(3), none) for _ in range(2)]
    frames[side] = FrameState(none, none, none, none, rotation.matrix(pose[3:]), pose[:3])
    found = joint.evaluate("rigid", *frames)
    first = VALUE + 6 * side
    return row_values(found[:, :VALUE], near), found[:, first : first + 6]


def bracket(one: Floats, other: Floats) -> Floats:
    """Return the bracket of two screws: displacement, then turn."""
    move = np.cross(one[3:], other[:3]) + np.cross(one[:3], other[3:])
    return np.concatenate([move, np.cross(one[3:], other[3:])])


def _closed(screws: Floats) -> Floats:
    """Return screws that span those given and all their brackets."""
    while len(screws):
        more = [bracket(a, b)[None] for k, a in enumerate(screws) for b in screws[k + 1 :]]
        _, sizes, basis = np.linalg.svd(np.vstack([screws, *more]), full_matrices=False)
        rank = int((sizes > _DEPENDENT).sum())
        if rank == len(screws):
            break
        screws = basis[:rank]
    return screws


def _echelon(screws: Floats) -> Floats:
    """Return screws of the same span with units where they can be, turns before displacements."""
    if not len(screws):
        return screws
    order = np.array([3, 4, 5, 0, 1, 2])
    _, _, pivots = scipy.linalg.qr(screws[:, order], pivoting=True)
    chosen = order[np.sort(pivots[: len(screws)])]
    return np.asarray(np.linalg.solve(screws[:, chosen], screws))
