# SPDX-License-Identifier: BSD-3-Clause
"""Steps, terms and counts in LaTeX, for the document and the Markdown pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import sympy
from flexforge.codegen.study.latex.layout import align, lines, matrix, matrix_width, width
from flexforge.codegen.study.latex.notation import formula, of_first
from flexforge.codegen.study.latex.printer import latex
from flexforge.codegen.study.report.steps import Formula, Section

#: A full form of more lines than this is omitted if there is a shorter one.
_MOST_LINES = 3

#: Kinds of counts as named in the ledger, and as headings of a table.
KINDS = {
    "partial derivatives": "partial derivatives",
    "total time derivatives": "total derivatives",
    "products": "products",
    "sums": "sums",
    "largest expression": "largest expression",
}


#: A right side: an expression, a matrix, or LaTeX; and a left side with its right sides.
Form: TypeAlias = sympy.Expr | sympy.MatrixBase | str
Row: TypeAlias = tuple[str, Sequence[Form]]


@dataclass(frozen=True, slots=True)
class Style:
    """Options for the display of formulas.

    Attributes
    ----------
    room : float
        Width of a line in points.
    inner : bool
        Whether formulas are inside an existing display, as in Markdown.
    node : str
        Label of the node whose first coordinate represents a family of derivatives.
    """

    room: float
    inner: bool
    node: str

    def display(self, rows: Iterable[Row]) -> str:
        """Return aligned formulas: a left side in LaTeX, and the forms of the right side.

        A form is an expression, a matrix, or LaTeX.
        """
        found = list(rows)
        room = self.room - 12 - max(width(left) for left, _ in found)
        return align(((left, self._right(forms, room)) for left, forms in found), inner=self.inner)

    def steps(self, formulas: Sequence[Formula]) -> str:
        """Return steps of a derivation; empty if there are none."""
        rows = [(self.left(f), f.forms) for f in formulas]
        return self.display(rows) if rows else ""

    def left(self, step: Formula) -> str:
        """Return the name of a step in LaTeX, with the indices of the written component."""
        if step.component:
            return formula(step.step + step.component)
        return formula(of_first(step.step, self.node) if _one(step) else step.step)

    def _right(self, forms: Sequence[Form], room: float) -> list[str]:
        """Return the lines of a right side; a long full form is replaced by a shorter one."""
        found: list[str] = []
        for k, form in enumerate(forms):
            # An immutable matrix is an expression to SymPy.
            if isinstance(form, sympy.MatrixBase | str):
                written = [form if isinstance(form, str) else matrix(form)]
            else:
                written = lines(form, room)
                spare = k and not isinstance(forms[k - 1], str)
                if spare and len(written) > _MOST_LINES:
                    continue
            found += [f"={written[0]}", *written[1:]] if found else written
        return found

    def results(self, section: Section) -> str:
        """Return the first equations as the formalism writes them."""
        return self.display([(formula(r.step), r.forms) for r in section.results])

    def block(self, symbol: str, scalar: sympy.Expr, block: sympy.MatrixBase) -> list[Row]:
        """Return a matrix as a scalar times a block if that fits the line, else by entries."""
        common = _content([entry for entry in block if entry != 0])
        scalar, block = scalar * common, (block / common).applyfunc(sympy.cancel)
        beside = width(symbol) + 30 + (0 if scalar.is_Add else width(latex(scalar)))
        if block.cols > 1 and beside + matrix_width(block) > self.room:
            return [
                (rf"\bigl[{symbol}\bigr]_{{{i + 1},{j + 1}}}", (scalar * block[i, j],))
                for i in range(block.rows)
                for j in range(block.cols)
            ]
        if isinstance(scalar, sympy.Add):
            return [(symbol, (f"s {matrix(block)}",)), ("s", (scalar,))]
        factor = "" if scalar == 1 else latex(scalar)
        return [(symbol, (f"{factor} {matrix(block)}".strip(),))]


def _content(entries: Sequence[sympy.Expr]) -> sympy.Expr:
    """Return a common factor of all entries of a matrix that leaves integers."""
    if not entries:
        return sympy.Integer(1)
    common = sympy.gcd_list(_coefficients(entries))
    numbers = [sympy.cancel(entry / common).as_content_primitive()[0] for entry in entries]
    common /= sympy.ilcm(1, *(number.q for number in numbers))
    return -common if all(entry.could_extract_minus_sign() for entry in entries) else common


def _coefficients(entries: Sequence[sympy.Expr]) -> list[sympy.Expr]:
    """Return expressions with the same common factor, in the symbols that all entries have.

    A common factor has only these symbols, so it divides all coefficients of the others; finding it
    in them takes a hundredth of the time.
    """
    shared = set.intersection(*(entry.free_symbols for entry in entries))
    others = sorted(set().union(*(entry.free_symbols for entry in entries)) - shared, key=str)
    if not others or not all(entry.is_polynomial(*others) for entry in entries):
        return list(entries)
    found = {c for entry in entries for c in sympy.Poly(entry, *others).coeffs()}
    return sorted(found, key=sympy.default_sort_key)


def derivatives(section: Section) -> list[tuple[str, int]]:
    """Return the families of derivatives of a formalism in LaTeX, with their numbers."""
    kinds = ("partial derivatives", "total time derivatives")
    return [
        (formula(section.families.get(family, family)), number)
        for kind in kinds
        for family, number in section.counts[kind].items()
    ]


def totals(section: Section) -> list[int]:
    """Return the counts of a formalism by kind, in the order of :data:`KINDS`."""
    return [sum(section.counts[kind].values()) for kind in KINDS]


def _one(step: Formula) -> bool:
    """Whether a step is the first member of a family or vector that is written."""
    return not isinstance(step.value, sympy.MatrixBase)
