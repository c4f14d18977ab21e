# SPDX-License-Identifier: BSD-3-Clause
"""Declaration of an element: plain data from which everything else is derived."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

import sympy
from flexforge.codegen.derivative import derivative
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.energy import Energy
from flexforge.codegen.elements.facts import REVOLVED, TORSION
from flexforge.codegen.elements.interpolation import REFERENCE, nodal_basis
from flexforge.codegen.elements.strain import OPERATORS, STRAINS, operator, written_symbols
from flexforge.codegen.errors import InputError, nearest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from flexforge.codegen.elements.quadrature import Degree

    Point = tuple[sympy.Rational, ...]

CELL_DIMENSION: Mapping[str, int] = MappingProxyType(
    {
        "point": 0,
        "interval": 1,
        "triangle": 2,
        "quadrilateral": 2,
        "tetrahedron": 3,
        "pyramid": 3,
        "wedge": 3,
        "hexahedron": 3,
    }
)


@dataclass(frozen=True)
class Element:
    """An elastic finite element, declared.

    The displacement is ``u = sum_a N_a(xi) d_a`` with a vector ``d_a`` of ``components``
    coordinates at each node; the same functions interpolate the geometry.

    Attributes
    ----------
    name : str
        Unique name; becomes part of the names of the generated kernels.
    cell : str
        Reference cell: point, interval, triangle, quadrilateral, tetrahedron or hexahedron.
    nodes : tuple of tuple of sympy.Rational
        Reference coordinates of the nodes, in VTK order.
    monomials : tuple of sympy.Expr
        Basis of the interpolation space in ``xi, eta, zeta``; as many as there are nodes.
    components : int
        Coordinates per node: 2 in a planar frame, 3 in a spatial one or with torsion.
    strain : str
        Strain operator: its name, or its rows (:func:`flexforge.codegen.elements.strain.operator`).
    constitutive : Constitutive
        Law between strain and stress.
    degree : mapping
        Polynomial degree integrated exactly, or a rule, for ``stiffness`` and ``mass``.
    recovery : tuple of sympy.Expr
        Basis that extrapolates stresses from the quadrature points to the nodes.
    modes : tuple of sympy.Expr
        Incompatible modes: internal displacements, functions of ``xi, eta, zeta``, whose amplitudes
        are condensed out of the stiffness. Each of their derivatives must have zero mean over the
        reference cell, or the patch test fails.
    section : str or None
        Name of the factor of the volume element (``thickness`` for plane elements).
    density : str
        Name of the inertia parameter: ``density``, or ``mass`` for a point.
    energy : Energy, optional
        Hyperelastic law of large deformations, of which ``constitutive`` is the limit.
    units : mapping
        Units of its parameters by name, where the declaration states them.
    """

    name: str
    cell: str
    nodes: tuple[Point, ...]
    monomials: tuple[sympy.Expr, ...]
    components: int
    strain: str
    constitutive: Constitutive
    degree: Mapping[str, Degree]
    recovery: tuple[sympy.Expr, ...] = (sympy.Integer(1),)
    modes: tuple[sympy.Expr, ...] = field(default=(), kw_only=True)
    section: str | None = None
    density: str = "density"
    energy: Energy | None = field(default=None, kw_only=True)
    description: str = field(default="", compare=False)
    units: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def __repr__(self) -> str:
        return (
            f"{self.name}: {self.description or self.strain}, {self.cell}, "
            f"{len(self.nodes)} nodes, {self.size} coordinates"
        )

    def __post_init__(self) -> None:
        """Check the declaration for errors."""
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", self.name):
            raise InputError(f"element '{self.name}': invalid name; expected letters, digits and _")
        if self.cell not in CELL_DIMENSION:
            raise InputError(
                f"element '{self.name}': cell '{self.cell}' is unknown; "
                f"expected one of {', '.join(CELL_DIMENSION)}{nearest(self.cell, CELL_DIMENSION)}"
            )
        if self.components not in (2, 3):
            raise InputError(
                f"element '{self.name}': {self.components} components; "
                "expected 2 in a planar frame, 3 in a spatial one"
            )
        if self.dimension not in (0, self.ambient - 1, self.ambient):
            raise InputError(
                f"element '{self.name}': a {self.cell} does not fill a space of {self.ambient} "
                "dimensions and does not bound it; expected a solid, a facet or a point"
            )
        self._check_strain()
        for key in ("stiffness", "mass"):
            if key not in self.degree:
                raise InputError(f"element '{self.name}': degree '{key}' is missing")
        if len(self.nodes) != len(self.monomials):
            raise InputError(
                f"element '{self.name}': {len(self.nodes)} nodes but {len(self.monomials)} "
                "monomials; expected as many monomials as nodes"
            )
        for number, node in enumerate(self.nodes):
            if len(node) != self.dimension:
                raise InputError(
                    f"element '{self.name}': node {number} has {len(node)} coordinates; "
                    f"expected {self.dimension} in a {self.cell}"
                )

    def _check_strain(self) -> None:
        """Check that the strain operator and the constitutive law exist and match."""
        is_name = self.strain.isidentifier() and self.strain not in written_symbols(self.components)
        if is_name and self.strain not in OPERATORS:
            raise InputError(
                f"element '{self.name}': strain '{self.strain}' is unknown; "
                f"expected one of {', '.join(OPERATORS)}{nearest(self.strain, OPERATORS)}"
            )
        if self.dimension == 0 and self.strain in STRAINS:
            raise InputError(
                f"element '{self.name}': a point has no gradient; expected strain 'displacement'"
            )
        size = self.components
        nothing = sympy.zeros(size, size)
        expected = 3 if self.strain == TORSION else 2
        if self.revolved and self.components != expected:
            raise InputError(
                f"element '{self.name}': {self.components} components; expected {expected} for a "
                f"section of a body of revolution with strain '{self.strain}'"
            )
        strains = operator(self.strain)(sympy.zeros(size, 1), nothing, nothing).rows
        if self.constitutive.matrix.shape != (strains, strains):
            raise InputError(
                f"element '{self.name}': law '{self.constitutive.name}' acts on "
                f"{self.constitutive.matrix.cols} strains; '{self.strain}' has {strains}"
            )

    @property
    def revolved(self) -> bool:
        """Whether the element is the section of a body of revolution about its second axis."""
        return self.strain in REVOLVED

    @property
    def ambient(self) -> int:
        """Dimension of the space of its positions: that of its axes r and z, if revolved."""
        return 2 if self.revolved else self.components

    @property
    def space(self) -> int:
        """Dimension of the space of its deformation: with circles about an axis it is 3."""
        return 3 if self.revolved else self.components

    @property
    def is_facet(self) -> bool:
        """Whether the cell bounds the space instead of filling it: it carries only a pressure."""
        return 0 < self.dimension < self.ambient

    @property
    def pointwise(self) -> bool:
        """Whether the stiffness is a sum of contributions of single points."""
        return self.strain != "selective" and not self.modes

    @property
    def dimension(self) -> int:
        """Dimension of the reference cell."""
        return CELL_DIMENSION[self.cell]

    @property
    def mapped(self) -> bool:
        """Whether the element has a cell that bad nodes can invert or flatten."""
        return self.dimension > 0

    @property
    def size(self) -> int:
        """Number of nodal coordinates of the element."""
        return len(self.nodes) * self.components

    @property
    def symbols(self) -> dict[str, sympy.Symbol]:
        """The reference coordinates by name, in which the shape functions are written.

        They are real: a symbol of your own matches if it is ``sympy.Symbol("xi", real=True)``.

        Examples
        --------
        >>> import flexforge as ff
        >>> triangle = ff.element("tri3")
        >>> [function.diff(triangle.symbols["xi"]) for function in triangle.shape]
        [-1, 1, 0]
        """
        return {str(axis): axis for axis in REFERENCE[: self.dimension]}

    @cached_property
    def shape(self) -> tuple[sympy.Expr, ...]:
        """Shape functions in :attr:`symbols`: one at their node, zero at the others."""
        return nodal_basis(self.name, self.monomials, self.nodes)

    @cached_property
    def shape_derivatives(self) -> tuple[tuple[sympy.Expr, ...], ...]:
        """Derivatives of the shape functions with respect to the reference coordinates."""
        axes = REFERENCE[: self.dimension]
        return tuple(tuple(derivative(n, axis) for axis in axes) for n in self.shape)


def require_body(element: Element) -> None:
    """Raise an error for a facet where an element with stiffness and mass is expected.

    Raises
    ------
    InputError
        Naming the element.
    """
    if element.is_facet:
        plane = "_plane" if element.components == 2 else ""
        wanted = (
            "a bar or beam, which is declared by the fields that its nodes carry (key 'carried'), "
            f'or by extends = ["bar2{plane}"]'
            if element.dimension == 1
            else f"components = {element.dimension}, or a cell that fills the space"
        )
        raise InputError(
            f"element '{element.name}': found the cell '{element.cell}' with {element.components} "
            "components, which is a facet: it carries a pressure and has no stiffness or mass; "
            f"expected {wanted}"
        )
