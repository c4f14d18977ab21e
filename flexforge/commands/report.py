# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge report``: the report of a folder of results, written again."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of results")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.results.report import write_report

    path = write_report(arguments.folder)
    show(arguments, {"report": path}, [str(path)])
    return 0


COMMAND = Command(
    "report",
    "write report.html of a folder of results, however the run ended",
    "flexforge report blade.results",
    _configure,
    _execute,
)
