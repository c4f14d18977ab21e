# SPDX-License-Identifier: BSD-3-Clause
"""Ledgers as a table: its numbers are those of the derivations, its notes say what they are."""

from __future__ import annotations

import csv
import re
import sys
from dataclasses import replace
from pathlib import Path

import flexforge as ff
import pytest
from flexforge.codegen.errors import InputError
from flexforge.codegen.ir.count import RULES as KERNEL_RULES
from flexforge.codegen.ir.count import Count
from flexforge.codegen.mechanics.derivation import derive
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.mechanics.ledger import RULES
from flexforge.codegen.study import timed
from flexforge.codegen.study.as_written import write_equations
from flexforge.codegen.study.comparison import count_formalism
from flexforge.codegen.study.report.report import report


def test_a_row_has_the_counts_of_its_derivation() -> None:
    """Elements by formalisms, in order; kernels are counted where they are asked for."""
    table = ff.ledgers(["tri3", "tet4"], ["lagrange", "kane"], terms=["mass"])
    assert [(row.element, row.formalism) for row in table.rows] == [
        ("tri3_plane_stress", "lagrange"), ("tri3_plane_stress", "kane"),
        ("tet4", "lagrange"), ("tet4", "kane"),
    ]  # fmt: skip
    ledger = ff.derive("tet4", formalism="kane").ledger
    counts = (ledger.partials, ledger.totals, ledger.products, ledger.sums)
    collecting = ledger.products["collect"] + ledger.sums["collect"]
    numbers = [count.total() for count in counts]
    expected = [*numbers, ledger.largest, collecting, sum(numbers)]
    operations = ff.compile("tet4", "mass").count.operations
    assert table.cells[-1] == ["tet4", "kane", *expected, operations]
    assert len(table.heads) == len(table.cells[0])
    assert table.heads[-2] == "total" and table.rows[-1].total == sum(numbers)


def test_without_initial_stress_the_numbers_are_those_of_the_claims() -> None:
    """The page of claims counts as the papers do: C3 has Lagrange and Gibbs-Appell of tri3."""
    found = ff.ledgers("tri3", ["lagrange", "gibbs_appell"], unrolled=True, initial_stress=False)
    element = ff.element("tri3")
    for row in found.rows:
        count = count_formalism(natural := write_equations(element, row.formalism), {})
        assert natural.element is element
        assert row.counts["products"] + row.counts["sums"] == count.algebra
        assert row.collecting == count.collecting
    assert "Without initial stress, as in the papers." in found.notes
    with pytest.raises(InputError, match="initial_stress: found False for 'mitc4'"):
        ff.ledgers("mitc4", ["kane"], initial_stress=False)
    with pytest.raises(InputError, match=r"terms: found 'mass'; expected a list"):
        ff.ledgers("tri3", ["kane"], terms="mass")


def test_shared_derivations_are_told() -> None:
    """Triangle and quadrilateral have one strain and law; the hexahedron has another."""
    notes = "\n".join(ff.ledgers(["tri3", "quad4", "hex8"], ["kane"]).notes)
    assert "Derived once for tri3_plane_stress and quad4_plane_stress." in notes
    assert "hex8" not in notes
    assert "A pair of nodes was derived" in notes


def test_unrolled_derivations_depend_on_the_number_of_nodes() -> None:
    """All coordinates written out: nothing is shared, and three nodes take more than two."""
    table = ff.ledgers("tri3", ["virtual_power"], unrolled=True)
    assert table.rows[0].counts["products"] > ff.ledgers("tri3", ["virtual_power"]).rows[0].counts[
        "products"
    ]  # fmt: skip
    assert table.shared == () and table.notes[0].startswith("All nodal coordinates")


def test_rules_are_those_of_the_ledger_and_of_the_counter() -> None:
    """Every count has a rule, and every table states the rule of every column."""
    ledger = ff.derive("tri3").ledger
    assert list(ledger.counts()) == list(RULES)
    assert set(KERNEL_RULES) == {*Count.__dataclass_fields__, "operations"}
    table = ff.ledgers("tri3", ["kane"], terms=["mass"])
    for text in (*RULES.values(), KERNEL_RULES["operations"]):
        assert text in table._repr_html_() and text in "\n".join(table.notes)
        assert text in table.to_latex()


def test_csv_and_data_frame_have_the_same_numbers(tmp_path: Path) -> None:
    """What is written can be read; a file that exists stays unless it may be replaced."""
    pandas = pytest.importorskip("pandas")
    table, path = ff.ledgers(["tri3", "bar2_plane"]), tmp_path / "ledgers.csv"
    table.to_csv(path)
    read = list(csv.reader(path.open()))
    assert read == [table.heads, *([str(cell) for cell in row] for row in table.cells)]
    frame = table.to_dataframe()
    assert frame.equals(pandas.read_csv(path)) and len(frame) == 2 * len(FORMALISMS)
    with pytest.raises(ff.InputError, match=r"ledgers.csv: exists; expected a new file"):
        table.to_csv(path)
    table.to_csv(path, overwrite=True)


def test_without_pandas_the_reason_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that says what to install."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="pip install pandas"):
        ff.ledgers("tri3", ["kane"]).to_dataframe()


def test_latex_has_a_row_per_derivation_and_no_bare_underscore() -> None:
    """An underscore outside of a formula stops LaTeX."""
    text = ff.ledgers("tri3", ["gibbs_appell", "kane"], terms=["lumped_mass"]).to_latex()
    assert text.count(r"\\") == 4 and "Gibbs-Appell" in text and "lumped mass" in text
    assert "_" not in text.replace(r"\_", "")


def test_latex_is_a_table_of_a_paper() -> None:
    """Rules of booktabs, caption and label; as many cells per row as columns; groups are closed."""
    table = ff.ledgers(["tri3", "hex8"], ["lagrange", "kane"], terms=["stiffness", "mass"])
    text = table.to_latex("Counts.", "tab:mine")
    assert r"\caption{Counts.}" in text and r"\label{tab:mine}" in text
    assert r"\hline" not in text and text.count(r"\midrule") == 2  # one above each element
    for name in ("table", "tabular", "minipage"):
        assert text.count(rf"\begin{{{name}}}") == text.count(rf"\end{{{name}}}") == 1
    assert text.count("{") == text.count("}")
    # A table wider than the text is scaled down, with no blank before or after it.
    box = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"
    assert f"{box}\n\\begin{{tabular}}" in text and "\\end{tabular}}\n" in text
    assert text.startswith(r"% \usepackage{booktabs,graphicx}")
    (columns,) = re.findall(r"@\{\}(l+r+)@\{\}", text)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    for row in rows[1:]:  # the first has headings over several columns
        assert row.count("&") == len(columns) - 1, row
    spans = sum(int(n) - 1 for n in re.findall(r"multicolumn\{(\d)", rows[0]))
    assert rows[0].count("&") + spans == len(columns) - 1
    first = table.rows[0]
    cells = rows[2].removesuffix(r"\\").split("&")
    shown = [cell.strip().replace(r"\,", "") for cell in cells]
    assert shown[:2] == ["tri3 plane stress", "Lagrange"]
    assert sorted(map(int, shown[2:])) == sorted(
        [*first.counts.values(), first.collecting, first.total, *first.kernels.values()]
    )
    for word in ("unrolled=", "initial_stress", "claims"):  # arguments of Python are not for papers
        assert word not in text.replace(r"\_", "_")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "elements: found none; expected at least one"),
        (("tri3", []), "formalisms: found none; expected at least one"),
        (("tri3", "kane"), r"formalisms: found 'kane'; expected a list, \['kane'\]"),
        (("tri3", ["kanes"]), "formalism 'kanes' is unknown.*did you mean 'kane'"),
    ],
)
def test_what_cannot_be_derived_is_refused(arguments: tuple[object, ...], message: str) -> None:
    """One line: what was found, what is expected."""
    with pytest.raises(ff.InputError, match=message):
        ff.ledgers(*arguments)  # type: ignore[arg-type]


def test_a_formalism_may_be_spelt_with_a_hyphen() -> None:
    """Ledgers, derivations, kernels: the same rows, under one name; a typing error is corrected."""
    found = ff.ledgers("tri3", ["Gibbs-Appell", "VIRTUAL POWER"])
    assert [row.formalism for row in found.rows] == ["gibbs_appell", "virtual_power"]
    assert found.rows == ff.ledgers("tri3", ["gibbs_appell", "virtual_power"]).rows
    assert ff.derive("tri3", formalism="Gibbs-Appell").formalism == "gibbs_appell"
    assert ff.compile("tri3", "mass", formalism="KANE").formalism == "kane"
    assert report(ff.element("tri3"), ["Gibbs-Appell"]).formalisms == ("gibbs_appell",)
    with pytest.raises(ff.InputError, match="did you mean 'gibbs_appell'"):
        ff.derive("tri3", formalism="Gibs-Appell")


def test_times_are_a_column_on_request() -> None:
    """They differ from run to run, and belong to the derivation that is kept."""
    table = ff.ledgers("tri3", ["kane", "lagrange"], times=True)
    assert table.heads[-1] == "seconds" and "SymPy's cache empty" in table.notes[-1]
    kept = ff.derive("tri3", formalism="kane")
    assert table.cells[0][-1] == round(kept.seconds, 3) > 0
    assert ff.derive("tri3", formalism="kane").seconds == kept.seconds
    assert f"{table.cells[0][-1]:g}" in table._repr_html_()
    assert "seconds" not in ff.ledgers("tri3", ["kane"]).heads


def test_every_timed_derivation_begins_with_an_empty_cache(monkeypatch) -> None:
    """Otherwise the second formalism finds the products and derivatives of the first in SymPy.

    What is derived already is not derived again, and empties no cache.
    """
    done: list[str] = []
    monkeypatch.setattr("sympy.core.cache.clear_cache", lambda: done.append("cleared"))
    monkeypatch.setattr(timed, "derive", lambda element, frame, name, **_: done.append(name))
    triangle = ff.element("tri3")
    law = replace(triangle.constitutive, name="timed")  # no derivation that anyone asks for
    mine = replace(triangle, constitutive=law)
    for name in ("lagrange", "kane"):
        timed.derive_timed(mine, formalism=name)
    assert done[-4:] == ["cleared", "lagrange", "cleared", "kane"]
    derive(mine, formalism="kane")
    timed.derive_timed(mine, formalism="kane")
    assert done[4:] == ["kane"]


def test_the_count_by_hand_of_the_documentation() -> None:
    """Its rows add up to its last one, which is what the ledger has for the acceleration."""
    page = Path(__file__).parents[3] / "docs" / "formalisms" / "README.md"
    table = page.read_text(encoding="utf-8").partition("| part of `a` |")[2].partition("\n\n")[0]
    rows = [line.split("|")[-3:-1] for line in table.splitlines()[2:]]
    *parts, whole = [tuple(map(int, row)) for row in rows]
    assert tuple(map(sum, zip(*parts, strict=True))) == whole
    for formalism in ("kane", "virtual_power"):
        ledger = ff.derive("quad4", formalism=formalism).ledger
        assert (ledger.products["a"], ledger.sums["a"]) == whole
