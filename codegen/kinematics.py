# SPDX-License-Identifier: BSD-3-Clause
"""Kinematics of one material point of an elastic element in a moving frame (physics.md section 1).

All formalisms start here and differ only in what they do with it. The point carries *shape
symbols*: values ``N_a`` and gradients ``N_a,j`` of the shape functions of its nodes. Derived for
all nodes of an element the equations are *unrolled*; derived for two generic nodes a, b they are
one *block* that serves every pair.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import sympy
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.strain import (
    OPERATORS,
    STRAINS,
    VOIGT,
    green_lagrange_quadratic,
)
from flexforge.codegen.frames import Frame
from flexforge.codegen.ledger import Ledger

DENSITY = sympy.Symbol("rho", positive=True)
#: Values, derivatives and mean derivatives N_a, N_a,1, M_a,1 of shape functions; entries N_a,12
#: B_a,12 G_a,112 of matrices.
_OF_A_NODE = re.compile(r"[NMBG]_(?P<node>\w+)(,\d+)?")


def shape_symbol(node: str) -> sympy.Symbol:
    """Return the symbol of the value of a node's shape function at the point."""
    return sympy.Symbol(f"N_{node}", real=True)


def gradient_symbols(node: str, dimension: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the gradient of a node's shape function at the point."""
    return tuple(sympy.Symbol(f"N_{node},{j + 1}", real=True) for j in range(dimension))


def mean_symbols(node: str, dimension: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the mean of that gradient over the element."""
    return tuple(sympy.Symbol(f"M_{node},{j + 1}", real=True) for j in range(dimension))


def node_of(symbol: sympy.Symbol) -> str | None:
    """Return the label of the node a symbol of a field belongs to, None if it is no such symbol."""
    found = _OF_A_NODE.fullmatch(symbol.name)
    return found["node"] if found else None


def with_nodes(block: sympy.MatrixBase, names: Mapping[str, str]) -> sympy.MatrixBase:
    """Return a block with the symbols of its field put from some nodes to others."""
    known = {}
    for symbol in block.free_symbols:
        node = node_of(symbol)
        if node is not None and node in names:
            letter, rest = symbol.name[0], symbol.name[2 + len(node) :]
            known[symbol] = sympy.Symbol(f"{letter}_{names[node]}{rest}", real=True)
    return block.xreplace(known)


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
    prestressed : bool
        Whether an initial stress acts, which makes the geometric stiffness.
    """

    frame: Frame
    nodes: tuple[str, ...]
    strain_operator: str
    law: Constitutive
    prestressed: bool = True

    @classmethod
    def of(cls, element: AnyElement, frame: Frame, nodes: Sequence[str]) -> MaterialPoint:
        """Return the point of an element, its field carried by the labelled nodes or vectors."""
        if isinstance(element, FieldElement):
            return FieldPoint(
                frame, tuple(nodes), "field", element.constitutive,
                strains=element.strain.rows, axes=element.dimension,
            )  # fmt: skip
        return cls(frame, tuple(nodes), element.strain, element.constitutive)

    @property
    def dimension(self) -> int:
        """Dimension of the space."""
        return self.frame.dimension

    def nodal(self, mark: str) -> tuple[sympy.Symbol, ...]:
        """Return symbols of one quantity a nodal coordinate, node by node."""
        return tuple(
            sympy.Symbol(f"{mark}_{node},{i + 1}", real=True)
            for node in self.nodes
            for i in range(self.dimension)
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
        """Return the velocity of a field whose nodal values have axes that do not turn.

        Multiples of the identity are the same in all axes: ``d/dt (N q) = N q'``.

        Parameters
        ----------
        nodal, rates : sequence of sympy.Symbol
            q and q', components along fixed axes.
        turn : sympy.Matrix
            R, from the axes of the frame to fixed ones.
        moving : mapping
            Time derivative of every symbol.
        ledger : Ledger
            Counts the algebra.
        """
        return self.interpolate(rates, ledger, "v")

    @cached_property
    def shape_matrix(self) -> sympy.ImmutableMatrix:
        """N = [N_1 I, N_2 I, ...]."""
        blocks = [shape_symbol(node) * sympy.eye(self.dimension) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

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
        carries = self.prestressed and self.strain_operator in STRAINS
        size = len(VOIGT[self.dimension]) if carries else 0
        return _column("sigma", size)

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

    def transport_acceleration(self, ledger: Ledger) -> sympy.Matrix:
        """Return ``a_O + (e~ + w~w~) x + (e~ + w~w~) N d + 2 w~ N d'``: a but for ``N d''``."""
        w = self.frame.tilde(self.frame.angular_velocity)
        e = self.frame.tilde(self.frame.angular_acceleration)
        turning = ledger.add("a", e, ledger.times(w, w, "a"))
        coriolis = ledger.times(w, self.interpolate(self.velocities, ledger, "a"), "a")
        return ledger.add(
            "a",
            self.frame.acceleration,
            ledger.times(turning, self.position, "a"),
            ledger.times(turning, self.interpolate(self.coordinates, ledger, "a"), "a"),
            ledger.scale(sympy.Integer(2), coriolis, "a"),
        )

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
        """Gradients of the shape functions, a row a node."""
        rows = [gradient_symbols(node, self.dimension) for node in self.nodes]
        return sympy.ImmutableMatrix(rows)

    @cached_property
    def mean_slopes(self) -> sympy.ImmutableMatrix:
        """Means of the gradients of the shape functions over the element, a row a node."""
        rows = [mean_symbols(node, self.dimension) for node in self.nodes]
        return sympy.ImmutableMatrix(rows)

    def displacement_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return ``du_i / dx_j`` of a field with the given nodal values."""
        fields = sympy.Matrix(len(self.nodes), self.dimension, list(nodal)).T
        return ledger.times(fields, self.slopes, "eps")

    def unit(self, k: int) -> list[sympy.Integer]:
        """Return the nodal values of coordinate k alone: one there, zero elsewhere."""
        return [sympy.Integer(int(k == j)) for j in range(len(self.coordinates))]

    @cached_property
    def strain_matrix(self) -> sympy.ImmutableMatrix:
        """The matrix b N of ``eps = b N d``: column k is the strain of coordinate k alone."""
        operator = OPERATORS[self.strain_operator]
        size, nodes = self.dimension, len(self.nodes)
        columns = [
            operator(
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
        gradient = self.displacement_gradient(self.coordinates, ledger)
        return green_lagrange_quadratic(gradient, gradient)

    def virtual_work(self, ledger: Ledger) -> list[sympy.Expr]:
        """Return ``Q = N^T f - (b N)^T sigma``, an initial stress included, by virtual work.

        Nothing is differentiated: the virtual displacement of a coordinate is its column of N, its
        virtual strain its column of b N.
        """
        stress = self.stress(self.strain(self.coordinates, ledger), ledger)
        forces = []
        for k in range(len(self.coordinates)):
            work = ledger.dot(self.body_force, self.shape_matrix[:, k], "Q")
            stored = ledger.dot(stress, self.strain_matrix[:, k], "Q")
            forces.append(ledger.sum("Q", work, -stored, -self._prestress_work(k, ledger)))
        ledger.note("Q", forces[0])
        return forces

    def _prestress_work(self, k: int, ledger: Ledger) -> sympy.Expr:
        """Return the work of the initial stress on the variation of the quadratic strain."""
        if not self.initial_stress:
            return sympy.Integer(0)
        gradient = self.displacement_gradient(self.coordinates, Ledger())
        virtual = self.displacement_gradient(self.unit(k), Ledger())
        variation = 2 * green_lagrange_quadratic(gradient, virtual)
        return ledger.dot(self.initial_stress, variation, "Q")


@dataclass(frozen=True)
class FieldPoint(MaterialPoint):
    """A point of an element that writes out its field: a matrix of shape symbols a vector.

    Attributes
    ----------
    strains : int
        Rows of the strain matrix.
    axes : int
        Axes of the cell, along which the displacement has slopes.
    """

    strains: int = 0
    axes: int = 1

    def _entries(self, letter: str, node: str, rows: int, prefix: str = "") -> sympy.Matrix:
        return sympy.Matrix(
            rows,
            self.dimension,
            lambda i, k: sympy.Symbol(f"{letter}_{node},{prefix}{i + 1}{k + 1}", real=True),
        )

    @cached_property
    def shape_matrix(self) -> sympy.ImmutableMatrix:
        """N = [N_1, N_2, ...], a full block a vector."""
        blocks = [self._entries("N", node, self.dimension) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    def interpolate_in_fixed_axes(
        self,
        nodal: Sequence[sympy.Symbol],
        rates: Sequence[sympy.Symbol],
        turn: sympy.Matrix,
        moving: Mapping[sympy.Symbol, sympy.Expr],
        ledger: Ledger,
    ) -> sympy.Matrix:
        """Return ``d/dt (R N R^T q)``: the field is written in axes that turn."""
        c = self.dimension
        local: list[sympy.Expr] = []
        for first in range(0, len(nodal), c):
            local += ledger.times(turn.T, sympy.Matrix(nodal[first : first + c]), "v")
        displacement = ledger.times(turn, self.interpolate(local, ledger, "v"), "v")
        return displacement.applyfunc(lambda entry: ledger.total(entry, moving, "du/dt"))

    @cached_property
    def slope_matrices(self) -> tuple[sympy.ImmutableMatrix, ...]:
        """Derivatives of N along every axis of the cell."""
        return tuple(
            sympy.ImmutableMatrix(sympy.Matrix.hstack(
                *(self._entries("G", node, self.dimension, str(j + 1)) for node in self.nodes)
            ))
            for j in range(self.axes)
        )  # fmt: skip

    @cached_property
    def slopes(self) -> sympy.ImmutableMatrix:
        """All derivatives of N, one axis after the other."""
        return sympy.ImmutableMatrix(sympy.Matrix.vstack(*self.slope_matrices))

    def displacement_gradient(self, nodal: Sequence[sympy.Expr], ledger: Ledger) -> sympy.Matrix:
        """Return ``du_i / dx_j``, a column an axis of the cell."""
        column = sympy.Matrix(list(nodal))
        return sympy.Matrix.hstack(
            *(ledger.times(slope, column, "eps") for slope in self.slope_matrices)
        )

    @cached_property
    def strain_matrix(self) -> sympy.ImmutableMatrix:
        """The matrix of ``eps = B d``."""
        blocks = [self._entries("B", node, self.strains) for node in self.nodes]
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*blocks))

    @cached_property
    def initial_stress(self) -> sympy.ImmutableMatrix:
        """Initial stress along the axes of the cell, in Voigt order."""
        return _column("sigma", len(VOIGT[self.axes]))
