# SPDX-License-Identifier: BSD-3-Clause
"""Equations, terms and declarations as notebooks show them: LaTeX, and Markdown with LaTeX."""

from __future__ import annotations

import sympy
from flexforge.codegen.arguments import of, typed
from flexforge.codegen.elements.field import AnyElement, FieldElement
from flexforge.codegen.elements.quadrature import GivenRule, rule
from flexforge.codegen.elements.strain import operator
from flexforge.codegen.elements.terms import terms_of
from flexforge.codegen.mechanics.derivation import roll
from flexforge.codegen.mechanics.equations import ElementEquations, Term
from flexforge.codegen.study.latex.formulas import Row, Style
from flexforge.codegen.study.latex.layout import SCREEN, align, matrix, matrix_width, width
from flexforge.codegen.study.latex.notation import formula, name
from flexforge.codegen.study.latex.system import system_latex
from flexforge.codegen.study.report.report import equation_of
from flexforge.codegen.study.report.terms import describe_term
from flexforge.codegen.systems.derivation import SystemEquations
from flexforge.templates import render

#: The longest left side takes part of the width.
_STYLE = Style(SCREEN - 60, inner=True, node="a")
#: Elements of more nodes show the shape function of the first one only.
_MOST_SHAPES = 4


@typed(
    formulas=of(
        ElementEquations,
        Term,
        SystemEquations,
        expected="equations of flexforge.derive or of a system, or a term",
    )
)
def to_latex(formulas: ElementEquations | Term | SystemEquations) -> str:
    r"""Return equations or one of their terms in LaTeX, to be put into a display of a paper.

    Parameters
    ----------
    formulas : ElementEquations, Term or SystemEquations
        A derivation, or one of its ``terms``. Equations with all coordinates written out are shown
        by the block of a pair of nodes.

    Returns
    -------
    str
        An ``aligned`` environment of amsmath, for ``equation`` or ``\[ \]``. Equations end with
        the matrix of the law and its constants; a term alone has none. `flexforge derive ELEMENT
        --latex` prints a whole document with every step.

    Examples
    --------
    >>> import flexforge as ff
    >>> print(ff.to_latex(ff.derive("bar2_plane").terms["body_load"]).splitlines()[0])
    \begin{aligned}
    """
    if isinstance(formulas, SystemEquations):
        return system_latex(formulas)
    return (
        equations_latex(formulas)
        if isinstance(formulas, ElementEquations)
        else term_latex(formulas)
    )


def equations_latex(equations: ElementEquations) -> str:
    """Return the equations of motion in LaTeX: every term with its integrand, and the law.

    Unrolled equations are shown by the block of a pair of nodes that they consist of.

    Parameters
    ----------
    equations : ElementEquations
        A derivation.

    Raises
    ------
    FlexforgeError
        As of :func:`flexforge.codegen.mechanics.derivation.roll`.
    """
    block = equations if len(equations.point.nodes) <= 2 else roll(equations)
    frame = block.point.frame
    general: Row = ("", [formula(side) for side in equation_of(frame)])  # on a line each
    most = 3 + len(frame.speeds)
    terms = [row for term in block.terms.values() for row in _term(term, most)]
    return _STYLE.display([general, *terms, *_law(block)])


def term_latex(term: Term) -> str:
    """Return a term in LaTeX: its integral and, for a pair of nodes, its integrand.

    Parameters
    ----------
    term : Term
        The term; one with all coordinates written out is shown by its integral alone.
    """
    return _STYLE.display(_term(term))


def element_markdown(element: AnyElement) -> str:
    """Return the declaration of an element in Markdown.

    Parameters
    ----------
    element : Element or FieldElement
        The declaration.
    """
    law = element.constitutive
    parameters = [*law.parameters]
    if isinstance(element, FieldElement):
        parameters += element.parameters
    parameters += [p for p in (element.section, element.density) if p]
    return render(
        "study/declaration.md.jinja",
        name=element.name,
        description=element.description.replace("_", " "),
        facts=[
            ("cell", element.cell),
            ("nodes", _nodes(element)),
            ("coordinates", f"{element.size}, {_carried(element)}"),
            ("parameters", ", ".join(f"`{p}`" for p in parameters)),
            ("quadrature", _quadrature(element)),
            ("terms", ", ".join(f"`{term}`" for term in terms_of(element))),
        ],
        shape="" if isinstance(element, FieldElement) else _shape(element.shape),
        strain=_strain(element),
        law=align([(r"\sigma", [f"H {name('eps')},\\qquad H = {matrix(law.matrix)}"])], inner=True),
        law_name=law.name.replace("_", " "),
        constants=_constants(element),
    )


def _law(equations: ElementEquations) -> list[Row]:
    """Return the matrix H of the law, and the definitions of those of its constants that occur."""
    law = equations.point.law
    if "stiffness" not in equations.terms or not law.matrix.rows:
        return []
    beside = width("H") + 30 + matrix_width(law.matrix)
    rows: list[Row] = [("H", (matrix(law.matrix),))]
    if beside > _STYLE.room:
        rows = [
            (f"H_{{{i + 1},{j + 1}}}", (law.matrix[i, j],))
            for i in range(law.matrix.rows)
            for j in range(i, law.matrix.cols)
            if law.matrix[i, j] != 0
        ]
    used = {s for term in equations.terms.values() for s in term.density.free_symbols}
    used |= law.matrix.free_symbols
    return rows + [(name(str(n)), (sympy.factor(v),)) for n, v in law.definitions if n in used]


def _term(term: Term, most: int = 3) -> list[Row]:
    """Return the integral of a term and its integrand of up to so many rows, per unit of volume."""
    symbol = formula(term.symbol)
    rows: list[Row] = [(symbol, (formula(term.meaning),))]
    if term.density.rows > most:  # all coordinates of an element, not a pair of nodes
        return rows
    if term.density.is_zero_matrix:
        return [(symbol, ("0",))]
    found = describe_term(term)
    whole = f"({symbol})" if " " in term.symbol else symbol
    density = rf"\mathrm{{d}}{whole}/\mathrm{{d}}V"
    return rows + _STYLE.block(density, found.scalar, found.block)


def _nodes(element: AnyElement) -> str:
    places = element.places if isinstance(element, FieldElement) else element.nodes
    listed = ", ".join(f"({', '.join(map(str, place))})" for place in places[:8])
    return f"{len(places)}: {listed}{', …' if len(places) > 8 else ''}"


def _carried(element: AnyElement) -> str:
    if isinstance(element, FieldElement):
        return f"{element.components} for each {' and '.join(element.carried)} of a node"
    return f"{element.components} per node"


def _quadrature(element: AnyElement) -> str:
    """Return points and degree of every integral."""
    words = []
    for purpose, degree in element.degree.items():
        count = len(rule(element.cell, degree)[1])
        exact = "" if isinstance(degree, GivenRule) else f", exact to degree {degree}"
        words.append(f"{purpose} {count} point{'s' * (count > 1)}{exact}")
    return "; ".join(words)


def _shape(functions: tuple[sympy.Expr, ...]) -> str:
    shown = functions if len(functions) <= _MOST_SHAPES else functions[:1]
    return _STYLE.display((f"N_{{{k}}}", (sympy.factor(n),)) for k, n in enumerate(shown))


def _strain(element: AnyElement) -> str:
    """Return the strain in derivatives of the displacement; none for an explicit field."""
    if isinstance(element, FieldElement):
        return ""
    size = element.components
    moved = sympy.Matrix([sympy.Symbol(f"u{i + 1}") for i in range(size)])
    slopes = sympy.Matrix(size, size, lambda i, j: sympy.Symbol(f"u{i + 1},{j + 1}"))
    means = sympy.Matrix(size, size, lambda i, j: sympy.Symbol(f"m{i + 1},{j + 1}"))
    found = operator(element.strain)(moved, slopes, means)
    return align([(name("eps"), [matrix(found)])], inner=True) if found.rows else ""


def _constants(element: AnyElement) -> str:
    defined = element.constitutive.definitions
    return _STYLE.display((name(str(n)), (sympy.factor(v),)) for n, v in defined) if defined else ""
