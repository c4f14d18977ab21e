# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of a discrete system, in named quantities: what a formalism asks of a subject.

Vectors have components along the axes at rest; a turning body's angular velocity and inertia have
those of its frame. Turns about one axis after another, as in a planar chain, add their angles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.quantities import Quantities
from flexforge.codegen.mechanics.subject import Power
from flexforge.codegen.systems.declaration import (
    GROUND,
    ORIGIN,
    TIME,
    Body,
    Force,
    Frame,
    Point,
    Spring,
    System,
    rate_of,
)

_ZERO = sympy.Integer(0)


@dataclass(frozen=True)
class Attitude:
    """Axes of a frame and its angular velocity, in components at rest.

    Attributes
    ----------
    axes : sympy.ImmutableMatrix
        R, one axis of the frame per column.
    spin : sympy.ImmutableMatrix
        Angular velocity, rad/s.
    base : Attitude or None
        Frame from which it turned about one axis.
    axis : int
        That axis.
    angle : sympy.Expr
        The angle.
    """

    axes: sympy.ImmutableMatrix
    spin: sympy.ImmutableMatrix
    base: Attitude | None = None
    axis: int = -1
    angle: sympy.Expr = _ZERO


@dataclass(frozen=True)
class Place:
    """Position and velocity of a point, in components at rest."""

    position: sympy.Matrix
    velocity: sympy.Matrix


class SystemKinematics:
    """A system whose velocities are linear in its speeds: rates of coordinates, or others.

    Parameters
    ----------
    system : System
        The declaration.
    quantities : Quantities
        Names of its positions, velocities and all that follows.
    moving : mapping, optional
        Rate of every coordinate, in the speeds; by default the rates themselves are the speeds.
    speeds : tuple of sympy.Symbol, optional
        Those speeds.
    origin : SystemKinematics, optional
        The same system with rates of coordinates as speeds.
    """

    is_free = False

    def __init__(
        self,
        system: System,
        quantities: Quantities,
        moving: Mapping[sympy.Symbol, sympy.Expr] | None = None,
        speeds: tuple[sympy.Symbol, ...] = (),
        origin: SystemKinematics | None = None,
    ) -> None:
        self.system, self.quantities = system, quantities
        self.coordinates = system.coordinates
        self.velocities = system.rates
        self.speeds = speeds if origin is not None else self.velocities
        self.speed_rates = tuple(map(rate_of, self.speeds))
        self.in_coordinates = self if origin is None else origin
        moving = moving or dict(zip(self.coordinates, self.velocities, strict=True))
        self._moving = {rate_of(q): rate for q, rate in moving.items()}
        self._rates = (
            dict(moving)
            | dict(zip(self.speeds, self.speed_rates, strict=True))
            | {TIME: sympy.Integer(1)}
        )
        self.frames = {GROUND: Attitude(_matrix(sympy.eye(3)), _matrix(sympy.zeros(3, 1)))}
        self.points = {ORIGIN: Place(sympy.zeros(3, 1), sympy.zeros(3, 1))}
        for name, frame in system.frames.items():
            self.frames[name] = self._attitude(frame)
        for name, point in system.points.items():
            self.points[name] = self._place(point)
        found: list[_Translation | _Rotation] = []
        for body in system.bodies.values():
            found.append(_Translation(self, body))
            if body.inertia is not None and body.inertia != sympy.zeros(3):
                found.append(_Rotation(self, body, body.inertia))
        self.parts = tuple(found)

    def rates(self) -> Mapping[sympy.Symbol, sympy.Expr]:
        """Return the time derivatives of coordinates, speeds and time."""
        return self._rates

    def rate(self, value: sympy.Expr) -> sympy.Expr:
        """Return the time derivative of a quantity."""
        return self.quantities.total(value, self._rates)

    def rate_column(self, values: sympy.MatrixBase) -> sympy.Matrix:
        """Return the time derivatives of a column, named."""
        return self.quantities.column([self.rate(value) for value in values])

    def at_rest(self, column: sympy.MatrixBase, symbols: Sequence[sympy.Symbol]) -> sympy.Matrix:
        """Return a column with symbols at zero."""
        return sympy.Matrix(self.quantities.at(list(column), dict.fromkeys(symbols, _ZERO)))

    def stored_energy(self, ledger: Ledger) -> sympy.Expr:
        """Return the potential energy that is declared."""
        return self.quantities.name(self.system.potential)

    def work(self, ledger: Ledger) -> sympy.Expr:
        """Return the work of the weights, ``m g.r``."""
        weights = [
            ledger.multiply("W", body.mass, ledger.dot(self._gravity, place.position, "W"))
            for body, place in self._centres
        ]
        return ledger.sum("W", *weights)

    def frame_motion(self, point: str, frame: str) -> list[sympy.Expr]:
        """Return r_O, the rows of R, and v_O, w, a_O, e in its components, of a moving frame.

        Parameters
        ----------
        point, frame : str
            Its origin, and its axes.
        """
        place, attitude = self.points[point], self.frames[frame]
        local = attitude.axes.T
        found = [*place.position, *attitude.axes]
        for vector in (place.velocity, attitude.spin):
            found += local * vector
        for vector in (place.velocity, attitude.spin):
            found += local * self.rate_column(vector)
        return found

    def potential_energy(self, ledger: Ledger) -> sympy.Expr:
        """Return the energy of weights, springs and the declared potential."""
        springs = [
            spring.stiffness / 2 * (self._stretch(spring, ledger)[1] - spring.length) ** 2
            for spring in self.system.springs
        ]
        return sympy.Add(self.stored_energy(ledger), -self.work(ledger), *springs)

    def further_forces(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return the forces on coordinates besides weights and potential, by partial velocities."""
        powers = [(power.rates, power.force, power.family) for power in self._further(ledger)]
        if not powers:
            return [_ZERO] * len(self.coordinates)
        return ledger.projected(powers, self.velocities, "Q")

    def applied(self, ledger: Ledger, velocities: Sequence[sympy.Matrix]) -> list[Power]:
        """Return the powers of weights, forces, torques, springs and loads."""
        weights = [
            Power(place.velocity, ledger.scale(body.mass, self._gravity, "F"), "dv/dd'")
            for body, place in self._centres
            if self._gravity != sympy.zeros(3, 1)
        ]
        return [*weights, *self._further(ledger)]

    def stored(self, ledger: Ledger) -> list[Power]:
        """Return the power that the potential stores."""
        slopes = self._slopes(ledger)
        rates = sympy.Matrix([self._moving[rate_of(q)] for q in slopes])
        return [Power(rates, sympy.Matrix(list(slopes.values())), "dq'/dz")] if slopes else []

    def _slopes(self, ledger: Ledger) -> dict[sympy.Symbol, sympy.Expr]:
        """Return the derivatives of the potential, by coordinate."""
        potential = self.stored_energy(ledger)
        if potential == 0:
            return {}
        slopes = ledger.gradient(potential, self.coordinates, "dV/dq")
        return {q: slope for q, slope in zip(self.coordinates, slopes, strict=True) if slope != 0}

    def virtual_work(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return the forces of all speeds: the power for a unit speed less that for none."""
        found = []
        powers = [(power, 1) for power in self.applied(ledger, ())]
        powers += [(power, -1) for power in self.stored(ledger)]
        moved = [self.motions_of(power.rates) for power, _ in powers]
        for k in range(len(self.speeds)):
            terms = [
                sign * ledger.dot(power.force, columns[:, k], "Q")
                for (power, sign), columns in zip(powers, moved, strict=True)
            ]
            found.append(ledger.sum("Q", *terms))
        return found

    def motions_of(self, rates: sympy.MatrixBase) -> sympy.Matrix:
        """Return a column of rates for unit speeds, less itself at rest; nothing differentiated."""
        rest = self.at_rest(rates, self.speeds)
        columns = []
        for speed in self.speeds:
            unit = dict.fromkeys(self.speeds, _ZERO) | {speed: sympy.Integer(1)}
            moved = self.quantities.at(list(rates), unit)
            columns.append(self.quantities.column(sympy.Matrix(moved) - rest))
        return sympy.Matrix.hstack(*columns)

    def reduced(self, residuals: Sequence[sympy.Expr], ledger: Ledger) -> tuple[sympy.Expr, ...]:
        """Return ``A^T`` times the equations of the coordinates, with ``q'' = A z' + A' z + b'``.

        Constraint forces do no work along A: they drop out.
        """
        if self.in_coordinates is self:
            return tuple(residuals)
        moved = sympy.Matrix([self._moving[rate] for rate in self.velocities])
        second = [ledger.total(rate, self._rates, "q''") for rate in moved]
        accelerations = map(rate_of, self.velocities)
        known = self._moving | dict(zip(accelerations, second, strict=True))
        column = sympy.Matrix(self.quantities.at(list(residuals), known))
        return tuple(ledger.projected([(moved, column, "dq'/dz")], self.speeds, "A^T"))

    @cached_property
    def _gravity(self) -> sympy.Matrix:
        return self.quantities.column(self.system.gravity)

    @cached_property
    def _centres(self) -> list[tuple[Body, Place]]:
        return [(body, self.points[body.point]) for body in self.system.bodies.values()]

    def _further(self, ledger: Ledger) -> list[Power]:
        """Return the powers of forces that neither weights nor the potential contain."""
        powers = [power for force in self.system.forces for power in self._of_force(force, ledger)]
        powers += [self._of_spring(spring, ledger) for spring in self.system.springs]
        if self.system.loads:
            rates = [self._moving[rate_of(q)] for q in self.system.loads]
            loads = self.quantities.column(self._moved(list(self.system.loads.values())))
            powers.append(Power(sympy.Matrix(rates), loads, "dq'/dz"))
        return powers

    def _moved(self, values: list[sympy.Expr]) -> list[sympy.Expr]:
        """Return formulas with the rates of coordinates in the speeds."""
        return [value.xreplace(self._moving) for value in values]

    def _of_force(self, force: Force, ledger: Ledger) -> list[Power]:
        value = self.quantities.column(self._moved(list(force.value)))
        vector = ledger.times(self.frames[force.frame].axes, value, "F")
        if force.is_torque:
            spins = self.frames[force.on].spin, self.frames[force.against].spin
            return [Power(ledger.add("F", spins[0], -spins[1]), vector, "dw/dd'")]
        places = self.points[force.on], self.points[force.against]
        velocity = ledger.add("F", places[0].velocity, -places[1].velocity)
        return [Power(velocity, vector, "dv/dd'")]

    def _of_spring(self, spring: Spring, ledger: Ledger) -> Power:
        first, second = (self.points[name] for name in spring.points)
        gap, length = self._stretch(spring, ledger)
        opening = self.quantities.column(second.velocity - first.velocity)
        stiffness, damping, natural = self._moved([spring.stiffness, spring.damping, spring.length])
        pull = ledger.multiply("F", stiffness, ledger.sum("F", length, -natural))
        if damping != 0:
            speed = ledger.dot(gap, opening, "F") / length
            pull = ledger.sum("F", pull, ledger.multiply("F", damping, speed))
        per_length = self.quantities.name(self.quantities.name(pull) / length)
        return Power(opening, ledger.scale(-per_length, gap, "F"), "dv/dd'")

    def _stretch(self, spring: Spring, ledger: Ledger) -> tuple[sympy.Matrix, sympy.Expr]:
        """Return the vector from end to end of a spring, and its length."""
        first, second = (self.points[name] for name in spring.points)
        gap = self.quantities.column(second.position - first.position)
        return gap, self.quantities.name(sympy.sqrt(ledger.dot(gap, gap, "F")))

    def _attitude(self, frame: Frame) -> Attitude:
        """Return the axes and the angular velocity of a frame after its turns."""
        found = self.frames[frame.parent]
        for axis, angle in frame.turns:
            found = self._turned(found, axis, angle)
        return found

    def _turned(self, start: Attitude, axis: int, angle: sympy.Expr) -> Attitude:
        """Return a frame turned about one of its axes; turns about the same axis add up."""
        name = self.quantities.name
        base = start
        if start.base is not None and start.axis == axis:
            base, angle = start.base, name(start.angle + name(angle))
        angle = name(angle)
        cosine, sine = name(sympy.cos(angle)), name(sympy.sin(angle))
        i, j = (axis + 1) % 3, (axis + 2) % 3
        turn = sympy.eye(3)
        turn[i, i], turn[i, j], turn[j, i], turn[j, j] = cosine, -sine, sine, cosine
        speed = name(self.rate(angle))
        spin = self.quantities.column(base.spin + base.axes[:, axis] * speed)
        raw = base.axes * turn
        columns = [self._turning(raw[:, k], spin) for k in range(3)]
        return Attitude(_matrix(sympy.Matrix.hstack(*columns)), _matrix(spin), base, axis, angle)

    def _turning(
        self,
        vector: sympy.MatrixBase,
        spin: sympy.MatrixBase,
        own: Callable[[], sympy.MatrixBase] | None = None,
    ) -> sympy.Matrix:
        """Return the names of a vector that turns with an angular velocity, so that it is known."""

        def rates() -> sympy.Matrix:
            change = spin.cross(named)
            return sympy.Matrix(change if own is None else change + own())

        named = sympy.Matrix(self.quantities.column(vector, rates))
        return named

    def _place(self, point: Point) -> Place:
        """Return the position and the velocity of a point."""
        start, frame = self.points[point.origin], self.frames[point.frame]
        local = self.quantities.column(point.place)
        moving = self.rate_column(local)
        carried = frame.axes * moving
        arm = self._turning(frame.axes * local, frame.spin, lambda: carried)
        velocity = self.quantities.column(start.velocity + frame.spin.cross(arm) + carried)
        position = self.quantities.column(start.position + arm, lambda: list(velocity))
        return Place(position, velocity)


class _Moving:
    """A part of a system: its velocity, and what follows from it."""

    def __init__(self, kinematics: SystemKinematics, velocity: sympy.Matrix) -> None:
        self._kinematics, self._velocity = kinematics, velocity

    def velocity(self, ledger: Ledger) -> sympy.Matrix:
        """Return the velocity, or angular velocity."""
        ledger.note("v", self._velocity)
        return self._velocity

    @cached_property
    def motions(self) -> sympy.Matrix:
        """Velocities for unit speeds."""
        return self._kinematics.motions_of(self._velocity)

    def acceleration(self, ledger: Ledger) -> sympy.Matrix:
        """Return its time derivative."""
        rates = self._kinematics.rates()
        return sympy.Matrix([ledger.total(one, rates, "dv/dt") for one in self._velocity])

    def split_acceleration(self, ledger: Ledger) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Return what is linear in the rates of speeds, and the rest."""
        whole = self.acceleration(ledger)
        kinematics = self._kinematics
        rest = kinematics.at_rest(whole, kinematics.speed_rates)
        still = kinematics.at_rest(whole, kinematics.speeds)
        still -= kinematics.at_rest(still, kinematics.speed_rates)
        return kinematics.quantities.column(still), rest


class _Translation(_Moving):
    """Motion of a centre of mass."""

    def __init__(self, kinematics: SystemKinematics, body: Body) -> None:
        super().__init__(kinematics, kinematics.points[body.point].velocity)
        self.inertia = body.mass

    def gyroscopic(self, ledger: Ledger) -> None:
        """Return None: components at rest do not turn."""


class _Rotation(_Moving):
    """Rotation about a centre of mass, in components of the body."""

    def __init__(
        self, kinematics: SystemKinematics, body: Body, inertia: sympy.ImmutableMatrix
    ) -> None:
        frame = kinematics.frames[body.frame]

        def rates() -> sympy.MatrixBase:
            return frame.axes.T * kinematics.rate_column(frame.spin)

        spin = kinematics.quantities.column(frame.axes.T * frame.spin, lambda: list(rates()))
        super().__init__(kinematics, spin)
        self.inertia = inertia

    def gyroscopic(self, ledger: Ledger) -> sympy.Matrix | None:
        """Return ``w x J w``; None where the body turns about an axis of its inertia at rest."""
        momentum = ledger.times(self.inertia, self._velocity, "w x J w")
        tilde = _tilde(self._velocity)
        found = ledger.times(tilde, momentum, "w x J w")
        return None if found == sympy.zeros(3, 1) else found


def _tilde(vector: sympy.MatrixBase) -> sympy.Matrix:
    x, y, z = vector
    return sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def _matrix(value: sympy.MatrixBase) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix(value)
