# SPDX-License-Identifier: BSD-3-Clause
"""report.html: what a run gave, in one file that can be read, printed and sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.arguments import path, typed
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.results import campbell
from flexforge.runtime.results.bode import response_plots
from flexforge.runtime.results.data import FACTOR
from flexforge.runtime.results.data_sheet import data_sheet
from flexforge.runtime.results.densities import density_plots
from flexforge.runtime.results.files import manifest_of, one_line
from flexforge.runtime.results.groups import grouped
from flexforge.runtime.results.mistuning import localization_plots, mistuned_rows
from flexforge.runtime.results.modal_tables import shares
from flexforge.runtime.results.model_tables import model_tables
from flexforge.runtime.results.orbit_motion import motion_plots
from flexforge.runtime.results.packed import MOST_VALUES, packed
from flexforge.runtime.results.plots import curves
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.rows import (
    csv_rows,
    engineering,
    figure_rows,
    flat_rows,
    probe_heads,
    probe_rows,
    timing_rows,
    without_probes,
)
from flexforge.runtime.results.scene_building import scene_of
from flexforge.runtime.results.script import plotly_script, safe_json
from flexforge.runtime.results.spectrum import spectrum_plots, spectrum_rows
from flexforge.runtime.results.undamped import map_plots, sensitivity_rows
from flexforge.runtime.results.vectors import cleaned, families, without_round_off
from flexforge.runtime.results.wave_plots import AROUND, around, wave_plots, without_waves
from flexforge.runtime.unit_systems import DEFAULT, UnitSystem, system_of

#: Headings of the table of modes, the last of them beside a Campbell diagram.
MODE_HEADS = ("Mode", "Frequency [Hz]", "Angular frequency [rad/s]", "Mode in the diagram")
_STATUS = {
    "finished": "finished",
    "interrupted": "interrupted: what is shown is what was done",
    "failed": "failed: what is shown is what was done",
    "running": "not finished: still running, or stopped from outside",
}


@typed(folder=path)
def write_report(folder: Path | str, *, overwrite: bool = False) -> Path:
    """Write the report of a folder of results.

    Parameters
    ----------
    folder : Path or str
        As a `ResultWriter` left it, whatever its formats and however the run ended.
    overwrite : bool
        Replace also a ``report.html`` that flexforge is not known to have written.

    Returns
    -------
    Path
        ``report.html`` in that folder.

    Raises
    ------
    InputError
        If the folder holds no results, or a report of somebody else, or Plotly is not installed.
    AnalysisError
        If the report cannot be written.

    Examples
    --------
    >>> import flexforge as ff
    >>> model = ff.load_model({
    ...     "mesh": {"points": {"tip": [0, 0, 0]}},
    ...     "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
    ...     "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
    ...     "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    ...     "output": {"formats": ["csv"]},
    ... })
    >>> outcome = model.run("ball.results")
    >>> print(ff.write_report("ball.results"))
    ball.results/report.html
    """
    results = Results(Path(folder))
    manifest = manifest_of(results.folder, overwrite=overwrite)
    manifest.refuse_foreign("report.html")
    html = page_of(results)
    path = results.folder / "report.html"
    with one_line(path, "all other results"), closing(manifest):
        manifest.add(path.name)
        with replacing(path) as file:
            file.write(html.encode())
    return path


def page_of(results: Results) -> str:
    """Return the page on results: HTML that needs nothing else.

    Parameters
    ----------
    results : Results
        The results.

    Raises
    ------
    InputError
        If Plotly, whose JavaScript draws the figures, is not installed.
    """
    from flexforge.templates import render

    summary = results.summary
    columns, rows = results.probe_table()
    units = results.units
    vectors = families(columns[1:], summary)
    rows[:, 1:] = cleaned(rows[:, 1:], vectors)
    status = str(summary.get("status", "running"))
    versions = dict(summary.get("versions", {}))
    others = without_waves(campbell.other_figures(summary), summary)
    told = without_round_off(others, summary)
    groups = grouped(told)
    figures = without_probes(groups.pop("Results", {}), columns)
    plots = [
        curves(rows[:, 0], [(columns[i + 1], rows[:, i + 1]) for i in own], "s", units)
        for own in (vectors if len(rows) > 2 else [])
    ]
    plots += motion_plots(summary, columns, rows, units)
    headed = "Probes over time"
    for head, drawn_of in _PLOTS:
        if not plots:
            headed, plots = head, drawn_of(summary, units)
    scene = packed(scene_of(results, most_values=MOST_VALUES))
    diagram = summary.get("campbell")
    diagram = diagram if diagram and diagram["modes"] else None
    drawn = {
        "scene": scene,
        "plots": plots,
        "campbell": campbell.diagram(diagram) if diagram else None,
    }
    return render(
        "report/report.html.jinja",
        title=summary.get("title") or results.folder.name,
        status=status if status in _STATUS else "running",
        status_text=_STATUS.get(status, status),
        meta=_meta(summary),
        reason=summary.get("reason", ""),
        warnings=summary.get("warnings", []),
        sheet=data_sheet([("", summary)], units),
        figures=[*figure_rows(figures, units), *_largest(results)],
        details=[(title, list(figure_rows(inside, units))) for title, inside in groups.items()],
        scene=scene,
        campbell=campbell.section(diagram),
        mode_heads=[units.heading(head) for head in mode_heads(summary, diagram)],
        modes=_mode_rows(summary, diagram),
        listed=list(_listed(results.folder, units)),
        factors=_factor_rows(summary),
        plots=plots,
        drawn=headed,
        probe_heads=probe_heads(rows, units),
        probes=probe_rows(columns, rows, units),
        model=list(model_tables(summary)),
        timings=timing_rows(summary.get("timings", {})),
        tables=[
            ("Theory", list(summary.get("theory", {}).items())),
            ("Settings", list(flat_rows(summary.get("settings", {})))),
            ("Origin", list(flat_rows(summary.get("provenance", {})))),
            ("Versions", list(versions.items())),
        ],
        footer=_footer(results.folder, str(versions.get("flexforge", ""))),
        data=safe_json(drawn),
        plotly=plotly_script() if scene or plots or diagram else "",
    )


def _largest(results: Results) -> list[tuple[str, str, str]]:
    """Return the largest displacement of the frames, and when it is reached."""
    largest, times, units = results.largest_displacement(), results.times(), results.units
    if not len(largest) or len(times) == 1:  # of one state it is among the figures
        return []
    kind = results.summary.get("settings", {}).get("analysis", {}).get("kind")
    if kind in ("kinematics", "combination"):
        return []
    peak = int(np.argmax(largest))
    if largest[peak] == 0.0 and "largest displacement at the end" not in results.summary.get(
        "figures", {}
    ):
        return []  # of rigid links, which move with their frames
    return [
        ("largest displacement in a frame", *engineering(float(largest[peak]), "m", units)),
        ("frequency of that frame", f"{times[peak]:.6g}", units.label("Hz"))
        if kind == "harmonic"
        else ("time of that frame", f"{times[peak]:.6g}", units.label("s")),
    ]


def _factor_rows(summary: Mapping[str, Any]) -> list[list[str]]:
    """Return number and factor of each mode of buckling."""
    rows = summary.get("modes", [])
    return [[str(row["mode"]), f"{row[FACTOR]:.6g}"] for row in rows if FACTOR in row]


def _listed(folder: Path, units: UnitSystem) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield heading, heads and rows of the tables in files that the page shows."""
    for name, title, read in _TABLES:
        if (folder / name).is_file():
            heads, rows = read((folder / name).read_text(encoding="utf-8"), units)
            of_wheel = name == "modes.csv" and len(heads) <= 2  # without masses
            if rows and not of_wheel:
                yield title, heads, rows


def mode_heads(summary: Mapping[str, Any], diagram: Mapping[str, Any] | None) -> list[str]:
    """Return the heads of the table of modes."""
    more = [AROUND[key] for key in around(summary)]
    return [*MODE_HEADS[:3], *more, *MODE_HEADS[3 if diagram else 4 :]]


def _mode_rows(summary: Mapping[str, Any], diagram: Mapping[str, Any] | None) -> list[list[str]]:
    """Return number, frequency and angular frequency of each mode, and its number in a diagram."""
    if "undamped" in summary:  # whose shapes are those of critical speeds
        return []
    known = [row for row in summary.get("modes", []) if row["frequency_Hz"] is not None]
    about = around(summary)
    found = [
        [
            str(row["mode"]),
            f"{row['frequency_Hz']:.6g}",
            f"{2 * np.pi * row['frequency_Hz']:.6g}",
            *(str(row[key]) for key in about),
        ]
        for row in known
    ]
    if diagram:
        numbers = campbell.numbers_at_end(diagram, [row["frequency_Hz"] for row in known])
        found = [[*row, number] for row, number in zip(found, numbers, strict=True)]
    return found


def waves_and_sectors(summary: Mapping[str, Any], units: UnitSystem) -> list[dict[str, Any]]:
    """Return what is drawn of the modes of a wheel: over nodal diameters, and of its sectors."""
    return wave_plots(summary, units) + localization_plots(summary, units)


#: What is drawn of a summary where there are no probes over time.
_PLOTS = (
    ("Amplitudes over the frequency or the speed", response_plots),
    ("Spectra, and the modes on them", spectrum_plots),
    ("Power spectral densities", density_plots),
    ("Modes over nodal diameters", waves_and_sectors),
    ("Map of critical speeds", map_plots),
)
_Reader = Callable[[str, UnitSystem], tuple[list[str], list[list[str]]]]
#: Tables in files that the page shows: the file, a heading, and what reads it.
_TABLES: tuple[tuple[str, str, _Reader], ...] = (
    ("modes.csv", "Effective masses", shares),
    ("mistuning.csv", "Modes of the mistuned wheel", mistuned_rows),
    ("spectrum.csv", "Answers of the modes", spectrum_rows),
    ("peaks.csv", "Peaks over the speed", csv_rows),
    ("orbits.csv", "Orbits at peaks and operating speeds", csv_rows),
    ("undamped.csv", "Undamped critical speeds", csv_rows),
    ("sensitivities.csv", "Critical speeds in per cent by 1 % of a part", sensitivity_rows),
    ("interference.csv", "Modes near engine orders that excite them", csv_rows),
    ("envelope.csv", "Envelope", csv_rows),
    ("cases.csv", "Cases", csv_rows),
)
_FILES = {
    "frames.pvd": "all frames, for ParaView (filter “Warp By Vector”)",
    "modes.pvd": "all modes, for ParaView (filter “Warp By Vector”)",
    "results.h5": "everything, in double precision",
    "probes.csv": "the probes",
    "modes.csv": "participation factors and effective masses",
    "response.csv": "amplitudes and phases over the frequency or the speed",
    "peaks.csv": "peaks over the speed, with amplification factors",
    "bearing_loads.csv": "forces of bearings over the speed",
    "orbits.csv": "orbits of pairs of probes at peaks and operating speeds",
    "multiples.csv": "amplitudes at other multiples of the speed",
    "undamped.csv": "undamped critical speeds",
    "sensitivities.csv": "their relative change per relative change of stiffness and mass",
    "critical_map.csv": "critical speeds over the stiffness of bearings",
    "interference.csv": "modes of a wheel near engine orders that excite them",
    "mistuning.csv": "modes of a wheel whose sectors differ, and their energy in each",
    "spectrum.csv": "answers of the modes to the spectra",
    "envelope.csv": "the largest and least values and their cases",
    "densities.csv": "power spectral densities of the probes",
    "events.csv": "events of forces",
    "campbell.csv": "modes over the speed",
    "critical_speeds.csv": "critical speeds",
    "summary.json": "the figures",
}


def _footer(folder: Path, version: str) -> str:
    files = [f"{name}: {what}" for name, what in _FILES.items() if (folder / name).is_file()]
    return f"flexforge {version}".strip() + " · beside this page: " + "; ".join(files)


def _meta(summary: Mapping[str, Any]) -> list[str]:
    begun = str(summary.get("begun", "")).replace("T", " ").replace("+00:00", " UTC")
    frames = summary.get("frames")
    shown = [f"begun {begun}" if begun else "", str(summary.get("analysis", ""))]
    if frames:
        shown.append(f"{frames} frame{'s' if frames != 1 else ''}")
    progress = summary.get("progress")
    if progress and progress["done"] != progress["total"]:
        told = system_of(summary.get("units", DEFAULT)).with_unit
        time = progress["time"]
        reached = "" if time is None else ", " + told(f"t = {time:.6g}", "s")
        shown.append(f"{progress['done']} of {progress['total']} {progress['what']}{reached}")
    return [item for item in shown if item]
