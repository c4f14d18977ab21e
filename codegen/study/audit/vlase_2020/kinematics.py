# SPDX-License-Identifier: BSD-3-Clause
"""Velocity, acceleration and the notations of section 3: (3)-(6), (10)-(14)."""

from __future__ import annotations

from functools import partial

from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import symbols
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION

equation = partial(matrix_equation, context=symbols.context)

ONCE = "the position (1), with (2), differentiated in time"
TWICE = "the position (1), with (2), differentiated twice in time"
FINAL = "read off Lagrange's equations, which are derived by differentiation of L = T - V + W"
ON_S = "the rendering at hand prints the dots of [T] over [S], which does not change in time"


def velocity() -> Array:
    """Global velocity."""
    return MOTION.array(MOTION.velocity)


def acceleration() -> Array:
    """Global acceleration."""
    return MOTION.array(MOTION.acceleration)


def local_velocity() -> Array:
    """Velocity in local components."""
    return symbols.local(MOTION.velocity)


def local_acceleration() -> Array:
    """Acceleration in local components."""
    return symbols.local(MOTION.acceleration)


KINEMATICS = (
    equation(
        "3",
        "velocity of a point",
        r"\{v_{M'}\}_G",
        "r_OG' + T' r + T S' d + T S d'",
        velocity,
        ONCE,
        vocabulary=("r_OG'", "T' r", "T' S d", "T S d'"),
        readings=(Reading("T S' d", "T' S d", ON_S, rendering=True),),
    ),
    equation(
        "4",
        "acceleration of a point",
        r"\{a_{M'}\}_G",
        "r_OG'' + T'' r + T S'' d + 2 T' S d' + T S d''",
        acceleration,
        TWICE,
        vocabulary=("r_OG''", "T'' r", "T'' S d", "T' S d'", "T S d''"),
        readings=(Reading("T S'' d", "T'' S d", ON_S, rendering=True),),
    ),
    equation(
        "5",
        "velocity in local components",
        r"\{v_{M'}\}_L",
        "r_OL' + T^T T' r + T^T T S d' + S d'",
        local_velocity,
        ONCE + ", in local components",
        vocabulary=("r_OL'", "T^T T' r", "T^T T' S d", "S d'"),
        readings=(
            Reading(
                "T^T T S d'",
                "T^T T' S d",
                "the rendering at hand prints the dot of the second [T] over {d}",
                rendering=True,
            ),
        ),
    ),
    equation(
        "6",
        "acceleration in local components",
        r"\{a_{M'}\}_L",
        "r_OL'' + T^T T'' r + T^T T'' S d + 2 T T' S d' + S d''",
        local_acceleration,
        TWICE + ", in local components",
        vocabulary=("r_OL''", "T^T T'' r", "T^T T'' S d", "T^T T' S d'", "S d''"),
    ),
)

NOTATIONS = (
    equation(
        "10",
        "mass matrix",
        "[m]",
        "int(ρ S^T N S)",
        lambda: symbols.mass(MOTION),
        "the coefficient of the accelerations, " + FINAL,
        vocabulary=("int(ρ S^T S)",),
    ),
    equation(
        "11a",
        "mass matrix of the origin",
        "[m_O^i]",
        "int(ρ S^T)",
        symbols.origin_mass,
        "the coefficient of the origin's acceleration in local components, " + FINAL,
        vocabulary=("int(ρ S^T)",),
    ),
    equation(
        "11b",
        "inertia force of the angular acceleration",
        r"\{q^i(\varepsilon)\}_L",
        "int(ρ S^T ε r)",
        lambda: symbols.inertia_force("ε"),
        "the terms in ε alone, " + FINAL,
        vocabulary=("int(ρ S^T ε r)",),
    ),
    equation(
        "11c",
        "inertia force of the angular velocity",
        r"\{q^i(\omega)\}_L",
        "int(ρ S^T ω ω r)",
        lambda: symbols.inertia_force("ω"),
        "the terms in ω alone, " + FINAL,
        vocabulary=("int(ρ S^T ω ω r)",),
    ),
    equation(
        "12",
        "stiffness of the angular acceleration",
        r"[k(\varepsilon)]",
        "int(ρ S^T ε S)",
        lambda: symbols.inertia_stiffness("ε"),
        "the coefficient of d in ε, " + FINAL,
        vocabulary=("int(ρ S^T ε S)",),
    ),
    equation(
        "13",
        "stiffness of the angular velocity",
        r"[k(\omega)]",
        "int(ρ S^T ω ω S)",
        lambda: symbols.inertia_stiffness("ω"),
        "the coefficient of d in ω, " + FINAL,
        vocabulary=("int(ρ S^T ω ω S)",),
    ),
    equation(
        "14",
        "gyroscopic matrix of the momentum",
        "[c]",
        "int(ρ S^T ω S)",
        symbols.gyroscopic,
        "the derivative of the momentum ∂L/∂ḋ by d; what multiplies ḋ in the equations of motion"
        " is audited with (33)",
        vocabulary=("int(ρ S^T ω S)",),
    ),
)
