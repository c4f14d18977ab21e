# SPDX-License-Identifier: BSD-3-Clause
"""The quadrilateral of Dvorkin and Bathe (MITC4), a shell in space that does not lock in shear.

A normal stands on every node; what turns it, and the bilinear middle surface, carry the field. The
transverse shears are taken at the middles of the sides and are linear between opposite ones
(Engineering Computations 1, 1984), so that a thin shell bends without them.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.field import Definition, FieldElement, linear_forms, nodal_position
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.sections import SECTION_FORCES
from flexforge.codegen.elements.shells import (
    ACROSS,
    ORIENTATION,
    isotropic_law,
    laminate_fibres,
    laminate_law,
    plate_fibres,
    section_parameters,
    stress_law,
    unit_in_plane,
)

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
    strains = [*_surface(middle, tip), *_shears(moved, tipped), _drilling(middle, turned)]
    name = "mitc4_laminate" if laminate else "mitc4"
    displacement = linear_forms(list(field), columns)
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
        slopes=tuple(sympy.ImmutableMatrix(_slope(displacement, axis)) for axis in range(2)),
        along=sympy.ImmutableMatrix([list(_AXES[0]), list(_AXES[1])]),
        strain=linear_forms(strains, columns),
        constitutive=laminate_law(shear=True) if laminate else isotropic_law(shear=True),
        fibre_law=stress_law(laminate=laminate),
        fibres=laminate_fibres() if laminate else plate_fibres(),
        degree={"stiffness": 3, "mass": 3} | ({"geometric": 3} if laminate else {}),
        parameters=section_parameters(laminate=laminate),
        generalized=SECTION_FORCES[name],
        description="shell of Dvorkin and Bathe" + (", laminate" if laminate else ""),
    )  # fmt: skip


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


def _local(covariant: sympy.Matrix) -> list[sympy.Expr]:
    """Return the strains xx, yy and xy of symmetric covariant ones."""
    found = _INVERSE * covariant * _INVERSE.T
    return [found[0, 0], found[1, 1], 2 * found[0, 1]]


def _surface(middle: sympy.Matrix, tip: sympy.Matrix) -> list[sympy.Expr]:
    """Return membrane strains and curvatures, which is all that is even and odd in the height."""
    parts = []
    for even in (True, False):
        covariant = sympy.zeros(2, 2)
        for i, a in enumerate((_R, _S)):
            for j, b in enumerate((_R, _S)):
                strain = middle.diff(a).dot(_TANGENT[b])
                if not even:
                    strain = tip.diff(a).dot(_TANGENT[b]) + middle.diff(a).dot(_CHANGE[b])
                covariant[i, j] += strain / 2
                covariant[j, i] += strain / 2
        parts += _local(covariant)
    return parts


def _shears(moved: list[sympy.Matrix], tipped: list[sympy.Matrix]) -> list[sympy.Expr]:
    """Return the transverse shears: those at the middles of the sides, linear in between."""
    covariant = sympy.zeros(2, 1)
    sides = {0: (((0, 1), -_S), ((3, 2), _S)), 1: (((0, 3), -_R), ((1, 2), _R))}
    for axis, pair in sides.items():
        for (i, j), place in pair:
            normal = (_NORMALS[i] + _NORMALS[j]) / 2
            span = (_corner(j) - _corner(i)) / 2
            shear = span.dot(tipped[i] + tipped[j]) / 2 + (moved[j] - moved[i]).dot(normal) / 2
            covariant[axis] += (1 + place) / 2 * shear
    return list(_INVERSE * covariant)


def _drilling(middle: sympy.Matrix, turned: list[sympy.Matrix]) -> sympy.Expr:
    """Return how much more the nodes turn about the normal than the surface does."""
    first, second, normal = _AXES
    twist = _slope(middle, 0).dot(second) - _slope(middle, 1).dot(first)
    return _blend(turned).dot(normal) - twist / 2


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
    return found


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
