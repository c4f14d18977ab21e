# SPDX-License-Identifier: BSD-3-Clause
"""Reserved words of C, C++ and Cython, and names that avoid them."""

from __future__ import annotations

import keyword

#: Words of C99 and Cython, arguments of all functions of a generated module, and its own names.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline
int long register restrict return short signed sizeof static struct switch typedef union unsigned
void volatile while _Bool _Complex _Imaginary bint complex
cdef cpdef cimport ctypedef include gil nogil cppclass DEF IF ELIF ELSE NULL
coordinates state out check
np real kernel NODES DIMENSION DTYPE NOT_NEGATIVE
"""
#: Reserved words of C++, and names used by the generated header.
_CPP = """
alignas alignof and_eq asm bitand bitor bool catch char8_t char16_t char32_t class co_await
co_return co_yield compl concept consteval constexpr constinit const_cast decltype delete
dynamic_cast explicit export false friend mutable namespace new noexcept not_eq nullptr operator
or_eq private protected public reinterpret_cast requires static_assert static_cast template this
thread_local throw true typeid typename using virtual wchar_t xor xor_eq given parameters
workspace dimension nodes
"""
RESERVED = frozenset({*keyword.kwlist, *_WORDS.split()})
RESERVED_IN_CPP = RESERVED | frozenset(_CPP.split())


def argument_name(name: str, reserved: frozenset[str] = RESERVED) -> str:
    """Return the name of a parameter as an argument of a generated Cython module, or in C++.

    Parameters
    ----------
    name : str
        A C identifier, or a word that looks like one.
    reserved : frozenset of str
        Words with a meaning there.

    Returns
    -------
    str
        The name, with an underscore appended if it is reserved.
    """
    return f"{name}_" if name.rstrip("_") in reserved else name
