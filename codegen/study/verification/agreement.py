# SPDX-License-Identifier: BSD-3-Clause
"""Symbolic checks: the formalisms agree, and neighbouring elements are compatible."""

from __future__ import annotations

from collections.abc import Iterator

import sympy
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.field import AnyElement
from flexforge.codegen.elements.interpolation import REFERENCE
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.verification.findings import Finding

_XI, _ETA, _ZETA = REFERENCE
#: Facets of the cells, as the zeros of these functions.
_FACETS: dict[str, tuple[sympy.Expr, ...]] = {
    "interval": (_XI - 1, _XI + 1),
    "triangle": (_XI, _ETA, 1 - _XI - _ETA),
    "quadrilateral": (_XI - 1, _XI + 1, _ETA - 1, _ETA + 1),
    "tetrahedron": (_XI, _ETA, _ZETA, 1 - _XI - _ETA - _ZETA),
    "hexahedron": tuple(x - s for x in REFERENCE for s in (1, -1)),
    "wedge": (_XI, _ETA, 1 - _XI - _ETA, _ZETA - 1, _ZETA + 1),
    "pyramid": (_ZETA, 1 - _ZETA - _XI, 1 - _ZETA + _XI, 1 - _ZETA - _ETA, 1 - _ZETA + _ETA),
}


def formalisms_agree(element: AnyElement) -> Finding:
    """Compare all formalisms term by term, symbol by symbol."""
    first = derive(element).terms
    different = [
        f"{formalism}: {name}"
        for formalism in FORMALISMS
        for name, term in derive(element, formalism=formalism).terms.items()
        if term.density != first[name].density
    ]
    return Finding(
        f"{len(FORMALISMS)} formalisms agree symbol by symbol",
        not different,
        ", ".join(different) or "no difference",
        "no difference",
    )


def conforming(element: Element) -> Iterator[Finding]:
    """Check that only its own nodes matter on a facet, so that neighbours stay connected."""
    facets = _FACETS.get(element.cell)
    if facets is None or element.dimension != element.components:
        return
    wrong = []
    for number, facet in enumerate(facets):
        axis = next(x for x in REFERENCE if facet.has(x))
        (place,) = sympy.solve(facet, axis)
        for a, (node, function) in enumerate(zip(element.nodes, element.shape, strict=True)):
            away = facet.subs(dict(zip(REFERENCE, node, strict=False))) != 0
            if away and sympy.cancel(function.subs(axis, place)) != 0:
                wrong.append(f"function {a} on facet {number} ({sympy.Eq(facet, 0)})")
    found = f"{wrong[0]} and {len(wrong) - 1} more" if len(wrong) > 1 else "".join(wrong)
    yield Finding("zero on facets of other nodes", not wrong, found or "all are", "all are")
