# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of joints: for each, the constrained rows and the free coordinates.

The z axis of a marker is the axis of the joint, x is the direction ``across``. ``p`` and ``A`` are
position and attitude of the second marker in axes of the first; ``A[i, j]`` is the cosine between
axis i of the first and axis j of the second.
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.joints.markers import ATTITUDE as A
from flexforge.codegen.joints.markers import PLACE as P

#: Radius of a disc, m.
RADIUS = sympy.Symbol("radius", positive=True)
_ZERO, _ONE = sympy.Integer(0), sympy.Integer(1)


@dataclass(frozen=True, slots=True)
class Row:
    """A function of the relative position: ``length + factor atan2(sine, cosine)``.

    Attributes
    ----------
    length : sympy.Expr
        The part without an arc.
    sine, cosine : sympy.Expr
        Sine and cosine of the angle, up to a common positive factor.
    factor : sympy.Expr
        Factor of the angle; zero if there is none.
    turn : int, optional
        Axis of the first marker along which the row is the turn of the second relative to the
        first: its rate is a component of the relative angular velocity, and it has no value.
    """

    length: sympy.Expr = _ZERO
    sine: sympy.Expr = _ZERO
    cosine: sympy.Expr = _ONE
    factor: sympy.Expr = _ZERO
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class JointKind:
    """A kind of joint.

    Attributes
    ----------
    name : str
        Name of the joint.
    held : tuple of Row
        Rows kept at zero, or at their initial value.
    free : tuple of Row
        Free coordinates.
    parameters : tuple of sympy.Symbol
        Lengths in its expressions.
    """

    name: str
    held: tuple[Row, ...]
    free: tuple[Row, ...]
    parameters: tuple[sympy.Symbol, ...] = ()


_POINT = tuple(Row(place) for place in P)
_X, _Y, _Z = _POINT
# Half the axial vector of A is the rotation, if it is small.
_TURN = tuple(Row((A[k, j] - A[j, k]) / 2) for j, k in ((1, 2), (2, 0), (0, 1)))
_PARALLEL = (Row(A[0, 2]), Row(A[1, 2]))
_ANGLE = Row(sine=A[1, 0], cosine=A[0, 0], factor=_ONE)
_ROLL = Row(P[0], A[1, 0], A[0, 0], RADIUS)
# The axes of a universal joint are the arms of its cross, each fixed in its link.
_ARM_1 = Row(sine=A[1, 2], cosine=A[0, 2], factor=_ONE)
_ARM_2 = Row(sine=-A[2, 1], cosine=A[2, 0], factor=_ONE)

# The angles of a free link, about z, then y, then x of the second marker: A = Rx Ry Rz.
_FREE = tuple(
    Row(sine=sine, cosine=cosine, factor=_ONE)
    for sine, cosine in (
        (-A[0, 1], A[0, 0]),
        (A[0, 2], sympy.sqrt(A[0, 0] ** 2 + A[0, 1] ** 2)),
        (-A[1, 2], A[2, 2]),
    )
)

KINDS = {
    "fixed": JointKind("fixed", (*_POINT, *_TURN), ()),
    "revolute": JointKind("revolute", (*_POINT, *_PARALLEL), (_ANGLE,)),
    "prismatic": JointKind("prismatic", (_X, _Y, *_TURN), (_Z,)),
    "cylindrical": JointKind("cylindrical", (_X, _Y, *_PARALLEL), (_ANGLE, _Z)),
    "universal": JointKind("universal", (*_POINT, Row(A[2, 2])), (_ARM_1, _ARM_2)),
    "spherical": JointKind("spherical", _POINT, ()),
    "planar": JointKind("planar", (_Z, *_PARALLEL), (_ANGLE, _X, _Y)),
    "point_on_line": JointKind("point_on_line", (_X, _Y), (_Z,)),
    "free": JointKind("free", (), (*_FREE, *_POINT)),
    "relative": JointKind(
        "relative",
        (),
        (*_POINT, *(Row(turn=i) for i in range(3)), *(Row(A[i, 2]) for i in range(3))),
    ),
    "rolling": JointKind(
        "rolling", (Row(P[1] - RADIUS), _Z, *_PARALLEL, _ROLL), (_ANGLE, _X), (RADIUS,)
    ),
}
"""The rows of all joints, in the order of :data:`flexforge.codegen.joints.table.JOINTS`."""
