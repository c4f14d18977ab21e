# SPDX-License-Identifier: BSD-3-Clause
"""The C function that computes sines and cosines side by side, from the series of both."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import factorial

from flexforge.codegen.emission.series import nested, rounded
from flexforge.templates import render

#: Largest angle whose multiples of pi/2 are subtracted without loss; the library takes others.
LIMIT = 1e5
#: Terms of the series: the first one left out is below the last digit up to pi/4.
_TERMS = 8


@cache
def sines_source() -> str:
    """Return the text of the function."""
    half = _half_pi()
    first = rounded(half)
    second = rounded(half - first)
    parts = (first, second, half - first - second)
    return render(
        "sines.c.jinja",
        quarter=repr(float(1 / half)),
        parts=[repr(float(part)) for part in parts],
        sine=nested([Fraction((-1) ** k, factorial(2 * k + 1)) for k in range(1, _TERMS)], "y"),
        cosine=nested([Fraction((-1) ** k, factorial(2 * k)) for k in range(2, _TERMS + 1)], "y"),
        limit=repr(LIMIT),
    )


def _half_pi() -> Fraction:
    """Return pi/2 to 60 digits, by Machin's formula."""
    with localcontext() as context:
        context.prec = 70
        total = Decimal(0)
        for weight, inverse in ((16, 5), (-4, 239)):
            term, k = Decimal(weight) / inverse, 0
            while abs(term) > Decimal(10) ** -65:
                total += term / (2 * k + 1) * (-1) ** k
                term, k = term / inverse**2, k + 1
        return Fraction(total) / 2
