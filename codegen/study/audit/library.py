# SPDX-License-Identifier: BSD-3-Clause
"""All audited papers, and the audit of all their equations."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.study.audit.equation import Equation, Paper
from flexforge.codegen.study.audit.verdict import VERDICTS, Result, audit

# Suffixes of parts of a numbered equation: 9a, 45a-unit, A.6-T0.
PART = re.compile(r"(?<=\d)[a-z]?(-.*)?$")
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Audited:
    """An equation with the results of its printed versions.

    Attributes
    ----------
    paper : Paper
        The paper that prints it.
    equation : Equation
        The equation.
    results : tuple of Result
        One per printed version; two if the versions of an article differ.
    """

    paper: Paper
    equation: Equation
    results: tuple[Result, ...]

    @property
    def best(self) -> int:
        """The version that decides the verdict; errors of one rendering are not the paper's."""
        verdicts = [
            (VERDICTS.index(result.verdict), len(result.findings)) for result in self.results
        ]
        return verdicts.index(min(verdicts))

    @property
    def result(self) -> Result:
        """Result of that version."""
        return self.results[self.best]

    @property
    def verdict(self) -> str:
        """The full verdict, including the differences."""
        differs = self.result.differs_by
        return f"{self.result.verdict}: {differs}" if differs else self.result.verdict


@cache
def papers() -> tuple[Paper, ...]:
    """Return all papers, the most recent first."""
    from flexforge.codegen.study.audit.scutaru_2020.paper import PAPER as SCUTARU_2020
    from flexforge.codegen.study.audit.scutaru_2023.paper import PAPER as SCUTARU_2023
    from flexforge.codegen.study.audit.vlase_2020.paper import PAPER as VLASE_2020
    from flexforge.codegen.study.audit.vlase_2022.paper import PAPER as VLASE_2022

    return SCUTARU_2023, VLASE_2022, VLASE_2020, SCUTARU_2020


def paper(key: str) -> Paper:
    """Return a paper by its key, ``Scutaru 2023`` or ``scutaru_2023``.

    Raises
    ------
    InputError
        For an unknown key, with the nearest known one.
    """
    known = {_plain(found.key): found for found in papers()}
    if _plain(key) not in known:
        names = [found.key for found in papers()]
        close = nearest(key.replace("_", " ").title(), names)
        raise InputError(f"paper '{key}' is unknown; expected one of {', '.join(names)}{close}")
    return known[_plain(key)]


def _plain(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "").replace(" ", "")


def equations(of: Paper, number: str) -> list[Equation]:
    """Return the equation of a number, or its parts such as ``9a, 9b, 45a-unit``.

    Raises
    ------
    InputError
        For an unknown number, with the nearest known one.
    """
    number = number.strip("() ")
    found = [e for e in of.equations if e.number == number]
    found = found or [e for e in of.equations if PART.sub("", e.number) == number]
    if found:
        return found
    if number in of.definitions:
        raise InputError(
            f"equation ({number}) of {of.key} is not audited: it defines ({of.definitions[number]})"
        )
    numbers = [e.number for e in of.equations]
    raise InputError(
        f"equation '{number}' of {of.key} is unknown; expected one of {', '.join(numbers)}"
        f"{nearest(number, numbers)}"
    )


def audit_one(of: Paper, equation: Equation) -> Audited:
    """Return the result of an equation."""
    forms = [equation.form, *([equation.second] if equation.second else [])]
    return Audited(of, equation, tuple(audit(equation, form) for form in forms))


def audit_all(chosen: tuple[Paper, ...], progress: Progress | None = None) -> Iterator[Audited]:
    """Yield the result of every equation of some papers.

    Parameters
    ----------
    chosen : tuple of Paper
        The papers.
    progress : callable, optional
        Called with a text, the number of equations done, and their total.
    """
    total, done = sum(len(of.equations) for of in chosen), 0
    for of in chosen:
        for equation in of.equations:
            if progress is not None:
                progress("auditing", done, total)
            yield audit_one(of, equation)
            done += 1


def counts(audited: list[Audited]) -> dict[str, int]:
    """Return the number of equations by verdict."""
    found = Counter(entry.result.verdict for entry in audited)
    return {verdict: found[verdict] for verdict in VERDICTS}
