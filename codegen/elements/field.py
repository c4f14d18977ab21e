# SPDX-License-Identifier: BSD-3-Clause
"""Elements with an explicit displacement field: bars, beams, plates, shells, in local axes.

A node carries one or two *vectors*: its displacement and, where the field needs slopes, its
rotation. The field ``u = N d`` is written once, in axes of the element, with the place in the
cross section or through the thickness as further coordinates; everything else is derived from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.field_points import CellPoints
from flexforge.codegen.elements.rod_energy import RodEnergy
from flexforge.codegen.elements.stiffening import Stiffening

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Point

Definition = tuple[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True, slots=True)
class Fibre:
    """An integration point of the cross section or through the thickness.

    Attributes
    ----------
    place : tuple of sympy.Expr
        Its coordinates, in the order of :attr:`FieldElement.across`.
    weight : sympy.Expr
        The area or thickness that it represents.
    """

    place: tuple[sympy.Expr, ...]
    weight: sympy.Expr


@dataclass(frozen=True)
class FieldElement:
    """Declaration of an elastic element whose displacement field is written out.

    Attributes
    ----------
    name : str
        Unique name; becomes part of the names of the generated kernels.
    cell : str
        Reference cell: point, interval, triangle or quadrilateral.
    places : tuple of tuple of sympy.Rational
        Reference coordinates of the nodes of the mesh.
    carried : tuple of str
        Vectors at each node: ``displacement``, and ``rotation`` or ``slope``, the derivative of the
        displacement by the length at rest.
    components : int
        Coordinates of a vector: 2 in a planar frame, 3 in a spatial one. In the plane a rotation
        has one coordinate, the first; the second has no effect.
    definitions : tuple of (sympy.Symbol, sympy.Expr)
        Named quantities in order, functions of the nodal positions (:func:`nodal_position`) and
        parameters; among them the local axes.
    axes : sympy.ImmutableMatrix
        Rows are the local axes in components of the frame.
    across : tuple of sympy.Symbol
        Coordinates across the cell: of the cross section, or through the thickness.
    measure : sympy.Expr
        Length or area of the element per unit of the reference cell.
    position : sympy.ImmutableMatrix
        Undeformed position of a point, in components of the frame.
    displacement : sympy.ImmutableMatrix
        N in local components: one column per nodal coordinate, node by node, vector by vector.
    strain : sympy.ImmutableMatrix
        Matrix of the strains on which the law acts, with the same columns.
    constitutive : Constitutive
        Law between strain and stress, per unit of volume.
    fibres : mapping
        Fibres of the cross section by purpose: ``stiffness``, ``mass`` and ``geometric`` (by
        default those of the mass). Terms of a missing purpose do not exist.
    degree : mapping
        Polynomial degree that the quadrature over the cell integrates exactly, by purpose.
    parameters : tuple of str
        Scalar arguments besides those of the law: section and orientation.
    density : str, optional
        Name of the density; None where the weights of the fibres are masses themselves.
    stiffening : Stiffening, optional
        The second-order strains on which stress does work; None where they are not known.
    flat : bool
        Whether its nodes have to lie on a line or in a plane, as its local axes assume.
    loose : int
        Number of non-rigid motions without stiffness: a bar bends freely.
    generalized : tuple of str
        Names of the section forces: the law's stresses times the weight of a station. A minus sign
        before a name marks a force that is the negative of the law's.
    units : mapping
        Units of its parameters by name, where the declaration states them.
    varying : tuple of str
        Quantities of the section that are given at every point of integration: the scalar arguments
        ``area1``, ``area2`` .. of ``area``.
    energy : RodEnergy, optional
        Energy of a rod whose displacements and rotations are large; ``strain`` and
        ``constitutive`` are its limit.
    """

    name: str
    cell: str
    places: tuple[Point, ...]
    carried: tuple[str, ...]
    components: int
    definitions: tuple[Definition, ...]
    axes: sympy.ImmutableMatrix
    across: tuple[sympy.Symbol, ...]
    measure: sympy.Expr
    position: sympy.ImmutableMatrix
    displacement: sympy.ImmutableMatrix
    strain: sympy.ImmutableMatrix
    constitutive: Constitutive
    fibres: Mapping[str, tuple[Fibre, ...]]
    degree: Mapping[str, int]
    parameters: tuple[str, ...] = ()
    density: str | None = "density"
    stiffening: Stiffening | None = None
    flat: bool = False
    loose: int = 0
    generalized: tuple[str, ...] = ()
    description: str = field(default="", compare=False)
    units: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    varying: tuple[str, ...] = field(default=(), kw_only=True)
    energy: RodEnergy | None = field(default=None, kw_only=True)

    #: There is no factor of the volume: the fibres include the section.
    section: ClassVar[None] = None
    revolved: ClassVar[bool] = False

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.description}, {self.cell}, {len(self.places)} nodes, "
            f"{self.size} coordinates"
        )

    @property
    def dimension(self) -> int:
        """Dimension of the reference cell."""
        return CELL_DIMENSION[self.cell]

    @property
    def ambient(self) -> int:
        """Dimension of the space of its positions."""
        return self.components

    @property
    def mapped(self) -> bool:
        """Whether the element has a cell that its nodes can flatten; a bushing has none."""
        return self.dimension > 0 and bool(self.measure.free_symbols)

    @cached_property
    def nodes(self) -> tuple[Point, ...]:
        """Reference coordinates of the vectors: those of a node once per vector."""
        return tuple(place for place in self.places for _ in self.carried)

    @cached_property
    def points(self) -> CellPoints:
        """The points along the cell where varying quantities are given."""
        return CellPoints.of(self.degree["stiffness"])

    @property
    def size(self) -> int:
        """Number of nodal coordinates of the element."""
        return len(self.nodes) * self.components

    @cached_property
    def shape(self) -> sympy.ImmutableMatrix:
        """N with displacements and nodal coordinates both in components of the frame."""
        return sympy.ImmutableMatrix(self.axes.T * self.in_frame(self.displacement))

    def in_frame(self, rows: sympy.MatrixBase) -> sympy.Matrix:
        """Return rows for local nodal coordinates as rows for components of the frame."""
        size, blocks = self.components, []
        for number, _ in enumerate(self.nodes):
            block = rows[:, number * size : (number + 1) * size]
            turns = self.carried[number % len(self.carried)] != "rotation" or size == 3
            blocks.append(block * self.axes if turns else block)
        return sympy.Matrix.hstack(*blocks)


def linear_forms(
    rows: Sequence[sympy.Expr], columns: Sequence[sympy.Symbol]
) -> sympy.ImmutableMatrix:
    """Return the matrix of linear forms in the nodal coordinates."""
    return sympy.ImmutableMatrix(
        len(rows), len(columns), lambda i, k: derivative(rows[i], columns[k])
    )


def nodal_position(node: int, axis: int) -> sympy.Symbol:
    """Return the symbol of a coordinate of a node of the mesh, in the frame."""
    return sympy.Symbol(f"X{node + 1}_{axis + 1}", real=True)


#: The declarations that the compiler accepts.
AnyElement = Element | FieldElement
