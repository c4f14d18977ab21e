# SPDX-License-Identifier: BSD-3-Clause
"""Velocity and the rotation matrix of the plane: (15), (18)-(24).

The rotation matrix is (17), of an angle that is a function of time, and SymPy differentiates it.
"""

from __future__ import annotations

from functools import cache, partial

import sympy
from flexforge.codegen.study.audit.equation import Context
from flexforge.codegen.study.audit.instant import ROTATION, TIME, Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.scutaru_2020 import symbols
from flexforge.codegen.study.audit.scutaru_2020.symbols import PLANE

ANGLE = sympy.Function("theta")(TIME)
COSINE, SINE = sympy.cos(ANGLE), sympy.sin(ANGLE)
ROTATED = sympy.Matrix([[COSINE, -SINE], [SINE, COSINE]])
SPIN = ROTATED.diff(TIME) * ROTATED.T
BY_ANGLE = "(17) differentiated in time"


def at_instant(value: sympy.Matrix) -> Array:
    """Return a matrix of the angle at the instant."""
    rates = {ANGLE.diff(TIME, 2): PLANE.e[0], ANGLE.diff(TIME): PLANE.w[0]}
    place = {COSINE: ROTATION[2][0, 0], SINE: ROTATION[2][1, 0]}
    return PLANE.array(value.subs(rates).subs(place))


def velocity() -> Array:
    """Global velocity."""
    return PLANE.array(PLANE.velocity)


@cache
def context() -> Context:
    """Return the symbols with the operators of angular velocity and acceleration."""
    w, e = PLANE.w[0], PLANE.e[0]
    matrices = {
        "ω_G": SPIN,
        "ω_L": ROTATED.T * ROTATED.diff(TIME),
        "ε_L": (ROTATED.T * SPIN.diff(TIME) * ROTATED),
        "zero": sympy.zeros(2),
        "Ω_ω": sympy.Matrix([[0, -w], [w, 0]]),
        "Ω_ε": sympy.Matrix([[0, -e], [e, 0]]),
        "B": sympy.Matrix([[-(w**2), -e], [e, -(w**2)]]),
    }
    arrays = {name: at_instant(value) for name, value in matrices.items()}
    return Context(PLANE, {**symbols.context().values, **arrays})


equation = partial(matrix_equation, context=context)

KINEMATICS = (
    equation(
        "15",
        "velocity of a point",
        r"\{v_{M'}\}_G",
        "v_OG + R' r + R' N δ_L + R N δ_L'",
        velocity,
        "the position differentiated in time",
        vocabulary=("v_OG", "R' r", "R' N δ_L", "R N δ_L'"),
    ),
    equation(
        "18",
        "the rotation matrix is orthonormal",
        "[E]",
        "R R^T",
        lambda: at_instant(sympy.simplify(ROTATED.T * ROTATED)),
        "[R]ᵀ[R] of (17), simplified",
        vocabulary=("E",),
    ),
    equation(
        "19",
        "derivative of (18)",
        "[0]",
        "R' R^T + R R'^T",
        lambda: at_instant(sympy.simplify(ROTATED.T * ROTATED).diff(TIME)),
        "[R]ᵀ[R] of (17), differentiated in time",
    ),
    equation(
        "20a",
        "angular velocity operator",
        r"[\omega]_G",
        "- R R'^T",
        lambda: at_instant(SPIN),
        BY_ANGLE + ", times [R]ᵀ",
        vocabulary=("Ω_ω",),
    ),
    equation(
        "20b",
        "angular velocity operator, its entries",
        r"[\omega]_G",
        "Ω_ω",
        lambda: at_instant(SPIN),
        BY_ANGLE + ", times [R]ᵀ",
        vocabulary=("Ω_ω",),
        source=r"[\omega]_G = \begin{bmatrix} 0 & -\omega \\ \omega & 0 \end{bmatrix}",
    ),
    equation(
        "21",
        "the operator is skew",
        r"[\omega]_G",
        "- ω_G^T",
        lambda: at_instant(SPIN),
        BY_ANGLE + ", times [R]ᵀ",
        vocabulary=("Ω_ω",),
    ),
    equation(
        "22a",
        "angular acceleration operator",
        r"[\varepsilon]_G",
        "R'' R^T + R' R'^T",
        lambda: at_instant(SPIN.diff(TIME)),
        "[Ṙ][R]ᵀ of (17), differentiated in time",
        vocabulary=("Ω_ε",),
    ),
    equation(
        "22b",
        "angular acceleration operator, its entries",
        r"[\varepsilon]_G",
        "Ω_ε",
        lambda: at_instant(SPIN.diff(TIME)),
        "[Ṙ][R]ᵀ of (17), differentiated in time",
        vocabulary=("Ω_ε",),
        source=r"[\varepsilon]_G = "
        r"\begin{bmatrix} 0 & -\varepsilon \\ \varepsilon & 0 \end{bmatrix}",
    ),
    equation(
        "23a",
        "second derivative of the rotation, in local components",
        r"[R]^T[\ddot{R}]",
        "ε_L - R'^T R'",
        lambda: at_instant(ROTATED.T * ROTATED.diff(TIME, 2)),
        "(17) differentiated twice in time",
        vocabulary=("Ω_ε", "Ω_ω Ω_ω"),
    ),
    equation(
        "23b",
        "the same by the operators",
        r"[R]^T[\ddot{R}]",
        "ε_L + ω_L ω_L",
        lambda: at_instant(ROTATED.T * ROTATED.diff(TIME, 2)),
        "(17) differentiated twice in time",
        vocabulary=("Ω_ε", "Ω_ω Ω_ω"),
    ),
    equation(
        "23c",
        "the same, its entries",
        r"[R]^T[\ddot{R}]",
        "B",
        lambda: at_instant(ROTATED.T * ROTATED.diff(TIME, 2)),
        "(17) differentiated twice in time",
        vocabulary=("Ω_ε", "Ω_ω Ω_ω"),
        source=r"[R]^T[\ddot{R}] = "
        r"\begin{bmatrix} -\omega^2 & -\varepsilon \\ \varepsilon & -\omega^2 \end{bmatrix}",
    ),
    equation(
        "24a",
        "product of the first derivatives",
        r"[\dot{R}]^T[\dot{R}]",
        "- ω_L ω_L",
        lambda: at_instant(ROTATED.diff(TIME).T * ROTATED.diff(TIME)),
        BY_ANGLE,
        vocabulary=("ω^2 E",),
    ),
    equation(
        "24b",
        "the same, its entries",
        r"[\dot{R}]^T[\dot{R}]",
        "ω^2 E",
        lambda: at_instant(ROTATED.diff(TIME).T * ROTATED.diff(TIME)),
        BY_ANGLE,
        vocabulary=("ω^2 E",),
    ),
)
