# SPDX-License-Identifier: BSD-3-Clause
"""Quadrature of the elements written by hand: NumPy's Gauss points and printed tables."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from scipy.special import roots_jacobi


def _dimension(name: str) -> int:
    return {
        "line": 1, "tri": 2, "quad": 2, "tet": 3, "pyramid": 3, "wedge": 3, "hex": 3,
    }[name.rstrip("0123456789")]  # fmt: skip


def _gauss(dim: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    points = np.array(list(product(nodes, repeat=dim)))
    return points, np.array([np.prod(w) for w in product(weights, repeat=dim)])


def _symmetric(dim: int, orbits: list[tuple[tuple[float, ...], float]]) -> tuple:
    """Return all distinct permutations of barycentric points; weights of a cell of volume one."""
    points, weights = [], []
    for barycentric, weight in orbits:
        for point in sorted(set(permutations(barycentric))):
            points.append(point[1:])
            weights.append(weight / (2 if dim == 2 else 6))
    return np.array(points), np.array(weights)


#: Triangle, six points of degree four: Dunavant, Int. J. Num. Meth. Eng. 21 (1985), table II.
_DUNAVANT = [
    ((0.108103018168070, 0.445948490915965, 0.445948490915965), 0.223381589678011),
    ((0.816847572980459, 0.091576213509771, 0.091576213509771), 0.109951743655322),
]
#: Tetrahedron, 14 points of degree five: Walkington, Quadrature on simplices of arbitrary dimension
#: (2000).
_WALKINGTON = [
    ((1 - 3 * 0.31088591926330060980,) + (0.31088591926330060980,) * 3, 0.11268792571801585080),
    ((1 - 3 * 0.092735250310891226402,) + (0.092735250310891226402,) * 3, 0.073493043116361949544),
    ((0.5 - 0.045503704125649649492,) * 2 + (0.045503704125649649492,) * 2,
     0.042546020777081466438),
]  # fmt: skip
_FOUR = ((5 + 3 * 5**0.5) / 20,) + ((5 - 5**0.5) / 20,) * 3


def _prism(flat: tuple, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the product of a rule of the triangle and ``count`` Gauss points along the axis."""
    (base, areas), (along, lengths) = flat, _gauss(1, count)
    points = [(*p, *z) for p in base for z in along]
    return np.array(points), np.array([a * b for a in areas for b in lengths])


def _conical(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return Gauss points of squares that shrink to the apex of a pyramid (Stroud, section 2.4)."""
    flat, areas = _gauss(2, count)
    nodes, weights = roots_jacobi(count, 2, 0)  # weight (1 - x)^2
    heights = (1 + nodes) / 2
    points = [(*(p * (1 - z)), z) for p in flat for z in heights]
    return np.array(points), np.array([a * b / 8 for a in areas for b in weights])


def quadrature(name: str, purpose: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the usual rule of an element for ``stiffness`` or ``mass``.

    2 points a direction for linear and 3 for quadratic tensor cells (Hughes, section 3.8); one
    point for the stiffness of linear simplices and three or four of quadratic ones; for their mass
    one degree class more: 3 or 4 points linear, 6 or 14 quadratic. Wedges take products of these,
    the pyramid 2 x 2 points at two heights.
    """
    dim = _dimension(name)
    if name == "pyramid5":
        return _conical(2)
    if name == "wedge6":
        return _prism(_symmetric(2, [((2 / 3, 1 / 6, 1 / 6), 1 / 3)]), 2)
    if name == "wedge15":
        return _prism(_symmetric(2, _DUNAVANT), 3)
    if name in ("line2", "quad4", "hex8"):
        return _gauss(dim, 2)
    if name in ("line3", "quad8", "quad9", "hex20", "hex27"):
        return _gauss(dim, 3)
    quadratic = name in ("tri6", "tet10")
    if purpose == "stiffness" and not quadratic:
        return _symmetric(dim, [((1 / (dim + 1),) * (dim + 1), 1.0)])
    if purpose == "mass" and quadratic:
        return _symmetric(dim, _DUNAVANT if dim == 2 else _WALKINGTON)
    return _symmetric(dim, [((2 / 3, 1 / 6, 1 / 6), 1 / 3)] if dim == 2 else [(_FOUR, 0.25)])


def collapsed(name: str, count: int = 6) -> tuple[np.ndarray, np.ndarray]:
    """Return a rule of high degree that no symmetric rule takes part in.

    Simplices by collapsing the unit cube (Stroud, Approximate Calculation of Multiple Integrals,
    1971, section 2.4), tensor cells by ``count`` Gauss points a direction.
    """
    dim = _dimension(name)
    points, weights = _gauss(dim, count)
    if name.startswith("wedge"):
        return _prism(collapsed("tri3", count), count)
    if name.startswith("pyramid"):
        height = (1 + points[:, 2:]) / 2
        return np.hstack([points[:, :2] * (1 - height), height]), weights * (
            (1 - height[:, 0]) ** 2 / 2
        )
    if name[:3] not in ("tri", "tet"):
        return points, weights
    points, weights = (points + 1) / 2, weights / 2**dim
    simplex = points.copy()
    for j in range(1, dim):
        factor = np.prod(1 - points[:, :j], axis=1)
        simplex[:, j] *= factor
        weights = weights * (1 - points[:, j - 1]) ** (dim - j)
    return simplex, weights
