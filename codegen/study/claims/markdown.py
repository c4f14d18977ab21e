# SPDX-License-Identifier: BSD-3-Clause
"""The page docs/claims.md."""

from __future__ import annotations

from collections.abc import Sequence

from flexforge.codegen.study.claims.claim import Finding, Table

_HEAD = """# Claims of the papers, in numbers

This page is written by `flexforge claims --markdown docs/claims.md`. Every number is an exact
count, the same on every machine, and every verdict is computed from the numbers beside it. The
papers are named as in the [audit of their equations](audit.md). `flexforge bench ops` measures the
run time of the kernels.
"""


def page(findings: Sequence[Finding]) -> str:
    """Return the page.

    Parameters
    ----------
    findings : sequence of Finding
        In order.
    """
    summary = Table(
        ("claim", "", "verdict"),
        tuple(
            (f"[{f.number}](#{f.number.lower()})", f.statement, f"**{f.verdict}**")
            for f in findings
        ),
    )
    parts = [_HEAD, *_table(summary)]
    for finding in findings:
        parts += [
            f"\n## {finding.number}\n",
            f"> {finding.statement}\n> — {finding.where}\n",
            f"**Verdict: {finding.verdict}.** {finding.explanation}\n",
        ]
        for table in finding.tables:
            parts += [*_table(table), ""]
    return "\n".join(parts).rstrip() + "\n"


def _table(table: Table) -> list[str]:
    rows = [table.heads, ["---"] * len(table.heads), *table.rows]
    return ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
