# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's equations: ``d' = dH/dp``, ``p' = -dH/dd`` with ``H = p.d' - L``.

The Legendre transform needs d' as a function of p: ``m d' = p - c d - s``. m is never inverted:
d' stands for the solution g of that system, whose derivative is known without solving it. With
``y = p - c d - s``, ``m g = y`` and L_0 the value of L at d' = 0,

    H = 1/2 y.m^-1 y - L_0,     d(1/2 y.m^-1 y) = g.dy,

so the derivatives of H are those of ``g.p - g.(c d + s) - L_0`` at fixed g. The equations need w
and v_O, but neither e nor a_O (Scutaru 2023 section 4.3, Vlase 2020 section 6).

In a free frame all momenta ``(p, L_O, p_d) = dL/dz = M(d) z`` are unknown. H is the largest value
of ``(p, L_O, p_d).g - L(g, d)`` over the speeds g, so that its derivative by d is ``-dL/dd`` at
fixed g.
The momenta of the frame obey the laws of momentum and of angular momentum:

    p' + w x p = F,    L_O' + w x L_O + v_O x p = M_O
"""

from __future__ import annotations

import sympy
from flexforge.codegen.mechanics.formalisms.energies import lagrangian
from flexforge.codegen.mechanics.formalisms.lagrange import transported
from flexforge.codegen.mechanics.formalisms.motion import FirstOrder
from flexforge.codegen.mechanics.formalisms.text import Text
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.subject import Subject

TEXT = Text(
    title="Hamilton's equations",
    start="the Hamiltonian `H = p^T d' - L` with the momenta `p = dL/dd'`",
    principle="d' = dH/dp, p' = -dH/dd",
    gives="first order, two equations per coordinate",
    idea="""Treat the momenta `p` as unknowns besides the coordinates. The state of the element is
then the pair of `d` and `p`, and the derivatives of one function of it, `H`, are the rates of
both.""",
    difference="""There are twice as many equations, of first order. Nothing is differentiated by
time, so that of the motion of the frame only `w` and `v_O` are needed, not the angular acceleration
`e` or the acceleration `a_O` of the origin. In a moving frame the momentum is not mass times
relative velocity: it is `p = m d' + c d` plus a part that does not vanish at rest. Likewise `H` is
not `T + V`.""",
    recipe=(
        "Write `T`, `V`, `W` and `L` as Lagrange does.",
        "Differentiate `L` by every `d'`: the momenta `p`.",
        "Keep `p = m d' + c d` plus constant terms as a linear system for `d'`; "
        "the mass matrix is never inverted.",
        "Write `H` and differentiate it by every `d`, with the solution `d'` fixed.",
        "Integrate `p' = -dH/dd` over the element.",
    ),
    useful="""If the angular velocity is known but not its rate, for example from measurements; with
structure-preserving integrators; and to find conserved quantities.""",
    remark="""Only the part of `H` that depends on `d` is written, with `d'` for the solution of the
linear system; the remaining part `p^T d'` gives `d' = dH/dp`.""",
)


def equations(subject: Subject, ledger: Ledger) -> FirstOrder:
    """Return Hamilton's equations of the coordinates and momenta.

    Parameters
    ----------
    subject : Subject
        Kinematics of a material point, or of a system; its velocities d' stand for the solution g.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    point = subject.in_coordinates
    energy = lagrangian(point, ledger)
    if not isinstance(point, MaterialPoint):
        return _of_system(point, energy, ledger)
    if point.is_free:
        return _of_free_frame(point, energy, ledger)
    momenta = [ledger.partial(energy, velocity, "dL/dd'") for velocity in point.velocities]

    at_rest = dict.fromkeys(point.velocities, sympy.Integer(0))
    of_frame = sympy.Matrix([momentum.xreplace(at_rest) for momentum in momenta])
    rates = sympy.Matrix(point.velocities)
    # The part of H that depends on d: -g.(c d + s) - L_0. The rest, p.g, gives d' = dH/dp = g.
    hamiltonian = -ledger.sum("H", ledger.dot(rates, of_frame, "H"), energy.xreplace(at_rest))
    ledger.note("H", hamiltonian)
    forces = [-ledger.partial(hamiltonian, d, "dH/dd") for d in point.coordinates]
    return FirstOrder(tuple(momenta), tuple(forces))


def _of_system(system: Subject, energy: sympy.Expr, ledger: Ledger) -> FirstOrder:
    """Return the equations of a system, whose mass matrix depends on the coordinates.

    As in a free frame, ``dH/dd`` at fixed momenta is ``-dL/dd`` at fixed velocities.
    """
    momenta = ledger.gradient(energy, system.velocities, "dL/dd'")
    further = system.further_forces(ledger)
    hamiltonian = -energy  # less the product of momenta and velocities, which are fixed
    ledger.note("H", hamiltonian)
    slopes = ledger.gradient(hamiltonian, system.coordinates, "dH/dd")
    forces = [
        ledger.sum("equations", -slope, force) for slope, force in zip(slopes, further, strict=True)
    ]
    return FirstOrder(tuple(momenta), tuple(forces))


def _of_free_frame(point: MaterialPoint, energy: sympy.Expr, ledger: Ledger) -> FirstOrder:
    """Return the equations of the speeds of a free frame and of the nodal coordinates.

    Parameters
    ----------
    point : MaterialPoint
        Kinematics of the point; its speeds stand for the solution g of ``M g = (p, L_O, p_d)``.
    energy : sympy.Expr
        The Lagrangian.
    ledger : Ledger
        Counts the differentiations and the algebra.
    """
    momenta = [ledger.partial(energy, speed, "dL/dz") for speed in point.speeds]
    count = len(point.frame.speeds)
    carried = transported(point, momenta[:count], ledger)
    forces = [
        ledger.sum("equations", force, -moved)
        for force, moved in zip(point.forces_on_frame(ledger), carried, strict=True)
    ]
    hamiltonian = -energy  # less the product of momenta and speeds, which does not depend on d
    ledger.note("H", hamiltonian)
    forces += [-ledger.partial(hamiltonian, d, "dH/dd") for d in point.coordinates]
    return FirstOrder(tuple(momenta), tuple(forces))
