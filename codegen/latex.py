# SPDX-License-Identifier: BSD-3-Clause
"""A derivation as a LaTeX document that compiles as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable

import sympy
from flexforge.codegen.report import Derivation, TermReport, listed
from flexforge.codegen.version import VERSION
from flexforge.templates import render

#: Characters of a formula, counted without markup, that fit a line.
WIDTH = 62
#: Width of a matrix, in the same measure, beyond which it is written entry by entry.
MATRIX_WIDTH = 60

_SYMBOLS = {
    "m": "m", "c": "c", "k": "k", "k_eps": r"k_\varepsilon", "k_omega": r"k_\omega",
    "k_geo": r"k_\mathrm{geo}", "q_eps": r"q_\varepsilon", "q_omega": r"q_\omega",
    "m_O a_O": "m_O a_O", "q*": "q^*",
}  # fmt: skip
_MATERIAL = {"young": "E", "poisson": r"\nu"}


def latex_document(derivation: Derivation) -> str:
    """Return a complete document.

    Parameters
    ----------
    derivation : Derivation
        What to write down.
    """
    element = derivation.element
    return render(
        "derivation.tex.jinja",
        version=VERSION,
        element=element.name,
        element_text=escape(element.name),
        frame=derivation.frame.name,
        formalisms=escape(listed(derivation.formalisms)),
        nodes=len(element.nodes),
        size=element.size,
        section=f", times the {element.section}" if element.section else "",
        kinematics=_display((_name(n), _lines(e)) for n, e in derivation.kinematics.items()),
        constants=_display((_name(n), _lines(e)) for n, e in derivation.constants.items())
        if derivation.constants
        else "",
        terms=[_term(t) for t in derivation.terms],
        ledger=[
            (escape(f"{formalism}: {kind}"), sum(counts.values()))
            for formalism, ledger in derivation.ledgers.items()
            for kind, counts in ledger.items()
        ],
        agreement=escape(derivation.agreement),
    )


def escape(text: str) -> str:
    """Return text with the characters LaTeX reserves made harmless."""
    return re.sub(r"([_&%#$])", r"\\\1", text)


def _latex(value: sympy.Basic) -> str:
    return str(sympy.latex(value, symbol_names={s: _name(str(s)) for s in value.free_symbols}))


def _name(name: str) -> str:
    """Return a symbol's name such as ``N_a,1``, ``v_O1`` or ``u3,1'`` in LaTeX."""
    if name in _MATERIAL:
        return _MATERIAL[name]
    rates = len(name) - len(name.rstrip("'"))
    body, _, index = name.rstrip("'").partition(",")
    found = re.fullmatch(r"([A-Za-z]+)_?([A-Za-z]?)(\d*)", body)
    assert found is not None, name
    letter, subscript, number = found.groups()
    greek = letter in ("rho", "lambda", "mu", "sigma")
    if letter == "eps":
        letter, greek = "varepsilon", True
    head = f"\\{letter}" if greek else (letter if len(letter) == 1 else rf"\mathrm{{{letter}}}")
    if rates:
        head = rf"\{'d' * rates}ot{{{head}}}"
    parts = ",".join(p for p in (subscript + number, index) if p)
    return f"{head}_{{{parts}}}" if parts else head


def _lines(value: sympy.Expr) -> list[str]:
    """Return a sum in lines that fit the page."""
    lines: list[str] = []
    width = 0
    for term in value.as_ordered_terms():
        text = _latex(term)
        text = text if text.startswith("-") else f"+ {text}"
        size = _visible(text)
        if lines and width + size <= WIDTH:
            lines[-1] += f" {text}"
            width += size
        else:
            lines.append(text)
            width = size
    lines[0] = lines[0].removeprefix("+ ")
    return lines


def _visible(text: str) -> int:
    """Return roughly how many characters of a formula are seen."""
    return len(re.sub(r"\\(left|right|frac|mathrm|d+ot)|[{}_^\s]|(?<=\\)[a-z]+", "", text))


def _display(formulas: Iterable[tuple[str, list[str]]]) -> str:
    """Return displayed formulas aligned at their equality signs, broken where their lines are."""
    rows = []
    for name, lines in formulas:
        rows.append(f"{name} &= {lines[0]}" if name else f"& {lines[0]}")
        rows += [f"&\\quad {line}" for line in lines[1:]]
    inner = " \\\\\n".join(rows)
    return f"\\begin{{align*}}\n{inner}\n\\end{{align*}}"


def _term(term: TermReport) -> dict[str, object]:
    """Return a term as the template wants it."""
    marks = [term.symmetry, term.structure]
    marks.append(
        f"depends on ${', '.join(map(_name, term.depends))}$" if term.depends else "constant"
    )
    entries: list[tuple[str, list[str]]] = []
    rows = [[_latex(e) for e in term.block.row(i)] for i in range(term.block.rows)]
    widths = [max(_visible(row[j]) for row in rows) for j in range(term.block.cols)]
    if sum(widths) <= MATRIX_WIDTH:
        body = r" \\ ".join(" & ".join(row) for row in rows)
        matrix = rf"\begin{{bmatrix}} {body} \end{{bmatrix}}"
        if term.scalar == 1:
            entries.append(("", [matrix]))
        elif len(_lines(term.scalar)) == 1 and not term.scalar.is_Add:
            entries.append(("", [f"{_latex(term.scalar)} {matrix}"]))
        else:
            entries += [("s", _lines(term.scalar)), ("", [f"s {matrix}"])]
    else:
        entries += [
            (f"[{i + 1},{j + 1}]", _lines(term.scalar * term.block[i, j]))
            for i in range(term.block.rows)
            for j in range(term.block.cols)
        ]
    return {
        "title": term.name.replace("_", " ").capitalize(),
        "symbol": _SYMBOLS[term.symbol],
        "units": term.units.replace("^2", r"\textsuperscript{2}"),
        "marks": ", ".join(marks),
        "entries": _display(entries),
    }
