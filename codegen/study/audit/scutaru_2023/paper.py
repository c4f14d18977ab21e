# SPDX-License-Identifier: BSD-3-Clause
"""The article: its audited equations in their order, and what the others define."""

from __future__ import annotations

from flexforge.codegen.study.audit.equation import Equation, Paper
from flexforge.codegen.study.audit.scutaru_2023 import (
    appell,
    appendix,
    energies,
    hamilton,
    kinematics,
    lagrange,
    lagrangian,
    maggi_kane,
)


def _place(equation: Equation) -> tuple[bool, int, str]:
    """Return where an equation stands in the article."""
    number = equation.number.removeprefix("A.")
    return number != equation.number, int(number.rstrip("abc")), number


PARTS = (kinematics, energies, lagrangian, lagrange, appell, hamilton, maggi_kane, appendix)

PAPER = Paper(
    key="Scutaru 2023",
    reference=(
        "M. L. Scutaru, S. Vlase, M. Marin: Analytical mechanics methods in finite element"
        " analysis of multibody elastic system. Boundary Value Problems 2023,"
        " doi:10.1186/s13661-023-01784-5"
    ),
    equations=tuple(sorted((e for part in PARTS for e in part.EQUATIONS), key=_place)),
    definitions={
        "1": "rotation matrix",
        "3": "displacement by shape functions",
        "4": "nodal coordinates",
        "11": "mass and moments of second order",
        "12": "integrals of the shape functions",
        "13": "static moments and integrals of the shape functions",
        "16": "internal work",
        "17": "Hooke's law",
        "18": "strains",
        "22": "work of the concentrated forces",
        "23": "work of the distributed forces",
        "24": "total work",
        "27": "momentum ∂L/∂δ̇; (52) prints it with the other sign",
        "29": "inverse of the mass matrix",
        "32": "Hamiltonian",
        "33": "energy of accelerations",
        "55": "constraints",
        "57": "d'Alembert's principle",
        "61": "generalized speeds",
        "62": "(60) by generalized speeds",
    },
    prints=("article", "web text"),
    remark=(
        "The article was read in two renderings: the text of its pages, and the web text of the"
        " same article, which ends before the appendix. Their equations were compared; where they"
        " differ in more than layout, both are audited. A slip that one of them does not have is a"
        " slip of that rendering, not of the article: the verdict of such an equation is the"
        " better of the two. Not audited twice are (13), (46) and (53), where the renderings differ"
        " in the superscript of m_O, an o for a zero and a lost ∂. The symbol m_{O,kr} without a"
        " superscript is taken for the one of (13). The equations of the appendix have no numbers"
        " in the article: A.1 to A.3 count them."
    ),
)
