# SPDX-License-Identifier: BSD-3-Clause
"""Shells written by hand with NumPy: what the derived ones are compared with.

Fields are integrated over the volume of a shell, four points a direction; nothing here knows of
fibres or pairs of vectors. Nodal coordinates are three displacements, then three rotations, a node.
"""

from __future__ import annotations

import numpy as np
from rods import skew

VALUES = {
    "young": 7.0, "poisson": 0.3, "density": 2.5, "thickness": 0.12,
    "w1": 0.3, "w2": -0.2, "w3": 0.5, "e1": -0.1, "e2": 0.25, "e3": 0.7,
    "a_O1": 1.1, "a_O2": -2.0, "a_O3": 0.4,
}  # fmt: skip
W, E, A_O = (np.array([VALUES[f"{letter}{i}"] for i in (1, 2, 3)]) for letter in ("w", "e", "a_O"))
#: Of plane stress; of transverse shear, for a unit of area.
PLANE = VALUES["young"] / (1 - 0.09) * np.array([[1, 0.3, 0], [0.3, 1, 0], [0, 0, 0.35]])
SHEAR = 5 / 6 * VALUES["young"] / 2.6 * VALUES["thickness"]


def laminate():
    """Return the arguments of a laminate of one isotropic ply."""
    t = VALUES["thickness"]
    given = {"mass_centre": 0.0, "gyration": t / np.sqrt(12), "S11": SHEAR, "S12": 0.0,
             "S22": SHEAR, "orientation1": 0.2, "orientation2": 0.9,
             "orientation3": -0.4}  # fmt: skip
    for letter, factor in (("A", t), ("B", 0.0), ("D", t**3 / 12)):
        for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
            given[f"{letter}{'126'[i]}{'126'[j]}"] = factor * PLANE[i, j]
    return VALUES | given


def fields(name, points, thickness):
    """Yield matrix of the field, place and volume at points of the shell."""
    across, heights = np.polynomial.legendre.leggauss(4)
    at, weights = np.polynomial.legendre.leggauss(6)
    for r, u in zip(at, weights, strict=True):
        for s, v in zip(at, weights, strict=True):
            for h, share in zip(across, heights, strict=True):
                z = h * thickness / 2
                one = triangle if name.startswith("dkt3") else quadrilateral
                N, place, area = one(points, r, s, z)
                yield N, place, area * u * v * share * thickness / 2


def local_axes(points):
    """Return axes (rows) of a triangle: along the first side, across, normal."""
    first = points[1] - points[0]
    normal = np.cross(first, points[2] - points[0])
    first, normal = first / np.linalg.norm(first), normal / np.linalg.norm(normal)
    return np.array([first, np.cross(normal, first), normal])


def triangle(points, r, s, z):
    """The collapsed square as triangle; the deflection as in Zienkiewicz, The Finite Element
    Method (1977), 10.6: a plane through the corners, and cubics for the slopes relative to it.
    """
    L = np.array([(1 - r) / 2, (1 + r) * (1 - s) / 4, (1 + r) * (1 + s) / 4])
    T = local_axes(points)
    x = (points - points[0]) @ T[:2].T
    rates = np.linalg.inv(np.array([x[1] - x[0], x[2] - x[0]]))
    slopes = np.array([-rates.sum(axis=1), rates[:, 0], rates[:, 1]])  # of the L
    value, slope = np.zeros(18), np.zeros((2, 18))
    bubble = slopes.T @ np.array([L[1] * L[2], L[2] * L[0], L[0] * L[1]]) / 2
    for i in range(3):
        value[6 * i + 2] += L[i]
        slope[:, 6 * i + 2] += slopes[i]
        for j in {0, 1, 2} - {i}:
            side = x[j] - x[i]
            cubic = L[i] ** 2 * L[j] + L.prod() / 2
            change = 2 * L[i] * L[j] * slopes[i] + L[i] ** 2 * slopes[j] + bubble
            # The slope at i towards j: w,x = - r2 and w,y = r1; the plane rises by w_j - w_i.
            rise = np.zeros(18)
            rise[6 * i + 3], rise[6 * i + 4] = side[1], -side[0]
            rise[6 * i + 2] += 1
            rise[6 * j + 2] -= 1
            value += cubic * rise
            slope += np.outer(change, rise)
    field = np.zeros((3, 18))
    for i in range(3):
        field[0, 6 * i] = field[1, 6 * i + 1] = L[i]
    field[:2] -= z * slope
    field[2] = value
    turned = T.T @ field @ np.kron(np.eye(6), T)
    double = np.linalg.norm(np.cross(points[1] - points[0], points[2] - points[0]))
    return turned, L @ points + z * T[2], double * (1 + r) / 8


def quadrilateral(points, r, s, z):
    """Bilinear displacements and turns of the normals that stand on the nodes."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])

    def shape(r, s):
        return np.prod(1 + corners * [r, s], axis=1) / 4

    def tangents(r, s):
        return (corners * (1 + corners * [r, s])[:, ::-1]).T / 4 @ points

    normals = np.array([np.cross(*tangents(*corner)) for corner in corners])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    h = shape(r, s)
    field = np.hstack(
        [np.hstack([h[a] * np.eye(3), -z * h[a] * skew(normals[a])]) for a in range(4)]
    )
    return field, h @ (points + z * normals), np.linalg.norm(np.cross(*tangents(r, s)))


def integrals(name, points, thickness=VALUES["thickness"]):
    """Return every inertia term by the definition of docs/physics.md, section 2."""
    rho, w, e = VALUES["density"], skew(W), skew(E)
    blocks = {"mass": np.eye(3), "coriolis": w, "euler": e, "centrifugal": w @ w}
    found = {}
    for N, x, volume in fields(name, points, thickness):
        for term, block in blocks.items():
            found[term] = found.get(term, 0) + rho * volume * N.T @ block @ N
        for term, force in (
            ("euler_load", e @ x),
            ("centrifugal_load", w @ w @ x),
            ("translation", A_O),
        ):
            found[term] = found.get(term, 0) + rho * volume * N.T @ force
    return found
