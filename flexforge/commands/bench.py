# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge bench``: the benchmarks of a checkout."""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from pathlib import Path

from flexforge.codegen.errors import InputError, nearest
from flexforge.commands.command import Command
from flexforge.console import show, table


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "name", nargs="?", metavar="NAME", help="benchmark to run (default: list all)"
    )
    parser.add_argument(
        "options", nargs=argparse.REMAINDER, metavar="...", help="options of the benchmark"
    )


def _execute(arguments: argparse.Namespace) -> int:
    folder = _folder()
    known = {path.stem: path for path in sorted(folder.glob("[a-z]*.py"))}
    if arguments.name is None:
        rows = [(name, _first_line(path)) for name, path in known.items()]
        show(arguments, dict(rows), table(("benchmark", "what it measures"), rows))
        return 0
    if arguments.name not in known:
        raise InputError(
            f"benchmark '{arguments.name}' is unknown; expected one of "
            f"{', '.join(known) or '(there are none)'}{nearest(arguments.name, known)}"
        )
    options = [*arguments.options, *(["--json"] if arguments.json else [])]
    command = [sys.executable, str(known[arguments.name]), *options]
    return subprocess.run(command, check=False).returncode


def _folder() -> Path:
    """Return the benchmark folder of the installed checkout, or of the current one."""
    for root in (Path(__file__).resolve().parents[2], Path.cwd()):
        project = root / "pyproject.toml"
        ours = project.is_file() and 'name = "flexforge"' in project.read_text(encoding="utf-8")
        if ours and (root / "benchmarks").is_dir():
            return root / "benchmarks"
    raise InputError(
        "benchmarks: not part of an installation; expected to be run in a checkout of flexforge"
    )


def _first_line(path: Path) -> str:
    words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return words.partition("\n")[0]


COMMAND = Command(
    "bench",
    "run a benchmark from a source checkout, or list the benchmarks",
    "flexforge bench assembly",
    _configure,
    _execute,
)
