# SPDX-License-Identifier: BSD-3-Clause
"""Anisotropic elasticity: stiffness from constants, rotation, reduction to the plane.

Matrices of solids are 6 x 6 in Voigt order xx yy zz yz xz xy with engineering shear strains, the
order of the laws in ``flexforge.codegen.elements.constitutive``. Indices into it select the plane.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats

VOIGT = ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))
_PLACE = np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])
_SHEAR = np.array([1.0, 1, 1, 2, 2, 2])
#: Strains of the law by hypothesis; in a body of revolution x is r, y the axis and z the hoop.
STRAINS = {
    "": (0, 1, 2, 3, 4, 5),
    "plane_stress": (0, 1, 5),
    "plane_strain": (0, 1, 5),
    "axisymmetric": (0, 1, 5, 2),
}


@dataclass(frozen=True, slots=True)
class ReducedLaw:
    """The constitutive law of a material under a hypothesis.

    Attributes
    ----------
    stiffness : ndarray, (k, k)
        H of its law, Pa.
    expansion : ndarray, (k,)
        Free strains of the law for 1 K, 1/K.
    spread : ndarray, (6, k)
        Transformation from the stresses of the law to all stresses in Voigt order.
    held : ndarray, (6,)
        Their additional part for 1 K, Pa/K, from out-of-plane strain that is held.
    """

    stiffness: Floats
    expansion: Floats
    spread: Floats
    held: Floats


def isotropic(young: float, poisson: float) -> Floats:
    """Return the stiffness of an isotropic material, (6, 6), Pa."""
    shear = young / (2 * (1 + poisson))
    stiffness = np.diag([2 * shear] * 3 + [shear] * 3)
    stiffness[:3, :3] += young * poisson / ((1 + poisson) * (1 - 2 * poisson))
    return stiffness


def orthotropic(young: Sequence[float], poisson: Sequence[float], shear: Sequence[float]) -> Floats:
    """Return the stiffness of an orthotropic material in its own axes, (6, 6), Pa.

    Parameters
    ----------
    young : sequence of float
        E1, E2, E3, Pa.
    poisson : sequence of float
        nu12, nu13, nu23; ``nu12`` is the contraction along 2 under a stress along 1, so that
        ``nu12 / E1 = nu21 / E2``.
    shear : sequence of float
        G12, G13, G23, Pa.

    Raises
    ------
    InputError
        When the material is not stable: the constant that is to blame, and its bound.
    """
    compliance = np.diag(1 / np.array([*young, shear[2], shear[1], shear[0]]))
    for (i, j), ratio in zip(((0, 1), (0, 2), (1, 2)), poisson, strict=True):
        bound = (young[i] / young[j]) ** 0.5
        if abs(ratio) >= bound:
            name = f"nu{i + 1}{j + 1}"
            raise InputError(
                f"not positive definite: found {name} = {ratio:g}; expected less than "
                f"sqrt(E{i + 1}/E{j + 1}) = {bound:.6g} in magnitude"
            )
        compliance[i, j] = compliance[j, i] = -ratio / young[i]
    normal = compliance[:3, :3] * np.sqrt(np.outer(young, young))
    if np.linalg.det(normal) <= 0:
        found = ", ".join(f"{ratio:g}" for ratio in poisson)
        raise InputError(
            f"not positive definite: found nu12, nu13, nu23 = {found}, too large together; "
            "expected 1 - nu12 nu21 - nu13 nu31 - nu23 nu32 - 2 nu12 nu23 nu31 above 0"
        )
    return np.asarray(np.linalg.inv(compliance))


#: Energy of a strain of a semidefinite law that counts as none, of the largest.
_NONE = 1e-12


def anisotropic(constants: Sequence[float], *, semidefinite: bool = False) -> Floats:
    """Return the stiffness from 21 constants, (6, 6), Pa: C11 C12 .. C16 C22 .. C66.

    Parameters
    ----------
    constants : sequence of float
        The constants.
    semidefinite : bool
        Whether some strains may store no energy.

    Raises
    ------
    InputError
        When it is not positive definite, naming the first constant on the diagonal that is too
        small; of a law that may be semidefinite, when strains would set energy free.
    """
    stiffness = np.zeros((6, 6))
    stiffness[np.triu_indices(6)] = constants
    stiffness = np.triu(stiffness) + np.triu(stiffness, 1).T
    if semidefinite:
        energies = np.linalg.eigvalsh(stiffness)
        if not energies[0] >= -_NONE * energies[-1] or not energies[-1] > 0.0:
            raise InputError(
                f"found eigenvalues from {energies[0]:.6g} to {energies[-1]:.6g}; expected none "
                "below 0, and one above"
            )
        return stiffness
    for size in range(1, 7):
        rest = stiffness[size - 1, size - 1]
        if size > 1:
            above = stiffness[: size - 1, size - 1]
            rest = rest - above @ np.linalg.solve(stiffness[: size - 1, : size - 1], above)
        if rest <= 1e-14 * abs(stiffness[size - 1, size - 1]):
            given = stiffness[size - 1, size - 1]
            raise InputError(
                f"not positive definite: found C{size}{size} = {given:g}; expected more than "
                f"{given - rest:.6g}, as the preceding constants require"
            )
    return stiffness


def rotate(stiffness: Floats, axes: Floats) -> Floats:
    """Return the stiffness in axes of the frame.

    Parameters
    ----------
    stiffness : ndarray, (6, 6)
        In material axes, Pa.
    axes : ndarray, (3, 3)
        Rows are the material axes in components of the frame.
    """
    full = stiffness[np.ix_(_PLACE.ravel(), _PLACE.ravel())].reshape(3, 3, 3, 3)
    turned = np.einsum("pi,qj,rk,sl,pqrs->ijkl", axes, axes, axes, axes, full, optimize=True)
    rows = tuple(np.array(VOIGT).T)
    return np.asarray(turned[rows[0], rows[1]][:, rows[0], rows[1]])


def expansion_strain(coefficients: Sequence[float], axes: Floats) -> Floats:
    """Return the strain for 1 K, (6,), 1/K, from coefficients along the material axes."""
    tensor = axes.T @ np.diag(coefficients) @ axes
    strain: Floats = np.array([tensor[i, j] for i, j in VOIGT]) * _SHEAR
    return strain


def reduce(stiffness: Floats, expansion: Floats, hypothesis: str) -> ReducedLaw:
    """Return the law of a material under a hypothesis.

    In plane stress the compliance is reduced, so out-of-plane stresses are zero; in plane strain
    and in a body of revolution the out-of-plane displacement is zero, and the stresses that this
    requires follow from those of the law.

    Parameters
    ----------
    stiffness : ndarray, (6, 6)
        In axes of the frame, Pa.
    expansion : ndarray, (6,)
        Free strains for 1 K, 1/K.
    hypothesis : str
        A key of :data:`STRAINS`; empty for a solid.
    """
    kept = list(STRAINS[hypothesis])
    out = [k for k in range(6) if k not in kept]
    spread, held = np.zeros((6, len(kept))), np.zeros(6)
    spread[kept, range(len(kept))] = 1.0
    if hypothesis == "plane_stress":
        inner = np.linalg.inv(np.linalg.inv(stiffness)[np.ix_(kept, kept)])
        return ReducedLaw(0.5 * (inner + inner.T), expansion[kept], spread, held)
    inner = stiffness[np.ix_(kept, kept)]
    if not out:
        return ReducedLaw(inner, expansion, spread, held)
    coupling, across = stiffness[np.ix_(out, kept)], stiffness[np.ix_(out, out)]
    spread[out] = np.linalg.solve(inner, coupling.T).T
    held[out] = (spread[out] @ coupling.T - across) @ expansion[out]
    free = expansion[kept] + np.linalg.solve(inner, coupling.T @ expansion[out])
    return ReducedLaw(inner, free, spread, held)


def axes_of_vectors(first: Sequence[float], second: Sequence[float]) -> Floats:
    """Return the material axes, one per row: 1 along the first vector, 2 in the plane of both.

    Raises
    ------
    InputError
        For parallel vectors.
    """
    one, two = np.array(first, dtype=float), np.array(second, dtype=float)
    normal = np.cross(one, two)
    if np.linalg.norm(normal) <= 1e-9 * np.linalg.norm(one) * np.linalg.norm(two):
        raise InputError(
            f"found the parallel vectors {list(first)} and {list(second)}; expected two directions"
        )
    one, normal = one / np.linalg.norm(one), normal / np.linalg.norm(normal)
    return np.array([one, np.cross(normal, one), normal])


def axes_of_angle(axis: Sequence[float], angle: float) -> Floats:
    """Return the axes of the frame rotated about an axis, one per row (Rodrigues' formula).

    Raises
    ------
    InputError
        For an axis of length zero.
    """
    given = np.array(axis, dtype=float)
    size = np.linalg.norm(given)
    if size == 0:
        raise InputError("found an axis of length 0; expected a direction")
    n = given / size
    cross = np.array([[0, -n[2], n[1]], [n[2], 0, -n[0]], [-n[1], n[0], 0]])
    turn = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return np.asarray(turn.T)
