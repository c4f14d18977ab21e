# SPDX-License-Identifier: BSD-3-Clause
"""Declaration of a discrete system: coordinates, frames, points, bodies, forces, constraints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import sympy

#: The frame at rest, and its origin.
GROUND = "ground"
ORIGIN = "O"
#: Symbol of time in formulas.
TIME = sympy.Symbol("t", real=True)
#: What is appended to the name of a coordinate or a speed for its rate.
RATE = "_dot"

Vector = tuple[sympy.Expr, sympy.Expr, sympy.Expr]


def symbol(name: str) -> sympy.Symbol:
    """Return the symbol of a name in the formulas of a system."""
    return sympy.Symbol(name, real=True)


def rate_of(one: sympy.Symbol) -> sympy.Symbol:
    """Return the symbol of the rate of a coordinate or a speed."""
    return symbol(f"{one.name}{RATE}")


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that turns from its parent's axes about one axis after the other.

    Attributes
    ----------
    parent : str
        Name of the other frame.
    turns : tuple of (int, sympy.Expr)
        Axes, 0 to 2, and angles in rad; each axis is that of the frame turned so far.
    """

    parent: str
    turns: tuple[tuple[int, sympy.Expr], ...]


@dataclass(frozen=True, slots=True)
class Point:
    """A point at a place in a frame, seen from another point.

    Attributes
    ----------
    origin : str
        The other point.
    frame : str
        The frame of the components.
    place : Vector
        Components, m.
    """

    origin: str
    frame: str
    place: Vector


@dataclass(frozen=True, slots=True)
class Body:
    """A particle or a rigid body.

    Attributes
    ----------
    point : str
        Centre of mass.
    mass : sympy.Expr
        kg.
    frame : str
        Frame of the body; it does not matter for a particle.
    inertia : sympy.ImmutableMatrix or None
        Matrix about the centre of mass in components of the frame, kg m^2; None for a particle.
    """

    point: str
    mass: sympy.Expr
    frame: str = GROUND
    inertia: sympy.ImmutableMatrix | None = None


@dataclass(frozen=True, slots=True)
class Force:
    """A force on a point, or a torque on a frame, perhaps with a reaction on another one.

    Attributes
    ----------
    on, against : str
        Point or frame; `against` takes the opposite, ground nothing.
    is_torque : bool
        Whether it is a torque.
    frame : str
        Frame of the components.
    value : Vector
        N or N m.
    """

    on: str
    against: str
    is_torque: bool
    frame: str
    value: Vector


@dataclass(frozen=True, slots=True)
class Spring:
    """A spring and damper between two points.

    Attributes
    ----------
    points : tuple of str
        Its ends.
    stiffness, damping, length : sympy.Expr
        N/m, N s/m, and the length without force in m.
    """

    points: tuple[str, str]
    stiffness: sympy.Expr
    damping: sympy.Expr
    length: sympy.Expr


@dataclass(frozen=True, slots=True)
class Contact:
    """A point of a body that does not move along directions: it rolls, or has an edge.

    Attributes
    ----------
    body : str
        The body whose material moves.
    point : str
        Where it touches; the point itself may move through the body.
    frame : str
        Frame of the directions.
    directions : tuple of Vector
        Directions without velocity.
    """

    body: str
    point: str
    frame: str
    directions: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two points with no distance along directions: a closed loop.

    Attributes
    ----------
    points : tuple of str
        The points.
    frame : str
        Frame of the directions.
    directions : tuple of Vector
        Directions without distance.
    """

    points: tuple[str, str]
    frame: str
    directions: tuple[Vector, ...]


@dataclass(frozen=True, slots=True)
class Equation:
    """A constraint as a formula that is zero.

    Attributes
    ----------
    value : sympy.Expr
        In coordinates and t; or linear in their rates if the velocities are constrained.
    is_of_velocities : bool
        Whether it contains rates.
    """

    value: sympy.Expr
    is_of_velocities: bool


Constraint = Contact | Meeting | Equation


@dataclass(frozen=True)
class Course:
    """What a run computes.

    Attributes
    ----------
    duration : float
        s.
    steps : int
        Times that are written, at equal distances, besides the first.
    tolerance : float
        Relative error allowed in a step of the integrator.
    inputs : mapping
        Formulas of time, coordinates and rates for the inputs; zero where missing.
    """

    duration: float = 1.0
    steps: int = 200
    tolerance: float = 1e-9
    inputs: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True)
class System:
    """A discrete system.

    Attributes
    ----------
    name, description : str
        Prefix of its kernels; a few words.
    coordinates : tuple of sympy.Symbol
        Its coordinates, m or rad.
    constants : mapping
        Values of constants by symbol.
    inputs : tuple of sympy.Symbol
        What is given from outside: forces, torques.
    frames, points, bodies : mapping
        By name; a frame or point uses earlier ones.
    gravity : Vector
        Acceleration of gravity, m/s^2.
    forces, springs : tuple
        Forces and torques, springs.
    loads : mapping
        Forces on coordinates.
    potential : sympy.Expr
        Further potential energy, J, in coordinates.
    constraints : tuple
        Holonomic or not.
    speeds : mapping
        Definitions of independent speeds, linear in the rates of coordinates; by default rates.
    start : mapping
        Values of coordinates and speeds at t = 0, by symbol; zero where missing.
    course : Course
        What a run computes.
    """

    name: str
    coordinates: tuple[sympy.Symbol, ...]
    constants: Mapping[sympy.Symbol, float]
    frames: Mapping[str, Frame]
    points: Mapping[str, Point]
    bodies: Mapping[str, Body]
    inputs: tuple[sympy.Symbol, ...] = ()
    gravity: Vector = (sympy.Integer(0),) * 3
    forces: tuple[Force, ...] = ()
    springs: tuple[Spring, ...] = ()
    loads: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=lambda: MappingProxyType({}))
    potential: sympy.Expr = sympy.Integer(0)
    constraints: tuple[Constraint, ...] = ()
    speeds: Mapping[sympy.Symbol, sympy.Expr] = field(default_factory=lambda: MappingProxyType({}))
    start: Mapping[sympy.Symbol, float] = field(default_factory=lambda: MappingProxyType({}))
    course: Course = field(default_factory=Course)
    description: str = ""

    def __repr__(self) -> str:
        return (
            f"{self.name}: {len(self.coordinates)} coordinates, {len(self.bodies)} bodies, "
            f"{len(self.constraints)} constraints"
        )

    @property
    def driven(self) -> System:
        """The system with the formulas of its course in place of the inputs."""
        zero = sympy.Integer(0)
        given = {one: self.course.inputs.get(one, zero) for one in self.inputs}
        loads = {q: value.xreplace(given) for q, value in self.loads.items()}
        forces = tuple(
            replace(force, value=tuple(entry.xreplace(given) for entry in force.value))
            for force in self.forces
        )
        springs = tuple(
            Spring(s.points, *(v.xreplace(given) for v in (s.stiffness, s.damping, s.length)))
            for s in self.springs
        )
        return replace(self, inputs=(), loads=loads, forces=forces, springs=springs)

    @property
    def rates(self) -> tuple[sympy.Symbol, ...]:
        """Rates of the coordinates."""
        return tuple(map(rate_of, self.coordinates))
