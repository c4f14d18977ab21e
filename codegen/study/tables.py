# SPDX-License-Identifier: BSD-3-Clause
"""Tables of numbers and texts as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flexforge.templates import render


@dataclass(frozen=True, slots=True)
class Table:
    """A table.

    Attributes
    ----------
    heads : sequence of str
        Headings of the columns.
    rows : sequence of sequence of str, int or float
        The cells; whole numbers are grouped by thousands, and numbers stand on the right.
    title : str
        What is above it.
    """

    heads: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    title: str = ""


def tables_html(title: str, tables: Sequence[Table], notes: Sequence[str] = ()) -> str:
    """Return tables one below the other as a fragment of HTML; empty ones are left out.

    Parameters
    ----------
    title : str
        What is above them, in bold type; may be empty.
    tables : sequence of Table
        The tables.
    notes : sequence of str
        Lines below them.
    """
    return render(
        "notebook/tables.html.jinja",
        title=title,
        tables=[_laid_out(table) for table in tables if table.rows],
        notes=notes,
    )


def _laid_out(table: Table) -> dict[str, object]:
    columns = list(zip(*table.rows, strict=True))
    sides = [
        "right" if all(isinstance(c, int | float) for c in column) else "left" for column in columns
    ]
    return {
        "title": table.title,
        "heads": list(zip(table.heads, sides, strict=True)),
        "rows": [list(zip(map(_text, row), sides, strict=True)) for row in table.rows],
    }


def _text(cell: str | float) -> str:
    if isinstance(cell, float):
        return f"{cell:g}"
    return f"{cell:,}" if isinstance(cell, int) else cell
