# SPDX-License-Identifier: BSD-3-Clause
"""The sides of an equation, split by their degrees in the groups of symbols.

``m d''`` and ``2 c d'`` belong to different parts, which cannot compensate each other. The powers
of rho and dV are separate: they tell whether there is an integral, not which term it is.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from flexforge.codegen.study.audit.instant import Array, Instant

Grade = tuple[tuple[str, int], ...]
Keys = dict[Hashable, Any]
KINDS = (
    "dot",
    "indices",
    "shapes",
    "symbol",
    "sign",
    "factor",
    "missing term",
    "extra term",
    "other form",
)


@dataclass(frozen=True, slots=True)
class Named:
    """A term by its text and its value."""

    text: str
    value: Array


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference of the printed form.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    says : str
        Description, with ``{0}``, ``{1}``, ... for the terms.
    terms : tuple of str
        Terms in the notation of the printed form; LaTeX for the kind ``dot``.
    """

    kind: str
    says: str
    terms: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The finding in plain text."""
        return self.says.format(*self.terms) if self.terms else self.says


class Parts:
    """A side of an equation as a sparse column, by grade."""

    def __init__(self, value: Array, instant: Instant) -> None:
        names = [str(symbol) for symbol in instant.ring.symbols]
        self.by_grade: dict[Grade, Keys] = {}
        self.weights: dict[Grade, set[tuple[int, int]]] = {}
        for index, polynomial in np.ndenumerate(value):
            for monomial, coefficient in polynomial.terms():
                grade = _grade(monomial, names, instant.groups)
                part = self.by_grade.setdefault(grade, {})
                key = (index, monomial[2:])
                part[key] = part.get(key, 0) + coefficient
                self.weights.setdefault(grade, set()).add(monomial[:2])

    def column(self, grades: set[Grade]) -> Keys:
        """Return the part of the given grades."""
        return {k: v for g in grades & set(self.by_grade) for k, v in self.by_grade[g].items()}


def _grade(monomial: tuple[int, ...], names: list[str], groups: dict[str, str]) -> Grade:
    degrees: dict[str, int] = {}
    for name, degree in zip(names[2:], monomial[2:], strict=True):
        if degree and (group := groups[name]):
            degrees[group] = degrees.get(group, 0) + degree
    return tuple(sorted(degrees.items()))


def grade_text(grade: Grade) -> str:
    """Return a part of an equation in words: ``the part in ω ω δ``."""
    symbols = " ".join(" ".join([name] * degree) for name, degree in grade)
    return f"the part in {symbols}" if symbols else "the constant part"


def subtract(total: Keys, column: Keys) -> None:
    """Subtract a column from another in place; zeros are removed."""
    for key, value in column.items():
        left = total.get(key, 0) - value
        if left:
            total[key] = left
        else:
            total.pop(key, None)


def components(parts: Sequence[Parts]) -> list[set[Grade]]:
    """Return the grades in sets that are not connected by any term."""
    sets: list[set[Grade]] = []
    for part in parts:
        joined = set(part.by_grade) if part is not parts[-1] else set()
        singles = [{grade} for grade in part.by_grade] if part is parts[-1] else [joined]
        for new in singles:
            if not new:
                continue
            touching = [old for old in sets if old & new]
            sets = [old for old in sets if not old & new]
            sets.append(set(new).union(*touching))
    return sorted(sets, key=lambda grades: sorted(grades))
