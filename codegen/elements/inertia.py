# SPDX-License-Identifier: BSD-3-Clause
"""Point masses and rigid bodies at a node: mass without stiffness.

The displacement of a rigid body at position p from its node is ``u + r x p``. Every inertia term is
quadratic in p, so that a few point masses with the body's moments of order 0, 1 and 2 represent it
exactly, even if some of them are negative: its centre, and pairs of points at 1 m from it.
"""

from __future__ import annotations

from itertools import combinations

import sympy
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.field import Fibre, FieldElement, nodal_position
from flexforge.codegen.elements.stiffening import Stiffening, green, stacked

_MASS = sympy.Symbol("mass", real=True)
#: Centre of mass relative to the node, in components of the frame.
_CENTRE = sympy.symbols("centre1:4", real=True)
_PLACE = sympy.symbols("place1:4", real=True)
#: Moments and products of inertia about the centre: int (y^2 + z^2) dm .., int y z dm ...
MOMENTS = sympy.symbols("inertia_xx inertia_yy inertia_zz", real=True)
PRODUCTS = sympy.symbols("inertia_yz inertia_xz inertia_xy", real=True)
_NOTHING = sympy.ImmutableMatrix(0, 0, [])


def point_mass(components: int) -> FieldElement:
    """Return a point mass at a node.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    """
    return _lump(
        "point_mass",
        components,
        ("displacement",),
        sympy.eye(components),
        (Fibre((), _MASS),),
        ("mass",),
        "mass at a node",
    )


def rigid_inertia(components: int) -> FieldElement:
    """Return a rigid body at a node: mass, centre of mass, inertia tensor.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    """
    place = sympy.Matrix(_PLACE[:components])
    if components == 2:  # a planar rotation has one coordinate; the second has no effect
        turn = sympy.Matrix([[-place[1], 0], [place[0], 0]])
        fibres, moments = _fibres_in_plane(), MOMENTS[2:]
    else:
        turn = -sympy.Matrix(3, 3, lambda i, j: place.cross(sympy.eye(3)[:, j])[i])
        fibres, moments = _fibres_in_space(), (*MOMENTS, *PRODUCTS)
    parameters = ("mass", *(c.name for c in _CENTRE[:components]), *(m.name for m in moments))
    return _lump(
        "rigid_inertia",
        components,
        ("displacement", "rotation"),
        sympy.Matrix.hstack(sympy.eye(components), turn),
        fibres,
        parameters,
        "rigid body at a node",
    )


def _lump(
    name: str,
    components: int,
    carried: tuple[str, ...],
    displacement: sympy.MatrixBase,
    fibres: tuple[Fibre, ...],
    parameters: tuple[str, ...],
    description: str,
) -> FieldElement:
    """Return the element; with rotations, fibres have positions."""
    across = _PLACE[:components] if len(carried) > 1 else ()
    position = [nodal_position(0, i) for i in range(components)]
    if across:
        position = [x + p for x, p in zip(position, across, strict=True)]
    return FieldElement(
        name=name + ("_plane" if components == 2 else ""),
        cell="point",
        places=((),),
        carried=carried,
        components=components,
        definitions=(),
        axes=sympy.ImmutableMatrix(sympy.eye(components)),
        across=across,
        measure=sympy.Integer(1),
        position=sympy.ImmutableMatrix(position),
        displacement=sympy.ImmutableMatrix(displacement),
        strain=sympy.ImmutableMatrix(0, displacement.cols, []),
        constitutive=Constitutive("rigid", (), (), _NOTHING),
        fibres={"mass": fibres},
        degree={"mass": 0},
        parameters=parameters,
        density=None,
        stiffening=_turning(displacement, across) if across else None,
        description=description,
    )


def _turning(displacement: sympy.MatrixBase, across: tuple[sympy.Symbol, ...]) -> Stiffening:
    """Return the second-order strains of a rotating body, for the stress of its inertia forces."""
    return Stiffening(
        rates=stacked([displacement.diff(p) for p in across]),
        quadratic=green(len(across), displacement.rows),
        law=_NOTHING,
    )


def _pair(direction: tuple[int, ...], mass: sympy.Expr) -> list[Fibre]:
    """Return two points of the given mass on opposite sides of the centre."""
    return [
        Fibre(tuple(c + sign * d for c, d in zip(_CENTRE, direction, strict=False)), mass)
        for sign in (-1, 1)
    ]


def _completed(fibres: list[Fibre]) -> tuple[Fibre, ...]:
    """Return the points and one more at the centre that completes the total mass."""
    rest = _MASS - sum(fibre.weight for fibre in fibres)
    return (Fibre(_CENTRE[: len(fibres[0].place)], rest), *fibres)


def _fibres_in_plane() -> tuple[Fibre, ...]:
    """Return points whose moment of inertia about the centre is that of the body."""
    quarter = MOMENTS[2] / 4
    return _completed([*_pair((1, 0), quarter), *_pair((0, 1), quarter)])


def _fibres_in_space() -> tuple[Fibre, ...]:
    """Return points on the axes and between them, whose second moments are those of the body."""
    products = {(1, 2): PRODUCTS[0], (0, 2): PRODUCTS[1], (0, 1): PRODUCTS[2]}
    fibres = []
    for i in range(3):
        squares = sum(MOMENTS) / 2 - MOMENTS[i]  # int x_i^2 dm
        on_axis = squares - sum(value for pair, value in products.items() if i in pair)
        fibres += _pair(tuple(int(i == k) for k in range(3)), on_axis / 2)
    for pair in combinations(range(3), 2):
        fibres += _pair(tuple(int(k in pair) for k in range(3)), products[pair] / 2)
    return _completed(fibres)
