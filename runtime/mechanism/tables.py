# SPDX-License-Identifier: BSD-3-Clause
"""The equations of a mechanism as the tables that native code reads: those of ``ff_linkage.h``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime._mechanism import Equations
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.joints import joint_kernel
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Tables:
    """What joins the links, by number; -1 is the ground, or nothing.

    Attributes
    ----------
    links : int
        How many.
    planar : bool
        Whether they move in the plane x, y.
    kinds : tuple of str
        Of every joint.
    ends, markers, radii : array, (J, 2), (J, 24), (J,)
        Of every joint: its links, the coordinates and the parameter of its kernel.
    starts : (J + 1,) array
        Where the rows of a joint begin among those of all.
    equation_of, coordinate_of : (R,) array
        Of every row: its equation and its coordinate, or -1.
    gears, ratios : array, (G, 2), (G,)
        Coordinates a, b of every gear, and its ratio.
    drivers : (D,) array
        Coordinate of every driver.
    scales : (E,) array
        Of every equation.
    touched : (E, 4) array
        Links of every equation, then -1.
    size : float
        Of the mechanism, m.
    """

    links: int
    planar: bool
    kinds: tuple[str, ...]
    ends: Numbers
    markers: Floats
    radii: Floats
    starts: Numbers
    equation_of: Numbers
    coordinate_of: Numbers
    gears: Numbers
    ratios: Floats
    drivers: Numbers
    scales: Floats
    touched: Numbers
    size: float

    def equations(self) -> Equations:
        """Return the equations as native code solves them."""
        functions = [joint_kernel(kind, "rigid").function for kind in self.kinds]
        return Equations(
            links=self.links, planar=self.planar, functions=np.array(functions, dtype=np.int64),
            ends=self.ends, markers=self.markers, radii=self.radii, starts=self.starts,
            equation_of=self.equation_of, coordinate_of=self.coordinate_of, gears=self.gears,
            ratios=self.ratios, drivers=self.drivers, scales=self.scales, touched=self.touched,
            size=self.size,
        )  # fmt: skip


def build_tables(parts: Parts) -> Tables:
    """Return the tables of the parts of a mechanism."""
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
    return Tables(
        links=len(parts.links),
        planar=parts.planar,
        kinds=tuple(joint.kind for joint in parts.joints),
        ends=np.array([joint.links for joint in parts.joints], dtype=np.int64).reshape(-1, 2),
        markers=np.array([joint.packed.ravel() for joint in parts.joints]).reshape(-1, 24),
        radii=np.array([joint.radius for joint in parts.joints], dtype=float),
        starts=starts.astype(np.int64),
        equation_of=equation_of.astype(np.int64),
        coordinate_of=coordinate_of.astype(np.int64),
        gears=np.array([g.coordinates for g in parts.gears], dtype=np.int64).reshape(-1, 2),
        ratios=np.array([gear.ratio for gear in parts.gears], dtype=float),
        drivers=np.array([one.coordinate for one in parts.drivers], dtype=np.int64),
        scales=np.where(parts.lengths, parts.size, 1.0),
        touched=_touched(parts),
        size=parts.size,
    )


def _touched(parts: Parts) -> Numbers:
    """Return for every equation the links that it has unknowns of: up to four, then -1."""
    ends = [[link for link in joint.links if link >= 0] for joint in parts.joints]
    found = [both for both, joint in zip(ends, parts.joints, strict=True) for _ in joint.held_rows]
    of_coordinate = [ends[one.joint] for one in parts.coordinates]
    found += [
        sorted({link for one in gear.coordinates for link in of_coordinate[one]})
        for gear in parts.gears
    ]
    found += [of_coordinate[one.coordinate] for one in parts.drivers]
    return np.array([[*links, -1, -1, -1, -1][:4] for links in found], dtype=np.int64).reshape(
        -1, 4
    )
