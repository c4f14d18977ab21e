# SPDX-License-Identifier: BSD-3-Clause
"""Strain energy, work, Lagrangian, Hamiltonian, energy of accelerations: (19)-(30)."""

from __future__ import annotations

from functools import cache, partial

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import VOLUME, Array
from flexforge.codegen.study.audit.matrix_form import matrix_equation, part, scalar
from flexforge.codegen.study.audit.vlase_2020 import symbols
from flexforge.codegen.study.audit.vlase_2020.symbols import LOAD, MOTION

equation = partial(matrix_equation, context=symbols.context)

AS_T = (
    "the rendering at hand prints r with dots in square brackets where (3) to (6) have [T] with"
    " dots"
)
AS_TR = (
    "the rendering at hand prints r with dots in square brackets once where the product of [T],"
    " with these dots, and {r}_L stands in (3) to (6)"
)
OF_VELOCITY = (
    "r_OL'^T r_OL'", "r_OL'^T T^T Tr'", "r_OL'^T T^T T' S d", "r_OL'^T S d'", "Tr'^T Tr'",
    "Tr'^T T' S d", "Tr'^T T S d'", "d^T S^T T'^T T' S d", "d^T S^T T'^T T S d'",
    "d'^T S^T S d'",
)  # fmt: skip
#: The five terms of the acceleration, and the products of any two.
FIVE = ("r_OG''", "Tr''", "T'' S d", "T' S d'", "T S d''")
TURNED = ("r_OG''^T", "Tr''^T", "d^T S^T T''^T", "d'^T S^T T'^T", "d''^T S^T T^T")
OF_ACCELERATION = tuple(
    f"int(ρ {left} {right})" for n, left in enumerate(TURNED) for right in FIVE[n:]
)


@cache
def lagrangian() -> Array:
    """L = T - V + W."""
    return MOTION.array(scalar(derivations.lagrangian(MOTION)))


def elastic_energy() -> Array:
    """V with the strain operator and Hooke's matrix."""
    return MOTION.array(scalar(symbols.strain_energy()))


def elastic_stiffness() -> Array:
    """Second derivatives of V with the strain operator and Hooke's matrix."""
    return MOTION.array(sympy.hessian(symbols.strain_energy(), list(MOTION.d)))


def potential_energy() -> Array:
    """V with the stiffness matrix."""
    return MOTION.array(scalar(derivations.potential_energy(MOTION)))


def load_work() -> Array:
    """Work of a volume load."""
    density = (LOAD.T * symbols.displacement())[0]
    return MOTION.array(scalar(density * VOLUME))


@cache
def hamiltonian() -> Array:
    """T_2 - T_0 + V - W with T_n of degree n in the rates, by Euler's theorem."""
    kinetic = MOTION.array(scalar(derivations.kinetic_energy(MOTION)))
    two, zero = (part(kinetic, {"δ'": degree}, MOTION) for degree in (2, 0))
    rest = derivations.potential_energy(MOTION) - derivations.work(MOTION)
    return two - zero + MOTION.array(scalar(rest))


def acceleration_energy() -> Array:
    """E_a."""
    return MOTION.array(scalar(derivations.acceleration_energy(MOTION)))


@cache
def with_lagrangian() -> Context:
    """Return the symbols with L and its derivatives by the rates."""
    more = {"L": lagrangian(), "P_d": MOTION.array(derivations.momentum(MOTION))}
    return Context(MOTION, {**symbols.context().values, **more})


ENERGIES = (
    equation(
        "19",
        "strain energy of an element",
        "E_p",
        "1/2 d^T int(S^T b^T H^T b S) d",
        elastic_energy,
        "1/2 ∫σᵀε dV with Hooke's law (17) and the strains (18) inserted",
        vocabulary=("d^T int(S^T b^T H b S) d",),
    ),
    equation(
        "20",
        "stiffness matrix",
        "[k]",
        "int(S^T b^T H^T b S)",
        elastic_stiffness,
        "second derivatives of the strain energy by d; H symmetric",
        vocabulary=("int(S^T b^T H b S)",),
    ),
    equation(
        "21",
        "strain energy with the stiffness matrix",
        "E_p",
        "1/2 int(d^T k d)",
        potential_energy,
        "the energy whose second derivatives are [k] of (20)",
        vocabulary=("d^T k d",),
    ),
    equation(
        "23",
        "work of the volume forces",
        "W",
        "int(p^T f)",
        load_work,
        "the volume force times the displacement, which is the position (1) less the rigid part",
        vocabulary=("int(p^T S) d",),
        source=r"W = \int_V \{p\}_L^T \{f\}_L\,dV = (\int_V \{p\}_L^T [S]\,dV) \{d\}_L",
        readings=(Reading("f", "u", "the displacement, {f} here, is {u} of (1) and (2)"),),
    ),
    equation(
        "25",
        "Lagrangian written out",
        "L",
        "1/2 int(ρ (r_OL'^T r_OL' + 2 r_OL'^T T^T r' + 2 r_OL'^T T^T r' S d + 2 r_OL'^T S d'))"
        " + 1/2 int(ρ (r^T r'^T r' + 2 r^T r'^T r' S d + 2 r^T r'^T T S d'))"
        " + 1/2 int(ρ (d^T S^T r'^T r' S d + 2 d^T M^T r'^T T S d' + d'^T S^T S d'))"
        " - 1/2 int(d^T k d) + q*^T d + q^T d",
        lagrangian,
        "T - V + W with the velocity differentiated from the position (1)",
        vocabulary=(*(f"int(ρ {term})" for term in OF_VELOCITY), "d^T k d", "q*^T d", "q^T d"),
        readings=(
            Reading("r^T r'^T r' S", "r^T T'^T T' S", AS_T, rendering=True),
            Reading("r'^T r' S", "T'^T T' S", AS_T, rendering=True),
            Reading("r' S", "T' S", AS_T, rendering=True),
            Reading("r'^T T", "T'^T T", AS_T, rendering=True),
            Reading("r^T r'^T r'", "r^T T'^T Tr'", AS_TR, rendering=True),
            Reading("T^T r'", "T^T Tr'", AS_TR, rendering=True),
            Reading("M^T", "S^T", "[M], which is not defined, is [S]"),
        ),
    ),
    equation(
        "27",
        "Hamiltonian",
        "H",
        "P_d^T d' - L",
        hamiltonian,
        "T_2 - T_0 + V - W with T_n of degree n in ḋ (Euler's theorem on homogeneous functions)",
        context=with_lagrangian,
        vocabulary=(
            "d'^T m d'",
            "d^T k d",
            "q^T d",
            "q*^T d",
            *(f"int(ρ {term})" for term in OF_VELOCITY if "d'" not in term),
        ),
        source=r"H = \{\partial L / \partial \{\dot{d}\}_L\}^T \{\dot{d}\}_L - L",
    ),
    equation(
        "30",
        "energy of accelerations written out",
        "E_a",
        "1/2 int(ρ (r_OG''^T + r^T r''^T + d^T S^T r''^T + 2 d'^T S^T r'^T + d''^T S^T T^T)"
        " (r_OG'' + r'' r + r'' S d + 2 r' S d' + T S d''))",
        acceleration_energy,
        "1/2 ∫ρ a·a dV with the position (1) differentiated twice in time",
        vocabulary=OF_ACCELERATION,
        readings=tuple(
            Reading(f"r{dots}{power}", f"T{dots}{power}", AS_T, rendering=True)
            for dots in ("''", "'")
            for power in ("^T", "")
        ),
    ),
)
