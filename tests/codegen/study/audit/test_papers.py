# SPDX-License-Identifier: BSD-3-Clause
"""All papers: every equation is accounted for, and docs/audit.md is what the audit finds today."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from flexforge.codegen.study.audit.library import Audited, audit_all, counts, papers
from flexforge.codegen.study.audit.markdown import page
from flexforge.codegen.study.audit.report import numbered
from flexforge.codegen.study.audit.verdict import AGREES, DIFFERS, audit

DOCS = Path(__file__).parents[4] / "docs" / "audit.md"

#: The last number of each paper.
NUMBERED = {"Scutaru 2023": 65, "Vlase 2022": 49, "Vlase 2020": 45, "Scutaru 2020": 57}

#: What is wrong, by kind, found by writing out both sides by hand.
BY_HAND = {
    ("Scutaru 2023", "20"): {"factor": 1},  # 1/2 in k and again in (21)
    ("Scutaru 2023", "25"): {"extra term": 1},  # W of (24) holds W^c already
    ("Scutaru 2023", "26"): {"factor": 1},  # no 1/2 before k
    ("Scutaru 2023", "34"): {"extra term": 2},  # R'^T R' is in R^T R''
    ("Scutaru 2023", "41"): {"dot": 1, "sign": 1, "extra term": 1},
    ("Scutaru 2023", "42"): {"extra term": 1},  # m_O w x v_O is gone from the equations
    ("Scutaru 2023", "48"): {"sign": 1},  # elastic forces are -k d
    ("Scutaru 2023", "52"): {"sign": 1},  # p = +dL/dd'
    ("Scutaru 2023", "63"): {"missing term": 2},  # elastic and distributed forces
    ("Vlase 2022", "21"): {"factor": 1},  # [k] is an integral already
    ("Vlase 2022", "29"): {"shapes": 1},  # inverse of a p x 3 matrix
    ("Vlase 2022", "36"): {"factor": 1},  # 2 c
    ("Vlase 2022", "44"): {"sign": 3, "factor": 1},
    ("Vlase 2022", "46"): {"sign": 1},
}


@pytest.fixture(scope="module")
def audited() -> list[Audited]:
    """The audit of all papers, about fifteen seconds."""
    return list(audit_all(papers()))


def test_every_numbered_equation_is_audited_or_a_definition() -> None:
    """Nothing is left out, nothing counted twice."""
    assert {paper.key for paper in papers()} == set(NUMBERED)
    for paper in papers():
        numbers = [equation.number for equation in paper.equations]
        assert not [number for number, times in Counter(numbers).items() if times > 1]
        audited = {m.group() for n in numbers if (m := re.match(r"\d+", n))}
        wanted = {str(n + 1) for n in range(NUMBERED[paper.key])}
        defined = {number for number in paper.definitions if number.isdigit()}
        assert audited | defined == wanted, paper.key
        assert not audited & defined, paper.key


@pytest.mark.slow
def test_documentation_is_written_by_the_audit(audited: list[Audited]) -> None:
    """docs/audit.md is recomputed, every verdict, difference and derived side of it."""
    assert DOCS.read_text(encoding="utf-8") == page(audited), (
        "write it anew: flexforge audit --markdown docs/audit.md"
    )


@pytest.mark.slow
def test_at_least_eighty_equations(audited: list[Audited]) -> None:
    """Parts of an equation do not count: eighty numbers, with verdicts of every kind."""
    assert numbered(audited) >= 80
    assert min(counts(audited).values()) > 0


@pytest.mark.slow
def test_derived_sides_are_written_out(audited: list[Audited]) -> None:
    """A difference is called one only with both sides in words."""
    for entry in audited:
        for result in entry.results:
            assert "not a combination" not in result.derived, entry.equation.number
            assert result.verdict != DIFFERS or result.printed
            assert all(finding.text for finding in result.findings)


@pytest.mark.slow
def test_differences_found_by_hand(audited: list[Audited]) -> None:
    """The kinds of difference are those that paper and pencil find."""
    found = {(entry.paper.key, entry.equation.number): entry.result for entry in audited}
    for key, kinds in BY_HAND.items():
        assert Counter(finding.kind for finding in found[key].findings) == kinds, key


@pytest.mark.slow
def test_verdict_follows_the_printed_form(audited: list[Audited]) -> None:
    """A verdict is computed: the other sign of one term turns every agreement into a difference."""
    for entry in audited:
        form = entry.equation.form
        if entry.results[0].verdict != AGREES or entry.results[0].derived == "0":
            continue
        other = form.printed[1:] if form.printed.startswith("-") else f"-{form.printed}"
        changed = audit(entry.equation, replace(form, printed=other))
        assert changed.verdict == DIFFERS, (entry.paper.key, entry.equation.number)
        assert {finding.kind for finding in changed.findings} <= {"sign", "factor"} | {
            "extra term",
            "missing term",
            "other form",
        }


@pytest.mark.slow
def test_two_prints_of_one_article(audited: list[Audited]) -> None:
    """The better print decides: (6) is right in the web text, (52) lacks a dot there."""
    two = {entry.equation.number: entry for entry in audited if len(entry.results) == 2}
    assert [result.verdict for result in two["6"].results] == [DIFFERS, AGREES]
    assert two["6"].result.verdict == AGREES
    assert two["52"].best == 0
