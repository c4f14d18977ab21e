# SPDX-License-Identifier: BSD-3-Clause
"""The command line: finds the command, runs it, and reports errors in one line.

Exit codes: 0 done, 1 the analysis failed, 2 the input is wrong; 130 interrupted by Ctrl-C, 143 by
SIGTERM, 129 by SIGHUP.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import io
import os
import sys
import traceback
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from flexforge.codegen.errors import FlexforgeError, FlexforgeWarning, InputError, nearest
from flexforge.codegen.locations import get_cmake_dir, get_include
from flexforge.codegen.version import VERSION
from flexforge.commands import COMMANDS
from flexforge.console import one_line
from flexforge.interrupts import ended_by_signals, exit_code, said
from flexforge.runtime.machine.launcher import fail_together

EPILOG = """example: flexforge run examples/blade/blade.toml

exit codes: 0 success, 1 analysis failed, 2 invalid input; 130, 143, 129 interrupted by
Ctrl-C, SIGTERM, SIGHUP: results computed so far are kept"""

#: Objects between two searches for cycles: modules and model of a run make 200,000 that stay.
_COLLECTED = 500_000


class _Print(argparse.Action):
    """Prints a text verbatim and ends the program."""

    def __init__(self, option_strings: Sequence[str], dest: str, text: str, help: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help=help)
        self.text = text

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print and exit (called by argparse)."""
        print(self.text)
        parser.exit()


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see {self.prog} --help")


def build_parser() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(
        prog="flexforge",
        description="From analytical mechanics to native C: kernels and simulations of elastic "
        "bodies in moving frames.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"flexforge {VERSION}")
    for option, text, help_text in (
        ("--include-dir", get_include(), "print the folder of flexforge.h"),
        ("--cmake-dir", get_cmake_dir(), "print the folder of flexforge-config.cmake"),
    ):
        # argparse would wrap a long path and expand per cent signs.
        parser.add_argument(option, action=_Print, text=text, help=help_text)
    common = _Parser(add_help=False)
    common.add_argument("--json", action="store_true", help="print JSON instead of text")
    common.add_argument("--debug", action="store_true", help="print a traceback on failure")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = subparsers.add_parser(
            command.name,
            help=command.summary,
            description=command.summary[0].upper() + command.summary[1:] + ".",
            epilog=f"example: {command.example}",
            parents=[common],
            allow_abbrev=False,
        )
        command.configure(sub)
        sub.set_defaults(execute=command.execute)
    parser.set_defaults(parser=parser)  # for the command that describes all of them to a shell
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in given
    gc.set_threshold(_COLLECTED)
    atexit.register(gc.freeze)  # a process that ends would search all of them once more
    for stream in (sys.stdout, sys.stderr):
        # File names may be any bytes, and the encoding of the terminal may lack our characters.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with ended_by_signals(), warnings.catch_warnings():
            _show_warnings()
            _check_command(given)
            chosen = build_parser().parse_args(given)
            code: int = chosen.execute(chosen)
            sys.stdout.flush()
            return code
    except KeyboardInterrupt as interrupt:
        return _fail(exit_code(interrupt), said(interrupt), debug, kind="")
    except InputError as error:
        return _fail(2, str(error), debug, warned=error.warnings)
    except BrokenPipeError:
        # The reader of our output is gone; no further message can reach it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        warned = error.warnings if isinstance(error, FlexforgeError) else ()
        return _fail(1, _describe(error), debug, warned=warned)


def _show_warnings() -> None:
    """Print warnings of flexforge in one line, without their source location."""
    others = warnings.showwarning

    def show(message: Warning | str, category: type[Warning], *rest: Any, **more: Any) -> None:
        if issubclass(category, FlexforgeWarning):
            print(f"flexforge: warning: {one_line(str(message))}", file=sys.stderr)
        else:
            others(message, category, *rest, **more)

    warnings.showwarning = show


def _check_command(given: list[str]) -> None:
    """Refuse an unknown command with the nearest known one."""
    names = [command.name for command in COMMANDS]
    if given and not given[0].startswith("-") and given[0] not in names:
        raise InputError(
            f"command '{given[0]}' is unknown; expected one of {', '.join(names)}"
            f"{nearest(given[0], names)}"
        )


def _describe(error: Exception) -> str:
    """Return the message of an error; unexpected errors are reported as defects."""
    if isinstance(error, FlexforgeError):
        return str(error)
    if isinstance(error, MemoryError):
        return "not enough memory"
    return f"defect in flexforge: {type(error).__name__}: {error} (--debug shows where)"


def _fail(
    code: int, message: str, debug: bool, kind: str = "error: ", warned: Sequence[str] = ()
) -> int:
    trace = traceback.format_exc() if debug else ""

    def say() -> None:
        for warning in warned:
            print(f"flexforge: warning: {one_line(warning)}", file=sys.stderr)
        print(f"{trace}flexforge: {kind}{one_line(message)}", file=sys.stderr, flush=True)

    fail_together(code, say, interrupted=not kind)
    return code
