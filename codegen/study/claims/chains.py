# SPDX-License-Identifier: BSD-3-Clause
"""C4: the elements and ways of counting that give 48 (n + 1) and 20 (n + 1)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import sympy
from flexforge.codegen.elements.library import element
from flexforge.codegen.mechanics.formalisms import gibbs_appell
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy, lagrangian
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import DENSITY, MaterialPoint
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.study.claims.claim import Finding, Table
from flexforge.codegen.study.claims.signature import matrix_terms

#: Vlase, Negrean, Marin, Scutaru: "Energy of accelerations used to obtain the motion equations of a
#: three-dimensional finite element", Symmetry 12(2), 321 (2020): differentiations of n elements.
PRINTED = {5: (288, 120), 10: (528, 220), 20: (1008, 420), 40: (1968, 820)}

#: Coordinates at a section shared by two neighbours of a chain.
SECTIONS: Mapping[str, int] = {
    "bar, one displacement per node": 1,
    "bar in the plane, or bending alone (v, v')": 2,
    "bar in space, or beam in the plane (u, v, v')": 3,
    "beam with slopes of both displacements (u, u', v, v'), or bending alone in space": 4,
    "row of quad4": 2 * element("quad4").components,
    "beam in space": 6,
    "beam in space with warping": 7,
    "beam by absolute coordinates with three gradients": 12,
    "row of hex8": 4 * element("hex8").components,
}

Way = tuple[str, Fraction, Fraction]


def c4() -> Finding:
    """Return the ways of counting and the chains that give the printed numbers."""
    ((lagrange, gibbs),) = {
        (Fraction(first, n + 1), Fraction(second, n + 1)) for n, (first, second) in PRINTED.items()
    }
    rows, found = [], []
    for way, of_lagrange, of_gibbs in _ways():
        needed = lagrange / of_lagrange, gibbs / of_gibbs
        chains = [name for name, size in SECTIONS.items() if needed[0] == needed[1] == size]
        found += [(way, chain) for chain in chains]
        rows.append(
            (
                way,
                of_lagrange,
                of_gibbs,
                f"{float(of_lagrange / of_gibbs):.3g}",
                f"{needed[0]} and {needed[1]}",
                "; ".join(chains) or "none",
            )
        )
    printed = tuple(
        (n, *both, both[0] // (n + 1), both[1] // (n + 1)) for n, both in PRINTED.items()
    )
    verdict = "no element and way of counting gives them"
    if found:
        ways = dict.fromkeys(way for way, _ in found)
        names = dict.fromkeys(chain for _, chain in found)
        verdict = f"depends on the way of counting: {'; '.join(ways)}; with {', or '.join(names)}"
    return Finding(
        "C4",
        "A chain of n elements takes 48 (n + 1) differentiations by Lagrange and 20 (n + 1) by "
        "Gibbs-Appell.",
        "Symmetry 12(2), 321, which the papers cite",
        verdict,
        "The numbers are linear in the n + 1 sections of a chain, and their ratio is 2.4, whereas "
        "the scalar derivatives of the methods have the ratio 3. Derivatives by one coordinate are "
        "counted in several ways, each computed from the expressions; the numbers of coordinates "
        "per section that give 48 and 20 must be equal, and there must be a chain that has this "
        "number. The papers audited here do not state how the cited paper counts.",
        (
            Table(("n", "Lagrange", "Gibbs-Appell", "a section", "Gibbs-Appell"), printed),
            Table(
                (
                    "a derivative counts",
                    "Lagrange",
                    "Gibbs-Appell",
                    "ratio",
                    "coordinates per section",
                    "chains with this number",
                ),
                tuple(rows),
            ),
        ),
    )


def _ways() -> list[Way]:
    """Return the count per coordinate by Lagrange and by Gibbs-Appell, in several ways."""
    declared = element("tet4")
    point = point_of(declared, frame_for(3), ("a", "b"))
    velocity, acceleration = point.velocity(Ledger()), point.acceleration(Ledger())
    in_v, in_a = len(matrix_terms(velocity, point)), len(matrix_terms(acceleration, point))
    kinetic = kinetic_energy(DENSITY, velocity, Ledger())
    complete = DENSITY * acceleration.dot(acceleration) / 2
    in_t, in_s = (len(matrix_terms([e], point)) for e in (kinetic, complete))
    energy = lagrangian(point, Ledger())
    part = gibbs_appell.energy_of_accelerations(point, Ledger())
    momentum = sympy.diff(energy, point.velocities[0])
    change = Ledger().total(momentum, point.rates(), "")
    force = sympy.diff(energy, point.coordinates[0])
    inertia = sympy.diff(part, point.accelerations[0])
    before = (
        _holding("d'", energy, point)
        + len(matrix_terms([momentum], point))
        + _holding("d", energy, point),
        _holding("d''", part, point),
    )
    after = (
        sum(len(matrix_terms([e], point)) for e in (momentum, change, force)),
        len(matrix_terms([inertia], point)),
    )
    counted = {
        "once": (3, 1),
        "once for every matrix term of the velocity, or of the acceleration": (3 * in_v, in_a),
        "once for every matrix term of T, or of S": (3 * in_t, in_s),
        "once for every matrix term of the energy that holds the variable": before,
        "once for every matrix term of its result": after,
    }
    return [(way, Fraction(a), Fraction(b)) for way, (a, b) in counted.items()]


def _holding(family: str, expression: sympy.Expr, point: MaterialPoint) -> int:
    """Return the number of matrix terms with a vector."""
    return sum(family in term for term in matrix_terms([expression], point))
