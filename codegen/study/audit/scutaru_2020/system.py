# SPDX-License-Identifier: BSD-3-Clause
"""Equations of the whole system, by Maggi's reduction: (50)-(57).

One element stands for the system, its three coordinates for {Delta}; [M], [C], [K(ε)], [K(ω)],
{Q(ε)}, {Q(ω)} and {Q_O} are what the derivation gives, so that the differences of (37) are not
counted again. Node liaisons have a constant [A]; for the relations (1), which the paper announces
as nonholonomic, the rates are [A]{z} + {b} with [A] and {b} that change in time.
"""

from __future__ import annotations

from functools import cache, partial

import sympy
from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import TIME, Array, functions
from flexforge.codegen.study.audit.matrix_form import coefficient, matrix_equation, part, rest
from flexforge.codegen.study.audit.scutaru_2020 import constraints
from flexforge.codegen.study.audit.scutaru_2020.constraints import NAMES, SYSTEM

A_OF_TIME, B_OF_TIME, Z = functions("A", 1, 2), functions("B", 1, 1), functions("Z", 2)
NULLSPACE = sympy.Matrix.vstack(sympy.eye(2), A_OF_TIME)
OFFSET = sympy.Matrix([0, 0, B_OF_TIME[0]])
JETS = {"A": A_OF_TIME, "b": B_OF_TIME, "z": Z}

LIAISON = "; {Δ} = [A]{q} with a constant [A]"
GENERAL = "; {Δ̇} = [A]{z} + {b} with [A] and {b} that change in time"
NEWTON = "Newton's law projected on the partial velocities, less elastic forces and loads"


def at_instant(value: sympy.Matrix) -> Array:
    """Return a matrix of functions of time at the instant."""
    jets: dict[sympy.Expr, sympy.Expr] = {}
    for name, function in JETS.items():
        for order in (2, 1, 0):
            key = name + "'" * order
            derivative = function.diff(TIME, order) if order else function
            if key in NAMES:
                jets |= dict(zip(derivative, NAMES[key], strict=True))
    return SYSTEM.array(value.xreplace(jets))


@cache
def inertia() -> Array:
    """Return d/dt dT/dd' - dT/dd."""
    energy = derivations.kinetic_energy(SYSTEM)
    impulse = derivations.gradient(energy, SYSTEM.d.diff(TIME))
    return SYSTEM.array(impulse.diff(TIME) - derivations.gradient(energy, SYSTEM.d))


@cache
def newton() -> sympy.Matrix:
    """Return Newton's law projected on the partial velocities, of functions of time."""
    return derivations.virtual_power(SYSTEM)


@cache
def blocks() -> dict[str, Array]:
    """Return the coefficients of the derived equations, under the names of (47)."""
    whole = inertia()
    free = rest(whole, ("δ", "δ'", "δ''"), SYSTEM)
    still = rest(free, ("a_O",), SYSTEM)
    position = coefficient(whole, SYSTEM.coordinates[0], SYSTEM)
    rates = {"ε": {"ω": 0}, "ω": {"ε": 0}}
    found = {
        "M": coefficient(whole, SYSTEM.coordinates[2], SYSTEM),
        "C": coefficient(whole, SYSTEM.coordinates[1], SYSTEM),
        "K": SYSTEM.array(SYSTEM.k),
        "Q_O": free - still,
    }
    for name, degrees in rates.items():
        found[f"K_{name}"] = part(position, degrees, SYSTEM)
        found[f"Q_{name}"] = part(still, degrees, SYSTEM)
    return found


def constant() -> dict[sympy.Expr, sympy.Expr]:
    """Return [A] without dependence on time."""
    return dict(zip(A_OF_TIME, NAMES["A"], strict=True))


@cache
def reduced() -> Array:
    """Return A^T Newton with {Delta} = [A]{q} for a constant [A]."""
    fixed = NULLSPACE.xreplace(constant())
    inserted = newton().subs(dict(zip(SYSTEM.d, fixed * Z, strict=True))).doit()
    return at_instant(fixed.T * inserted)


@cache
def reduced_general() -> Array:
    """Return A^T Newton with the rates [A]{z} + {b}; the coordinates stay."""
    rates = NULLSPACE * Z + OFFSET
    jets = dict(zip(SYSTEM.d.diff(TIME, 2), rates.diff(TIME), strict=True))
    jets |= dict(zip(SYSTEM.d.diff(TIME), rates, strict=True))
    return at_instant(NULLSPACE.T * newton().xreplace(jets))


def by_independent(name: str) -> Array:
    """Return what multiplies {z}, {z'} or {z''} in the reduced equations."""
    return coefficient(reduced(), NAMES[name], SYSTEM)


def reduced_stiffness(group: str) -> Array:
    """Return what multiplies {z} in the reduced equations and is linear in a group."""
    return part(by_independent("z"), {group: 1}, SYSTEM)


@cache
def context() -> Context:
    """Return the symbols; q and its rates are z and its rates, Mr ... the reduced matrices."""
    a = at_instant(NULLSPACE)
    d = SYSTEM.coordinates
    more = {
        "A": a,
        "A'": at_instant(NULLSPACE.diff(TIME)),
        "b": at_instant(OFFSET),
        "b'": at_instant(OFFSET.diff(TIME)),
        "Δ": SYSTEM.array(d[0]),
        "Δ'": SYSTEM.array(d[1]),
        "Δ''": SYSTEM.array(d[2]),
        "Q_ext": SYSTEM.array(SYSTEM.q + SYSTEM.q_star),
        "Q_liaison": SYSTEM.array(constraints.multiplier_force()),
    }
    for dots in ("", "'", "''"):
        more["q" + dots] = more["z" + dots] = SYSTEM.array(NAMES["z" + dots])
    own = {**blocks(), **more}
    for name in ("M", "C", "K", "K_ε", "K_ω"):
        own[f"{name}r"] = a.T @ own[name] @ a
    for name in ("Q_ε", "Q_ω", "Q_O", "Q_ext"):
        own[f"{name}r"] = a.T @ own[name]
    return Context(SYSTEM, own)


equation = partial(matrix_equation, context=context)

INERTIA = ("M Δ''", "C Δ'", "K_ε Δ", "K_ω Δ", "Q_ε", "Q_ω", "Q_O", "K Δ", "Q_ext")
FORCES = ("A^T Q_ε", "A^T Q_ω", "A^T Q_O", "A^T Q_ext")
STIFF = ("K", "K_ε", "K_ω")
REDUCED = ("A^T M A q''", "A^T C A q'", *(f"A^T {name} A q" for name in STIFF), *FORCES)
NONHOLONOMIC = (
    "A^T M A z'",
    "A^T M A' z",
    "A^T M b'",
    "A^T C A z",
    "A^T C b",
    *(f"A^T {name} Δ" for name in STIFF),
    *FORCES,
)
LEFT = r"\frac{d}{dt} \{\partial T/\partial\{\dot{\Delta}\}\} - \{\partial T/\partial\{\Delta\}\}"
FINAL = (
    "A^T M A q'' + A^T C A q' + A^T (K + K_ε + K_ω) A q + A^T Q_ε + A^T Q_ω + A^T Q_O + A^T Q_ext"
)

SOURCE_55 = (
    r"[A]^T[M][A]\{\ddot{q}\} + [A]^T[C][A]\{\dot{q}\} + [A]^T([K] + [K(\varepsilon)] +"
    r" [K(\omega)])[A]\{q\} = -[A]^T\{Q^i(\varepsilon)\} - [A]^T\{Q^i(\omega)\}"
    r" - [A]^T\{Q_O^i\} - [A]^T\{Q^{ext}\}"
)

LIAISONS = (
    equation(
        "50",
        "inertia side of the system",
        LEFT,
        "M Δ'' + C Δ' + (K + K_ε + K_ω) Δ + Q_ε + Q_ω + Q_O",
        inertia,
        "d/dt ∂T/∂Δ̇ - ∂T/∂Δ, by differentiation",
        vocabulary=INERTIA[:7],
    ),
    equation(
        "51b",
        "rates by the independent coordinates",
        r"\{\dot{\Delta}\}",
        "A q'",
        lambda: at_instant((NULLSPACE.xreplace(constant()) * Z).diff(TIME)),
        "{Δ} = [A]{q} differentiated in time, [A] constant",
        vocabulary=("A q'",),
    ),
    equation(
        "51b-general",
        "rates, where [A] changes in time",
        r"\{\dot{\Delta}\}",
        "A q'",
        lambda: at_instant((NULLSPACE * Z).diff(TIME)),
        "{Δ} = [A]{q} differentiated in time",
        vocabulary=("A q'", "A' q"),
    ),
    equation(
        "51c",
        "accelerations by the independent coordinates",
        r"\{\ddot{\Delta}\}",
        "A q'",
        lambda: at_instant((NULLSPACE.xreplace(constant()) * Z).diff(TIME, 2)),
        "{Δ} = [A]{q} differentiated twice in time, [A] constant",
        vocabulary=("A q''",),
        readings=(
            Reading(
                "q'",
                "q''",
                "the rendering at hand prints one dot over {q} under {Δ} with two",
                rendering=True,
            ),
        ),
    ),
    equation(
        "51c-general",
        "accelerations under the relations (1)",
        r"\{\ddot{\Delta}\}",
        "A z'",
        lambda: at_instant((NULLSPACE * Z + OFFSET).diff(TIME)),
        "the rates [A]{z} + {b} differentiated in time; q with two dots is z with one",
        vocabulary=("A z'", "A' z", "b'"),
        source=r"\{\ddot{\Delta}\} = [A]\{\ddot{q}\}",
    ),
    equation(
        "52",
        "Maggi's vector",
        LEFT + r" - \{Q^{ext}\} - \{Q^{liaison}\}",
        "M Δ'' + C Δ' + (K + K_ε + K_ω) Δ - Q_ε - Q_ω - Q_O - Q_ext - Q_liaison",
        lambda: inertia() - context().values["Q_ext"] - context().values["Q_liaison"],
        "d/dt ∂T/∂Δ̇ - ∂T/∂Δ, by differentiation, less the forces",
        vocabulary=(*INERTIA[:7], "Q_ext", "Q_liaison"),
    ),
    equation(
        "53",
        "Maggi's equations of the system",
        "0",
        "A^T M Δ' + A^T C Δ' + A^T (K + K_ε + K_ω) Δ - A^T Q_ε - A^T Q_ω - A^T Q_O"
        " - A^T Q_ext - A^T Q_liaison",
        lambda: at_instant(NULLSPACE.T * newton()),
        NEWTON + ", times [A]ᵀ",
        vocabulary=("A^T M Δ''", "A^T C Δ'", *(f"A^T {name} Δ" for name in STIFF), *FORCES),
        readings=(
            Reading(
                "M Δ'",
                "M Δ''",
                "the rendering at hand prints one dot over {Δ} where (52) has two",
                rendering=True,
            ),
        ),
    ),
    equation(
        "54",
        "liaison forces do no work",
        "0",
        "A^T Q_liaison",
        lambda: constraints.nothing(2, 1),
        constraints.MULTIPLIER,
        source=r"[A]^T \{Q^{liaison}\} = 0",
    ),
    equation(
        "55",
        "Maggi's equations in the independent coordinates",
        "0",
        FINAL,
        reduced,
        NEWTON + ", times [A]ᵀ" + LIAISON + "; the right side moved to the left",
        vocabulary=REDUCED,
        source=SOURCE_55,
    ),
    equation(
        "55-general",
        "the same under the relations (1)",
        "0",
        FINAL.replace("q''", "z'").replace("A q'", "A z"),
        reduced_general,
        NEWTON + ", times [A]ᵀ" + GENERAL + "; the right side moved to the left; q with dots is z"
        " with one less",
        vocabulary=NONHOLONOMIC,
        source=SOURCE_55,
    ),
    equation(
        "56a",
        "reduced mass matrix",
        r"[\tilde{M}]",
        "A^T M A q''",
        partial(by_independent, "z''"),
        "what multiplies {q̈} in the reduced equations: " + NEWTON + ", times [A]ᵀ" + LIAISON,
        vocabulary=("A^T M A",),
    ),
    equation(
        "56b",
        "reduced Coriolis matrix",
        "[C]",
        "A^T C A",
        partial(by_independent, "z'"),
        "what multiplies {q̇} in the reduced equations: "
        + NEWTON
        + ", times [A]ᵀ"
        + LIAISON
        + "; the left side is printed without its tilde",
        vocabulary=("A^T C A",),
    ),
    equation(
        "56c",
        "reduced stiffness matrix",
        r"[\tilde{K}]",
        "A^T K A",
        partial(reduced_stiffness, "k"),
        "what multiplies {q} in the reduced equations: " + NEWTON + ", times [A]ᵀ" + LIAISON,
        vocabulary=("A^T K A",),
    ),
    equation(
        "56d",
        "reduced stiffness of the angular acceleration",
        r"[\tilde{K}(\varepsilon)]",
        "A^T K_ε A",
        partial(reduced_stiffness, "ε"),
        "what multiplies {q} in the reduced equations: " + NEWTON + ", times [A]ᵀ" + LIAISON,
        vocabulary=("A^T K_ε A",),
    ),
    equation(
        "57",
        "equations of motion, final form",
        "0",
        "Mr q'' + Cr q' + (Kr + K_εr + K_ωr) q + Q_εr + Q_ωr + Q_Or + Q_extr",
        reduced,
        NEWTON + ", times [A]ᵀ" + LIAISON + "; the right side moved to the left; tildes as (56)"
        " without its q with two dots",
        vocabulary=REDUCED,
        source=r"[\tilde{M}]\{\ddot{q}\} + [\tilde{C}]\{\dot{q}\} + ([\tilde{K}] +"
        r" [\tilde{K}(\varepsilon)] + [\tilde{K}(\omega)])\{q\} = -\{\tilde{Q}^i(\varepsilon)\}"
        r" - \{\tilde{Q}^i(\omega)\} - \{\tilde{Q}_O^i\} - \{\tilde{Q}^{ext}\}",
    ),
)
