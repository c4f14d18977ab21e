# SPDX-License-Identifier: BSD-3-Clause
"""Constitutive laws: the matrix H of ``V = 1/2 eps^T H eps`` and the parameters it needs."""

from __future__ import annotations

from dataclasses import dataclass

import sympy

YOUNG, POISSON = sympy.symbols("young poisson", real=True)
LAMBDA, MU, BULK = sympy.symbols("lambda mu bulk", real=True)


@dataclass(frozen=True)
class Constitutive:
    """A linear elastic law.

    Attributes
    ----------
    name : str
        Name of the law; part of the element's name where there is a choice.
    parameters : tuple of str
        Constants given by the user, in the order of the kernels' parameters.
    definitions : tuple of (sympy.Symbol, sympy.Expr)
        Intermediate constants of the material, computed once per kernel call.
    matrix : sympy.ImmutableMatrix
        H in Voigt order xx, yy, zz, yz, xz, xy (plane: xx, yy, xy), engineering shear strains.
    """

    name: str
    parameters: tuple[str, ...]
    definitions: tuple[tuple[sympy.Symbol, sympy.Expr], ...]
    matrix: sympy.ImmutableMatrix


def _isotropic(normal: int, shear: int) -> sympy.ImmutableMatrix:
    """Return ``lambda 1 1^T + 2 mu`` on the normal strains and ``mu`` on the shears."""
    size = normal + shear
    return sympy.ImmutableMatrix(
        size,
        size,
        lambda i, j: (
            (LAMBDA + (2 * MU if i == j else 0))
            if max(i, j) < normal
            else (MU if i == j else sympy.Integer(0))
        ),
    )


_SHEAR = (MU, YOUNG / (2 * (1 + POISSON)))
_BULK = (LAMBDA, YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON)))

ISOTROPIC = Constitutive("isotropic", ("young", "poisson"), (_BULK, _SHEAR), _isotropic(3, 3))
PLANE_STRAIN = Constitutive("plane_strain", ("young", "poisson"), (_BULK, _SHEAR), _isotropic(2, 1))
# sigma_zz = 0 replaces lambda by E nu / (1 - nu^2) and changes nothing else.
PLANE_STRESS = Constitutive(
    "plane_stress",
    ("young", "poisson"),
    ((LAMBDA, YOUNG * POISSON / (1 - POISSON**2)), _SHEAR),
    _isotropic(2, 1),
)


def _selective(normal: int, shear: int) -> sympy.ImmutableMatrix:
    """Return a deviatoric law for the strains and the bulk modulus for the mean dilatation."""
    deviatoric = _isotropic(normal, shear).subs(LAMBDA, -2 * MU / 3)
    return sympy.ImmutableMatrix(sympy.diag(deviatoric, BULK))


# rr, zz, rz, then the hoop strain: the isotropic law with its rows reordered.
_ORDER = [0, 1, 3, 2]
AXISYMMETRIC = Constitutive(
    "axisymmetric",
    ("young", "poisson"),
    (_BULK, _SHEAR),
    sympy.ImmutableMatrix(_isotropic(3, 1).extract(_ORDER, _ORDER)),
)

_SELECTIVE = (_SHEAR, (BULK, YOUNG / (3 * (1 - 2 * POISSON))))
SELECTIVE = Constitutive("selective", ("young", "poisson"), _SELECTIVE, _selective(3, 3))
SELECTIVE_PLANE_STRAIN = Constitutive(
    "selective_plane_strain", ("young", "poisson"), _SELECTIVE, _selective(2, 1)
)


def spring(components: int) -> Constitutive:
    """Return the law of an isotropic spring: force ``stiffness`` times displacement."""
    stiffness = sympy.Symbol("stiffness", real=True)
    return Constitutive(
        "spring", ("stiffness",), (), sympy.ImmutableMatrix(stiffness * sympy.eye(components))
    )


def anisotropic(size: int) -> Constitutive:
    """Return the law with all its constants given, in axes of the frame.

    Parameters
    ----------
    size : int
        Number of strains: 6 for a solid, 3 in the plane, 4 for a body of revolution. ``H12``
        couples the first strain to the second.
    """
    matrix = sympy.ImmutableMatrix(
        size, size, lambda i, j: sympy.Symbol(f"H{min(i, j) + 1}{max(i, j) + 1}", real=True)
    )
    given = tuple(matrix[i, j].name for i in range(size) for j in range(i, size))
    return Constitutive(_ANISOTROPIC[size], given, (), matrix)


_ANISOTROPIC = {6: "anisotropic", 3: "anisotropic_plane", 4: "anisotropic_axisymmetric"}


LAWS = {
    law.name: law
    for law in (
        ISOTROPIC,
        PLANE_STRAIN,
        PLANE_STRESS,
        AXISYMMETRIC,
        SELECTIVE,
        SELECTIVE_PLANE_STRAIN,
        *map(anisotropic, _ANISOTROPIC),
    )
}
