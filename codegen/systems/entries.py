# SPDX-License-Identifier: BSD-3-Clause
"""Equations of a system entry by entry, as they are shown: multiplied out, or in quantities."""

from __future__ import annotations

import sympy
from flexforge.codegen.systems.derivation import SystemEquations


def entries(equations: SystemEquations) -> dict[str, sympy.Expr]:
    """Return the entries of M, its upper triangle, and of h, by name."""
    n = len(equations.speeds)
    mass, forces, _ = equations.shown
    found = {f"M[{i + 1},{j + 1}]": mass[i, j] for i in range(n) for j in range(i, n)}
    return found | {f"h[{i + 1}]": forces[i] for i in range(n)}


def rates(equations: SystemEquations) -> dict[str, sympy.Expr]:
    """Return the rates of the coordinates that are not speeds themselves, by name."""
    pairs = zip(equations.system.rates, equations.shown[2], strict=True)
    return {str(rate): value for rate, value in pairs if value != rate}


def definitions(equations: SystemEquations) -> dict[str, sympy.Expr]:
    """Return the definitions of the quantities that are shown, none where all is multiplied out."""
    known = equations.quantities
    values = [entry for part in equations.shown for entry in part]
    return {str(name): known.definitions[name] for name in known.below(values)}
