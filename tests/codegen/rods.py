# SPDX-License-Identifier: BSD-3-Clause
"""Bars and beams written by hand with NumPy: what the derived ones are compared with.

Fields are integrated over the volume of a rod of rectangular section, three points a direction;
nothing here knows of radii of gyration, fibres or pairs of vectors.
"""

from __future__ import annotations

import numpy as np

WIDTH, HEIGHT = 0.3, 0.2  # along y and along z
AREA, INERTIA_Y, INERTIA_Z = WIDTH * HEIGHT, WIDTH * HEIGHT**3 / 12, HEIGHT * WIDTH**3 / 12
VALUES = {
    "young": 7.0, "poisson": 0.3, "density": 2.5, "area": AREA, "inertia_y": INERTIA_Y,
    "inertia_z": INERTIA_Z, "torsion": 0.9e-3, "shear_y": 0.83, "shear_z": 0.7,
    "offset_y": 0.0, "offset_z": 0.0,
    "orientation1": 0.3, "orientation2": -0.5, "orientation3": 0.8,
    "w1": 0.3, "w2": -0.2, "w3": 0.5, "e1": -0.1, "e2": 0.25, "e3": 0.7,
    "a_O1": 1.1, "a_O2": -2.0, "a_O3": 0.4, "f1": 0.2, "f2": -0.6, "f3": 1.5,
}  # fmt: skip


def skew(v):
    """Return the matrix of ``v x .``; of one number in the plane, that times J."""
    if len(v) == 1:
        return v[0] * np.array([[0.0, -1.0], [1.0, 0.0]])
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def vector(name, size, scalar=True):
    """Return a vector of the values; in the plane w and e are their third components."""
    numbers = (3,) if size == 2 and scalar else range(1, size + 1)
    return np.array([VALUES[f"{name}{i}"] for i in numbers])


def axes(points):
    """Return length and axes (rows): y lies in the plane of the axis and the orientation."""
    span = points[1] - points[0]
    length = np.linalg.norm(span)
    x = span / length
    if len(span) == 2:
        return length, np.array([x, [-x[1], x[0]]])
    z = np.cross(x, vector("orientation", 3))
    z /= np.linalg.norm(z)
    return length, np.array([x, np.cross(z, x), z])


def softness(length, shear):
    """Return 12 E I / (kappa G A L^2) for deflection along y and along z."""
    if not shear:
        return 0.0, 0.0
    modulus = VALUES["young"] / (2 * (1 + VALUES["poisson"]))
    return tuple(
        12 * VALUES["young"] * moment / (VALUES[f"shear_{d}"] * modulus * AREA * length**2)
        for d, moment in (("y", INERTIA_Z), ("z", INERTIA_Y))
    )


def bending(s, length, phi):
    """Return deflection and turn for unit v1, t1, v2, t2 at x = s L.

    Friedman and Kosmatka, Computers and Structures 47 (1993), equations 10 and 11.
    """
    f = 1 / (1 + phi)
    deflection = f * np.array([
        2 * s**3 - 3 * s**2 - phi * s + 1 + phi,
        length * (s**3 - (2 + phi / 2) * s**2 + (1 + phi / 2) * s),
        -(2 * s**3 - 3 * s**2 - phi * s),
        length * (s**3 - (1 - phi / 2) * s**2 - phi / 2 * s),
    ])  # fmt: skip
    turn = f * np.array([
        6 / length * (s**2 - s), 3 * s**2 - (4 + phi) * s + 1 + phi,
        -6 / length * (s**2 - s), 3 * s**2 - (2 - phi) * s,
    ])  # fmt: skip
    return deflection, turn


def field(s, y, z, length, size, shear):
    """Return N of a beam in local axes: rows u, columns of both ends."""
    phi_y, phi_z = softness(length, shear)
    v, turn = bending(s, length, phi_y)
    per_node = 4 if size == 2 else 6
    N = np.zeros((size, 2 * per_node))
    ends = np.array([1 - s, s])
    about = 2 if size == 2 else 5
    bend = [1, about, per_node + 1, per_node + about]
    N[0, [0, per_node]] = ends
    N[1, bend] = v
    N[0, bend] -= y * turn
    if size == 3:
        w, slope = bending(s, length, phi_z)
        down = [2, 4, 8, 10]
        signs = np.array([1, -1, 1, -1])  # a rotation about y lowers what lies ahead
        N[2, down] = signs * w
        N[0, down] -= z * signs * slope
        N[1, [3, 9]] -= z * ends
        N[2, [3, 9]] += y * ends
    return N


def turned(E, nodes):
    """Return the matrix from nodal coordinates in the frame to local ones."""
    size = len(E)
    blocks = [E, E if size == 3 else np.eye(2)] * nodes
    T = np.zeros((2 * nodes * size, 2 * nodes * size))
    for k, block in enumerate(blocks):
        T[k * size : (k + 1) * size, k * size : (k + 1) * size] = block
    return T


def integrals(points, shear):
    """Return the inertia terms of a beam by integration over its volume."""
    size = points.shape[1]
    length, E = axes(points)
    T = turned(E, 2)
    w, e = skew(vector("w", size)), skew(vector("e", size))
    a, f = vector("a_O", size, scalar=False), vector("f", size, scalar=False)
    along, along_weight = np.polynomial.legendre.leggauss(4)
    across, across_weight = np.polynomial.legendre.leggauss(3)
    found = dict.fromkeys(("mass", "coriolis", "euler", "centrifugal"), 0.0)
    found |= dict.fromkeys(("euler_load", "centrifugal_load", "translation", "body_load"), 0.0)
    heights = zip(across, across_weight, strict=True) if size == 3 else [(0.0, 2.0)]
    for zeta, wz in list(heights):
        for eta, wy in zip(across, across_weight, strict=True):
            for xi, wx in zip(along, along_weight, strict=True):
                s, y, z = (1 + xi) / 2, eta * WIDTH / 2, zeta * HEIGHT / 2
                N = E.T @ field(s, y, z, length, size, shear) @ T
                x = points[0] + s * (points[1] - points[0]) + y * E[1]
                if size == 3:
                    x = x + z * E[2]
                volume = wx * wy * wz * length * AREA / 8
                rho = VALUES["density"] * volume
                found["mass"] += rho * N.T @ N
                found["coriolis"] += rho * N.T @ w @ N
                found["euler"] += rho * N.T @ e @ N
                found["centrifugal"] += rho * N.T @ w @ w @ N
                found["euler_load"] += rho * N.T @ e @ x
                found["centrifugal_load"] += rho * N.T @ w @ w @ x
                found["translation"] += rho * N.T @ a
                found["body_load"] += volume * N.T @ f
    return found


def section(points, shear, motion=("w", "e")):
    """Return the geometric stiffness by inertia forces in the section, integrated over the volume.

    ``int sigma_ij (u_,i . u_,j)`` with ``sigma = - rho sym(x (B x))``, ``B = e~ + w~ w~``, x from
    the axis across the rod alone; fields are linear there, so that differences are derivatives.
    """
    size = points.shape[1]
    length, E = axes(points)
    T = turned(E, 2)
    w, e = (skew(vector(name, size)) * (name in motion) for name in "we")
    block = E @ (e + w @ w) @ E.T
    along, along_weight = np.polynomial.legendre.leggauss(4)
    across, across_weight = np.polynomial.legendre.leggauss(3)
    unit, lateral = np.eye(size)[1:], range(size - 1)
    heights = zip(across, across_weight, strict=True) if size == 3 else [(0.0, 2.0)]
    found = np.zeros((len(T), len(T)))
    for zeta, wz in list(heights):
        for eta, wy in zip(across, across_weight, strict=True):
            for xi, wx in zip(along, along_weight, strict=True):
                place = np.array([eta * WIDTH / 2, zeta * HEIGHT / 2])[: size - 1]
                force = unit @ block @ unit.T @ place
                rates = [
                    (
                        field((1 + xi) / 2, *np.eye(2)[i], length, size, shear)
                        - field((1 + xi) / 2, 0.0, 0.0, length, size, shear)
                    )
                    @ T
                    for i in lateral
                ]
                rho = VALUES["density"] * wx * wy * wz * length * AREA / 8
                for i in lateral:
                    for j in lateral:
                        stress = -(place[i] * force[j] + place[j] * force[i]) / 2
                        found += rho * stress * rates[i].T @ rates[j]
    return found


def stiffness(points, shear):
    """Return the stiffness matrix of a beam (Przemieniecki 1968, equation 5.116)."""
    size = points.shape[1]
    length, E = axes(points)
    T, young = turned(E, 2), VALUES["young"]
    per_node = 4 if size == 2 else 6
    k = np.zeros((2 * per_node, 2 * per_node))

    def rod(i, value):
        for a, b, sign in ((0, 0, 1), (0, 1, -1), (1, 0, -1), (1, 1, 1)):
            k[i + a * per_node, i + b * per_node] += sign * value

    def bend(places, moment, phi, sign):
        c = young * moment / ((1 + phi) * length**3)
        block = c * np.array([
            [12, 6 * length, -12, 6 * length],
            [6 * length, (4 + phi) * length**2, -6 * length, (2 - phi) * length**2],
            [-12, -6 * length, 12, -6 * length],
            [6 * length, (2 - phi) * length**2, -6 * length, (4 + phi) * length**2],
        ])  # fmt: skip
        signs = np.array([1, sign, 1, sign])
        k[np.ix_(places, places)] += block * np.outer(signs, signs)

    phi_y, phi_z = softness(length, shear)
    rod(0, young * AREA / length)
    about = 2 if size == 2 else 5
    bend([1, about, per_node + 1, per_node + about], INERTIA_Z, phi_y, 1)
    if size == 3:
        rod(3, young / (2 * (1 + VALUES["poisson"])) * VALUES["torsion"] / length)
        bend([2, 4, 8, 10], INERTIA_Y, phi_z, -1)
    return T.T @ k @ T
