# SPDX-License-Identifier: BSD-3-Clause
"""The quadrilateral of Dvorkin and Bathe (MITC4), a shell in space that does not lock.

A normal stands on every node; what turns it, and the bilinear middle surface, carry the field. The
transverse shears are taken at the middles of the sides and are linear between opposite ones
(Engineering Computations 1, 1984), so that a thin shell bends without them.

The membrane strain is assumed as well: that of the middle, and along either direction of the cell
what it changes by from side to side, which is what bends the element in its plane. With it goes the
strain across that a force along the direction alone makes, so that a strip bends as freely as a
beam: the strains that the stresses of Pian and Sumihara (International Journal for Numerical
Methods in Engineering 20, 1984) make, which on parallelograms are these. A strain that is the same
whatever the law would hold the strain across, and a strip were stiffer by 1 / (1 - nu^2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy
from flexforge.codegen.elements.assumed import Component, Sample, assume
from flexforge.codegen.elements.field import Definition, FieldElement, linear_forms, nodal_position
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.sections import SECTION_FORCES
from flexforge.codegen.elements.shells import (
    ACROSS,
    ORIENTATION,
    fibre_strain,
    flexibility,
    isotropic_law,
    laminate_fibres,
    laminate_law,
    plate_fibres,
    section_parameters,
    stress_law,
    unit_in_plane,
)
from flexforge.codegen.elements.stiffening import Stiffening, green, stacked

if TYPE_CHECKING:
    from flexforge.codegen.elements.declaration import Point

_R, _S = REFERENCE[:2]
_PLACES = tuple(
    (sympy.Integer(x), sympy.Integer(y)) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))
)
_SHAPE = tuple((1 + r * _R) * (1 + s * _S) / 4 for r, s in _PLACES)
_MEASURE = sympy.Symbol("stretch", real=True)


def _vector(name: str) -> sympy.Matrix:
    return sympy.Matrix(sympy.symbols(f"{name}1:4", real=True))


#: Tangents of the middle surface along r and s; how the normal changes along them.
_TANGENT = {_R: _vector("tangent_r"), _S: _vector("tangent_s")}
_CHANGE = {_R: _vector("change_r"), _S: _vector("change_s")}
_NORMALS = tuple(_vector(f"normal{k + 1}_") for k in range(4))
_AXES = (_vector("along"), _vector("across_"), _vector("upward"))
#: Entry i, k: component along the local axis i of the contravariant base vector k.
_INVERSE = sympy.Matrix(2, 2, sympy.symbols("inverse11 inverse12 inverse21 inverse22", real=True))
#: The middle of the cell, and its sides along r (below and above) and along s (left and right).
_MIDDLE, _LOW, _HIGH, _LEFT, _RIGHT = (
    (sympy.Integer(x), sympy.Integer(y)) for x, y in ((0, 0), (0, -1), (0, 1), (-1, 0), (1, 0))
)
#: Tangents along r (0) and s (1) where strains are taken: sides and medians.
_SPAN = {
    (axis, place): _vector(f"span_{'rs'[axis]}{k}_")
    for axis, places in enumerate(((_LOW, _MIDDLE, _HIGH), (_LEFT, _MIDDLE, _RIGHT)))
    for k, place in enumerate(places)
}
#: Contravariant base vectors in the middle, and components along them of how far the cell is from
#: a parallelogram.
_DUAL = (_vector("dual_r"), _vector("dual_s"))
_SKEW = sympy.symbols("skew_r skew_s", real=True)
#: Entry k: component of the membrane strain for a unit of the covariant ones rr, ss, rs in the
#: middle, and for a unit of what rr and ss change by from side to side.
_UNIFORM = sympy.Matrix(3, 3, sympy.symbols("uniform1:10", real=True))
_LINEAR = sympy.Matrix(3, 2, sympy.symbols("linear1:7", real=True))

_HALF = sympy.Rational(1, 2)
_ONE = sympy.Integer(1)
#: Transverse shears of both directions.
_SHEARS = (
    (Sample((0, 2), _LOW, (1 - _S) / 2), Sample((0, 2), _HIGH, (1 + _S) / 2)),
    (Sample((1, 2), _LEFT, (1 - _R) / 2), Sample((1, 2), _RIGHT, (1 + _R) / 2)),
)
_MEMBRANE = tuple((Sample(component, _MIDDLE, _ONE),) for component in ((0, 0), (1, 1), (0, 1)))
#: What rr and ss change by from side to side, less that of a uniform strain: none in the patch.
_CHANGES = (
    (
        Sample((0, 0), _HIGH, _HALF),
        Sample((0, 0), _LOW, -_HALF),
        Sample((0, 0), _MIDDLE, -2 * _SKEW[0]),
        Sample((0, 1), _MIDDLE, -_SKEW[1]),
    ),
    (
        Sample((1, 1), _RIGHT, _HALF),
        Sample((1, 1), _LEFT, -_HALF),
        Sample((1, 1), _MIDDLE, -2 * _SKEW[1]),
        Sample((0, 1), _MIDDLE, -_SKEW[0]),
    ),
)


def mitc4(*, laminate: bool = False) -> FieldElement:
    """Return the quadrilateral of four nodes.

    Parameters
    ----------
    laminate : bool
        Whether its law is given by A, B and D, in axes that follow a direction.
    """
    moved = [_vector(f"u{k + 1}_") for k in range(4)]
    turned = [_vector(f"r{k + 1}_") for k in range(4)]
    columns = [c for u, r in zip(moved, turned, strict=True) for c in (*u, *r)]
    tipped = [r.cross(n) for r, n in zip(turned, _NORMALS, strict=True)]
    middle, tip = _blend(moved), _blend(tipped)
    field = middle + ACROSS * tip

    def compatible(component: Component, place: Point) -> sympy.Expr:
        return _compatible(middle, tip, component, place)

    changes = sympy.Matrix([assume(samples, compatible) for samples in _CHANGES])
    uniform = sympy.Matrix([assume(samples, compatible) for samples in _MEMBRANE])
    shears = sympy.Matrix([assume(samples, compatible) for samples in _SHEARS])
    strains = [
        *(_UNIFORM * uniform + _LINEAR * changes),
        *_curvatures(middle, tip),
        *(_INVERSE * shears),
        _drilling(middle, turned, changes),
    ]
    name = "mitc4_laminate" if laminate else "mitc4"
    displacement = linear_forms(list(field), columns)
    strain = linear_forms(strains, columns)
    return FieldElement(
        name=name,
        cell="quadrilateral",
        places=_PLACES,
        carried=("displacement", "rotation"),
        components=3,
        definitions=tuple(_definitions(laminate=laminate)),
        axes=sympy.ImmutableMatrix(sympy.eye(3)),  # everything is in components of the frame
        across=(ACROSS,),
        measure=_MEASURE,
        position=sympy.ImmutableMatrix(
            _blend([_corner(k) + ACROSS * n for k, n in enumerate(_NORMALS)])
        ),
        displacement=displacement,
        strain=strain,
        constitutive=(laminate_law if laminate else isotropic_law)(shear=True, drilling=True),
        fibres=laminate_fibres() if laminate else plate_fibres(),
        degree={"stiffness": 3, "mass": 3} | ({"geometric": 3} if laminate else {}),
        parameters=section_parameters(laminate=laminate),
        stiffening=Stiffening(
            rates=stacked([_slope(displacement, axis) for axis in range(2)]),
            quadratic=green(2, 3),
            law=stress_law(laminate=laminate),
            strain=fibre_strain(strain, laminate=laminate),
        ),
        generalized=SECTION_FORCES[name],
        description="shell of Dvorkin and Bathe" + (", laminate" if laminate else ""),
    )


def _corner(node: int) -> sympy.Matrix:
    return sympy.Matrix([nodal_position(node, i) for i in range(3)])


def _blend(nodal: list[sympy.Matrix]) -> sympy.Matrix:
    total = sympy.zeros(3, 1)
    for h, value in zip(_SHAPE, nodal, strict=True):
        total += h * value
    return total


def _slope(field: sympy.MatrixBase, axis: int) -> sympy.Matrix:
    """Return the derivative of a field along a local axis."""
    rates = [field.diff(x) * _INVERSE[axis, k] for k, x in enumerate((_R, _S))]
    return sympy.Matrix(rates[0] + rates[1])


def _curvatures(middle: sympy.Matrix, tip: sympy.Matrix) -> list[sympy.Expr]:
    """Return the curvatures xx, yy and xy: what in the strain along the surface is odd across."""
    covariant = sympy.zeros(2, 2)
    for i, a in enumerate((_R, _S)):
        for j, b in enumerate((_R, _S)):
            strain = tip.diff(a).dot(_TANGENT[b]) + middle.diff(a).dot(_CHANGE[b])
            covariant[i, j] += strain / 2
            covariant[j, i] += strain / 2
    found = _INVERSE * covariant * _INVERSE.T
    return [found[0, 0], found[1, 1], 2 * found[0, 1]]


def _compatible(
    middle: sympy.Matrix, tip: sympy.Matrix, component: Component, place: Point
) -> sympy.Expr:
    """Return a covariant strain of the middle surface, or a transverse shear (component 2)."""
    at = dict(zip((_R, _S), place, strict=True))
    i, j = component
    span, slope = _SPAN[i, place], middle.diff((_R, _S)[i]).subs(at)
    if j == 2:
        return span.dot(tip.subs(at)) + slope.dot(_blend(list(_NORMALS)).subs(at))
    if i == j:
        return span.dot(slope)
    return span.dot(middle.diff((_R, _S)[j]).subs(at)) + slope.dot(_SPAN[j, place])


def _drilling(
    middle: sympy.Matrix, turned: list[sympy.Matrix], changes: sympy.Matrix
) -> sympy.Expr:
    """Return how much more the nodes turn about the normal than the surface does.

    Where the element bends in its plane its sections turn by twice what the bilinear field says,
    which leaves out how the other direction bows.
    """
    first, second, normal = _AXES
    twist = _slope(middle, 0).dot(second) - _slope(middle, 1).dot(first)
    bow = (_S * changes[1] - _R * changes[0]) / _MEASURE
    return _blend(turned).dot(normal) - twist / 2 - bow / 2


def _definitions(*, laminate: bool) -> list[Definition]:
    """Return the normals of the nodes, then the base vectors and the local axes at the point."""
    found: list[Definition] = []
    for k, normal in enumerate(_NORMALS):
        at = dict(zip((_R, _S), _PLACES[k], strict=True))
        spans = [_blend([_corner(a) for a in range(4)]).diff(x).subs(at) for x in (_R, _S)]
        found += _unit(spans[0].cross(spans[1]), normal, f"normal{k + 1}")
    for x in (_R, _S):
        found += list(zip(_TANGENT[x], _blend([_corner(a) for a in range(4)]).diff(x), strict=True))
        found += list(zip(_CHANGE[x], _blend(list(_NORMALS)).diff(x), strict=True))
    first, second, normal = _AXES
    found += _unit(_TANGENT[_R].cross(_TANGENT[_S]), normal, "upward", _MEASURE)
    start = sympy.Matrix(ORIENTATION) if laminate else _TANGENT[_R]
    found += unit_in_plane(start, normal, first, project=laminate)
    found += list(zip(second, normal.cross(first), strict=True))
    rows = [[_TANGENT[x].dot(axis) for x in (_R, _S)] for axis in (first, second)]
    names = sympy.Matrix(2, 2, sympy.symbols("base11 base12 base21 base22", real=True))
    found += list(zip(names, sympy.Matrix(rows), strict=True))
    # Base vectors are the columns; those of the inverse transposed are the contravariant ones.
    found += [
        (_INVERSE[0, 0], names[1, 1] / _MEASURE),
        (_INVERSE[0, 1], -names[1, 0] / _MEASURE),
        (_INVERSE[1, 0], -names[0, 1] / _MEASURE),
        (_INVERSE[1, 1], names[0, 0] / _MEASURE),
    ]
    return [*found, *_membrane(laminate=laminate)]


def _membrane(*, laminate: bool) -> list[Definition]:
    """Return the definitions that turn sampled strains into membrane strains in the local axes."""
    found: list[Definition] = []
    surface = _blend([_corner(a) for a in range(4)])
    for (axis, place), span in _SPAN.items():
        at = dict(zip((_R, _S), place, strict=True))
        found += list(zip(span, surface.diff((_R, _S)[axis]).subs(at), strict=True))
    medians = [_SPAN[axis, _MIDDLE] for axis in (0, 1)]
    rr, rs, ss = metric = sympy.symbols("metric_rr metric_rs metric_ss", real=True)
    square = sympy.Symbol("metric_square", real=True)
    products = (medians[i].dot(medians[j]) for i, j in ((0, 0), (0, 1), (1, 1)))
    found += [*zip(metric, products, strict=True), (square, rr * ss - rs**2)]
    raised = (ss * medians[0] - rs * medians[1], rr * medians[1] - rs * medians[0])
    for dual, vector in zip(_DUAL, raised, strict=True):
        found += list(zip(dual, vector / square, strict=True))
    twist = (_SPAN[0, _HIGH] - _SPAN[0, _LOW]) / 2
    found += [(skew, twist.dot(dual)) for skew, dual in zip(_SKEW, _DUAL, strict=True)]
    found += _uniform()
    law = flexibility(laminate=laminate)
    for axis, (place, median) in enumerate(zip((_S, _R), medians, strict=True)):
        found += _bending(axis, median, place - _SKEW[axis] / 3, law)
    return found


def _uniform() -> list[Definition]:
    """Return the strains along the local axes of covariant ones in the middle."""
    names = [sympy.Matrix(sympy.symbols(f"along_dual_{x}1:3", real=True)) for x in "rs"]
    found: list[Definition] = []
    for parts, dual in zip(names, _DUAL, strict=True):
        found += list(zip(parts, (axis.dot(dual) for axis in _AXES[:2]), strict=True))
    (r1, r2), (s1, s2) = names
    rows = [
        [r1**2, s1**2, r1 * s1],
        [r2**2, s2**2, r2 * s2],
        [2 * r1 * r2, 2 * s1 * s2, r1 * s2 + r2 * s1],
    ]
    return [*found, *zip(_UNIFORM, sympy.Matrix(rows), strict=True)]


def _bending(
    axis: int, median: sympy.Matrix, place: sympy.Expr, law: sympy.ImmutableMatrix
) -> list[Definition]:
    """Return the strains under forces along a median that are linear across it.

    Parameters
    ----------
    axis : int
        Which median.
    median : sympy.Matrix
        The vector along it.
    place : sympy.Expr
        How far from the median, less the mean over the cell: uniform stress does no work on them.
    law : sympy.ImmutableMatrix
        Strains of stresses, up to a factor.
    """
    letter = "rs"[axis]
    x, y = names = sympy.symbols(f"median_{letter}1:3", real=True)
    found: list[Definition] = list(
        zip(names, (direction.dot(median) for direction in _AXES[:2]), strict=True)
    )
    stress = sympy.Matrix([x**2, y**2, x * y])
    strain = sympy.Matrix(sympy.symbols(f"freed_{letter}1:4", real=True))
    found += list(zip(strain, law * stress, strict=True))
    share = sympy.Symbol(f"share_{letter}", real=True)
    found.append((share, place / stress.dot(strain)))
    return [*found, *zip(_LINEAR[:, axis], share * strain, strict=True)]


def _unit(
    vector: sympy.Matrix, names: sympy.Matrix, stem: str, length: sympy.Symbol | None = None
) -> list[Definition]:
    """Return the definitions of the unit vector along a vector."""
    raw = _vector(f"raw_{stem}_")
    size = length or sympy.Symbol(f"length_{stem}", real=True)
    return [
        *zip(raw, vector, strict=True),
        (size, sympy.sqrt(raw.dot(raw))),
        *((n, r / size) for n, r in zip(names, raw, strict=True)),
    ]
