# SPDX-License-Identifier: BSD-3-Clause
"""C2: numbers of families of differentiations in Lagrange's and Gibbs-Appell's methods."""

from __future__ import annotations

from collections.abc import Mapping

from flexforge.codegen.study.claims.claim import Finding, Table, holds
from flexforge.codegen.study.comparison import Comparison


def c2(comparisons: Mapping[str, Comparison]) -> Finding:
    """Return the families of differentiations of every formalism."""
    first = next(iter(comparisons.values()))
    rows = []
    for name, found in first.formalisms.items():
        families = (*found.partial_derivatives, *found.total_derivatives)
        counts = (
            sum(c.formalisms[name].partial_derivatives.values())
            + sum(c.formalisms[name].total_derivatives.values())
            for c in comparisons.values()
        )
        rows.append((name, len(families), ", ".join(families) or "none", *counts))
    facts = [
        (
            len(c.formalisms[name].partial_derivatives) + len(c.formalisms[name].total_derivatives),
            c.formalisms[name].differentiations,
        )
        == (families, families * c.coordinates)
        for c in comparisons.values()
        for name, families in (("lagrange", 3), ("gibbs_appell", 1))
    ]
    return Finding(
        "C2",
        "Lagrange needs three differentiations, Gibbs-Appell one.",
        "Scutaru 2023 section 4.2, Vlase 2022 section 5, Vlase 2020 section 4",
        holds(*facts),
        "Families of differentiations, and scalar derivatives for elements with all coordinates "
        "written out: 3 p against p. The generalized forces of Gibbs-Appell are taken from "
        "virtual work, as in the papers; obtaining them by differentiation of V and W takes a "
        "second family. Virtual power needs none: Kane's method differentiates only vectors that "
        "are linear in the speeds, and their derivatives are known coefficients, which can be "
        "read off. Without initial stress, as in the papers.",
        (Table(("formalism", "families", "which", *comparisons), tuple(rows)),),
    )
