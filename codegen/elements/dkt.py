# SPDX-License-Identifier: BSD-3-Clause
"""The discrete Kirchhoff triangle as a flat shell in space.

The turn of the normals is quadratic and satisfies Kirchhoff's hypothesis at the corners and along
the sides (Batoz, Bathe and Ho, International Journal for Numerical Methods in Engineering 15,
1980). The deflection, which they leave open, is the cubic of Bazeley, Cheung, Irons and Zienkiewicz
(1965); it makes inertia and loads, and the slopes that the geometric stiffness acts on. Along its
plane the strain is constant.

Of ``dkt3d`` the rotations about the normal bow the sides and bend the triangle in its plane:
Felippa's optimal triangle (Computer Methods in Applied Mechanics and Engineering 192, 2003). Its
strain is the mean strain of the bowed field, and strains of the sides that are linear along the
plane and whose mean is zero; two triangles bend as the rectangle that they make, however slender it
is. Inertia and loads along the plane are those of the straight sides. It is for what is flat: where
a thin shell is curved, a rotation that bends one cell is partly one about the normal of the next,
which that one resists with its membrane.
"""

from __future__ import annotations

from itertools import product

import sympy
from flexforge.codegen.elements.field import Definition, FieldElement, linear_forms, nodal_position
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.sections import SECTION_FORCES
from flexforge.codegen.elements.shells import (
    ACROSS,
    ORIENTATION,
    fibre_strain,
    isotropic_law,
    laminate_fibres,
    laminate_law,
    plate_fibres,
    section_parameters,
    stress_law,
    unit_in_plane,
)
from flexforge.codegen.elements.stiffening import Stiffening, green, stacked

_XI, _ETA = REFERENCE[:2]
_PLACES = tuple((sympy.Integer(x), sympy.Integer(y)) for x, y in ((0, 0), (1, 0), (0, 1)))
_AREA = (1 - _XI - _ETA, _XI, _ETA)
_SIDES = ((0, 1), (1, 2), (2, 0))
_NAMES = ("u", "v", "w", "r1", "r2", "r3")
#: Local positions of the corners, in the plane of the triangle.
_X = sympy.symbols("x_1:4", real=True)
_Y = sympy.symbols("y_1:4", real=True)
_DOUBLE = sympy.Symbol("double_area", real=True)
#: How much more than by half the difference of the rotations at its ends a side bows.
_BOW = sympy.Rational(3, 2)
#: Root of the share of the linear strains. Pure bending of an isotropic triangle is exact with a
#: share of ``(1 - 4 nu^2) / 2``; this is that of nu = 0.26, whatever the law is.
_LINEAR_SHARE = sympy.Rational(3, 5)


def dkt(*, laminate: bool = False, bowed: bool = False) -> FieldElement:
    """Return the triangle of three nodes.

    Parameters
    ----------
    laminate : bool
        Whether its law is given by A, B and D, in axes that follow a direction.
    bowed : bool
        Whether rotations about the normal bend it in its plane.
    """
    nodes = [
        {name: sympy.Symbol(f"{name}_{k + 1}", real=True) for name in _NAMES} for k in range(3)
    ]
    columns = [symbol for node in nodes for symbol in node.values()]
    u, v = (_linear(nodes, name) for name in ("u", "v"))
    turns = _turns(nodes)
    deflection = _deflection(nodes)
    field = [
        u - ACROSS * _slope(deflection, 0),
        v - ACROSS * _slope(deflection, 1),
        deflection,
    ]
    drill = [node["r3"] for node in nodes]
    strains = _bowed(u, v, drill) if bowed else _surface_strains(u, v)
    strains += _surface_strains(*turns)
    if not bowed:
        strains.append(_linear(nodes, "r3") - (_slope(v, 0) - _slope(u, 1)) / 2)
    definitions, axes = _axes(laminate=laminate)
    name = ("dkt3d" if bowed else "dkt3") + ("_laminate" if laminate else "")
    displacement = linear_forms(field, columns)
    strain = linear_forms(strains, columns)
    return FieldElement(
        name=name,
        cell="triangle",
        places=_PLACES,
        carried=("displacement", "rotation"),
        components=3,
        definitions=tuple(definitions),
        axes=axes,
        across=(ACROSS,),
        measure=_DOUBLE,
        position=_position(axes),
        displacement=displacement,
        strain=strain,
        constitutive=(laminate_law if laminate else isotropic_law)(shear=False, drilling=not bowed),
        fibres=laminate_fibres() if laminate else plate_fibres(),
        degree={"stiffness": 2, "mass": 6} | ({"geometric": 6} if laminate else {}),
        parameters=section_parameters(laminate=laminate),
        stiffening=Stiffening(
            rates=stacked(
                [displacement.applyfunc(lambda h, axis=axis: _slope(h, axis)) for axis in range(2)]
            ),
            quadratic=green(2, 3),
            law=stress_law(laminate=laminate),
            strain=fibre_strain(strain, laminate=laminate),
        ),
        generalized=SECTION_FORCES[name],
        description="shell of discrete Kirchhoff triangles"
        + (" that bend in their plane" if bowed else "")
        + (", laminate" if laminate else ""),
    )


def _slope(value: sympy.Expr, axis: int) -> sympy.Expr:
    """Return the derivative along a local axis of the plane."""
    (x1, x2, x3), (y1, y2, y3) = _X, _Y
    rates = ((y3 - y1, y1 - y2), (x1 - x3, x2 - x1))[axis]
    found = sum(rate * sympy.diff(value, x) for rate, x in zip(rates, (_XI, _ETA), strict=True))
    return found / _DOUBLE


def _linear(nodes: list[dict[str, sympy.Symbol]], name: str) -> sympy.Expr:
    return sum(h * node[name] for h, node in zip(_AREA, nodes, strict=True))


def _bowed(u: sympy.Expr, v: sympy.Expr, turns: list[sympy.Symbol]) -> list[sympy.Expr]:
    """Return the strains of the membrane: of the bowed field in the middle, and of the sides.

    Parameters
    ----------
    u, v : sympy.Expr
        The field of straight sides.
    turns : list of sympy.Symbol
        Rotations of the corners about the normal.
    """
    bowed = sympy.Matrix([u, v])
    for i, j in _SIDES:
        outward = sympy.Matrix([_Y[j] - _Y[i], _X[i] - _X[j]])
        bowed += _BOW / 2 * _AREA[i] * _AREA[j] * (turns[j] - turns[i]) * outward
    middle = dict.fromkeys((_XI, _ETA), sympy.Rational(1, 3))  # where a linear strain has its mean
    mean = [strain.subs(middle) for strain in _surface_strains(*bowed)]
    own = [turn - (_slope(v, 0) - _slope(u, 1)) / 2 for turn in turns]
    return [a + b for a, b in zip(mean, _side_strains(own), strict=True)]


def _side_strains(turns: list[sympy.Expr]) -> list[sympy.Expr]:
    """Return the strains xx, yy and xy of what the sides stretch by as their ends turn.

    A strain is minus the sum over the sides of ``stretch grad z_i grad z_j``, where the stretch is
    the square of the side's length times the strain along it: squares of distances are minus that
    of area coordinates. These are the strains along the sides of Felippa's optimal triangle; the
    turns are those relative to the surface.
    """
    total = [sympy.Integer(0)] * 3
    for i, j in _SIDES:
        opposite = 3 - i - j
        zi, zj = _AREA[i], _AREA[j]
        stretch = (3 * zi - 1) * turns[j] - (3 * zj - 1) * turns[i] + (zi - zj) * turns[opposite]
        stretch *= _LINEAR_SHARE * _DOUBLE / 2
        (xi, yi), (xj, yj) = ([_slope(z, axis) for axis in (0, 1)] for z in (zi, zj))
        for row, part in enumerate((xi * xj, yi * yj, xi * yj + yi * xj)):
            total[row] -= stretch * part
    return total


def _turns(nodes: list[dict[str, sympy.Symbol]]) -> list[sympy.Expr]:
    """Return how the normals turn: a point at height z moves by z times it in the plane.

    Half-way along a side the turn along the side is minus the slope of the cubic deflection there,
    the turn across it the mean of the corners'.
    """
    corner = [sympy.Matrix([node["r2"], -node["r1"]]) for node in nodes]
    total = sympy.zeros(2, 1)
    for h, turn in zip(_AREA, corner, strict=True):
        total += h * (2 * h - 1) * turn
    for i, j in _SIDES:
        side = sympy.Matrix([_X[j] - _X[i], _Y[j] - _Y[i]])
        both = corner[i] + corner[j]
        rise = nodes[j]["w"] - nodes[i]["w"]
        bow = (3 * rise / 2 + 3 * side.dot(both) / 4) * _softness(i, j)
        total += 4 * _AREA[i] * _AREA[j] * (both / 2 - bow * side)
    return list(total)


def _softness(i: int, j: int) -> sympy.Symbol:
    """Return the symbol of one over the square of the length of a side."""
    return sympy.Symbol(f"inverse_square_{i + 1}{j + 1}", real=True)


def _deflection(nodes: list[dict[str, sympy.Symbol]]) -> sympy.Expr:
    """Return the cubic with the corners' deflections and slopes, exact for constant curvature."""
    bubble = _AREA[0] * _AREA[1] * _AREA[2] / 2
    total: sympy.Expr = sympy.Integer(0)
    for i, node in enumerate(nodes):
        h = _AREA[i]
        value = h
        for j in ((i + 1) % 3, (i + 2) % 3):
            value += h**2 * _AREA[j] - h * _AREA[j] ** 2
            rise = -node["r2"] * (_X[j] - _X[i]) + node["r1"] * (_Y[j] - _Y[i])
            total += (h**2 * _AREA[j] + bubble) * rise
        total += value * node["w"]
    return total


def _surface_strains(first: sympy.Expr, second: sympy.Expr) -> list[sympy.Expr]:
    """Return the strains xx, yy and xy of a field along the plane."""
    return [_slope(first, 0), _slope(second, 1), _slope(first, 1) + _slope(second, 0)]


def _axes(*, laminate: bool) -> tuple[list[Definition], sympy.ImmutableMatrix]:
    """Return the definitions of axes, area and local positions.

    The first axis goes from the first corner to the second, or follows the projection of the
    laminate's direction.
    """
    sides = {k: [nodal_position(k, i) - nodal_position(0, i) for i in range(3)] for k in (1, 2)}
    raw = sympy.Matrix(sympy.symbols("raw_normal1:4", real=True))
    normal = sympy.Matrix(sympy.symbols("normal1:4", real=True))
    first = sympy.Matrix(sympy.symbols("along1:4", real=True))
    second = sympy.Matrix(sympy.symbols("across1:4", real=True))
    cross = sympy.Matrix(sides[1]).cross(sympy.Matrix(sides[2]))
    definitions: list[Definition] = list(zip(raw, cross, strict=True))
    definitions.append((_DOUBLE, sympy.sqrt(raw.dot(raw))))
    definitions += [(n, r / _DOUBLE) for n, r in zip(normal, raw, strict=True)]
    start = sympy.Matrix(ORIENTATION if laminate else sides[1])
    definitions += unit_in_plane(start, normal, first, project=laminate)
    definitions += list(zip(second, normal.cross(first), strict=True))
    for k, axis in product(range(3), range(2)):
        name, direction = ((_X, first), (_Y, second))[axis]
        place = sympy.Matrix(sides[k]).dot(direction) if k else sympy.Integer(0)
        definitions.append((name[k], place))
    for i, j in _SIDES:
        square = (_X[j] - _X[i]) ** 2 + (_Y[j] - _Y[i]) ** 2
        definitions.append((_softness(i, j), 1 / square))
    return definitions, sympy.ImmutableMatrix([list(first), list(second), list(normal)])


def _position(axes: sympy.ImmutableMatrix) -> sympy.ImmutableMatrix:
    """Return where a point of the undeformed shell is."""
    middle = [sum(h * nodal_position(k, i) for k, h in enumerate(_AREA)) for i in range(3)]
    return sympy.ImmutableMatrix(sympy.Matrix(middle) + ACROSS * axes[2, :].T)
