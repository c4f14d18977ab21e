# SPDX-License-Identifier: BSD-3-Clause
"""Local axes at nodes: one triad for all of them, or one per node about an axis."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_axes import AxesSpec

_ON_AXIS = 1e-9  # distance from the axis, relative to the extent of the nodes
_ZERO = 1e-14  # round-off of direction cosines


def local_axes(spec: AxesSpec, points: Floats, key: str) -> Floats:
    """Return the local axes at points.

    Parameters
    ----------
    spec : AxesSpec
        Specification in the model file.
    points : ndarray, (n, 2 or 3)
        Positions of the nodes, m.
    key : str
        Key of the axes in the model file, for messages.

    Returns
    -------
    ndarray, (n, 3, 3)
        Rows are the unit vectors x, y and z; for a cylinder: radial, circumferential, axial.

    Raises
    ------
    InputError
        When a node lies on the axis of a cylinder, or axes leave the plane of a planar model.

    Examples
    --------
    >>> local_axes(AxesSpec(kind="cylindrical"), np.array([[0.0, 2.0, 1.0]]), "axes")[0, 0]
    array([0., 1., 0.])
    """
    planar = points.shape[1] == 2
    inside = np.zeros((len(points), 3))
    inside[:, : points.shape[1]] = points
    if spec.kind == "cylindrical":
        z = _unit(np.array(spec.z))
        if planar and abs(z[2]) != 1.0:
            raise InputError(f"{key}.z: found {list(spec.z)} in a planar model; expected [0, 0, 1]")
        arms = inside - np.array(spec.origin)
        arms = arms - np.outer(arms @ z, z)
        sizes = np.linalg.norm(arms, axis=1)
        near = np.flatnonzero(sizes <= _ON_AXIS * max(float(np.abs(inside).max()), sizes.max()))
        if len(near):
            place = ", ".join(f"{c:.4g}" for c in points[near[0]])
            raise InputError(
                f"{key}: the node at ({place}) lies on the axis, where no direction is radial; "
                "expected nodes away from it"
            )
        x = arms / sizes[:, None]
        axes = np.stack([x, np.cross(z, x), np.broadcast_to(z, x.shape)], axis=1)
    else:
        axes = np.broadcast_to(_triad(spec, key, planar=planar), (len(points), 3, 3))
    return np.where(np.abs(axes) <= _ZERO, 0.0, axes)


def _triad(spec: AxesSpec, key: str, *, planar: bool) -> Floats:
    """Return cartesian axes; without y, any two axes perpendicular to x."""
    assert spec.x is not None  # which the schema ensures
    x = _unit(np.array(spec.x))
    if planar:
        for name, vector in (("x", spec.x), ("y", spec.y)):
            if vector is not None and vector[2]:
                raise InputError(f"{key}.{name}: found a z component in a planar model; expected 0")
        y = np.array([-x[1], x[0], 0.0])
        if spec.y is not None and y @ spec.y < 0:
            y = -y
        return np.array([x, y, np.cross(x, y)])
    other = np.array(spec.y) if spec.y is not None else np.eye(3)[np.abs(x).argmin()]
    z = _unit(np.cross(x, other))
    return np.array([x, np.cross(z, x), z])


def _unit(vector: Floats) -> Floats:
    return np.asarray(vector / np.linalg.norm(vector))
