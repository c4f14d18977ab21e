# SPDX-License-Identifier: BSD-3-Clause
"""A bearing or a seal: forces across a shaft that are linear in place, speed and acceleration.

They are given, not derived: ``f = -(k u + c u' + m u'')`` of the displacement u of the shaft from
what carries it, along two axes across the shaft. The matrices need not be symmetric, and may depend
on the speed of the shaft.

What carries it stands still. In a frame that turns with the shaft at w about n the rates of u are
``u' + w~ u``: the forces are ``k u + c u' + w c n~ u``, and inertia is that of any mass, if the law
is the same in all directions across the axis. The rest of a law varies with twice the angle of the
frame: steps in time have it as it is then, and matrices at no time in particular are without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.mechanism.motion import LinkMotion
from flexforge.runtime.motion.frame import FrameMotion, FrameState
from flexforge.runtime.system.bearing_law import BearingLaw, alike_part
from flexforge.runtime.system.body import MOVED, Body
from flexforge.runtime.system.lumped_body import LumpedBody
from flexforge.runtime.system.standing import circulatory

if TYPE_CHECKING:
    from flexforge.runtime.system.system import System

#: Times of a run at which speeds are looked at before it begins.
_LOOKS = 1001


@dataclass(frozen=True, eq=False)
class BearingBody(LumpedBody):
    """A bearing between two nodes at one place, or between a node and the frame.

    Attributes
    ----------
    bearing : BearingLaw
        Its coefficients.
    across : ndarray, (2, 3)
        Its axes x and y.
    turning : float, optional
        Speed of its shaft about its axis, rad/s; by default that of its motion at t = 0.
    at_angle : bool
        Whether its axes are those of a time, in a frame that turns.
    """

    bearing: BearingLaw = field(default_factory=lambda: BearingLaw(np.zeros((1, 3, 2, 2))))
    across: Floats = field(default_factory=lambda: np.eye(3)[:2])
    turning: float | None = None
    at_angle: bool = False

    #: What depends on the speed, by attribute.
    _OF_SPEED: ClassVar[tuple[str, ...]] = (
        "_coefficients", "stiffness", "damping", "inertia", "_circulatory", "_recent",
        "_places", "speed",
    )  # fmt: skip

    @property
    def is_connector(self) -> bool:
        """Whether it connects nodes without being part of a body: it does."""
        return True

    @property
    def internal(self) -> Ints:
        """Numbers in the system of its internal vectors, (h,)."""
        return self.nodes[len(self.part.points) :]

    @property
    def idle(self) -> int:
        """Number of its internal motions that may be no motion of nodes, but seem to vibrate.

        They decay as they are; seen from a frame that turns they turn backwards.
        """
        return 3 * self.bearing.internal if self.in_turning_frame else 0

    @property
    def rotations(self) -> Ints:
        """None: what it has beside displacements of nodes is internal."""
        return self.nodes[:0]

    @cached_property
    def points(self) -> Floats:
        """Undeformed position of every vector, (V, 3), m: those inside it are where it is."""
        inside = self.part.points[:1].repeat(self.bearing.internal, axis=0)
        return np.concatenate([self.part.points, inside])

    @property
    def is_inert(self) -> bool:
        """Whether it has a mass matrix."""
        return self.bearing.is_inert

    @property
    def has_mass(self) -> bool:
        """Whether it has weight: a bearing has none, whatever it makes of accelerations."""
        return False

    @property
    def spins(self) -> bool:
        """Whether it spins: it stands, whatever shaft it knows the speed of."""
        return False

    @property
    def circulates(self) -> bool:
        """Whether it damps a shaft in a frame that turns, while it stands still."""
        return self.in_turning_frame and self.is_damped

    @property
    def in_turning_frame(self) -> bool:
        """Whether its frame turns with the shaft."""
        return self.motion.rotates and not self.motion.stands

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping, at any speed."""
        return self.bearing.is_damped

    @property
    def is_symmetric(self) -> bool:
        """Whether its matrices of stiffness and damping are symmetric."""
        return bool((self._coefficients == self._coefficients.swapaxes(1, 2)).all())

    @property
    def symmetric_part(self) -> Self:
        """The bearing with the symmetric parts of its matrices."""
        values = self.bearing.values
        return self.with_law(replace(self.bearing, values=0.5 * (values + values.swapaxes(2, 3))))

    @property
    def without_forces(self) -> Self:
        """The bearing with all its coefficients zero."""
        return self.with_law(BearingLaw(np.zeros_like(self.bearing.values[:1])))

    def with_law(self, law: BearingLaw) -> Self:
        """Return the bearing with other coefficients."""
        return self._without(bearing=law)

    def moving(self, motion: FrameMotion | LinkMotion) -> Self:
        """Return the bearing at another speed of its shaft."""
        return self._without(motion=motion, turning=None)

    @property
    def varies(self) -> bool:
        """Whether its coefficients vary in time, with the speed or the angle of its shaft."""
        return self.swings or (self.bearing.varies and not self.motion.is_steady)

    @property
    def swings(self) -> bool:
        """Whether its coefficients vary with the angle of its frame."""
        return self.in_turning_frame and not self.bearing.is_alike

    @property
    def has_table(self) -> bool:
        """Whether its coefficients depend on the speed of its shaft or on the frequency."""
        return self.bearing.varies or self.bearing.vibrates

    @property
    def vibrates(self) -> bool:
        """Whether its coefficients depend on the frequency of vibrations."""
        return self.bearing.vibrates

    def vibrating(self, frequency: float) -> Self:
        """Return the bearing with the coefficients of vibrations of a frequency, rad/s."""
        return self._without(bearing=self.bearing.at_frequency(frequency))

    def under(self, frame: FrameState) -> Self:
        """Return the bearing with the coefficients of the motion of its shaft at a time."""
        found = self._without(turning=self._about(frame.w))
        if self.swings:  # its axes stand still
            found = found._without(across=self.across @ frame.R, at_angle=True)
        return found

    def differs(self, then: Body) -> bool:
        """Whether its coefficients differ much from those it had at another time."""
        assert isinstance(then, BearingBody)
        now, before = self._coefficients, then._coefficients
        if self.swings:
            now, before = (b.across.T @ one @ b.across for b, one in ((self, now), (then, before)))
        change, size = (np.abs(one).max(axis=(1, 2)) for one in (now - before, before))
        return bool((change > MOVED * size).any())

    def require_alike(self) -> None:
        """Refuse nothing: a bearing does not spin, whatever shaft it knows the speed of."""

    @cached_property
    def speed(self) -> float:
        """Speed of the shaft about the axis of the bearing, rad/s."""
        return self._about(self.motion.at(0.0).w) if self.turning is None else self.turning

    @property
    def slope(self) -> Self:
        """The bearing with the derivatives of its coefficients by its speed."""
        return self.with_law(BearingLaw(self.bearing.slope(self.speed)[None]))

    def about(self, direction: Floats) -> float:
        """Return the part of a direction along its axis."""
        return self._about(direction)

    def speeds_over(self, duration: float) -> Floats:
        """Return speeds of the shaft about the axis at times from 0 to a duration (s), rad/s."""
        assert isinstance(self.motion, FrameMotion)
        times = np.linspace(0.0, duration, _LOOKS)
        return np.asarray(self.motion.rotation.over(times)[1] @ np.cross(*self.across))

    def _about(self, velocity: Floats) -> float:
        """Return an angular velocity about the axis of the bearing, rad/s."""
        return float(np.cross(*self.across) @ velocity)

    @cached_property
    def stiffness(self) -> Floats:
        """Values of the stiffness matrix, block by block, N/m."""
        return self._placed(self._coefficients[0])

    @cached_property
    def damping(self) -> Floats:
        """Values of the damping matrix, block by block, N s/m."""
        return self._placed(self._coefficients[1])

    @cached_property
    def inertia(self) -> Floats:
        """Values of the mass matrix, (1, nnz 9), kg."""
        return self._placed(self._coefficients[2])[None]

    @cached_property
    def _coefficients(self) -> Floats:
        """Stiffness, damping and mass at its speed, as of its law."""
        found = self.bearing.at(self.speed)
        return alike_part(found) if self.swings and not self.at_angle else found

    @property
    def mass_matrix(self) -> Floats:
        """Values of the mass matrix, block by block, kg."""
        return np.asarray(self.inertia[0])

    def _of_block(self, block: Floats) -> Floats:
        """Return the matrix of inertia of a block; of one that stands still of the part of 1."""
        if self.in_turning_frame:
            return np.asarray(self.inertia[0].reshape(-1, 3, 3) @ block).ravel()
        axis = self.motion.rotation.axis
        n = np.array([0.0, 0.0, 1.0]) if axis is None else axis
        return np.asarray(float(n @ block @ n) * self.inertia[0])

    @cached_property
    def _circulatory(self) -> Floats:
        """Matrix of displacements of damping that stands, in a frame that turns at 1 rad/s."""
        axis = self.motion.rotation.axis
        assert axis is not None
        return -circulatory(axis, self.damping)

    def _placed(self, law: Floats) -> Floats:
        """Return a law between the nodes and what is internal, block by block."""
        count = len(self.points)
        places = self._places
        whole = (places.T @ law @ places).reshape(count, 3, count, 3)
        return np.ascontiguousarray(whole.swapaxes(1, 2)).ravel()

    def across_of(self, displacement: Complex) -> Complex:
        """Return the displacements of its law, (S, 2 + 3 h), of those of its vectors, (S, V, 3)."""
        return np.asarray(displacement.reshape(len(displacement), -1) @ self._places.T)

    @cached_property
    def _places(self) -> Floats:
        """The displacements of its law from those of its vectors, (2 + 3 h, 3 V)."""
        ends, inside = len(self.part.points), self.bearing.internal
        found = np.zeros((2 + 3 * inside, 3 * (ends + inside)))
        for end, sign in zip(range(ends), (1.0, -1.0), strict=False):
            found[:2, 3 * end : 3 * end + 3] = sign * self.across
        triad = np.vstack([self.across, np.cross(*self.across)])
        found[2:, 3 * ends :] = np.kron(np.eye(inside), triad)
        return found

    def _without(self, **changes: Any) -> Self:
        """Return a copy with other attributes, and nothing computed from the old ones."""
        found = self._changed(**changes)
        for name in self._OF_SPEED:
            vars(found).pop(name, None)
        return found


def bearings_of(system: System) -> list[BearingBody]:
    """Return the bearings of a system."""
    return [body for body in system.bodies if isinstance(body, BearingBody)]
