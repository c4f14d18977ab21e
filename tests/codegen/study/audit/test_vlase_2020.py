# SPDX-License-Identifier: BSD-3-Clause
"""Vlase 2020: every equation is accounted for, and each difference is the one that is named."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from flexforge.codegen.study.audit.equation import Equation
from flexforge.codegen.study.audit.verdict import AGREES, DIFFERS, READ, Result, audit
from flexforge.codegen.study.audit.vlase_2020.hamilton import UNIT, context
from flexforge.codegen.study.audit.vlase_2020.paper import PAPER

BY_NUMBER = {equation.number: equation for equation in PAPER.equations}

#: What is wrong, by kind, found by writing out both sides by hand.
DIFFERENCES = {
    "6": {"other form": 1},
    "10": {"symbol": 1},
    "21": {"factor": 1},
    "25": {"factor": 1},
    "33": {"factor": 1},
    "36": {"missing term": 2},
    "39": {"sign": 1},
    "41": {"dot": 1, "factor": 1, "sign": 3},
    "42": {"dot": 1},
    "39-41": {"factor": 1, "sign": 4},
    "43": {"sign": 1},
    "45a": {"shapes": 1},
    "45b": {"shapes": 1},
    "45b-unit": {"extra term": 4},
}


def kinds(result: Result) -> dict[str, int]:
    """Return how many findings of each kind there are; misfits of shape count once."""
    counts = Counter(finding.kind for finding in result.findings)
    return {kind: 1 if kind == "shapes" else times for kind, times in counts.items()}


def corrected(number: str, old: str, new: str) -> Equation:
    """Return an equation with a part of its printed form put right, without readings."""
    equation = BY_NUMBER[number]
    assert equation.form.printed.count(old) == 1
    printed = equation.form.printed.replace(old, new)
    return replace(equation, form=replace(equation.form, printed=printed, readings=()))


def test_every_numbered_equation_is_audited_or_a_definition() -> None:
    """The paper numbers its equations (1) to (45); none is left out, none counted twice."""
    audited = {re.match(r"\d+", number)[0] for number in BY_NUMBER}  # type: ignore[index]
    assert audited | set(PAPER.definitions) == {str(n) for n in range(1, 46)}
    assert not audited & set(PAPER.definitions)
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
    ("number", "old", "new"),
    [
        ("6", "2 T T' S d'", "2 T^T T' S d'"),
        ("21", "int(d^T k d)", "d^T k d"),
        ("33", "c d'", "2 c d'"),
        ("39", "k d +", "- k d +"),
        ("43", "- L_v", "L_v"),
        ("10", "S^T N S", "S^T S"),
        ("45a-unit", "r_C'", "r_C"),
    ],
)
def test_one_change_puts_the_equation_right(number: str, old: str, new: str) -> None:
    """A difference is complete: with it put right, the form agrees literally."""
    assert audit(corrected(number, old, new)).verdict == AGREES


def test_missing_terms_of_the_linear_part() -> None:
    """(36) lacks what is linear in d: with [T̈][S]{d} and 2[Ṫ][S]{ḋ} it is right (section 3)."""
    whole = "int(ρ d''^T S^T T^T (r_OG'' + Tr'' + T'' S d + 2 T' S d'))"
    equation = corrected("36", BY_NUMBER["36"].form.printed, whole)
    assert audit(equation).verdict == AGREES


def test_momentum_rate_counts_the_motion_of_the_frame_twice() -> None:
    """In (45) the term in p is all that the frame contributes to -∂H/∂d; four more are too many."""
    term = "(p^T m_O^-1 T^T T' m_O)^T"
    number = "45b-unit"
    equation = corrected(number, BY_NUMBER[number].form.printed, f"{term} - k d + q + q*")
    assert audit(equation).verdict == AGREES


def test_unit_element_has_the_mass_of_the_point() -> None:
    """The element of the second reading of (45) is a rigid translation: [m] = [m_O] = [E]."""
    values = context(UNIT).values
    assert (values["m"] == values["m_O"]).all()
    assert (values["m"] == UNIT.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]])).all()
