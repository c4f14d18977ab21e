# SPDX-License-Identifier: BSD-3-Clause
"""The review: its audited equations in their order, and what the others define."""

from __future__ import annotations

from flexforge.codegen.study.audit.equation import Paper
from flexforge.codegen.study.audit.vlase_2022.energies import MOMENTA, STRAIN
from flexforge.codegen.study.audit.vlase_2022.hamilton import EQUATIONS as HAMILTON
from flexforge.codegen.study.audit.vlase_2022.kinematics import KINEMATICS, NOTATIONS
from flexforge.codegen.study.audit.vlase_2022.motion import EQUATIONS as MOTION

PAPER = Paper(
    key="Vlase 2022",
    reference=(
        "S. Vlase, M. Marin, I. Negrean: Finite Element Method-Based Elastic Analysis of Multibody"
        " Systems: A Review. Mathematics 10(2) (2022) 257, doi:10.3390/math10020257"
    ),
    equations=(*KINEMATICS, *NOTATIONS, *STRAIN, *MOMENTA, *MOTION, *HAMILTON),
    definitions={
        "2": "displacement by shape functions",
        "7": "kinetic energy",
        "15": "columns m_ix, m_iy, m_iz, which no other equation uses",
        "16": "internal work",
        "17": "Hooke's law",
        "18": "strains",
        "22": "work of the concentrated forces",
        "24": "Lagrangian",
        "31": "energy of accelerations of points",
        "32": "energy of accelerations of a body",
        "35": "notation of a column of derivatives",
        "49": "Maggi's equations, with coefficients a_kj that the review does not define",
    },
    remark=(
        "The row of vectors that (8) begins with is printed without transposition signs and held"
        " with them. In (26) to (30) and (48) mass is the scalar m, static the static moment, and"
        " r_C the centre of mass, which for the one material point of the audit is its position r."
    ),
)
