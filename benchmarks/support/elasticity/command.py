# SPDX-License-Identifier: BSD-3-Clause
"""The options of ``flexforge bench ops`` that are about the elasticity problems."""

from __future__ import annotations

import argparse
import json
import shutil
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError

from support.elasticity import entries, statement
from support.elasticity.contestant import FLAGS, Contestant
from support.elasticity.peers import ffcx_missing
from support.report import leave


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    group = parser.add_argument_group("elasticity problems (benchmarks/problems)")
    group.add_argument("--problems", metavar="NAMES",
                       help="these, not the formalisms: cells or CELL/PROBLEM, or all")  # fmt: skip
    group.add_argument("--publish", action="store_true",
                       help="keep the entries in benchmarks/problems/entries.json")  # fmt: skip
    group.add_argument("--kernel", type=Path, metavar="FILE", help="count a C kernel of yours")
    group.add_argument("--function", metavar="NAME", help="its function")
    group.add_argument("--problem", metavar="CELL/PROBLEM", help="the problem that it solves")
    group.add_argument("--lanes", type=int, default=1, metavar="N", help="elements per call")
    group.add_argument("--order", default="", metavar="N,N,..",
                       help="the problem's node at each place of the kernel's")  # fmt: skip
    group.add_argument("--workspace", type=int, default=0, metavar="N", help="doubles of scratch")
    group.add_argument("--prepare", default="", metavar="NAME",
                       help="a function to call once before, not counted")  # fmt: skip
    group.add_argument("--include", type=Path, action="append", default=[], metavar="FOLDER")
    group.add_argument("--flags", default=" ".join(FLAGS), help="of gcc (default: %(default)s)")
    group.add_argument("--name", help="of the entry (default: the file's)")
    group.add_argument("--release", default="", help="version of the entry")
    group.add_argument("--entry", type=Path, metavar="FILE",
                       help="add the entry to a file of entries")  # fmt: skip


def check_compilers() -> None:
    """Refuse to count without the compilers that count and time."""
    for tool in ("gcc", "g++"):
        if shutil.which(tool) is None:
            raise InputError(f"{tool} is not installed; expected gcc and g++ to count and time")


def run_problems(names: str, arguments: argparse.Namespace) -> None:
    """Let all known kernels solve problems; print the table, and write JSON."""
    check_compilers()
    problems = entries.chosen(names)
    path = entries.PUBLISHED if arguments.publish else None
    found = entries.publish(problems, not arguments.counts_only, path)
    missing = {ffcx_missing(problem.split("/")[0]) for problem in problems} - {""}
    text = "\n".join([entries.lines(found), *sorted(missing)])
    leave("problems", {"version": entries.VERSION, "entries": found}, text, arguments.json)


def run_kernel(arguments: argparse.Namespace) -> None:
    """Check, count and time the kernel of a file; print its entry, and add it to a file."""
    check_compilers()
    one = _given(arguments)
    found = entries.measured([one], not arguments.counts_only)
    if arguments.entry is not None:
        entries.write(arguments.entry, entries.merged(entries.read(arguments.entry), found))
    print(json.dumps(found[0], indent=1) if arguments.json else _words(found[0]))


def _given(arguments: argparse.Namespace) -> Contestant:
    for option in ("function", "problem"):
        if not getattr(arguments, option):
            raise InputError(f"--kernel: expected --{option} with it")
    if arguments.lanes not in (1, 2, 4, 8, 16):
        raise InputError(f"--lanes: found {arguments.lanes}; expected 1, 2, 4, 8 or 16")
    statement.split(arguments.problem)
    try:
        source = arguments.kernel.read_text()
    except OSError as error:
        raise InputError(f"--kernel: {arguments.kernel}: {error.strerror}") from error
    order = [part for part in arguments.order.split(",") if part]
    if not all(part.strip().isdigit() for part in order):
        raise InputError(f"--order: found '{arguments.order}'; expected numbers with commas")
    return Contestant(
        problem=arguments.problem,
        name=arguments.name or arguments.kernel.stem,
        version=arguments.release,
        source=source,
        function=arguments.function,
        flags=tuple(arguments.flags.split()),
        lanes=arguments.lanes,
        order=tuple(int(part) for part in order),
        include=tuple(arguments.include),
        workspace=arguments.workspace,
        prepare=arguments.prepare,
    )


def _words(entry: dict[str, Any]) -> str:
    # Times of another run, and maybe of another machine, are not put beside these.
    published = [
        one | {"ns": None}
        for one in entries.read(entries.PUBLISHED)
        if one["problem"] == entry["problem"]
    ]
    away = f"{entry['difference']:.1e}"
    right = f"right: differs by {away} of the largest expected number at most"
    return f"{right}\n{entries.lines([*published, entry])}"
