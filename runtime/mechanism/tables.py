# SPDX-License-Identifier: BSD-3-Clause
"""The equations of a mechanism as native code reads them: the table of an ``ff_linkage``."""

from __future__ import annotations

from functools import partial

import numpy as np
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.joints import Joint, joint_kernel
from flexforge.runtime.tables.layout import Kernel
from flexforge.runtime.tables.structs import Linkage


def build_linkage(parts: Parts) -> Linkage:
    """Return the table of a mechanism's parts, without the values at which equations are kept."""
    counts = [joint_kernel(joint.kind, "rigid").rows for joint in parts.joints]
    starts = np.cumsum([0, *counts])
    equation_of = np.full(starts[-1], -1)
    coordinate_of = np.full(starts[-1], -1)
    equation = coordinate = 0
    for start, joint in zip(starts, parts.joints, strict=False):
        held, free = joint.held_rows, list(joint.free_rows.values())
        equation_of[start + np.array(held, dtype=int)] = equation + np.arange(len(held))
        coordinate_of[start + np.array(free, dtype=int)] = coordinate + np.arange(len(free))
        equation, coordinate = equation + len(held), coordinate + len(free)
    return Linkage(
        links=len(parts.links),
        planar=parts.planar,
        coordinates=len(parts.coordinates),
        joint=kernels(parts.joints, "rigid"),
        ends=np.array([joint.links for joint in parts.joints]),
        markers=np.array([joint.packed.ravel() for joint in parts.joints]),
        radii=np.array([joint.radius for joint in parts.joints], dtype=float),
        starts=starts,
        equation_of=equation_of,
        coordinate_of=coordinate_of,
        gear_of=np.array([gear.coordinates for gear in parts.gears]),
        ratios=np.array([gear.ratio for gear in parts.gears], dtype=float),
        driver_of=np.array([one.coordinate for one in parts.drivers]),
        scales=np.where(parts.lengths, parts.size, 1.0),
        touched=np.array(_touched(parts)),
        size=parts.size,
    )


def kernels(joints: tuple[Joint, ...], term: str) -> tuple[Kernel, ...]:
    """Return the kernels of joints, one each: of the term ``rigid``, ``elastic`` or ``tangent``."""
    return tuple(Kernel(one.kind, term, partial(_address, one.kind, term)) for one in joints)


def _address(kind: str, term: str) -> int:
    return joint_kernel(kind, term).function


def _touched(parts: Parts) -> list[list[int]]:
    """Return for every equation the links that it has unknowns of: up to four, then -1."""
    ends = [[link for link in joint.links if link >= 0] for joint in parts.joints]
    found = [both for both, joint in zip(ends, parts.joints, strict=True) for _ in joint.held_rows]
    of_coordinate = [ends[one.joint] for one in parts.coordinates]
    found += [
        sorted({link for one in gear.coordinates for link in of_coordinate[one]})
        for gear in parts.gears
    ]
    found += [of_coordinate[one.coordinate] for one in parts.drivers]
    return [[*links, -1, -1, -1, -1][:4] for links in found]
