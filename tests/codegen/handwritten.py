# SPDX-License-Identifier: BSD-3-Clause
"""Isoparametric elements written by hand, as textbooks print them: the oracle of the compiler.

Nothing here comes from flexforge. Shape functions are the printed formulas (Zienkiewicz and Taylor,
The Finite Element Method vol. 1, 5th ed., chapter 8; Hughes, The Finite Element Method, chapter 3),
their derivatives are taken by the complex step (exact to rounding), Gauss points of tensor cells
come from NumPy, those of simplices from printed tables (handwritten_rules.py), H is the inverse of
the compliance matrix. Voigt order: xx yy zz yz xz xy, plane xx yy xy.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from handwritten_rules import collapsed, quadrature

__all__ = ["NODES", "SHEARS", "Handwritten", "collapsed", "elasticity", "pressure", "quadrature",
           "shape", "shape_derivatives", "skew"]  # fmt: skip

#: Nodes in the order of the VTK file format (VTK User's Guide, figures "Linear cell types" and
#: "Non-linear cell types"), on the reference cells of flexforge.
TRIANGLE = [(0, 0), (1, 0), (0, 1)]
SQUARE = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
TETRAHEDRON = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
PYRAMID = [(*corner, 0) for corner in SQUARE] + [(0, 0, 1)]
WEDGE = [(*corner, -1) for corner in TRIANGLE] + [(*corner, 1) for corner in TRIANGLE]
CUBE = [(x, y, -1) for x, y in SQUARE] + [(x, y, 1) for x, y in SQUARE]
SQUARE_8 = [*SQUARE, (0, -1), (1, 0), (0, 1), (-1, 0)]
CUBE_20 = [*CUBE, (0, -1, -1), (1, 0, -1), (0, 1, -1), (-1, 0, -1), (0, -1, 1), (1, 0, 1),
           (0, 1, 1), (-1, 0, 1), (-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)]  # fmt: skip
NODES = {
    "line2": [(-1,), (1,)],
    "line3": [(-1,), (1,), (0,)],
    "tri3": TRIANGLE,
    "tri6": [*TRIANGLE, (0.5, 0), (0.5, 0.5), (0, 0.5)],
    "quad4": SQUARE,
    "quad8": SQUARE_8,
    "quad9": [*SQUARE_8, (0, 0)],
    "tet4": TETRAHEDRON,
    "tet10": [*TETRAHEDRON, (0.5, 0, 0), (0.5, 0.5, 0), (0, 0.5, 0), (0, 0, 0.5), (0.5, 0, 0.5),
              (0, 0.5, 0.5)],
    "pyramid5": PYRAMID,
    "wedge6": WEDGE,
    "wedge15": [*WEDGE, (0.5, 0, -1), (0.5, 0.5, -1), (0, 0.5, -1), (0.5, 0, 1), (0.5, 0.5, 1),
                (0, 0.5, 1), (0, 0, 0), (1, 0, 0), (0, 1, 0)],
    "hex8": CUBE,
    "hex20": CUBE_20,
    "hex27": [*CUBE_20, (-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1),
              (0, 0, 0)],
}  # fmt: skip
NODES = {name: np.array(nodes, dtype=float) for name, nodes in NODES.items()}
SHEARS = {2: [(0, 1)], 3: [(1, 2), (0, 2), (0, 1)]}


def shape(name: str, xi: np.ndarray) -> np.ndarray:
    """Return N (nodes,) at a point; the point may be complex."""
    dim = len(xi)
    if name in ("tri3", "tet4"):
        return np.array([1 - sum(xi), *xi])
    if name in ("tri6", "tet10"):
        area = np.array([1 - sum(xi), *xi])
        edges = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)][: 3 if dim == 2 else 6]
        return np.array([*(area * (2 * area - 1)), *(4 * area[i] * area[j] for i, j in edges)])
    if name == "pyramid5":  # Bedrosian, Int. J. Num. Meth. Eng. 35 (1992)
        x, y, z = xi
        z = z if abs(1 - z) > 1e-14 else z - 1e-100j  # at the apex: on the way along the axis
        return np.array([*((1 - z + a * x) * (1 - z + b * y) / (4 * (1 - z)) for a, b in SQUARE),
                         z])  # fmt: skip
    if name == "wedge6":
        area, z = [1 - xi[0] - xi[1], xi[0], xi[1]], xi[2]
        return np.array([a * (1 + s * z) / 2 for s in (-1, 1) for a in area])
    if name == "wedge15":  # Zienkiewicz and Taylor vol. 1, section 8.14
        area, z = [1 - xi[0] - xi[1], xi[0], xi[1]], xi[2]
        flat = [(0, 1), (1, 2), (2, 0)]
        corners = [a * ((2 * a - 1) * (1 + s * z) - (1 - z * z)) / 2 for s in (-1, 1) for a in area]
        edges = [2 * area[i] * area[j] * (1 + s * z) for s in (-1, 1) for i, j in flat]
        return np.array([*corners, *edges, *(a * (1 - z * z) for a in area)])
    if name in ("line2", "quad4", "hex8"):
        return np.array(
            [
                np.prod([1 + x * a for x, a in zip(xi, node, strict=True)]) / 2**dim
                for node in NODES[name]
            ]
        )
    if name == "line3":
        return np.array([xi[0] * (xi[0] - 1) / 2, xi[0] * (xi[0] + 1) / 2, 1 - xi[0] ** 2])
    if name in ("quad9", "hex27"):  # products of the Lagrange polynomials of line3
        return np.array(
            [
                np.prod(
                    [
                        1 - x * x if a == 0 else x * (x + a) / 2
                        for x, a in zip(xi, node, strict=True)
                    ]
                )
                for node in NODES[name]
            ]
        )
    values = []
    for node in NODES[name]:  # serendipity
        factors = [1 + x * a for x, a in zip(xi, node, strict=True)]
        if np.all(node != 0):
            along = sum(x * a for x, a in zip(xi, node, strict=True))
            values.append(np.prod(factors) * (along - dim + 1) / 2**dim)
        else:
            middle = next(i for i in range(dim) if node[i] == 0)
            others = np.prod([factors[i] for i in range(dim) if i != middle])
            values.append((1 - xi[middle] ** 2) * others / 2 ** (dim - 1))
    return np.array(values)


def shape_derivatives(name: str, xi: np.ndarray) -> np.ndarray:
    """Return dN/dxi (nodes, dim) by the complex step (Squire and Trapp, SIAM Review 40, 1998)."""
    step = 1e-30
    columns = []
    for j in range(len(xi)):
        point = np.array(xi, dtype=complex)
        point[j] += 1j * step
        columns.append(shape(name, point).imag / step)
    return np.array(columns).T


def elasticity(hypothesis: str, young: float, poisson: float) -> np.ndarray:
    """Return H as the inverse of the compliance matrix."""
    compliance = np.diag([1 / young] * 3 + [2 * (1 + poisson) / young] * 3)
    compliance[:3, :3] -= poisson / young * (1 - np.eye(3))
    if hypothesis == "plane_stress":  # the stresses that are not zero are xx, yy, xy
        return np.linalg.inv(compliance[np.ix_([0, 1, 5], [0, 1, 5])])
    full = np.linalg.inv(compliance)
    return full[np.ix_([0, 1, 5], [0, 1, 5])] if hypothesis == "plane_strain" else full


def skew(vector: np.ndarray, dim: int) -> np.ndarray:
    """Return the matrix of ``vector x``; in the plane of a rotation about the normal."""
    if dim == 2:
        return np.array([[0, -vector[0]], [vector[0], 0]])
    return np.array([np.cross(vector, axis) for axis in np.eye(3)]).T


class Handwritten:
    """All terms of one element at given nodes.

    Parameters
    ----------
    name : str
        Cell, e.g. ``quad8``.
    hypothesis : str
        ``plane_stress``, ``plane_strain`` or empty.
    coordinates : ndarray (nodes, dim)
        Undeformed positions.
    rules : callable, optional
        Name and purpose to points and weights.
    """

    def __init__(
        self,
        name,
        hypothesis,
        coordinates,
        young,
        poisson,
        density,
        thickness=1.0,
        rules=quadrature,
    ):
        self.name, self.X = name, np.asarray(coordinates, dtype=float)
        self.nodes, self.dim = self.X.shape
        self.H = elasticity(hypothesis, young, poisson)
        self.density, self.thickness, self.rules = density, thickness, rules

    def points(self, purpose):
        """Yield N, grad N and the volume element of every quadrature point."""
        for xi, weight in zip(*self.rules(self.name, purpose), strict=True):
            derivatives = shape_derivatives(self.name, xi)
            jacobian = self.X.T @ derivatives
            gradient = derivatives @ np.linalg.inv(jacobian)
            volume = weight * np.linalg.det(jacobian) * self.thickness
            yield shape(self.name, xi), gradient, volume

    def strain_matrix(self, gradient):
        """Return B (strains, nodes * dim)."""
        rows = self.dim + len(SHEARS[self.dim])
        B = np.zeros((rows, self.nodes, self.dim))
        for i in range(self.dim):
            B[i, :, i] = gradient[:, i]
        for row, (i, j) in enumerate(SHEARS[self.dim], start=self.dim):
            B[row, :, i] = gradient[:, j]
            B[row, :, j] = gradient[:, i]
        return B.reshape(rows, -1)

    def stiffness(self):
        return sum(
            dV * self.strain_matrix(G).T @ self.H @ self.strain_matrix(G)
            for _, G, dV in self.points("stiffness")
        )

    def inertia(self, block):
        """Return int rho N^T block N."""
        total = 0
        for N, _, dV in self.points("mass"):
            full = np.kron(N, np.eye(self.dim))  # dim x nodes*dim
            total = total + self.density * dV * full.T @ block @ full
        return total

    def load(self, force):
        """Return int N^T force(x)."""
        total = 0
        for N, _, dV in self.points("mass"):
            total = total + dV * np.outer(N, force(N @ self.X))
        return total

    def stresses(self, state):
        """Return sigma (points, strains) of the displacements (nodes, dim)."""
        return np.array(
            [
                self.H @ self.strain_matrix(G) @ np.ravel(state)
                for _, G, _ in self.points("stiffness")
            ]
        )

    def geometric(self, state):
        """Return the scalar matrix int grad N_a . sigma grad N_b."""
        total = 0
        for (_, G, dV), voigt in zip(self.points("stiffness"), self.stresses(state), strict=True):
            sigma = np.diag(voigt[: self.dim]).astype(float)
            for value, (i, j) in zip(voigt[self.dim :], SHEARS[self.dim], strict=True):
                sigma[i, j] = sigma[j, i] = value
            total = total + dV * G @ sigma @ G.T
        return total

    def nodal_stresses(self, state):
        """Return the stresses of the points, fitted by least squares and taken at the nodes."""
        points, _ = self.rules(self.name, "stiffness")
        fit = {
            "tri3": _constant,
            "tet4": _constant,
            "tri6": _linear,
            "tet10": _linear,
            "pyramid5": _constant,
            "wedge6": _prismatic,
            "wedge15": _prismatic,
        }.get(self.name, _multilinear)
        at_points = np.array([fit(p) for p in points])
        at_nodes = np.array([fit(p) for p in NODES[self.name]])
        return at_nodes @ np.linalg.lstsq(at_points, self.stresses(state), rcond=None)[0]


def _constant(xi):
    return [1.0]


def _linear(xi):
    return [1.0, *xi]


def _prismatic(xi):
    return [1.0, xi[0], xi[1], xi[2], xi[0] * xi[2], xi[1] * xi[2]]


def _multilinear(xi):
    return [
        np.prod([x**k for x, k in zip(xi, powers, strict=True)])
        for powers in product((0, 1), repeat=len(xi))
    ]


def pressure(name, coordinates, value, thickness=1.0):
    """Return ``- int N^T p n dA`` on a facet: outward normal x_xi cross x_eta, or (t_y, -t_x)."""
    X = np.asarray(coordinates, dtype=float)
    total = np.zeros(X.shape)
    for xi, weight in zip(*quadrature(name, "mass"), strict=True):
        tangents = X.T @ shape_derivatives(name, xi)
        if X.shape[1] == 2:
            normal = thickness * np.array([tangents[1, 0], -tangents[0, 0]])
        else:
            normal = np.cross(tangents[:, 0], tangents[:, 1])
        total -= weight * value * np.outer(shape(name, xi), normal)
    return total
