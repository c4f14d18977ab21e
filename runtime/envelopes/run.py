# SPDX-License-Identifier: BSD-3-Clause
"""Combinations and envelopes that a model asks for, from the results of its run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.envelopes.extremes import Extremes, Key, extremes
from flexforge.runtime.envelopes.linear import combined
from flexforge.runtime.envelopes.shown import Shown, frames_of
from flexforge.runtime.envelopes.write import open_results, write_combination, write_envelope
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ENVELOPE, ModelSpec
from flexforge.runtime.model.schema_section import SectionSpec
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.report import write_report

#: Components of probes that do not add up, and quantities.
_SIZES = ("magnitude", "von_mises", "principal1", "principal2", "principal3",
          "largest_normal_stress", "von_mises_top", "von_mises_bottom")  # fmt: skip


def run_combinations(
    spec: ModelSpec, folder: Path, phases: Phases, *, overwrite: bool = False
) -> dict[str, Outcome]:
    """Write the combinations of a model, each into ``folder/NAME``.

    Parameters
    ----------
    spec : ModelSpec
        The model, whose steps are done.
    folder : Path
        Folder of the folders of results.
    phases : Phases
        Times what is done.
    overwrite : bool
        As of :func:`flexforge.runtime.run.run_model`.

    Returns
    -------
    dict
        Outcomes by name.
    """
    found: dict[str, Outcome] = {}
    probes = [
        one.name for one in spec.probes
        if one.component not in _SIZES and one.reduce == "mean" and one.quantity != "position"
    ]  # fmt: skip
    sections: Mapping[str, SectionSpec] = {
        one.name: one.section for one in spec.bodies if isinstance(one.section, SectionSpec)
    }
    for one in spec.combinations:
        with phases("combine"):
            read = [Results(folder / name) for name in one.factors]
            cases = [
                (factor, next(frames_of(name, results)))
                for (name, factor), results in zip(one.factors.items(), read, strict=True)
            ]
            titles = [title for title in cases[0][1].probes if title.rpartition(" [")[0] in probes]
            shown = combined(one.name, cases, sections, titles)
            analysis = {"kind": "combination", "factors": dict(one.factors)}
            writer = open_results(
                folder / one.name, read[0], analysis, formats=spec.output.formats,
                probes=list(shown[0].probes), overwrite=overwrite,
            )  # fmt: skip
            with writer:
                figures = write_combination(writer, shown)
        _report(spec, folder / one.name, overwrite=overwrite)
        timings = {"combine": round(phases.seconds["combine"], 4)}
        found[one.name] = Outcome(folder / one.name, "finished", figures, timings, ())
    return found


def run_envelope(
    spec: ModelSpec, folder: Path, phases: Phases, *, overwrite: bool = False
) -> Outcome:
    """Write the envelope over the cases of a model, or over the times of its analysis.

    Parameters
    ----------
    spec : ModelSpec
        The model, whose analysis or steps and combinations are done.
    folder : Path
        Folder of its results, or of the folders of them; the envelope is in ``envelope`` there.
    phases : Phases
        Times what is done.
    overwrite : bool
        As of :func:`flexforge.runtime.run.run_model`.
    """
    with phases(ENVELOPE):
        names = spec.enveloped
        read = [(name, Results(folder / name)) for name in names] or [("", Results(folder))]
        sums = {one.name for one in spec.combinations}
        labels: list[str] = []
        times: list[float] = []
        last: list[Shown] = []

        def every() -> Iterator[Shown]:
            for name, results in read:
                count = len(results.times())
                for number, shown in enumerate(frames_of(name, results)):
                    at = f"t = {shown.time:.6g} s"
                    if name in sums:
                        at = ("plus", "minus")[number] + " its peaks"
                    labels.append(name if count == 1 else f"{name}, {at}" if name else at)
                    times.append(shown.time)
                    last[:] = [shown]
                    yield shown

        found = extremes(every())
        numbers = np.arange(1.0, len(labels) + 1) if names else np.array(times)
        if not names:
            labels = _with_probes(found, read[0][1], labels)
        writer = open_results(
            folder / ENVELOPE, read[0][1], {"kind": ENVELOPE, "of": list(names)},
            formats=spec.output.formats, overwrite=overwrite,
        )  # fmt: skip
        with writer:
            figures = write_envelope(writer, found, last[0], labels, numbers, listed=bool(names))
    _report(spec, folder / ENVELOPE, overwrite=overwrite)
    timings = {ENVELOPE: round(phases.seconds[ENVELOPE], 4)}
    return Outcome(folder / ENVELOPE, "finished", figures, timings, ())


def _with_probes(found: dict[Key, Extremes], results: Results, labels: Sequence[str]) -> list[str]:
    """Put extremes of all rows of probes, which may be more than frames; return all labels."""
    columns, rows = results.probe_table()
    more = [f"t = {time:.6g} s" for time in rows[:, 0].tolist()]
    for place, column in enumerate(columns):
        if place and len(rows):
            values = rows[:, place]
            at = [np.array([float(len(labels) + k)]) for k in (values.argmax(), values.argmin())]
            ends: list[Floats] = [np.array([values.max()]), np.array([values.min()])]
            found["probe", column.title, ""] = Extremes(*ends, *at)
    return [*labels, *more]


def _report(spec: ModelSpec, folder: Path, *, overwrite: bool) -> None:
    if "report" in spec.output.formats:
        write_report(folder, overwrite=overwrite)
