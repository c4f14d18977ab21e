# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge run``: solve a model and write its results."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import ProgressLine, show, table
from flexforge.interrupts import said
from flexforge.model import load_model

if TYPE_CHECKING:
    from flexforge.runtime.run import Outcome


def add_model(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command that solves a model."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model file (.toml)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FOLDER",
        help="results folder (default: NAME.results)",
    )
    add_overwrite(parser, "also replace a folder that flexforge is not known to have written")


def solve(arguments: argparse.Namespace, job: Callable[..., Outcome], folder: Path) -> int:
    """Run a job into a folder, with progress on the terminal, and print the outcome."""
    progress = ProgressLine()
    started = time.time()
    try:
        outcome = job(output=folder, progress=progress, overwrite=arguments.overwrite)
    except KeyboardInterrupt as interrupt:
        interrupt.args = (f"{said(interrupt)}{_kept(folder, started)}",)
        raise
    finally:
        progress.clear()
    for warning in outcome.warnings:
        print(f"flexforge: warning: {warning}", file=sys.stderr)
    show(arguments, _data(outcome), _lines(outcome))
    return 0


def _execute(arguments: argparse.Namespace) -> int:
    model = load_model(arguments.model)
    return solve(arguments, model.run, arguments.output or model.folder)


def _kept(folder: Path, started: float) -> str:
    """Return what an interrupted run leaves on disk."""
    summary = folder / "summary.json"
    if summary.is_file() and summary.stat().st_mtime >= started - 1:
        return f"; everything computed so far is kept in {folder}"
    return " before anything was written"


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "folder": outcome.folder,
        "status": outcome.status,
        "figures": outcome.figures,
        "timings": outcome.timings,
        "warnings": outcome.warnings,
        "theory": outcome.theory,
        **({"campbell": outcome.campbell} if outcome.campbell else {}),
    }


def _lines(outcome: Outcome) -> list[str]:
    from flexforge.runtime.results.groups import grouped
    from flexforge.runtime.results.units import figure

    width = max((len(name) for name in outcome.figures), default=0)
    groups = {
        title: [f"{name.ljust(width)}  {figure(value)}" for name, value in inside.items()]
        for title, inside in grouped(outcome.figures).items()
    }
    if outcome.campbell:
        groups = {"Results": _campbell_lines(outcome.campbell)}
    computation = groups.pop("Computation", [])
    groups["Theory"] = [f"{name}: {text}" for name, text in outcome.theory.items()]
    groups["Computation"] = computation
    lines: list[str] = []
    for title, inside in groups.items():
        if inside:
            lines += ["", f"{title}:"] if lines else []
            lines += inside
    seconds = sum(outcome.timings.values())
    phases = ", ".join(f"{name} {value:.2f}" for name, value in outcome.timings.items())
    lines += ["", f"{outcome.status} in {seconds:.1f} s ({phases})"]
    report = outcome.folder / "report.html"
    return [*lines, f"results in {report if report.is_file() else outcome.folder}"]


def _campbell_lines(data: dict[str, Any]) -> list[str]:
    """Return the table of a Campbell diagram, critical speeds and instabilities."""
    from flexforge.runtime.results import campbell

    lines = table(*campbell.table(data))
    lines.append("f, b: forward, backward in the turning frame; +: growth, 1/s")
    criticals = campbell.critical_rows(data)
    if criticals:
        lines += ["", *table(campbell.CRITICAL_HEADS, criticals)]
        lines.append("0x: load fixed in the body; 1x: load fixed in space")
    return [*lines, *campbell.instability_lines(data)]


COMMAND = Command(
    "run",
    "solve a model and write its results",
    "flexforge run examples/blade/blade.toml -o blade.results",
    add_model,
    _execute,
)
