# SPDX-License-Identifier: BSD-3-Clause
"""What a formalism is applied to: a point of an element, or a system of bodies.

A formalism asks for parts that have inertia, for the powers of forces and for energies; it does not
know whose they are. A material point of an element is one part with the inertia rho, a system has
two parts per rigid body: the motion of its centre of mass, and its rotation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import sympy
from flexforge.codegen.mechanics.ledger import Ledger


class Part(Protocol):
    """Something that has a velocity and inertia: a point, or a rotating body."""

    @property
    def inertia(self) -> sympy.Expr | sympy.MatrixBase:
        """Density, mass, or matrix of inertia in the components of the velocity."""

    @property
    def motions(self) -> sympy.MatrixBase:
        """Velocities for unit speeds, one per column."""

    def velocity(self, ledger: Ledger) -> sympy.Matrix:
        """Return the velocity, or angular velocity."""

    def acceleration(self, ledger: Ledger) -> sympy.Matrix:
        """Return what the inertia multiplies in the inertia force."""

    def split_acceleration(self, ledger: Ledger) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Return the part of the acceleration that is linear in rates of speeds, and the rest."""

    def gyroscopic(self, ledger: Ledger) -> sympy.Matrix | None:
        """Return the inertia force at rest of the components, ``w x J w``; None of points."""


@dataclass(frozen=True, slots=True)
class Power:
    """Rates, and the forces that do work on them.

    Attributes
    ----------
    rates, force : sympy.MatrixBase
        Columns: velocity and force, strain rate and stress.
    family : str
        Name of the derivatives of the rates, for the ledger.
    """

    rates: sympy.MatrixBase
    force: sympy.MatrixBase
    family: str


class Subject(Protocol):
    """Equations are derived for its speeds z, or for its coordinates d."""

    @property
    def is_free(self) -> bool:
        """Whether it moves in a frame whose velocity and angular velocity are unknown."""

    @property
    def in_coordinates(self) -> Subject:
        """Itself with the rates of its coordinates as speeds."""

    @property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """Coordinates d."""

    @property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """Their rates d'."""

    @property
    def speeds(self) -> tuple[sympy.Symbol, ...]:
        """Speeds z."""

    @property
    def speed_rates(self) -> tuple[sympy.Symbol, ...]:
        """Their rates z'."""

    @property
    def parts(self) -> Sequence[Part]:
        """All that has inertia."""

    def rates(self) -> Mapping[sympy.Symbol, sympy.Expr]:
        """Return the time derivative of every symbol that depends on time."""

    def stored_energy(self, ledger: Ledger) -> sympy.Expr:
        """Return V."""

    def work(self, ledger: Ledger) -> sympy.Expr:
        """Return the work W of forces that keep their direction."""

    def further_forces(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return the forces on the coordinates that neither V nor W contains."""

    def applied(self, ledger: Ledger, velocities: Sequence[sympy.Matrix]) -> list[Power]:
        """Return the powers of applied forces; velocities are those of the parts."""

    def stored(self, ledger: Ledger) -> list[Power]:
        """Return the powers that are stored, as that of stresses."""

    def virtual_work(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return the forces of all speeds, nothing differentiated."""

    def reduced(self, residuals: Sequence[sympy.Expr], ledger: Ledger) -> tuple[sympy.Expr, ...]:
        """Return equations of the coordinates as equations of the speeds, ``q' = A z + b``."""


def inertia_force(part: Part, ledger: Ledger, family: str) -> sympy.Matrix:
    """Return mass times acceleration, ``J w' + w x J w`` of rotations."""
    force = weighted(part, part.acceleration(ledger), ledger, family)
    turning = part.gyroscopic(ledger)
    return force if turning is None else ledger.add(family, force, turning)


def weighted(part: Part, column: sympy.MatrixBase, ledger: Ledger, family: str) -> sympy.Matrix:
    """Return a column times the inertia of a part."""
    if isinstance(part.inertia, sympy.MatrixBase):
        return ledger.times(part.inertia, column, family)
    return ledger.scale(part.inertia, column, family)
