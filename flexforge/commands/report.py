# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge report``: the report of a folder of results, written again; a killed run's mended."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of results")
    add_overwrite(parser, "replace also a report.html that flexforge is not known to have written")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.results.hdf5 import repair
    from flexforge.runtime.results.report import write_report

    path = write_report(arguments.folder, overwrite=arguments.overwrite)
    data = arguments.folder / "results.h5"
    # A killed run leaves it marked as being written, and other programs refuse to open it.
    mended = data.is_file() and repair(data)
    lines = [str(path), *([f"{data}: mended, after a run that was killed"] if mended else [])]
    show(arguments, {"report": path, "mended": mended}, lines)
    return 0


COMMAND = Command(
    "report",
    "write report.html for a folder of results, even of a failed run",
    "flexforge report blade.results",
    _configure,
    _execute,
)
