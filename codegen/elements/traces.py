# SPDX-License-Identifier: BSD-3-Clause
"""The facets of a user's element: its shape functions on a side or a face."""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.elements.constitutive import AXISYMMETRIC, ISOTROPIC, PLANE_STRESS
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.errors import InputError

#: Cell of a facet by its dimension and number of corners.
_CELLS = {(1, 2): "interval", (2, 3): "triangle", (2, 4): "quadrilateral"}


def trace(element: Element, nodes: Sequence[int], corners: int) -> Element:
    """Return a facet of an element as an element that carries a pressure.

    Parameters
    ----------
    element : Element
        A solid or plane element.
    nodes : sequence of int
        Its nodes on the facet; the first ones are the corners, such that the normal points outward.
    corners : int
        Number of corners of the facet.

    Raises
    ------
    InputError
        If a shape function of another node is not zero on the facet, so that neighbours would
        overlap there, or a function is not a polynomial.
    """
    dimension = element.dimension - 1
    cell = _CELLS[dimension, corners]
    axes = REFERENCE[:dimension]
    origin, *ends = (sympy.Matrix(element.nodes[i]) for i in (*nodes[:2], nodes[corners - 1]))
    sides = sympy.Matrix.hstack(*(end - origin for end in ends[:dimension]))
    # The facet of a triangle has coordinates from 0 to 1, those of an interval are -1 to 1.
    simplex = cell == "triangle"
    along = sympy.Matrix([x if simplex else (1 + x) / 2 for x in axes])
    place = dict(zip(REFERENCE, origin + sides * along, strict=False))
    on_facet = [_polynomial(element, one, place, nodes) for one in element.shape]
    for other, function in enumerate(on_facet):
        if other not in nodes and function != 0:
            raise InputError(
                f"element '{element.name}': the shape function of node {other} is not zero on the "
                f"facet of the nodes {', '.join(map(str, nodes))}"
            )
    functions = tuple(on_facet[node] for node in nodes)
    inverse = (sides.T * sides).inv() * sides.T
    places = [inverse * (sympy.Matrix(element.nodes[node]) - origin) for node in nodes]
    highest = max(_degree(function, axes, total=simplex) for function in functions)
    law = AXISYMMETRIC if element.revolved else PLANE_STRESS
    return Element(
        name=f"facet_{element.name}_{cell}{len(nodes)}",
        cell=cell,
        nodes=tuple(tuple(x if simplex else 2 * x - 1 for x in place) for place in places),
        monomials=functions,
        components=element.components,
        strain=element.strain if element.revolved else "small_strain",
        constitutive=ISOTROPIC if element.components == 3 else law,
        degree=dict.fromkeys(("stiffness", "mass"), 2 * highest + (0 if simplex else 1)),
        section=element.section,
        description="facet under pressure",
    )


def _polynomial(
    element: Element,
    function: sympy.Expr,
    place: dict[sympy.Symbol, sympy.Expr],
    nodes: Sequence[int],
) -> sympy.Expr:
    """Return a function at the places of a facet."""
    there = function.subs(place, simultaneous=True)
    found = sympy.expand(there if there.is_polynomial(*REFERENCE) else sympy.cancel(there))
    if not found.is_polynomial(*REFERENCE):
        raise InputError(
            f"element '{element.name}': a shape function is not a polynomial on the facet of the "
            f"nodes {', '.join(map(str, nodes))}"
        )
    return found


def _degree(function: sympy.Expr, axes: Sequence[sympy.Symbol], *, total: bool) -> int:
    """Return the total degree of a polynomial, or the highest in one coordinate."""
    powers = sympy.Poly(function, *axes).monoms()
    return max(int(sum(power) if total else max(power)) for power in powers)
