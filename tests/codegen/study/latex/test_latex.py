# SPDX-License-Identifier: BSD-3-Clause
"""Names, expressions and lines in LaTeX."""

from __future__ import annotations

import pytest
import sympy
from flexforge.codegen.study.latex.layout import align, fill, lines, matrix, width
from flexforge.codegen.study.latex.notation import formula, name, of_first, prose
from flexforge.codegen.study.latex.printer import Piece, latex

w, x, y, u, v, rho, lam, mu, length = sympy.symbols("w3 x1 x2 u1 v_O1 rho lambda mu l", real=True)


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("N_a,1", r"N_{a,1}"),
        ("v_O1", r"v_{O,1}"),
        ("u3,1'", r"\dot{u}_{3,1}"),
        ("d''_b,2", r"\ddot{d}_{b,2}"),
        ("d_12,3", r"d_{12,3}"),
        ("eps'1", r"\dot{\varepsilon}_{1}"),
        ("k_omega", r"k_{\omega}"),
        ("k_geo", r"k_{\mathrm{geo}}"),
        ("sigma3", r"\sigma_{0,3}"),
        ("sigma_0", r"\sigma_{0}"),
        ("R12", r"R_{12}"),
        ("young", "E"),
    ],
)
def test_names(plain: str, expected: str) -> None:
    """Letters, dots and indices of the names that derivations use."""
    assert name(plain) == expected


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("dL/dd'", r"\frac{\partial L}{\partial \dot{d}}"),
        ("d/dt dT/dq'", r"\frac{\mathrm{d}}{\mathrm{d}t} \frac{\partial T}{\partial \dot{q}}"),
        ("dS/dd''", r"\frac{\partial S}{\partial \ddot{d}}"),
        ("db/dt", r"\frac{\mathrm{d}b}{\mathrm{d}t}"),
        ("deps'/dd'", r"\frac{\partial \dot{\varepsilon}}{\partial \dot{d}}"),
        ("q*", r"q^{\ast}"),
        ("1/2 rho v^T v", r"\tfrac{1}{2} \rho v^{T} v"),
        ("(e~ + w~ w~) x", r"(\tilde{e} + \tilde{w} \tilde{w}) x"),
        ("int (bN)^T H (bN)", r"\int (b N)^{T} H (b N)"),
        ("A^T (dT/dq)", r"A^{T} \Bigl(\frac{\partial T}{\partial q}\Bigr)"),
    ],
)
def test_formulas(plain: str, expected: str) -> None:
    """Steps of ledgers and formulas of docstrings, by one translator."""
    assert formula(plain) == expected


def test_what_is_no_notation_is_refused() -> None:
    """A character that means nothing is an error, not a wrong formula."""
    with pytest.raises(ValueError, match="'%' is not in the plain notation"):
        formula("50 % of L")
    with pytest.raises(ValueError, match="is not a name"):
        name("1x")


def test_prose_has_formulas_between_backticks() -> None:
    """The rest of a text is left alone."""
    assert prose("Differentiate `L` by `d'`.") == r"Differentiate $L$ by $\dot{d}$."


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ("dL/dd'", "dL/dd'_a,1"),
        ("d/dt dT/dq'", "d/dt dT/dq'_a,1"),
        ("dv/dd'", "dv1/dd'_a,1"),
        ("deps'/dd'", "deps'1/dd'_a,1"),
        ("dA/dt", "dA11/dt"),
        ("db/dt", "db_a,1/dt"),
        ("Q", "Q_a,1"),
        ("T", "T"),
        ("S_2", "S_2"),
    ],
)
def test_the_first_of_a_family(step: str, expected: str) -> None:
    """A ledger keeps the first derivative of a family; its name says which."""
    assert of_first(step, "a") == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (sympy.Integer(0), "0"),
        (-w * y + v, r"v_{O,1} - w_{3} x_{2}"),
        (w**2 * u / 2, r"\tfrac{1}{2} w_{3}^{2} u_{1}"),
        (rho * (x + u) * w, r"\rho w_{3} (x_{1} + u_{1})"),
        (rho * (-x - u), r"- \rho (x_{1} + u_{1})"),
        ((x - u) ** 2, r"(x_{1} - u_{1})^{2}"),
        (rho * (w * (x + u) + v), r"\rho \bigl(v_{O,1} + w_{3} (x_{1} + u_{1})\bigr)"),
        ((lam + 2 * mu) * u, r"(\lambda + 2 \mu) u_{1}"),
        (rho * u / (6 * length), r"\frac{\rho u_{1}}{6 l}"),
        (1 - x / length, r"1 - \frac{x_{1}}{l}"),
        (sympy.Rational(1, 3), r"\frac{1}{3}"),
    ],
)
def test_expressions(expression: sympy.Expr, expected: str) -> None:
    """Factors and terms in the order of mechanics, brackets as tall as they must be."""
    assert latex(expression) == expected


def test_lines_break_outside_of_brackets_if_they_can() -> None:
    """A line ends before a term outside; inside of brackets only where nothing else helps."""
    parts = [Piece("aaaaaaaa", 0), Piece("+ (bb", 0), Piece("+ cc)", 1), Piece("+ dddd", 0)]
    narrow = width("aaaaaaaa + (bb + cc)") + 10
    assert fill(parts, narrow) == ["aaaaaaaa + (bb + cc)", r"\quad + dddd"]
    assert fill(parts, width("aaaaaaaa") + 20) == [
        "aaaaaaaa",
        r"\quad + (bb",
        r"\quad + cc)",
        r"\quad + dddd",
    ]
    assert lines(sympy.Integer(1), 100.0) == ["1"]


def test_aligned_formulas() -> None:
    """Further forms of a right side have their own equality sign; further lines have none."""
    text = align([("T", ["a", r"\quad + b", "=c"])], inner=True)
    assert text == "\\begin{aligned}\nT &= a \\\\\n& \\quad + b \\\\\n&= c\n\\end{aligned}"
    assert matrix(sympy.Matrix([[x, 0], [0, -x]])) == (
        r"\begin{bmatrix} x_{1} & 0 \\ 0 & - x_{1} \end{bmatrix}"
    )
