# SPDX-License-Identifier: BSD-3-Clause
"""Numbers and series of functions, as C text."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

#: Bits of a part: times a multiple of 20 bits it is exact.
_BITS = 33


def rounded(value: Fraction) -> Fraction:
    """Return a number with its leading bits alone, so that its first multiples are exact."""
    scale = Fraction(2) ** _BITS
    while abs(value) * scale >= 2**_BITS:
        scale /= 2
    while abs(value) * scale < 2 ** (_BITS - 1):
        scale *= 2
    return Fraction(int(value * scale)) / scale


def nested(coefficients: Sequence[Fraction], variable: str) -> str:
    """Return a polynomial by Horner's rule."""
    *rest, last = [repr(float(c)) for c in coefficients]
    text = last
    for coefficient in reversed(rest):
        text = f"{coefficient} + {variable}*({text})"
    return text
