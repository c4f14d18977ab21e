# SPDX-License-Identifier: BSD-3-Clause
"""Bars: straight or curved, stiff along their axis alone, with mass in every direction."""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.constitutive import YOUNG, Constitutive
from flexforge.codegen.elements.field import Fibre, FieldElement, nodal_position
from flexforge.codegen.elements.interpolation import REFERENCE, nodal_basis, tensor
from flexforge.codegen.elements.sections import SECTION_FORCES
from flexforge.codegen.elements.stiffening import Stiffening, green

AREA = sympy.Symbol("area", real=True)
_LENGTH = sympy.Symbol("length", real=True)


def bar(nodes: int, components: int) -> FieldElement:
    """Return the bar of two or three nodes.

    Parameters
    ----------
    nodes : int
        2, or 3 with the last one between the others.
    components : int
        2 in the plane, 3 in space.
    """
    (xi,) = REFERENCE[:1]
    places = tuple((sympy.Rational(x),) for x in (-1, 1, 0)[:nodes])
    shape = nodal_basis("bar", tensor(1, nodes - 1), places)
    rates = [sympy.diff(h, xi) for h in shape]
    axes = range(components)
    tangent = [sum(rate * nodal_position(a, i) for a, rate in enumerate(rates)) for i in axes]
    names = sympy.symbols(f"tangent1:{components + 1}", real=True)
    eye = sympy.eye(components)

    def spread(factors: list[sympy.Expr]) -> sympy.ImmutableMatrix:
        return sympy.ImmutableMatrix(sympy.Matrix.hstack(*(f * eye for f in factors)))

    along = spread([rate / _LENGTH for rate in rates])
    position = [sum(h * nodal_position(a, i) for a, h in enumerate(shape)) for i in axes]
    direction = sympy.Matrix([names]) / _LENGTH
    name = f"bar{nodes}" + ("_plane" if components == 2 else "")
    return FieldElement(
        name=name,
        cell="interval",
        places=places,
        carried=("displacement",),
        components=components,
        definitions=(
            *zip(names, tangent, strict=True),
            (_LENGTH, sympy.sqrt(sum(t**2 for t in names))),
        ),
        axes=sympy.ImmutableMatrix(eye),
        across=(),
        measure=_LENGTH,
        position=sympy.ImmutableMatrix(position),
        displacement=spread(list(shape)),
        strain=sympy.ImmutableMatrix(direction * along),
        constitutive=Constitutive("bar", ("young",), (), sympy.ImmutableMatrix([[YOUNG]])),
        fibres={purpose: (Fibre((), AREA),) for purpose in ("stiffness", "mass")},
        degree={"stiffness": 2 * (nodes - 2) + 2 * (nodes == 3), "mass": 2 * nodes - 1},
        parameters=("area",),
        stiffening=Stiffening(
            rates=along,
            quadratic=green(1, components),
            law=sympy.ImmutableMatrix([[YOUNG]]),
            linear=sympy.ImmutableMatrix(direction),
        ),
        loose=(nodes - 2) * (components - 1),  # across the bar a middle node is free
        generalized=SECTION_FORCES[name],
        description=f"bar of {nodes} nodes",
    )
