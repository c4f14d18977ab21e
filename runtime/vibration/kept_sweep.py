# SPDX-License-Identifier: BSD-3-Clause
"""A sweep over speeds as arrays, numbers and texts, and back: to go on with it in another process.

Shapes are those at the last speed, as everywhere in a sweep.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.unknown_map import UnknownMap
from flexforge.runtime.vibration.branches import Branch, Point, distances
from flexforge.runtime.vibration.crossings import Crossing
from flexforge.runtime.vibration.modes import Modes

_ARRAYS = ("frequencies", "shapes", "growth", "damping", "vectors")
_SHAPES = ("shapes", "vectors")
_OF_UNKNOWNS = ("last shapes", "last vectors", "shape")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a sweep, which may have gone on since.

    Attributes
    ----------
    count : int
        Number of points.
    last : Point
        The last of them, with its shapes.
    branches : list of tuple
        Every branch, with the number of its values and of its crossings, its shape, its lowest
        index and its distance from others.
    others : dict
        What else there is to know.
    """

    count: int
    last: Point
    branches: list[tuple[Branch, int, int, Complex, int, float]]
    others: dict[str, Any]

    @classmethod
    def of(cls, points: list[Point], branches: list[Branch], others: dict[str, Any]) -> Mark:
        """Return the place at the last of some points."""
        each = [
            (one, len(one.values), len(one.crossings), one.shape, one.lowest, one.apart)
            for one in branches
        ]
        return cls(len(points), points[-1], each, others)

    def before(self, points: list[Point]) -> tuple[list[Point], list[Branch]]:
        """Return points and branches as they were, from the points of now."""
        branches = [
            Branch(
                one.first,
                shape,
                one.values[:length],
                one.whirl[:length],
                one.assurance[:length],
                lowest,
                apart,
                one.crossings[:crossed],
            )
            for one, length, crossed, shape, lowest, apart in self.branches
        ]
        return [*points[: self.count - 1], self.last], branches


def collected(
    points: list[Point], branches: list[Branch], shapes: Complex, unknowns: UnknownMap
) -> dict[str, Any]:
    """Return points and branches of a sweep.

    Parameters
    ----------
    points : list of Point
        At least one.
    branches : list of Branch
        The tracked modes.
    shapes : ndarray of complex, (branches, n)
        Their shapes.
    unknowns : UnknownMap
        The unknowns of this rank; shapes are those of all, on the first.
    """
    last = points[-1]
    crossings = [one for branch in branches for one in branch.crossings]
    return {
        "speeds": np.array([one.speed for one in points]),
        "seconds": np.array([one.seconds for one in points]),
        "residuals": np.array([one.modes.residual for one in points]),
        "solvers": [one.modes.solver for one in points],
        "gyroscopic": [one.modes.gyroscopic for one in points],
        "last whirl": last.whirl,
        **{f"last {name}": getattr(last.modes, name) for name in _ARRAYS if name not in _SHAPES},
        "last shapes": unknowns.collected(sampled(last.modes.shapes, unknowns)),
        "last vectors": unknowns.collected(last.modes.vectors),
        "first": np.array([one.first for one in branches]),
        "lowest": np.array([one.lowest for one in branches]),
        "apart": np.array([one.apart for one in branches]),
        "lengths": np.array([len(one.values) for one in branches]),
        "crossed": np.array([len(one.crossings) for one in branches]),
        "shape": unknowns.collected(shapes),
        "values": np.concatenate([one.values for one in branches]),
        "whirl": np.concatenate([one.whirl for one in branches]),
        "assurance": np.concatenate([one.assurance for one in branches]),
        "orders": [one.order for one in crossings],
        "crossings": np.array([(one.low, one.high, one.speed) for one in crossings]),
    }


def sampled(shapes: Floats, unknowns: UnknownMap) -> Floats:
    """Return the unknowns (count, n) of shapes, which they determine.

    Parameters
    ----------
    shapes : ndarray, (count, N, d)
        Displacements, m.
    unknowns : UnknownMap
        The unknowns.
    """
    return np.array([unknowns.sample(one) for one in shapes])


def handed_out(kept: Mapping[str, Any] | None, unknowns: UnknownMap) -> dict[str, Any]:
    """Return this rank's part of what was collected, which the first rank has.

    Raises
    ------
    KeyError
        When something is missing.
    """
    ranks, small = unknowns.ranks, None
    if kept is not None:
        small = [{name: one for name, one in kept.items() if name not in _OF_UNKNOWNS}]
    found = ranks.handed_out(None if small is None else small * ranks.count)
    for name in _OF_UNKNOWNS:
        found[name] = unknowns.handed_out(None if kept is None else kept[name])
    return found


def restored(kept: Mapping[str, Any], unknowns: UnknownMap) -> tuple[list[Point], list[Branch]]:
    """Return points and branches from what was collected of them.

    Raises
    ------
    KeyError
        When something is missing.
    """
    points = []
    count = len(kept["speeds"])
    none, no_shapes = np.zeros(0), np.zeros((0, 0, 0))
    slim = (none, no_shapes, none, none, np.zeros((0, 0), dtype=np.complex128))
    for number in range(count):
        arrays: Sequence[Any] = slim
        if number == count - 1:
            arrays = tuple(kept[f"last {name}"] for name in _ARRAYS)
        frequencies, shapes, growth, damping, vectors = arrays
        if number == count - 1:
            shapes = unknowns.expand(shapes)
        modes = Modes(
            frequencies,
            shapes,
            growth,
            damping,
            kept["gyroscopic"][number],
            vectors,
            residual=float(kept["residuals"][number]),
            solver=kept["solvers"][number],
        )
        whirl = kept["last whirl"] if number == count - 1 else np.zeros((0, 2))
        speed, seconds = float(kept["speeds"][number]), float(kept["seconds"][number])
        points.append(Point(speed, modes, whirl, distances(modes.values), seconds))
    found = zip(kept["orders"], kept["crossings"].reshape(-1, 3).tolist(), strict=True)
    crossings = [Crossing(order, *values) for order, values in found]
    lengths, crossed = np.cumsum(kept["lengths"]), np.cumsum(kept["crossed"])
    branches = []
    for number, (end, last) in enumerate(zip(lengths, crossed, strict=True)):
        own = slice(end - kept["lengths"][number], end)
        branches.append(
            Branch(
                int(kept["first"][number]),
                kept["shape"][number],
                kept["values"][own].tolist(),
                [(float(waves), float(sense)) for waves, sense in kept["whirl"][own]],
                kept["assurance"][own].tolist(),
                int(kept["lowest"][number]),
                float(kept["apart"][number]),
                crossings[last - kept["crossed"][number] : last],
            )
        )
    return points, branches
