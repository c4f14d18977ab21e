# SPDX-License-Identifier: BSD-3-Clause
"""The answers to the problems, by NumPy, point by point, from the published data alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def matrices(data: dict[str, Any], problem: str) -> Floats:
    """Return the matrices of a problem, also of one that asks for their products: (m, n, n).

    Parameters
    ----------
    data : dict
        The published numbers of a cell.
    problem : str
        A problem other than ``neo_hookean_residual``.
    """
    size = data["dimension"] * len(data["nodes"])
    kind = problem.removesuffix("_action")
    if kind == "neo_hookean_tangent":
        _, found = neo_hookean(data)
        return found.reshape(1, size, size)
    shared, unit = _products(data), np.eye(data["dimension"])
    w, e = _turning(data, "w"), _turning(data, "e")
    # Row and column are node after node, its components within: a product of Kronecker.
    inertia = [np.kron(shared, part) for part in (unit, w, e, w @ w)]
    match kind:
        case "mass":
            return np.array(inertia[:1])
        case "stiffness":
            return np.array([_stiffness(data)])
        case "moving_frame":
            return np.array([_stiffness(data), *inertia])
        case _:
            raise ValueError(f"problem {problem}: found a residual; expected one with matrices")


def expected(data: dict[str, Any], problem: str) -> Floats:
    """Return the expected numbers of a problem: (1 or matrices, n)."""
    vectors = {name: np.array(values).ravel() for name, values in data["vectors"].items()}
    if problem == "neo_hookean_residual":
        return neo_hookean(data)[0].reshape(1, -1)
    found = matrices(data, problem)
    if problem == "moving_frame_action":
        stiffness, mass, coriolis, euler, centrifugal = found
        result = mass @ vectors["acceleration"] + 2.0 * coriolis @ vectors["velocity"]
        return (result + (stiffness + euler + centrifugal) @ vectors["displacement"])[None]
    linear = problem in ("stiffness_action", "mass_action")
    return np.asarray(found @ vectors["displacement" if linear else "vector"])


def neo_hookean(data: dict[str, Any]) -> tuple[Floats, Floats]:
    """Return forces (nodes, d) and tangent (nodes, d, nodes, d) of the neo-Hookean energy."""
    lame, mu = data["parameters"]["lame"], data["parameters"]["mu"]
    displacement, unit = np.array(data["vectors"]["displacement"]), np.eye(data["dimension"])
    nodes = len(displacement)
    forces = np.zeros((nodes, len(unit)))
    tangent = np.zeros((nodes, len(unit)) * 2)
    for _, gradient, volume in points(data, "stiffness"):
        deformation = unit + displacement.T @ gradient
        inverse = np.linalg.inv(deformation).T
        log = np.log(np.linalg.det(deformation))
        stress = mu * (deformation - inverse) + lame * log * inverse
        # dP_iJ/dF_kL; the derivative of F^-T_iJ is -F^-T_iL F^-T_kJ.
        modulus = mu * np.einsum("ik,JL->iJkL", unit, unit)
        modulus += lame * np.einsum("iJ,kL->iJkL", inverse, inverse)
        modulus += (mu - lame * log) * np.einsum("iL,kJ->iJkL", inverse, inverse)
        forces += volume * gradient @ stress.T
        tangent += volume * np.einsum("aJ,iJkL,bL->aibk", gradient, modulus, gradient)
    return forces, tangent


def _stiffness(data: dict[str, Any]) -> Floats:
    young, poisson = data["parameters"]["young"], data["parameters"]["poisson"]
    lame = young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    shear = young / (2 * (1 + poisson))
    d, nodes = data["dimension"], len(data["nodes"])
    found = np.zeros((nodes, d, nodes, d))
    for _, gradient, volume in points(data, "stiffness"):
        found += volume * lame * np.einsum("ai,bj->aibj", gradient, gradient)
        found += volume * shear * np.einsum("aj,bi->aibj", gradient, gradient)
        found += volume * shear * np.einsum("ij,ak,bk->aibj", np.eye(d), gradient, gradient)
    return found.reshape(nodes * d, nodes * d)


def _products(data: dict[str, Any]) -> Floats:
    """Return the integrals of density N_a N_b."""
    found = sum(volume * np.outer(shape, shape) for shape, _, volume in points(data, "mass"))
    return np.asarray(data["parameters"]["density"] * found)


def _turning(data: dict[str, Any], name: str) -> Floats:
    """Return the matrix of the cross product with a vector."""
    x, y, z = (data["parameters"].get(f"{name}{i}", 0.0) for i in (1, 2, 3))
    whole = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return whole[: data["dimension"], : data["dimension"]]


def points(data: dict[str, Any], part: str) -> list[tuple[Floats, Floats, float]]:
    """Return shape functions, their gradients and the volume of every quadrature point."""
    X, rule = np.array(data["coordinates"]), data["quadrature"][part]
    values, _ = _monomials(data, data["nodes"])
    coefficients = np.linalg.inv(values)
    shapes, slopes = (part @ coefficients for part in _monomials(data, rule["points"]))
    found = []
    for shape, slope, weight in zip(shapes, slopes, rule["weights"], strict=True):
        jacobian = slope @ X  # dX_i/dxi_j, row by row of j
        volume = weight * np.linalg.det(jacobian) * data["parameters"].get("thickness", 1.0)
        found.append((shape, np.linalg.solve(jacobian, slope).T, volume))
    return found


def _monomials(data: dict[str, Any], points: Any) -> tuple[Floats, Floats]:
    """Return the monomials (points, m) and their slopes (points, d, m)."""
    d, powers = data["dimension"], np.array(data["monomials"], dtype=float)
    x = np.array(points, dtype=float)
    if powers.shape[1] > d:
        x = np.column_stack([x, 1.0 - x[:, -1]])
    x = x[:, None, :]
    # At the apex of a pyramid xi eta / (1 - zeta) is 0, its limit along the axis.
    poles = ((x == 0.0) & (powers < 0)).any(axis=2)
    safe = np.where((x == 0.0) & (powers < 0), 1.0, x)
    values = np.where(poles, 0.0, (safe**powers).prod(axis=2))
    columns = []
    for axis in range(powers.shape[1]):
        lowered = powers.copy()
        lowered[:, axis] -= powers[:, axis] != 0
        columns.append(powers[:, axis] * (safe**lowered).prod(axis=2))
    if len(columns) > d:
        columns[d - 1] = columns[d - 1] - columns.pop()
    return values, np.stack(columns, axis=1)
