# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's equations: ``d/dt dL/dd' - dL/dd = 0`` with ``L = T - V + W``.

Three families of differentiations, by the velocities, by time, by the coordinates (Scutaru 2023
section 4.1, Vlase 2022 section 5.1).
"""

from __future__ import annotations

from flexforge.codegen.mechanics.formalisms.energies import lagrangian
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger

TEXT = Text(
    title="Lagrange's equations",
    start="the Lagrangian `L = T - V + W`",
    principle="d/dt dL/dd' - dL/dd = 0",
    gives="second order, one equation per coordinate",
    idea="""Write one scalar, the kinetic energy minus the strain energy plus the work of the
forces, as a function of the nodal coordinates and their rates. The rest is differentiation: no
inertia forces have to be drawn, and forces that do no work never appear.""",
    difference="""This is the method most engineers know, and the reference for the others. In a
moving frame one point is easily overlooked: through `w~ N d` the velocity, and thus the kinetic
energy, depends on `d` too. One half of the Coriolis term follows from `d/dt dL/dd'`, the other half
from `dL/dd`; the Euler term follows from the former alone, the centrifugal term from the latter.
Treating `T` as a function of `d'` only loses these contributions.""",
    recipe=(
        "Write the velocity `v` of a material point and its kinetic energy `T`.",
        "Write the strain energy `V` and the work `W` of the forces: `L = T - V + W`.",
        "Differentiate `L` by every `d'`: the momenta.",
        "Differentiate the momenta by time; `d`, `d'`, `w` and `v_O` all change.",
        "Differentiate `L` by every `d`, subtract, and integrate over the element.",
    ),
    useful="""If the energies are easy to write and the coordinates are independent. Constraints are
appended with multipliers, which gives n + m unknowns.""",
)


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return Lagrange's equations of the nodal coordinates at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    energy = lagrangian(point, ledger)
    rates = point.rates()
    residuals = []
    for coordinate, velocity in zip(point.coordinates, point.velocities, strict=True):
        momentum = ledger.partial(energy, velocity, "dL/dd'")
        change = ledger.total(momentum, rates, "d/dt dL/dd'")
        force = ledger.partial(energy, coordinate, "dL/dd")
        residuals.append(ledger.sum("equations", change, -force))
    return SecondOrder(tuple(residuals))
