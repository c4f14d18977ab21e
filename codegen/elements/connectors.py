# SPDX-License-Identifier: BSD-3-Clause
"""Springs and bushings: stiffness without mass, between two nodes or between a node and the frame.

The strains are relative displacements and rotations in local axes. With damping coefficients in
place of stiffnesses the same matrix describes a damper.
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy
from flexforge.codegen.elements.axes import ORIENTATION, local_axes
from flexforge.codegen.elements.constitutive import Constitutive
from flexforge.codegen.elements.field import (
    Definition,
    Fibre,
    FieldElement,
    linear_forms,
    nodal_position,
)
from flexforge.codegen.elements.stiffening import Stiffening, green

#: Direction of the first local axis, in the frame, of any length.
AXIS = sympy.symbols("axis1:4", real=True)
#: Position of a bushing between its nodes: 0 at the first, 1 at the second.
LOCATION = sympy.Symbol("location", real=True)
#: Names of the relative displacements and rotations, in the order of the law.
STRAINS = {2: ("x", "y", "rz"), 3: ("x", "y", "z", "rx", "ry", "rz")}
#: Units of the coefficients of its law, by the number of rotations among their two motions.
_UNITS = ("N/m", "N", "N m")
_LENGTH = sympy.Symbol("length", real=True)
_STIFFNESS = sympy.Symbol("stiffness", real=True)
_WHOLE = (Fibre((), sympy.Integer(1)),)


def spring(components: int) -> FieldElement:
    """Return a spring along the line between two nodes; its axial force stiffens it laterally.

    It is a bar with ``E A`` equal to stiffness times length.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    """
    span = _span(components)
    along = sympy.symbols(f"along1:{components + 1}", real=True)
    eye = sympy.eye(components)
    slope = sympy.Matrix.hstack(-eye, eye) / _LENGTH
    direction = sympy.Matrix([along])
    rigidity = sympy.ImmutableMatrix([[_STIFFNESS * _LENGTH]])
    return FieldElement(
        name="spring" + ("_plane" if components == 2 else ""),
        cell="interval",
        places=((sympy.Integer(-1),), (sympy.Integer(1),)),
        carried=("displacement",),
        components=components,
        definitions=(
            (_LENGTH, sympy.sqrt(sum(s**2 for s in span))),
            *((a, s / _LENGTH) for a, s in zip(along, span, strict=True)),
        ),
        axes=sympy.ImmutableMatrix(eye),
        across=(),
        measure=_LENGTH / 2,
        position=_middle(components),
        displacement=sympy.ImmutableMatrix(sympy.zeros(components, 2 * components)),
        strain=sympy.ImmutableMatrix(direction * slope),
        constitutive=Constitutive("spring", (_STIFFNESS.name,), (), rigidity),
        fibres={"stiffness": _WHOLE, "geometric": _WHOLE},
        degree={"stiffness": 1, "geometric": 1},
        density=None,
        stiffening=Stiffening(
            rates=sympy.ImmutableMatrix(slope),
            quadratic=green(1, components),
            law=rigidity,
            linear=sympy.ImmutableMatrix(direction),
        ),
        description="spring along the line between two nodes",
    )


def bushing(components: int, *, grounded: bool) -> FieldElement:
    """Return a bushing: stiffness in all directions and about all axes, with couplings.

    Rigid arms connect the nodes to the bushing, and the strain is the relative displacement of
    their ends: a rigid motion of nodes at a distance takes no energy.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    grounded : bool
        Whether it connects one node to the frame instead of two nodes to each other.
    """
    ends = (1,) if grounded else (1, 2)
    u = [_symbols(f"u{end}_", components) for end in ends]
    r = [_symbols(f"r{end}_", 1 if components == 2 else 3) for end in ends]
    definitions, axes = _axes(components)
    moved, turned = sympy.Matrix(u[-1]), sympy.Matrix(r[-1])
    if not grounded:
        reach = sympy.Matrix(_symbols("reach", components))
        span = axes * sympy.Matrix(_span(components))
        definitions += list(zip(reach, span, strict=True))
        moved += _cross(r[1], reach) * (LOCATION - 1)
        moved -= sympy.Matrix(u[0]) + _cross(r[0], reach) * LOCATION
        turned -= sympy.Matrix(r[0])
    columns = []
    for shift, turn in zip(u, r, strict=True):
        filling = () if components == 3 else (sympy.Symbol("filling", real=True),)
        columns += [*shift, *turn, *filling]
    return FieldElement(
        name=("ground_bushing" if grounded else "bushing") + ("_plane" if components == 2 else ""),
        cell="point" if grounded else "interval",
        places=((),) if grounded else ((sympy.Integer(-1),), (sympy.Integer(1),)),
        carried=("displacement", "rotation"),
        components=components,
        definitions=tuple(definitions),
        axes=axes,
        across=(),
        measure=sympy.Integer(1) if grounded else sympy.Rational(1, 2),
        position=_middle(components),
        displacement=sympy.ImmutableMatrix(sympy.zeros(components, len(columns))),
        strain=linear_forms([*moved, *turned], columns),
        constitutive=_law(components),
        fibres={"stiffness": _WHOLE},
        degree={"stiffness": 1},
        parameters=(
            *(a.name for a in AXIS[:components]),
            *(o.name for o in ORIENTATION if components == 3),
            *(() if grounded else (LOCATION.name,)),
        ),
        density=None,
        description="bushing between a node and the frame"
        if grounded
        else "bushing between two nodes",
        units={
            stiffness_name(a, b): _UNITS[a.startswith("r") + b.startswith("r")]
            for a in STRAINS[components]
            for b in STRAINS[components]
        },
    )


def stiffness_name(row: str, column: str) -> str:
    """Return the parameter that couples two of :data:`STRAINS`, in either order."""
    order = STRAINS[3]
    first, second = sorted((row, column), key=order.index)
    return f"stiffness_{first}_{second}"


def _law(components: int) -> Constitutive:
    """Return the full symmetric law between relative motions and forces."""
    names = STRAINS[components]
    matrix = sympy.ImmutableMatrix(
        [[sympy.Symbol(stiffness_name(a, b), real=True) for b in names] for a in names]
    )
    parameters = tuple(stiffness_name(a, b) for i, a in enumerate(names) for b in names[i:])
    return Constitutive("bushing", parameters, (), matrix)


def _axes(components: int) -> tuple[list[Definition], sympy.ImmutableMatrix]:
    """Return the local axes, x along the given direction."""
    given = AXIS[:components]
    size = sympy.Symbol("axis_length", real=True)
    along = _symbols("along", components)
    definitions = [(size, sympy.sqrt(sum(a**2 for a in given)))]
    definitions += [(name, a / size) for name, a in zip(along, given, strict=True)]
    others, axes = local_axes(along)
    return definitions + others, axes


def _symbols(name: str, count: int) -> tuple[sympy.Symbol, ...]:
    return tuple(sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(count))


def _cross(turn: Sequence[sympy.Symbol], arm: sympy.Matrix) -> sympy.Matrix:
    """Return the displacement of the end of an arm under a rotation."""
    if len(turn) == 1:
        return sympy.Matrix([-turn[0] * arm[1], turn[0] * arm[0]])
    return sympy.Matrix(turn).cross(arm)


def _span(components: int) -> list[sympy.Expr]:
    return [nodal_position(1, i) - nodal_position(0, i) for i in range(components)]


def _middle(components: int) -> sympy.ImmutableMatrix:
    """Return a dummy position: elements without mass never use it."""
    return sympy.ImmutableMatrix([nodal_position(0, i) for i in range(components)])
