# SPDX-License-Identifier: BSD-3-Clause
"""Choice of the view of a part: most of it is visible and all of it fits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats

_OPENING = np.radians(24.0)  # of the view: a mild perspective, like that of a portrait lens
_FILL = 0.93  # fraction of the picture that the part fills
_TALL = 1.5  # ratio of height to width beyond which the picture would be mostly empty
_AZIMUTHS = (-60.0, -30.0, -120.0, -150.0)
_ELEVATIONS = (22.0, 32.0)


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera that looks at a part.

    Parameters
    ----------
    axes : ndarray, (3, 3)
        Rows: right, up, towards the viewer.
    centre : ndarray, (3,)
        Point that it looks at.
    distance : float
        Distance from there to the eye; infinite for a plane part.
    scale : float
        Pixels per unit at the centre.
    size : tuple of int
        Width and height, pixels.
    shift : ndarray, (2,)
        Position of the centre, pixels from the upper left.
    """

    axes: Floats
    centre: Floats
    distance: float
    scale: float
    size: tuple[int, int]
    shift: Floats

    def project(self, points: Floats) -> Floats:
        """Return pixel coordinates and a depth that grows away from the eye.

        Parameters
        ----------
        points : ndarray, (..., 3)
            Positions.

        Returns
        -------
        ndarray, (..., 3)
            Right, down, depth. The depth runs linearly along projected straight lines.
        """
        flat = _flat(self.axes, self.centre, self.distance, points)
        flat[..., 0] = self.shift[0] + self.scale * flat[..., 0]
        flat[..., 1] = self.shift[1] - self.scale * flat[..., 1]
        return flat

    def towards(self, points: Floats) -> Floats:
        """Return unit vectors from points to the eye, (..., 3)."""
        if not np.isfinite(self.distance):
            return np.broadcast_to(self.axes[2], points.shape)
        way = self.centre + self.distance * self.axes[2] - points
        return np.asarray(way / np.linalg.norm(way, axis=-1, keepdims=True))

    def resized(self, factor: int) -> Camera:
        """Return the camera for a picture enlarged by an integer factor."""
        size = (self.size[0] * factor, self.size[1] * factor)
        return Camera(
            self.axes, self.centre, self.distance, self.scale * factor, size, self.shift * factor
        )


def look_at(points: Floats, triangles: Floats, plane: bool, width: int) -> Camera:
    """Choose a camera.

    Parameters
    ----------
    points : ndarray, (n, 3)
        All points that must fit.
    triangles : ndarray, (m, 3, 3)
        Surface that should be visible.
    plane : bool
        Whether the part is plane and seen from directly above.
    width : int
        Width of the picture, pixels; the height follows from the part.

    Returns
    -------
    Camera
    """
    low, high = points.min(axis=0), points.max(axis=0)
    centre = 0.5 * (low + high)
    reach = max(float(np.linalg.norm(high - low)), 1e-300)
    axes = np.eye(3) if plane else _best(triangles)
    distance = np.inf if plane else 0.55 * reach / np.tan(0.5 * _OPENING)
    flat = _flat(axes, centre, distance, points)[..., :2]
    if np.ptp(flat[:, 1]) > _TALL * np.ptp(flat[:, 0]):  # a tall part is laid on its side
        axes = np.stack([axes[1], -axes[0], axes[2]])
        flat = np.column_stack([flat[:, 1], -flat[:, 0]])
    first, last = flat.min(axis=0), flat.max(axis=0)
    extent = np.maximum(last - first, 0.02 * reach)
    height = int(np.clip(width * extent[1] / extent[0], 0.34 * width, 0.86 * width))
    scale = _FILL * min(width / extent[0], height / extent[1])
    middle = 0.5 * (first + last)
    shift = np.array([0.5 * width - scale * middle[0], 0.5 * height + scale * middle[1]])
    return Camera(axes, centre, distance, scale, (width, height), shift)


def _flat(axes: Floats, centre: Floats, distance: float, points: Floats) -> Floats:
    local = (np.asarray(points, dtype=float) - centre) @ axes.T
    if not np.isfinite(distance):
        local[..., 2] *= -1
        return np.asarray(local)
    away = distance - local[..., 2]
    local[..., 0] *= distance / away
    local[..., 1] *= distance / away
    local[..., 2] = -distance / away  # 1/depth is linear across the picture
    return np.asarray(local)


def _best(triangles: Floats) -> Floats:
    """Return the axes, among some customary ones, that show the largest area of the part."""
    doubled = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    best, most = np.eye(3), -1.0
    for elevation in _ELEVATIONS:
        for azimuth in _AZIMUTHS:
            a, e = np.radians(azimuth), np.radians(elevation)
            out = np.array([np.cos(e) * np.cos(a), np.cos(e) * np.sin(a), np.sin(e)])
            right = np.array([-np.sin(a), np.cos(a), 0.0])
            seen = float(np.maximum(doubled @ out, 0.0).sum())
            if seen > 1.02 * most:  # earlier ones are more customary
                best, most = np.stack([right, np.cross(out, right), out]), seen
    return best
