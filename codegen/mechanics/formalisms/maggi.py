# SPDX-License-Identifier: BSD-3-Clause
"""Maggi's equations: ``A^T (d/dt dT/dq' - dT/dq - Q) = 0`` under the constraints ``q' = A z + b``.

An element by itself is unconstrained in space: its coordinates q are nodal displacements along
fixed axes. The rotation of the frame to which the element belongs is a time-dependent constraint,
``q = R d`` at every node; differentiated, ``q' = A z + b`` with ``A = R``, ``z = d'`` and
``b = R' d``. Then q'' is ``A z' + A' z + b'``, where A' z and b' *each* contain one half of the
Coriolis acceleration: without A' z its factor would be one instead of two (Scutaru 2023
section 4.4, Scutaru 2020).

Derivatives are taken for arbitrary R; only afterwards are the fixed axes aligned with those of the
frame at the current instant: R = 1.

The coordinates of a system of bodies are its own; A and b follow from its speeds and constraints,
holonomic or not.

In a free frame the coordinates q are those of the point itself along fixed axes, which the speeds
``z = (v_O, w, d')`` move by ``q' = A z``, ``A = R [1, -x_d~, N]``, b = 0.
"""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy, lagrangian
from flexforge.codegen.mechanics.formalisms.lagrange import lagrangian_expressions
from flexforge.codegen.mechanics.formalisms.motion import SecondOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject

TEXT = Text(
    title="Maggi's equations",
    start="the energy `T` in more coordinates than needed, and constraints `q' = A z + b`",
    principle="A^T (d/dt dT/dq' - dT/dq - Q) = 0",
    gives="second order, one equation per independent speed",
    idea="""Write the kinetic energy in coordinates `q` for which it is simple, even if they are
dependent. State with `q' = A z + b` which rates the constraints allow, with independent speeds `z`.
The equations are the expressions of Lagrange multiplied by the transpose of `A`: constraint forces
do no work along `A`, so they drop out.""",
    difference="""Lagrange needs independent coordinates or multipliers. Maggi needs neither: there
is one equation per independent speed. For an element, `q` are displacements along fixed axes, so
that `T` does not depend on coordinates and `dT/dq` is zero, and the rotating frame is the
constraint: `A = R`, `z = d'`, `b = R' d`. All relative terms come from the derivative of the
constraint, `q'' = A z' + A' z + b'`: one half of the Coriolis term from `A' z`, the other half from
`b'`, which also contains the Euler and centrifugal terms.""",
    recipe=(
        "Write `T` in the coordinates `q`, regardless of constraints.",
        "Differentiate it as Lagrange does: by `q'`, by time, by `q`.",
        "Write the constraints as `q' = A z + b` and differentiate them: `q'' = A z' + A' z + b'`.",
        "Multiply by the transpose of `A` and substitute `q''`.",
        "Subtract the forces, found by virtual work along `z`, and integrate over the element.",
    ),
    useful="""For constraints: coordinates shared between bodies, rolling, prescribed motions. The
assembly of elements is Maggi's method too, with a constant `A` of zeros and ones. There are fewer
unknowns than with multipliers; reactions are computed afterwards.""",
    remark="""`A = R` is arbitrary during differentiation; in the equation, the fixed axes coincide
with those of the frame at this instant. `U = N q`.""",
)


def equations(subject: Subject, ledger: Ledger) -> SecondOrder:
    """Return Maggi's equations of the independent speeds z.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, where z = d', or of a system.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    if not isinstance(subject, MaterialPoint):
        return _of_system(subject, ledger)
    if subject.is_free:
        return _of_free_frame(subject, ledger)
    return _of_prescribed_frame(subject, ledger)


def _of_system(system: Subject, ledger: Ledger) -> SecondOrder:
    """Return the equations of a system: ``A^T`` times Lagrange's expressions, ``q' = A z + b``."""
    own = system.in_coordinates
    residuals = lagrangian_expressions(own, lagrangian(own, ledger), ledger)
    return SecondOrder(system.reduced(residuals, ledger))


def _of_prescribed_frame(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return the equations of an element in a frame of given motion."""
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
    energy = kinetic_energy(point.inertia, velocity, ledger)
    ledger.note("T", energy)

    constrained = _constrained(point, ledger, turn, turning, rates)
    inertia = []
    for coordinate, speed in zip(q, speeds, strict=True):
        momentum = ledger.partial(energy, speed, "dT/dq'")
        change = ledger.total(momentum, moving, "d/dt dT/dq'")
        inertia.append(
            ledger.sum("equations", change, -ledger.partial(energy, coordinate, "dT/dq"))
        )

    known = dict(zip((*q, *speeds, *accelerations), constrained, strict=True))
    # The forces A^T Q follow from virtual work along z, to which liaison forces do not contribute.
    residuals = []
    for first in range(0, len(inertia), c):
        reduced = ledger.times(turn.T, sympy.Matrix(inertia[first : first + c]), "A^T")
        reduced = (
            directions.T * reduced
        )  # A = R P: speeds exist only along the directions of the field
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
    """Return q, ``q' = A z + b`` and ``q'' = A z' + A' z + b'``, each node by node.

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


def _of_free_frame(point: MaterialPoint, ledger: Ledger) -> SecondOrder:
    """Return the equations of the speeds of a free frame and of the nodal coordinates.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    c = point.frame.dimension
    turn = sympy.Matrix(c, c, lambda i, j: sympy.Symbol(f"R{i + 1}{j + 1}", real=True))
    w = point.frame.tilde(point.frame.angular_velocity)
    turning = ledger.times(turn, w, "R'")
    aligned = dict(zip(turn, sympy.eye(c), strict=True))
    speeds, accelerations = (sympy.symbols(f"q{mark}1:{c + 1}", real=True) for mark in ("'", "''"))
    energy = kinetic_energy(point.inertia, sympy.Matrix(speeds), ledger)
    ledger.note("T", energy)
    moving = point.rates() | dict(zip(turn, turning, strict=True))
    rates = moving | dict(zip(speeds, accelerations, strict=True))
    # T does not depend on q: of Lagrange's expressions the change of the momentum remains.
    changes = [
        ledger.total(ledger.partial(energy, speed, "dT/dq'"), rates, "d/dt dT/dq'")
        for speed in speeds
    ]
    directions = ledger.times(turn, point.motions, "A")
    change = directions.applyfunc(lambda entry: ledger.total(entry, moving, "dA/dt"))
    ledger.note("A'", change)
    second = ledger.add(
        "q''",
        ledger.times(directions, sympy.Matrix(point.speed_rates), "q''"),
        ledger.times(change, sympy.Matrix(point.speeds), "q''"),
    )
    known = dict(zip(accelerations, second, strict=True))
    reduced = ledger.times(directions.T, sympy.Matrix(changes), "A^T")
    inertia = [entry.xreplace(known).xreplace(aligned) for entry in reduced]
    # The forces A^T Q follow from virtual work along z, to which liaison forces do not contribute.
    forces = point.virtual_work(ledger)
    return SecondOrder(
        tuple(
            ledger.sum("equations", left, -force)
            for left, force in zip(inertia, forces, strict=True)
        )
    )
