# SPDX-License-Identifier: BSD-3-Clause
"""Claims: verdicts follow from figures, figures from derivations, and the page from both."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from flexforge.codegen.study.claims import chains, energies, free
from flexforge.codegen.study.claims.agreement import c9
from flexforge.codegen.study.claims.chains import c4
from flexforge.codegen.study.claims.claim import depends, holds
from flexforge.codegen.study.claims.differentiations import c2
from flexforge.codegen.study.claims.energies import c3
from flexforge.codegen.study.claims.free import c10, verdict
from flexforge.codegen.study.claims.hamilton import c5
from flexforge.codegen.study.claims.library import findings
from flexforge.codegen.study.claims.markdown import page
from flexforge.codegen.study.claims.nonholonomic import c7
from flexforge.codegen.study.claims.standing import Row, c11
from flexforge.codegen.study.claims.standing import finding as c11_of
from flexforge.codegen.study.claims.terms import c1
from flexforge.codegen.study.claims.unknowns import c6
from flexforge.codegen.study.comparison import compare_formalisms
from specimens import ELEMENTS

PAGE = Path(__file__).parents[4] / "docs" / "claims.md"


@pytest.fixture(scope="module")
def comparisons():
    """Counts of one element."""
    return {"tri3": compare_formalisms(ELEMENTS["tri3_plane_stress"])}


def test_verdicts_follow_from_facts():
    """All, some, none."""
    assert (holds(True, True), holds(True, False)) == ("holds", "does not hold")
    assert depends("x", [True, True]) == "holds"
    assert depends("x", [True, False]) == "depends on x"
    assert depends("x", [False]) == "does not hold"


def test_c1_by_hand():
    """v_O + w~ x + w~ N d + N d' are four terms, the acceleration has five (physics.md 1)."""
    found = c1()
    assert found.verdict == "holds"
    assert [row[2] for row in found.tables[0].rows] == [4, 5, 4, 5]


def test_c2_can_fail(comparisons):
    """Three families against one; with a second family of Gibbs-Appell the claim would not hold."""
    assert c2(comparisons).verdict == "holds"
    counts = comparisons["tri3"]
    gibbs = counts.formalisms["gibbs_appell"]
    more = replace(gibbs, partial_derivatives=gibbs.partial_derivatives | {"dV/dd": 6})
    spoiled = replace(counts, formalisms=counts.formalisms | {"gibbs_appell": more})
    assert c2({"tri3": spoiled}).verdict == "does not hold"


def test_c3_counts_terms(comparisons):
    """tri3, counted by hand: v has 9 terms a component, so v.v has 2 x 45 of which some are like.

    Products of v_O, w x, w N d and N d' of one component: 1 + 1 + 3 + 3 = 8 terms, 36 squares and
    products; the two components share those of x, d with themselves and nothing else.
    """
    said = c3(comparisons).verdict
    assert said.startswith("building S costs more than building T: holds; the whole derivation")
    assert "costs less: holds, if the equations are expanded" in said
    assert said.endswith("as each method writes them: does not hold")
    of_t, of_part, of_s = energies._terms("tri3")
    assert of_t == 2 * 36
    assert of_part < of_s


def test_c4_search():
    """12 = 3 differentiations x 4 terms and 5 = 1 x 5 need the same 4 coordinates per section."""
    found = c4()
    assert "row of quad4" in found.verdict
    matched = [row for row in found.tables[1].rows if row[-1] != "none"]
    assert [(row[1], row[2], row[4]) for row in matched] == [(12, 5, "4 and 4")]
    for n, (lagrange, gibbs) in chains.PRINTED.items():
        assert (lagrange, gibbs) == (3 * 4 * 4 * (n + 1), 1 * 5 * 4 * (n + 1))


def test_c4_can_find_nothing(monkeypatch):
    """Without chains of four coordinates per section no way of counting is left."""
    monkeypatch.setattr(chains, "SECTIONS", {"bar": 1})
    assert c4().verdict == "no element and way of counting gives them"
    monkeypatch.setattr(chains, "_ways", lambda: [("thus", Fraction(48), Fraction(20))])
    assert "thus; with bar" in c4().verdict


def test_c5_places(comparisons):
    """First nowhere or last everywhere would be a plain verdict; it is neither."""
    found = c5(comparisons)
    assert found.verdict.startswith("depends on what is counted")
    assert found.tables[0].rows[0][1] == "12 (5. of 5)"


def test_c6_elimination_by_hand():
    """Two elements of one coordinate a section, written out: [M J^T; J 0] against A^T M A."""
    from flexforge.codegen.study.claims.unknowns import _eliminate, _reduced, _with_multipliers

    # three sections in a row, tridiagonal: 3 + 2 entries; eliminating one with one neighbour: 2
    assert _eliminate(*_reduced(2, 1)) == (5, 4)
    # a-b, c-d and b-l-c: unknowns a b l c d in a row, tridiagonal of five
    assert _eliminate(*_with_multipliers(2, 1)) == (9, 8)
    # the same with pieces of two elements: a tridiagonal row of seven
    assert _eliminate(*_with_multipliers(2, 1, 2)) == (13, 12)
    found = c6()
    assert found.verdict.startswith("holds for unknowns and operations")
    ratios = [float(row[-1]) for row in found.tables[1].rows]
    assert ratios == sorted(ratios, reverse=True)  # the longer the links, the less it saves
    assert ratios[0] > 1.5 > ratios[-1] > 1.0


def test_c7_and_c9():
    """The knife edge's closed form (CASES K4), and three derivations for twelve elements."""
    assert c7().verdict == "holds"
    found = c9()
    assert found.verdict == "holds"
    assert sum(row[1] for row in found.tables[0].rows) == len(ELEMENTS)


@pytest.mark.slow
def test_the_page_is_what_the_program_finds():
    """docs/claims.md is what `flexforge claims --markdown` writes."""
    found = findings()
    assert [f.number for f in found] == [f"C{k}" for k in range(1, 12)]
    assert page(found) == PAGE.read_text(encoding="utf-8")


def test_c10_differentiates_as_often_as_the_formalisms_say():
    """By hand, p coordinates of two nodes and r speeds of the frame: 3 p + 2 r, p + r, 2 p + r."""
    rows = {row[:2]: row for row in c10().tables[0].rows}
    for name, p, r in (("tri3", 4, 3), ("tet4", 6, 6)):
        wanted = {
            "lagrange": (3 * p, 3 * p + 2 * r), "gibbs_appell": (p, p + r),
            "hamilton": (2 * p, 2 * p + r), "virtual_power": (0, 0),
        }  # fmt: skip
        found = {formalism: rows[name, formalism][2:4] for formalism in wanted}
        assert found == wanted


def test_c10_can_fail():
    """Formalisms that disagree; the same one with fewest operations in both frames."""
    assert verdict(False, {}) == "does not hold"
    costs = {
        (name, frame, one): free.Cost(k + 1, 10 * k + 20, 5 * k)
        for name in free.SHOWN
        for frame in ("", "free")
        for k, one in enumerate(free.FORMALISMS)
    }
    assert "depends" not in verdict(True, costs)
    costs["tri3", "free", free.FORMALISMS[1]] = free.Cost(0, 0, 0)
    assert verdict(True, costs).count("depends on the frame") == 3


def test_c11_counts_the_change_of_axes_by_hand():
    """tet4: m is diagonal, c has the zeros of n~, and k_omega has none.

    Products with a zero cost nothing. m n~: 6 products, no sums. (m n~) n~ and (2 c) n~: 9 entries,
    3 of which are sums of two products, 12 products and 3 sums each. Sums of matrices: 6 of
    c - m n~ and of 2 c each, 2 times 9 with k_omega.
    """
    found = c11(("tet4",), ("lagrange", "virtual_power"))
    assert found.verdict == "holds; fewest operations by virtual_power"
    (lagrange, power) = found.tables[0].rows
    assert lagrange[5] == power[5] == (6 + 12 + 12) + (3 + 3 + 6 + 6 + 18)
    assert lagrange[6:] == power[6:]
    assert lagrange[2] == 3 * 6 and power[2] == 0


def test_c11_can_fail():
    """Terms that differ, kernels that differ, or a solid with gyroscopic terms."""
    rows = [Row("tet4", one, free.Cost(1, 20, 5), 66, (1, 2, 3)) for one in ("kane", "maggi")]
    assert c11_of(rows, agree=True, none=True).verdict.startswith("holds")
    assert c11_of(rows, agree=False, none=True).verdict.startswith("does not hold")
    assert c11_of(rows, agree=True, none=False).verdict.startswith("does not hold")
    rows[1] = replace(rows[1], kernels=(1, 2, 4))
    assert c11_of(rows, agree=True, none=True).verdict.startswith("does not hold")
