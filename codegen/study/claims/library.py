# SPDX-License-Identifier: BSD-3-Clause
"""All claims in order."""

from __future__ import annotations

from collections.abc import Callable

from flexforge.codegen.elements.library import element
from flexforge.codegen.study.claims.agreement import c8, c9
from flexforge.codegen.study.claims.chains import c4
from flexforge.codegen.study.claims.claim import Finding
from flexforge.codegen.study.claims.differentiations import c2
from flexforge.codegen.study.claims.energies import c3
from flexforge.codegen.study.claims.free import c10
from flexforge.codegen.study.claims.hamilton import c5
from flexforge.codegen.study.claims.nonholonomic import c7
from flexforge.codegen.study.claims.standing import c11
from flexforge.codegen.study.claims.terms import c1
from flexforge.codegen.study.claims.unknowns import c6
from flexforge.codegen.study.comparison import Comparison, compare_formalisms

#: Elements for which counts are shown: planar and spatial, linear and quadratic.
SHOWN = ("tri3", "quad4", "quad8", "tet4", "tet10", "hex8")


def findings(tell: Callable[[str], None] = lambda _: None) -> list[Finding]:
    """Return the result of every claim.

    Parameters
    ----------
    tell : callable
        Called with messages about the progress.
    """
    comparisons: dict[str, Comparison] = {}
    for name in SHOWN:
        tell(f"counting {name} by every formalism")
        comparisons[name] = compare_formalisms(element(name))
    claims: list[Callable[[], Finding]] = [
        c1,
        lambda: c2(comparisons),
        lambda: c3(comparisons),
        c4,
        lambda: c5(comparisons),
        c6,
        c7,
        c8,
        c9,
        c10,
        c11,
    ]
    result = []
    for number, claim in enumerate(claims):
        tell(f"claim C{number + 1}")
        result.append(claim())
    return result
