# SPDX-License-Identifier: BSD-3-Clause
"""Laminates: from plies to the stiffness, the mass and the inertia of a plate or shell.

Classical lamination theory: ``(n, m) = [[A, B], [B, D]] (eps_0, kappa)`` with the strains of the
reference surface and its curvatures in the order 1, 2, 6 (Jones, Mechanics of Composite Materials,
section 4.2). The transverse shear stiffness follows from the shear stresses in equilibrium with
bending in each of the two directions separately.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime import elasticity
from flexforge.runtime.arrays import Floats
from flexforge.runtime.model.schema_material import MaterialSpec

_PLANE, _ACROSS = [0, 1, 5], [4, 3]  # xx yy xy, and xz yz


@dataclass(frozen=True, slots=True)
class Ply:
    """A layer of a laminate.

    Attributes
    ----------
    thickness : float
        Thickness, m.
    angle : float
        Angle from axis 1 of the laminate to that of the ply, about its normal, rad.
    stiffness : ndarray, (6, 6)
        Stiffness in the ply's axes, Pa, order xx yy zz yz xz xy, as in
        :mod:`flexforge.runtime.elasticity`; axis 3 is the normal.
    density : float
        kg/m^3.
    expansion : tuple of float
        Thermal expansion along its axes 1, 2, 3, 1/K.
    """

    thickness: float
    angle: float
    stiffness: Floats
    density: float
    expansion: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @classmethod
    def of(cls, material: MaterialSpec, thickness: float, angle: float) -> Ply:
        """Return a ply of a material of the model."""
        stiffness, expansion = material.own_stiffness(), material.expansion or (0.0, 0.0, 0.0)
        return cls(thickness, angle, stiffness, material.mass_density, expansion)


@dataclass(frozen=True, slots=True)
class Laminate:
    """Properties of the laminate per unit area.

    Attributes
    ----------
    A, B, D : ndarray, (3, 3)
        Membrane, coupling and bending stiffness, N/m, N, N m.
    shear : ndarray, (2, 2)
        Transverse shear stiffness, in the order 13, 23, N/m.
    thickness : float
        m.
    mass : float
        kg/m^2.
    mass_centre : float
        Distance of the centre of mass from the reference surface, along the normal, m.
    gyration : float
        Radius of gyration of the mass about its centre, m.
    expansion : ndarray, (6,)
        Free strains of the reference surface and curvatures for a temperature change of 1 K, 1/K
        and 1/(m K).
    """

    A: Floats
    B: Floats
    D: Floats
    shear: Floats
    thickness: float
    mass: float
    mass_centre: float
    gyration: float
    expansion: Floats

    @property
    def values(self) -> dict[str, float]:
        """Properties as kernel arguments by name; ``density`` is the mean."""
        pairs = {"11": (0, 0), "12": (0, 1), "16": (0, 2), "22": (1, 1), "26": (1, 2), "66": (2, 2)}
        found = {
            f"{name}{key}": float(matrix[place])
            for name, matrix in (("A", self.A), ("B", self.B), ("D", self.D))
            for key, place in pairs.items()
        }
        for key, place in {"11": (0, 0), "12": (0, 1), "22": (1, 1)}.items():
            found[f"S{key}"] = float(self.shear[place])
        return found | {
            "thickness": self.thickness,
            "mass_centre": self.mass_centre,
            "gyration": self.gyration,
            "density": self.mass / self.thickness,
        }


def laminate(plies: Sequence[Ply], offset: float = 0.0) -> Laminate:
    """Return the properties of a stack of plies.

    Parameters
    ----------
    plies : sequence of Ply
        From the lower side to the upper one, along the normal.
    offset : float
        Distance of the middle of the stack from the reference surface, m.

    Returns
    -------
    Laminate

    Raises
    ------
    InputError
        For no plies, or a thickness or density that is not positive.
    """
    if not plies:
        raise InputError("laminate: found no plies; expected at least one")
    for number, ply in enumerate(plies):
        for key in ("thickness", "density"):
            if not getattr(ply, key) > 0:
                raise InputError(
                    f"laminate: plies[{number}].{key}: found {getattr(ply, key):g}; expected a "
                    "number above 0"
                )
    whole = sum(ply.thickness for ply in plies)
    planes = np.cumsum([offset - whole / 2, *(ply.thickness for ply in plies)])
    turned = [_turned(ply) for ply in plies]
    reduced = [np.linalg.inv(np.linalg.inv(c)[np.ix_(_PLANE, _PLANE)]) for c in turned]
    moments = [np.diff(planes**k) / k for k in (1, 2, 3)]
    A, B, D = (np.tensordot(m, np.array(reduced), axes=1) for m in moments)
    density = np.array([ply.density for ply in plies])
    mass, first, second = (float(m @ density) for m in moments)
    centre = first / mass
    return Laminate(
        A,
        B,
        D,
        _shear(turned, reduced, planes, (A, B, D)),
        whole,
        mass,
        centre,
        float(np.sqrt(second / mass - centre**2)),
        _expansion(plies, reduced, moments, (A, B, D)),
    )


def _expansion(
    plies: Sequence[Ply],
    reduced: Sequence[Floats],
    moments: Sequence[Floats],
    stiffness: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return the free strains and curvatures for 1 K, from the thermal forces (Jones, 4.5.4)."""
    A, B, D = stiffness
    held = []
    for ply, q in zip(plies, reduced, strict=True):
        axes = elasticity.axes_of_angle([0, 0, 1], ply.angle)
        held.append(q @ elasticity.expansion_strain(ply.expansion, axes)[_PLANE])
    forces = [np.tensordot(m, np.array(held), axes=1) for m in moments[:2]]
    whole = np.block([[A, B], [B, D]])
    return np.asarray(np.linalg.solve(whole, np.concatenate(forces)))


def _turned(ply: Ply) -> Floats:
    """Return the stiffness of a ply in the axes of the laminate."""
    return elasticity.rotate(ply.stiffness, elasticity.axes_of_angle([0, 0, 1], ply.angle))


def _shear(
    turned: Sequence[Floats],
    reduced: Sequence[Floats],
    planes: Floats,
    stiffness: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return the transverse shear stiffness, (2, 2).

    Moments that vary along a direction cause stresses that vary, and shear stresses balance them:
    ``tau(z) = - int Q(z') (a + z' b) dz'`` with the strains a and curvatures b for a unit of
    ``dm/dx``. The energy for a unit shear force is that of tau, and its inverse is the stiffness
    (Rohwer, DLR-FB 88-32, 1988: bending in each direction separately). A homogeneous plate gets
    5/6.
    """
    A, B, D = stiffness
    flexible = np.linalg.inv(np.block([[A, B], [B, D]]))
    abscissas, weights = np.polynomial.legendre.leggauss(3)  # tau^2 is of degree 4
    compliance = np.zeros((2, 2))
    below = np.zeros((2, 2))  # rows 13, 23 of tau at the lower face of a ply, column per force
    for k, (c, q) in enumerate(zip(turned, reduced, strict=True)):
        low, high = planes[k], planes[k + 1]
        soft = np.linalg.inv(c[np.ix_(_ACROSS, _ACROSS)])

        def tau(z: float, q: Floats = q, low: float = low, start: Floats = below) -> Floats:
            first, second = z - low, (z * z - low * low) / 2
            found = start.copy()
            # m11,1 causes the force 13 alone; sigma_11,1 balances tau_13 and sigma_12,1 tau_23.
            for column, rows in enumerate(((0, 2), (2, 1))):
                strain, curvature = flexible[:3, 3 + column], flexible[3:, 3 + column]
                found[:, column] -= (q @ (first * strain + second * curvature))[list(rows)]
            return found

        for x, w in zip(abscissas, weights, strict=True):
            at = tau(low + (high - low) * (x + 1) / 2)
            compliance += w * (high - low) / 2 * at.T @ soft @ at
        below = tau(high)
    return np.asarray(np.linalg.inv(compliance))
