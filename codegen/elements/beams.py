# SPDX-License-Identifier: BSD-3-Clause
"""Beams: straight, of two nodes, after Euler and Bernoulli or after Timoshenko.

The axis through the centroids may lie off the line of the nodes, at the ends of rigid arms.

The deflection is the cubic, the rotation the quadratic, that satisfy equilibrium without load:
``E I theta'' + kappa G A (v' - theta) = 0``. So the shear never locks, and with
``phi = 12 E I / (kappa G A L^2)`` zero the beam is Euler's (Friedman and Kosmatka, Computers and
Structures 47, 1993).
"""

from __future__ import annotations

import sympy
from flexforge.codegen.elements.axes import ORIENTATION, local_axes
from flexforge.codegen.elements.bars import AREA
from flexforge.codegen.elements.constitutive import POISSON, YOUNG, Constitutive
from flexforge.codegen.elements.field import (
    Definition,
    Fibre,
    FieldElement,
    linear_forms,
    nodal_position,
)
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.elements.sections import SECTION_FORCES

_LENGTH = sympy.Symbol("length", real=True)
_SHEAR_MODULUS = YOUNG / (2 * (1 + POISSON))
_XI = REFERENCE[0]
_PLACES = ((sympy.Integer(-1),), (sympy.Integer(1),))
#: Distance from the axis, along each of the lateral axes.
_ACROSS = dict(zip("yz", sympy.symbols("across_y across_z", real=True), strict=True))
#: Second moments of area that resist deflection along y and along z: int y^2 dA, int z^2 dA.
_MOMENT = dict(zip("yz", sympy.symbols("inertia_z inertia_y", real=True), strict=True))
_RADIUS = dict(zip("yz", sympy.symbols("gyration_y gyration_z", real=True), strict=True))
_SOFTNESS = dict(zip("yz", sympy.symbols("softness_y softness_z", real=True), strict=True))
_FACTOR = dict(zip("yz", sympy.symbols("shear_y shear_z", real=True), strict=True))
_TORSION = sympy.Symbol("torsion", real=True)
#: Where the axis of the beam is, from the line of its nodes along the lateral axes.
_OFFSET = dict(zip("yz", sympy.symbols("offset_y offset_z", real=True), strict=True))

Ends = tuple[dict[str, sympy.Expr], ...]


def beam(components: int, *, shear: bool) -> FieldElement:
    """Return the beam of two nodes.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    shear : bool
        Whether shear deforms it (Timoshenko) or not (Euler and Bernoulli).
    """
    lateral = "y" if components == 2 else "yz"
    nodes = tuple(_coordinates(end, components) for end in (1, 2))
    columns = [c for node in nodes for c in node.values()]
    ends = tuple(_at_axis(node) for node in nodes)
    axial = _linear(ends, "u")
    bent = {d: _bending(ends, d, _SOFTNESS[d] if shear else sympy.Integer(0)) for d in lateral}
    field = [axial - sum(_ACROSS[d] * turn for d, (_, turn) in bent.items())]
    field += [deflection for deflection, _ in bent.values()]
    strains = {"tension": (_along(axial), YOUNG)}
    for d, (deflection, turn) in bent.items():
        strains[f"bending_{d}"] = _along(turn), YOUNG * _MOMENT[d] / AREA
        if shear:
            strains[f"shearing_{d}"] = _along(deflection) - turn, _FACTOR[d] * _SHEAR_MODULUS
    if components == 3:
        twist = _linear(ends, "r1")
        field[1] -= _ACROSS["z"] * twist
        field[2] += _ACROSS["y"] * twist
        strains["twisting"] = _along(twist), _SHEAR_MODULUS * _TORSION / AREA
    name = f"{'timoshenko' if shear else 'euler'}_beam" + ("_plane" if components == 2 else "")
    definitions, axes = _axes(components)
    definitions += [(_RADIUS[d], sympy.sqrt(_MOMENT[d] / AREA)) for d in lateral]
    if shear:
        definitions += [(_SOFTNESS[d], _softness(d)) for d in lateral]
    displacement = linear_forms(field, columns).applyfunc(sympy.factor)
    generalized = linear_forms([strain for strain, _ in strains.values()], columns)
    moduli = [sympy.Symbol(name, real=True) for name in strains]
    law = Constitutive(
        "beam",
        ("young", "poisson") if shear or components == 3 else ("young",),
        tuple((m, value) for m, (_, value) in zip(moduli, strains.values(), strict=True)),
        sympy.ImmutableMatrix(sympy.diag(*moduli)),
    )
    return FieldElement(
        name=name,
        cell="interval",
        places=_PLACES,
        carried=("displacement", "rotation"),
        components=components,
        definitions=tuple(definitions),
        axes=axes,
        across=tuple(_ACROSS[d] for d in lateral),
        measure=_LENGTH / 2,
        position=_position(axes, lateral),
        displacement=displacement,
        slopes=(sympy.ImmutableMatrix(displacement.applyfunc(_along)),),
        along=sympy.ImmutableMatrix(sympy.eye(components)[:1, :]),
        strain=generalized.applyfunc(sympy.factor),
        constitutive=law,
        fibre_law=sympy.ImmutableMatrix([[YOUNG]]),
        fibres={"stiffness": (Fibre((sympy.Integer(0),) * len(lateral), AREA),),
                "mass": _fibres(lateral)},
        degree={"stiffness": 2, "mass": 6},
        parameters=_parameters(lateral, shear=shear),
        generalized=SECTION_FORCES[name],
        description=f"beam after {'Timoshenko' if shear else 'Euler and Bernoulli'}",
    )  # fmt: skip


def _coordinates(end: int, components: int) -> dict[str, sympy.Symbol]:
    """Return the local coordinates of an end by name: displacements, then rotations.

    In the plane the only rotation comes first, and a coordinate that moves nothing fills up.
    """
    names = ("u", "y", "r3", "") if components == 2 else ("u", "y", "z", "r1", "r2", "r3")
    return {name: sympy.Symbol(f"{name}_{end}", real=True) for name in names}


def _at_axis(node: dict[str, sympy.Symbol]) -> dict[str, sympy.Expr]:
    """Return the coordinates where the axis of the beam ends: u + r x offset."""
    y, z = _OFFSET["y"], _OFFSET["z"]
    if "z" not in node:
        return node | {"u": node["u"] - node["r3"] * y}
    return node | {
        "u": node["u"] + node["r2"] * z - node["r3"] * y,
        "y": node["y"] - node["r1"] * z,
        "z": node["z"] + node["r1"] * y,
    }


def _along(value: sympy.Expr) -> sympy.Expr:
    """Return the derivative along the axis."""
    return sympy.diff(value, _XI) * 2 / _LENGTH


def _linear(ends: Ends, name: str) -> sympy.Expr:
    first, second = (end[name] for end in ends)
    return first * (1 - _XI) / 2 + second * (1 + _XI) / 2


def _bending(ends: Ends, axis: str, softness: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr]:
    """Return the deflection along an axis, and the turn of the sections that goes with it.

    A section that turns by t moves its fibres by - y t: t is the rotation about z, and for the
    deflection along z the negative rotation about y.
    """
    unknowns = sympy.symbols("c0:4")
    deflection = sum(c * _XI**k for k, c in enumerate(unknowns))
    bend = _along(_along(_along(deflection)))
    turn = _along(deflection) + softness * _LENGTH**2 / 12 * bend
    about, sign = ("r3", 1) if axis == "y" else ("r2", -1)
    conditions = []
    for (place,), end in zip(_PLACES, ends, strict=True):
        conditions += [deflection.subs(_XI, place) - end[axis],
                       turn.subs(_XI, place) - sign * end[about]]  # fmt: skip
    known = sympy.solve(conditions, unknowns)
    return deflection.subs(known), turn.subs(known)


def _axes(components: int) -> tuple[list[Definition], sympy.ImmutableMatrix]:
    """Return the definitions of length and axes; y lies in the plane of axis and orientation."""
    span = [nodal_position(1, i) - nodal_position(0, i) for i in range(components)]
    along = sympy.symbols(f"along1:{components + 1}", real=True)
    length = sympy.sqrt(sum(s**2 for s in span))
    definitions = [(_LENGTH, length)]
    definitions += [(a, s / _LENGTH) for a, s in zip(along, span, strict=True)]
    others, axes = local_axes(along)
    return definitions + others, axes


def _softness(axis: str) -> sympy.Expr:
    """Return 12 E I / (kappa G A L^2): how much shear adds to bending."""
    stiffness = _FACTOR[axis] * _SHEAR_MODULUS * AREA * _LENGTH**2
    return sympy.cancel(12 * YOUNG * _MOMENT[axis] / stiffness)


def _position(axes: sympy.ImmutableMatrix, lateral: str) -> sympy.ImmutableMatrix:
    """Return where a point of the undeformed beam is."""
    shape = ((1 - _XI) / 2, (1 + _XI) / 2)
    middle = [sum(h * nodal_position(a, i) for a, h in enumerate(shape)) for i in range(axes.cols)]
    offsets = [axes[k + 1, :].T * (_OFFSET[d] + _ACROSS[d]) for k, d in enumerate(lateral)]
    return sympy.ImmutableMatrix(sum(offsets, sympy.Matrix(middle)))


def _fibres(lateral: str) -> tuple[Fibre, ...]:
    """Return points of equal area with the area, the moments and the centre of the section."""
    count = 2 * len(lateral)
    reach = sympy.sqrt(len(lateral))
    return tuple(
        Fibre(tuple(sign * reach * _RADIUS[d] if d == one else sympy.Integer(0) for d in lateral),
              AREA / count)
        for one in lateral
        for sign in (-1, 1)
    )  # fmt: skip


def _parameters(lateral: str, *, shear: bool) -> tuple[str, ...]:
    """Return the names of section and orientation, in the order of the kernels' arguments."""
    names = [AREA.name, *(_MOMENT[d].name for d in lateral), *(_OFFSET[d].name for d in lateral)]
    if shear:
        names += [_FACTOR[d].name for d in lateral]
    if len(lateral) == 2:
        names += [_TORSION.name, *(o.name for o in ORIENTATION)]
    return tuple(names)
