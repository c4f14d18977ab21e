# SPDX-License-Identifier: BSD-3-Clause
"""C3: building the energy of accelerations against building the kinetic energy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flexforge.codegen.elements.library import element
from flexforge.codegen.mechanics.formalisms.energies import kinetic_energy
from flexforge.codegen.mechanics.formalisms.gibbs_appell import energy_of_accelerations
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.study.claims.claim import Finding, Table, depends
from flexforge.codegen.study.claims.signature import scalar_terms
from flexforge.codegen.study.comparison import Comparison, FormalismCount


def c3(comparisons: Mapping[str, Comparison]) -> Finding:
    """Return the cost of T, of S and of the whole derivations."""
    rows, dearer, cheaper, alone = [], [], [], []
    for name, found in comparisons.items():
        lagrange, gibbs = found.formalisms["lagrange"], found.formalisms["gibbs_appell"]
        of_t, of_s = _building(lagrange, "v", "T"), _building(gibbs, "a", "S")
        whole = lagrange.algebra, gibbs.algebra
        rows.append(
            (
                name,
                of_t,
                of_s,
                *_terms(name),
                *whole,
                lagrange.collecting,
                gibbs.collecting,
                lagrange.differentiations,
                gibbs.differentiations,
            )
        )
        dearer.append(of_s > of_t)
        cheaper.append(whole[1] < whole[0])
        alone.append(whole[1] - gibbs.collecting < whole[0] - lagrange.collecting)
    build, derivation = depends("the element", dearer), depends("the element", cheaper)
    written = depends("the element", alone)
    verdict = (
        "holds"
        if build == derivation == written == "holds"
        else (
            f"building S costs more than building T: {build}; the whole derivation costs less: "
            f"{derivation}, if the equations are expanded into their matrices; as far as the "
            f"equations as each method writes them: {written}"
        )
    )
    return Finding(
        "C3",
        "Building S costs more operations than building T, yet the whole derivation costs less.",
        "Vlase 2022, Vlase 2020",
        verdict,
        "Products and sums. Building T: the velocity and T = 1/2 rho v.v; building S: the "
        "acceleration and the parts of S with accelerations. Their terms are counted after "
        "expansion in all symbols; the complete S, which is not needed, is given too. The "
        "whole: also V or Q, the equations, and their expansion into the canonical terms, "
        "in which parts of Lagrange's equations cancel. The operations of this expansion are "
        "given too (collecting): they decide, because a derivative counts as one operation, "
        "and the products that it leaves are multiplied out there. Without initial stress, as "
        "in the papers: ledgers(..., unrolled=True, initial_stress=False) gives the same.",
        (
            Table(
                (
                    "element",
                    "to build T",
                    "to build S",
                    "terms of T",
                    "of S_1 + S_2",
                    "of S",
                    "whole: Lagrange",
                    "Gibbs-Appell",
                    "of these collecting: Lagrange",
                    "Gibbs-Appell",
                    "derivatives: Lagrange",
                    "Gibbs-Appell",
                ),
                tuple(rows),
            ),
        ),
    )


def _building(found: FormalismCount, vector: str, energy: str) -> int:
    return sum(
        kind.get(part, 0) for kind in (found.products, found.sums) for part in (vector, energy)
    )


def _terms(name: str) -> tuple[int, int, int]:
    """Return the expanded terms of T, of the relevant part of S, and of all of S."""
    declared = element(name)
    labels = [str(k + 1) for k in range(len(declared.nodes))]
    point = point_of(declared, frame_for(declared.components), labels)
    point = replace(point, prestressed=False)
    acceleration = point.acceleration(Ledger())
    energies = (
        kinetic_energy(point.inertia, point.velocity(Ledger()), Ledger()),
        energy_of_accelerations(point, Ledger()),
        DENSITY * acceleration.dot(acceleration) / 2,
    )
    of_t, of_part, of_s = map(scalar_terms, energies)
    return of_t, of_part, of_s
