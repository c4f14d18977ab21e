# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge check``: everything about a model that can be wrong before it runs."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command
from flexforge.console import show
from flexforge.model import load_model


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model file (.toml)")


def _execute(arguments: argparse.Namespace) -> int:
    found = load_model(arguments.model).check()
    show(arguments, found.as_dict(), found.lines())
    return 0


COMMAND = Command(
    "check",
    "read a model and its mesh, check both, and say what would be solved",
    "flexforge check examples/blade/blade.toml",
    _configure,
    _execute,
)
