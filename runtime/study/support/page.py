# SPDX-License-Identifier: BSD-3-Clause
"""The support table as a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flexforge.runtime.study.support.build import RUNS, tables
from flexforge.templates import render


def page_of(data: Mapping[str, Any]) -> str:
    """Return the page of a table that :func:`build` has made.

    Parameters
    ----------
    data : mapping
        Cells by table, row and column.
    """
    cells = [
        (key, title, column, text)
        for key, rows in data.items()
        for title, row in rows.items()
        for column, text in row.items()
    ]
    numbers: dict[str, str] = {}
    for *_, text in cells:
        if text != RUNS:
            numbers.setdefault(text, f"R{len(numbers) + 1}")
    return render(
        "study/support.md.jinja",
        tables=[
            {
                "title": table.title,
                "heads": [column.title for column in table.columns],
                "about": [(column.title, column.about) for column in table.columns],
                "rows": [
                    (title, [_mark(row[column.key], numbers) for column in table.columns])
                    for title, row in data[table.key].items()
                ],
            }
            for table in tables()
        ],
        refusals=[(number, text) for text, number in numbers.items()],
        runs=sum(text == RUNS for *_, text in cells),
        refused=sum(text != RUNS for *_, text in cells),
    )


def _mark(text: str, numbers: Mapping[str, str]) -> str:
    if text == RUNS:
        return "●"
    number = numbers[text]
    return f"[{number}](#{number.lower()})"
