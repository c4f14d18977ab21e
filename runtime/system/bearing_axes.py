# SPDX-License-Identifier: BSD-3-Clause
"""Where the axes of a bearing are, and whether its law goes with the motion of its shaft."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_frame import FrameSpec
from flexforge.runtime.model.schema_lumped import BearingSpec
from flexforge.runtime.model.schema_spin import SpinSpec
from flexforge.runtime.motion.rotation import across
from flexforge.runtime.system.bearing_law import BearingLaw
from flexforge.runtime.system.bearing_laws import bearing_law

_CLOSE = 1e-9
_Z = (0.0, 0.0, 1.0)


def placed_law(
    spec: BearingSpec, key: str, frame: FrameSpec | str, spin: SpinSpec | None
) -> tuple[BearingLaw, Floats]:
    """Return the law of a bearing, and its axes x and y, (2, 3).

    Parameters
    ----------
    spec : BearingSpec
        The bearing.
    key : str
        Its key in the model file.
    frame : FrameSpec or str
        Frame of its nodes.
    spin : SpinSpec, optional
        Spin of the shaft in that frame.

    Raises
    ------
    InputError
        For a table of speeds where nothing turns, axes without a direction, and transfer functions
        that would vary with the angle of a frame that turns.
    """
    law = bearing_law(spec, key)
    turning = frame if isinstance(frame, FrameSpec) and frame.given is not None else None
    if spin is None and turning is None and law.varies:
        raise InputError(
            f"{key}.table: found no spin at the nodes of the bearing; expected [bodies.spin] of a "
            "body there, or the name of a body that spins as speed"
        )
    about = spin.axis if spin is not None else turning.axis if turning is not None else None
    axis = np.array(spec.axis or about or _Z, dtype=float)
    axis /= np.linalg.norm(axis)
    x = np.array(spec.orientation or across(tuple(axis.tolist())), dtype=float)
    size, x = float(np.linalg.norm(x)), x - (x @ axis) * axis
    if float(np.linalg.norm(x)) <= _CLOSE * size:
        raise InputError(f"{key}.orientation: found the direction of axis; expected another")
    x /= np.linalg.norm(x)
    if turning is not None:
        _check_turning(spec, key, law, axis, np.array(turning.axis or _Z))
    return law, np.array([x, np.cross(axis, x)])


def _check_turning(
    spec: BearingSpec, key: str, law: BearingLaw, axis: Floats, about: Floats
) -> None:
    """Refuse a bearing that does not stand still, and laws that would vary otherwise."""
    if law.vibrates:
        raise InputError(
            f"{key}.table: found a column frequency at a shaft in a frame that turns, which feels "
            "other frequencies than the bearing; expected a body with spin in place of frame"
        )
    if spec.at is None:
        raise InputError(
            f"{key}.between: found nodes of a frame that turns; expected at: a bearing stands still"
        )
    if np.linalg.norm(np.cross(axis, about)) > _CLOSE:
        raise InputError(f"{key}.axis: found another axis than that of the frame that turns")
    if law.internal and not law.is_alike:
        raise InputError(
            f"{key}: found coefficients that differ along x and y at a shaft in a frame that "
            "turns, where they would vary with its angle; expected transfer functions that are the "
            "same along both, or a body with spin in place of frame"
        )
