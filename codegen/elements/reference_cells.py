# SPDX-License-Identifier: BSD-3-Clause
"""Extent and corners of the reference cells: where the nodes of an element may be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from flexforge.codegen.errors import InputError

if TYPE_CHECKING:
    import sympy

_TRIANGLE = ((0, 0), (1, 0), (0, 1))
_SQUARE = ((-1, -1), (1, -1), (1, 1), (-1, 1))
#: Corners of the reference cells, in VTK order.
CORNERS: Mapping[str, tuple[tuple[int, ...], ...]] = MappingProxyType(
    {
        "interval": ((-1,), (1,)),
        "triangle": _TRIANGLE,
        "quadrilateral": _SQUARE,
        "tetrahedron": ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        "pyramid": (*((x, y, 0) for x, y in _SQUARE), (0, 0, 1)),
        "wedge": tuple((x, y, z) for z, (x, y) in product((-1, 1), _TRIANGLE)),
        "hexahedron": tuple((x, y, z) for z, (x, y) in product((-1, 1), _SQUARE)),
    }
)
_NEAR = 1e-9
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


def check_inside(
    cell: str,
    places: Sequence[Sequence[sympy.Rational]],
    key: str = "nodes",
    slack: sympy.Rational | int = 0,
) -> None:
    """Raise an error for a node, or a point of a quadrature, outside the reference cell.

    Parameters
    ----------
    cell : str
        Name of the cell.
    places : sequence of points
        Reference coordinates, as many as the cell has dimensions.
    key : str
        Key of the places in the declaration.
    slack : number
        Distance outside that is round-off of decimals.

    Raises
    ------
    InputError
        Naming the first such place.

    Examples
    --------
    >>> import sympy
    >>> check_inside("triangle", [[sympy.Rational(1, 3), sympy.Rational(2, 3)]])
    """
    for i, place in enumerate(places):
        if not _is_inside(cell, place, slack):
            found = ", ".join(f"{float(x):.6g}" for x in place)
            raise InputError(
                f"{key}[{i}]: found ({found}), outside the {cell}; expected {_EXTENT[cell]}"
            )


def _is_inside(cell: str, place: Sequence[sympy.Rational], slack: sympy.Rational | int) -> bool:
    most = 1 + slack
    match cell:
        case "triangle" | "tetrahedron":
            return all(x >= -slack for x in place) and sum(place) <= most
        case "wedge":
            return _is_inside("triangle", place[:2], slack) and abs(place[2]) <= most
        case "pyramid":
            return -slack <= place[2] <= most and all(abs(x) <= most - place[2] for x in place[:2])
        case _:
            return all(abs(x) <= most for x in place)


def check_corners(cell: str, nodes: Sequence[Sequence[sympy.Rational]]) -> None:
    """Raise an error for nodes that are the corners of the reference cell in a wrong order.

    The order is right if an affine map takes the corners in VTK order to the nodes, and its
    determinant is positive: the map is then a rotation of the cell into itself. The Jacobian of the
    element's own functions does not tell, since these belong to the nodes in any order.

    Parameters
    ----------
    cell : str
        Name of the cell.
    nodes : sequence of points
        Reference coordinates; others than corners are left out, and cells whose corners are not all
        among them are not checked.

    Raises
    ------
    InputError
        Naming the nodes, and whether sides cross or the Jacobian is negative.

    Examples
    --------
    >>> check_corners("quadrilateral", [(1, -1), (1, 1), (-1, 1), (-1, -1)])
    """
    wanted = CORNERS.get(cell, ())
    found = [(i, node) for i, node in enumerate(nodes) if tuple(node) in wanted]
    if not wanted or sorted(tuple(node) for _, node in found) != sorted(wanted):
        return
    places = np.array([[float(x) for x in node] for _, node in found])
    corners = np.column_stack([np.array(wanted, dtype=float), np.ones(len(wanted))])
    affine = np.linalg.lstsq(corners, places, rcond=None)[0]
    crossed = np.abs(corners @ affine - places).max() > _NEAR
    determinant = np.linalg.det(affine[:-1])
    if not crossed and determinant > 0:
        return
    fault = (
        "sides of the cell cross each other, and its Jacobian changes its sign"
        if crossed
        else f"the Jacobian of the cell is {determinant:.3g}, as it is turned inside out"
    )
    raise InputError(
        f"nodes: the nodes {', '.join(str(i) for i, _ in found)} are the corners of the {cell} in "
        f"a wrong order: {fault}; expected them in the order {', '.join(map(str, wanted))}"
    )
