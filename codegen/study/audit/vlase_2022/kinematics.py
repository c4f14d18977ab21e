# SPDX-License-Identifier: BSD-3-Clause
"""Position, velocity, acceleration, kinetic energy and the notations: (1)-(15)."""

from __future__ import annotations

from functools import partial

from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import symbols as shared
from flexforge.codegen.study.audit.vlase_2020.kinematics import (
    FINAL,
    ONCE,
    TWICE,
    acceleration,
    local_acceleration,
    local_velocity,
    velocity,
)
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION
from flexforge.codegen.study.audit.vlase_2022 import symbols

equation = partial(matrix_equation, context=symbols.context)

LOCAL = ("r_OL'", "ROT^T ROT' r", "ROT^T ROT' N δ", "N δ'")
LOCAL_2 = ("r_OL''", "ROT^T ROT'' r", "ROT^T ROT'' N δ", "ROT^T ROT' N δ'", "N δ''")
KINETIC = (
    "int(ρ r_OL'^T r_OL')", "int(ρ r_OL'^T ROT^T ROT' r)", "int(ρ r_OL'^T ROT^T ROT' N δ)",
    "int(ρ r_OL'^T N δ')", "int(ρ r^T ROT'^T ROT' r)", "int(ρ r^T ROT'^T ROT' N δ)",
    "int(ρ r^T ROT'^T ROT N δ')", "int(ρ δ^T N^T ROT'^T ROT' N δ)",
    "int(ρ δ^T N^T ROT'^T ROT N δ')", "int(ρ δ'^T N^T N δ')",
)  # fmt: skip


def position() -> Array:
    """Global position."""
    return MOTION.array(MOTION.position)


KINEMATICS = (
    equation(
        "1",
        "position of a point",
        r"\{r_{M'}\}_G",
        "r_OG + ROT (r + u)",
        position,
        "origin and rotated local position, with u = N δ",
        vocabulary=("r_OG", "ROT r", "ROT N δ"),
    ),
    equation(
        "3",
        "velocity, global components",
        r"\{v_{M'}\}_G",
        "r_OG' + ROT' r + ROT' N δ + ROT N δ'",
        velocity,
        ONCE,
        vocabulary=("r_OG'", "ROT' r", "ROT' N δ", "ROT N δ'"),
    ),
    equation(
        "4",
        "acceleration, global components",
        r"\{a_{M'}\}_G",
        "r_OG'' + ROT'' r + ROT'' N δ + 2 ROT' N δ' + ROT N δ''",
        acceleration,
        TWICE,
        vocabulary=("r_OG''", "ROT'' r", "ROT'' N δ", "ROT' N δ'", "ROT N δ''"),
    ),
    equation(
        "5",
        "velocity, local components, four terms",
        r"\{v_{M'}\}_L",
        "r_OL' + ROT^T ROT' r + ROT^T ROT' N δ + N δ'",
        local_velocity,
        ONCE + ", in local components",
        vocabulary=LOCAL,
    ),
    equation(
        "6",
        "acceleration, local components, five terms",
        r"\{a_{M'}\}_L",
        "r_OL'' + ROT^T ROT'' r + ROT^T ROT'' N δ + 2 ROT^T ROT' N δ' + N δ''",
        local_acceleration,
        TWICE + ", in local components",
        vocabulary=LOCAL_2,
    ),
    equation(
        "8",
        "kinetic energy, a product of matrices multiplied out",
        "E_c",
        "r_OL'^T (E r_OL' + ROT^T ROT' r + ROT^T ROT' N δ + N δ')"
        " + r^T (ROT'^T ROT r_OL' + ROT'^T ROT' r + ROT'^T ROT' δ + ROT'^T ROT N δ')"
        " + δ^T (N^T ROT'^T ROT r_OL' + N^T ROT'^T ROT' r + N^T ROT'^T ROT' δ"
        " + N^T ROT'^T ROT N δ')"
        " + δ'^T (N^T r_OL' + N^T ROT^T ROT' r + N^T ROT^T ROT' N δ + N^T N δ')",
        symbols.kinetic_energy,
        "1/2 ∫ρ v·v dV with the position differentiated in time",
        vocabulary=KINETIC,
    ),
)

NOTATIONS = (
    equation(
        "9",
        "mass matrix",
        "[m]",
        "int(ρ N^T N)",
        lambda: shared.mass(MOTION),
        "the coefficient of the accelerations, " + FINAL,
        vocabulary=("int(ρ N^T N)",),
    ),
    equation(
        "10a",
        "mass matrix of the origin",
        "[m_O^i]",
        "int(ρ N^T)",
        shared.origin_mass,
        "the coefficient of the origin's acceleration in local components, " + FINAL,
        vocabulary=("int(ρ N^T)",),
    ),
    equation(
        "10b",
        "inertia force of the angular acceleration",
        r"\{q^i(\varepsilon)\}_L",
        "int(ρ N^T ε r)",
        lambda: shared.inertia_force("ε"),
        "the terms in ε alone, " + FINAL,
        vocabulary=("int(ρ N^T ε r)",),
    ),
    equation(
        "11",
        "inertia force of the angular velocity",
        r"\{q^i(\omega)\}_L",
        "int(ρ N^T ω ω r)",
        lambda: shared.inertia_force("ω"),
        "the terms in ω alone, " + FINAL,
        vocabulary=("int(ρ N^T ω ω r)",),
    ),
    equation(
        "12",
        "stiffness of the angular acceleration",
        r"[k(\varepsilon)]",
        "int(ρ N^T ε N)",
        lambda: shared.inertia_stiffness("ε"),
        "the coefficient of δ in ε, " + FINAL,
        vocabulary=("int(ρ N^T ε N)",),
    ),
    equation(
        "13",
        "stiffness of the angular velocity",
        r"[k(\omega)]",
        "int(ρ N^T ω ω N)",
        lambda: shared.inertia_stiffness("ω"),
        "the coefficient of δ in ω, " + FINAL,
        vocabulary=("int(ρ N^T ω ω N)",),
    ),
    equation(
        "14",
        "gyroscopic matrix of the momentum",
        "[c]",
        "int(ρ N^T ω N)",
        shared.gyroscopic,
        "the derivative of the momentum ∂L/∂δ̇ by δ; what multiplies δ̇ in the equations of motion"
        " is audited with (36)",
        vocabulary=("int(ρ N^T ω N)",),
    ),
)
