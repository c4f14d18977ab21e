# SPDX-License-Identifier: BSD-3-Clause
"""Strain energy, work, Lagrangian, momentum, Hamiltonian, energy of accelerations: (19)-(33)."""

from __future__ import annotations

from functools import partial

from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.latex import latex
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import energies as shared
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION
from flexforge.codegen.study.audit.vlase_2022 import symbols
from flexforge.codegen.study.audit.vlase_2022.kinematics import KINETIC

equation = partial(matrix_equation, context=symbols.context)

HERE_TURNED = Reading(
    "m_O",
    "m_O^T",
    "[m_O^i] is here ∫ρ[N]dV, as the lines of (26) say: the transpose of (10)",
)
MOMENTUM = ("mass r_OG'", "mass ROT' r", "int(ρ ROT' N) δ", "int(ρ ROT N) δ'")
LOCAL_MOMENTUM = (
    "mass r_OL'", "mass ROT^T ROT' r", "int(ρ ROT^T ROT' N) δ", "int(ρ N) δ'",
)  # fmt: skip
M_HOW = "∫ρ v dV with the position differentiated in time"
FIVE = ("r_OG''", "ROT'' r", "ROT'' N δ", "ROT' N δ'", "ROT N δ''")
TURNED = ("r_OG''^T", "r^T ROT''^T", "δ^T N^T ROT''^T", "δ'^T N^T ROT'^T", "δ''^T N^T ROT^T")
ACCELERATIONS = tuple(
    f"int(ρ {left} {right})" for n, left in enumerate(TURNED) for right in FIVE[n:]
)


def with_mass(left: str, printed: str) -> str:
    """Return an equation in LaTeX; m is the scalar, S the static moment."""
    text = latex(printed).replace(r"\mathrm{mass}", "m").replace(r"\mathrm{static}", r"\bar S")
    return f"{left} = {text}"


GLOBAL, LOCAL = r"\{p\}_G", r"\{p\}_L"
THIRD = "mass r_OG' + ROT' static + ROT' int(ρ N) δ + ROT int(ρ N) δ'"
FOURTH = "mass r_OG' + mass ROT' r_C + ROT' m_O δ + ROT m_O δ'"
LOCALLY = "mass r_OL' + mass ROT^T ROT' r_C + ROT^T ROT' m_O δ + m_O δ'"
INVERTED = "m_O^-1 (L_δ' - mass r_OL' - mass ROT^T ROT' r_C - ROT^T ROT' m_O δ)"

STRAIN = (
    equation(
        "19",
        "strain energy",
        "E_p",
        "1/2 δ^T int(N^T b^T H^T b N) δ",
        shared.elastic_energy,
        "1/2 ∫σᵀε dV with Hooke's law (17) and the strains (18) inserted",
        vocabulary=("δ^T int(N^T b^T H b N) δ",),
    ),
    equation(
        "20",
        "stiffness",
        "[k]",
        "int(N^T b^T H^T b N)",
        shared.elastic_stiffness,
        "second derivatives of the strain energy by δ; H symmetric",
        vocabulary=("int(N^T b^T H b N)",),
    ),
    equation(
        "21",
        "strain energy by the stiffness",
        "E_p",
        "1/2 int(δ^T k δ)",
        shared.potential_energy,
        "the energy whose second derivatives are [k] of (20)",
        vocabulary=("δ^T k δ",),
    ),
    equation(
        "23",
        "work of the volume forces",
        "W",
        "int(p^T f)",
        shared.load_work,
        "the volume force times the displacement, which is the position (1) less the rigid part",
        vocabulary=("int(p^T N) δ",),
        readings=(Reading("f", "u", "the displacement, {f} here, is {u} of (1) and (2)"),),
    ),
    equation(
        "25",
        "Lagrangian by the kinetic energy",
        "L",
        "E_c - 1/2 int(δ^T k δ) + q*^T δ + q^T δ",
        shared.lagrangian,
        "T - V + W, by differentiation of the position",
        vocabulary=("E_c", "δ^T k δ", "q*^T δ", "q^T δ"),
        context=symbols.with_kinetic_energy,
    ),
)

MOMENTA = (
    equation(
        "26a",
        "linear momentum, second line",
        GLOBAL,
        "int(ρ (r_OG' + ROT' r + ROT' N δ + ROT N δ'))",
        lambda: symbols.linear_momentum(local=False),
        M_HOW,
        vocabulary=MOMENTUM,
    ),
    equation(
        "26b",
        "linear momentum, third line",
        GLOBAL,
        THIRD,
        lambda: symbols.linear_momentum(local=False),
        M_HOW,
        vocabulary=MOMENTUM,
        source=with_mass(GLOBAL, THIRD),
    ),
    equation(
        "26c",
        "linear momentum, last line",
        GLOBAL,
        FOURTH,
        lambda: symbols.linear_momentum(local=False),
        M_HOW,
        vocabulary=MOMENTUM,
        source=with_mass(GLOBAL, FOURTH),
        readings=(HERE_TURNED,),
    ),
    equation(
        "27",
        "linear momentum, local components",
        LOCAL,
        LOCALLY,
        lambda: symbols.linear_momentum(local=True),
        M_HOW + ", in local components",
        vocabulary=LOCAL_MOMENTUM,
        source=with_mass(LOCAL, LOCALLY),
        readings=(HERE_TURNED,),
    ),
    equation(
        "28",
        "linear momentum as a derivative of the Lagrangian",
        LOCAL,
        "L_δ'",
        lambda: symbols.linear_momentum(local=True),
        M_HOW + ", in local components",
        vocabulary=LOCAL_MOMENTUM,
        source=r"\{p\}_L = \{\partial L / \partial\{\dot d\}_L\}",
    ),
    equation(
        "29",
        "velocities by the momentum",
        r"\{\dot\delta\}_L",
        INVERTED,
        lambda: MOTION.array(MOTION.coordinates[1]),
        "δ̇ itself, with p = ∂L/∂δ̇ of (28)",
        vocabulary=("δ'",),
        source=with_mass(r"\{\dot\delta\}_L", INVERTED).replace(latex("L_δ'"), r"\{p\}_L"),
        readings=(HERE_TURNED,),
    ),
    equation(
        "30",
        "Hamiltonian, last line",
        "H",
        f"L_δ'^T {INVERTED} - L",
        shared.hamiltonian,
        "T_2 - T_0 + V - W with T_n of degree n in δ̇ (Euler's theorem on homogeneous functions)",
        vocabulary=(
            "δ'^T m δ'",
            "δ^T k δ",
            "q^T δ",
            "q*^T δ",
            *(term for term in KINETIC if "δ'" not in term),
        ),
        source=with_mass("H", f"L_δ'^T {INVERTED} - L").replace(latex("L_δ'"), r"\{p\}"),
        readings=(HERE_TURNED,),
    ),
    equation(
        "33",
        "energy of accelerations, square of the acceleration",
        "E_a",
        "1/2 int(ρ (r_OG''^T + r^T ROT''^T + δ^T N^T ROT''^T + 2 δ'^T N^T ROT'^T"
        " + δ''^T N^T ROT^T) (r_OG'' + ROT'' r + ROT'' N δ + 2 ROT' N δ' + ROT N δ''))",
        shared.acceleration_energy,
        "1/2 ∫ρ a·a dV with the position differentiated twice in time",
        vocabulary=ACCELERATIONS,
    ),
)
