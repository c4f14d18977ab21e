# SPDX-License-Identifier: BSD-3-Clause
"""Report of one term of the element equations with its detected structure."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.mechanics.equations import Term


@dataclass(frozen=True, slots=True)
class TermReport:
    """One term, with the structure detected in its integrand.

    Attributes
    ----------
    name, symbol, meaning, units : str
        As in :class:`flexforge.codegen.mechanics.equations.Term`.
    symmetry, structure : str
        Detected values: ``symmetric skew general`` and ``kronecker full zero column``.
    depends : tuple of str
        Motions of the frame, stresses or forces it depends on.
    scalar : sympy.Expr
        Common factor of the integrand.
    block : sympy.ImmutableMatrix
        Factor of the scalar: row node a, column node b; or the column of a load at node a.
    """

    name: str
    symbol: str
    meaning: str
    units: str
    symmetry: str
    structure: str
    depends: tuple[str, ...]
    scalar: sympy.Expr
    block: sympy.ImmutableMatrix

    def lines(self) -> list[str]:
        """Return the term in plain text."""
        head = f"{self.name}: {self.symbol} = {self.meaning}  [{self.units}]"
        marks = f"{self.symmetry}, {self.structure}"
        on = f"; depends on {', '.join(self.depends)}" if self.depends else "; constant"
        rows = [f"    {line}" for line in _matrix_lines(self.block)]
        factor = [] if self.scalar == 1 else [f"    {self.scalar} times"]
        return [head, f"    {marks}{on}", *factor, *rows]

    def as_dict(self) -> dict[str, object]:
        """Return the term as plain data."""
        rows = [[str(e) for e in self.block.row(i)] for i in range(self.block.rows)]
        return {
            "symbol": self.symbol,
            "meaning": self.meaning,
            "units": self.units,
            "symmetry": self.symmetry,
            "structure": self.structure,
            "depends": list(self.depends),
            "scalar": str(self.scalar),
            "block": rows,
        }


def describe_term(term: Term) -> TermReport:
    """Return a term with the structure of its integrand."""
    words = term.name, term.symbol, term.meaning, term.units
    if term.density.cols == 1 and term.density.is_zero_matrix:
        return TermReport(*words, "general", "zero", term.depends, sympy.Integer(0), term.density)
    if term.density.cols == 1 or term.density.rows != term.density.cols:
        structure = "column" if term.density.cols == 1 else "full"
        factor = sympy.gcd_list([e for e in term.density if e != 0])
        block = sympy.ImmutableMatrix((term.density / factor).applyfunc(sympy.cancel))
        return TermReport(*words, "general", structure, term.depends, factor, block)
    found = find_structure(term.density)
    return TermReport(
        *words,
        found.symmetry,
        found.name,
        term.depends,
        found.scalar,
        sympy.ImmutableMatrix(found.block),
    )


def _matrix_lines(matrix: sympy.ImmutableMatrix) -> list[str]:
    """Return a small matrix in aligned columns, a large one entry by entry."""
    texts = [[str(e) for e in matrix.row(i)] for i in range(matrix.rows)]
    widths = [max(len(row[j]) for row in texts) for j in range(matrix.cols)]
    if sum(widths) <= 84:
        return [
            "[ " + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) + " ]"
            for row in texts
        ]
    return [
        f"[{i + 1},{j + 1}] {text}" for i, row in enumerate(texts) for j, text in enumerate(row)
    ]
