# SPDX-License-Identifier: BSD-3-Clause
"""Hamilton's equations: (46)-(48)."""

from __future__ import annotations

from functools import cache, partial

from flexforge.codegen.study.audit import derivations
from flexforge.codegen.study.audit.equation import Context, Reading
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.latex import latex
from flexforge.codegen.study.audit.matrix_form import matrix_equation
from flexforge.codegen.study.audit.vlase_2020 import hamilton as shared
from flexforge.codegen.study.audit.vlase_2020.hamilton import GENERAL
from flexforge.codegen.study.audit.vlase_2020.symbols import MOTION
from flexforge.codegen.study.audit.vlase_2022 import symbols
from flexforge.codegen.study.audit.vlase_2022.energies import HERE_TURNED, INVERTED, with_mass

RATES = (
    "m^-1 p", "m^-1 c δ", "m^-1 m_O r_OL'", "m^-1 N^T ROT^T ROT' r",
)  # fmt: skip
SLOPE = (
    "N^T ROT'^T ROT r_OL'", "N^T ROT'^T ROT' r", "N^T ROT'^T ROT' N δ", "N^T ROT'^T ROT N δ'",
    "k δ", "q", "q*",
)  # fmt: skip
ROW = "a row is read as a column"


def momentum() -> Array:
    """dL/dd'."""
    return MOTION.array(derivations.momentum(MOTION))


def slope() -> Array:
    """dL/dd."""
    return MOTION.array(derivations.lagrangian_slope(MOTION))


@cache
def canonical() -> Context:
    """Return the symbols on numbers for the shape functions, with p and the derivatives of H."""
    values = shared.of_momenta().values
    more = {name: values[name] for name in ("H_p", "H_d", "p")}
    return Context(GENERAL, {**symbols.named(GENERAL), **more})


def turned(text: str) -> Reading:
    """Return the reading of a row as a column."""
    return Reading(f"({text})", f"({text})^T", ROW)


equation = partial(matrix_equation, context=symbols.context)

EQUATIONS = (
    equation(
        "46",
        "canonical momentum",
        r"\{p\}_L",
        "-L_δ",
        momentum,
        "∂L/∂δ̇, for which ∂H/∂p = δ̇",
        vocabulary=("m δ'", "m_O r_OL'", "N^T int(ρ ROT^T ROT' r)", "c δ"),
        source=r"\{p\}_L = -\{\partial L / \partial\{\delta\}_L\}",
        readings=(
            Reading(
                "L_δ",
                "L_δ'",
                "the rendering at hand may have lost the dot of δ in ∂L/∂δ̇, which (28) has",
                rendering=True,
            ),
        ),
    ),
    equation(
        "47a",
        "Hamilton's equations, velocities",
        r"\{\dot\delta\}_L",
        "H_p",
        lambda: GENERAL.array(shared.rates()),
        "δ̇ as it follows from p = ∂L/∂δ̇",
        context=canonical,
        vocabulary=RATES,
        source=r"\{\dot\delta\}_L = \{\partial H/\partial\{p\}_L\}",
    ),
    equation(
        "47b",
        "Hamilton's equations, momentum",
        r"\{\dot p\}_L",
        "-H_d",
        shared.momentum_rate,
        "d/dt ∂L/∂δ̇ on the motion that Newton's law gives",
        context=canonical,
        vocabulary=(
            "c^T m^-1 p",
            "c^T m^-1 c δ",
            "c^T m^-1 m_O r_OL'",
            "c^T m^-1 N^T ROT^T ROT' r",
            "N^T ROT'^T ROT r_OL'",
            "N^T ROT'^T ROT' r",
            "N^T ROT'^T ROT' N δ",
            "k δ",
            "q",
            "q*",
        ),
        source=r"\{\dot p\}_L = -\{\partial H/\partial\{\delta\}_L\}",
    ),
    equation(
        "48a",
        "velocities by the momentum",
        r"\{\dot\delta\}_L",
        INVERTED,
        lambda: MOTION.array(MOTION.coordinates[1]),
        "δ̇ itself, with p = ∂L/∂δ̇",
        vocabulary=("δ'",),
        readings=(HERE_TURNED,),
        source=with_mass(r"\{\dot\delta\}_L", INVERTED).replace(latex("L_δ'"), r"\{p\}_L"),
    ),
    equation(
        "48b",
        "rate of the momentum",
        r"\{\dot p\}_L",
        "L_δ'^T m_O^-1 ROT^T ROT' m_O + int(ρ (r_OL'^T ROT^T ROT' N))"
        " + int(ρ (r^T ROT'^T ROT' S)) + int(ρ (N^T ROT'^T ROT' N δ + N^T ROT'^T ROT N δ))"
        " - int(k d) + (q*^T) + (q^T)",
        slope,
        "∂L/∂δ, which is -∂H/∂δ, with p = ∂L/∂δ̇",
        vocabulary=SLOPE,
        readings=(
            Reading("S", "N", "[S], which is not defined, is read as [N]"),
            Reading("k d", "k δ", "{d} is read as {δ}, the nodal coordinates"),
            Reading(
                "ROT N δ",
                "ROT N δ'",
                "the rendering at hand may have lost a dot of the second {δ} in the bracket",
                rendering=True,
            ),
            turned("r_OL'^T ROT^T ROT' N"),
            turned("r^T ROT'^T ROT' N"),
            turned("q*^T"),
            turned("q^T"),
        ),
    ),
)
