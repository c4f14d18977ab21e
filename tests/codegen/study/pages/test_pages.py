# SPDX-License-Identifier: BSD-3-Clause
"""The pages of docs/formalisms are what the program writes, and what it writes is right."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.latex.layout import SCREEN
from flexforge.codegen.study.pages import build
from flexforge.codegen.study.pages.bar import AREA, BAR, LENGTH, matrices

FOLDER = Path(__file__).parents[4] / "docs" / "formalisms"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return build.pages()


def test_the_pages_are_those_of_the_program(pages: dict[str, str]) -> None:
    """Byte for byte; ``make pages`` writes them anew."""
    assert sorted(pages) == sorted(path.name for path in FOLDER.iterdir())
    assert len(pages) == len(FORMALISMS) + 1
    for name, text in pages.items():
        assert (FOLDER / name).read_bytes() == text.encode(), f"{name}: run make pages"


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_the_matrices_of_the_bar(formalism: str) -> None:
    """The bar by hand: int N_a N_b = l/6 (1 + delta_ab), int N_a = l/2, int N_a x = a l^2/6.

    m and k are those of every textbook on finite elements; in the plane c = w J (x) the scalar
    mass matrix, k_omega = -w^2 m (physics.md section 2).
    """
    found = matrices(derive(BAR, formalism=formalism, unrolled=True))
    rho = sympy.Symbol("rho", real=True)
    young, w, e, f1, f2 = sympy.symbols("young w3 e3 f1 f2", real=True)
    mass = rho * AREA * LENGTH / 6
    scalar = sympy.Matrix([[2, 1], [1, 2]])
    one, turn = sympy.eye(2), sympy.Matrix([[0, -1], [1, 0]])
    stretch = sympy.zeros(4, 4)
    stretch[0, 0] = stretch[2, 2] = 1
    stretch[0, 2] = stretch[2, 0] = -1
    expected = {
        "m": mass * sympy.kronecker_product(scalar, one),
        "c": mass * w * sympy.kronecker_product(scalar, turn),
        "k": young * AREA / LENGTH * stretch,
        "k_eps": mass * e * sympy.kronecker_product(scalar, turn),
        "k_omega": -mass * w**2 * sympy.kronecker_product(scalar, one),
        "q_eps": mass * LENGTH * e * sympy.Matrix([0, 1, 0, 2]),
        "q_omega": -mass * LENGTH * w**2 * sympy.Matrix([1, 0, 2, 0]),
        "m_O": 3 * mass * sympy.Matrix.vstack(one, one),
        "q*": AREA * LENGTH / 2 * sympy.Matrix([f1, f2, f1, f2]),
    }
    assert list(found) == list(expected)
    for symbol, value in expected.items():
        assert (found[symbol] - value).applyfunc(sympy.expand).is_zero_matrix, symbol


def test_a_disagreement_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No page is written when one formalism comes to other matrices."""
    true_steps = build.steps

    def wrong(element, names, *rest, **options):
        found = true_steps(element, names, *rest, **options)
        if names != ["kane"]:
            return found
        section = found.sections[0]
        terms = section.equations.terms
        mass = replace(terms["mass"], density=2 * terms["mass"].density)
        equations = replace(section.equations, terms=terms | {"mass": mass})
        return replace(found, sections=(replace(section, equations=equations),))

    monkeypatch.setattr(build, "steps", wrong)
    with pytest.raises(FlexforgeError, match="kane and lagrange disagree on the bar"):
        build.pages()


def test_every_link_leads_somewhere(pages: dict[str, str]) -> None:
    """Links between the pages name files that are written, others pages that there are."""
    for name, text in pages.items():
        targets = {one.split("#")[0] for one in re.findall(r"\]\(([^)]+)\)", text)}
        assert targets, name
        others = {one for one in targets if one.startswith("../")}
        assert targets - others <= set(pages), name
        assert all((FOLDER / one).is_file() for one in others), name


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_formulas_compile_and_fit_the_screen(pages: dict[str, str], tmp_path: Path) -> None:
    """All formulas of all pages: LaTeX takes them, and none is wider than the page."""
    formulas = [
        f"\\begin{{equation*}}\n{display or inline}\n\\end{{equation*}}"
        for text in pages.values()
        for display, inline in re.findall(r"```math\n(.*?)\n```|\$([^$]+)\$", text, flags=re.S)
    ]
    assert len(formulas) > 100
    body = "\n".join(formulas)
    (tmp_path / "out.tex").write_text(
        "\\documentclass[10pt]{article}\\usepackage{amsmath}"
        f"\\setlength{{\\textwidth}}{{{SCREEN}pt}}\\begin{{document}}\n{body}\n\\end{{document}}"
    )
    done = subprocess.run(
        ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "out.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
