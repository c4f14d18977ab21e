# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of what results show of several states, of each value from its own in these.

A quadratic form of modal values, such as CQC or a covariance, is a root of a sum of squares of some
combinations of states, and the von Mises stress is such a form itself: its mean square is the sum
of those of the states (Segalman et al., An efficient method for calculating RMS von Mises stress in
a random vibration environment, SAND98-0260).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.observe.seen import Key, Values, sizes_of

#: Sizes, not below zero, by key.
Sizes: TypeAlias = dict[Key, Floats]


def root_sum_squares(states: Iterable[Values]) -> Sizes:
    """Return the roots of the sums of squares of the values of states.

    Parameters
    ----------
    states : iterable of mapping
        Values of each, by key; one at a time is held.
    """
    total: Sizes = {}
    for values in states:
        for key, (array, norm) in sizes_of(values).items():
            squares = norm(array) ** 2
            total[key] = total[key] + squares if key in total else squares
    return {key: np.sqrt(one) for key, one in total.items()}


def absolute_sum(states: Iterable[Values]) -> Sizes:
    """Return the sums of the sizes of values; parameters as of :func:`root_sum_squares`."""
    total: Sizes = {}
    for values in states:
        for key, (array, norm) in sizes_of(values).items():
            total[key] = total[key] + norm(array) if key in total else norm(array)
    return total


def with_close(states: Sequence[Values], close: Collection[tuple[int, int]]) -> Sizes:
    """Return roots of sums of squares with twice the products, without signs, of close states.

    Parameters
    ----------
    states : sequence of mapping
        Values of each, by key.
    close : collection of tuple
        Pairs of numbers of states that are close.
    """
    found = root_sum_squares(states)
    squares = {key: one**2 for key, one in found.items()}
    each = [sizes_of(one) for one in states]
    for i, j in combinations(range(len(each)), 2):
        if (i, j) in close or (j, i) in close:
            for key, (one, norm) in each[i].items():
                other = each[j][key][0]
                # The product of a norm that comes from one: |a + b|^2 - |a - b|^2 = 4 a.b
                product = 0.25 * (norm(one + other) ** 2 - norm(one - other) ** 2)
                squares[key] = squares[key] + 2.0 * np.abs(product)
    return {key: np.sqrt(one) for key, one in squares.items()}


def of_directions(parts: Sequence[Sizes], rule: str) -> Sizes:
    """Return the sizes of the answers to several directions together.

    Parameters
    ----------
    parts : sequence of mapping
        Sizes of each direction, by key.
    rule : str
        ``srss``, ``absolute``, or ``100-40-40``: all of one direction and 40 % of the others,
        whichever gives most.
    """
    if rule == "srss":
        return {key: np.sqrt(sum(one[key] ** 2 for one in parts)) for key in parts[0]}
    whole = {key: sum((one[key] for one in parts), start=np.zeros(1)) for key in parts[0]}
    if rule == "absolute":
        return whole
    return {
        key: 0.4 * total + 0.6 * np.max([one[key] for one in parts], axis=0)
        for key, total in whole.items()
    }


def combined_linearly(states: Sequence[Mapping[Key, Floats]], factors: Floats) -> Values:
    """Return the sum of the values of states, each with its factor."""
    return {
        key: np.tensordot(factors, np.array([one[key] for one in states]), axes=1)
        for key in states[0]
    }
