# SPDX-License-Identifier: BSD-3-Clause
"""Prescribed motion of a body's frame: everything that the element equations need at a time.

The notation is that of the equations: rotation ``R(t)`` from local to global, origin ``r_O(t)``,
angular velocity ``w`` with ``R' = R w~``, ``e = dw/dt``, ``v_O = R^T r_O'`` and ``a_O = R^T
r_O''``, all in body components except ``r_O``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import _integrals
from flexforge.runtime._integrals import CHUNKS, Attitudes
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.coordinate import Coordinate
from flexforge.runtime.motion.profiles import PolynomialProfile, Profile
from flexforge.runtime.motion.rotation import about_axis


@dataclass(frozen=True, slots=True)
class FrameState:
    """Motion of a frame at one time.

    Attributes
    ----------
    w, e : (3,) array
        Angular velocity (rad/s) and acceleration (rad/s^2), body components.
    v_O, a_O : (3,) array
        Velocity (m/s) and acceleration (m/s^2) of the origin, body components.
    R : (3, 3) array
        Rotation, body components to global ones.
    r_O : (3,) array
        Position of the origin, global components, m.
    """

    w: Floats
    e: Floats
    v_O: Floats
    a_O: Floats
    R: Floats
    r_O: Floats


@dataclass(frozen=True, slots=True)
class FrameTrajectory:
    """Motion of a frame at many times.

    Attributes
    ----------
    R : ndarray, (T, 3, 3)
        Rotation, body components to global ones.
    w, e, a_O : ndarray, (T, 3)
        Angular velocity and acceleration, acceleration of the origin, body components.
    """

    R: Floats
    w: Floats
    e: Floats
    a_O: Floats  # noqa: N815 (the symbol of the equations)


class Rotation(Protocol):
    """Rotation of a frame: ``(R, w, e)`` at a time.

    Attributes
    ----------
    axis : ndarray, (3,), or None
        Unit vector of the axis, if it is fixed in the body and in space.
    angle : Coordinate or None
        The angle about it, rad.
    """

    @property
    def axis(self) -> Floats | None:
        """Unit vector of the fixed axis, if there is one."""

    @property
    def angle(self) -> Coordinate | None:
        """The angle about it, rad."""

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Return rotation matrix, angular velocity and angular acceleration (body components)."""

    def over(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same at all times (T,): (T, 3, 3), (T, 3), (T, 3)."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The functions of time that define it."""

    @property
    def rotates(self) -> bool:
        """Whether the frame ever rotates."""

    @property
    def is_steady(self) -> bool:
        """Whether the angular velocity is constant."""

    @property
    def is_about_z(self) -> bool:
        """Whether it rotates about the z axis only, as a planar model requires."""

    def check(self, span: float) -> None:
        """Refuse non-finite values and jumps between 0 and ``span`` s."""


class AxisRotation:
    """Rotation about an axis fixed in the body and in space.

    Parameters
    ----------
    axis : (3,) array
        Unit vector.
    angle : Coordinate
        The angle, rad.
    """

    def __init__(self, axis: Floats, angle: Coordinate) -> None:
        self.axis = axis / np.linalg.norm(axis)
        self.angle = angle

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Return rotation matrix, angular velocity and angular acceleration."""
        angle, velocity, acceleration = self.angle.at(t)
        return about_axis(self.axis, angle), velocity * self.axis, acceleration * self.axis

    def over(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same at all times (T,): (T, 3, 3), (T, 3), (T, 3)."""
        angle, velocity, acceleration = self.angle.over(times).T
        along, faster = np.outer(velocity, self.axis), np.outer(acceleration, self.axis)
        return _integrals.about_axis(self.axis, angle), along, faster

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The function of time that defines it."""
        return (self.angle.profile,)

    @property
    def rotates(self) -> bool:
        """Whether the frame ever rotates."""
        return not (self.is_steady and self.angle.at(0.0)[1] == 0.0)

    @property
    def is_steady(self) -> bool:
        """Whether the angular velocity is constant."""
        return self.angle.velocity_is_constant

    @property
    def is_about_z(self) -> bool:
        """Whether the axis is z."""
        return bool(np.all(self.axis[:2] == 0.0))

    def check(self, span: float) -> None:
        """Refuse non-finite values and jumps between 0 and ``span`` s."""
        self.angle.check(span)


class VectorRotation:
    """Rotation with an angular velocity of varying direction, the identity at t = 0.

    Parameters
    ----------
    velocity : tuple of three profiles
        Angular velocity, body components, rad/s.
    span : float
        The time covered by the analysis, s.
    """

    axis: None = None
    angle: None = None

    def __init__(self, velocity: tuple[Profile, Profile, Profile], span: float = 1.0) -> None:
        self.velocity = velocity
        self.breaks = sorted({point for profile in velocity for point in profile.breaks})
        functions, inputs = [], 0
        for profile in velocity:
            count = len(profile.inputs)
            functions.append(profile.function.of_inputs(range(inputs, inputs + count)))
            inputs += count
        start = np.concatenate([profile.start for profile in velocity])
        chunk = (span if span > 0.0 else 1.0) / CHUNKS
        self._attitudes = Attitudes(functions, start, chunk, self.breaks, self._refuse)

    def at(self, t: float) -> tuple[Floats, Floats, Floats]:
        """Return rotation matrix, angular velocity and angular acceleration."""
        R, w, e = self.over(np.array([t]))
        return R[0], w[0], e[0]

    def over(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the same at all times (T,): (T, 3, 3), (T, 3), (T, 3)."""
        w, e = (
            np.stack([profile.derivative(times, order) for profile in self.velocity], axis=-1)
            for order in (0, 1)
        )
        return self._attitudes.over(np.asarray(times, dtype=float)), w, e

    def _refuse(self, t: float) -> None:
        """Raise the error for an angular velocity that is not finite at a time."""
        for profile in self.velocity:
            profile.derivative(t, 0)
        raise InputError(f"found an angular velocity that overflows at t = {t:g} s")

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The functions of time that define it."""
        return self.velocity

    @property
    def rotates(self) -> bool:
        """Whether the frame ever rotates."""
        return any(
            not profile.is_constant or float(profile.derivative(0.0, 0)) != 0.0
            for profile in self.velocity
        )

    @property
    def is_steady(self) -> bool:
        """Whether the angular velocity is constant."""
        return all(profile.is_constant for profile in self.velocity)

    @property
    def is_about_z(self) -> bool:
        """Whether only the z component is nonzero."""
        return all(
            profile.is_constant and float(profile.derivative(0.0, 0)) == 0.0
            for profile in self.velocity[:2]
        )

    def check(self, span: float) -> None:
        """Refuse non-finite values and jumps between 0 and ``span`` s."""
        for profile in self.velocity:
            Coordinate(profile, "velocity").check(span)


REST = Coordinate(PolynomialProfile([0.0]))


@dataclass(frozen=True, slots=True)
class FrameMotion:
    """Motion of a body's frame; the default frame is the global one, at rest.

    Attributes
    ----------
    rotation : Rotation
        Rotation of the frame.
    origin : tuple of three Coordinate
        Motion of the origin, global components; of a rotation about an axis beside it, what is
        added to that rotation.
    arm : (3,) array
        From the origin to the axis of the rotation and perpendicular to it, body components, m;
        zero where the axis passes through the origin.
    """

    #: The link that carries the frame: none for a prescribed motion.
    link: ClassVar[None] = None
    #: Whether its axes stand still while the body turns.
    stands: ClassVar[bool] = False
    rotation: Rotation = AxisRotation(np.array([0.0, 0.0, 1.0]), REST)
    origin: tuple[Coordinate, Coordinate, Coordinate] = (REST, REST, REST)
    arm: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def is_beside(self) -> bool:
        """Whether the axis of the rotation passes beside the origin."""
        return bool(self.arm.any())

    def at(self, t: float) -> FrameState:
        """Return the state of the frame at time ``t`` (s), which may be negative.

        Raises
        ------
        InputError
            If a table does not cover ``t`` or a formula is not finite there.
        """
        rotation, w, e = self.rotation.at(t)
        position, velocity, acceleration = np.array([axis.at(t) for axis in self.origin]).T
        velocity, acceleration = rotation.T @ velocity, rotation.T @ acceleration
        if self.is_beside:
            # The axis, a point of the body and of space, stays: r_O = arm - R arm.
            turned = np.cross(w, self.arm)
            velocity = velocity - turned
            acceleration = acceleration - np.cross(e, self.arm) - np.cross(w, turned)
            position = position + self.arm - rotation @ self.arm
        return FrameState(w=w, e=e, v_O=velocity, a_O=acceleration, R=rotation, r_O=position)

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """The functions of time that define it."""
        return (*self.rotation.profiles, *(axis.profile for axis in self.origin))

    def over(self, times: Floats) -> FrameTrajectory:
        """Return the motion as it loads a body at all times (T,), s.

        Raises
        ------
        InputError
            If a table does not cover one of them or a formula is not finite there.
        """
        R, w, e = self.rotation.over(times)
        acceleration = np.stack([axis.over(times)[:, 2] for axis in self.origin], axis=1)
        pull = np.einsum("tij,ti->tj", R, acceleration)
        pull -= np.cross(e, self.arm) + np.cross(w, np.cross(w, self.arm))
        return FrameTrajectory(R, w, e, pull)

    def poses(self, times: Floats) -> tuple[Floats, Floats]:
        """Return origin (T, 3), m, and rotation (T, 3, 3) of the frame at all times (T,), s."""
        origin = np.stack([axis.over(times)[:, 0] for axis in self.origin], axis=1)
        rotation = self.rotation.over(times)[0]
        return origin + self.arm - rotation @ self.arm, rotation

    @property
    def rotates(self) -> bool:
        """Whether the frame ever rotates."""
        return self.rotation.rotates

    @property
    def is_steady(self) -> bool:
        """Whether the angular velocity is constant in body components."""
        return self.rotation.is_steady

    def keeps(self, vectors: Floats) -> bool:
        """Whether vectors that are fixed in space, (..., 2 or 3), are fixed in the frame as well.

        They are if the frame does not rotate, or if they are along the axis of a steady rotation.
        """
        if not self.rotates or not np.any(vectors):
            return True
        rotation, w, _ = self.rotation.at(0.0)
        local = vectors @ rotation[: vectors.shape[-1]]  # rows: R^T v
        across = float(np.linalg.norm(np.cross(w, local)))
        return self.is_steady and across <= 1e-15 * float(np.linalg.norm(w) * np.linalg.norm(local))

    @property
    def glides(self) -> bool:
        """Whether the velocity of the origin is constant in frame components."""
        velocity = np.array([axis.at(0.0)[1] for axis in self.origin])
        steady = self.is_steady or not self.is_beside
        return (
            steady
            and all(axis.velocity_is_constant for axis in self.origin)
            and self.keeps(velocity)
        )

    @property
    def is_planar(self) -> bool:
        """Whether it rotates about z only and its origin keeps its z, as planar bodies require."""
        z = self.origin[2]
        return self.rotation.is_about_z and z.velocity_is_constant and not z.at(0.0)[1]

    @property
    def is_axial(self) -> bool:
        """Whether it rotates about y and moves along y only, as bodies of revolution require."""
        across = (self.origin[0], self.origin[2])
        axis = self.rotation.axis
        about_y = axis is not None and axis[0] == axis[2] == 0.0
        along_y = all(one.velocity_is_constant and not one.at(0.0)[1] for one in across)
        return along_y and not self.is_beside and (about_y or not self.rotates)
