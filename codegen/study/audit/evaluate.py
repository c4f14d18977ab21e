# SPDX-License-Identifier: BSD-3-Clause
"""Literal value of a printed form at an instant; inconsistent indices and shapes are reported.

Index notation: in every product a free index occurs once, any other index twice, and an index has
one range. Matrix notation: shapes of products and sums must fit; a 1 x 1 result is a number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import sympy
from flexforge.codegen.study.audit.instant import VOLUME, Array, Instant
from flexforge.codegen.study.audit.notation import Factor, Term, expand
from sympy.polys.matrices import DomainMatrix


class Misfit(Exception):
    """A form without a value: indices or shapes do not fit, or a symbol is unknown."""

    def __init__(self, kind: str, says: str, *terms: object) -> None:
        self.kind = kind
        self.says = says
        self.terms = tuple(map(str, terms))
        self.text = says.format(*self.terms) if terms else says
        super().__init__(self.text)


def misfits(
    terms: tuple[Term, ...], free: str | None, values: Mapping[str, Array], instant: Instant
) -> list[Misfit]:
    """Return the distinct reasons why terms of a form have no value."""
    found: dict[tuple[str, str], Misfit] = {}
    shapes: dict[tuple[int, ...], Term] = {}
    for term in expand(terms):
        try:
            shapes.setdefault(value_of(term, free, values, instant).shape, term)
        except Misfit as misfit:
            found.setdefault((misfit.kind, misfit.text), misfit)
    if len(shapes) > 1:
        says = " and ".join(f"{size_text(shape)} ({{{n}}})" for n, shape in enumerate(shapes))
        unlike = Misfit("shapes", f"terms of different shapes are added: {says}", *shapes.values())
        found["shapes", unlike.text] = unlike
    return list(found.values())


def value_of(term: Term, free: str | None, values: Mapping[str, Array], instant: Instant) -> Array:
    """Return the value of one expanded term.

    Parameters
    ----------
    term : Term
        From `expand`.
    free : str or None
        The free indices in the order of the result's axes; None for matrix notation.
    values : mapping
        Arrays of polynomials by `Factor.key`.
    instant : Instant
        Defines the ring.

    Raises
    ------
    Misfit
        If the term has no value.
    """
    scale = sympy.QQ(term.number.numerator, term.number.denominator)
    if free is None:
        product = _matrix_product(term, values, instant)
    else:
        product = _contraction(term, free, values, instant)
    return np.asarray(product * (instant.ring.one * scale), object)


def sum_of(
    terms: tuple[Term, ...], free: str | None, values: Mapping[str, Array], instant: Instant
) -> Array:
    """Return the sum of terms with equal shapes."""
    parts = [value_of(term, free, values, instant) for term in expand(terms)]
    total = parts[0]
    for part in parts[1:]:
        if part.shape != total.shape:
            raise Misfit("shapes", f"{size_text(part.shape)} is added to {size_text(total.shape)}")
        total = np.asarray(total + part, object)
    return total


def _lookup(factor: Factor, values: Mapping[str, Array], instant: Instant) -> Array:
    if factor.key == "dV":
        return instant.array(VOLUME)
    if factor.key not in values:
        raise Misfit("symbol", "{0} is not defined", factor)
    return values[factor.key]


def size_text(shape: tuple[int, ...]) -> str:
    """Return ``3 x 2`` or ``a number``."""
    return " x ".join(map(str, shape)) or "a number"


# Index notation ------------------------------------------------------------------------------


def _contraction(term: Term, free: str, values: Mapping[str, Array], instant: Instant) -> Array:
    """Sum a product over its repeated indices."""
    operands = [_operand(factor, values, instant) for factor in term.factors]
    _check_indices(term, [letters for _, letters in operands], free)
    ranges: dict[str, int] = {}
    for array, letters in operands:
        for letter, size in zip(letters, array.shape, strict=True):
            if ranges.setdefault(letter, size) != size:
                raise Misfit("indices", f"index {letter} has two ranges in {{0}}", term)
    if not operands:
        return np.array(instant.ring.one, object)
    result, labels = operands.pop(0)
    while operands:
        # Next take the operand that shares most indices, to keep intermediate results small.
        best = max(range(len(operands)), key=lambda n: len(set(operands[n][1]) & set(labels)))
        array, letters = operands.pop(best)
        later = set(free).union(*(other for _, other in operands))
        both = labels + letters
        kept = "".join(c for c in dict.fromkeys(both) if c in later or both.count(c) == 1)
        result, labels = _einsum(f"{labels},{letters}->{kept}", result, array), kept
    return _einsum(f"{labels}->{free}", result)


def _einsum(subscripts: str, *arrays: Array) -> Array:
    found = np.einsum(subscripts, *arrays)
    return found if isinstance(found, np.ndarray) else np.array(found, object)


def _operand(factor: Factor, values: Mapping[str, Array], instant: Instant) -> tuple[Array, str]:
    """Return the array of a factor and the letters of its axes."""
    if factor.group:
        inner = expand(factor.group)
        counts = Counter(_letters(inner[0]))
        letters = "".join(letter for letter, times in counts.items() if times == 1)
        array = sum_of(factor.group, letters, values, instant)
        if factor.powers != ("2",):
            raise Misfit("symbol", "{0} has no meaning with indices", factor)
        return _einsum(f"{letters},{letters}->", array, array), ""
    array = _lookup(factor, values, instant)
    if array.ndim != len(factor.letters):
        raise Misfit("indices", f"{{0}} has {len(factor.letters)} indices for {array.ndim}", factor)
    repeated = [c for c, times in Counter(factor.letters).items() if times == 2]
    if repeated and len(set(factor.letters)) == len(factor.letters) - len(repeated):
        kept = "".join(c for c in factor.letters if c not in repeated)
        return _einsum(f"{factor.letters}->{kept}", array), kept
    return array, factor.letters


def _letters(term: Term) -> str:
    return "".join(factor.letters for factor in term.factors)


def _check_indices(term: Term, operands: list[str], free: str) -> None:
    """Raise an error for a product whose indices violate the summation convention."""
    counts = Counter("".join(operands)) + Counter(dict.fromkeys(free, 0))
    for letter in sorted(set(counts) | set(free)):
        times = counts[letter]
        if letter in free and times != 1:
            how = "does not occur" if times == 0 else f"occurs {times} times"
            raise Misfit("indices", f"the free index {letter} {how} in {{0}}", term)
        if letter not in free and times != 2:
            how = "occurs once" if times == 1 else f"occurs {times} times"
            raise Misfit("indices", f"index {letter} {how} in {{0}}", term)


# Matrix notation -----------------------------------------------------------------------------


def _matrix_product(term: Term, values: Mapping[str, Array], instant: Instant) -> Array:
    """Multiply matrices from left to right."""
    product = np.array([[instant.ring.one]], object)
    for factor in term.factors:
        product = _times(product, _matrix(factor, values, instant), term)
    return product


def _times(left: Array, right: Array, term: Term) -> Array:
    if left.shape == (1, 1):
        return np.asarray(right * left[0, 0], object)
    if left.shape[1] == right.shape[0]:
        return np.asarray(left @ right, object)
    if right.shape == (1, 1):
        return np.asarray(left * right[0, 0], object)
    raise Misfit("shapes", f"{size_text(left.shape)} times {size_text(right.shape)} in {{0}}", term)


def _matrix(factor: Factor, values: Mapping[str, Array], instant: Instant) -> Array:
    """Return the matrix of a factor with its powers applied."""
    if factor.group:
        found = sum_of(factor.group, None, values, instant)
        if factor.name == "int":
            found = found * instant.array(VOLUME).item()
    else:
        found = _lookup(factor, values, instant)
    if found.ndim == 0:
        found = found.reshape(1, 1)
    for power in factor.powers:
        if power == "T":
            found = found.T
        elif power == "2":
            found = (found.T @ found) if 1 in found.shape else _times(found, found, _one(factor))
        else:
            found = _inverse(found, factor, instant)
    return found


def _one(factor: Factor) -> Term:
    return Term(Fraction(1), (factor,))


def _inverse(array: Array, factor: Factor, instant: Instant) -> Array:
    """Return the inverse of a matrix of numbers (an `Instant` with a numeric shape)."""
    if array.shape[0] != array.shape[1]:
        raise Misfit("shapes", f"{{0}}: a {size_text(array.shape)} matrix has no inverse", factor)
    if not all(entry.is_ground for entry in array.flat):
        raise Misfit("symbol", "{0}: the inverse is taken of numbers only", factor)
    numbers = [[entry.LC if entry else sympy.QQ(0) for entry in row] for row in array]
    found = DomainMatrix(numbers, array.shape, sympy.QQ).inv().to_list()
    return instant.array([[instant.ring.one * entry for entry in row] for row in found])
