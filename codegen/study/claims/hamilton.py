# SPDX-License-Identifier: BSD-3-Clause
"""C5: whether Hamilton's method is the least economic or the most profitable."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flexforge.codegen.study.claims.claim import Finding, Table
from flexforge.codegen.study.comparison import Comparison, FormalismCount

#: The methods the papers compare.
COMPARED = ("lagrange", "gibbs_appell", "hamilton", "maggi", "kane")
_FIGURES: dict[str, Callable[[FormalismCount], int]] = {
    "equations": lambda f: f.equations,
    "differentiations": lambda f: f.differentiations,
    "algebra": lambda f: f.algebra,
    "algebra without collecting": lambda f: f.algebra - f.collecting,
    "largest expression": lambda f: f.largest_expression,
    "equations as written": lambda f: f.kernels["as_written"].operations,
    "after our passes": lambda f: f.kernels["passes"].operations,
}


def c5(comparisons: Mapping[str, Comparison]) -> Finding:
    """Return the rank of Hamilton's method among the five, for each count."""
    rows, places = [], set()
    for figure, read in _FIGURES.items():
        row: list[object] = [figure]
        for found in comparisons.values():
            values = {name: read(found.formalisms[name]) for name in COMPARED}
            place = 1 + sum(v < values["hamilton"] for v in values.values())
            places.add(place)
            row.append(f"{values['hamilton']} ({place}. of {len(values)})")
        rows.append(tuple(row))
    if places == {1}:
        verdict = "the most profitable holds"
    elif places == {len(COMPARED)}:
        verdict = "the least economic holds"
    else:
        verdict = "depends on what is counted: neither the least economic nor the most profitable"
    return Finding(
        "C5",
        "Hamilton's method is the least economic (Vlase 2022, Vlase 2020); it is the most "
        "profitable (Scutaru 2023).",
        "Vlase 2022 section 6, Vlase 2020 section 7; Scutaru 2023 section 5",
        verdict,
        "Hamilton's count and its rank among the five methods of the papers, 1 being the least. "
        "It needs fewer differentiations than Lagrange (two families, no total derivative), "
        "neither e nor a_O, and gives first-order equations directly; it has twice as many of "
        "them, its Hamiltonian is the largest expression, and every evaluation needs a solve with "
        "the mass matrix, which is not counted here. Collecting expands the equations into "
        "matrices. Without initial stress, as in the papers.",
        (Table(("figure", *comparisons), tuple(rows)),),
    )
