# SPDX-License-Identifier: BSD-3-Clause
"""Exact linear algebra on sparse columns: a polynomial as a combination of others.

Columns are dictionaries from a key (component and monomial) to a rational number. Candidates are
filtered by random projections modulo a prime, which never lose a solution; the remaining ones are
solved exactly.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

Column = Mapping[Hashable, Any]
PRIME = (1 << 61) - 1
PROJECTIONS = 7


def solve(columns: Sequence[Column], target: Column) -> list[Any] | None:
    """Return the coefficients of a combination that gives the target, or None.

    If columns are dependent, later ones of a dependent set get zero.
    """
    basis: list[tuple[Hashable, dict[Hashable, Any], dict[int, Any]]] = []
    for index, column in enumerate(columns):
        rest, made = _reduce(dict(column), {index: 1}, basis)
        if rest:
            basis.append((next(iter(rest)), rest, made))
    rest, made = _reduce(dict(target), {}, basis)
    if rest:
        return None
    return [-made.get(index, 0) for index in range(len(columns))]


def _reduce(
    column: dict[Hashable, Any],
    made: dict[int, Any],
    basis: list[tuple[Hashable, dict[Hashable, Any], dict[int, Any]]],
) -> tuple[dict[Hashable, Any], dict[int, Any]]:
    """Subtract basis columns until their pivots are zero; record the coefficients."""
    for pivot, other, parts in basis:
        value = column.get(pivot, 0)
        if not value:
            continue
        scale = value / other[pivot]
        for key, entry in other.items():
            left = column.get(key, 0) - scale * entry
            if left:
                column[key] = left
            else:
                column.pop(key, None)
        for index, part in parts.items():
            made[index] = made.get(index, 0) - scale * part
    return column, made


def combinations_that_give(
    columns: Sequence[Column], target: Column, most: int
) -> Iterator[tuple[tuple[int, ...], list[Any]]]:
    """Yield the smallest sets of columns that combine to the target, with the coefficients."""
    source = random.Random(1)
    weights: dict[Hashable, list[int]] = {}
    projected = [_project(column, weights, source) for column in (*columns, target)]
    goal = projected.pop()
    for size in range(1, min(most, len(columns)) + 1):
        found = False
        for chosen in combinations(range(len(columns)), size):
            if not _in_span([projected[index] for index in chosen], goal):
                continue
            coefficients = solve([columns[index] for index in chosen], target)
            if coefficients is not None and all(coefficients):
                found = True
                yield chosen, coefficients
        if found:
            return


def _project(
    column: Column, weights: dict[Hashable, list[int]], source: random.Random
) -> list[int]:
    total = [0] * PROJECTIONS
    for key, value in column.items():
        if key not in weights:
            weights[key] = [source.randrange(1, PRIME) for _ in range(PROJECTIONS)]
        number = int(value.numerator) * pow(int(value.denominator), -1, PRIME) % PRIME
        for row, weight in enumerate(weights[key]):
            total[row] = (total[row] + number * weight) % PRIME
    return total


def _in_span(vectors: Sequence[Sequence[int]], goal: Sequence[int]) -> bool:
    """Say whether a vector modulo the prime lies in the span of others."""
    rows = [list(vector) for vector in vectors]
    rest = list(goal)
    for index, row in enumerate(rows):
        pivot = next((j for j, value in enumerate(row) if value), None)
        if pivot is None:
            continue
        inverse = pow(row[pivot], -1, PRIME)
        for other in (*rows[index + 1 :], rest):
            if other[pivot]:
                scale = other[pivot] * inverse % PRIME
                for j, value in enumerate(row):
                    other[j] = (other[j] - scale * value) % PRIME
    return not any(rest)
