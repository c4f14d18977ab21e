# SPDX-License-Identifier: BSD-3-Clause
"""Operations of any C kernel, counted while it runs.

The text is compiled as C++ with a class in place of ``double`` that counts what is done with it:
loops, branches and tables are followed as they are, whoever wrote them. The rules are those of
:data:`flexforge.codegen.ir.count.RULES`: a product with a written -1 is a change of sign, which
does not count. No compiler has simplified the text: a product with a written 1 counts.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

FAMILIES = ("additions", "products", "quotients", "roots")

#: Headers of the system are read before the class takes the place of ``double``.
_CLASS = r"""
#include <assert.h>
#include <cmath>
#include <compare>
#include <math.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long additions, products, quotients, roots;
struct Counted {
    double value;
    Counted() = default;
    Counted(double number) : value(number) {}
    Counted operator-() const { return Counted(-value); }
    Counted operator+() const { return *this; }
    bool operator==(const Counted &) const = default;
    auto operator<=>(const Counted &) const = default;
    Counted &operator+=(Counted o) { additions++; value += o.value; return *this; }
    Counted &operator-=(Counted o) { additions++; value -= o.value; return *this; }
    Counted &operator*=(Counted o) { products++; value *= o.value; return *this; }
    Counted &operator/=(Counted o) { quotients++; value /= o.value; return *this; }
};
static inline Counted operator+(Counted a, Counted b) { return a += b; }
static inline Counted operator-(Counted a, Counted b) { return a -= b; }
static inline Counted operator*(Counted a, Counted b) { return a *= b; }
static inline Counted operator/(Counted a, Counted b) { return a /= b; }
static inline Counted operator*(double a, Counted b)
{
    products += a != -1.0;
    return Counted(a * b.value);
}
static inline Counted operator*(Counted a, double b) { return b * a; }
static inline Counted operator+(double a, Counted b) { return Counted(a) + b; }
static inline Counted operator+(Counted a, double b) { return a + Counted(b); }
static inline Counted operator-(double a, Counted b) { return Counted(a) - b; }
static inline Counted operator-(Counted a, double b) { return a - Counted(b); }
static inline Counted operator/(double a, Counted b) { return Counted(a) / b; }
static inline Counted operator/(Counted a, double b) { return a / Counted(b); }
static inline Counted fabs(Counted a) { return Counted(std::fabs(a.value)); }
#define FUNCTION(name) \
    static inline Counted name(Counted a) { roots++; return Counted(std::name(a.value)); }
FUNCTION(sqrt) FUNCTION(exp) FUNCTION(log) FUNCTION(log1p) FUNCTION(expm1)
FUNCTION(sin) FUNCTION(cos) FUNCTION(tan) FUNCTION(atan)
static inline Counted pow(Counted a, Counted b)
{
    roots++;
    return Counted(std::pow(a.value, b.value));
}
#define __STDC_NO_COMPLEX__ 1
#define double Counted
"""


def operations(
    source: str,
    function: str,
    arguments: Sequence[np.ndarray | None],
    include: Sequence[Path] = (),
) -> dict[str, int]:
    """Return how often a call of a C function adds, multiplies, divides and calls functions.

    Parameters
    ----------
    source : str
        C text that defines the function.
    function : str
        Its name; it returns nothing.
    arguments : sequence of ndarray or None
        Arrays of doubles, those of results too, and None for pointers it does not use.
    include : sequence of Path
        Folders of headers that the text includes.

    Returns
    -------
    dict
        ``additions``, ``products``, ``quotients`` and ``roots``, which are all functions called.

    Raises
    ------
    subprocess.CalledProcessError
        If the text is not C that is C++ too.
    """
    arrays, names = [], []
    for number, values in enumerate(arguments):
        if values is None:
            names.append("0")
            continue
        names.append(f"argument{number}")
        numbers = ", ".join(repr(float(value)) for value in values.ravel())
        arrays.append(f"static double {names[-1]}[] = {{{numbers}}};")
    shown = ", ".join(FAMILIES)
    main = (
        f"int main()\n{{\n    {shown.replace(', ', ' = ')} = 0;\n"
        f"    {function}({', '.join(names)});\n"
        f'    printf("{" ".join(["%ld"] * len(FAMILIES))}", {shown});\n    return 0;\n}}\n'
    )
    with tempfile.TemporaryDirectory() as folder:
        text, program = Path(folder) / "counted.cpp", Path(folder) / "counted"
        # A macro would not do: headers define and undefine one of that name.
        known = re.sub(r"\brestrict\b", "__restrict__", source)
        text.write_text("\n".join([_CLASS, known, *arrays, main]))
        subprocess.run(
            ["g++", "-std=c++20", "-O1", "-fpermissive", "-w", *(f"-I{path}" for path in include),
             str(text), "-o", str(program)],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        done = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    return dict(zip(FAMILIES, map(int, done.stdout.split()), strict=True))
