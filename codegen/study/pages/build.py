# SPDX-License-Identifier: BSD-3-Clause
"""The pages: descriptions of the formalisms, and the bar derived by each, in Markdown."""

from __future__ import annotations

import re

import sympy
from flexforge.codegen.elements.constitutive import YOUNG
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.kinematics import DENSITY
from flexforge.codegen.mechanics.ledger import Ledger
from flexforge.codegen.study.latex.formulas import KINDS, Style, derivatives, totals
from flexforge.codegen.study.latex.layout import SCREEN, align, lines
from flexforge.codegen.study.latex.notation import formula, of_first, prose
from flexforge.codegen.study.pages.bar import BAR, LENGTH, NODES, matrices, over_bar
from flexforge.codegen.study.report.kinematics import matrix_terms
from flexforge.codegen.study.report.report import EQUATION
from flexforge.codegen.study.report.steps import Formula, Section, Steps, steps
from flexforge.templates import render

_STYLE = Style(SCREEN, inner=True, node=NODES[0])
#: Steps that are densities over the volume: energies, forces and their derivatives.
_DENSITY = re.compile(r"(d/dt )?d?[TVWLSHQ]\b.*")
#: Lines beyond which an integral is left out, and room for the left sides of integrals in points.
_MOST_LINES, _LEFT = 3, 90.0
_EQUATION = EQUATION.replace(" + k_geo", "")


def pages() -> dict[str, str]:
    """Return all pages, by the names of their files.

    Raises
    ------
    FlexforgeError
        If two formalisms give different matrices of the bar.
    """
    written = {name: steps(BAR, [name], NODES, rows=2) for name in FORMALISMS}
    sections = {name: found.sections[0] for name, found in written.items()}
    first = sections[FORMALISMS[0]]
    for section in sections.values():
        if section.equations.terms != first.equations.terms:
            raise FlexforgeError(f"{section.name} and {first.name} disagree on the bar")
    results = _STYLE.display(
        row
        for symbol, value in matrices(first.equations).items()
        for row in _STYLE.block(formula(symbol), sympy.Integer(1), value)
    )
    free = _freed()
    found = {
        file_name(name): _page(written[name], sections[name], free[name], results)
        for name in FORMALISMS
    }
    return {"README.md": _index(sections, free, results), **found}


def _freed() -> dict[str, Ledger]:
    """Return the ledgers of the bar in a frame whose motion is unknown, by every formalism."""
    derived = {name: derive(BAR, "free", name) for name in FORMALISMS}
    first, *others = derived.values()
    for name, other in zip(FORMALISMS[1:], others, strict=True):
        if other.terms != first.terms:
            raise FlexforgeError(f"{name} and {FORMALISMS[0]} disagree on the free bar")
    return {name: found.ledger for name, found in derived.items()}


def _totals(ledger: Ledger) -> list[int]:
    """Return the counts of a ledger by kind, in the order of :data:`KINDS`."""
    counts = ledger.counts()
    return [sum(counts[kind].values()) for kind in KINDS]


def _families(ledger: Ledger) -> str:
    """Return the families of derivatives of a ledger in LaTeX, with their numbers."""
    counts = ledger.counts()
    kinds = ("partial derivatives", "total time derivatives")
    found = [
        f"{number} of ${formula(one)}$" for kind in kinds for one, number in counts[kind].items()
    ]
    return ", ".join(found)


def file_name(formalism: str) -> str:
    """Return the name of the page of a formalism."""
    return f"{formalism.replace('_', '-')}.md"


def _index(sections: dict[str, Section], free: dict[str, Ledger], results: str) -> str:
    return render(
        "study/formalisms.md.jinja",
        equation=formula(_EQUATION),
        heads=list(KINDS.values()),
        rows=[
            {
                "title": section.text.title,
                "file": file_name(name),
                "start": prose(section.text.start),
                "gives": section.text.gives,
                "counts": totals(section),
                "free": _totals(free[name]),
            }
            for name, section in sections.items()
        ],
        results=results,
    )


def _page(written: Steps, section: Section, free: Ledger, results: str) -> str:
    words = section.text
    before = [f for f in (*written.kinematics, *written.energies) if f.step in section.known]
    formulas = [*before, *section.formulas]
    return render(
        "study/formalism.md.jinja",
        title=words.title,
        start=prose(words.start),
        gives=words.gives,
        principle=formula(words.principle),
        idea=prose(words.idea),
        # The first one is Lagrange's, with which the others are compared.
        difference_title="In a moving frame"
        if section.name == FORMALISMS[0]
        else "How it differs from Lagrange",
        difference=prose(words.difference),
        recipe=[prose(step) for step in words.recipe],
        useful=prose(words.useful),
        remark=prose(words.remark),
        shape=_shape(),
        motion=_motion(written, section),
        steps=_STYLE.steps(formulas),
        integrals=_integrals(written, formulas),
        equations=_equations(written, section),
        equation=formula(_EQUATION),
        results=results,
        derivatives=[(f"${family}$", number) for family, number in derivatives(section)],
        heads=list(KINDS.values()),
        counts=totals(section),
        free=_totals(free),
        free_derivatives=_families(free),
    )


def _shape() -> str:
    """Return the shape functions of the bar, along its length."""
    along = sympy.Symbol("x1", real=True) / LENGTH
    symbols = [sympy.Symbol(f"N_{node}") for node in NODES]
    rows = []
    for symbol, shape in zip(symbols, BAR.shape, strict=True):
        rows.append((formula(str(symbol)), (shape.subs(sympy.Symbol("xi", real=True), along),)))
    return _STYLE.display(rows)


def _motion(written: Steps, section: Section) -> str:
    """Return the steps shared with other formalisms in matrix notation; may be empty."""
    rows = [
        (formula(name), [formula(" + ".join(terms))])
        for name, terms in matrix_terms(written.point).items()
        if name in section.known
    ]
    return align(rows, inner=True) if rows else ""


def _integrals(written: Steps, formulas: list[Formula]) -> str:
    """Return the integrals over the bar of densities that take only a few lines."""
    rows = []
    for f in formulas:
        value = _tidy(over_bar(f.value, written.point)) if _DENSITY.fullmatch(f.step) else None
        if value is not None and len(lines(value, SCREEN - _LEFT)) <= _MOST_LINES:
            left = formula(of_first(f.step, NODES[0]))
            rows.append((rf"\int {left}\,\mathrm{{d}}V", (value,)))
    return _STYLE.display(rows) if rows else ""


def _equations(written: Steps, section: Section) -> str:
    return _STYLE.display(
        (formula(r.step), (_tidy(over_bar(r.value, written.point)),)) for r in section.results
    )


def _tidy(value: sympy.Expr) -> sympy.Expr:
    """Return an integral with the constants of the bar factored out."""
    constants = (DENSITY, YOUNG)
    groups: dict[tuple[bool, ...], list[sympy.Expr]] = {}
    for term in sympy.Add.make_args(value):
        groups.setdefault(tuple(term.has(c) for c in constants), []).append(term)
    return sympy.Add(*(sympy.factor_terms(sympy.Add(*terms)) for terms in groups.values()))
