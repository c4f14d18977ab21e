# SPDX-License-Identifier: BSD-3-Clause
"""Elements with a field of their own: bars, beams, plates and shells, declared in local axes.

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
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.declaration import CELL_DIMENSION, Element
from flexforge.codegen.elements.stiffening import Stiffening

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Point

Definition = tuple[sympy.Symbol, sympy.Expr]


@dataclass(frozen=True, slots=True)
class Fibre:
    """A point of the cross section, or through the thickness, that stands for a part of it.

    Attributes
    ----------
    place : tuple of sympy.Expr
        Its coordinates, in the order of :attr:`FieldElement.across`.
    weight : sympy.Expr
        The area, or thickness, it stands for.
    """

    place: tuple[sympy.Expr, ...]
    weight: sympy.Expr


@dataclass(frozen=True)
class FieldElement:
    """An elastic element whose field is written out, declared.

    Attributes
    ----------
    name : str
        Unique name; becomes part of the names of the generated kernels.
    cell : str
        Reference cell: point, interval, triangle or quadrilateral.
    places : tuple of tuple of sympy.Rational
        Reference coordinates of the nodes of the mesh.
    carried : tuple of str
        Vectors a node carries: ``displacement``, ``rotation``.
    components : int
        Coordinates of a vector: 2 in a planar frame, 3 in a spatial one. In the plane a rotation
        has one coordinate, the first; its second one moves nothing.
    definitions : tuple of (sympy.Symbol, sympy.Expr)
        Names in order, made of nodal positions (:func:`nodal_position`) and parameters; among them
        the local axes.
    axes : sympy.ImmutableMatrix
        Rows are the local axes in components of the frame.
    across : tuple of sympy.Symbol
        Coordinates across the cell: of the cross section, or through the thickness.
    measure : sympy.Expr
        Length or area of the element for a unit of the reference cell.
    position : sympy.ImmutableMatrix
        Undeformed position of a point, in components of the frame.
    displacement : sympy.ImmutableMatrix
        N in local components: a column for every nodal coordinate, node by node, vector by vector.
    strain : sympy.ImmutableMatrix
        Matrix of the strains on which the law acts, in the same columns.
    constitutive : Constitutive
        Law between strain and stress, for a unit of volume.
    fibres : mapping
        Parts of the cross section by purpose: ``stiffness``, ``mass`` and ``geometric`` (by default
        those of the mass). Terms of a purpose that is missing are none.
    degree : mapping
        Degree the quadrature over the cell is exact for, by purpose.
    parameters : tuple of str
        Scalar arguments besides those of the law: section and orientation.
    density : str, optional
        Name of the density; None where the parts of the section are masses themselves.
    stiffening : Stiffening, optional
        The strains of second order on which stress does work; None where they are not known.
    flat : bool
        Whether its nodes have to lie on a line or in a plane, because its axes see no more of them.
    loose : int
        Motions besides rigid ones that nothing resists: a rod is free to bend.
    generalized : tuple of str
        Names of the law's stresses times the portion of a station: forces of the section. A minus
        sign before a name: what the law has is the negative of it.
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

    #: The volume of a station is complete: fibres hold the section.
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
    def mapped(self) -> bool:
        """Whether there is a cell that the nodes may flatten; a bushing integrates over none."""
        return self.dimension > 0 and bool(self.measure.free_symbols)

    @cached_property
    def nodes(self) -> tuple[Point, ...]:
        """Reference coordinates of the vectors: those of a node once for each it carries."""
        return tuple(place for place in self.places for _ in self.carried)

    @property
    def size(self) -> int:
        """Number of nodal coordinates of the element."""
        return len(self.nodes) * self.components

    @cached_property
    def shape(self) -> sympy.ImmutableMatrix:
        """N in components of the frame, on nodal coordinates in components of the frame."""
        return sympy.ImmutableMatrix(self.axes.T * self.in_frame(self.displacement))

    def in_frame(self, rows: sympy.MatrixBase) -> sympy.Matrix:
        """Return rows on local nodal coordinates as rows on those in components of the frame."""
        size, blocks = self.components, []
        for number, _ in enumerate(self.nodes):
            block = rows[:, number * size : (number + 1) * size]
            turns = self.carried[number % len(self.carried)] == "displacement" or size == 3
            blocks.append(block * self.axes if turns else block)
        return sympy.Matrix.hstack(*blocks)


def linear_forms(
    rows: Sequence[sympy.Expr], columns: Sequence[sympy.Symbol]
) -> sympy.ImmutableMatrix:
    """Return the matrix of linear forms in the nodal coordinates."""
    return sympy.ImmutableMatrix(
        len(rows), len(columns), lambda i, k: sympy.diff(rows[i], columns[k])
    )


def nodal_position(node: int, axis: int) -> sympy.Symbol:
    """Return the symbol of a coordinate of a node of the mesh, in the frame."""
    return sympy.Symbol(f"X{node + 1}_{axis + 1}", real=True)


#: What the compiler takes.
AnyElement = Element | FieldElement
