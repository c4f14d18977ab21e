# SPDX-License-Identifier: BSD-3-Clause
"""Teeth of two gears in mesh: a spring along the line of action through the pitch point.

The pitch point lies between the centres of the gears, as rigid arms with the pitch radii reach it:
a bushing there, with a stiffness along one axis. That axis is the normal of the teeth, along which
the first gear pushes the second one. With the unit vector s from the first centre to the second,
the axis n, the first gear turning about it, and the tangent t = n x s along which the pitch point
moves (ISO 21771):

    e = cos a (cos b t - sin b n) + sin a s

with the normal pressure angle a and the helix angle b, positive of a right-handed first gear. Where
the first gear turns about -n the other flanks touch, and t and n of e have the opposite sign.
"""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_lumped import GearMeshSpec
from flexforge.runtime.motion.build import build_motion

#: Relative error of radii, places, axes and speeds that is more than that of their digits.
_CLOSE = 1e-6
#: Times at which speeds are compared.
_LOOKS = 101

#: Frames that turn with both shafts; None of shafts that do not spin.
Spins = tuple[FrameSpec | None, FrameSpec | None]


def line_of_action(
    spec: GearMeshSpec, key: str, centres: Floats, spins: Spins, span: float
) -> tuple[Floats, float]:
    """Return the direction of the force on the second gear, and the place of the pitch point.

    Parameters
    ----------
    spec : GearMeshSpec
        The mesh.
    key : str
        Its key in the model file.
    centres : ndarray, (2, 3)
        Places of its nodes, m.
    spins : tuple of FrameSpec
        Frames that turn with both shafts; None of shafts that do not spin.
    span : float
        Time of the analysis, s.

    Returns
    -------
    direction : ndarray, (3,)
        Unit vector.
    location : float
        From 0 at the first node to 1 at the second.

    Raises
    ------
    InputError
        For axes that are not parallel, gears that are not side by side, radii that do not add up to
        the distance of the axes, and speeds that are not inversely as the radii, in opposite sense.
    """
    axis = _axis(spec, key, spins)
    reach = centres[1] - centres[0]
    distance = float(np.linalg.norm(reach))
    first, second = spec.radii
    if abs(float(reach @ axis)) > _CLOSE * (first + second):
        raise InputError(
            f"{key}.between: found nodes {float(reach @ axis):g} m apart along the axis; expected "
            "nodes side by side, in one plane across it"
        )
    if abs(first + second - distance) > _CLOSE * distance:
        raise InputError(
            f"{key}.radii: found {first:g} and {second:g}, together {first + second:g} m, with "
            f"nodes {distance:g} m apart; expected radii whose sum is this distance (gears with "
            "outer teeth)"
        )
    along = reach / distance
    sense = _sense(spec, key, axis, spins, span)
    a, b = spec.pressure_angle, spec.helix_angle
    pushed = np.cos(b) * np.cross(axis, along) - np.sin(b) * axis
    return np.cos(a) * sense * pushed + np.sin(a) * along, first / distance


def _axis(spec: GearMeshSpec, key: str, spins: Spins) -> Floats:
    """Return the common direction of the axes of both shafts."""
    first, second = spins
    if (first is None) != (second is None):
        which = "first" if first is None else "second"
        raise InputError(
            f"{key}.between: found no spin at the {which} node; expected both shafts with spin, or "
            "none"
        )
    if first is None or second is None:
        if spec.axis is None:
            raise InputError(f"{key}.axis: missing with shafts that do not spin; expected theirs")
        return np.asarray(np.array(spec.axis) / np.linalg.norm(spec.axis))
    axis = np.array(first.axis)
    others = {"between": np.array(second.axis)}
    if spec.axis is not None:
        others["axis"] = np.array(spec.axis) / np.linalg.norm(spec.axis)
    for where, other in others.items():
        if float(np.linalg.norm(np.cross(axis, other))) > _CLOSE:
            raise InputError(
                f"{key}.{where}: found the axes {[*map(float, axis)]} and {[*map(float, other)]}; "
                "expected shafts with parallel axes"
            )
    return axis


def _sense(spec: GearMeshSpec, key: str, axis: Floats, spins: Spins, span: float) -> float:
    """Return 1 where the first gear turns about the axis, and -1 where against it."""
    moving = [one for one in spins if one is not None]
    if not moving:
        return 1.0
    times = np.linspace(0.0, span, _LOOKS)
    turned = [build_motion(one, span).rotation.over(times)[1] @ axis for one in moving]
    rims = [radius * speed for radius, speed in zip(spec.radii, turned, strict=True)]
    worst = int(np.argmax(np.abs(rims[0] + rims[1])))
    if abs(rims[0][worst] + rims[1][worst]) > _CLOSE * float(np.abs(rims).max()):
        ratio = -spec.radii[0] / spec.radii[1]
        raise InputError(
            f"{key}.radii: found {turned[0][worst]:g} and {turned[1][worst]:g} rad/s about the "
            "axis of the first shaft; expected opposite speeds in the ratio of the radii, "
            f"{turned[0][worst]:g} and {ratio * turned[0][worst]:g} rad/s"
        )
    fastest = float(turned[0][int(np.argmax(np.abs(turned[0])))])
    return -1.0 if fastest < 0.0 else 1.0
