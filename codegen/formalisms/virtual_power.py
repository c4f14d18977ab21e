# SPDX-License-Identifier: BSD-3-Clause
"""Virtual power: Newton's law ``rho a`` of every point, tested with the field of every coordinate.

The same balance as Kane's, its projections read off the columns of N instead of being obtained by
differentiating the velocity (paper 000 eqs. 57-58): nothing at all is differentiated.
"""

from __future__ import annotations

from flexforge.codegen.formalisms.motion import SecondOrder
from flexforge.codegen.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.ledger import Ledger


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return the balance of virtual power of the nodal coordinates at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the algebra.
    """
    inertia_force = ledger.scale(DENSITY, point.acceleration(ledger), "rho a")
    forces = point.virtual_work(ledger)
    residuals = []
    for k, force in enumerate(forces):
        inertia = ledger.dot(inertia_force, point.shape_matrix[:, k], "rho a")
        residuals.append(ledger.sum("equations", inertia, -force))
    return SecondOrder(tuple(residuals))
