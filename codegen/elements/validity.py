# SPDX-License-Identifier: BSD-3-Clause
"""Checks of shape functions before anything is derived from them."""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.interpolation import POLES, REFERENCE, at_node
from flexforge.codegen.elements.quadrature import rule
from flexforge.codegen.errors import InputError

_SMALL = 1e-9


def check_field(element: Element, *, given: bool = False) -> None:
    """Raise an error for shape functions that cannot make an element.

    Parameters
    ----------
    element : Element
        The declaration.
    given : bool
        Whether the functions of the file are the shape functions themselves.

    Raises
    ------
    InputError
        If a given function is not one at its node and zero at the others, if their sum is not one,
        so that a rigid motion would strain the element, or if the reference cell with its own
        nodes is folded or flat somewhere.
    """
    key = "shape" if given else "monomials"
    _check_finite(element, key)
    if given:
        _check_nodal(element)
    total = sympy.cancel(sum(element.shape))
    if total != 1:
        raise InputError(
            f"{key}: the sum of the shape functions of element '{element.name}' is {total}; "
            "expected 1, so that translations cause no strain"
        )
    _check_jacobian(element)


def _check_finite(element: Element, key: str) -> None:
    """Check that every function has a value at every node: ratios of pyramids may have a pole."""
    for k, function in enumerate(element.monomials):
        for a, node in enumerate(element.nodes):
            if at_node(function, node).has(*POLES):
                place = ", ".join(map(str, node))
                raise InputError(
                    f"{key}[{k}]: found '{function}', which has no value at node {a}, ({place}); "
                    "expected a number"
                )


def _check_nodal(element: Element) -> None:
    """Check that each function is one at its node and zero at the others."""
    for a, function in enumerate(element.monomials):
        for b, node in enumerate(element.nodes):
            value = at_node(function, node)
            if value != int(a == b):
                raise InputError(
                    f"shape[{a}]: is {value} at node {b}; expected {int(a == b)}: one at node {a}, "
                    "zero at the others"
                )


def _check_jacobian(element: Element) -> None:
    """Check the Jacobian of the cell with its nodes at their reference positions."""
    size = element.dimension
    if size == 0:
        return
    axes = REFERENCE[:size]
    columns = [
        [
            sum(
                node[i] * rates[j]
                for node, rates in zip(element.nodes, element.shape_derivatives, strict=True)
            )
            for j in range(size)
        ]
        for i in range(size)
    ]
    determinant = sympy.lambdify(axes, sympy.Matrix(columns).det(), "math")
    for purpose, degree in element.degree.items():
        for point in rule(element.cell, degree)[0]:
            value = float(determinant(*point))
            if value < _SMALL:
                place = ", ".join(f"{x:.4g}" for x in point)
                raise InputError(
                    f"nodes: the Jacobian of element '{element.name}' is {value:.3g} at the point "
                    f"({place}) of its {purpose}; expected a positive one: are the nodes in order, "
                    "and can the functions represent the coordinates?"
                )
