# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge import``: a deck of CalculiX or Abaqus as a model file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.commands.command import Command
from flexforge.console import check_writable, show


def add_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options of decks: to leave out cards, expand shells and beams, declare units."""
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="KEYWORD",
        help="leave out the cards of a keyword of a deck (.inp), such as CONTROLS; repeatable",
    )
    parser.add_argument(
        "--expanded",
        action="store_true",
        help="make solids of all shells and beams of a deck (.inp), as CalculiX does",
    )
    parser.add_argument(
        "--units",
        metavar="SYSTEM",
        help="the units of a deck (.inp), such as mm-t-s, which results then name",
    )


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deck", type=Path, metavar="DECK", help="a deck (.inp)")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the model file (default: DECK.toml)"
    )
    add_choices(parser)


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.codegen.files.atomic import write_file
    from flexforge.runtime.decks.text import model_text
    from flexforge.runtime.decks.translate import translate
    from flexforge.runtime.loading.load import load_model_file

    target: Path = arguments.output or arguments.deck.with_suffix(".toml")
    if target.suffix != ".toml":
        raise InputError(f"{target}: found the suffix '{target.suffix}'; expected .toml")
    if target.exists():
        raise InputError(f"{target}: exists; expected a new file (--output FILE)")
    check_writable(target)
    translation = translate(
        arguments.deck, arguments.ignore, expanded=arguments.expanded, units=arguments.units
    )
    write_file(target, model_text(translation, target))
    load_model_file(target)  # tells at once what only the model says
    for remark in translation.remarks:
        print(f"flexforge: warning: {remark}", file=sys.stderr)
    lines = [f"{target}: check it, then: flexforge run {target}"]
    show(arguments, {"file": target, "remarks": translation.remarks}, lines)
    return 0


COMMAND = Command(
    "import",
    "write the model file of a deck of CalculiX or Abaqus",
    "flexforge import beam.inp -o beam.toml",
    _configure,
    _execute,
)
