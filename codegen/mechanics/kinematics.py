# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of one material point of an elastic element in a moving frame (physics.md section 1).

All formalisms start from these kinematics. The point carries *shape symbols*: values ``N_a`` and
gradients ``N_a,j`` of the shape functions of its nodes. Equations derived for all nodes of an
element are *unrolled*; derived for two generic nodes a, b they are one *block* that holds for every
pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import sympy
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.strain import (
    STRAINS,
    displacement_gradient,
    green_lagrange_quadratic,
    operator,
    stress_components,
)
from flexforge.codegen.mechanics.frames import Frame
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.shape_symbols import (
    column,
    gradient_symbols,
    mean_symbols,
    shape_symbol,
)
from flexforge.codegen.mechanics.subject import Power

DENSITY = sympy.Symbol("rho", real=True)


#: Family of the derivatives of strain rates.
_STRAIN = "deps'/dd'"


@dataclass(frozen=True)
class MaterialPoint:
    """A point of the undeformed element, the field around it, and the frame it moves in.

    Attributes
    ----------
    frame : Frame
        The moving frame.
    nodes : tuple of str
        Labels of the nodes that carry the field: ``a, b`` or ``1 .. n``.
    strain_operator : str
        Name of the operator from displacement to strain.
    law : Constitutive
        Law from strain to stress.
    prestressed : bool
        Whether an initial stress acts, which causes the geometric stiffness.
    """

    frame: Frame
    nodes: tuple[str, ...]
    strain_operator: str
    law: Constitutive
    prestressed: bool = True

    #: The inertia per unit volume, of the point itself: the only part.
    inertia: ClassVar[sympy.Symbol] = DENSITY

    @property
    def dimension(self) -> int:
        """Number of coordinates per node."""
        return self.frame.components

    @property
    def is_free(self) -> bool:
        """Whether the motion of the frame is unknown."""
        return self.frame.is_free

    @property
    def in_coordinates(self) -> MaterialPoint:
        """Itself: its speeds are the rates of its coordinates, and those of the frame."""
        return self

    @property
    def parts(self) -> tuple[MaterialPoint]:
        """The point itself."""
        return (self,)

    def nodal(self, mark: str, size: int | None = None) -> tuple[sympy.Symbol, ...]:
        """Return symbols, one per nodal coordinate or ``size`` per node, node by node."""
        return tuple(
            sympy.Symbol(f"{mark}_{node},{i + 1}", real=True)
            for node in self.nodes
            for i in range(self.dimension if size is None else size)
        )

    @cached_property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """Nodal coordinates d, node by node."""
        return self.nodal("d")

    @cached_property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """Nodal velocities d'."""
        return self.nodal("d'")

    @cached_property
    def accelerations(self) -> tuple[sympy.Symbol, ...]:
        """Nodal accelerations d''."""
        return self.nodal("d''")

    @cached_property
    def speeds(self) -> tuple[sympy.Symbol, ...]:
        """Speeds z: those of a free frame, ``(v_O, w)``, and the nodal velocities d'."""
        return (*self.frame.speeds, *self.velocities)

    @cached_property
    def speed_rates(self) -> tuple[sympy.Symbol, ...]:
        """Their rates z'."""
        return (*self.frame.speed_rates, *self.accelerations)

    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Return the time derivative of every symbol that depends on time."""
        return (
            self.frame.rates()
            | dict(zip(self.coordinates, self.velocities, strict=True))
            | dict(zip(self.velocities, self.accelerations, strict=True))
        )

    def interpolate(
        self, nodal: Sequence[sympy.Symbol], ledger: Ledger, family: str
    ) -> sympy.Matrix:
        """Return ``N nodal`` at the point."""
        return ledger.times(self.shape_matrix, sympy.Matrix(nodal), family)

    def interpolate_in_fixed_axes(
        self,
        nodal: Sequence[sympy.Symbol],
        rates: Sequence[sympy.Symbol],
        turn: sympy.Matrix,
        moving: Mapping[sympy.Symbol, sympy.Expr],
        ledger: Ledger,
    ) -> sympy.Matrix:
        """Return the velocity of a field with nodal values along fixed axes.

        As N is a multiple of the identity, it is the same in all axes: ``d/dt (N q) = N q'``.

        Parameters
        ----------
        nodal, rates : sequence of sympy.Symbol
            q and q', with components along fixed axes.
        turn : sympy.Matrix
            R, from the axes of the frame to fixed ones.
        moving : mapping
            Time derivative of every symbol.
        ledger : Ledger
            Counts the algebra.
        """
        blocks = [shape_symbol(node) * sympy.eye(self.frame.dimension) for node in self.nodes]
        return ledger.times(sympy.Matrix.hstack(*blocks), sympy.Matrix(rates), "v")

    @cached_property
    def shape_matrix(self) -> sympy.ImmutableMatrix:
        """N = [N_1 P, N_2 P, ...] with the directions P of the field, the identity for solids."""
        blocks = [shape_symbol(node) * self.frame.directions for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    @cached_property
    def displaced(self) -> sympy.ImmutableMatrix:
        """Displaced position ``x_d = x + N d`` in local components."""
        displacement = self.shape_matrix * sympy.Matrix(self.coordinates)
        return sympy.ImmutableMatrix(self.position + displacement)

    @cached_property
    def motions(self) -> sympy.ImmutableMatrix:
        """L, whose columns are the velocities of the point for unit speeds: ``[1, -x_d~, N]``.

        N alone where the motion of the frame is given.
        """
        if not self.frame.is_free:
            return self.shape_matrix
        size, turns = self.frame.dimension, len(self.frame.angular_velocity)
        axes = [tuple(sympy.eye(turns)[:, k]) for k in range(turns)]
        turning = [self.frame.tilde(axis) * self.displaced for axis in axes]
        return sympy.ImmutableMatrix(
            sympy.Matrix.hstack(sympy.eye(size), *turning, self.shape_matrix)
        )

    @cached_property
    def position(self) -> sympy.ImmutableMatrix:
        """Undeformed position x in local components."""
        return self.frame.places * column("x", self.frame.places.cols)

    @cached_property
    def body_force(self) -> sympy.ImmutableMatrix:
        """Distributed force f per unit volume, in local components."""
        return self.frame.directions * column("f", self.dimension)

    @cached_property
    def initial_stress(self) -> sympy.ImmutableMatrix:
        """Initial stress sigma_0 in Voigt order; empty if the strain is not made of gradients."""
        carries = self.prestressed and self.strain_operator in STRAINS
        size = len(stress_components(self.strain_operator, self.dimension)) if carries else 0
        return column("sigma", size)

    def velocity(self, ledger: Ledger) -> sympy.Matrix:
        """Return ``v = v_O + w~ x + w~ N d + N d'``: the four terms of claim C1."""
        w = self.frame.tilde(self.frame.angular_velocity)
        velocity = ledger.add(
            "v",
            self.frame.velocity,
            ledger.times(w, self.position, "v"),
            ledger.times(w, self.interpolate(self.coordinates, ledger, "v"), "v"),
            self.interpolate(self.velocities, ledger, "v"),
        )
        ledger.note("v", velocity)
        return velocity

    def split_acceleration(self, ledger: Ledger) -> tuple[sympy.Matrix, sympy.Matrix]:
        """Return the part ``L z'`` of the acceleration, and the rest.

        Where the motion of the frame is given the former is ``N d''``.
        """
        relative = self.interpolate(self.accelerations, ledger, "a")
        if not self.frame.is_free:
            return relative, self.transport_acceleration(ledger)
        w = self.frame.tilde(self.frame.angular_velocity)
        e = self.frame.tilde(self.frame.angular_acceleration)
        own = sympy.Matrix(self.frame.speed_rates[: self.frame.dimension])
        displaced = ledger.add("a", self.position, self.interpolate(self.coordinates, ledger, "a"))
        return (
            ledger.add("a", own, ledger.times(e, displaced, "a"), relative),
            ledger.add(
                "a",
                ledger.times(w, self.frame.velocity, "a"),
                ledger.times(w, ledger.times(w, displaced, "a"), "a"),
                self._coriolis(ledger),
            ),
        )

    def transport_acceleration(self, ledger: Ledger) -> sympy.Matrix:
        """Return ``a_O + (e~ + w~w~) x + (e~ + w~w~) N d + 2 w~ N d'``: a less ``N d''``."""
        w = self.frame.tilde(self.frame.angular_velocity)
        e = self.frame.tilde(self.frame.angular_acceleration)
        turning = ledger.add("a", e, ledger.times(w, w, "a"))
        return ledger.add(
            "a",
            self.frame.acceleration,
            ledger.times(turning, self.position, "a"),
            ledger.times(turning, self.interpolate(self.coordinates, ledger, "a"), "a"),
            self._coriolis(ledger),
        )

    def _coriolis(self, ledger: Ledger) -> sympy.Matrix:
        """Return ``2 w~ N d'``."""
        w = self.frame.tilde(self.frame.angular_velocity)
        relative = self.interpolate(self.velocities, ledger, "a")
        return ledger.scale(sympy.Integer(2), ledger.times(w, relative, "a"), "a")

    def acceleration(self, ledger: Ledger) -> sympy.Matrix:
        """Return ``a_O + (e~ + w~w~) x + (e~ + w~w~) N d + 2 w~ N d' + N d''``: five terms."""
        acceleration = ledger.add(
            "a",
            self.transport_acceleration(ledger),
            self.interpolate(self.accelerations, ledger, "a"),
        )
        ledger.note("a", acceleration)
        return acceleration

    @cached_property
    def slopes(self) -> sympy.ImmutableMatrix:
        """Gradients of the shape functions, one row per node."""
        rows = [gradient_symbols(node, self.frame.places.cols) for node in self.nodes]
        return sympy.ImmutableMatrix(rows)

    @cached_property
    def mean_slopes(self) -> sympy.ImmutableMatrix:
        """Means of the gradients of the shape functions over the element, one row per node."""
        rows = [mean_symbols(node, self.frame.places.cols) for node in self.nodes]
        return sympy.ImmutableMatrix(rows)

    def gyroscopic(self, ledger: Ledger) -> None:
        """Return None: a point does not turn."""

    def reduced(self, residuals: Sequence[sympy.Expr], ledger: Ledger) -> tuple[sympy.Expr, ...]:
        """Return the equations as they are: its speeds are the rates of its coordinates."""
        return tuple(residuals)

    def displacement_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return ``du_i / dx_j`` of a field with the given nodal values, in the axes of places."""
        fields = sympy.Matrix(len(self.nodes), self.dimension, list(nodal)).T
        return ledger.times(fields, self.slopes, "eps")

    def unit(self, k: int) -> list[sympy.Integer]:
        """Return unit nodal values for coordinate k: one there, zero elsewhere."""
        return [sympy.Integer(int(k == j)) for j in range(len(self.coordinates))]

    @cached_property
    def strain_matrix(self) -> sympy.ImmutableMatrix:
        """The matrix b N of ``eps = b N d``: column k is the strain of coordinate k alone."""
        strain = operator(self.strain_operator)
        size, nodes = self.dimension, len(self.nodes)
        columns = [
            strain(
                self.shape_matrix[:, k],
                self.displacement_gradient(self.unit(k), Ledger()),
                sympy.Matrix(nodes, size, self.unit(k)).T * self.mean_slopes,
            )
            for k in range(len(self.coordinates))
        ]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*columns))

    def strain(self, nodal: Sequence[sympy.Symbol], ledger: Ledger) -> sympy.Matrix:
        """Return the strain ``b N nodal``."""
        strain = ledger.times(self.strain_matrix, sympy.Matrix(nodal), "eps")
        ledger.note("eps", strain)
        return strain

    def stress(self, strain: sympy.Matrix, ledger: Ledger) -> sympy.Matrix:
        """Return the stress ``H eps``."""
        return ledger.times(self.law.matrix, strain, "sigma")

    def quadratic_strain(self, ledger: Ledger) -> sympy.Matrix:
        """Return the quadratic strain on which the initial stress does work; empty if none."""
        if not self.initial_stress:
            return sympy.zeros(0, 1)
        gradient = self._whole_gradient(self.coordinates, ledger)
        return self._quadratic(gradient, gradient)

    def _whole_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return the gradient of a field, of a body of revolution with entries along circles."""
        gradient = self.displacement_gradient(nodal, ledger)
        field = self.shape_matrix * sympy.Matrix(list(nodal))
        return displacement_gradient(self.strain_operator, field, gradient)

    def _quadratic(self, left: sympy.Matrix, right: sympy.Matrix) -> sympy.Matrix:
        """Return the quadratic strain in the order of the initial stress."""
        whole = left.cols > self.dimension  # with the direction along the circle
        order = stress_components(self.strain_operator, self.dimension) if whole else None
        return green_lagrange_quadratic(left, right, order)

    def stored_energy(self, ledger: Ledger) -> sympy.Expr:
        """Return ``1/2 eps.H eps``, with the work of an initial stress on the quadratic strain."""
        strain = self.strain(self.coordinates, ledger)
        stress = self.stress(strain, ledger)
        energy = ledger.multiply("V", sympy.Rational(1, 2), ledger.dot(strain, stress, "V"))
        if self.initial_stress:
            quadratic = self.quadratic_strain(ledger)
            energy = ledger.sum("V", energy, ledger.dot(self.initial_stress, quadratic, "V"))
        return energy

    def work(self, ledger: Ledger) -> sympy.Expr:
        """Return the work of the body force on the displacement."""
        displacement = self.interpolate(self.coordinates, ledger, "W")
        return ledger.dot(self.body_force, displacement, "W")

    def further_forces(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return zeros: strain energy and work of the body force are all."""
        return [sympy.Integer(0)] * len(self.coordinates)

    def applied(self, ledger: Ledger, velocities: Sequence[sympy.Matrix]) -> list[Power]:
        """Return the power of the body force."""
        return [Power(velocities[0], self.body_force, "dv/dd'")]

    def stored(self, ledger: Ledger) -> list[Power]:
        """Return the powers of stress and initial stress on the rates of their strains."""
        rate = self.strain(self.velocities, ledger)
        powers = [Power(rate, self.stress(self.strain(self.coordinates, ledger), ledger), _STRAIN)]
        quadratic = [
            ledger.total(strain, self.rates(), "deps/dt")
            for strain in self.quadratic_strain(ledger)
        ]
        if self.initial_stress:
            powers.append(Power(sympy.Matrix(quadratic), self.initial_stress, _STRAIN))
        return powers

    def virtual_work(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return ``Q = L^T f - (b N)^T sigma``, an initial stress included, by virtual work.

        Nothing is differentiated: the virtual displacement of a speed is its column of L, the
        virtual strain its column of b N; the motion of a free frame does not strain.
        """
        stress = self.stress(self.strain(self.coordinates, ledger), ledger)
        forces = self.forces_on_frame(ledger)
        for k in range(len(self.coordinates)):
            work = ledger.dot(self.body_force, self.shape_matrix[:, k], "Q")
            stored = ledger.dot(stress, self.strain_matrix[:, k], "Q")
            forces.append(ledger.sum("Q", work, -stored, -self._prestress_work(k, ledger)))
        ledger.note("Q", forces[0])
        return forces

    def forces_on_frame(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return the force and the moment of f on a free frame; none on a prescribed one."""
        count = len(self.frame.speeds)
        return [ledger.dot(self.body_force, self.motions[:, k], "Q") for k in range(count)]

    def _prestress_work(self, k: int, ledger: Ledger) -> sympy.Expr:
        """Return the work of the initial stress on the variation of the quadratic strain."""
        if not self.initial_stress:
            return sympy.Integer(0)
        gradient = self._whole_gradient(self.coordinates, Ledger())
        virtual = self._whole_gradient(self.unit(k), Ledger())
        variation = 2 * self._quadratic(gradient, virtual)
        return ledger.dot(self.initial_stress, variation, "Q")
