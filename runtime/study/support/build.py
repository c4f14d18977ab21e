# SPDX-License-Identifier: BSD-3-Clause
"""All cells of the support table, as plain data."""

from __future__ import annotations

import os
from collections.abc import Collection
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from typing import Any

from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.study.support import columns, mechanisms, models
from flexforge.runtime.study.support.columns import Column
from flexforge.runtime.study.support.models import Row
from flexforge.runtime.study.support.probe import probe

RUNS = "runs"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the page.

    Attributes
    ----------
    key, title : str
        Short name, of the data; heading.
    rows : tuple of Row
        Rows.
    columns : tuple of Column
        Columns.
    """

    key: str
    title: str
    rows: tuple[Row, ...]
    columns: tuple[Column, ...]


def tables() -> tuple[Table, ...]:
    """Return the tables of the page."""
    return (
        Table("elements", "Elements, masses and connectors", tuple(models.rows()), columns.COLUMNS),
        Table("joints", "Joints and constraints", tuple(mechanisms.rows()), mechanisms.COLUMNS),
    )


def cells_of(table: Table, row: Row, *, quick: bool = False) -> dict[str, str]:
    """Return the cells of a row: ``runs``, or the message of the refusal.

    Parameters
    ----------
    table : Table
        The table.
    row : Row
        The row.
    quick : bool
        Whether columns whose models have to be compiled are left out.

    Raises
    ------
    AnalysisError
        When a model neither runs nor is refused by name: the fault is in the program.
    """
    found = {}
    for column in table.columns:
        if quick and not column.quick:
            continue
        cell = probe(column.tables(row), column.proof)
        if cell.status == "fault":
            raise AnalysisError(f"{table.key}, {row.title}, {column.key}: {cell.text}")
        found[column.key] = cell.text if cell.status == "refused" else RUNS
    if RUNS not in found.values():
        raise AnalysisError(f"{table.key}, {row.title}: found no analysis that runs; expected one")
    return found


def build(only: Collection[str] = (), *, quick: bool = False) -> dict[str, Any]:
    """Return the whole table, by the processors of this machine.

    Parameters
    ----------
    only : collection of str
        Titles of rows; by default all.
    quick : bool
        As of :func:`cells_of`.

    Returns
    -------
    dict
        Cells by table, row and column.

    Raises
    ------
    AnalysisError
        As of :func:`cells_of`.
    """
    wanted = [(table, row) for table in tables() for row in table.rows
              if not only or row.title in only]  # fmt: skip
    found: dict[str, Any] = {table.key: {} for table in tables()}
    places = [(table.key, row.title) for table, row in wanted]
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        for (key, title), cells in zip(
            places, pool.map(partial(_by_name, quick=quick), places), strict=True
        ):
            found[key][title] = cells
    return found


def _by_name(place: tuple[str, str], quick: bool) -> dict[str, str]:
    key, title = place
    table = next(one for one in tables() if one.key == key)
    row = next(one for one in table.rows if one.title == title)
    return cells_of(table, row, quick=quick)
