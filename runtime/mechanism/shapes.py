# SPDX-License-Identifier: BSD-3-Clause
"""What links look like that have no mesh: lines between their joints."""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.results import BodyGeometry

#: Products of unit vectors, e_j x e_k: one matrix per turn, a tenth of the time of `numpy.cross`.
_PRODUCTS = np.array([[np.cross(a, b) for b in np.eye(3)] for a in np.eye(3)]).reshape(3, 9)


def link_shapes(parts: Parts) -> list[BodyGeometry]:
    """Return every link as lines between its joints, or a point where it has them in one place."""
    found = []
    for number, name in enumerate(parts.links):
        points = [
            marker.point
            for joint in parts.joints
            for link, marker in zip(joint.links, joint.markers, strict=True)
            if link == number
        ]
        distinct = np.unique(np.array(points or [np.zeros(3)]), axis=0)
        if len(distinct) == 1:
            found.append(BodyGeometry(name, "point1", distinct, np.zeros((1, 1), dtype=np.int64)))
            continue
        nodes = np.arange(len(distinct))
        lines = np.stack([nodes[:-1], nodes[1:]], axis=1)
        if len(distinct) > 2:
            lines = np.vstack([lines, [nodes[-1], 0]])
        found.append(BodyGeometry(name, "line2", distinct, lines))
    return found


def carried(points: Floats, vectors: Floats) -> Floats:
    """Return displacements of points of a rigid link, (..., n, d), from those of its origin.

    Parameters
    ----------
    points : ndarray, (n, 3)
        Points of the link.
    vectors : ndarray, (..., 2, d)
        Displacement and rotation of the node at its origin, or their rates; over time.
    """
    displacement, turn = vectors[..., 0, :], vectors[..., 1, :]
    d = displacement.shape[-1]
    axis = turn
    if d == 2:
        axis = np.zeros((*turn.shape[:-1], 3))
        axis[..., 2] = turn[..., 0]
    turned = points @ (axis @ _PRODUCTS).reshape(*axis.shape[:-1], 3, 3)
    return np.asarray(displacement[..., None, :] + turned[..., :d])
