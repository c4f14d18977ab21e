# SPDX-License-Identifier: BSD-3-Clause
"""Lagrange's and Gibbs-Appell's equations: (34), (36)-(45)."""

from __future__ import annotations

from functools import partial

from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import energies
from flexforge.codegen.study.audit.vlase_2020 import motion as shared
from flexforge.codegen.study.audit.vlase_2020 import symbols as notations
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION
from flexforge.codegen.study.audit.vlase_2022 import symbols

equation = partial(matrix_equation, context=symbols.context)

EQUATION = (
    "m δ''", "c δ'", "k δ", "k_ε δ", "k_ω δ", "q", "q*", "q_ε", "q_ω", "m_O r_OL''",
)  # fmt: skip
LINEAR = (
    "int(ρ δ''^T N^T ROT^T r_OG'')", "int(ρ δ''^T N^T ROT^T ROT'' r)",
    "int(ρ δ''^T N^T ROT^T ROT'' N δ)", "int(ρ δ''^T N^T ROT^T ROT' N δ')",
)  # fmt: skip
IS_DELTA = "{d} is read as {δ}, the nodal coordinates"

EQUATIONS = (
    equation(
        "34",
        "Lagrange's equations",
        "0",
        "Ldot_δ' - L_δ",
        shared.newton,
        shared.NEWTON,
        vocabulary=EQUATION,
        source=r"\frac{d}{dt} \{\partial L/\partial\dot\delta\}_L"
        r" - \{\partial L/\partial\delta\}_L = 0",
    ),
    equation(
        "36",
        "equations of motion",
        "0",
        "m δ'' + c δ' + (k + k_ε + k_ω) δ - (q + q* - q_ε - q_ω - m_O r_OL'')",
        lambda: notations.inertia(MOTION),
        "d/dt ∂L/∂δ̇ - ∂L/∂δ of L = T - V + W, by differentiation; the right side moved to the left",
        vocabulary=EQUATION,
    ),
    equation(
        "37",
        "Gibbs-Appell's equations",
        "0",
        "Ea_δ'' - Q",
        shared.newton,
        shared.NEWTON,
        vocabulary=EQUATION,
        source=r"\partial E_a/\partial\ddot q_j = Q_j",
    ),
    equation(
        "38",
        "energy of accelerations, quadratic part",
        "E_{a2}",
        "1/2 int(ρ (δ''^T N^T N δ''))",
        shared.quadratic,
        "the terms of E_a of degree 2 in δ̈",
        vocabulary=("δ''^T m δ''",),
    ),
    equation(
        "39",
        "energy of accelerations, linear part",
        "E_{a1}",
        "int(ρ (δ''^T N^T ROT^T r_O'' + δ''^T N^T ROT^T ROT'' r + δ''^T N^T ROT^T ROT'' N d"
        " + 2 δ''^T N^T ROT^T ROT'' N δ'))",
        shared.linear,
        "the terms of E_a of degree 1 in δ̈",
        vocabulary=LINEAR,
        readings=(
            Reading("r_O''", "r_OG''", "{r_O} without an index behind [ROT]^T is read as global"),
            Reading("N d", "N δ", IS_DELTA),
            Reading(
                "ROT'' N δ'",
                "ROT' N δ'",
                "the rendering at hand has two dots on the [ROT] "
                "beside {δ̇}, where (4) and (33) have one",
                rendering=True,
            ),
        ),
    ),
    equation(
        "40",
        "Gibbs-Appell's equations of an element",
        "0",
        "Ea_δ'' - Q",
        shared.newton,
        shared.NEWTON,
        vocabulary=EQUATION,
        source=r"\{\partial E_a/\partial\ddot d\}_L - \{Q\}_L = 0",
    ),
    equation(
        "41",
        "energy of accelerations by its parts",
        "E_a",
        "Ea0 + Ea1 + Ea2",
        energies.acceleration_energy,
        "1/2 ∫ρ a·a dV with the position differentiated twice",
        vocabulary=("Ea0", "Ea1", "Ea2"),
    ),
    equation(
        "42",
        "generalized forces",
        r"\{Q\}_L",
        "k δ + q + q*",
        shared.force,
        "∂(W - V)/∂δ, by differentiation",
        vocabulary=("k δ", "q", "q*"),
    ),
    equation(
        "43",
        "derivative of the quadratic part",
        r"\frac{\partial E_{a2}}{\partial\{\ddot d\}_L}",
        "int(ρ N^T S) d''",
        lambda: notations.slope(shared.quadratic(), 2),
        "∂E_a2/∂δ̈, by differentiation",
        vocabulary=("m δ''",),
        readings=(
            Reading("S", "N", "[S], which is not defined, is read as [N]"),
            Reading("d''", "δ''", IS_DELTA),
        ),
    ),
    equation(
        "44",
        "derivative of the linear part",
        r"\frac{\partial E_{a1}}{\partial\{\ddot d\}_L}",
        "-m_O r_OL'' - q_ω - q_ε + (k_ω + k_ε) d + c d'",
        lambda: shared.linear_slope(2),
        "∂E_a1/∂δ̈, by differentiation",
        vocabulary=("m_O r_OL''", "q_ω", "q_ε", "k_ω δ", "k_ε δ", "c δ'"),
        readings=(Reading("d", "δ", IS_DELTA), Reading("d'", "δ'", IS_DELTA)),
    ),
    equation(
        "45",
        "derivative of the rest",
        r"\frac{\partial E_{a0}}{\partial\{\ddot d\}_L}",
        "0",
        lambda: shared.free_slope(2),
        "∂E_a0/∂δ̈, by differentiation",
    ),
    equation(
        "42-44",
        "(42), (43) and (44) inserted in (40), from which the text obtains (36)",
        "0",
        "m δ'' - m_O r_OL'' - q_ω - q_ε + (k_ω + k_ε) δ + c δ' - (k δ + q + q*)",
        shared.newton,
        shared.NEWTON,
        vocabulary=EQUATION,
    ),
)
