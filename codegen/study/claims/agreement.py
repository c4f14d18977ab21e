# SPDX-License-Identifier: BSD-3-Clause
"""C8: all formalisms lead to the same equations. C9: one derivation serves all elements."""

from __future__ import annotations

from flexforge.codegen.elements.library import standard_elements
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.study.claims.claim import Finding, Table, holds


def c8() -> Finding:
    """Return the number of terms and elements that are the same by all formalisms."""
    rows, facts = [], []
    for element in standard_elements():
        first, *others = (derive(element, formalism=name) for name in FORMALISMS)
        equal = sum(
            all(term.density == other.terms[name].density for other in others)
            for name, term in first.terms.items()
        )
        rows.append((element.name, len(FORMALISMS), len(first.terms), equal))
        facts.append(equal == len(first.terms))
    return Finding(
        "C8",
        "All formalisms end in the same element equations.",
        "all papers",
        holds(*facts),
        "Terms of the element equations, expanded into a canonical form and compared as "
        "data: equal means identical. The final equations printed in the papers are "
        "treated separately: see the audit of the printed equations, [audit.md](audit.md).",
        (Table(("element", "formalisms", "terms", "the same by all"), tuple(rows)),),
    )


def c9() -> Finding:
    """Return the number of derivations for all standard elements."""
    users: dict[MaterialPoint, list[str]] = {}
    for element in standard_elements():
        users.setdefault(derive(element).point, []).append(element.name)
    rows = tuple(
        (f"{point.frame.name}, {point.law.name.replace('_', ' ')}", len(names), ", ".join(names))
        for point, names in users.items()
    )
    elements = sum(len(names) for names in users.values())
    return Finding(
        "C9",
        "One element type is derived once and serves every element of the mesh.",
        "Vlase 2020 section 1",
        holds(len(users) < elements),
        "It holds, and more: one pair of nodes is derived and serves every pair of every "
        f"element with the same frame, strain and law. {len(users)} derivations make the "
        f"{elements} standard elements; a kernel takes the nodal coordinates as argument, so a "
        "mesh of any size needs no further derivation.",
        (Table(("derivation", "elements", "which"), rows),),
    )
