# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's equations: ``d' = dH/dp``, ``p' = -dH/dd`` with ``H = p.d' - L``.

The Legendre transform asks for d' as a function of p: ``m d' = p - c d - s``. m is never inverted:
d' stands for the solution g of that system, whose derivative is known without it. With
``y = p - c d - s``, ``m g = y`` and L_0 what is left of L at d' = 0,

    H = 1/2 y.m^-1 y - L_0,     d(1/2 y.m^-1 y) = g.dy,

so the derivatives of H are those of ``g.p - g.(c d + s) - L_0`` with g held. The equations need w
and v_O, but neither e nor a_O (papers 000 section 4.3, 003 section 6).
"""

from __future__ import annotations

import sympy
from flexforge.codegen.formalisms.energies import lagrangian
from flexforge.codegen.formalisms.motion import FirstOrder
from flexforge.codegen.kinematics import MaterialPoint
from flexforge.codegen.ledger import Ledger


def equations(point: MaterialPoint, ledger: Ledger) -> FirstOrder:
    """Return Hamilton's equations of the nodal coordinates and momenta at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point; its velocities d' stand for the solution g.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    energy = lagrangian(point, ledger)
    momenta = [ledger.partial(energy, velocity, "dL/dd'") for velocity in point.velocities]

    at_rest = dict.fromkeys(point.velocities, sympy.Integer(0))
    of_frame = sympy.Matrix([momentum.xreplace(at_rest) for momentum in momenta])
    rates = sympy.Matrix(point.velocities)
    # The part of -H that depends on d: g.(c d + s) + L_0. The rest, p.g, gives d' = dH/dp = g.
    potential = ledger.sum("H", ledger.dot(rates, of_frame, "H"), energy.xreplace(at_rest))
    ledger.note("H", -potential)
    forces = [ledger.partial(potential, coordinate, "dH/dd") for coordinate in point.coordinates]
    return FirstOrder(tuple(momenta), tuple(forces))
