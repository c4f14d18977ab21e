# SPDX-License-Identifier: BSD-3-Clause
"""Formulas of a law of force as expressions of SymPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import sympy
from flexforge.codegen.elements.energy_formulas import read_formula
from flexforge.codegen.errors import InputError
from flexforge.codegen.forces.declaration import (
    IN_PLANE,
    MOST_CONSTANTS,
    MOST_SWITCHES,
    MOST_VARIABLES,
    VARIABLES,
    ForceLaw,
)
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
        given = (*law.constants, *(name for name, _ in law.where))
        for k, name in enumerate(given):
            if name in known or name in FUNCTIONS or name in ("log", "exp", "sqrt"):
                raise InputError(f"{where}: found '{name}', which formulas of forces know already")
            if name in given[:k]:
                raise InputError(
                    f"{where}: found '{name}' twice among parameters, kept and where; expected "
                    "names that differ"
                )
        _refuse_too_many(law, where)
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
        self.switches = [self._plain(self._read(text, key)) for key, text in law.switches]
        self.holds = [self._plain(self._read(one.speed, "hold.speed")) for one in law.holds]
        for name in law.parameters:
            if name not in law.used:
                raise InputError(f"{where}: found the parameter '{name}', which no formula has")

    def check_hold(self) -> None:
        """Refuse speeds to be held that are not linear in the rates.

        Raises
        ------
        InputError
            If one is not, or has no rate.
        """
        for value in self.holds:
            self._check_speed(value)

    def _check_speed(self, found: sympy.Expr) -> None:
        value = found
        for symbol, one in reversed(self.definitions):
            value = value.xreplace({symbol: one})
        rates = [
            symbol for name, symbol in self.variables.items()
            if name in VARIABLES and VARIABLES[name][1]
        ]  # fmt: skip
        slopes = [value.diff(one) for one in rates]
        if not any(slopes) or any(one.has(*rates) for one in slopes):
            raise InputError(
                f"{self._where}.hold.speed: found '{found}'; expected a formula that is "
                "linear in rates, such as x_dot"
            )

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


def _refuse_too_many(law: ForceLaw, where: str) -> None:
    """Refuse a law for which native code has no room."""
    sizes = {
        "variables": (len(law.variables), MOST_VARIABLES),
        "parameters and kept numbers": (len(law.constants), MOST_CONSTANTS),
        "formulas of events (one when and all kept numbers of each, and starts)": (
            len(law.switches),
            MOST_SWITCHES,
        ),
    }
    for what, (found, most) in sizes.items():
        if found > most:
            raise InputError(f"{where}: found {found} {what}; expected at most {most}")
