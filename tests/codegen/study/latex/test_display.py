# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show of derivations and declarations: short, complete, and LaTeX."""

from __future__ import annotations

from pathlib import Path

import flexforge as ff
import pytest
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.study.latex.display import element_markdown, equations_latex, term_latex
from flexforge.codegen.study.latex.notation import name

EXAMPLES = sorted((Path(__file__).parents[4] / "examples/elements").glob("*.toml"))
#: A screen or two.
MOST = 6_000


def balanced(text: str) -> bool:
    """Whether braces and environments are closed, and no name is left as Python prints it."""
    return (
        text.count("{") == text.count("}")
        and text.count(r"\begin") == text.count(r"\end")
        and "**" not in text
    )


def test_every_term_is_shown_with_its_integrand() -> None:
    """The mass of two nodes is a number times the unit matrix, of Coriolis a skew one."""
    equations = derive("quad4")
    text = equations_latex(equations)
    assert balanced(text) and len(text) < MOST
    assert text.count(r"\mathrm{d}V") >= len(equations.terms)
    unit = r"\begin{bmatrix} 1 & 0 \\ 0 & 1 \end{bmatrix}"
    assert rf"\mathrm{{d}}m/\mathrm{{d}}V &= \rho N_{{a}} N_{{b}} {unit}" in text
    skew = r"\begin{bmatrix} 0 & - 1 \\ 1 & 0 \end{bmatrix}"
    assert rf"\rho N_{{a}} N_{{b}} w_{{3}} {skew}" in term_latex(equations.terms["coriolis"])


def test_equations_end_with_their_law(tmp_path: Path) -> None:
    """H and what its constants are, of a law of one's own too; both sides have a line each."""
    text = equations_latex(derive("quad4"))
    assert "d \\\\\n&= q + " in text
    assert text.splitlines()[-2].startswith(r"\mu &= \frac{E}{2 (1 + \nu)}")
    law = 'law = { parameters = ["E1", "g"], matrix = [["E1/(1 - g)", "0", "0"], ["0", "E1", "0"], '
    (tmp_path / "own.toml").write_text(
        f'extends = ["quad4"]\nname = "own"\n{law}["0", "0", "g*E1"]] }}\n'
    )
    own = equations_latex(derive(ff.element(tmp_path / "own.toml")))
    assert balanced(own) and r"H &= \begin{bmatrix} \mathrm{law}_{11} & 0 & 0" in own
    assert r"\mathrm{law}_{11} &= \frac{E_{1}}{1 - g}" in own
    assert r"H &=" not in equations_latex(derive("point_mass"))


@pytest.mark.slow
def test_a_law_wider_than_a_line_is_shown_by_entries() -> None:
    """Those of a shell are words; zeros and what is below the diagonal are left out."""
    shell = equations_latex(derive("dkt3"))
    assert balanced(shell) and "\nH_{1,1} &= " in shell and r"H &= \begin" not in shell
    assert "H_{2,1}" not in shell and "&= 0" not in shell.partition("H_{1,1}")[2]


def test_unrolled_equations_are_shown_by_their_block() -> None:
    """The same as those of a pair of nodes, however many nodes were written out."""
    unrolled = derive("tri3", formalism="virtual_power", unrolled=True)
    assert equations_latex(unrolled) == equations_latex(derive("tri3"))
    assert term_latex(unrolled.terms["mass"]).count("&") == 1  # its integral alone


@pytest.mark.parametrize("element", ["tri3", "hex8s", "axisymmetric", "point_mass", "mitc4"])
def test_declarations_of_every_kind_are_shown(element: str) -> None:
    """Continuum, selective, revolved, lumped, shell: facts, law, terms."""
    found = (
        ff.element("quad4", "axisymmetric") if element == "axisymmetric" else ff.element(element)
    )
    text = element_markdown(found)
    for fact in (found.name, found.cell, "`mass`", r"\sigma"):
        assert fact in text
    assert text.count("$$") % 2 == 0 and len(text) < MOST


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_own_elements_are_shown(path: Path) -> None:
    """Constants of a declared law have names of several words."""
    text = element_markdown(ff.element(path))
    assert text.count("$$") % 2 == 0 and text.count("{") == text.count("}")


def test_names_of_several_words_are_printed_upright() -> None:
    """A law declared by formulas makes them; an underscore is escaped."""
    assert name("membrane_xx_membrane_yy") == r"\mathrm{membrane\_xx\_membrane\_yy}"


def test_formulas_for_a_paper_are_public() -> None:
    """Of all terms or of one, in an environment that a display of amsmath takes."""
    equations = ff.derive("tri3")
    assert ff.to_latex(equations) == equations_latex(equations)
    assert ff.to_latex(equations.terms["mass"]).startswith("\\begin{aligned}\nm &= ")
