# SPDX-License-Identifier: BSD-3-Clause
"""Bounds of declarations: what help and messages name, without SymPy."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

#: Most entries of a list or table: nodes, functions, points of a rule.
MOST_ENTRIES = 64
_TRIANGLE, _TETRAHEDRON, _PRODUCTS = 6, 5, 12
#: Highest degree of the quadrature by cell; only products of Gauss rules could go higher.
HIGHEST: Mapping[str, int] = MappingProxyType(
    {
        "point": _PRODUCTS,
        "interval": _PRODUCTS,
        "triangle": _TRIANGLE,
        "quadrilateral": _PRODUCTS,
        "tetrahedron": _TETRAHEDRON,
        "pyramid": _PRODUCTS,
        "wedge": _TRIANGLE,
        "hexahedron": _PRODUCTS,
    }
)
#: The same in words.
QUADRATURE = (
    f"degrees up to {_TETRAHEDRON} on tetrahedra, {_TRIANGLE} on triangles and wedges, "
    f"{_PRODUCTS} on other cells; rules of your own have at most {MOST_ENTRIES} points"
)
