# SPDX-License-Identifier: BSD-3-Clause
"""report.html: what a run gave, in one file that can be read, printed and sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.arrays import Floats
from flexforge.runtime.results import campbell
from flexforge.runtime.results.data import Column
from flexforge.runtime.results.files import embedded, manifest_of, one_line
from flexforge.runtime.results.groups import grouped
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.units import prefix

_SHAPES = 6  # modes of which a picture is made
_STATUS = {
    "finished": "finished",
    "interrupted": "interrupted: what is shown is what was done",
    "failed": "failed: what is shown is what was done",
    "running": "not finished: still running, or stopped from outside",
}


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
        If the folder holds no results, or a report of somebody else, or a library for drawing is
        missing.
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
    try:
        from flexforge.templates import render

        html = render("report/report.html.jinja", **_content(results))
    except ImportError as error:
        raise InputError(
            f"the report needs the library {error.name}, which is not installed"
        ) from None
    path = results.folder / "report.html"
    with one_line(path, "all other results"), closing(manifest):
        manifest.add(path.name)
        with replacing(path) as file:
            file.write(html.encode())
    return path


def _content(results: Results) -> dict[str, Any]:
    summary = results.summary
    columns, rows = results.probes()
    pictures, found = _pictures(results)
    modes, shapes = _modes(results)
    status = str(summary.get("status", "running"))
    versions = dict(summary.get("versions", {}))
    several = len(rows) > 2
    groups = grouped(campbell.other_figures(summary))
    figures = groups.pop("Results", {})
    return {
        "title": summary.get("title") or results.folder.name,
        "status": status if status in _STATUS else "running",
        "status_text": _STATUS.get(status, status),
        "meta": _meta(summary),
        "reason": summary.get("reason", ""),
        "warnings": summary.get("warnings", []),
        "figures": [*_figures(figures), *found],
        "details": [(title, list(_figures(inside))) for title, inside in groups.items()],
        "bodies": summary.get("bodies", {}),
        "pictures": pictures,
        "campbell": campbell.section(summary.get("campbell")),
        "modes": modes,
        "shapes": shapes,
        "plots": list(_plots(columns, rows)) if several else [],
        "probe_heads": ["Probe", "First", "Last", "Least", "Most"],
        "probes": _probe_rows(columns, rows),
        "timings": _timings(summary.get("timings", {})),
        "tables": [
            ("Theory", list(summary.get("theory", {}).items())),
            ("Settings", list(_flat(summary.get("settings", {})))),
            ("Bodies", [(n, _body(b)) for n, b in summary.get("bodies", {}).items()]),
            ("Versions", list(versions.items())),
        ],
        "footer": _footer(results.folder, str(versions.get("flexforge", ""))),
    }


def _pictures(results: Results) -> tuple[list[dict[str, str]], list[tuple[str, str, str]]]:
    """Return pictures of the last frame and, where it differs, of the most deformed one."""
    from flexforge.runtime.results import views

    bodies, times = views.drawable(results.bodies()), results.times()
    if not bodies or not len(times):
        return [], []
    if results.summary.get("settings", {}).get("analysis", {}).get("kind") == "kinematics":
        frames = [results.frame(number) for number in sorted({0, len(times) - 1})]
        drawn = [views.placed(bodies, frame) for frame in frames]
        return [{"source": embedded("png", p), "caption": text} for p, text in drawn], []
    largest = results.largest_displacement()
    chosen, found = [len(times) - 1], []
    if len(largest):
        peak = int(np.argmax(largest))
        value, unit = _engineering(float(largest[peak]), "m")
        found.append(("largest displacement", value, unit))
        if len(times) > 1:
            found.append(("reached at", f"{times[peak]:.6g}", "s"))
        if largest[peak] > 1.05 * largest[-1]:
            chosen.insert(0, peak)
    pictures = []
    joined = bool(results.summary.get("settings", {}).get("joints"))  # by which links move bodies
    scale = views.enlargement(bodies, results.frame(chosen[0]))  # one for all, to be compared
    for number in chosen:
        frame = results.frame(number)
        quantities = ["displacement"]
        if any(state.stress is not None for state in frame.states.values()):
            quantities.append("von_mises")
        for quantity in quantities:
            picture, caption = views.deformed(bodies, frame, quantity, scale, in_space=joined)
            pictures.append({"source": embedded("png", picture), "caption": caption})
    return pictures, found


def _modes(results: Results) -> tuple[list[tuple[int, str, str]], list[dict[str, str]]]:
    from flexforge.runtime.results import views

    rows = results.summary.get("modes", [])
    table = [
        (row["mode"], f"{row['frequency_Hz']:.6g}", f"{2 * np.pi * row['frequency_Hz']:.6g}")
        for row in rows
        if row["frequency_Hz"] is not None
    ]
    if not rows:
        return [], []
    frequencies, shapes = results.modes()
    bodies = views.drawable(results.bodies()) if shapes else []
    pictures = []
    for i, frequency in enumerate(frequencies[:_SHAPES] if bodies else []):
        picture, caption = views.mode(
            bodies, {name: shape[i] for name, shape in shapes.items()}, i + 1, float(frequency)
        )
        pictures.append({"source": embedded("png", picture), "caption": caption})
    return table, pictures


def _plots(columns: list[Column], rows: Floats) -> Iterator[dict[str, str]]:
    from flexforge.runtime.results.plots import curve

    for i, column in enumerate(columns[1:], start=1):
        drawn = curve(rows[:, 0], rows[:, i], column.name, column.unit)
        yield {"source": embedded("svg+xml", drawn), "caption": f"{column.title} over time"}


def _probe_rows(columns: list[Column], rows: Floats) -> list[list[str]]:
    found = []
    for i, column in enumerate(columns[1:] if len(rows) else [], start=1):
        values = rows[:, i]
        figures = (values[0], values[-1], np.nanmin(values), np.nanmax(values))
        found.append([column.title, *(_text(float(figure)) for figure in figures)])
    return found


def _figures(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for name, value in figures.items():
        amount, unit = value if isinstance(value, list) and len(value) == 2 else (value, "")
        if isinstance(amount, float) and unit in ("m", "Pa", "s", "N", "m/s"):
            yield (name, *_engineering(amount, unit))
        else:
            yield name, _text(amount), str(unit)


def _engineering(value: float, unit: str) -> tuple[str, str]:
    factor, prefixed = prefix(value, unit)
    return f"{value / factor + 0.0:.5g}", prefixed


def _timings(timings: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    known = {phase: float(seconds) for phase, seconds in timings.items() if seconds is not None}
    parts = {phase: seconds for phase, seconds in known.items() if phase != "total"}
    total = known.get("total", sum(parts.values())) or 1.0
    ordered = sorted(parts.items(), key=lambda item: -item[1])
    rows = [(p, f"{s:.3f}", f"{100 * s / total:.1f}") for p, s in ordered]
    return [*rows, ("total", f"{total:.3f}", "100.0")] if rows else []


_FILES = {
    "frames.pvd": "all frames, for ParaView (filter “Warp By Vector”)",
    "modes.pvd": "all modes, for ParaView (filter “Warp By Vector”)",
    "results.h5": "everything, in double precision",
    "probes.csv": "the probes",
    "campbell.csv": "modes over the speed",
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
        reached = "" if progress["time"] is None else f", t = {progress['time']:.6g} s"
        shown.append(f"{progress['done']} of {progress['total']} {progress['what']}{reached}")
    return [item for item in shown if item]


def _body(body: Mapping[str, Any]) -> str:
    return f"{body['cells']:,} {body['cell']} cells, {body['nodes']:,} nodes"


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, str]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", _text(value)


def _text(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "–"}[value]
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value + 0.0:.6g}"  # which makes no minus of a zero
    if isinstance(value, list):
        return ", ".join(_text(one) for one in value)
    return str(value)
