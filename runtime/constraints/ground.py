# SPDX-License-Identifier: BSD-3-Clause
"""Forces of the ground on a mechanism, by joints, drivers, gears and actuators."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.mechanism.joints import pack


def force_of_ground(
    constraints: JointConstraints, time: float, multipliers: Floats, acting: Floats
) -> Floats:
    """Return the force of the ground on all links together, (3,), N, global components.

    Parameters
    ----------
    constraints : JointConstraints
        The joints.
    time : float
        Time, s.
    multipliers : ndarray, (m,)
        Of the rows: joints, gears and drivers.
    acting : ndarray, (p,)
        Forces of the actuators along their coordinates, N or N m.
    """
    links, joints = constraints.mechanism.at(time), constraints.mechanism.joints
    states = np.stack([pack(frame) for frame in links])[None]
    rows = [*zip(constraints.tied, multipliers, strict=False)]
    if constraints.acting is not None:
        rows += zip(constraints.acting.tied, acting, strict=True)
    jacobians, total = {}, np.zeros(3)
    for row, force in rows:
        for number, coordinate, factor in row.parts:
            one, two = joints[number].links
            if (one < 0) == (two < 0):
                continue
            if number not in jacobians:
                jacobians[number] = joints[number].jacobians(states)[0, 0]
            link, side = (two, slice(6, 9)) if one < 0 else (one, slice(0, 3))
            total += factor * force * (links[link].R @ jacobians[number][coordinate, side])
    return total
