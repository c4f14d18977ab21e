# SPDX-License-Identifier: BSD-3-Clause
"""Position, velocity and acceleration of a material point: (2), (5)-(9), (14), (34), (35)."""

from __future__ import annotations

import sympy
from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.instant import TIME, Array
from flexforge.codegen.study.audit.scutaru_2023.symbols import POINT, equation, form

VELOCITY = ("xO'[i]", "α[ji] α'[jk] x[k]", "α[ji] α'[jk] N[kr] δ[r]", "N[ir] δ'[r]")
ACCELERATION = (
    "xO''[i]", "α[ji] α''[jk] x[k]", "α[ji] α''[jk] N[kr] δ[r]", "α[ji] α'[jk] N[kr] δ'[r]",
    "N[ir] δ''[r]",
)  # fmt: skip
SECOND = "the position differentiated twice in time, in local components"


def position() -> Array:
    """Global position."""
    return POINT.vector(POINT.position)


def local_position() -> Array:
    """Position in local components."""
    return POINT.vector(POINT.R.T * POINT.position)


def velocity() -> Array:
    """Global velocity."""
    return POINT.vector(POINT.velocity)


def local_velocity() -> Array:
    """Velocity in local components."""
    return POINT.vector(POINT.R.T * POINT.velocity)


def acceleration() -> Array:
    """Global acceleration."""
    return POINT.vector(POINT.acceleration)


def local_acceleration() -> Array:
    """Acceleration in local components."""
    return POINT.vector(POINT.R.T * POINT.acceleration)


def identity() -> Array:
    """R^T R of the rotation."""
    return POINT.array(POINT.R.T * POINT.R)


def origin_velocity() -> Array:
    """Velocity of the origin in local components."""
    return POINT.vector(POINT.R.T * POINT.origin.diff(TIME))


def origin_acceleration() -> Array:
    """Acceleration of the origin in local components."""
    return POINT.vector(POINT.R.T * sympy.Matrix(POINT.origin.diff(TIME, 2)))


def _coordinates(index: str) -> Reading:
    return Reading(
        f"N[jk] u[{index}]",
        "N[jk] δ[k]",
        "u_k beside N_jk is read as δ_k: by (3) N multiplies the nodal coordinates",
    )


GLOBAL_VELOCITY = ("XO'[i]", "α'[ij] x[j]", "α'[ij] N[jk] δ[k]", "α[ij] N[jk] δ'[k]")
ONCE = "the position (2), (3) differentiated in time"

EQUATIONS = (
    equation(
        "2",
        "position of a point",
        form(r"X_{M',i}", "XO[i] + α[ij] (x[j] + u[j])", position),
        "i",
        ("XO[i]", "α[ij] x[j]", "α[ij] N[jk] δ[k]"),
        "origin and rotated local position, with u = N δ",
    ),
    equation(
        "5",
        "position by nodal coordinates",
        form(r"X_{M',i}", "XO[i] + α[ij] x[j] + α[ij] N[jk] u[k]", position, _coordinates("k")),
        "i",
        ("XO[i]", "α[ij] x[j]", "α[ij] N[jk] δ[k]"),
        "origin and rotated local position, with u = N δ",
    ),
    equation(
        "6",
        "velocity, global components",
        form(
            r"\dot X_{M',i}",
            "XO'[i] + α'[ij] x[j] + α[ij] N[jk] δ'[k] + α[ij] N[jk] δ'[k]",
            velocity,
        ),
        "i",
        GLOBAL_VELOCITY,
        ONCE,
        web=form(
            r"\dot X_{M',i}",
            "XO'[i] + α'[ij] x[j] + α'[ij] N[jk] δ[k] + α[ij] N[jk] δ'[k]",
            velocity,
        ),
    ),
    equation(
        "7",
        "acceleration, global components",
        form(
            r"\ddot X_{M',i}",
            "XO''[i] + α''[ij] x[j] + α''[ij] N[jk] δ[k] + 2 α'[ij] N[jk] δ'[k]"
            " + α[ij] N[jk] δ''[k]",
            acceleration,
        ),
        "i",
        (
            "XO''[i]",
            "α''[ij] x[j]",
            "α''[ij] N[jk] δ[k]",
            "α'[ij] N[jk] δ'[k]",
            "α[ij] N[jk] δ''[k]",
        ),
        "the position (2), (3) differentiated twice in time",
    ),
    equation(
        "8",
        "position, local components",
        form(
            r"x_{M',i}",
            "xO[i] + x[j] + N[jk] u[k]",
            local_position,
            _coordinates("k"),
            Reading("N[jk] δ[k]", "N[ik] δ[k]", "the free index j of x_j and N_jk is read as i"),
            Reading("x[j]", "x[i]", "the free index j of x_j and N_jk is read as i"),
        ),
        "i",
        ("xO[i]", "x[i]", "N[ir] δ[r]"),
        "the position (2) in local components",
    ),
    equation(
        "9a",
        "velocity, local components, first line",
        form(
            r"\dot x_{M',i}",
            "α[ji] XO'[j] + α[ji] α'[jk] x[k] + α[ji] α'[jk] N[kr] δ[r] + α[ji] α[jk] N[kr] δ'[r]",
            local_velocity,
        ),
        "i",
        VELOCITY,
        ONCE + ", in local components",
    ),
    equation(
        "9b",
        "velocity, local components, four terms",
        form(
            r"\dot x_{M',i}",
            "xO'[i] + α[ji] α'[jk] x[k] + α[ji] α'[jk] N[kr] δ[r] + N[ir] δ'[r]",
            local_velocity,
        ),
        "i",
        VELOCITY,
        ONCE + ", in local components",
    ),
    equation(
        "14",
        "orthonormality of the rotation",
        form(
            r"\delta_{ik}",
            "α[ij] α[jk]",
            identity,
            Reading(
                "α[ij] α[jk]",
                "α[ji] α[jk]",
                "α_ij α_jk is read as α_ji α_jk, as below (9) and in (35)",
            ),
        ),
        "ik",
        ("kron[ik]",),
        "R^T R of the rotation",
    ),
    equation(
        "34",
        "acceleration, local components",
        form(
            r"\ddot x_{M',i}",
            "xO''[i] + α'[ji] α'[jk] x[k] + α[ji] α''[jk] x[k] + α'[ji] α'[jk] N[kl] δ[l]"
            " + α[ji] α''[jk] N[kl] δ[l] + 2 α[ji] α'[jk] N[kr] δ'[r] + N[ir] δ''[r]",
            local_acceleration,
        ),
        "i",
        ACCELERATION,
        SECOND,
        web=form(
            r"\ddot x_{M',i}",
            "xO''[i] + α'[ji] α'[jk] x[k] + α[ji] α''[jk] x[k] + α'[ji] α'[jk] N[kl] δ[l]"
            " + α[ji] α''[jk] N[kl] δ[l] + 2 α[ji] α'[jk] Nr[kr] δ'[r] + N[ir] δ''[r]",
            local_acceleration,
            Reading("Nr[kr]", "N[kr]", "the rendering at hand has Nr_kr for N_kr", True),
        ),
    ),
    equation(
        "35a",
        "acceleration of the origin, local components",
        form(r"\ddot x_{O,i}", "α[ji] XO''[j]", origin_acceleration),
        "i",
        ("xO''[i]",),
        "the origin differentiated twice in time",
    ),
    equation(
        "35b",
        "velocity of the origin, local components",
        form(r"\dot x_{O,i}", "α[ji] XO'[j]", origin_velocity),
        "i",
        ("xO'[i]",),
        "the origin differentiated in time",
    ),
    equation(
        "35c",
        "orthonormality of the rotation",
        form(r"\delta_{ik}", "α[ji] α[jk]", identity),
        "ik",
        ("kron[ik]",),
        "R^T R of the rotation",
    ),
)
