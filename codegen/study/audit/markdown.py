# SPDX-License-Identifier: BSD-3-Clause
"""The audit as a page of Markdown: tables, then every difference with both sides written out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from flexforge.codegen.study.audit.equation import Paper
from flexforge.codegen.study.audit.latex import latex
from flexforge.codegen.study.audit.library import Audited, counts
from flexforge.codegen.study.audit.parts import Finding
from flexforge.codegen.study.audit.report import forms, numbered, summary
from flexforge.codegen.study.audit.verdict import DIFFERS, READ, VERDICTS, Result

WIDE = 230
INTRODUCTION = """\
# Audit of the printed equations

This page is written by `flexforge audit --markdown docs/audit.md`. A test writes it again and
compares.

Every equation of the papers that states a result is stored exactly as it is printed, including
signs, factors, missing primes and wrong indices. The other side is derived: SymPy differentiates
the position of a material point in time and forms the energies and the equations of Lagrange,
Gibbs-Appell, Kane and Hamilton. Both sides are evaluated on a generic motion (symbolic shape
functions, coordinates, angular velocity and acceleration; a rational rotation that is not the
identity; one material point, which is enough because integrals over the mass are linear), where
they are polynomials, and compared term by term. A difference is exactly zero or not. Verdicts,
differences and the derived sides below are computed; only the printed forms and the readings are
typed.

- **agrees**: literally, as printed.
- **agrees after a stated reading**: the notation must be understood as stated in the table of
  readings. A reading may change the letters of indices, read a row as a column, or state the
  meaning of a symbol. It never changes a sign, a number, or the number of terms. If the *rendering
  at hand* (the text from which this audit was typed) may have lost or moved a dot, the reading
  says so.
- **differs**: by a sign, a factor, a missing or an extra term, or by indices or shapes that do
  not fit. The smallest set of changes that corrects the printed form is sought; it may differ from
  the correction the authors would make. Both sides are written out below.

A difference found here is one between a printed line and the consequences of the definitions in the
same paper. It says nothing about the programs of the authors, and often the next line is correct
again.
"""


def page(entries: Sequence[Audited]) -> str:
    """Return the whole page.

    Parameters
    ----------
    entries : sequence of Audited
        Paper by paper.
    """
    papers = list(dict.fromkeys(entry.paper.key for entry in entries))
    groups = {key: [entry for entry in entries if entry.paper.key == key] for key in papers}
    sections = [_section(group[0].paper, group) for group in groups.values()]
    return "\n".join([INTRODUCTION, _summary(groups), summary(entries) + ".\n", *sections])


def _summary(groups: dict[str, list[Audited]]) -> str:
    head = ("paper", "numbered equations", "forms audited", *VERDICTS, "define only")
    rows: list[list[Any]] = [
        [
            f"[{key}](#{key.lower().replace(' ', '-')})",
            numbered(group),
            len(group),
            *counts(group).values(),
            len(group[0].paper.definitions),
        ]
        for key, group in groups.items()
    ]
    sums = [sum(int(row[column]) for row in rows) for column in range(1, len(head))]
    return _table(head, [*rows, ["**all**", *sums]])


def _table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    lines += [f"| {' | '.join(_cell(str(cell)) for cell in row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _section(paper: Paper, group: list[Audited]) -> str:
    """Return the part of a paper: reference, verdicts, readings, differences."""
    rows = [[f"({e.equation.number})", e.equation.title, e.verdict] for e in group]
    blocks = [f"## {paper.key}\n", paper.reference + ".\n"]
    if paper.remark:
        blocks.append(paper.remark + "\n")
    blocks.append(_table(("equation", "states", "verdict"), rows))
    defines = "; ".join(f"({number}) {subject}" for number, subject in paper.definitions.items())
    if defines:
        blocks.append(f"Definitions, not audited: {defines}.\n")
    two = [entry for entry in group if len(entry.results) > 1]
    if two:
        blocks += [f"### {paper.key}: the two prints\n", _prints(paper, two)]
    read = [entry for entry in group if entry.result.readings and entry.result.verdict == READ]
    if read:
        blocks.append(f"### {paper.key}: readings\n")
        lines = [[f"({e.equation.number})", "; ".join(e.result.readings)] for e in read]
        blocks.append(_table(("equation", "agrees if"), lines))
    differ = [e for e in group if any(result.verdict == DIFFERS for result in e.results)]
    if differ:
        blocks.append(f"### {paper.key}: differences\n")
        blocks += [block for entry in differ for block in _difference(entry)]
    return "\n".join(blocks)


def _prints(paper: Paper, entries: list[Audited]) -> str:
    rows = [
        [f"({e.equation.number})", *(_verdict(result) for _, _, result in forms(e))]
        for e in entries
    ]
    return _table(("equation", *paper.prints), rows)


def _verdict(result: Result) -> str:
    return f"{DIFFERS}: {result.differs_by}" if result.findings else result.verdict


def _difference(entry: Audited) -> Iterator[str]:
    """Yield an equation that differs: printed, derived, difference."""
    yield f"#### ({entry.equation.number}) {entry.equation.title}\n"
    for name, form, result in forms(entry):
        where = f", {name}" if name else ""
        if result.verdict != DIFFERS:
            yield f"Printed{where}: {result.verdict}.\n"
            yield _math(form.source, form.printed)
            continue
        yield f"Printed{where}:\n"
        yield _math(form.source, form.printed)
        yield f"Derived ({entry.equation.how}):\n"
        left = form.meant[0] if form.meant else form.left or form.source.split(" = ")[0]
        yield _math(f"{left} = {latex(result.derived)}", result.derived)
        if result.readings:
            yield f"Read: {'; '.join(result.readings)}.\n"
        yield "Differs by\n"
        yield "\n".join(f"- {_words(finding)}" for finding in result.findings) + "\n"


def _words(finding: Finding) -> str:
    terms = finding.terms if finding.kind == "dot" else tuple(latex(t) for t in finding.terms)
    says = finding.says.format(*(f"$`{term}`$" for term in terms)) if terms else finding.says
    return f"{finding.kind}: {says}"


def _math(source: str, held: str) -> str:
    """Return a formula in its own block, broken before a sign if it is long."""
    if len(source) > WIDE and source.endswith(latex(held)):
        source = _broken(source.removesuffix(latex(held)), latex(held))
    return f"```math\n{source}\n```\n"


def _broken(left: str, right: str) -> str:
    """Break a sum before signs outside parentheses."""
    lines, depth, start = [], 0, 0
    for match in re.finditer(r"[({]|[)}]| (?=[+-] )", right):
        depth += {"(": 1, "{": 1, ")": -1, "}": -1}.get(match.group(), 0)
        if match.group() == " " and depth == 0 and match.start() - start > WIDE // 2:
            lines.append(right[start : match.start()])
            start = match.end()
    lines.append(right[start:])
    body = " \\\\\n&\\quad ".join(lines)
    return f"\\begin{{aligned}}\n{{}}{left}&{body}\n\\end{{aligned}}"
