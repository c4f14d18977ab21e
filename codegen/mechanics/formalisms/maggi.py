# SPDX-License-Identifier: BSD-3-Clause
"""Maggi's equations: ``A^T (d/dt dT/dq' - dT/dq - Q) = 0`` under the constraints ``q' = A z + b``.

An element by itself is unconstrained in space: its coordinates q are displacements of its nodes
along axes that do not turn. That the element belongs to a frame which turns is a constraint which
depends on time, ``q = R d`` at every node; differentiated, ``q' = A z + b`` with ``A = R``,
``z = d'`` and ``b = R' d``. So q'' is ``A z' + A' z + b'``, and *both* A' z and b' hold one half
of the Coriolis acceleration: who drops A' z finds a factor of one (Scutaru 2023 section 4.4,
Scutaru 2020).

What is differentiated is written for any R; only then are the axes that do not turn chosen along
those of the frame at the instant considered: R = 1.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger

TEXT = Text(
    title="Maggi's equations",
    start="the energy `T` in more coordinates than needed, and constraints `q' = A z + b`",
    principle="A^T (d/dt dT/dq' - dT/dq - Q) = 0",
    gives="second order, one equation a free speed",
    idea="""Write the kinetic energy in coordinates `q` for which it is simple, though they are not
free. Say in `q' = A z + b` which rates the constraints allow, `z` being the free speeds. The
expressions of Lagrange, multiplied by the transpose of `A`, are the equations: forces that keep the
constraints do no work along `A`, so they drop out.""",
    difference="""Lagrange needs independent coordinates or multipliers. Here neither: there are as
many equations as free speeds. For an element `q` are displacements along axes that do not turn,
where `T` has no coordinates in it at all and `dT/dq` is zero, and the turning frame is the
constraint: `A = R`, `z = d'`, `b = R' d`. All the relative terms come from the derivative of the
constraint, `q'' = A z' + A' z + b'`: one half of Coriolis from `A' z`, the other half from `b'`,
which holds Euler's and the centrifugal term too.""",
    recipe=(
        "Write `T` in the coordinates `q`, whatever constrains them.",
        "Differentiate it as Lagrange does: by `q'`, by time, by `q`.",
        "Write the constraints as `q' = A z + b` and differentiate them: `q'' = A z' + A' z + b'`.",
        "Multiply by the transpose of `A` and put in `q''`.",
        "Subtract the forces, found by virtual work along `z`, and integrate over the element.",
    ),
    useful="""For constraints: coordinates that bodies share, rolling, prescribed motions. Putting
elements together is Maggi's method too, with a constant `A` of zeros and ones. Fewer unknowns than
with multipliers; the reactions are found afterwards.""",
    remark="""`A = R` is left open while it is differentiated; in the equation the axes that do not
turn are those of the frame at this instant. `U = N q`.""",
)


def equations(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return Maggi's equations of the reduced speeds z = d' at a material point.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    c, directions = point.frame.dimension, point.frame.directions
    turn = sympy.Matrix(c, c, lambda i, j: sympy.Symbol(f"R{i + 1}{j + 1}", real=True))
    w = point.frame.tilde(point.frame.angular_velocity)
    turning = ledger.times(turn, w, "R'")
    aligned = dict(zip(turn, sympy.eye(c), strict=True))
    q, speeds, accelerations = (point.nodal(f"q{mark}", c) for mark in ("", "'", "''"))

    carried = ledger.add("v", point.frame.velocity, ledger.times(w, point.position, "v"))
    rates = point.rates() | dict(zip(turn, turning, strict=True))
    moving = rates | dict(zip((*q, *speeds), (*speeds, *accelerations), strict=True))
    velocity = ledger.add(
        "v",
        ledger.times(turn, carried, "v"),
        point.interpolate_in_fixed_axes(q, speeds, turn, moving, ledger),
    )
    ledger.note("v", velocity)
    energy = kinetic_energy(velocity, ledger)

    constrained = _constrained(point, ledger, turn, turning, rates)
    inertia = []
    for coordinate, speed in zip(q, speeds, strict=True):
        momentum = ledger.partial(energy, speed, "dT/dq'")
        change = ledger.total(momentum, moving, "d/dt dT/dq'")
        inertia.append(
            ledger.sum("equations", change, -ledger.partial(energy, coordinate, "dT/dq"))
        )

    known = dict(zip((*q, *speeds, *accelerations), constrained, strict=True))
    # The forces follow from virtual work along z: that is A^T Q, liaison forces have no part in it.
    residuals = []
    for first in range(0, len(inertia), c):
        reduced = ledger.times(turn.T, sympy.Matrix(inertia[first : first + c]), "A^T")
        reduced = directions.T * reduced  # A = R P: no speeds but along the field's directions
        residuals += [entry.xreplace(known).xreplace(aligned) for entry in reduced]
    forces = point.virtual_work(ledger)
    return SecondOrder(
        tuple(
            ledger.sum("equations", residual, -force)
            for residual, force in zip(residuals, forces, strict=True)
        )
    )


def _constrained(
    point: MaterialPoint,
    ledger: Ledger,
    turn: sympy.Matrix,
    turning: sympy.Matrix,
    rates: dict[sympy.Symbol, sympy.Expr],
) -> list[sympy.Expr]:
    """Return q, ``q' = A z + b`` and ``q'' = A z' + A' z + b'``, node by node each.

    ``A = R`` and ``b = R' d``.
    """
    c = point.dimension
    change = turn.applyfunc(lambda entry: ledger.total(entry, rates, "dA/dt"))
    ledger.note("A'", change)
    places: list[sympy.Expr] = []
    speeds: list[sympy.Expr] = []
    accelerations: list[sympy.Expr] = []
    for first in range(0, len(point.coordinates), c):
        node = slice(first, first + c)
        d, z, z_dot = (
            point.frame.directions * sympy.Matrix(part[node])
            for part in (point.coordinates, point.velocities, point.accelerations)
        )
        b = ledger.times(turning, d, "b")
        b_dot = b.applyfunc(lambda entry: ledger.total(entry, rates, "db/dt"))
        places += turn * d
        speeds += turn * z + b
        accelerations += ledger.add(
            "q''", ledger.times(turn, z_dot, "q''"), ledger.times(change, z, "q''"), b_dot
        )
    return [*places, *speeds, *accelerations]
