# SPDX-License-Identifier: BSD-3-Clause
"""Scutaru 2020: every equation is accounted for, and each difference is the one that is named."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import sympy
from flexforge.codegen.study.audit.equation import Context, Equation
from flexforge.codegen.study.audit.instant import HALF, TIME, functions
from flexforge.codegen.study.audit.scutaru_2020 import constraints, element, kinematics, symbols
from flexforge.codegen.study.audit.scutaru_2020.paper import PAPER
from flexforge.codegen.study.audit.scutaru_2020.symbols import PLANE, TURN
from flexforge.codegen.study.audit.verdict import AGREES, DIFFERS, READ, Result, audit

BY_NUMBER = {equation.number: equation for equation in PAPER.equations}

#: What is wrong, by kind, found by writing out both sides by hand.
DIFFERENCES = {
    "5": {"shapes": 1},
    "14": {"shapes": 1},
    "27": {"other form": 1},
    "30": {"factor": 1, "sign": 2},
    "33": {"sign": 2},
    "34": {"sign": 2},
    "35": {"extra term": 1, "missing term": 2, "sign": 1},
    "36": {"extra term": 1, "missing term": 1, "sign": 3},
    "37b": {"sign": 2},
    "37c": {"extra term": 2, "missing term": 1},
    "37d": {"sign": 1},
    "37f": {"sign": 1},
    "38": {"extra term": 1, "missing term": 1, "sign": 4},
    "39": {"factor": 1},
    "42": {"factor": 1, "sign": 2},
    "44": {"sign": 2},
    "45": {"extra term": 1, "missing term": 2, "sign": 1},
    "46": {"extra term": 1, "missing term": 1, "sign": 3},
    "50": {"extra term": 1},
    "51b-general": {"missing term": 1},
    "51c-general": {"missing term": 2},
    "52": {"extra term": 1, "sign": 3},
    "53": {"sign": 3},
    "55": {"sign": 1},
    "55-general": {"extra term": 3, "missing term": 6, "sign": 1},
    "56a": {"shapes": 1},
    "57": {"sign": 1},
    "A.6-T1": {"factor": 1, "sign": 2},
    "B.9a": {"shapes": 1},
    "B.11b": {"factor": 1},
    "B.12b": {"extra term": 1, "missing term": 1},
    "B.13b": {"extra term": 1, "missing term": 1},
    "B.17": {"factor": 1},
}


def kinds(result: Result) -> dict[str, int]:
    """Return how many findings of each kind there are; misfits of shape count once."""
    counts = Counter(finding.kind for finding in result.findings)
    return {kind: 1 if kind == "shapes" else times for kind, times in counts.items()}


def corrected(number: str, *changes: tuple[str, str], literal: bool = True) -> Equation:
    """Return an equation with parts of its printed form put right."""
    equation = BY_NUMBER[number]
    printed = equation.form.printed
    for old, new in changes:
        assert printed.count(old) == 1
        printed = printed.replace(old, new)
    readings = () if literal else equation.form.readings
    return replace(equation, form=replace(equation.form, printed=printed, readings=readings))


def test_every_numbered_equation_is_audited_or_a_definition() -> None:
    """The paper numbers (1)-(57), (A.1)-(A.6), (B.1)-(B.19); none is left out."""
    numbered = {str(n) for n in range(1, 58)}
    numbered |= {f"A.{n}" for n in range(1, 7)} | {f"B.{n}" for n in range(1, 20)}
    audited = {re.match(r"(?:[AB]\.)?\d+", number)[0] for number in BY_NUMBER}  # type: ignore[index]
    assert audited | set(PAPER.definitions) == numbered
    assert audited & set(PAPER.definitions) == {"A.6"}
    assert len(BY_NUMBER) == len(PAPER.equations)


@pytest.mark.parametrize("number", BY_NUMBER)
def test_verdict(number: str) -> None:
    """Differences are those found by hand, everything else agrees, literally or as read."""
    result = audit(BY_NUMBER[number])
    if number in DIFFERENCES:
        assert result.verdict == DIFFERS
        assert kinds(result) == DIFFERENCES[number]
    else:
        assert result.verdict in (AGREES, READ), result.findings
        assert (result.verdict == AGREES) == (not result.literal)


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        ("39", [("1/2 T_e", "T_e")]),
        ("50", [("K + ", "")]),
        ("52", [("K + ", ""), ("- Q_ε - Q_ω - Q_O", "+ Q_ε + Q_ω + Q_O")]),
        ("55", [("+ A^T Q_ext", "- A^T Q_ext")]),
        ("56a", [(" q''", "")]),
        ("57", [("+ Q_extr", "- Q_extr")]),
        ("B.9a", [("N)", "N) δ_L'")]),
        ("B.11b", [("int(N^T N)", "int(ρ N^T N)")]),
        ("B.12b", [(" y", "")]),
        ("B.13b", [(" y", "")]),
        ("B.17", [("δ_G^T", "1/2 δ_G^T")]),
        (
            "55-general",
            [
                ("A^T M A z'", "A^T M (A z' + A' z + b')"),
                ("A^T C A z", "A^T C (A z + b)"),
                ("A q +", "Δ +"),
                ("+ A^T Q_ext", "- A^T Q_ext"),
            ],
        ),
    ],
)
def test_changes_put_the_equation_right(number: str, changes: list[tuple[str, str]]) -> None:
    """A difference is complete: with it put right, the form agrees literally.

    The last one is Maggi's reduction with the terms that nonholonomic constraints need.
    """
    assert audit(corrected(number, *changes)).verdict == AGREES


@pytest.mark.parametrize(
    ("number", "changes"),
    [
        ("27", [("S m S δ_G", "S m S^T δ_G")]),
        ("30", [("- ω (", "+ ω ("), ("+ δ_G'^T", "+ 1/2 δ_G'^T")]),
        ("34", [("(m_12 - m_21)", "(m_21 - m_12)")]),
    ],
)
def test_changes_and_the_readings_put_it_right(number: str, changes: list[tuple[str, str]]) -> None:
    """With the stated readings, the changes that are named are all that is wrong."""
    result = audit(corrected(number, *changes, literal=False))
    assert result.verdict == READ


def test_equations_of_motion_are_right_with_other_notations() -> None:
    """(36) holds if C, K(ε), K(ω), Q(ω) of (37) change sign and K(ε) gets its ε (section 2)."""
    given = element.context()
    spin = given.values["ε"].item()
    changed = {name: -given.values[name] for name in ("C_e", "K_ω", "Q_ω")}
    changed["K_ε"] = -given.values["K_ε"] * spin
    context = Context(given.instant, {**given.values, **changed})
    result = audit(replace(BY_NUMBER["36"], context=lambda: context))
    assert result.verdict == READ


def test_dropping_the_derivative_of_the_turn_is_a_difference() -> None:
    """(27) read literally, with the true rates of {δ}_G, lacks terms: δ̇_L = Sᵀδ̇_G + Ṡᵀδ_G."""
    equation = corrected("27", ("S m S δ_G", "S m S^T δ_G"))
    assert audit(equation).verdict == DIFFERS
    values = symbols.context().values
    turned = PLANE.array(TURN.diff(TIME).T) @ values["δ_G"]
    assert (values["δ_L'"] == values["S"].T @ values["δ_G'"] + turned).all()


@pytest.mark.slow
def test_inertia_is_that_of_global_coordinates() -> None:
    """Lagrange's operator is covariant: with δ_G as coordinates it is [S] times the local one."""
    whole = functions("g", PLANE.size)
    rates = whole.diff(TIME)
    position = PLANE.origin + PLANE.R * (PLANE.x + PLANE.N * TURN.T * whole)
    speed = position.diff(TIME)
    energy = PLANE.mass_integral(HALF * (speed.T * speed)[0])
    momentum = sympy.Matrix([energy.diff(rate) for rate in rates])
    slope = sympy.Matrix([energy.diff(coordinate) for coordinate in whole])
    operator = momentum.diff(TIME) - slope
    inserted = operator.subs(dict(zip(whole, TURN * PLANE.d, strict=True))).doit()
    assert np.array_equal(PLANE.array(inserted), element.inertia())


def test_rotation_of_the_paper_is_the_rotation_of_the_instant() -> None:
    """(17) and its derivatives at the instant are R, R', R'' that the other equations use."""
    for order, fixed in enumerate(PLANE.rotation):
        turned = kinematics.ROTATED.diff(TIME, order) if order else kinematics.ROTATED
        assert (kinematics.at_instant(turned) == PLANE.array(fixed)).all()


def test_columns_of_the_nullspace_fulfil_the_relation() -> None:
    """[A] of (6) spans what (3) allows: b A = 0, with full column rank."""
    nullspace = constraints.nullspace()
    assert constraints.RELATION * nullspace == sympy.zeros(1, 2)
    assert nullspace.rank() == 2
