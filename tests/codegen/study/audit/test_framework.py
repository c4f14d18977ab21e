# SPDX-License-Identifier: BSD-3-Clause
"""The framework: what is planted in a right equation is found, and called by its name."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.study.audit.equation import Equation, Form, Reading
from flexforge.codegen.study.audit.instant import ROTATION
from flexforge.codegen.study.audit.latex import latex
from flexforge.codegen.study.audit.linear import combinations_that_give, solve
from flexforge.codegen.study.audit.notation import expand, parse, text_of
from flexforge.codegen.study.audit.reading import read
from flexforge.codegen.study.audit.scutaru_2023.kinematics import VELOCITY, local_velocity
from flexforge.codegen.study.audit.scutaru_2023.lagrange import MOTION, motion
from flexforge.codegen.study.audit.scutaru_2023.symbols import point
from flexforge.codegen.study.audit.verdict import AGREES, DIFFERS, READ, Result, audit
from flexforge.codegen.study.audit.vlase_2022.paper import PAPER
from sympy import QQ, eye

RIGHT = "xO'[i] + α[ji] α'[jk] x[k] + α[ji] α'[jk] N[kr] δ[r] + N[ir] δ'[r]"


def velocity(printed: str, *readings: Reading) -> Result:
    """Audit a form of the local velocity of a point."""
    form = Form("", printed, local_velocity, readings)
    return audit(Equation("9", "velocity", form, point, "i", VELOCITY, ""))


def found(result: Result) -> set[tuple[str, str]]:
    assert result.verdict == DIFFERS
    return {(finding.kind, finding.text) for finding in result.findings}


def test_right_equation_agrees_and_is_written_out() -> None:
    """The velocity has four terms; the derived side is found in them by itself."""
    result = velocity(RIGHT)
    assert result.verdict == AGREES
    assert result.derived == RIGHT
    assert not result.findings


@pytest.mark.parametrize(
    ("old", "new", "kind", "text"),
    [
        ("+ N[ir] δ'[r]", "- N[ir] δ'[r]", "sign", "- N[ir] δ'[r] with the other sign"),
        ("+ N[ir] δ'[r]", "+ 2 N[ir] δ'[r]", "factor", "2 N[ir] δ'[r] times 1/2"),
        ("+ N[ir] δ'[r]", "", "missing term", "N[ir] δ'[r]"),
        ("N[ir] δ'[r]", "N[ir] δ'[r] - N[ir] δ''[r]", "extra term", "- N[ir] δ''[r]"),
        ("N[ir] δ'[r]", "N[ir] δ''[r]", "extra term", "N[ir] δ''[r]"),
        ("α'[jk] x[k]", "α'[jl] x[k]", "indices", "index k occurs once in α[ji] α'[jl] x[k]"),
        ("N[ir] δ'[r]", "N[it] δ'[r]", "indices", "index r occurs once in N[it] δ'[r]"),
        ("xO'[i]", "xO'[j]", "indices", "the free index i does not occur in xO'[j]"),
        ("N[ir] δ'[r]", "N[ri] δ'[r]", "indices", "index r has two ranges in N[ri] δ'[r]"),
        ("N[ir] δ'[r]", "S[ir] δ'[r]", "symbol", "S[ir] is not defined"),
        ("N[ir] δ'[r]", "int(N[ir] δ'[r])", "factor", "N[ir] δ'[r] dV: dV too many"),
        ("N[ir] δ'[r]", "ρ N[ir] δ'[r]", "factor", "ρ N[ir] δ'[r]: ρ too many"),
        (
            "α[ji] α'[jk] x[k]", "α[ij] α'[jk] x[k]", "other form",
            "α[ij] α'[jk] x[k] for α[ji] α'[jk] x[k]",
        ),
    ],
)  # fmt: skip
def test_planted_difference_is_found(old: str, new: str, kind: str, text: str) -> None:
    """A sign, a factor, a missing and an extra term, a wrong index, each in a right equation."""
    assert RIGHT.count(old) == 1
    assert (kind, text) in found(velocity(RIGHT.replace(old, new)))


def test_index_that_occurs_four_times() -> None:
    """The summation convention allows no index more than twice."""
    assert ("indices", "index r occurs 4 times in N[ir] δ'[r] δ[r] δ[r]") in found(
        velocity(RIGHT.replace("δ'[r]", "δ'[r] δ[r] δ[r]"))
    )


def test_common_factor_is_one_finding() -> None:
    """Twice the whole right side is one factor, not eight."""
    printed = " + ".join(f"2 {term}" for term in MOTION)
    printed = "2 m[rt] δ''[t] + 4 m[ir,kt] α[ji] α'[jk] δ'[t]" + printed.split("δ'[t]", 1)[1]
    printed = printed.replace("2 q", "-2 q").replace("+ -", "- ")
    form = Form("", printed, motion)
    result = audit(Equation("42", "motion", form, point, "r", MOTION, ""))
    assert found(result) == {("factor", "every term times 1/2")}


def test_shapes_that_do_not_fit() -> None:
    """In matrix notation a product and a sum of unlike shapes are refused."""
    five = next(e for e in PAPER.equations if e.number == "5")
    for printed, text in (
        ("r_OL' + δ'", "terms of different shapes are added: 3 x 1 (r_OL') and 2 x 1 (δ')"),
        ("ROT' δ", "3 x 3 times 2 x 1 in ROT' δ"),
        ("δ'", "printed 2 x 1, derived 3 x 1"),
    ):
        form = replace(five.form, printed=printed)
        assert ("shapes", text) in found(audit(five, form))


def test_reading_is_stated_and_changes_the_verdict() -> None:
    """A transposition of indices is read, and the literal difference is kept."""
    why = "α_ij is read as α_ji"
    reading = Reading("α[ij] α'[jk]", "α[ji] α'[jk]", why)
    result = velocity(RIGHT.replace("α[ji] α'[jk] x", "α[ij] α'[jk] x"), reading)
    assert result.verdict == READ
    assert result.readings == (why,)
    assert [finding.kind for finding in result.literal] == ["other form"]
    assert not velocity(RIGHT, reading).readings  # nothing to be read


@pytest.mark.parametrize(
    ("old", "new", "rendering"),
    [
        ("N[ir] δ'[r]", "- N[ir] δ'[r]", True),
        ("N[ir] δ'[r]", "2 N[ir] δ'[r]", True),
        ("N[ir] δ'[r]", "N[ir] δ''[r]", False),
        ("N[ir] δ'[r]", "N[ir]", True),
        ("N[ir] δ'[r]", "N[ir] δ'[r] + xO'[i]", True),
    ],
)
def test_reading_never_mends(old: str, new: str, rendering: bool) -> None:
    """A sign, a number, a factor, a term are out of reach of a reading; so are dots of a paper."""
    with pytest.raises(FlexforgeError, match="a reading may change index letters"):
        read(parse(RIGHT), Reading(old, new, "", rendering))


def test_reading_of_what_is_not_printed() -> None:
    """A reading that does not apply is a mistake of ours, not a reading."""
    with pytest.raises(FlexforgeError, match="does not occur in"):
        read(parse(RIGHT), Reading("x[l]", "x[k]", ""))


@pytest.mark.parametrize(
    "text",
    [RIGHT, "-a + 1/2 b c^T", "m^-1 (p - (a b)^T)", "int(ρ (a[i] + 2 b[i])^2) - q*[r]", "0"],
)
def test_text_is_read_and_written_back(text: str) -> None:
    """The parser loses nothing that is printed."""
    assert text_of(parse(text)) == text


@pytest.mark.parametrize("text", ["a + (b", "a)", "^T a", "a ? b", "2 + )"])
def test_text_that_is_no_form(text: str) -> None:
    """A slip of ours in a held form is an error at once."""
    with pytest.raises(FlexforgeError):
        parse(text)


def test_groups_are_multiplied_out() -> None:
    """Findings are about terms, so sums in parentheses are expanded and integrals become dV."""
    assert text_of(expand(parse("(a - 2 b) c - int(ρ (x + y))"))) == (
        "a c - 2 b c - ρ x dV - ρ y dV"
    )
    assert text_of(expand(parse("(a - b)^2"))) == "(a - b)^2"


def test_latex_is_one_to_one() -> None:
    """Dots, stars, indices and transpositions as the papers print them."""
    assert latex("1/2 m*[ru] δ''[t]") == r"\tfrac{1}{2} m_{ru}^{*} \ddot{\delta}_{t}"
    assert latex("-ROT'^T k_ε + int(ρ N^T)") == (
        r"- \dot{\mathrm{ROT}}^{T} k_{\varepsilon} + \int_V \rho N^{T}\,dV"
    )


def test_rotation_of_the_instant() -> None:
    """It is a rotation, and no entry agrees with its transpose: a transposition shows."""
    for size, turn in ROTATION.items():
        assert turn.T * turn == eye(size)
        assert turn.det() == 1
        assert all(turn[i, j] != turn[j, i] for i in range(size) for j in range(i))


def test_linear_combinations() -> None:
    """The smallest set of columns is found, and a target outside their span is refused."""
    columns = [{1: QQ(1), 2: QQ(1)}, {2: QQ(1)}, {3: QQ(2)}]
    assert solve(columns, {1: QQ(2), 2: QQ(5)}) == [2, 3, 0]
    assert solve(columns, {4: QQ(1)}) is None
    assert list(combinations_that_give(columns, {3: QQ(1)}, 3)) == [((2,), [QQ(1, 2)])]
    assert list(combinations_that_give(columns, {4: QQ(1)}, 3)) == []
