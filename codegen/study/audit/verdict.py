# SPDX-License-Identifier: BSD-3-Clause
"""The verdict on a printed equation: computed from both sides, before and after the readings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from flexforge.codegen.study.audit.difference import compare, written
from flexforge.codegen.study.audit.equation import Context, Equation, Form
from flexforge.codegen.study.audit.evaluate import Misfit, misfits, size_text, value_of
from flexforge.codegen.study.audit.instant import Array
from flexforge.codegen.study.audit.notation import Term, expand, parse, text_of
from flexforge.codegen.study.audit.parts import Finding, Named
from flexforge.codegen.study.audit.reading import read

AGREES = "agrees"
READ = "agrees after a stated reading"
DIFFERS = "differs"
VERDICTS = (AGREES, READ, DIFFERS)


@dataclass(frozen=True)
class Result:
    """Result of the audit of one printed version of an equation.

    Attributes
    ----------
    verdict : str
        One of `VERDICTS`.
    findings : tuple of Finding
        Differences after the readings, or before them if no reading applies.
    readings : tuple of str
        The required readings, as sentences.
    literal : tuple of Finding
        Differences of the literal form, before any reading.
    printed, derived : str
        Both sides written out in the same notation.
    """

    verdict: str
    findings: tuple[Finding, ...]
    readings: tuple[str, ...]
    literal: tuple[Finding, ...]
    printed: str
    derived: str

    @property
    def differs_by(self) -> str:
        """The kinds of the findings with their numbers: ``1 sign, 2 extra terms``."""
        counts: dict[str, int] = {}
        for finding in self.findings:
            counts[finding.kind] = counts.get(finding.kind, 0) + 1
        plural = {"sign": "signs", "factor": "factors", "missing term": "missing terms",
                  "extra term": "extra terms", "other form": "other forms",
                  "dot": "dots on the left side"}  # fmt: skip
        return ", ".join(
            f"{n} {plural[kind] if n > 1 else kind}"
            if kind in plural
            else f"{kind} that {'do' if kind != 'symbol' else 'does'} not fit"
            for kind, n in counts.items()
        )


def audit(equation: Equation, form: Form | None = None) -> Result:
    """Compare a printed equation with its derivation.

    Parameters
    ----------
    equation : Equation
        The audited equation.
    form : Form, optional
        A printed version other than the first.

    Returns
    -------
    Result
        The verdict and its reasons.
    """
    form = form or equation.form
    context = equation.context()
    derived, dot = form.derived(), list[Finding]()
    if form.meant is not None:
        literal_left, derived = derived, form.meant[1]()
        if (literal_left != derived).any():
            dot = [Finding("dot", "the left side is meant as {0}", (form.meant[0],))]
    words = [
        Named(
            text, value_of(expand(parse(text))[0], equation.free, context.values, context.instant)
        )
        for text in equation.vocabulary
    ]
    written_out = written(derived, words, context.instant)
    terms = parse(form.printed)
    literal = _findings(terms, derived, words, equation, context)
    found, used = literal, tuple[str, ...]()
    if literal and form.readings:
        for reading in form.readings:
            terms = read(terms, reading)
        found = _findings(terms, derived, words, equation, context)
        used = tuple(dict.fromkeys(reading.why for reading in form.readings))
    literal, found = [*dot, *literal], [*dot, *found]
    verdict = DIFFERS if found else READ if literal else AGREES
    return Result(
        verdict,
        tuple(found),
        used,
        tuple(literal),
        text_of(parse(form.printed)),
        written_out if written_out is not None else "not a combination of the vocabulary",
    )


def _findings(
    terms: tuple[Term, ...],
    derived: Array,
    words: Sequence[Named],
    equation: Equation,
    context: Context,
) -> list[Finding]:
    """Return the differences of terms from the derived side.

    Terms without a value come first; the others are compared without them if they are most
    of the form.
    """
    instant, values, free = context.instant, context.values, equation.free
    expanded, wrong = expand(terms), misfits(terms, free, values, instant)
    findings = [Finding(misfit.kind, misfit.says, misfit.terms) for misfit in wrong]
    named = []
    for term in expanded:
        with suppress(Misfit):
            named.append(Named(_signed(term), value_of(term, free, values, instant)))
    shapes = {term.value.shape for term in named} - {derived.shape}
    if shapes:
        printed = " and ".join(map(size_text, sorted(shapes)))
        return [
            *findings,
            Finding("shapes", f"printed {printed}, derived {size_text(derived.shape)}"),
        ]
    if findings and len(named) < len(expanded) / 2:
        return findings
    return findings + compare(named, derived, words, instant)


def _signed(term: Term) -> str:
    return ("- " if term.number < 0 else "") + str(term)
