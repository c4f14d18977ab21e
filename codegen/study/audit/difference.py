# SPDX-License-Identifier: BSD-3-Clause
"""Computed difference of two sides: a sign, a factor, a missing or an extra term.

The parts of an equation are distinguished by their degrees in groups of symbols (d, w, x, ...), as
``m d''`` and ``2 c d'`` cannot compensate each other. In parts that differ, the smallest set of
changes that corrects the printed form is sought: a printed term times a number (-1 for a sign, 0
for an extra term, otherwise a factor), or an added term of the vocabulary (a missing term).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from flexforge.codegen.study.audit.instant import Array, Instant
from flexforge.codegen.study.audit.linear import combinations_that_give, solve
from flexforge.codegen.study.audit.parts import (
    Finding,
    Grade,
    Keys,
    Named,
    Parts,
    components,
    grade_text,
    subtract,
)
from sympy import QQ

MOST_CHANGES = 3
LONG = 3


def compare(
    printed: Sequence[Named], derived: Array, vocabulary: Sequence[Named], instant: Instant
) -> list[Finding]:
    """Return the differences of a printed sum from the derived side; empty if they agree.

    A common factor of all terms that explains most of a long list is tried first.

    Parameters
    ----------
    printed, vocabulary : sequence of Named
        The printed terms, and the terms used to write the derived side.
    derived : array
        The derived side.
    instant : Instant
        Defines the groups of symbols.
    """
    found = _compare(printed, derived, vocabulary, instant)
    if len(found) > LONG:
        for number in (Fraction(1, 2), Fraction(2), Fraction(-1)):
            scale = instant.ring.one * QQ(number.numerator, number.denominator)
            scaled = [Named(term.text, np.asarray(term.value * scale)) for term in printed]
            left = _compare(scaled, derived, vocabulary, instant)
            if len(left) < len(found) - LONG:
                change = "with the other sign" if number == -1 else f"times {number}"
                kind = "sign" if number == -1 else "factor"
                found = [Finding(kind, f"every term {change}"), *left]
    return found


def _compare(
    printed: Sequence[Named], derived: Array, vocabulary: Sequence[Named], instant: Instant
) -> list[Finding]:
    """Compare part by part."""
    sides = [Parts(term.value, instant) for term in printed]
    words = [Parts(term.value, instant) for term in vocabulary]
    right = Parts(derived, instant)
    findings: list[Finding] = []
    for grades in components([*sides, *words, right]):
        total = right.column(grades)
        for side in sides:
            subtract(total, side.column(grades))
        if total:
            findings += _explain(total, grades, (printed, sides), (vocabulary, words), right)
    return findings + _weights(printed, sides, right)


def written(derived: Array, vocabulary: Sequence[Named], instant: Instant) -> str | None:
    """Return the derived side as a combination of the vocabulary, or None if there is none."""
    grades = set(Parts(derived, instant).by_grade)
    words = [Parts(term.value, instant) for term in vocabulary]
    for word in words:
        grades |= set(word.by_grade)
    target = Parts(derived, instant).column(grades)
    found = solve([word.column(grades) for word in words], target)
    if found is None:
        return None
    return combination(zip(found, (term.text for term in vocabulary), strict=True))


def combination(parts: Any) -> str:
    """Return ``2 a - b`` for the pairs (2, "a"), (-1, "b")."""
    text = ""
    for number, name in parts:
        value = Fraction(int(number.numerator), int(number.denominator))
        if value:
            size = "" if abs(value) == 1 else f"{abs(value)} "
            text += (" - " if value < 0 else " + ") + size + name
    return (text[3:] if text.startswith(" + ") else text.replace(" - ", "-", 1)) or "0"


def _explain(
    total: Keys,
    grades: set[Grade],
    printed: tuple[Sequence[Named], Sequence[Parts]],
    vocabulary: tuple[Sequence[Named], Sequence[Parts]],
    right: Parts,
) -> list[Finding]:
    """Return the smallest set of changes that corrects these parts."""
    columns: list[Keys] = []
    names: list[tuple[str, bool]] = []
    for (terms, sides), own in ((printed, True), (vocabulary, False)):
        for term, side in zip(terms, sides, strict=True):
            column = side.column(grades)
            if column:
                columns.append(column)
                names.append((term.text, own))
    best: tuple[float, list[Finding]] | None = None
    for chosen, coefficients in combinations_that_give(columns, total, MOST_CHANGES):
        findings, cost = [], 0.0
        for index, coefficient in zip(chosen, coefficients, strict=True):
            finding, price = _change(*names[index], coefficient)
            findings.append(finding)
            cost += price
        if best is None or cost < best[0]:
            best = cost, findings
    if best is not None:
        return _merged(best[1])
    return [
        finding
        for grade in sorted(grades)
        for finding in _by_grade(grade, total, list(printed[1]), right)
    ]


def _change(text: str, printed: bool, coefficient: Any) -> tuple[Finding, float]:
    """Return the name of a change, and its implausibility."""
    change = Fraction(int(coefficient.numerator), int(coefficient.denominator))
    if not printed:
        return Finding("missing term", "{0}", (combination([(change, text)]),)), 1.5
    factor = 1 + change
    if factor == 0:
        return Finding("extra term", "{0}", (text,)), 1.0
    if factor == -1:
        return Finding("sign", "{0} with the other sign", (text,)), 0.9
    usual = abs(factor) in (Fraction(1, 2), 2)
    return Finding("factor", f"{{0}} times {factor}", (text,)), 1.2 if usual else 1.4


def _merged(findings: list[Finding]) -> list[Finding]:
    """Return the replacement of a term by another one as a single finding."""
    kinds = {finding.kind: finding.text for finding in findings}
    if len(findings) == 2 and set(kinds) == {"extra term", "missing term"}:
        terms = (kinds["extra term"], kinds["missing term"])
        return [Finding("other form", "{0} for {1}", terms)]
    return findings


def _by_grade(grade: Grade, total: Keys, sides: list[Parts], right: Parts) -> list[Finding]:
    """Describe the difference of a part that no small change explains."""
    printed: Keys = {}
    for side in sides:
        subtract(printed, {key: -value for key, value in side.column({grade}).items()})
    derived = right.column({grade})
    if not any(key in total for key in {**printed, **derived}):
        return []
    name = grade_text(grade)
    if not printed:
        return [Finding("missing term", name)]
    if not derived:
        return [Finding("extra term", name)]
    ratio = solve([printed], derived)
    if ratio is None:
        return [Finding("other form", f"{name} has another form")]
    return [
        Finding(*(("sign", name) if ratio[0] == -1 else ("factor", f"{name} times {ratio[0]}")))
    ]


def _weights(printed: Sequence[Named], sides: Sequence[Parts], right: Parts) -> list[Finding]:
    """Compare the powers of rho and dV, which are not in the columns."""
    found: dict[tuple[int, int], list[str]] = {}
    for term, side in zip(printed, sides, strict=True):
        for grade, weights in side.weights.items():
            expected = right.weights.get(grade)
            if expected and weights != expected:
                (rho, volume), (rho_0, volume_0) = min(weights), min(expected)
                found.setdefault((rho - rho_0, volume - volume_0), []).append(term.text)
                break
    findings = []
    for (rho, volume), texts in found.items():
        every = LONG < len(texts) == len(printed)
        names = "every term" if every else "; ".join(f"{{{n}}}" for n in range(len(texts)))
        many = [_power("ρ", rho), _power("dV", volume)]
        few = [_power("ρ", -rho), _power("dV", -volume)]
        says = [" ".join(filter(None, many)) + " too many"] if any(many) else []
        says += [" ".join(filter(None, few)) + " missing"] if any(few) else []
        terms = () if every else tuple(texts)
        findings.append(Finding("factor", f"{names}: {', '.join(says)}", terms))
    return findings


def _power(name: str, power: int) -> str:
    return "" if power < 1 else name if power == 1 else f"{name}^{power}"
