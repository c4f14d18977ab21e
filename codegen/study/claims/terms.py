# SPDX-License-Identifier: BSD-3-Clause
"""C1: numbers of matrix terms in velocity and acceleration."""

from __future__ import annotations

from flexforge.codegen.elements.library import element
from flexforge.codegen.mechanics.frames import frame_for
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.mechanics.points import point_of
from flexforge.codegen.study.claims.claim import Finding, Table, holds
from flexforge.codegen.study.claims.signature import matrix_terms


def c1() -> Finding:
    """Return the matrix terms of velocity and acceleration, planar and spatial."""
    rows, facts = [], []
    for name in ("tri3", "tet4"):
        declared = element(name)
        frame = frame_for(declared.components)
        point = point_of(declared, frame, ("a", "b"))
        for vector, expected, value in (
            ("velocity", 4, point.velocity(Ledger())),
            ("acceleration", 5, point.acceleration(Ledger())),
        ):
            found = sorted(matrix_terms(value, point))
            rows.append((frame.name, vector, len(found), ", ".join(s for t in found for s in t)))
            facts.append(len(found) == expected)
    return Finding(
        "C1",
        "The velocity has four matrix terms, the acceleration five.",
        "Scutaru 2023, Vlase 2022, Vlase 2020",
        holds(*facts),
        "Velocity and acceleration of a material point, expanded and grouped by the vector "
        "that each term multiplies. The factor of x and of d in the acceleration, e~ + w~w~, "
        "counts as one matrix.",
        (Table(("frame", "vector", "matrix terms", "of"), tuple(rows)),),
    )
