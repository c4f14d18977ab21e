# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of a law of force as expressions of SymPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy
from flexforge.codegen.elements.energy_formulas import read_formula
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import IN_PLANE, VARIABLES, ForceLaw
from flexforge.codegen.positive import positive, step

#: Functions of formulas besides those of energies.
FUNCTIONS: Mapping[str, Callable[..., sympy.Expr]] = {
    "sin": sympy.sin, "cos": sympy.cos, "tan": sympy.tan, "atan": sympy.atan,
    "atan2": sympy.atan2, "tanh": sympy.tanh, "positive": positive, "step": step,
    "abs": lambda a: 2 * positive(a) - a,
    "max": lambda a, b: b + positive(a - b),
    "min": lambda a, b: b - positive(b - a),
}  # fmt: skip


class Formulas:
    """The formulas of a law.

    Parameters
    ----------
    law : ForceLaw
        The law.
    where : str
        What has it, for errors.

    Attributes
    ----------
    variables : dict of str to sympy.Symbol
        What changes, the time first.
    definitions : list of pairs
        Symbols and expressions of intermediate quantities, in order.
    efforts : list of sympy.Expr
        What acts, in the order of ``law.efforts``.
    gap : sympy.Expr or None
        The distance.
    switches : list of sympy.Expr
        What events need, in the order of ``law.switches``.
    holds : list of sympy.Expr
        The speeds that are kept at zero now and then.

    Raises
    ------
    InputError
        For what is no formula, unknown names, and parameters that do not occur.
    """

    def __init__(self, law: ForceLaw, where: str) -> None:
        self._where = where
        still = IN_PLANE[law.plane]
        self.variables = {name: sympy.Symbol(name, real=True) for name in ("t", *law.variables)}
        known: dict[str, sympy.Expr] = {
            name: sympy.Integer(still[name]) if name in still else sympy.Symbol(name, real=True)
            for name in ("t", *VARIABLES, *law.states)
        }
        constants = {name: sympy.Symbol(name, real=True) for name in law.constants}
        for name in (*law.constants, *(name for name, _ in law.where)):
            if name in known or name in FUNCTIONS or name in ("log", "exp", "sqrt"):
                raise InputError(f"{where}: found '{name}', which formulas of forces know already")
        self._known, self._fixed = known | constants, set(constants.values())
        self.definitions: list[tuple[sympy.Symbol, sympy.Expr]] = []
        for name, text in law.where:
            if name not in law.used:
                continue
            symbol = sympy.Symbol(name, real=True)
            value = self._read(text, name)
            self.definitions.append((symbol, self._plain(value)))
            self._known[name] = symbol
        self.efforts = [self._plain(self._read(text, name)) for name, text in law.efforts.items()]
        self.gap = self._plain(self._read(law.gap, "gap")) if law.gap else None
        self.switches = [self._plain(self._read(text, "events")) for text in law.switches]
        self.holds = [self._plain(self._read(one.speed, "hold")) for one in law.holds]
        for name in law.parameters:
            if name not in law.used:
                raise InputError(f"{where}: found the parameter '{name}', which no formula has")

    def _read(self, text: str, key: str) -> sympy.Expr:
        return read_formula(
            text, self._known, (), f"{self._where}.{key}", "motion", further=FUNCTIONS,
            fixed=self._fixed,
        )  # fmt: skip

    def _plain(self, value: sympy.Expr) -> sympy.Expr:
        """Return an expression whose powers are roots and whole ones; others are exponentials."""
        others = [one for one in value.atoms(sympy.Pow)
                  if not (one.exp.is_Rational and one.exp.q <= 2)]  # fmt: skip
        for one in sorted(others, key=sympy.default_sort_key, reverse=True):
            log = sympy.Symbol(f"log_{len(self.definitions)}", real=True)
            self.definitions.append((log, self._plain(sympy.log(one.base))))
            value = value.xreplace({one: sympy.exp(one.exp * log)})
        return value
