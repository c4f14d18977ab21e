# SPDX-License-Identifier: BSD-3-Clause
"""A derivation as people and programs read it: kinematics, terms, ledger, agreement; text, JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import sympy
from flexforge.codegen.derivation import derive
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.equations import ElementEquations
from flexforge.codegen.errors import FlexforgeError, InputError, nearest
from flexforge.codegen.frames import FRAMES, Frame, frame_for
from flexforge.codegen.lowering.structure import find_structure
from flexforge.codegen.report_kinematics import kinematics

EQUATION = "m d'' + 2 c d' + (k + k_eps + k_omega + k_geo) d = q + q* - q_eps - q_omega - m_O a_O"


@dataclass(frozen=True, slots=True)
class TermReport:
    """One term, its structure found by looking at its integrand.

    Attributes
    ----------
    name, symbol, meaning, units : str
        As in :class:`flexforge.codegen.equations.Term`.
    symmetry, structure : str
        What was found: ``symmetric skew general`` and ``kronecker full zero column``.
    depends : tuple of str
        Motions of the frame, stresses or forces it depends on.
    scalar : sympy.Expr
        Common factor of the integrand.
    block : sympy.ImmutableMatrix
        What it multiplies: row node a, column node b; or the column of a load at node a.
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
            "symbol": self.symbol, "meaning": self.meaning, "units": self.units,
            "symmetry": self.symmetry, "structure": self.structure,
            "depends": list(self.depends), "scalar": str(self.scalar), "block": rows,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a derivation gave.

    Attributes
    ----------
    element : Element
        What was derived.
    frame : Frame
        The frame it moves in.
    formalisms : tuple of str
        By which methods.
    kinematics : dict
        Components of velocity, acceleration and strain of the material point, by name.
    constants : dict
        Constants of the material that the integrands are written in, by name.
    terms : tuple of TermReport
        Of the first formalism.
    ledgers : dict
        Operations of the derivation, by formalism, kind and family.
    """

    element: Element
    frame: Frame
    formalisms: tuple[str, ...]
    kinematics: dict[str, sympy.Expr]
    constants: dict[str, sympy.Expr]
    terms: tuple[TermReport, ...]
    ledgers: dict[str, dict[str, dict[str, int]]]

    @property
    def agreement(self) -> str:
        """Whether the formalisms agree, in words; empty for a single one."""
        if len(self.formalisms) < 2:
            return ""
        return (
            f"{listed(self.formalisms)} are symbolically equal: multiplied out, every one of the "
            f"{len(self.terms)} terms is the same"
        )

    def lines(self) -> list[str]:
        """Return the report in plain text."""
        e = self.element
        lines = [
            f"{e.name}: {len(e.nodes)} nodes, {e.size} coordinates, {self.frame.name} frame, "
            f"derived by {listed(self.formalisms)}",
            "", EQUATION, "",
            "Material point at x, displaced by u = sum_a N_a d_a, local components:",
        ]  # fmt: skip
        lines += [f"    {name} = {value}" for name, value in self.kinematics.items()]
        section = f", times {e.section}" if e.section else ""
        lines += [
            "",
            f"Integrands over the undeformed element{section}; row node a, column node b:",
        ]
        lines += [f"    {name} = {value}" for name, value in self.constants.items()]
        for term in self.terms:
            lines += ["", *term.lines()]
        lines += ["", "Operations of the derivation:"]
        for name, ledger in self.ledgers.items():
            lines.append(f"    {name}")
            for kind, counts in ledger.items():
                words = ", ".join(f"{family} {number}" for family, number in counts.items())
                lines += textwrap.wrap(f"{kind}: {words or 'none'}", 92, initial_indent="        ",
                                       subsequent_indent="            ")  # fmt: skip
        return [*lines, "", self.agreement] if self.agreement else lines

    def as_dict(self) -> dict[str, object]:
        """Return the report as plain data."""
        return {
            "element": self.element.name,
            "frame": self.frame.name,
            "formalisms": list(self.formalisms),
            "equation": EQUATION,
            "kinematics": {name: str(value) for name, value in self.kinematics.items()},
            "constants": {name: str(value) for name, value in self.constants.items()},
            "terms": {term.name: term.as_dict() for term in self.terms},
            "ledger": self.ledgers,
            "formalisms_equal": True if self.agreement else None,
        }


def report(
    element: Element,
    formalisms: Sequence[str] = ("lagrange",),
    frame: str | None = None,
    term: str | None = None,
) -> Derivation:
    """Derive an element and describe the result.

    Parameters
    ----------
    element : Element
        The declaration.
    formalisms : sequence of str
        One or several; several are compared term by term.
    frame : str, optional
        ``planar`` or ``spatial``; by default the one that fits.
    term : str, optional
        Only this term.

    Raises
    ------
    InputError
        For an unknown formalism, frame or term.
    FlexforgeError
        When two formalisms disagree.
    """
    chosen = frame_for(element.components, frame)
    equations = [derive(element, FRAMES[chosen.name], name) for name in formalisms]
    first = equations[0]
    if term is not None and term not in first.terms:
        raise InputError(
            f"element '{element.name}': term '{term}' is unknown; expected one of "
            f"{', '.join(first.terms)}{nearest(term, first.terms)}"
        )
    names = [term] if term is not None else list(first.terms)
    for other in equations[1:]:
        _check_equal(first, other, names)
    return Derivation(
        element,
        chosen,
        tuple(formalisms),
        kinematics(first.point),
        {str(name): value for name, value in element.constitutive.definitions},
        tuple(_describe(first, name) for name in names),
        {e.formalism: e.ledger.counts() for e in equations},
    )


def _check_equal(left: ElementEquations, right: ElementEquations, names: Sequence[str]) -> None:
    """Compare terms as exact symbolic zeros."""
    for name in names:
        # Densities are multiplied out in one canonical form: equal is identical.
        if left.terms[name].density != right.terms[name].density:
            raise FlexforgeError(
                f"{left.formalism} and {right.formalism} of {left.element} disagree in term {name}"
            )


def listed(names: Sequence[str]) -> str:
    """Return names as people list them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def _describe(equations: ElementEquations, name: str) -> TermReport:
    term = equations.terms[name]
    words = term.name, term.symbol, term.meaning, term.units
    if term.density.cols == 1 and not term.density.is_zero_matrix:
        factor = sympy.gcd_list([e for e in term.density if e != 0])
        block = sympy.ImmutableMatrix((term.density / factor).applyfunc(sympy.cancel))
        return TermReport(*words, "general", "column", term.depends, factor, block)
    found = find_structure(term.density)
    return TermReport(
        *words, found.symmetry, found.name, term.depends, found.scalar,
        sympy.ImmutableMatrix(found.block),
    )  # fmt: skip


def _matrix_lines(matrix: sympy.ImmutableMatrix) -> list[str]:
    """Return a small matrix in aligned columns, a large one entry by entry."""
    texts = [[str(e) for e in matrix.row(i)] for i in range(matrix.rows)]
    widths = [max(len(row[j]) for row in texts) for j in range(matrix.cols)]
    if sum(widths) <= 84:
        return ["[ " + "  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) + " ]"
                for row in texts]  # fmt: skip
    return [f"[{i + 1},{j + 1}] {text}" for i, row in enumerate(texts)
            for j, text in enumerate(row)]  # fmt: skip
