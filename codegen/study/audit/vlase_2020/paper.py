# SPDX-License-Identifier: BSD-3-Clause
"""The paper: its audited equations in their order, and what the others define."""

from __future__ import annotations

from flexforge.codegen.study.audit.equation import Paper
from flexforge.codegen.study.audit.vlase_2020.energies import ENERGIES
from flexforge.codegen.study.audit.vlase_2020.hamilton import HAMILTON
from flexforge.codegen.study.audit.vlase_2020.kinematics import KINEMATICS, NOTATIONS
from flexforge.codegen.study.audit.vlase_2020.motion import APPELL, LAGRANGE

PAPER = Paper(
    key="Vlase 2020",
    reference=(
        "S. Vlase, I. Negrean, M. Marin, M. L. Scutaru: New analytical formalisms used in finite"
        " element analysis of robots with elastic elements. Journal of Taibah University for"
        " Science 14(1) (2020) 1335-1341, doi:10.1080/16583655.2020.1822049"
    ),
    equations=(*KINEMATICS, *NOTATIONS, *ENERGIES, *LAGRANGE, *APPELL, *HAMILTON),
    definitions={
        "1": "position of a displaced point",
        "2": "displacement by shape functions",
        "7": "kinetic energy",
        "8": "nodal coordinates in the global frame",
        "9": "the inverse of (8)",
        "15": "columns m_ix, m_iy, m_iz, which no other equation uses",
        "16": "internal work",
        "17": "Hooke's law",
        "18": "strains",
        "22": "work of the concentrated forces",
        "24": "Lagrangian",
        "26": "momentum ∂L/∂ḋ; (43) prints it with the other sign",
        "28": "energy of accelerations of points",
        "29": "energy of accelerations of a body",
        "32": "notation of a column of derivatives",
        "38": "the energy of accelerations by degree in the accelerations, names the parts",
    },
    remark=(
        "The rendering at hand prints a dotted r in square brackets in (25), (30) and (36), where"
        " (3) to (6) and (45) have the dotted [T]; such dots are read, and each reading says so."
    ),
)
