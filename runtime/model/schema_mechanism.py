# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms: ``[[links]]``, ``[[joints]]``, ``[[gears]]`` and ``[[drivers]]``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias, get_args

import numpy as np
from flexforge.codegen.errors import nearest
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.model.angles import (
    OR_DEGREES,
    OR_RPM,
    AccelerationProfile,
    Angle,
    AngleProfile,
    AngularVelocity,
    VelocityProfile,
    has_unit,
)
from flexforge.runtime.model.base import (
    LARGEST,
    Name,
    NonNegative,
    Number,
    Positive,
    Table,
    Vector,
    is_list,
    is_number,
    problem,
    refuse_no_direction,
    shown,
    toml_type,
)
from flexforge.runtime.model.schema_frame import check_given, unit
from flexforge.runtime.model.schema_frames import FRAMES, Frames
from flexforge.runtime.model.schema_lumped import NAME, check_tensor
from flexforge.runtime.model.schema_profile import PROFILE
from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

GROUND = "ground"

#: Coordinates that a joint leaves free.
COORDINATES = {kind: tuple(joint.free) for kind, joint in JOINTS.items()}
Kind: TypeAlias = Literal[
    "fixed",
    "revolute",
    "prismatic",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "point_on_line",
    "free",
    "rolling",
]
CoordinateName: TypeAlias = Literal[
    "angle", "slide", "second_angle", "second_slide", "third_angle", "third_slide"
]
COORDINATE = '"angle" or "slide", or one that begins with "second_" or "third_"'
_UNIT = Annotated[Vector, AfterValidator(unit)]


class PlacementSpec(Table):
    """``placement = {...}``: approximate position of a link at the start."""

    position: Vector = Field(
        default=(0.0, 0.0, 0.0), description="the origin, three numbers [x, y, z] (m)"
    )
    axis: _UNIT = Field(
        default=(0.0, 0.0, 1.0), description="the axis of rotation, a unit vector [x, y, z]"
    )
    angle: Angle = Field(
        default=0.0, description=f"the angle of rotation, a number (rad), {OR_DEGREES}"
    )


def _no_ground(name: str) -> str:
    if name == GROUND:
        raise problem('found "ground", which is the global frame; expected another name')
    return name


class LinkSpec(Table):
    """``[[links]]``: a frame that joints move, and the rigid body in it, if there is one."""

    name: Annotated[Name, AfterValidator(_no_ground)] = Field(description=NAME)
    placement: PlacementSpec = Field(
        default_factory=PlacementSpec, description="a table {position, axis, angle}"
    )
    mass: NonNegative = Field(default=0.0, description="the mass, a number >= 0 (kg)")
    inertia: Annotated[tuple[Number, ...], AfterValidator(check_tensor)] | None = Field(
        default=None,
        description="a list of 3 moments of inertia about the centre of mass, or of these and 3 "
        "products of inertia, or of 1 in the plane (kg m^2)",
    )
    centre: Vector = Field(
        default=(0.0, 0.0, 0.0),
        description="the centre of mass, three numbers [x, y, z] in the link (m)",
    )
    velocity: Vector | None = Field(
        default=None,
        description="the velocity of the origin at t = 0 where it is not determined, three numbers "
        "[x, y, z] along fixed axes (m/s)",
    )
    angular_velocity: Vector | None = Field(
        default=None,
        description="the angular velocity at t = 0 where it is not determined, three numbers "
        "[x, y, z] along fixed axes (rad/s)",
    )

    frames: Frames = Field(default=1, description=FRAMES)

    @property
    def origin(self) -> str:
        """Name of the node of a rigid link at its origin."""
        return f"{self.name}.origin"


_PLACE = "a point [x, y, z] of the link (m) or the name of a group of nodes"


def _vector(value: Any, what: str) -> tuple[float, float, float]:
    if not is_list(value) or len(value) != 3 or not all(map(is_number, value)):
        raise problem(f"found {shown(value)}; expected {what}")
    # Whole numbers of any length are compared directly: in arrays they would be objects.
    if not all(abs(one) <= LARGEST for one in value):
        raise problem(
            f"found a number that is not finite or beyond {LARGEST:g} in magnitude; expected {what}"
        )
    x, y, z = map(float, value)
    return x, y, z


def _pair(value: Any) -> Any:
    """Return two values; a single value stands for both links."""
    return value if is_list(value) and len(value) == 2 else (value, value)


def _places(value: Any) -> tuple[Place, Place]:
    one, two = (
        place if place and toml_type(place) == "text" else _vector(place, _PLACE)
        for place in _pair(value)
    )
    return one, two


def _directions(value: Any) -> tuple[Direction, Direction]:
    what = "a direction [x, y, z]"
    one, two = (_vector(direction, what) for direction in _pair(value))
    for direction in (one, two):
        refuse_no_direction(direction)
    return one, two


Direction: TypeAlias = tuple[float, float, float]
Place: TypeAlias = Direction | str
Places = Annotated[tuple[Place, Place], PlainValidator(_places)]
Directions = Annotated[tuple[Direction, Direction], PlainValidator(_directions)]
_Z = (0.0, 0.0, 1.0)
#: What keys of all that is between two links expect.
LINKS = 'a list of two names of links, one of them may be "ground"'
AT = f"{_PLACE}, or a list of two of these, one per link"
AXIS = "a direction [x, y, z] in the links, or a list of two"
CONNECTION = '"averaged" or "rigid", how it holds a group of several nodes'


class JointSpec(Table):
    """``[[joints]]``: a joint between two links."""

    name: Name = Field(description=NAME)
    kind: Kind = Field(description=f"one of {', '.join(get_args(Kind))}")
    links: tuple[Name, Name] = Field(description=LINKS)
    at: Places = Field(default=((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), description=AT)
    axis: Directions = Field(default=(_Z, _Z), description=AXIS)
    across: Directions | None = Field(
        default=None,
        description="a direction across the axis, from which angles are counted, or a list of two",
    )
    radius: Positive | None = Field(
        default=None, description="the radius of the disc, a number above 0 (m)"
    )
    start: dict[CoordinateName, Angle] = Field(
        default={},
        description="a table of coordinates at t = 0 where they are not determined, such as "
        f"{{ angle = 0.3 }}, numbers (rad or m), {OR_DEGREES}",
    )
    start_velocity: dict[CoordinateName, AngularVelocity] = Field(
        default={},
        description="a table of velocities of coordinates at t = 0 where they are not determined, "
        f"such as {{ angle = 2.0 }}, numbers (rad/s or m/s), {OR_RPM}",
    )
    connection: Literal["averaged", "rigid"] = Field(default="averaged", description=CONNECTION)

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of its free coordinates."""
        return COORDINATES[self.kind]

    @model_validator(mode="after")
    def _consistent(self) -> JointSpec:
        if self.links[0] == self.links[1]:
            raise problem(f"found '{self.links[0]}' twice; expected two links", "links")
        if (self.radius is None) == (self.kind == "rolling"):
            text = "missing; expected the radius of the disc, a number above 0 (m)"
            other = f"found with kind {self.kind}; expected only with rolling"
            raise problem(text if self.radius is None else other, "radius")
        for axis, across in zip(self.axis, self.across or (), strict=False):
            normal = np.linalg.norm(np.cross(axis, across))
            if normal <= 1e-9 * np.linalg.norm(axis) * np.linalg.norm(across):
                raise problem("found a direction along axis; expected one across it", "across")
        if self.kind == "universal" and "axis" not in self.model_fields_set:
            raise problem("missing; expected the two arms of the cross, one per link", "axis")
        return self


class GearSpec(Table):
    """``[[gears]]``: a coordinate of a joint follows one of another."""

    name: Name = Field(description=NAME)
    joints: tuple[Name, Name] = Field(description="a list of two names of joints")
    ratio: Number = Field(description="coordinate A over coordinate B, a number")
    coordinates: tuple[CoordinateName, CoordinateName] | None = Field(
        default=None, description=f"a list of two, each {COORDINATE}"
    )
    offset: Number | None = Field(
        default=None,
        description="coordinate A - ratio * coordinate B, a number; by default that of the start",
    )

    @model_validator(mode="after")
    def _turns(self) -> GearSpec:
        if not self.ratio:
            raise problem("found 0; expected another number", "ratio")
        return self


_GIVEN = ("value", "velocity", "acceleration")


class OfCoordinate(Table):
    """A table on a coordinate of a joint, which remembers what was given in units of an angle."""

    #: Keys whose values may have such a unit, and which derivative of an angle each is.
    orders: ClassVar[Mapping[str, int]] = {}

    joint: Name = Field(description="the name of a joint")
    coordinate: CoordinateName | None = Field(default=None, description=COORDINATE)

    _of_angles: tuple[str, ...] = PrivateAttr(default=())

    @property
    def keys_of_angles(self) -> tuple[str, ...]:
        """Keys whose values were given in units of an angle, which no slide takes."""
        return self._of_angles

    @model_validator(mode="wrap")
    @classmethod
    def _remember_units(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        found = handler(given)
        if toml_type(given) == "table":
            found._of_angles = tuple(
                key for key, order in cls.orders.items() if has_unit(given.get(key), order)
            )
        return found


class DriverSpec(OfCoordinate):
    """``[[drivers]]``: a coordinate of a joint as a function of time."""

    orders = {"value": 0, "velocity": 1, "acceleration": 2, "value0": 0, "velocity0": 1}

    name: Name = Field(description=NAME)
    value: AngleProfile | None = Field(
        default=None, description=f"the coordinate (rad or m), {PROFILE}"
    )
    velocity: VelocityProfile | None = Field(
        default=None, description=f"its velocity (rad/s or m/s), {PROFILE}, {OR_RPM}"
    )
    acceleration: AccelerationProfile | None = Field(
        default=None, description=f"its acceleration (rad/s^2 or m/s^2), {PROFILE}"
    )
    value0: Angle | None = Field(
        default=None,
        description=f"the coordinate at t = 0, a number (rad or m), {OR_DEGREES}",
    )
    velocity0: AngularVelocity | None = Field(
        default=None,
        description=f"its velocity at t = 0, a number (rad/s or m/s), {OR_RPM}",
    )

    @property
    def given(self) -> str:
        """The given one of value, velocity and acceleration."""
        return next(key for key in _GIVEN if getattr(self, key) is not None)

    @model_validator(mode="after")
    def _one_given(self) -> DriverSpec:
        check_given(self, _GIVEN, ("value0", "velocity0"))
        return self


def coordinate_of(joint: JointSpec, name: str | None) -> str:
    """Return the coordinate of a joint for a gear or a driver.

    Raises
    ------
    PydanticCustomError
        When the joint has none of that name, or several and none is named.
    """
    known = joint.coordinates
    if name is None and len(known) == 1:
        return known[0]
    words = " or ".join(known)
    if not known:
        raise problem(f"found '{joint.name}', a {joint.kind} joint, which has no coordinate")
    if name is None:
        raise problem(f"missing; expected {words}, the coordinates of joint '{joint.name}'")
    if name not in known:
        found = f"found '{name}' of joint '{joint.name}' ({joint.kind})"
        raise problem(f"{found}; expected {words}{nearest(name, known)}")
    return name
