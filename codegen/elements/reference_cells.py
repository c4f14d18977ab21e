# SPDX-License-Identifier: BSD-3-Clause
"""Extent of the reference cells: where the nodes of an element may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flexforge.codegen.errors import InputError

if TYPE_CHECKING:
    import sympy

#: Reference cell in words.
_EXTENT = {
    "interval": "-1 <= xi <= 1",
    "triangle": "xi >= 0, eta >= 0, xi + eta <= 1",
    "quadrilateral": "-1 <= xi, eta <= 1",
    "tetrahedron": "xi, eta, zeta >= 0, xi + eta + zeta <= 1",
    "pyramid": "0 <= zeta <= 1, -(1 - zeta) <= xi, eta <= 1 - zeta",
    "wedge": "xi >= 0, eta >= 0, xi + eta <= 1, -1 <= zeta <= 1",
    "hexahedron": "-1 <= xi, eta, zeta <= 1",
}


def check_inside(cell: str, nodes: Sequence[Sequence[sympy.Rational]]) -> None:
    """Raise an error for a node outside the reference cell.

    Parameters
    ----------
    cell : str
        Name of the cell.
    nodes : sequence of points
        Reference coordinates, as many as the cell has dimensions.

    Raises
    ------
    InputError
        Naming the first such node.

    Examples
    --------
    >>> import sympy
    >>> check_inside("triangle", [[sympy.Rational(1, 3), sympy.Rational(2, 3)]])
    """
    for i, node in enumerate(nodes):
        if not _is_inside(cell, node):
            place = ", ".join(f"{float(x):.6g}" for x in node)
            raise InputError(
                f"nodes[{i}]: found ({place}), outside the {cell}; expected {_EXTENT[cell]}"
            )


def _is_inside(cell: str, node: Sequence[sympy.Rational]) -> bool:
    match cell:
        case "triangle" | "tetrahedron":
            return all(x >= 0 for x in node) and sum(node) <= 1
        case "wedge":
            return _is_inside("triangle", node[:2]) and abs(node[2]) <= 1
        case "pyramid":
            return 0 <= node[2] <= 1 and all(abs(x) <= 1 - node[2] for x in node[:2])
        case _:
            return all(abs(x) <= 1 for x in node)
