# SPDX-License-Identifier: BSD-3-Clause
"""report.html of a model of several steps: figures side by side, and links to their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.results.data_sheet import data_sheet
from flexforge.runtime.results.files import manifest_of, one_line
from flexforge.runtime.results.rows import figure_rows
from flexforge.runtime.results.summary import NAME, read_summary
from flexforge.runtime.unit_systems import UnitSystem


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step on the page.

    Attributes
    ----------
    name, analysis, after : str
        Its name, what it computes, and the step from whose end it goes on, if any.
    report : str
        Where its own report is, from the page; empty without one.
    """

    name: str
    analysis: str
    after: str
    report: str


def write_steps_report(
    folder: Path,
    title: str,
    steps: Sequence[tuple[str, str, str]],
    figures: Mapping[str, Mapping[str, Any]],
    warnings: Sequence[str],
    units: UnitSystem,
    *,
    overwrite: bool = False,
) -> Path:
    """Write the page on all steps of a model.

    Parameters
    ----------
    folder : Path
        Folder of the folders of results.
    title : str
        Of the model.
    steps : sequence of tuple of str
        Of each step its name, its analysis, and the step after which it begins.
    figures : mapping
        Figures by name, by step.
    warnings : sequence of str
        Of all steps.
    units : UnitSystem
        The units of the model.
    overwrite : bool
        Replace a ``report.html`` that flexforge is not known to have written.

    Raises
    ------
    InputError
        When there is one of somebody else.
    AnalysisError
        When it cannot be written.
    """
    from flexforge.templates import render

    manifest = manifest_of(folder, overwrite=overwrite)
    manifest.refuse_foreign("report.html")
    rows = [
        StepRow(name, kind, after, f"{quote(name)}/report.html")
        if (folder / name / "report.html").is_file()
        else StepRow(name, kind, after, "")
        for name, kind, after in steps
    ]
    found = {
        name: {row[0]: row[1:] for row in figure_rows(of, units)} for name, of in figures.items()
    }
    names = dict.fromkeys(name for of in found.values() for name in of)
    table = [(name, [_cell(of.get(name)) for of in found.values()]) for name in names]
    summaries = [
        (name, read_summary(folder / name))
        for name, _, _ in steps
        if (folder / name / NAME).is_file()
    ]
    html = render(
        "report/steps.html.jinja",
        title=title,
        steps=rows,
        figures=table,
        warnings=warnings,
        sheet=data_sheet(summaries, units),
    )
    path = folder / "report.html"
    with one_line(path, "all other results"), closing(manifest):
        manifest.add(path.name)
        with replacing(path) as file:
            file.write(html.encode())
    return path


def _cell(found: tuple[str, str] | None) -> str:
    return "" if found is None else " ".join(found).strip()
