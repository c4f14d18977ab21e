# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge audit``: a table of verdicts, one equation in full, and errors that help."""

from __future__ import annotations

from pathlib import Path

import pytest
from flexforge.codegen.study.audit import library


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the papers end after three equations: the whole audit takes fifteen seconds."""
    from dataclasses import replace

    cut = tuple(replace(paper, equations=paper.equations[:3]) for paper in library.papers())
    monkeypatch.setattr(library, "papers", lambda: cut)


def test_table(flexforge, short) -> None:
    """The table names paper, equation, what it states and the verdict; a summary ends it."""
    said = flexforge("audit", "--paper", "Scutaru 2023")
    assert said.code == 0
    lines = said.out.splitlines()
    assert lines[0].split() == ["paper", "equation", "states", "verdict"]
    assert lines[1].split("  ")[0] == "Scutaru 2023"
    assert lines[-1] == (
        "3 forms of 3 numbered equations: 2 agree, 1 agrees after a stated reading, 0 differ"
    )


def test_equation_in_full(flexforge) -> None:
    """Both sides are written out, then the difference: no factor 1/2 before k in (26)."""
    said = flexforge("audit", "--paper", "scutaru_2023", "--equation", "26")
    assert said.code == 0
    assert "Scutaru 2023 (26): Lagrangian" in said.out
    assert "verdict   differs: 1 factor" in said.out
    assert "- k[rt] δ[r] δ[t] + q[r] δ[r] + q*[r] δ[r]" in said.out.replace("\n          ", " ")
    assert "- 1/2 k[rt] δ[r] δ[t]" in said.out
    assert "differs   factor: - k[rt] δ[r] δ[t] times 1/2" in said.out


def test_parts_of_an_equation(flexforge) -> None:
    """A number gives all of its parts, in two prints where they differ."""
    said = flexforge("audit", "--paper", "Scutaru 2023", "--equation", "9")
    assert "(9a)" in said.out
    assert "(9b)" in said.out
    said = flexforge("audit", "--paper", "Scutaru 2023", "--equation", "(6)")
    assert said.out.index("print     article") < said.out.index("print     web text")


def test_json(flexforge, short) -> None:
    """Data for programs: verdict, both sides, the kinds of difference."""
    data = flexforge("audit", "--paper", "Vlase 2022", "--json").json
    assert data["counts"] == {
        "agrees": 3,
        "agrees after a stated reading": 0,
        "differs": 0,
    }
    assert "10.3390/math10020257" in data["papers"]["Vlase 2022"]


def test_json_of_an_equation(flexforge) -> None:
    """The gyroscopic term of (36) lacks its factor 2."""
    one = flexforge("audit", "--paper", "Vlase 2022", "--equation", "36", "--json").json
    assert one[0]["differs_by"] == [{"kind": "factor", "text": "c δ' times 2"}]
    assert one[0]["prints"][0]["derived"].startswith("m δ'' + 2 c δ' + k δ")


def test_page(flexforge, short, tmp_path: Path) -> None:
    """The page of Markdown has a section a paper."""
    path = tmp_path / "audit.md"
    assert flexforge("audit", "--markdown", path).code == 0
    text = path.read_text(encoding="utf-8")
    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        f"## {paper.key}" for paper in library.papers()
    ]
    assert "12 forms of" in text


def test_errors_help(flexforge, tmp_path: Path) -> None:
    """One line each: what was found, what is expected, the nearest."""
    said = flexforge("audit", "--paper", "Vlase 2021")
    assert said.code == 2
    assert "paper 'Vlase 2021' is unknown; expected one of Scutaru 2023, Vlase 2022" in said.error
    assert "did you mean 'Vlase 202" in said.error
    said = flexforge("audit", "--paper", "Vlase 2022", "--equation", "266")
    assert "equation '266' of Vlase 2022 is unknown" in said.error
    assert "did you mean '26" in said.error
    said = flexforge("audit", "--paper", "Vlase 2022", "--equation", "16")
    assert "equation (16) of Vlase 2022 is not audited: it defines (internal work)" in said.error
    assert "--equation needs --paper" in flexforge("audit", "--equation", "3").error
    path = tmp_path / "none" / "audit.md"
    assert "the parent folder does not exist" in flexforge("audit", "--markdown", path).error
