# SPDX-License-Identifier: BSD-3-Clause
"""Drawing with a depth buffer: hidden surfaces are removed pixel by pixel.

Implemented in NumPy, on blocks of triangles of similar size, without a loop over triangles.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from numpy.typing import NDArray

_BLOCK = 3_000_000  # pixels processed at a time
_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)


class Canvas:
    """A picture that stores the nearest triangle for each pixel.

    Parameters
    ----------
    width, height : int
        Size, pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.depth = np.full(width * height, np.inf, dtype=np.float32)
        self.triangle = np.full(width * height, -1, dtype=np.int32)
        self.weights = np.zeros((width * height, 2), dtype=np.float32)

    def draw(self, corners: Floats) -> None:
        """Draw triangles.

        Parameters
        ----------
        corners : ndarray, (m, 3, 3)
            Right, down, depth of their corners.
        """
        low = np.floor(corners[:, :, :2].min(axis=1)).astype(np.int64)
        extent = np.ceil(corners[:, :, :2].max(axis=1)).astype(np.int64) - low
        size = extent.max(axis=1)
        smaller = 0
        for side in _SIZES:
            chosen = np.flatnonzero((size > smaller) & (size <= side))
            smaller = side
            step = max(1, _BLOCK // (side * side))
            for start in range(0, len(chosen), step):
                self._block(corners, low, chosen[start : start + step], side)

    def shown(self) -> NDArray[np.bool_]:
        """Return for each pixel whether a triangle is there: (height * width,)."""
        return np.asarray(self.triangle >= 0)

    def interpolate(self, pixels: Ints, values: Floats) -> Floats:
        """Interpolate values at triangle corners, (m, 3, ...), to the pixels that show one."""
        shown = self.triangle[pixels]
        b, c = self.weights[pixels].T.astype(float)
        shape = (-1,) + (1,) * (values.ndim - 2)
        found = (1 - b - c).reshape(shape) * values[shown, 0]
        found += b.reshape(shape) * values[shown, 1]
        found += c.reshape(shape) * values[shown, 2]
        return np.asarray(found)

    def stroke(self, lines: Floats, thickness: float, bias: float) -> NDArray[np.bool_]:
        """Return the pixels of visible lines: (height * width,).

        Parameters
        ----------
        lines : ndarray, (n, 2, 3)
            Right, down, depth of their ends.
        thickness : float
            Pixels.
        bias : float
            Depth by which a line may be behind a surface and still count as lying on it.
        """
        covered = np.zeros(self.width * self.height, dtype=bool)
        length = np.abs(lines[:, 1, :2] - lines[:, 0, :2]).max(axis=1, initial=0.0)
        count = np.ceil(length).astype(np.int64) + 1
        first = np.cumsum(count) - count
        total = int(count.sum())
        owner = np.repeat(np.arange(len(lines)), count)
        along = (np.arange(total) - first[owner]) / np.maximum(count[owner] - 1, 1)
        place = lines[owner, 0] + along[:, None] * (lines[owner, 1] - lines[owner, 0])
        reach = int(np.ceil(0.5 * thickness))
        for dx in range(-reach, reach + 1):
            for dy in range(-reach, reach + 1):
                if dx * dx + dy * dy > (0.5 * thickness) ** 2 + 0.25:
                    continue
                x = np.rint(place[:, 0] - 0.5).astype(np.int64) + dx
                y = np.rint(place[:, 1] - 0.5).astype(np.int64) + dy
                inside = (x >= 0) & (x < self.width) & (y >= 0) & (y < self.height)
                pixel = (y * self.width + x)[inside]
                front = place[inside, 2] <= self.depth[pixel] + bias
                covered[pixel[front]] = True
        return covered

    def _block(self, corners: Floats, low: Ints, chosen: Ints, side: int) -> None:
        """Draw triangles whose bounding boxes fit a square of that side."""
        x = low[chosen, 0, None] + np.arange(side)
        y = low[chosen, 1, None] + np.arange(side)
        p, q, r = (corners[chosen, i][:, :, None, None] for i in range(3))
        px, py = (x + 0.5)[:, None, :], (y + 0.5)[:, :, None]
        area = (q[:, 0] - p[:, 0]) * (r[:, 1] - p[:, 1]) - (q[:, 1] - p[:, 1]) * (r[:, 0] - p[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            b = ((px - p[:, 0]) * (r[:, 1] - p[:, 1]) - (py - p[:, 1]) * (r[:, 0] - p[:, 0])) / area
            c = ((q[:, 0] - p[:, 0]) * (py - p[:, 1]) - (q[:, 1] - p[:, 1]) * (px - p[:, 0])) / area
            slack = 1e-6  # so that no pixel falls between neighbours
            inside = (b >= -slack) & (c >= -slack) & (b + c <= 1 + slack)
        inside &= (px >= 0) & (px < self.width) & (py >= 0) & (py < self.height)
        which, row, column = np.nonzero(inside)
        b, c = b[which, row, column], c[which, row, column]
        pixel = y[which, row] * self.width + x[which, column]
        z = corners[chosen[which], :, 2]
        depth = (z[:, 0] + b * (z[:, 1] - z[:, 0]) + c * (z[:, 2] - z[:, 0])).astype(np.float32)
        np.minimum.at(self.depth, pixel, depth)
        front = depth <= self.depth[pixel]
        pixel, which = pixel[front], which[front]
        self.triangle[pixel] = chosen[which]
        self.weights[pixel, 0], self.weights[pixel, 1] = b[front], c[front]
