# SPDX-License-Identifier: BSD-3-Clause
"""Beams: straight, of two nodes, after Euler and Bernoulli or after Timoshenko.

The axis through the centroids may lie off the line of the nodes, at the ends of rigid arms.

The deflection is the cubic, the rotation the quadratic, that satisfy equilibrium without load:
``E I theta'' + kappa G A (v' - theta) = 0``. So the shear never locks, and with
``phi = 12 E I / (kappa G A L^2)`` zero the beam is Euler's (Friedman and Kosmatka, Computers and
Structures 47, 1993).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
from flexforge.codegen.elements.stiffening import Stiffening, green

_ZERO = sympy.Integer(0)
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
#: How plies at an angle couple the bend that goes with a deflection along z to the twist.
_BEND_TWIST = sympy.Symbol("BT", real=True)
#: Where the axis of the beam is, from the line of its nodes along the lateral axes.
_OFFSET = dict(zip("yz", sympy.symbols("offset_y offset_z", real=True), strict=True))

Ends = tuple[dict[str, sympy.Expr], ...]


@dataclass(frozen=True)
class _Section:
    """What a section has of stiffness, and the points that stand for it.

    Attributes
    ----------
    constants : tuple of str
        Parameters of the law.
    parameters : tuple of str
        What the section has besides.
    tension, torsion : sympy.Expr
        Stiffness E A and G J.
    bending, shear : dict
        E I and kappa G A by the direction of the deflection.
    definitions : tuple
        Names that places of fibres are made of.
    fibre_modulus : sympy.Expr
        From the strain of a fibre to its stress.
    fibres : dict
        Points by purpose.
    """

    constants: tuple[str, ...]
    parameters: tuple[str, ...]
    tension: sympy.Expr
    torsion: sympy.Expr
    bending: dict[str, sympy.Expr]
    shear: dict[str, sympy.Expr]
    definitions: tuple[Definition, ...]
    fibre_modulus: sympy.Expr
    fibres: dict[str, tuple[Fibre, ...]]


def beam(components: int, *, shear: bool, laminate: bool = False) -> FieldElement:
    """Return the beam of two nodes.

    Parameters
    ----------
    components : int
        2 in the plane, 3 in space.
    shear : bool
        Whether shear deforms it (Timoshenko) or not (Euler and Bernoulli).
    laminate : bool
        Of a section of plies, in space: its stiffness and where its mass lies are given, from the
        axis along which tension does not bend it.
    """
    lateral = "y" if components == 2 else "yz"
    section = _plies(shear=shear) if laminate else _one_material(lateral, shear=shear)
    nodes = tuple(_coordinates(end, components) for end in (1, 2))
    columns = [c for node in nodes for c in node.values()]
    ends = tuple(_at_axis(node) for node in nodes)
    axial = _linear(ends, "u")
    bent = {d: _bending(ends, d, _SOFTNESS[d] if shear else sympy.Integer(0)) for d in lateral}
    portion = section.fibres["stiffness"][0].weight
    field = [axial - sum(_ACROSS[d] * turn for d, (_, turn) in bent.items())]
    field += [deflection for deflection, _ in bent.values()]
    strains = {"tension": (_along(axial), section.tension / portion)}
    for d, (deflection, turn) in bent.items():
        strains[f"bending_{d}"] = _along(turn), section.bending[d] / portion
        if shear:
            strains[f"shearing_{d}"] = _along(deflection) - turn, section.shear[d] / portion
    if components == 3:
        twist = _linear(ends, "r1")
        field[1] -= _ACROSS["z"] * twist
        field[2] += _ACROSS["y"] * twist
        strains["twisting"] = _along(twist), section.torsion / portion
    name = f"{'timoshenko' if shear else 'euler'}_beam" + ("_plane" if components == 2 else "")
    name += "_laminate" if laminate else ""
    definitions, axes = _axes(components)
    definitions += section.definitions
    if shear:
        definitions += [(_SOFTNESS[d], _softness(section, d)) for d in lateral]
    displacement = linear_forms(field, columns).applyfunc(sympy.factor)
    generalized = linear_forms([strain for strain, _ in strains.values()], columns)
    moduli = [sympy.Symbol(name, real=True) for name in strains]
    matrix = sympy.diag(*moduli)
    if laminate:
        bend, twist = (list(strains).index(name) for name in ("bending_z", "twisting"))
        matrix[bend, twist] = matrix[twist, bend] = _BEND_TWIST
    law = Constitutive(
        "laminated_beam" if laminate else "beam",
        section.constants,
        tuple((m, value) for m, (_, value) in zip(moduli, strains.values(), strict=True)),
        sympy.ImmutableMatrix(matrix),
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
        strain=generalized.applyfunc(sympy.factor),
        constitutive=law,
        fibres=section.fibres,
        degree={"stiffness": 2, "mass": 6} | ({"geometric": 6} if laminate else {}),
        parameters=section.parameters,
        stiffening=Stiffening(
            rates=sympy.ImmutableMatrix(displacement.applyfunc(_along)),
            quadratic=green(1, components),
            law=sympy.ImmutableMatrix([[section.fibre_modulus]]),
            linear=sympy.ImmutableMatrix(sympy.eye(components)[:1, :]),
        ),
        generalized=SECTION_FORCES[name],
        description=f"{'laminated ' if laminate else ''}beam after "
        f"{'Timoshenko' if shear else 'Euler and Bernoulli'}",
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


def _softness(section: _Section, axis: str) -> sympy.Expr:
    """Return 12 E I / (kappa G A L^2): how much shear adds to bending."""
    return sympy.cancel(12 * section.bending[axis] / (section.shear[axis] * _LENGTH**2))


def _position(axes: sympy.ImmutableMatrix, lateral: str) -> sympy.ImmutableMatrix:
    """Return where a point of the undeformed beam is."""
    shape = ((1 - _XI) / 2, (1 + _XI) / 2)
    middle = [sum(h * nodal_position(a, i) for a, h in enumerate(shape)) for i in range(axes.cols)]
    offsets = [axes[k + 1, :].T * (_OFFSET[d] + _ACROSS[d]) for k, d in enumerate(lateral)]
    return sympy.ImmutableMatrix(sum(offsets, sympy.Matrix(middle)))


def _fibres(radius: Mapping[str, sympy.Expr], centre: sympy.Expr = _ZERO) -> tuple[Fibre, ...]:
    """Return points of equal area with the area, the moments and the centre of the section.

    The centre lies on the last of the lateral axes.
    """
    lateral = tuple(radius)
    count, reach = 2 * len(lateral), sympy.sqrt(len(lateral))
    middle = {d: centre if d == lateral[-1] else sympy.Integer(0) for d in lateral}
    return tuple(
        Fibre(tuple(middle[d] + (sign * reach * radius[d] if d == one else 0) for d in lateral),
              AREA / count)
        for one in lateral
        for sign in (-1, 1)
    )  # fmt: skip


def _one_material(lateral: str, *, shear: bool) -> _Section:
    """Return the section of one material."""
    names = [AREA.name, *(_MOMENT[d].name for d in lateral), *(_OFFSET[d].name for d in lateral)]
    if shear:
        names += [_FACTOR[d].name for d in lateral]
    if len(lateral) == 2:
        names += [_TORSION.name, *(o.name for o in ORIENTATION)]
    return _Section(
        constants=("young", "poisson") if shear or len(lateral) == 2 else ("young",),
        parameters=tuple(names),
        tension=YOUNG * AREA,
        torsion=_SHEAR_MODULUS * _TORSION,
        bending={d: YOUNG * _MOMENT[d] for d in lateral},
        shear={d: _FACTOR[d] * _SHEAR_MODULUS * AREA for d in lateral},
        definitions=tuple((_RADIUS[d], sympy.sqrt(_MOMENT[d] / AREA)) for d in lateral),
        fibre_modulus=YOUNG,
        fibres={"stiffness": (Fibre((sympy.Integer(0),) * len(lateral), AREA),),
                "mass": _fibres({d: _RADIUS[d] for d in lateral})},
    )  # fmt: skip


def _plies(*, shear: bool) -> _Section:
    """Return the section of plies, of which the figures of stiffness are given."""
    tension, torsion = sympy.symbols("EA GJ", real=True)
    bending = dict(zip("yz", sympy.symbols("EIz EIy", real=True), strict=True))
    shears = dict(zip("yz", sympy.symbols("GAy GAz", real=True), strict=True))
    stretch = dict(zip("yz", sympy.symbols("elastic_y elastic_z", real=True), strict=True))
    centre = sympy.Symbol("mass_centre", real=True)
    given = (tension, *bending.values(), *(shears.values() if shear else ()), torsion,
             _BEND_TWIST)  # fmt: skip
    names = (AREA, *_RADIUS.values(), centre, *_OFFSET.values(), *ORIENTATION)
    return _Section(
        constants=tuple(symbol.name for symbol in given),
        parameters=tuple(symbol.name for symbol in names),
        tension=tension,
        torsion=torsion,
        bending=bending,
        shear=shears,
        definitions=tuple((stretch[d], sympy.sqrt(bending[d] / tension)) for d in "yz"),
        fibre_modulus=tension / AREA,
        fibres={"stiffness": (Fibre((sympy.Integer(0),) * 2, sympy.Integer(1)),),
                "mass": _fibres(_RADIUS, centre),
                "geometric": _fibres(stretch)},
    )  # fmt: skip
