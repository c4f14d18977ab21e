# SPDX-License-Identifier: BSD-3-Clause
"""All claims in order."""

from __future__ import annotations

from collections.abc import Callable

from flexforge.codegen.claims.agreement import c8, c9
from flexforge.codegen.claims.chains import c4
from flexforge.codegen.claims.claim import Finding
from flexforge.codegen.claims.differentiations import c2
from flexforge.codegen.claims.energies import c3
from flexforge.codegen.claims.hamilton import c5
from flexforge.codegen.claims.nonholonomic import c7
from flexforge.codegen.claims.terms import c1
from flexforge.codegen.claims.unknowns import c6
from flexforge.codegen.comparison import Comparison, compare_formalisms
from flexforge.codegen.elements.library import element

#: Elements the counts are shown for: planar and spatial, linear and quadratic.
SHOWN = ("tri3", "quad4", "quad8", "tet4", "tet10", "hex8")


def findings(tell: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Return what was found about every claim.

    Parameters
    ----------
    tell : callable
        Told what is being done.
    """
    comparisons: dict[str, Comparison] = {}
    for name in SHOWN:
        tell(f"counting {name} by every formalism")
        comparisons[name] = compare_formalisms(element(name))
    claims: list[Callable[[], Finding]] = [
        c1, lambda: c2(comparisons), lambda: c3(comparisons), c4, lambda: c5(comparisons),
        c6, c7, c8, c9,
    ]  # fmt: skip
    result = []
    for number, claim in enumerate(claims):
        tell(f"claim C{number + 1}")
        result.append(claim())
    return result
