# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge audit``: the printed equations of the papers against what SymPy derives."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import write_file
from flexforge.commands.command import Command, add_overwrite
from flexforge.console import check_writable, show, table
from flexforge.interrupts import said
from flexforge.progress import ProgressLine

if TYPE_CHECKING:
    from flexforge.codegen.study.audit.equation import Paper
    from flexforge.codegen.study.audit.library import Audited


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--paper", metavar="KEY", help="audit one paper only, such as 'Scutaru 2023'"
    )
    parser.add_argument(
        "--equation", metavar="N", help="print both sides of one equation of the paper"
    )
    parser.add_argument(
        "--markdown", metavar="FILE", type=Path, help="also write the full audit page"
    )
    add_overwrite(parser, "replace also a file that flexforge did not write")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.codegen.study.audit.library import papers

    if arguments.equation is not None:
        if arguments.paper is None:
            keys = ", ".join(paper.key for paper in papers())
            raise InputError(f"--equation needs --paper; expected one of {keys}")
        if arguments.markdown is not None:
            raise InputError("--markdown writes whole papers; expected no --equation")
        return _one(arguments)
    if arguments.markdown is not None:
        check_writable(arguments.markdown, overwrite=arguments.overwrite)
    return _all(arguments, papers())


def _one(arguments: argparse.Namespace) -> int:
    """Show an equation, or the parts of one."""
    from flexforge.codegen.study.audit import library, report

    paper = library.paper(arguments.paper)
    found = [
        library.audit_one(paper, equation)
        for equation in library.equations(paper, arguments.equation)
    ]
    lines: list[str] = []
    for entry in found:
        lines += [*([""] if lines else []), *report.lines(entry)]
    show(arguments, [report.data(entry) for entry in found], lines)
    return 0


def _all(arguments: argparse.Namespace, papers: tuple[Paper, ...]) -> int:
    """Show the table of one paper or of all."""
    from flexforge.codegen.study.audit import library, report
    from flexforge.codegen.study.audit.markdown import page

    chosen = papers if arguments.paper is None else (library.paper(arguments.paper),)
    progress = ProgressLine()
    entries: list[Audited] = []
    try:
        for entry in library.audit_all(chosen, progress):
            entries.append(entry)  # noqa: PERF402 - what is done is kept for the interrupt
    except KeyboardInterrupt as interrupt:
        progress.clear()
        interrupt.args = (f"{said(interrupt)} after {len(entries)} equations",)
        raise
    progress.clear()
    if arguments.markdown is not None:
        write_file(arguments.markdown, page(entries), overwrite=arguments.overwrite)
    head = ("paper", "equation", "states", "verdict")
    data = {
        "papers": {paper.key: paper.reference for paper in chosen},
        "counts": library.counts(entries),
        "equations": [report.data(entry) for entry in entries],
    }
    show(arguments, data, [*table(head, report.rows(entries)), "", report.summary(entries)])
    return 0


COMMAND = Command(
    "audit",
    "compare the equations printed in the papers with derived ones",
    "flexforge audit --paper scutaru_2023 --equation 42",
    _configure,
    _execute,
)
