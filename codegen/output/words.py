# SPDX-License-Identifier: BSD-3-Clause
"""Reserved words of C and Cython, and names that avoid them."""

from __future__ import annotations

import keyword

#: Words of C99 and Cython, arguments of all functions of a generated module, and its own names.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while _Bool _Complex _Imaginary bint complex
cdef cpdef cimport ctypedef include gil nogil cppclass DEF IF ELIF ELSE NULL
coordinates state out check
np real kernel NODES DIMENSION DTYPE
"""
RESERVED = frozenset({*keyword.kwlist, *_WORDS.split()})


def argument_name(name: str) -> str:
    """Return the name of a parameter as an argument of a generated Cython module.

    Parameters
    ----------
    name : str
        A C identifier, or a word that looks like one.

    Returns
    -------
    str
        The name, with an underscore appended if it is reserved.
    """
    return f"{name}_" if name.rstrip("_") in RESERVED else name
