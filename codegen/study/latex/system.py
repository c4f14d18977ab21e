# SPDX-License-Identifier: BSD-3-Clause
"""Equations of a system in LaTeX, line by line, and as a display of a paper."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy
from flexforge.codegen.systems.declaration import RATE
from flexforge.codegen.systems.derivation import SystemEquations
from flexforge.codegen.systems.entries import entries, rates
from sympy.printing.latex import LatexPrinter

#: Entries of a matrix that is shown as a whole; larger ones are shown entry by entry.
_MOST = 3
#: Longest entry of such a matrix, and longest line, in characters of LaTeX without commands.
_ENTRY, _LINE = 30, 100


def system_latex(equations: SystemEquations) -> str:
    """Return the equations of a system as an ``aligned`` environment of amsmath."""
    return aligned("aligned", equation_rows(equations))


def equation_rows(first: SystemEquations) -> list[str]:
    """Return the lines of the equations, each with its sign of alignment."""
    printer = Printer(first)
    speeds = sympy.Matrix([sympy.Symbol(f"{z}{RATE}", real=True) for z in first.speeds])
    rows = [rf"M\,\dot{{z}} + h &= 0,\qquad z = {_column(map(printer, first.speeds))}"]
    mass, forces, _ = first.shown
    texts = [printer(entry) for entry in (*mass, *forces)]
    if len(speeds) <= _MOST and all(_length(entry) <= _ENTRY for entry in texts):
        rows.append(f"M &= {printer(mass)}")
        rows.append(f"h &= {printer(forces)}")
    else:
        for name, value in entries(first).items():
            rows += entry_rows(name, value, printer)
    for name, value in rates(first).items():
        rows += entry_rows(name, value, printer)
    return rows


def _column(entries: Iterable[str]) -> str:
    return r"\begin{bmatrix}" + r"\\".join(entries) + r"\end{bmatrix}"


def entry_rows(name: str, value: sympy.Expr, printer: Printer) -> list[str]:
    """Return the lines of one equation, broken between terms."""
    left = printer.of_name(name)
    lines, current = [], f"{left} &="
    for k, term in enumerate(sympy.Add.make_args(value)):
        text = printer(term)
        signed = text if k == 0 or text.startswith("-") else f"+ {text}"
        if _length(f"{current} {signed}") > _LINE and not current.endswith("&="):
            lines.append(current)
            current = r"&\quad"
        current += f" {signed}"
    return [*lines, current]


def _length(text: str) -> int:
    """Return about the number of characters that are seen."""
    return len(re.sub(r"\\[a-zA-Z]+|[{}^_\\ ]", "", text))


def aligned(environment: str, rows: Iterable[str]) -> str:
    """Return lines in an environment of amsmath; nothing where there are none."""
    lines = list(rows)
    if not lines:
        return ""
    body = " \\\\\n".join(lines)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


class Printer:
    """SymPy's printer with dots for rates."""

    def __init__(self, equations: SystemEquations) -> None:
        self._names: dict[sympy.Symbol, str] = {}
        system = equations.system
        printer = LatexPrinter()
        for one in (*system.coordinates, *equations.speeds):
            rate = sympy.Symbol(f"{one}{RATE}", real=True)
            if one.name.endswith(RATE):
                plain = sympy.Symbol(one.name.removesuffix(RATE), real=True)
                self._names[one] = rf"\dot{{{self._of(plain, printer)}}}"
            self._names[rate] = rf"\dot{{{self._names.get(one, self._of(one, printer))}}}"
        for one in system.coordinates:
            rate = sympy.Symbol(f"{one}{RATE}", real=True)
            self._names[rate] = rf"\dot{{{self._of(one, printer)}}}"
        for name in equations.quantities.definitions:
            self._names[name] = f"s_{{{name.name.removeprefix('s.')}}}"
        for one in (*system.coordinates, *system.constants, *system.inputs):
            self._names.setdefault(one, self._of(one, printer))
        self._printer = LatexPrinter(
            {"symbol_names": self._names, "mat_delim": "[", "mul_symbol": r" \, "}
        )

    @staticmethod
    def _of(one: sympy.Symbol, printer: LatexPrinter) -> str:
        """Return a symbol; a word of several letters that is no Greek one upright."""
        text: str = printer.doprint(one)
        return text if not text.isalpha() or len(text) == 1 else rf"\mathrm{{{text}}}"

    def __call__(self, value: sympy.Basic) -> str:
        """Return an expression in LaTeX."""
        text: str = self._printer.doprint(value)
        return text

    def of_name(self, name: str) -> str:
        """Return the left side of an entry: ``M[1,2]``, a rate or a quantity."""
        indexed = re.fullmatch(r"([Mh])\[([\d,]+)\]", name)
        if indexed:
            return f"{indexed[1]}_{{{indexed[2]}}}"
        return self(sympy.Symbol(name, real=True))
