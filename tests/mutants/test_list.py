# SPDX-License-Identifier: BSD-3-Clause
"""The list of mutants fits the source as it is: every one of them can still be applied."""

from __future__ import annotations

import pytest
from c_mutations import c_mutations
from listed import ROOT, all_mutants, killer_table, killers_of
from python_mutations import python_mutations

MUTANTS = all_mutants()


def test_every_mutant_applies():
    """What a mutant changes is in its file, once; it changes something, and no two the same."""
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in {m.path for m in MUTANTS}}
    for mutant in MUTANTS:
        assert mutant.apply(texts[mutant.path]) != texts[mutant.path]
    assert len({(m.path, m.before, m.after) for m in MUTANTS}) == len(MUTANTS) >= 200


def test_every_mutant_has_tests():
    """Tests that have to notice it are named, and their files are there."""
    table = killer_table()
    for path in {mutant.path for mutant in MUTANTS}:
        files = [test.split("::")[0] for test in killers_of(path, table) if "/" in test]
        assert files and all((ROOT / file).is_file() for file in files), path


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("y = 2 * a - b", {"y = 2 * a + b", "y = 2 * a", "y = 2 / a - b", "y = 1 * a - b"}),
        (
            "y = (a + b) * c.T",
            {
                "y = (a - b) * c.T",
                "y = (a) * c.T",
                "y = (b) * c.T",
                "y = (a + b)",
                "y = c.T",
                "y = (a + b) * c",
            },
        ),
        (
            "y = -m[i, j] if x < 0 else m[0]",
            {
                "y = m[i, j] if x < 0 else m[0]",
                "y = -m[j, i] if x < 0 else m[0]",
                "y = -m[i, j] if x > 0 else m[0]",
                "y = -m[i, j] if x < 0 else m[1]",
            },
        ),
        ("y = 'a' + b, [1] + c, f'{d - e}'", set()),
    ],
)
def test_mutations_of_python(text, wanted):
    """Signs, terms, factors, transposes, indices and comparisons of an expression; no texts."""
    edits = python_mutations(text)
    assert {text[: e.start] + e.new + text[e.end :] for e in edits} == wanted


@pytest.mark.parametrize(
    "text, wanted",
    [
        (
            "; y = a[i][j] - 0.5 * -b;",
            {
                "; y = a[j][i] - 0.5 * -b;",
                "; y = a[i][j] + 0.5 * -b;",
                "; y = a[i][j];",
                "; y = a[i][j] - 0.5 / -b;",
                "; y = a[i][j] - 1.0 * -b;",
                "; y = a[i][j] - 0.5 * b;",
            },
        ),
        (
            "; for (k = n - 1; k < m; ++k) s += sin(x);",
            {
                "; for (k = n - 1; k < m; ++k) s -= sin(x);",
                "; for (k = n - 1; k < m; ++k) s += cos(x);",
            },
        ),
        (
            "; y = m[3 * i + j]; /* a - b */",
            {
                "; y = m[3 * j + i]; /* a - b */",
                "; y = m[3 * i - j]; /* a - b */",
                "; y = m[3 * i]; /* a - b */",
            },
        ),
    ],
)
def test_mutations_of_c(text, wanted):
    """The same of C, heads of loops and comments left alone."""
    edits = c_mutations(text)
    assert {text[: e.start] + e.new + text[e.end :] for e in edits} == wanted
