# SPDX-License-Identifier: BSD-3-Clause
"""Folders of results of combinations and envelopes, like those of the cases that they are of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.envelopes.extremes import Extremes, Key
from flexforge.runtime.envelopes.shown import Shown, Table
from flexforge.runtime.results.data import (
    LEAST,
    MOST,
    OF_LEAST,
    OF_MOST,
    BodyGeometry,
    BodyState,
    Column,
    spatial,
    unit_of,
)
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.table import column_of
from flexforge.runtime.results.writer import ResultWriter

Figures = dict[str, Any]


def open_results(
    folder: Path, like: Results, analysis: Mapping[str, Any], *, formats: Sequence[str],
    probes: Sequence[str] = (), overwrite: bool = False,
) -> ResultWriter:  # fmt: skip
    """Return a writer of results of the model of others.

    Parameters
    ----------
    folder : Path
        Of the new results.
    like : Results
        Those of a case.
    analysis : mapping
        What the summary says of the analysis.
    formats : sequence of str
        Formats of the model.
    probes : sequence of str
        Titles of columns of probes.
    overwrite : bool
        Replace files with names of results that no run of flexforge has listed.
    """
    summary = like.summary
    settings = {**summary.get("settings", {}), "analysis": dict(analysis)}
    writer = ResultWriter(
        folder,
        like.bodies(),
        formats=formats,
        probes=[column_of(title) for title in probes],
        title=f"{summary.get('title', '')}: {folder.name}",
        settings=settings,
        provenance={**summary.get("provenance", {}), "method": analysis["kind"]},
        overwrite=overwrite,
    )
    # The model is that of all cases, but for the loads.
    model = {k: one for k, one in summary.get("model", {}).items() if k not in ("loads", "initial")}
    held = [one for one in summary.get("symbols", []) if one["kind"] == "support"]
    writer.summary({"model": model, "symbols": held})
    return writer


def write_combination(writer: ResultWriter, found: Sequence[Shown]) -> Figures:
    """Write the frames of a combination; return figures of the first of them.

    Parameters
    ----------
    writer : ResultWriter
        The writer.
    found : sequence of Shown
        The sum, and with peaks of either sign the difference.
    """
    for one in found:
        writer.frame(one.time, one.states)
        if one.probes:
            writer.probe_row(one.time, list(one.probes.values()))
    for name in found[0].tables:
        rows = [(repr(one.time), one.tables[name]) for one in found]
        writer.table(f"tables/{name}", _csv(rows))
    figures: Figures = {}
    states = found[0].states
    moved = max((_length(one).max(initial=0.0) for one in states.values()), default=0.0)
    figures["largest displacement"] = [float(moved), "m"]
    sizes = [one.von_mises for one in states.values() if one.von_mises is not None]
    if sizes:
        most = max(float(one.max(initial=0.0)) for one in sizes)
        figures["largest von Mises stress"] = [most, "Pa"]
    for title, value in found[0].probes.items():
        column = column_of(title)
        figures[column.name] = [value, column.unit]
    writer.summary({"figures": figures})
    return figures


def _csv(parts: Sequence[tuple[str, Table]]) -> str:
    lines = [",".join(["time", *parts[0][1].heads])]
    for time, table in parts:
        lines += [
            ",".join([time, *label, *map(repr, row)])
            for label, row in zip(table.labels, table.values.tolist(), strict=True)
        ]
    return "\n".join(lines) + "\n"


def _length(state: BodyState) -> Floats:
    return np.asarray(np.linalg.norm(spatial(state.displacement), axis=-1))


def write_envelope(
    writer: ResultWriter,
    found: Mapping[Key, Extremes],
    shown: Shown,
    names: Sequence[str],
    numbers: Floats,
    *,
    listed: bool,
) -> Figures:
    """Write extremes as one frame and as tables; return figures.

    Parameters
    ----------
    writer : ResultWriter
        The writer.
    found : mapping
        Extremes by key.
    shown : Shown
        One of what they are of, with the labels of tables.
    names : sequence of str
        Of everything that they are of, by its number from zero.
    numbers : ndarray
        What fields say of that: numbers from one, or times, s.
    listed : bool
        Whether a table tells the names by their numbers.
    """
    states = {}
    for body in writer.bodies:
        nodal = _fields(found, "nodes", body.name, numbers)
        states[body.name] = BodyState(
            nodal.pop("displacement"),
            None,
            nodal.pop("stress", None),
            None,
            _fields(found, "stations", body.name, numbers) or None,
            nodal,
        )
    writer.frame(0.0, states)
    for name, table in shown.tables.items():
        if ("table", name, "") in found:
            writer.table(f"tables/{name}", _table_csv(table, found["table", name, ""], names))
    rows = [row for body in writer.bodies for row in _rows_of_body(found, body, names)]
    rows += [_row("probe", column_of(key[1]), one, names, "") for key, one in found.items()
             if key[0] == "probe"]  # fmt: skip
    heads = ["of", "quantity", "unit", "max", "case of max", "place of max", "min", "case of min",
             "place of min"]  # fmt: skip
    text = "\n".join(",".join(map(_cell, row)) for row in (heads, *rows)) + "\n"
    writer.table("envelope", text)
    if listed:
        cases = [["number", "case"], *([str(i), name] for i, name in enumerate(names, start=1))]
        writer.table("cases", "\n".join(",".join(map(_cell, row)) for row in cases) + "\n")
    figures = _figures(found, names)
    writer.summary({"figures": figures})
    return figures


def _fields(
    found: Mapping[Key, Extremes], where: str, body: str, numbers: Floats
) -> dict[str, Floats]:
    """Return the extremes at nodes or stations of a body as fields of a frame."""
    fields: dict[str, Floats] = {}
    for key, one in found.items():
        if key[:2] == (where, body):
            fields[key[2]] = one.signed
            fields[key[2] + MOST] = one.most
            fields[key[2] + LEAST] = one.least
            fields[key[2] + OF_MOST] = numbers[one.of_most.astype(int)]
            fields[key[2] + OF_LEAST] = numbers[one.of_least.astype(int)]
    return fields


def _table_csv(table: Table, found: Extremes, names: Sequence[str]) -> str:
    heads = list(table.label_heads)
    for head in table.value_heads:
        heads += [f"{head} max", f"{head} case of max", f"{head} min", f"{head} case of min"]
    lines = [heads]
    for i, label in enumerate(table.labels):
        cells = [*label, *[""] * (len(table.label_heads) - len(label))]
        for k in range(found.most.shape[1]):
            cells += [
                repr(float(found.most[i, k])), names[int(found.of_most[i, k])],
                repr(float(found.least[i, k])), names[int(found.of_least[i, k])],
            ]  # fmt: skip
        lines.append(cells)
    return "\n".join(",".join(map(_cell, line)) for line in lines) + "\n"


def _rows_of_body(
    found: Mapping[Key, Extremes], body: BodyGeometry, names: Sequence[str]
) -> list[list[str]]:
    """Return rows of displacements, von Mises stresses and section forces over a whole body."""
    rows = []
    for key, one in found.items():
        where, name, what = key
        if name != body.name or where not in ("nodes", "stations"):
            continue
        points = body.points if where == "nodes" else body.stations
        if one.most.ndim == 2 and what == "displacement":
            for k, axis in zip(range(one.most.shape[1]), "xyz", strict=False):
                part = Extremes(*(x[:, k] for x in (one.most, one.least, one.of_most,
                                                    one.of_least)))  # fmt: skip
                column = Column(f"{what} {axis}", unit_of(what))
                rows.append(_row(name, column, part, names, points))
        elif one.most.ndim == 1:
            rows.append(_row(name, Column(what.replace("_", " "), unit_of(what)), one, names,
                             points))  # fmt: skip
    return rows


def _row(of: str, column: Column, one: Extremes, names: Sequence[str], points: Any) -> list[str]:
    high, low = int(one.most.argmax()), int(one.least.argmin())
    places = ["", ""] if isinstance(points, str) or points is None else [
        " ".join(f"{x:.6g}" for x in points[at]) for at in (high, low)
    ]  # fmt: skip
    return [
        of, column.name, column.unit,
        repr(float(one.most[high])), names[int(one.of_most[high])], places[0],
        repr(float(one.least[low])), names[int(one.of_least[low])], places[1],
    ]  # fmt: skip


def _cell(text: str) -> str:
    return f'"{text}"' if "," in text else text


def _figures(found: Mapping[Key, Extremes], names: Sequence[str]) -> Figures:
    """Return largest von Mises stresses and normal stresses, and extremes of probes."""
    figures: Figures = {}
    for what, told in (("von_mises", "largest von Mises stress"),
                       ("largest_normal_stress", "largest normal stress")):  # fmt: skip
        each = [one for key, one in found.items() if key[2] == what]
        if each:
            most = max(each, key=lambda one: float(one.most.max(initial=0.0)))
            at = int(most.most.argmax())
            figures[told] = [float(most.most[at]), "Pa"]
            figures[f"case of the {told}"] = names[int(most.of_most[at])]
    for key, one in found.items():
        if key[0] == "probe":
            column = column_of(key[1])
            figures[f"{column.name}, max"] = [float(one.most[0]), column.unit]
            figures[f"{column.name}, min"] = [float(one.least[0]), column.unit]
    return figures
