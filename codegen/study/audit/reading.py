# SPDX-License-Identifier: BSD-3-Clause
"""Application of readings: only index letters, transpositions and names may change."""

from __future__ import annotations

from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.study.audit.equation import Reading
from flexforge.codegen.study.audit.notation import Factor, Term, parse, text_of


def read(terms: tuple[Term, ...], reading: Reading) -> tuple[Term, ...]:
    """Apply a reading wherever its old part occurs.

    Raises
    ------
    FlexforgeError
        If the old part does not occur, or the change is more than a reading.
    """
    old, new = parse(reading.old), parse(reading.new)
    _check_reading(reading, old, new)
    changed, times = _replace(terms, old[0].factors, new[0].factors)
    if not times:
        raise FlexforgeError(f"reading '{reading.old}' does not occur in '{text_of(terms)}'")
    return changed


def _check_reading(reading: Reading, old: tuple[Term, ...], new: tuple[Term, ...]) -> None:
    single = len(old) == len(new) == 1 and old[0].number == new[0].number == 1
    if not (single and _is_reading(old, new, reading.rendering)):
        raise FlexforgeError(
            f"'{reading.old}' as '{reading.new}' changes a sign, a number, a dot or a term; "
            "a reading may change index letters, transpositions and names"
        )


def _is_reading(old: tuple[Term, ...], new: tuple[Term, ...], rendering: bool) -> bool:
    """Return whether terms are only read, not corrected."""
    if [term.number for term in old] != [term.number for term in new]:
        return False
    if [len(term.factors) for term in old] != [len(term.factors) for term in new]:
        return False
    return all(
        _factor_is_reading(a, b, rendering)
        for one, two in zip(old, new, strict=True)
        for a, b in zip(one.factors, two.factors, strict=True)
    )


def _factor_is_reading(old: Factor, new: Factor, rendering: bool) -> bool:
    dots = old.name.count("'") == new.name.count("'")
    powers = [p for p in old.powers if p != "T"] == [p for p in new.powers if p != "T"]
    integral = (old.name == "int") == (new.name == "int")
    return (
        (dots or rendering) and powers and integral and _is_reading(old.group, new.group, rendering)
    )


def _replace(
    terms: tuple[Term, ...], old: tuple[Factor, ...], new: tuple[Factor, ...]
) -> tuple[tuple[Term, ...], int]:
    """Replace a sequence of factors everywhere, also inside groups; count the replacements."""
    result, times = [], 0
    for term in terms:
        factors, index = list[Factor](), 0
        while index < len(term.factors):
            if term.factors[index : index + len(old)] == old:
                factors += new
                index += len(old)
                times += 1
                continue
            factor = term.factors[index]
            inner, more = _replace(factor.group, old, new) if factor.group else ((), 0)
            times += more
            factors.append(Factor(factor.name, factor.indices, factor.powers, inner))
            index += 1
        result.append(Term(term.number, tuple(factors)))
    return tuple(result), times
