# SPDX-License-Identifier: BSD-3-Clause
"""Rings and hollow spheres in curved elements, and a frequency of each that is known exactly.

A node has a direction and a radius; the middle of an edge or face has the mean of both, so that
all edges but the radial ones are curved. The sphere, radii 1/2 and 1, turns about itself (toroidal
motion of degree 2; A. C. Eringen and E. S. Suhubi, Elastodynamics II, 1975, section 8.13); the
ring, with the same radii and in plane strain, breathes.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from flexforge.codegen.elements.declaration import Element
from flexforge.runtime.assembly.kernels import kernels_of
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.sparse import csc_array, kron
from scipy.sparse.linalg import eigsh
from scipy.special import jv, jvp, spherical_jn, spherical_yn, yv, yvp

Floats = NDArray[np.float64]

INNER, OUTER = 0.5, 1.0
POISSON = 0.3
MATERIAL = {"young": 2.6, "poisson": POISSON, "density": 1.0, "thickness": 1.0}  # shear modulus 1
_LAME = 2 * POISSON / (1 - 2 * POISSON)
#: A share of the exact eigenvalue; others may be as near, so that the shape decides.
_NEAR = 0.05


def sphere_frequency() -> float:
    """Return the lowest frequency of the toroidal motion of degree 2 of the hollow sphere.

    Its shear stress ``r d(f/r)/dr`` vanishes on both surfaces, f = A j_2(k r) + B y_2(k r).
    """

    def stresses(k: float, r: float) -> list[float]:
        x = k * r
        return [x * f(2, x, derivative=True) - f(2, x) for f in (spherical_jn, spherical_yn)]

    return _lowest(stresses, 1.0, 4.0)


def ring_frequency() -> float:
    """Return the frequency of the ring that breathes: u = A J_1(q r) + B Y_1(q r) along r."""
    speed = np.sqrt(_LAME + 2)  # of pressure waves

    def stresses(omega: float, r: float) -> list[float]:
        x = omega / speed * r
        return [
            (_LAME + 2) * x * rate(1, x) + _LAME * value(1, x)
            for value, rate in ((jv, jvp), (yv, yvp))
        ]

    return _lowest(stresses, 0.5, 3.5)


def _lowest(stresses: Any, first: float, last: float) -> float:
    def determinant(k: float) -> float:
        return float(np.linalg.det([stresses(k, INNER), stresses(k, OUTER)]))

    grid = np.linspace(first, last, 400)
    values = [determinant(k) for k in grid]
    start = next(i for i in range(399) if values[i] * values[i + 1] < 0)
    return float(brentq(determinant, grid[start], grid[start + 1], xtol=1e-15))


def frequency(element: Element, divisions: int) -> tuple[float, int]:
    """Return the frequency by an element, and the number of unknowns.

    Parameters
    ----------
    element : Element
        Plane strain, or a solid.
    divisions : int
        Elements through the wall; three to four times as many around a quarter.
    """
    points, cells = _mesh(element, divisions)
    stiffness, mass = _matrices(element, points, cells)
    exact = sphere_frequency() if element.components == 3 else ring_frequency()
    values, modes = eigsh(stiffness, 12, mass, sigma=exact**2)
    if element.components == 3:
        x, y, z = points.T
        wanted = np.column_stack([-y * z, x * z, np.zeros_like(z)])
    else:
        wanted = points / np.linalg.norm(points, axis=1)[:, None]
    shares = (modes.T @ (mass @ wanted.ravel())) ** 2
    shares[np.abs(values / exact**2 - 1) > _NEAR] = 0.0
    return float(np.sqrt(shares @ values / shares.sum())), len(points) * element.components


def _matrices(element: Element, points: Floats, cells: NDArray[np.int64]) -> tuple[Any, Any]:
    """Return the assembled stiffness and mass."""
    kernels = kernels_of(element, ["stiffness", "scalar_mass"])
    given = {n: {p: MATERIAL[p] for p in k.parameters} for n, k in kernels.items()}
    size = element.components
    rows = (cells[:, :, None] * size + np.arange(size)).reshape(len(cells), -1)
    stiffness = kernels["stiffness"](points[cells], **given["stiffness"])
    mass = kernels["scalar_mass"](points[cells], **given["scalar_mass"])
    whole = kron(_assemble(cells, mass, len(points)), np.eye(size), format="csc")
    return _assemble(rows, stiffness, len(points) * size), whole


def _assemble(rows: NDArray[np.int64], matrices: Floats, size: int) -> Any:
    i = np.repeat(rows, rows.shape[1], axis=1).ravel()
    j = np.tile(rows, (1, rows.shape[1])).ravel()
    return csc_array((matrices.ravel(), (i, j)), shape=(size, size))


def _mesh(element: Element, divisions: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return nodes and cells, corners first and then the means of some of them."""
    builders = {
        "triangle": _ring_triangles, "quadrilateral": _ring_quadrilaterals,
        "wedge": _sphere_wedges, "tetrahedron": _sphere_tetrahedra, "hexahedron": _sphere_bricks,
    }  # fmt: skip
    directions, radii, corners = builders[element.cell](divisions)
    nodes = np.array(element.nodes, dtype=float)
    count = corners.shape[1]
    # A node is the mean of the corners whose coordinates it has the mean of: edges, faces, centre.
    shares = _shares(nodes, count)
    direction = np.einsum("nc,ecx->enx", shares, directions[corners])
    direction /= np.linalg.norm(direction, axis=2)[:, :, None]
    where = direction * np.einsum("nc,ec->en", shares, radii[corners])[:, :, None]
    flat = where.reshape(-1, where.shape[2])
    _, first, inverse = np.unique(
        np.round(flat, 9) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    return flat[first], inverse.reshape(len(corners), -1)


def _shares(nodes: Floats, count: int) -> Floats:
    """Return the corners' shares of each node."""
    shares = np.zeros((len(nodes), count))
    low, high = nodes.min(axis=0), nodes.max(axis=0)
    simplex = len(nodes) in (6, 10)
    for n, node in enumerate(nodes):
        if n < count:
            shares[n, n] = 1.0
            continue
        if simplex or len(nodes) == 15:
            pairs = [(a, b) for a, b in product(range(count), repeat=2) if a < b]
            a, b = next(p for p in pairs if np.allclose(nodes[list(p)].mean(axis=0), node))
            shares[n, [a, b]] = 0.5
            continue
        middle = np.isclose(node, (low + high) / 2)
        same = np.all(np.isclose(nodes[:count], node) | middle, axis=1)
        shares[n, same] = 1.0 / same.sum()
    return shares


def _ring_quadrilaterals(divisions: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    around = 12 * divisions
    angles = 2 * np.pi * np.arange(around) / around
    line = np.linspace(INNER, OUTER, divisions + 1)
    directions = np.tile(np.column_stack([np.cos(angles), np.sin(angles)]), (divisions + 1, 1))
    radii = np.repeat(line, around)
    cells = [
        [
            k * around + i,
            (k + 1) * around + i,
            (k + 1) * around + (i + 1) % around,
            k * around + (i + 1) % around,
        ]
        for k, i in product(range(divisions), range(around))
    ]
    return directions, radii, np.array(cells)


def _ring_triangles(divisions: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    directions, radii, quads = _ring_quadrilaterals(divisions)
    return directions, radii, np.vstack([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _icosphere(divisions: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return directions and triangles, counterclockwise from outside: every edge divided."""
    golden = (1 + np.sqrt(5)) / 2
    corners = np.array(
        [
            p
            for a, b in product((-1, 1), (-golden, golden))
            for p in ([0, a, b], [a, b, 0], [b, 0, a])
        ]
    )
    near = {
        (i, j)
        for i, j in product(range(12), repeat=2)
        if i != j and np.isclose(np.linalg.norm(corners[i] - corners[j]), 2)
    }
    faces = [
        f
        for f in product(range(12), repeat=3)
        if f[0] < min(f[1:])
        and {f[:2], f[1:], (f[0], f[2])} <= near
        and np.linalg.det(corners[list(f)]) > 0
    ]
    pieces = []
    n = divisions
    for face in faces:
        a, b, c = corners[list(face)]

        def at(i: int, j: int, a: Floats = a, b: Floats = b, c: Floats = c) -> Floats:
            return np.asarray(a + (b - a) * i / n + (c - a) * j / n)

        for i, j in product(range(n), range(n)):
            if i + j < n:
                pieces.append([at(i, j), at(i + 1, j), at(i, j + 1)])
            if i + j < n - 1:
                pieces.append([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)])
    flat = np.array(pieces).reshape(-1, 3)
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    return _merged(flat, 3)


def _merged(flat: Floats, count: int) -> tuple[Floats, NDArray[np.int64]]:
    _, first, inverse = np.unique(
        np.round(flat, 9) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    return flat[first], inverse.reshape(-1, count)


def _layers(
    directions: Floats, faces: NDArray[np.int64], divisions: int
) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """Return faces drawn out along the radius: the inner face first, then the outer one."""
    radii = np.repeat(np.linspace(INNER, OUTER, divisions + 1), len(directions))
    cells = [
        np.hstack([faces + k * len(directions), faces + (k + 1) * len(directions)])
        for k in range(divisions)
    ]
    return np.tile(directions, (divisions + 1, 1)), radii, np.vstack(cells)


def _sphere_wedges(divisions: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    return _layers(*_icosphere(2 * divisions), divisions)


def _sphere_tetrahedra(divisions: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    directions, faces = _icosphere(2 * divisions)
    # In ascending order, so that neighbours cut the faces between them along the same diagonals.
    directions, radii, wedges = _layers(directions, np.sort(faces, axis=1), divisions)
    tets = np.vstack([wedges[:, [0, 1, 2, 5]], wedges[:, [0, 1, 5, 4]], wedges[:, [0, 4, 5, 3]]])
    x = (directions * radii[:, None])[tets]
    turned = np.linalg.det(x[:, 1:] - x[:, :1]) < 0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return directions, radii, tets


def _sphere_bricks(divisions: int) -> tuple[Floats, Floats, NDArray[np.int64]]:
    n = 3 * divisions
    line = np.tan(np.linspace(-np.pi / 4, np.pi / 4, n + 1))
    pieces = []
    for axis, sign in product(range(3), (-1.0, 1.0)):
        for i, j in product(range(n), range(n)):
            square = [(i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)]
            if sign < 0:
                square = square[::-1]
            pieces.append([np.roll([sign, line[u], line[v]], axis) for u, v in square])
    flat = np.array(pieces).reshape(-1, 3)
    flat /= np.linalg.norm(flat, axis=1)[:, None]
    return _layers(*_merged(flat, 4), divisions)
