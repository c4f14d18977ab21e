# SPDX-License-Identifier: BSD-3-Clause
"""Section forces at a point: from the stations on both sides of it along a rod.

Stations are inside the elements. Between two of them forces are interpolated linearly, within an
element and across a node where exactly one other element goes on in the same direction. At ends,
corners and branches of rods, and in shells, the value is that of the nearest station.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.results.data import spatial
from flexforge.runtime.system.body import Body

#: Cosine of the angle between two elements above which the second continues the first.
_STRAIGHT = 0.9


@dataclass(frozen=True, slots=True)
class Around:
    """Stations from which the value at a point is taken.

    Attributes
    ----------
    numbers : ndarray of int, (k,)
        Of the stations of the body.
    weights : ndarray, (k,)
        Their weights, which add to one.
    places : ndarray, (k, 3)
        Their undeformed positions, m.
    """

    numbers: Ints
    weights: Floats
    places: Floats

    def text(self) -> str:
        """Return the stations in words."""
        at = [f"({', '.join(f'{x + 0.0:.6g}' for x in place)})" for place in self.places]
        if len(at) == 1:
            return f"at its nearest station {at[0]} m"
        return f"between its stations {at[0]} and {at[1]} m"


def stations_around(body: Body, point: Floats) -> Around:
    """Return the stations of a rod or a shell from which the value at a point is taken.

    Parameters
    ----------
    body : Body
        A body with stations.
    point : ndarray, (3,)
        In undeformed coordinates of the frame, m.
    """
    places = spatial(body.stations.reshape(-1, body.dimension))
    pair = _pair(body, places.reshape(len(body.stations), -1, 3), point)
    if pair is None:
        numbers, weights = np.array([nearest_station(body, point)[0]]), np.ones(1)
    else:
        numbers, weights = pair
        kept = weights > 1e-12  # a point at a station
        numbers, weights = numbers[kept], weights[kept] / weights[kept].sum()
    return Around(numbers, weights, places[numbers])


def nearest_station(body: Body, point: Floats) -> tuple[int, float]:
    """Return the number of the station nearest to a point, and its distance, m."""
    gaps = np.linalg.norm(spatial(body.stations.reshape(-1, body.dimension)) - point, axis=1)
    return int(gaps.argmin()), float(gaps.min())


def _pair(body: Body, places: Floats, point: Floats) -> tuple[Ints, Floats] | None:
    """Return the two stations along a rod that a point is between, and their weights."""
    if not body.part.cell.startswith("line"):
        return None
    ends = body.part.connectivity[:, :2]
    start, finish = body.part.points[ends[:, 0]], body.part.points[ends[:, 1]]
    length = np.linalg.norm(finish - start, axis=1)
    along = (finish - start) / length[:, None]
    s = np.clip(np.einsum("ei,ei->e", point - start, along), 0.0, length)
    element = int(np.linalg.norm(start + s[:, None] * along - point, axis=1).argmin())
    count = places.shape[1]
    inside = np.einsum("qi,i->q", places[element] - start[element], along[element])
    order = np.argsort(inside)
    inside, own = inside[order], element * count + order
    at = float(s[element])
    if inside[0] <= at <= inside[-1]:
        if count == 1:
            return own, np.ones(1)
        k = min(int(np.searchsorted(inside, at, side="right")) - 1, count - 2)
        return own[k : k + 2], _weights(at - inside[k], inside[k + 1] - at)
    side = 0 if at < inside[0] else 1
    node = ends[element, side]
    others = np.flatnonzero((ends == node).any(axis=1))
    others = others[others != element]
    # An element with the opposite direction has other signs of its forces.
    if len(others) != 1 or along[others[0]] @ along[element] < _STRAIGHT:
        return None
    near = places[others[0]] - body.part.points[node]
    gaps = np.linalg.norm(near, axis=1)
    beyond = int(gaps.argmin())
    last = 0 if side == 0 else count - 1
    to_node = at if side == 0 else float(length[element]) - at
    numbers = np.array([own[last], others[0] * count + beyond])
    return numbers, _weights(abs(at - float(inside[last])), to_node + float(gaps[beyond]))


def _weights(before: float, after: float) -> Floats:
    """Return the weights of two stations at these distances from a point."""
    return np.array([after, before]) / (before + after)
