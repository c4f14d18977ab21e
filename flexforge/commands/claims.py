# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge claims``: the claims of the papers, with verdicts and figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flexforge.codegen.files.atomic import write_file
from flexforge.commands.command import Command, add_overwrite
from flexforge.console import check_writable, show, table


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--markdown", type=Path, metavar="FILE", help="write the claims page to FILE"
    )
    add_overwrite(parser, "replace also a file that flexforge did not write")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.codegen.study.claims.library import findings
    from flexforge.codegen.study.claims.markdown import page

    if arguments.markdown is not None:
        check_writable(arguments.markdown, overwrite=arguments.overwrite)
    found = findings(lambda words: print(f"  {words}", file=sys.stderr, flush=True))
    if arguments.markdown is not None:
        write_file(arguments.markdown, page(found), overwrite=arguments.overwrite)
    rows = [(f.number, f.statement, f.verdict) for f in found]
    show(arguments, [f.as_dict() for f in found], table(("claim", "", "verdict"), rows))
    return 0


COMMAND = Command(
    "claims",
    "check the claims of the papers by exact counts",
    "flexforge claims --markdown docs/claims.md",
    _configure,
    _execute,
)
