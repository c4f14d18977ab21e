# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of one material point of an elastic element in a moving frame (PHYSICS section 1).

All formalisms start here and differ only in what they do with it. The point carries *shape
symbols*: values ``N_a`` and gradients ``N_a,j`` of the shape functions of its nodes. Derived for
all nodes of an element the equations are *unrolled*; derived for two generic nodes a, b they are
one *block* that serves every pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.strain import OPERATORS, VOIGT, green_lagrange_quadratic
from flexforge.codegen.frames import Frame

DENSITY = sympy.Symbol("rho", positive=True)


def shape_symbol(node: str) -> sympy.Symbol:
    """Return the symbol of the value of a node's shape function at the point."""
    return sympy.Symbol(f"N_{node}", real=True)


def gradient_symbols(node: str, dimension: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the gradient of a node's shape function at the point."""
    return tuple(sympy.Symbol(f"N_{node},{j + 1}", real=True) for j in range(dimension))


def _column(name: str, size: int) -> sympy.ImmutableMatrix:
    return sympy.ImmutableMatrix([sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(size)])


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
        From strain to stress.
    """

    frame: Frame
    nodes: tuple[str, ...]
    strain_operator: str
    law: Constitutive

    @classmethod
    def of(cls, element: Element, frame: Frame, nodes: Sequence[str]) -> MaterialPoint:
        """Return the point of an element, its field carried by the labelled nodes."""
        return cls(frame, tuple(nodes), element.strain, element.constitutive)

    @property
    def dimension(self) -> int:
        """Dimension of the space."""
        return self.frame.dimension

    def _nodal(self, mark: str) -> tuple[sympy.Symbol, ...]:
        return tuple(
            sympy.Symbol(f"{mark}_{node},{i + 1}", real=True)
            for node in self.nodes
            for i in range(self.dimension)
        )

    @cached_property
    def coordinates(self) -> tuple[sympy.Symbol, ...]:
        """Nodal coordinates d, node by node."""
        return self._nodal("d")

    @cached_property
    def velocities(self) -> tuple[sympy.Symbol, ...]:
        """Nodal velocities d'."""
        return self._nodal("d'")

    @cached_property
    def accelerations(self) -> tuple[sympy.Symbol, ...]:
        """Nodal accelerations d''."""
        return self._nodal("d''")

    def rates(self) -> dict[sympy.Symbol, sympy.Expr]:
        """Return the time derivative of every symbol that depends on time."""
        return (
            self.frame.rates()
            | dict(zip(self.coordinates, self.velocities, strict=True))
            | dict(zip(self.velocities, self.accelerations, strict=True))
        )

    def interpolate(self, nodal: Sequence[sympy.Symbol]) -> sympy.Matrix:
        """Return ``N nodal`` at the point."""
        return sympy.Matrix(
            [
                sympy.Add(
                    *(
                        shape_symbol(node) * nodal[k * self.dimension + i]
                        for k, node in enumerate(self.nodes)
                    )
                )
                for i in range(self.dimension)
            ]
        )

    @cached_property
    def position(self) -> sympy.ImmutableMatrix:
        """Undeformed position x in local components."""
        return _column("x", self.dimension)

    @cached_property
    def body_force(self) -> sympy.ImmutableMatrix:
        """Distributed force f a unit volume, in local components."""
        return _column("f", self.dimension)

    @cached_property
    def initial_stress(self) -> sympy.ImmutableMatrix:
        """Initial stress sigma_0 in Voigt order; empty where the strain is no gradient."""
        size = len(VOIGT[self.dimension]) if self.strain_operator == "small_strain" else 0
        return _column("sigma", size)

    def velocity(self) -> sympy.Matrix:
        """Return ``v = v_O + w~ x + w~ N d + N d'``: the four terms of claim C1."""
        w = self.frame.tilde(self.frame.angular_velocity)
        return (
            sympy.Matrix(self.frame.velocity)
            + w * self.position
            + w * self.interpolate(self.coordinates)
            + self.interpolate(self.velocities)
        )

    def acceleration(self) -> sympy.Matrix:
        """Return ``a_O + (e~ + w~w~) x + (e~ + w~w~) N d + 2 w~ N d' + N d''``: five terms."""
        w = self.frame.tilde(self.frame.angular_velocity)
        turning = self.frame.tilde(self.frame.angular_acceleration) + w * w
        return (
            sympy.Matrix(self.frame.acceleration)
            + turning * self.position
            + turning * self.interpolate(self.coordinates)
            + 2 * w * self.interpolate(self.velocities)
            + self.interpolate(self.accelerations)
        )

    def displacement_gradient(self, nodal: Sequence[sympy.Symbol]) -> sympy.Matrix:
        """Return ``du_i / dx_j`` of a field with the given nodal values."""
        symbols = [gradient_symbols(node, self.dimension) for node in self.nodes]
        return sympy.Matrix(
            self.dimension,
            self.dimension,
            lambda i, j: sympy.Add(
                *(symbols[k][j] * nodal[k * self.dimension + i] for k in range(len(self.nodes)))
            ),
        )

    def strain(self, nodal: Sequence[sympy.Symbol]) -> sympy.Matrix:
        """Return the strain of a field with the given nodal values."""
        operator = OPERATORS[self.strain_operator]
        return operator(self.interpolate(nodal), self.displacement_gradient(nodal))

    def quadratic_strain(self) -> sympy.Matrix:
        """Return the quadratic strain on which the initial stress does work; empty if none."""
        if not self.initial_stress:
            return sympy.zeros(0, 1)
        return green_lagrange_quadratic(self.displacement_gradient(self.coordinates))
