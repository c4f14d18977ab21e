# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge view``: results in three dimensions, in a window or in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of results")
    parser.add_argument(
        "--browser",
        action="store_true",
        help="open the report in the browser, also where a window is possible",
    )
    add_overwrite(parser, "replace also a report.html that flexforge is not known to have written")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.results.report import write_report
    from flexforge.runtime.results.viewer import open_page, open_window, why_no_window

    reason = "" if arguments.browser else why_no_window()
    if not arguments.browser and not reason:
        open_window(arguments.folder)
        show(arguments, {"page": None, "opened": True}, [])
        return 0
    path = write_report(arguments.folder, overwrite=arguments.overwrite)
    opened = open_page(path)
    lines = [f"no window: {reason}"] if reason else []
    lines.append(f"opened in the browser: {path}" if opened else f"open in a browser: {path}")
    show(arguments, {"page": path, "opened": opened}, lines)
    return 0


COMMAND = Command(
    "view",
    "open results in three dimensions: a window with flexforge[view], else the browser",
    "flexforge view blade.results",
    _configure,
    _execute,
)
