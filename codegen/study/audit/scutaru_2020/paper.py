# SPDX-License-Identifier: BSD-3-Clause
"""The paper: its audited equations in their order, and what the others define."""

from __future__ import annotations

from flexforge.codegen.study.audit.equation import Paper
from flexforge.codegen.study.audit.scutaru_2020.appendix import APPENDIX_B
from flexforge.codegen.study.audit.scutaru_2020.assembly import ASSEMBLY
from flexforge.codegen.study.audit.scutaru_2020.constraints import CONSTRAINTS
from flexforge.codegen.study.audit.scutaru_2020.element import ELEMENT, SUMS
from flexforge.codegen.study.audit.scutaru_2020.energy import APPENDIX_A, ENERGY, SYSTEM_ENERGY
from flexforge.codegen.study.audit.scutaru_2020.kinematics import KINEMATICS
from flexforge.codegen.study.audit.scutaru_2020.system import LIAISONS

PAPER = Paper(
    key="Scutaru 2020",
    reference=(
        "M. L. Scutaru, S. Vlase, M. Marin, A. Modrea: New analytical method based on dynamic"
        " response of planar mechanical elastic systems. Boundary Value Problems 2020,"
        " doi:10.1186/s13661-020-01401-9"
    ),
    equations=(
        *CONSTRAINTS,
        *KINEMATICS,
        *ENERGY,
        *ELEMENT,
        *SYSTEM_ENERGY,
        *SUMS,
        *ASSEMBLY,
        *LIAISONS,
        *APPENDIX_A,
        *APPENDIX_B,
    ),
    definitions={
        "1": "linear relations between the rates",
        "3": "relations between virtual displacements",
        "4": "names [C], the dependent displacements by the independent ones; the index of [C]"
        " prints m - n for n - m",
        "8": "Maggi's vector",
        "16": "components in the two frames",
        "17": "rotation matrix",
        "25": "kinetic energy",
        "26": "nodal coordinates in the two frames",
        "32": "Lagrangian",
        "43": "names the block matrix and the stacked column",
        "47": "names the matrices and columns of the system",
        "A.2": "(27) before its integrals are named; not legible in the rendering at hand",
        "A.3": "repeats (33); damaged in the rendering at hand",
        "A.4": "repeats (34); damaged in the rendering at hand",
        "A.5": "(35) before (37) is inserted; not legible in the rendering at hand",
        "A.6": "sum of (27) over the elements; its first lines are not legible in the rendering"
        " at hand, its parts T_0, T_10, T_1 are audited",
        "B.19": "work of the liaison forces",
    },
    remark=(
        "The rates of {δ}_G: the paper puts [S]ᵀ{δ̇}_G for {δ̇}_L, which drops the derivative of"
        " [S]. Where {δ̇}_G occurs, the literal form is held against the true rates first; the"
        " reading takes the dots in the turning frame, and it is stated with each equation. In"
        " derived sides K_ε is the printed right side of (37), which lacks the factor ε, and δ_S"
        " with dots is [S] times {δ}_L with these dots."
    ),
)
