# SPDX-License-Identifier: BSD-3-Clause
"""What plates and shells have in common: strains of the middle surface, laws, fibres, drilling.

Strains are those of the membrane, the curvatures, the transverse shears where the element has them,
and the *drilling* where rotations about the normal do not strain the membrane: how much such a
rotation differs from that of the surface, ``r_n - (dv/dx - du/dy) / 2``. A small stiffness against
it (Hughes and Brezzi, Computer Methods in Applied Mechanics and Engineering 72, 1989) holds a
coordinate that nothing else holds in a plane shell; rigid motions and states of constant strain do
no work on it.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import sympy
from flexforge.codegen.elements.constitutive import POISSON, YOUNG, Constitutive
from flexforge.codegen.elements.field import Definition, Fibre

THICKNESS = sympy.Symbol("thickness", real=True)
#: Distance from the middle surface.
ACROSS = sympy.Symbol("across", real=True)
#: Share of the shear modulus that resists drilling.
DRILLING = sympy.Rational(1, 1000)
_DRILLED = sympy.Symbol("drilling", real=True)
#: Share of the section that carries transverse shear as if evenly (Reissner).
_SHEAR = sympy.Rational(5, 6)
#: A direction whose projection onto the surface is the first axis of a laminate.
ORIENTATION = sympy.symbols("orientation1:4", real=True)

_PLANE = sympy.ImmutableMatrix(
    YOUNG
    / (1 - POISSON**2)
    * sympy.Matrix([[1, POISSON, 0], [POISSON, 1, 0], [0, 0, (1 - POISSON) / 2]])
)


def isotropic_law(*, shear: bool, drilling: bool) -> Constitutive:
    """Return the law of an isotropic plate for a unit of volume.

    Parameters
    ----------
    shear : bool
        Whether the strains have the two transverse shears.
    drilling : bool
        Whether they have the drilling.
    """
    rigidity = YOUNG / (2 * (1 + POISSON))
    blocks = {"membrane": _PLANE, "bending": _PLANE * THICKNESS**2 / 12}
    definitions: list[Definition] = []
    matrices = []
    for name, block in blocks.items():
        names = sympy.symbols(f"{name}_normal {name}_coupled {name}_shear", real=True)
        values = (block[0, 0], block[0, 1], block[2, 2])
        definitions += list(zip(names, map(sympy.factor, values), strict=True))
        normal, coupled, twist = names
        matrices.append(sympy.Matrix([[normal, coupled, 0], [coupled, normal, 0], [0, 0, twist]]))
    if shear:
        transverse = sympy.Symbol("transverse", real=True)
        definitions.append((transverse, _SHEAR * rigidity))
        matrices.append(transverse * sympy.eye(2))
    if drilling:
        definitions.append((_DRILLED, DRILLING * rigidity))
        matrices.append(sympy.Matrix([[_DRILLED]]))
    return Constitutive(
        "plate",
        ("young", "poisson"),
        tuple(definitions),
        sympy.ImmutableMatrix(sympy.diag(*matrices)),
    )


def laminate_law(*, shear: bool, drilling: bool) -> Constitutive:
    """Return the law of a laminate for a unit of area: A, B and D, and shears.

    Parameters
    ----------
    shear : bool
        Whether the strains have the two transverse shears.
    drilling : bool
        Whether they have the drilling.
    """
    membrane, coupling, bending = (_symmetric(letter, (1, 2, 6)) for letter in "ABD")
    coupled = sympy.Matrix.vstack(
        sympy.Matrix.hstack(membrane, coupling), sympy.Matrix.hstack(coupling, bending)
    )
    matrices = [coupled, *([_symmetric("S", (1, 2))] if shear else [])]
    parameters = sorted({s.name for block in matrices for s in block.free_symbols})
    if drilling:
        matrices.append(sympy.Matrix([[_DRILLED]]))
    return Constitutive(
        "laminate",
        tuple(parameters),
        ((_DRILLED, DRILLING * membrane[2, 2]),) if drilling else (),
        sympy.ImmutableMatrix(sympy.diag(*matrices)),
    )


def flexibility(*, laminate: bool) -> sympy.ImmutableMatrix:
    """Return the strains of the membrane under its stresses, up to a factor.

    Of a laminate under forces that leave it uncurved, which is the adjugate of A.
    """
    if laminate:
        return sympy.ImmutableMatrix(_symmetric("A", (1, 2, 6)).adjugate())
    return sympy.ImmutableMatrix([[1, -POISSON, 0], [-POISSON, 1, 0], [0, 0, 2 * (1 + POISSON)]])


def _symmetric(letter: str, numbers: tuple[int, ...]) -> sympy.Matrix:
    """Return a symmetric matrix of the symbols ``A11 A12 ..``."""
    entries = {
        pair: sympy.Symbol(f"{letter}{pair[0]}{pair[1]}", real=True)
        for pair in combinations_with_replacement(numbers, 2)
    }
    size = len(numbers)
    return sympy.Matrix(size, size, lambda i, j: entries[numbers[min(i, j)], numbers[max(i, j)]])


def plate_fibres() -> dict[str, tuple[Fibre, ...]]:
    """Return the fibres of a plate of one material, by purpose."""
    reach = sympy.sqrt(3) / 6 * THICKNESS
    return {
        "stiffness": (Fibre((sympy.Integer(0),), THICKNESS),),
        "mass": tuple(Fibre((sign * reach,), THICKNESS / 2) for sign in (-1, 1)),
    }


def laminate_fibres() -> dict[str, tuple[Fibre, ...]]:
    """Return those of a laminate, of a density that is the mean: where its mass lies is given."""
    centre, gyration = sympy.symbols("mass_centre gyration", real=True)
    return {
        "geometric": plate_fibres()["mass"],
        "stiffness": (Fibre((sympy.Integer(0),), sympy.Integer(1)),),
        "mass": tuple(Fibre((centre + s * gyration,), THICKNESS / 2) for s in (-1, 1)),
    }


def stress_law(*, laminate: bool) -> sympy.ImmutableMatrix:
    """Return the law between the strains along the surface and the stresses that stiffen it.

    Of a laminate it takes the strains of the reference surface and the curvatures, and gives the
    stresses that are linear across it and have its forces ``A eps + B kappa`` and its moments
    ``B eps + D kappa``: the mean, and ``across`` times moment over ``thickness^3 / 12``.
    """
    if not laminate:
        return _PLANE
    membrane, coupling, bending = (_symmetric(letter, (1, 2, 6)) for letter in "ABD")
    forces = sympy.Matrix.hstack(membrane, coupling) / THICKNESS
    moments = sympy.Matrix.hstack(coupling, bending) * 12 / THICKNESS**3
    return sympy.ImmutableMatrix(forces + ACROSS * moments)


def fibre_strain(strain: sympy.MatrixBase, *, laminate: bool) -> sympy.ImmutableMatrix:
    """Return the strains that :func:`stress_law` takes, of strains of the membrane and curvatures.

    The stress that stiffens a shell is that of the same strains as its stiffness.
    """
    if laminate:
        return sympy.ImmutableMatrix(strain[:6, :])
    return sympy.ImmutableMatrix(strain[:3, :] + ACROSS * strain[3:6, :])


def section_parameters(*, laminate: bool) -> tuple[str, ...]:
    """Return the names of what a plate has besides the parameters of its law."""
    if not laminate:
        return (THICKNESS.name,)
    return (THICKNESS.name, "mass_centre", "gyration", *(o.name for o in ORIENTATION))


def unit_in_plane(
    start: sympy.Matrix, normal: sympy.Matrix, names: sympy.Matrix, *, project: bool
) -> list[Definition]:
    """Return the definitions of a unit vector in a plane.

    Parameters
    ----------
    start : sympy.Matrix
        A vector along it, or one whose projection is along it.
    normal : sympy.Matrix
        Unit normal of the plane.
    names : sympy.Matrix
        Symbols of its components.
    project : bool
        Whether the vector has to be projected.
    """
    raw = sympy.Matrix(sympy.symbols("raw_along1:4", real=True))
    length, out = sympy.symbols("along_length along_out", real=True)
    definitions: list[Definition] = []
    if project:
        definitions.append((out, start.dot(normal)))
        start = start - out * normal
    definitions += list(zip(raw, start, strict=True))
    definitions.append((length, sympy.sqrt(raw.dot(raw))))
    return [*definitions, *((n, r / length) for n, r in zip(names, raw, strict=True))]
