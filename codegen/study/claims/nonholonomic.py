# SPDX-License-Identifier: BSD-3-Clause
"""C7: Maggi's equations under a nonholonomic constraint."""

from __future__ import annotations

import re

import sympy
from flexforge.codegen.study.claims.claim import Finding, Table, holds


def c7() -> Finding:
    """Derive a knife edge on an incline by Maggi and check the closed form of its motion.

    The closed form (heading rate W, from rest): ``x = g sin a sin^2(W t) / (2 W^2)``,
    ``y = g sin a (W t - sin(2 W t) / 2) / (2 W^2)``, reaction ``2 m g sin a sin W t``.
    """
    t, m, inertia, pull, rate = sympy.symbols("t m I g_a W", positive=True)
    x, y, phi, u, turn = (sympy.Function(name)(t) for name in ("x", "y", "phi", "u", "w"))
    q = sympy.Matrix([x, y, phi])
    kinetic = m * (x.diff(t) ** 2 + y.diff(t) ** 2) / 2 + inertia * phi.diff(t) ** 2 / 2
    forces = sympy.Matrix([m * pull, 0, 0])
    # The edge does not move sideways: - x' sin(phi) + y' cos(phi) = 0; A spans the free motions.
    jacobian = sympy.Matrix([[-sympy.sin(phi), sympy.cos(phi), 0]])
    null_space = sympy.Matrix([[sympy.cos(phi), 0], [sympy.sin(phi), 0], [0, 1]])
    speeds = sympy.Matrix([u, turn])

    inertial = sympy.Matrix([kinetic.diff(c.diff(t)).diff(t) - kinetic.diff(c) for c in q])
    second = null_space * speeds.diff(t) + null_space.diff(t) * speeds
    first = null_space * speeds
    accelerated = inertial.subs(dict(zip(q.diff(t, 2), second, strict=True)))
    reduced = (
        (null_space.T * (accelerated - forces))
        .subs(dict(zip(q.diff(t), first, strict=True)))
        .applyfunc(sympy.simplify)
    )

    angle = rate * t
    motion = {
        x: pull * sympy.sin(angle) ** 2 / (2 * rate**2),
        y: pull * (angle - sympy.sin(2 * angle) / 2) / (2 * rate**2),
        phi: angle,
        turn: rate,
    }
    motion[u] = motion[x].diff(t) * sympy.cos(angle) + motion[y].diff(t) * sympy.sin(angle)
    reaction = (jacobian * (inertial - forces))[0]

    def along(expression: sympy.Expr) -> sympy.Expr:
        return sympy.simplify(expression.subs(motion).doit())

    spanned = (jacobian * null_space).applyfunc(sympy.simplify).is_zero_matrix
    equations = [along(entry) == 0 for entry in reduced]
    constraint = along((jacobian * q.diff(t))[0]) == 0
    force = along(reaction - 2 * m * pull * sympy.sin(angle)) == 0
    rows = (
        ("unknowns by Lagrange", f"{len(q)} coordinates and {jacobian.rows} multiplier"),
        ("unknowns by Maggi", f"{len(speeds)} speeds, no multiplier"),
        ("Maggi's equations", "; ".join(f"{_written(e)} = 0" for e in reduced)),
        ("the closed form satisfies them exactly", _yes(all(equations))),
        ("it satisfies the constraint exactly", _yes(constraint)),
        ("the reaction recovered afterwards is 2 m g sin(a) sin(W t)", _yes(force)),
    )
    return Finding(
        "C7",
        "Maggi's equations suit nonholonomic constraints.",
        "Scutaru 2023, Vlase 2022, Scutaru 2020",
        holds(spanned, *equations, constraint, force, len(speeds) == len(q) - jacobian.rows),
        "A knife edge on an incline, heading rate W, from rest; g_a = g sin a. The constraint "
        "cannot be integrated, so no coordinate can be eliminated; Maggi's two equations have no "
        "multiplier, and the liaison force follows from the motion.",
        (Table(("", ""), rows),),
    )


def _written(expression: sympy.Expr) -> str:
    """Return an expression as text, derivatives with a prime."""
    text = str(sympy.sstr(expression)).replace("(t)", "")
    return re.sub(r"Derivative\((\w+), t\)", r"\1'", text)


def _yes(fact: bool) -> str:
    return "yes" if fact else "no"
