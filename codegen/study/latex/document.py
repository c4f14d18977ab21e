# SPDX-License-Identifier: BSD-3-Clause
"""A derivation as a self-contained LaTeX document."""

from __future__ import annotations

import re

import sympy
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.mechanics.kinematics import MaterialPoint
from flexforge.codegen.study.latex.formulas import KINDS, Row, Style, derivatives, totals
from flexforge.codegen.study.latex.layout import PAPER, align, matrix
from flexforge.codegen.study.latex.notation import formula, name, prose
from flexforge.codegen.study.report.kinematics import matrix_terms
from flexforge.codegen.study.report.report import EQUATION, Derivation, listed
from flexforge.codegen.study.report.steps import Section, Steps, steps
from flexforge.codegen.study.report.terms import TermReport
from flexforge.codegen.version import VERSION
from flexforge.templates import render

_MARKS = {
    "symmetric": "symmetric", "skew": "skew", "zero": "zero",
    "kronecker": "one block for all pairs of nodes",
}  # fmt: skip
_STYLE = Style(PAPER, inner=False, node="a")


def _shape(element: AnyElement) -> list[tuple[str, sympy.Expr]]:
    """Return the nonzero functions of the field with their names."""
    if isinstance(element, FieldElement):
        field = element.displacement
        return [
            (rf"N_{{{i + 1},{k + 1}}}", field[i, k])
            for k in range(field.cols)
            for i in range(field.rows)
            if field[i, k] != 0
        ]
    return [(rf"N_{{{k + 1}}}", n) for k, n in enumerate(element.shape)]


def latex_document(derivation: Derivation) -> str:
    """Return a complete document.

    Parameters
    ----------
    derivation : Derivation
        The derivation; the steps of its formalisms are derived here.
    """
    element = derivation.element
    written = steps(element, derivation.formalisms)
    shape = [(label, (sympy.factor(n),)) for label, n in _shape(element)]
    constants = [
        (name(str(n)), (sympy.factor(value),)) for n, value in element.constitutive.definitions
    ]
    return render(
        "study/derivation.tex.jinja",
        version=VERSION,
        element=element.name,
        element_text=escape(element.name),
        cell=element.cell,
        frame=derivation.frame.name,
        formalisms=listed([s.text.title for s in written.sections]),
        nodes=len(element.nodes),
        size=element.size,
        section=f", times the {element.section}" if element.section else "",
        equation=formula(EQUATION),
        shape=_STYLE.display(shape),
        motion=[_motion(written.point, mark) for mark in ("v", "a")],
        strain=_components(written, "eps"),
        law=align(
            [(r"\sigma", [f"H {name('eps')},\\qquad H = {matrix(written.point.law.matrix)}"])]
        ),
        constants=_STYLE.display(constants) if constants else "",
        energies=_STYLE.display(_energies(written)),
        sections=[_section(s) for s in written.sections],
        terms=[_term(t) for t in derivation.terms],
        agree=bool(derivation.agreement),
        heads=list(zip(*(f" {kind}".rsplit(" ", 1) for kind in KINDS.values()), strict=True)),
        counts=[(s.text.title, totals(s)) for s in written.sections],
    )


def escape(text: str) -> str:
    """Return text with the reserved characters of LaTeX escaped."""
    return re.sub(r"([_&%#$])", r"\\\1", text)


def _motion(point: MaterialPoint, mark: str) -> str:
    """Return velocity or acceleration as a sum of terms, and the components of every term."""
    terms = matrix_terms(point)[mark]
    rows: list[Row] = [(formula(mark), (formula(" + ".join(terms)),))]
    return _STYLE.display([*rows, *((formula(term), (value,)) for term, value in terms.items())])


def _components(written: Steps, mark: str) -> str:
    return _STYLE.steps([f for f in written.kinematics if f.step == mark])


def _energies(written: Steps) -> list[Row]:
    """Return the energies in matrix notation and written out."""
    terms = matrix_terms(written.point)
    rest = [f for f in written.energies if f.step in terms]
    return [(formula(f.step), (formula(" + ".join(terms[f.step])), *f.forms)) for f in rest]


def _section(section: Section) -> dict[str, object]:
    """Return the data of a formalism for the template."""
    words = section.text
    return {
        "title": words.title,
        "start": prose(words.start),
        "idea": prose(words.idea),
        "remark": prose(words.remark),
        "principle": align([("", [formula(words.principle)])]),
        "known": ", ".join(f"${formula(step)}$" for step in section.known),
        "steps": _STYLE.steps(section.formulas),
        "results": _STYLE.results(section),
        "derivatives": ", ".join(f"{n} of ${family}$" for family, n in derivatives(section)),
    }


def _term(term: TermReport) -> dict[str, str]:
    """Return the data of a term for the template."""
    marks = [_MARKS[mark] for mark in (term.symmetry, term.structure) if mark in _MARKS]
    marks.append(
        f"depends on ${', '.join(map(name, term.depends))}$" if term.depends else "constant"
    )
    return {
        "title": term.name.replace("_", " ").capitalize(),
        "meaning": f"{formula(term.symbol)} = {formula(term.meaning)}",
        "units": term.units.replace("^2", r"\textsuperscript{2}"),
        "marks": ", ".join(marks),
        "block": _STYLE.display(_STYLE.block(formula(term.symbol), term.scalar, term.block)),
    }
