# SPDX-License-Identifier: BSD-3-Clause
"""Facts about joints without algebra: their rows by name, for model files and the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

#: Rows that belong to a planar model: with the joint's z axis normal to the plane, with z in the
#: plane and y normal to it, in both cases, in neither.
NORMAL, ALONG, BOTH, NEVER = "normal", "along", "both", "never"


@dataclass(frozen=True, slots=True)
class RowFacts:
    """A row of a joint.

    Attributes
    ----------
    in_plane : str
        Direction of the axis for which the row belongs to a planar model.
    is_length : bool
        Whether it is a length; otherwise it is an angle or a cosine.
    """

    in_plane: str
    is_length: bool = False


@dataclass(frozen=True, slots=True)
class JointFacts:
    """A kind of joint: its constrained rows, and its free coordinates by name.

    Attributes
    ----------
    held : tuple of RowFacts
        Constrained rows.
    free : dict of str to RowFacts
        Free coordinates.
    aligned : bool
        Whether it keeps the z axes of both links parallel; opposite axes are invalid.
    of_forces : bool
        Whether it is none of a model file: it holds nothing, and tells forces how links move
        relative to each other.
    """

    held: tuple[RowFacts, ...]
    free: Mapping[str, RowFacts]
    aligned: bool = True
    of_forces: bool = False


_X, _Y, _Z = (RowFacts(side, True) for side in (BOTH, NORMAL, ALONG))
_LIFT = RowFacts(NEVER, True)
_TURN = (RowFacts(NEVER), RowFacts(ALONG), RowFacts(NORMAL))
_PARALLEL = (RowFacts(ALONG), RowFacts(NEVER))
_ANGLE, _ROLL = RowFacts(NORMAL), RowFacts(NORMAL, True)
_SPATIAL = RowFacts(NEVER)

JOINTS = {
    "fixed": JointFacts((_X, _Y, _Z, *_TURN), {}),
    "revolute": JointFacts((_X, _Y, _LIFT, *_PARALLEL), {"angle": _ANGLE}),
    "prismatic": JointFacts((_X, _Y, *_TURN), {"slide": _Z}),
    "cylindrical": JointFacts((_X, _Y, *_PARALLEL), {"angle": _ANGLE, "slide": _Z}),
    "universal": JointFacts(
        (_X, _Y, _Z, _SPATIAL), {"angle": _SPATIAL, "second_angle": _SPATIAL}, aligned=False
    ),
    "spherical": JointFacts((_X, _Y, _Z), {}, aligned=False),
    "planar": JointFacts((_LIFT, *_PARALLEL), {"angle": _ANGLE, "slide": _X, "second_slide": _Y}),
    "point_on_line": JointFacts((_X, _Y), {"slide": _Z}, aligned=False),
    "free": JointFacts(
        (),
        {
            "angle": _ANGLE,
            "second_angle": RowFacts(ALONG),
            "third_angle": RowFacts(NEVER),
            "slide": _X,
            "second_slide": _Y,
            "third_slide": _Z,
        },
        aligned=False,
    ),
    "relative": JointFacts(
        (),
        {
            "slide": _X,
            "second_slide": _Y,
            "third_slide": _Z,
            "turn": RowFacts(NEVER),
            "second_turn": RowFacts(ALONG),
            "third_turn": RowFacts(NORMAL),
            "tilt": RowFacts(ALONG),
            "second_tilt": RowFacts(NEVER),
            "third_tilt": RowFacts(ALONG),
        },
        aligned=False,
        of_forces=True,
    ),
    "rolling": JointFacts((_Y, _LIFT, *_PARALLEL, _ROLL), {"angle": _ANGLE, "slide": _X}),
}
"""All kinds of joints."""
