# SPDX-License-Identifier: BSD-3-Clause
"""The work of a torque on the twist of a bent beam, as the beams of the library declare it."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.elements.catalogue import find
from flexforge.codegen.elements.field import FieldElement
from flexforge.codegen.elements.interpolation import REFERENCE


def quadratic(element: FieldElement, q: sympy.Matrix) -> sympy.Expr:
    """Return the second-order part of the twist of an element, the last of its strains."""
    assert element.stiffening is not None
    g = element.stiffening.rates * q
    return sympy.expand((g.T * element.stiffening.quadratic[-1] * g)[0] / 2)


def test_torque_works_as_st_venants_stress_on_greens_shears() -> None:
    """``int (s_xy u_x . u_y + s_xz u_x . u_z) dA`` over a round section, exactly.

    With ``s_xy = - T z / J``, ``s_xz = T y / J`` and the field of the beam after Euler.
    """
    element = find("euler_beam")
    assert isinstance(element, FieldElement)
    q = sympy.Matrix(sympy.symbols("q1:13", real=True))
    offsets = dict.fromkeys(sympy.symbols("offset_y offset_z", real=True), 0)
    length = sympy.Symbol("length", real=True)
    u = (element.displacement * q).subs(offsets)
    y, z = element.across
    along, a, b = u.diff(REFERENCE[0]) * 2 / length, u.diff(y), u.diff(z)
    radius, distance, angle = sympy.symbols("R r phi", positive=True)
    density = (y * along.dot(b) - z * along.dot(a)) / (sympy.pi * radius**4 / 2)
    polar = {y: distance * sympy.cos(angle), z: distance * sympy.sin(angle)}
    around = sympy.integrate(
        sympy.expand(density).subs(polar).expand() * distance, (angle, 0, 2 * sympy.pi)
    )
    work = sympy.integrate(around.expand(), (distance, 0, radius))
    assert sympy.expand(work - quadratic(element, q).subs(offsets)) == 0


@pytest.mark.parametrize("name", ["timoshenko_beam", "euler_beam"])
def test_laminated_beams_have_the_same_twist_and_all_of_their_torque(name: str) -> None:
    """The same second-order strain; its stress is the torque, that of bending plies too."""
    beam, laminate = find(name), find(f"{name}_laminate")
    assert isinstance(beam, FieldElement) and isinstance(laminate, FieldElement)
    assert beam.stiffening is not None and laminate.stiffening is not None
    assert laminate.stiffening.quadratic == beam.stiffening.quadratic
    area, poisson, young = sympy.symbols("area poisson young", real=True)
    torsion, rigidity, coupling = sympy.symbols("torsion GJ BT", real=True)
    shear = young / (2 * (1 + poisson))
    assert sympy.simplify(beam.stiffening.law[1, 1] - shear * torsion / area) == 0
    strains = sympy.Matrix(sympy.symbols("s1:4"))
    law = (laminate.stiffening.law * strains)[1] * area
    assert sympy.expand(law - rigidity * strains[1] - coupling * strains[2]) == 0
    rows = laminate.stiffening.strain
    assert rows is not None
    coupled = [k for k, one in enumerate(laminate.constitutive.matrix[-1, :]) if one]
    for row, number in zip((rows[2, :], rows[1, :]), coupled, strict=True):
        assert row == laminate.strain[number, :]
