# SPDX-License-Identifier: BSD-3-Clause
"""Consistency of arrays that were read, before they are drawn."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mesh.cells import CELLS
from flexforge.runtime.results.data import BodyGeometry

Shaped = TypeVar("Shaped")

_LARGEST = 1e150


def require_shape(array: Shaped, shape: tuple[int | None, ...]) -> Shaped:
    """Return an array, of NumPy or in a file, if it has the given shape; None is any size.

    Raises
    ------
    ValueError
        If it has another shape.
    """
    found = tuple(getattr(array, "shape", ()))
    fits = len(found) == len(shape) and all(
        wanted in (None, size) for size, wanted in zip(found, shape, strict=True)
    )
    if not fits:
        raise ValueError(f"found an array of {found}; expected {shape}".replace("None", "any"))
    return array


def require_finite(name: str, values: Floats) -> Floats:
    """Return numbers if they and their squares are finite.

    Raises
    ------
    ValueError
        If they are not.
    """
    if not (np.abs(values) <= _LARGEST).all():
        raise ValueError(f"{name}: contains NaN, or numbers beyond {_LARGEST:g}")
    return np.asarray(values)


def checked(body: BodyGeometry) -> BodyGeometry:
    """Return a body if it can be drawn.

    Raises
    ------
    ValueError
        If its cell type is unknown, or its points or cells are inconsistent.
    """
    if body.cell not in CELLS:
        raise ValueError(f"found cells '{body.cell}'; expected one of {', '.join(CELLS)}")
    require_finite("points", require_shape(body.points, (None, 3)))
    rows = require_shape(body.connectivity, (None, CELLS[body.cell].nodes))
    if rows.size and not 0 <= rows.min() <= rows.max() < len(body.points):
        raise ValueError("connectivity: found a node index out of range")
    if body.stations is not None:
        require_finite("stations", require_shape(body.stations, (None, 3)))
    return body
