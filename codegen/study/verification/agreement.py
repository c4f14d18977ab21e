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
_SLOPE2, _SLOPE3 = 1 - _XI - _ETA, 1 - _XI - _ETA - _ZETA
_ENDS = {"xi = -1": _XI + 1, "xi = 1": _XI - 1}
_SIDES = _ENDS | {"eta = -1": _ETA + 1, "eta = 1": _ETA - 1}
_LEVELS = {"zeta = -1": _ZETA + 1, "zeta = 1": _ZETA - 1}
_TRIANGLE = {"xi = 0": _XI, "eta = 0": _ETA, "xi + eta = 1": _SLOPE2}
#: Facets of the cells in words, and as the zeros of functions.
_FACETS: dict[str, dict[str, sympy.Expr]] = {
    "interval": _ENDS,
    "triangle": _TRIANGLE,
    "quadrilateral": _SIDES,
    "tetrahedron": {
        "xi = 0": _XI,
        "eta = 0": _ETA,
        "zeta = 0": _ZETA,
        "xi + eta + zeta = 1": _SLOPE3,
    },
    "hexahedron": _SIDES | _LEVELS,
    "wedge": _TRIANGLE | _LEVELS,
    "pyramid": {
        "zeta = 0": _ZETA,
        "zeta + xi = 1": 1 - _ZETA - _XI,
        "zeta - xi = 1": 1 - _ZETA + _XI,
        "zeta + eta = 1": 1 - _ZETA - _ETA,
        "zeta - eta = 1": 1 - _ZETA + _ETA,
    },
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
    if facets is None or element.dimension != element.ambient:
        return
    wrong = []
    for equation, facet in facets.items():
        axis = next(x for x in REFERENCE if facet.has(x))
        (place,) = sympy.solve(facet, axis)
        for a, (node, function) in enumerate(zip(element.nodes, element.shape, strict=True)):
            away = facet.subs(dict(zip(REFERENCE, node, strict=False))) != 0
            if away and sympy.cancel(function.subs(axis, place)) != 0:
                wrong.append(f"of node {a} on the facet {equation}")
    found = f"{wrong[0]} and {len(wrong) - 1} more" if len(wrong) > 1 else "".join(wrong)
    found = f"not that {found}" if wrong else "all are"
    yield Finding("zero on facets of other nodes", not wrong, found, "all shape functions")
