# SPDX-License-Identifier: BSD-3-Clause
"""Models, outcomes and results in a notebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from flexforge.codegen.errors import InputError
from flexforge.codegen.study.tables import Table, tables_html
from flexforge.runtime.observe.described import described
from flexforge.runtime.results.model_tables import model_tables
from flexforge.runtime.results.rows import (
    PROBE_HEADS,
    figure_rows,
    flat_rows,
    probe_heads,
    probe_rows,
)
from flexforge.runtime.unit_systems import SI, UnitSystem

if TYPE_CHECKING:
    from flexforge.model import Model
    from flexforge.runtime.outcome import Outcome
    from flexforge.runtime.results.read import Results

_MOST = 20  # rows of a table; models of programs have thousands of parts


def model(value: Model) -> str:
    """Return the parts of a model and its analysis; the mesh is not read."""
    spec = value.spec
    summary = described(spec, None)
    summary["units"] = spec.units
    summary["settings"] = {"elements": {body.name: body.element for body in spec.bodies}}
    summary["bodies"] = {body.name: {} for body in spec.bodies}
    tables = [_cut(title, heads, rows) for title, heads, rows in model_tables(summary)]
    analysis = {
        "kind": spec.analysis.kind,
        **spec.analysis.model_dump(mode="json", exclude_unset=True),
    }
    tables.append(Table(("Key", "Value"), list(flat_rows(analysis)), "Analysis"))
    return tables_html(spec.title or spec.name, tables, ["model.check() reads the mesh."])


def outcome(value: Outcome) -> str:
    """Return figures, then probes; warnings below them."""
    units = SI
    try:
        found, notes = value.results, []
        units, probes = found.units, _probes(found)
    except InputError as error:  # the folder was removed or written anew
        probes, notes = Table(PROBE_HEADS, []), [str(error)]
    notes += [f"Warning: {text}" for text in value.warnings]
    title = f"{value.status}: {value.folder}"
    return tables_html(title, [_figures(value.figures, units), probes], notes)


def results(value: Results) -> str:
    """Return figures, then probes, of a folder of results."""
    summary = value.summary
    warnings = [f"Warning: {text}" for text in summary.get("warnings", [])]
    title = f"{summary['status']}: {value.folder}"
    figures = _figures(summary.get("figures", {}), value.units)
    return tables_html(title, [figures, _probes(value)], warnings)


def _figures(figures: Mapping[str, Any], units: UnitSystem) -> Table:
    told = figure_rows(figures, units)
    rows = [(name, f"{amount} {unit}".strip()) for name, amount, unit in told]
    return Table(("figure", "value"), rows)


def _probes(found: Results) -> Table:
    columns, rows = found.probe_table()
    units = found.units
    return _cut("", probe_heads(rows, units), probe_rows(columns, rows, units))


def _cut(title: str, heads: tuple[str, ...], rows: list[Any]) -> Table:
    """Return a table that ends after some rows and says so."""
    more = len(rows) - _MOST
    rest = [(f"… and {more:,} more", *[""] * (len(heads) - 1))] if more > 0 else []
    return Table(heads, [*rows[:_MOST], *rest], title)
