# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge check``: everything about a model that can be wrong before it runs, at once."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flexforge.commands.command import Command
from flexforge.console import one_line, show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "model", type=Path, metavar="MODEL", help="a model file (.toml) or a deck (.inp)"
    )


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.check import inspect_model

    report, mistakes = inspect_model(arguments.model)
    if report is None:
        for mistake in mistakes:
            print(f"flexforge: error: {one_line(mistake)}", file=sys.stderr)
        if arguments.json:
            show(arguments, {"errors": mistakes}, [])
        return 2
    show(arguments, report.as_dict(), report.lines())
    return 0


COMMAND = Command(
    "check",
    "check a model and its mesh, and summarize the analysis",
    "flexforge check examples/blade/blade.toml",
    _configure,
    _execute,
)
