# SPDX-License-Identifier: BSD-3-Clause
"""From the model file to the joints of a mechanism and the equations they make together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.joints.table import JOINTS
from flexforge.runtime.arrays import Floats
from flexforge.runtime.mechanism.joints import GROUND, Joint, marker
from flexforge.runtime.mesh import Mesh, group_at
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_mechanism import JointSpec, LinkSpec, Place, coordinate_of
from flexforge.runtime.motion.build import build_driver
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.rotation import about_axis

#: Distance of markers from the origins of their links that is round-off of a mean of nodes, m.
_POINT = 1e-12


@dataclass(frozen=True, slots=True)
class Gear:
    """``coordinate a - ratio * coordinate b`` is kept; at the value of the start without offset."""

    name: str
    coordinates: tuple[int, int]
    ratio: float
    offset: float | None


@dataclass(frozen=True, slots=True)
class Driver:
    """A coordinate as a function of time."""

    name: str
    coordinate: int
    motion: Coordinate


@dataclass(frozen=True, slots=True)
class FreeCoordinate:
    """What a joint leaves free: its joint, its name, and whether it is a length or an angle.

    Coordinates of forces may be neither: turns without a value, and cosines.
    """

    joint: int
    name: str
    is_length: bool
    is_angle: bool


@dataclass(frozen=True)
class Parts:
    """Links, joints, gears and drivers of a mechanism, by number.

    Attributes
    ----------
    links : tuple of str
        Their names.
    placements : (L, 8, 3) array
        Their states in the guess of the model file, at rest.
    joints : tuple of Joint
        Between them.
    gears : tuple of Gear
        What ties coordinates.
    drivers : tuple of Driver
        What drives coordinates.
    planar : bool
        Whether links move in the plane x, y.
    metre : float
        A metre in the unit of length of the model.
    """

    links: tuple[str, ...]
    placements: Floats
    joints: tuple[Joint, ...]
    gears: tuple[Gear, ...]
    drivers: tuple[Driver, ...]
    planar: bool
    metre: float = 1.0

    @cached_property
    def coordinates(self) -> tuple[FreeCoordinate, ...]:
        """All coordinates that joints leave free."""
        return coordinates_of(self.joints)

    @cached_property
    def size(self) -> float:
        """A length of the mechanism: how far markers are from the origins of their links, or 1 m.

        Tolerances of positions are relative to it: they are the same in any unit of length.
        """
        reach = [np.linalg.norm(m.point) for joint in self.joints for m in joint.markers]
        found = float(max(reach, default=0.0))
        return found if found > _POINT * self.metre else self.metre

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of every equation: what it belongs to, such as "joint 'A'"."""
        held = [f"joint '{joint.name}'" for joint in self.joints for _ in range(joint.held)]
        gears = [f"gear '{gear.name}'" for gear in self.gears]
        return (*held, *gears, *(f"driver '{driver.name}'" for driver in self.drivers))

    @property
    def held(self) -> int:
        """How many equations joints and gears make."""
        return sum(joint.held for joint in self.joints) + len(self.gears)

    @cached_property
    def lengths(self) -> tuple[bool, ...]:
        """Of every equation: whether it is one of lengths, or one of angles."""
        found = [is_length(joint.kind, row) for joint in self.joints for row in joint.held_rows]
        found += [self.coordinates[gear.coordinates[0]].is_length for gear in self.gears]
        found += [self.coordinates[one.coordinate].is_length for one in self.drivers]
        return tuple(found)

    def driven(self, times: Floats) -> Floats:
        """Return value, rate and acceleration of every driver, (T, D, 3); one row at least."""
        found = np.zeros((len(times), max(len(self.drivers), 1), 3))
        for k, driver in enumerate(self.drivers):
            found[:, k] = driver.motion.over(times)
        return found


def is_length(kind: str, row: int) -> bool:
    """Whether a row of a joint's kernel is a length; else it is an angle or a cosine."""
    joint = JOINTS[kind]
    return (*joint.held, *joint.free.values())[row].is_length


def coordinates_of(joints: Sequence[Joint]) -> tuple[FreeCoordinate, ...]:
    """Return the coordinates of joints, numbered in their order."""
    return tuple(
        FreeCoordinate(number, name, length, not (length or JOINTS[joint.kind].of_forces))
        for number, joint in enumerate(joints)
        for name, row in joint.free_rows.items()
        for length in (is_length(joint.kind, row),)
    )


def build_parts(model: ModelSpec, mesh: Mesh) -> Parts:
    """Return the parts of the mechanism of a model.

    Parameters
    ----------
    model : ModelSpec
        The validated model.
    mesh : Mesh
        Its mesh, of which joints may name groups of nodes.

    Raises
    ------
    InputError
        For a group that is not there, or a coordinate that a planar model does not have.
    """
    numbers = {"ground": GROUND} | {link.name: k for k, link in enumerate(model.links)}
    joints = tuple(
        _joint(joint_key(model, k), spec, numbers, mesh, planar=model.is_planar)
        for k, spec in enumerate(model.joints)
    )
    find = partial(find_coordinate, model.joints, coordinates_of(joints))
    gears = []
    for k, gear in enumerate(model.gears):
        a, b = gear.coordinates or (None, None)
        pair = [
            find(name, one, f"gears[{k}].joints")
            for name, one in zip(gear.joints, (a, b), strict=True)
        ]
        gears.append(Gear(gear.name, (pair[0], pair[1]), gear.ratio, gear.offset))
    drivers = tuple(
        Driver(
            one.name,
            find(one.joint, one.coordinate, f"drivers[{k}].joint"),
            build_driver(one, abs(model.span)),
        )
        for k, one in enumerate(model.drivers)
    )
    placements = np.stack([_placement(link) for link in model.links])
    names = tuple(link.name for link in model.links)
    metre = model.unit_system.of_si(1.0, "m")
    return Parts(names, placements, joints, tuple(gears), drivers, model.is_planar, metre)


def find_coordinate(
    joints: Sequence[JointSpec],
    coordinates: Sequence[FreeCoordinate],
    name: str,
    coordinate: str | None,
    key: str,
) -> int:
    """Return the number of a coordinate.

    Parameters
    ----------
    joints : sequence of JointSpec
        Of the model file.
    coordinates : sequence of FreeCoordinate
        What they leave free.
    name : str
        Of its joint.
    coordinate : str, optional
        Which; by default the only one.
    key : str
        Where the model file has it, for messages.

    Raises
    ------
    InputError
        When the joint has no such coordinate in the plane.
    """
    number, spec = next((k, one) for k, one in enumerate(joints) if one.name == name)
    wanted = coordinate_of(spec, coordinate)
    for k, one in enumerate(coordinates):
        if (one.joint, one.name) == (number, wanted):
            return k
    raise InputError(f"{key}: joint '{name}' has no {wanted} in this planar model")


def with_offsets(parts: Parts, offsets: Floats) -> Parts:
    """Return the parts with the values at which joints and gears are kept, (held,)."""
    joints, place = [], 0
    for joint in parts.joints:
        joints.append(replace(joint, offsets=offsets[place : place + joint.held].copy()))
        place += joint.held
    gears = tuple(
        replace(gear, offset=float(offsets[place + k])) for k, gear in enumerate(parts.gears)
    )
    return replace(parts, joints=tuple(joints), gears=gears)


def _joint(
    key: str, spec: JointSpec, numbers: dict[str, int], mesh: Mesh, *, planar: bool
) -> Joint:
    places = [resolve(at, mesh, f"{key}.at[{i}]") for i, at in enumerate(spec.at)]
    one, two = (
        marker(place, axis, across, planar=planar)
        for place, axis, across in zip(places, spec.axis, spec.across or (None, None), strict=True)
    )
    a, b = (numbers[name] for name in spec.links)
    return Joint(spec.name, spec.kind, (a, b), (one, two), planar, spec.radius or 0.0)


def joint_key(model: ModelSpec, number: int) -> str:
    """Return where a model file has a joint, which may be that of a force between links."""
    names = [one.name for one in model.forces if one.relative is not None]
    name = model.joints[number].name
    if name in model.seams and name in names:
        keys = [k for k, one in enumerate(model.forces) if one.name == name]
        return f"forces[{keys[0]}]"
    return f"joints[{number}]"


def resolve(place: Place, mesh: Mesh, key: str) -> Floats:
    """Return a place of a joint as a point: of a group of nodes their mean, m.

    Raises
    ------
    InputError
        When the mesh has no such group.
    """
    if not isinstance(place, str):
        return np.array(place, dtype=float)
    return np.asarray(mesh.points[group_at(mesh, place, key).nodes].mean(axis=0), dtype=float)


def _placement(link: LinkSpec) -> Floats:
    state = np.zeros((8, 3))
    state[0] = link.placement.position
    state[1:4] = about_axis(np.array(link.placement.axis), link.placement.angle)
    return state
