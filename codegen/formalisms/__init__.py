# SPDX-License-Identifier: BSD-3-Clause
"""Formalisms of analytical mechanics, one file each, behind one interface.

A formalism is a function ``(point, ledger) -> residuals``: the left side minus the right side of
the equation of motion of every nodal coordinate, as a density at one material point. What they
share is in ``flexforge.codegen.kinematics``; they differ only in what they do with it.
"""

from __future__ import annotations

from collections.abc import Callable

import sympy
from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.formalisms.kane import kane
from flexforge.codegen.formalisms.lagrange import lagrange
from flexforge.codegen.kinematics import MaterialPoint
from flexforge.codegen.ledger import Ledger

Formalism = Callable[[MaterialPoint, Ledger], list[sympy.Expr]]

FORMALISMS: dict[str, Formalism] = {"lagrange": lagrange, "kane": kane}


def formalism(name: str) -> Formalism:
    """Return a formalism by its name.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one.
    """
    if name not in FORMALISMS:
        raise InputError(
            f"formalism '{name}' is unknown; expected one of {', '.join(FORMALISMS)}"
            f"{nearest(name, FORMALISMS)}"
        )
    return FORMALISMS[name]
