# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge view``: results in three dimensions, in a window or in the browser."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of results")
    parser.add_argument(
        "--browser",
        action="store_true",
        help="open the page of the report in the browser, also where a window is possible",
    )
    parser.add_argument(
        "--no-open", action="store_true", help="write the page of the browser, and open nothing"
    )


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.results.viewer import (
        open_page,
        open_window,
        window_is_possible,
        write_page,
    )

    if arguments.browser or arguments.no_open or not window_is_possible():
        path = write_page(arguments.folder)
        opened = not arguments.no_open and open_page(path)
        show(arguments, {"page": path, "opened": opened}, [str(path)])
    else:
        open_window(arguments.folder)
        show(arguments, {"page": None, "opened": True}, [])
    return 0


COMMAND = Command(
    "view",
    "open results in three dimensions: a window with flexforge[view], else the browser",
    "flexforge view blade.results",
    _configure,
    _execute,
)
