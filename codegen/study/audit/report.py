# SPDX-License-Identifier: BSD-3-Clause
"""Output of the audit: lines of text, and plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flexforge.codegen.study.audit.equation import Form
from flexforge.codegen.study.audit.library import Audited, counts
from flexforge.codegen.study.audit.verdict import DIFFERS, Result

NUMBER = re.compile(r"[A-Z]?\.?\d+")


def forms(entry: Audited) -> list[tuple[str, Form, Result]]:
    """Return the printed versions of an equation by name, with their results."""
    names = entry.paper.prints or ("",)
    held = [entry.equation.form, *([entry.equation.second] if entry.equation.second else [])]
    return [
        (names[index] if len(held) > 1 else "", form, entry.results[index])
        for index, form in enumerate(held)
    ]


def numbered(entries: Sequence[Audited]) -> int:
    """Return the number of numbered equations with audited forms."""
    found = set()
    for entry in entries:
        match = NUMBER.match(entry.equation.number)
        found.add((entry.paper.key, match.group() if match else entry.equation.number))
    return len(found)


def summary(entries: Sequence[Audited]) -> str:
    """Return the count by verdict in one line."""
    by = ", ".join(
        f"{number} {_plural(verdict, number)}" for verdict, number in counts(list(entries)).items()
    )
    return f"{len(entries)} forms of {numbered(entries)} numbered equations: {by}"


def _plural(verdict: str, number: int) -> str:
    first, _, rest = verdict.partition(" ")
    return " ".join(filter(None, [first if number == 1 else first.removesuffix("s"), rest]))


def rows(entries: Sequence[Audited]) -> list[list[str]]:
    """Return the table of paper, equation, statement and verdict."""
    return [
        [entry.paper.key, f"({entry.equation.number})", entry.equation.title, entry.verdict]
        for entry in entries
    ]


def data(entry: Audited) -> dict[str, Any]:
    """Return an equation and its verdict as plain data."""
    return {
        "paper": entry.paper.key,
        "equation": entry.equation.number,
        "states": entry.equation.title,
        "verdict": entry.result.verdict,
        "differs_by": [_finding(entry.result, index) for index in range(_length(entry.result))],
        "readings": list(entry.result.readings),
        "derived_by": entry.equation.how,
        "prints": [
            {
                "print": name or None,
                "source": form.source,
                "printed": result.printed,
                "derived": result.derived,
                "verdict": result.verdict,
                "differs_by": [_finding(result, index) for index in range(_length(result))],
            }
            for name, form, result in forms(entry)
        ],
    }


def _length(result: Result) -> int:
    return len(result.findings)


def _finding(result: Result, index: int) -> dict[str, str]:
    return {"kind": result.findings[index].kind, "text": result.findings[index].text}


def lines(entry: Audited) -> list[str]:
    """Return an equation in full: both sides, the readings, the difference."""
    text = [f"{entry.paper.key} ({entry.equation.number}): {entry.equation.title}"]
    for name, _, result in forms(entry):
        text += ["", f"print     {name}"] if name else []
        text.append(f"verdict   {_verdict(result)}")
        text += _wrapped("printed", result.printed)
        text += _wrapped("derived", result.derived)
        text += [f"{'read' if n == 0 else '':<10}{why}" for n, why in enumerate(result.readings)]
        text += [
            f"{'differs' if n == 0 else '':<10}{finding.kind}: {finding.text}"
            for n, finding in enumerate(result.findings)
        ]
    return [*text, "", f"derived by {entry.equation.how}"]


def _verdict(result: Result) -> str:
    return f"{DIFFERS}: {result.differs_by}" if result.findings else result.verdict


def _wrapped(name: str, text: str, width: int = 100) -> list[str]:
    """Return a sum in lines that begin with a sign."""
    found, line = [], ""
    for part in re.split(r" (?=[+-] )", text):
        if line and len(line) + len(part) > width - 11:
            found.append(line)
            line = ""
        line = f"{line} {part}" if line else part
    return [f"{name if n == 0 else '':<10}{row}" for n, row in enumerate([*found, line])]
