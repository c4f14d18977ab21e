# SPDX-License-Identifier: BSD-3-Clause
"""Names and texts of users as C: identifiers that collide with nothing, strings that end."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Words of C and C++ that no identifier may be, and beginnings of names of the C library.
RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl
    complex const const_cast constexpr continue decltype default delete do double dynamic_cast
    else enum explicit export extern false float for friend goto if imaginary inline int long main
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public
    pthread register mq sem shm timer
    reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct
    switch template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq""".split()  # noqa: SIM905 (easier to read)
)
#: Beginnings that the headers of the solver use.
_OURS = ("ff_", "fmi2", "fmi3")
_LONGEST = 48


def identifier(name: str) -> str:
    """Return a C identifier that resembles a name.

    Letters outside ASCII, spaces and signs become ``_``; what begins with a digit, is a word of C
    or C++, or begins like a name of the solver itself gets ``m_`` in front.
    """
    found = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")[:_LONGEST] or "model"
    ours = found.lower().startswith(_OURS)
    return f"m_{found}" if found[0].isdigit() or found.lower() in RESERVED or ours else found


def identifiers(names: Iterable[str]) -> list[str]:
    """Return distinct C identifiers of names, in their order."""
    taken: set[str] = set()
    found = []
    for name in names:
        wanted = one = identifier(name)
        number = 2
        while one.lower() in taken:  # constants are written in capitals
            one = f"{wanted}_{number}"
            number += 1
        taken.add(one.lower())
        found.append(one)
    return found


def c_string(text: str) -> str:
    """Return a text as a C string literal of plain ASCII, whatever is in it."""
    plain = set(range(32, 127)) - set(b'"\\?%')
    coded = "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode())
    return f'"{coded}"'


def c_number(value: float) -> str:
    """Return a number as C reads it back exactly."""
    return repr(float(value))


def c_numbers(values: Iterable[float], indent: str = "    ") -> str:
    """Return numbers as the inside of a C array, several a line."""
    lines, line = [], indent
    for value in values:
        text = f"{value}," if isinstance(value, int) else f"{c_number(value)},"
        if len(line) + len(text) > 98:
            lines.append(line.rstrip())
            line = indent
        line += text + " "
    return "\n".join([*lines, line.rstrip()])
