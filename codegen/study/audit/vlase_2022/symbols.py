# SPDX-License-Identifier: BSD-3-Clause
"""What the symbols of the review stand for: those of Vlase 2020 under the names [ROT], [N], delta.

``mass`` is the scalar m of (26), ``r_C`` the centre of mass, ``E`` the unit matrix. ``m_O`` is the
matrix of (10), p x 3; in (26) the same symbol is printed for its transpose.
"""

from __future__ import annotations

from functools import cache

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context
from flexforge.codegen.study.audit.instant import RHO, VOLUME, Array, Instant
from flexforge.codegen.study.audit.matrix_form import scalar
from flexforge.codegen.study.audit.vlase_2020 import energies
from flexforge.codegen.study.audit.vlase_2020 import symbols as shared
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION

NAMES = {"T": "ROT", "S": "N", "d": "δ"}


def named(instant: Instant) -> dict[str, Array]:
    """Return the values by the names of the review."""
    found = shared.notations(instant)
    alias = {
        new + dots: found[old + dots] for old, new in NAMES.items() for dots in ("", "'", "''")
    }
    more = {
        "E": sympy.eye(3),
        "mass": scalar(instant.mass_integral(sympy.Integer(1))),
        "r_C": instant.x,
        "static": instant.mass_integral(sympy.Integer(1)) * instant.x,
    }
    kept = ("ρ", "r", "r_OG'", "r_OL'", "r_OG''", "r_OL''", "ω", "ε", "m_O", "q_ε", "q_ω",
            "k_ε", "k_ω", "c", "m", "k", "q", "q*")  # fmt: skip
    arrays = {name: instant.array(value) for name, value in more.items()}
    return {name: found[name] for name in kept} | alias | arrays


@cache
def context() -> Context:
    """Return the symbols on the generic motion."""
    values = shared.context().values
    more = {
        "r_OG": MOTION.array(sympy.Matrix(MOTION.origin)),
        "L": energies.lagrangian(),
        "L_δ'": MOTION.array(derivations.momentum(MOTION)),
        "L_δ": MOTION.array(derivations.lagrangian_slope(MOTION)),
        "Ldot_δ'": MOTION.array(derivations.momentum_rate(MOTION)),
        "Ea_δ''": MOTION.array(derivations.appell_gradient(MOTION)),
        "Q": MOTION.array(derivations.generalized_force(MOTION)),
        **{f"Ea{n}": shared.acceleration_part(n) for n in range(3)},
    }
    kept = {name: values[name] for name in ("b", "H", "p", "u")}
    return Context(MOTION, {**named(MOTION), **kept, **more})


def linear_momentum(*, local: bool) -> Array:
    """Int rho v dV."""
    velocity = MOTION.R.T * MOTION.velocity if local else MOTION.velocity
    return MOTION.array(velocity * RHO * VOLUME)


def kinetic_energy() -> Array:
    """T."""
    return MOTION.array(scalar(derivations.kinetic_energy(MOTION)))


@cache
def with_kinetic_energy() -> Context:
    """Return the symbols with E_c of (7)."""
    return Context(MOTION, {**context().values, "E_c": kinetic_energy()})
