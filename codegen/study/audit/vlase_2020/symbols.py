# SPDX-License-Identifier: BSD-3-Clause
"""What the symbols of Vlase 2020 stand for, and the right sides its equations are held against.

The paper writes T for the rotation, S for the shape functions, ``{...}_G`` and ``{...}_L`` for
global and local components; "the non-indexed sizes will be considered written in the local
reference frame" (sec. 3.1). S and r belong to a material point: their time derivatives vanish.
"""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context
from flexforge.codegen.study.audit.instant import (
    HALF,
    RHO,
    VOLUME,
    Array,
    Instant,
    column,
    matrix,
    skew,
)
from flexforge.codegen.study.audit.matrix_form import coefficient, part, rest, scalar

STRAIN = matrix("b", 3, 3)
HOOKE = matrix("H", 3, 3, symmetric=True)
LOAD = column("P", 3)
MOTION = Instant(
    more=(
        ("b", tuple(STRAIN)),
        ("H", tuple(sorted(HOOKE.free_symbols, key=str))),
        ("P", tuple(LOAD)),
    )
)


def notations(instant: Instant) -> dict[str, Array]:
    """Return the symbols of section 3 on a motion; the matrices are those of (10) to (14)."""
    turn = instant.rotation
    d = instant.coordinates
    shape, x, w, e = instant.N, instant.x, skew(instant.w), skew(instant.e)
    nothing = sympy.zeros(instant.dimension, 1)
    flat = sympy.zeros(instant.dimension, instant.size)
    values = {
        "ρ": scalar(RHO),
        "T": turn[0],
        "T'": turn[1],
        "T''": turn[2],
        "S": shape,
        "S'": flat,
        "S''": flat,
        "d": d[0],
        "d'": d[1],
        "d''": d[2],
        "r": x,
        "r'": nothing,
        "r''": nothing,
        "Tr'": turn[1] * x,
        "Tr''": turn[2] * x,
        "r_OG'": turn[0] * instant.v,
        "r_OL'": instant.v,
        "r_OG''": turn[0] * instant.a,
        "r_OL''": instant.a,
        "r_O''": instant.a,
        "ω": w,
        "ε": e,
        "m_O": instant.mass_integral(shape.T),
        "q_ε": instant.mass_integral(shape.T * e * x),
        "q_ω": instant.mass_integral(shape.T * w * w * x),
        "k_ε": instant.mass_integral(shape.T * e * shape),
        "k_ω": instant.mass_integral(shape.T * w * w * shape),
        "c": instant.mass_integral(shape.T * w * shape),
        "k": instant.k,
        "q": instant.q,
        "q*": instant.q_star,
    }
    found = {name: instant.array(value) for name, value in values.items()}
    # (10) as printed has no value; [m] is the coefficient of the accelerations in (33).
    return found | {"m": mass(instant)}


@cache
def context() -> Context:
    """Return the generic motion of section 3 with strain operator, Hooke matrix and load."""
    more = {"b": STRAIN, "H": HOOKE, "p": LOAD, "u": MOTION.N * MOTION.coordinates[0]}
    arrays = {name: MOTION.array(value) for name, value in more.items()}
    return Context(MOTION, notations(MOTION) | arrays)


# Right sides ---------------------------------------------------------------------------------


@cache
def inertia(instant: Instant) -> Array:
    """Return d/dt dL/dd' - dL/dd at the instant."""
    return instant.array(derivations.lagrange(instant))


@cache
def mass(instant: Instant) -> Array:
    """Return the coefficient of d'' in Lagrange's equations."""
    return coefficient(inertia(instant), instant.coordinates[2], instant)


def origin_mass() -> Array:
    """Return the coefficient of the local components of the origin's acceleration."""
    return coefficient(inertia(MOTION), MOTION.a, MOTION)


def inertia_force(group: str) -> Array:
    """Return the terms of Lagrange's equations with x and the angular rate of a group."""
    degrees = {"ω": 0, "ε": 0} | {group: 1 if group == "ε" else 2}
    fixed = rest(inertia(MOTION), ("δ", "δ'", "δ''", "a_O", "q", "q*"), MOTION)
    return part(fixed, degrees, MOTION)


def inertia_stiffness(group: str) -> Array:
    """Return the coefficient of d in Lagrange's equations with the angular rate of a group."""
    degrees = {"ω": 0, "ε": 0} | {group: 1 if group == "ε" else 2}
    found = coefficient(inertia(MOTION), MOTION.coordinates[0], MOTION)
    return part(found, degrees, MOTION)


def gyroscopic() -> Array:
    """Return the derivatives of the momentum by d: the half of what multiplies d' in (33)."""
    momentum = MOTION.array(derivations.momentum(MOTION))
    return coefficient(momentum, MOTION.coordinates[0], MOTION)


def local(vector: sympy.Matrix) -> Array:
    """Return a global vector in local components."""
    return MOTION.array(MOTION.R.T * vector)


def strain_energy() -> sympy.Expr:
    """Return 1/2 int sigma.epsilon dV, with (17) and (18) inserted, of functions of time."""
    strain = STRAIN * MOTION.N * MOTION.d
    return ((HOOKE * strain).T * strain)[0] * VOLUME * HALF


def displacement() -> sympy.Matrix:
    """Return u from (1): the local components of the position less what is rigid."""
    relative = MOTION.R.T * (MOTION.position - MOTION.origin)
    return relative.applyfunc(lambda entry: entry - entry.subs(dict.fromkeys(MOTION.d, 0)))


def acceleration_part(degree: int) -> Array:
    """Return the terms of the energy of accelerations of a degree in d''."""
    energy = MOTION.array(scalar(derivations.acceleration_energy(MOTION)))
    return part(energy, {"δ''": degree}, MOTION)


def slope(value: Array, order: int) -> Array:
    """Return the column of derivatives of a 1 x 1 matrix by d, d' or d''."""
    return coefficient(value, MOTION.coordinates[order], MOTION).T
