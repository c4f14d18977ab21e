# SPDX-License-Identifier: BSD-3-Clause
"""C functions of vectors: logarithms and exponentials of all lanes at once."""

from __future__ import annotations

import struct
from collections.abc import Collection
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from math import factorial, sqrt

from flexforge.codegen.emission.series import nested, rounded
from flexforge.templates import render

#: Functions that are there, of double precision.
LANE_FUNCTIONS = ("exp", "expm1", "fabs", "fmax", "log", "log1p")
# Terms of the series: the first one left out is below the last digit, of logarithms between
# sqrt(1/2) and sqrt(2), of exponentials up to log(2)/2.
_LOGARITHM, _EXPONENTIAL = 10, 13
#: Numbers below the least normal one are multiplied by this power of two.
_SCALED = 54
#: Numbers beyond which an exponential is infinite, or its last digit.
_MOST, _FEWEST = 710.0, {"exp": -746.0, "expm1": -60.0}


@cache
def lane_functions(width: int, functions: Collection[str]) -> str:
    """Return the text of functions.

    Parameters
    ----------
    width : int
        Lanes of a vector.
    functions : collection of str
        Names, of :data:`LANE_FUNCTIONS`.
    """
    with localcontext() as context:
        context.prec = 70
        log2 = Fraction(Decimal(2).ln())
    high = rounded(log2)
    (middle,) = struct.unpack("<q", struct.pack("<d", sqrt(0.5)))
    return render(
        "lane_functions.c.jinja",
        width=width,
        functions=sorted(functions),
        least=repr(2.0**-1022),
        scale=repr(2.0**_SCALED),
        scaled=repr(float(_SCALED)),
        middle=f"INT64_C({middle})",
        log2=[repr(float(high)), repr(float(log2 - high))],
        per_log2=repr(float(1 / log2)),
        logarithm=nested([Fraction(2, 2 * k + 1) for k in range(1, _LOGARITHM + 1)], "z"),
        exponential=nested([Fraction(1, factorial(k)) for k in range(2, _EXPONENTIAL + 1)], "r"),
        most=repr(_MOST),
        fewest={name: repr(value) for name, value in _FEWEST.items()},
    )
