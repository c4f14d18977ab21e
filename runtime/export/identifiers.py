# SPDX-License-Identifier: BSD-3-Clause
"""User names and texts as C: identifiers without collisions, properly terminated strings."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Keywords of C and C++, and prefixes of names of the C library, that identifiers must not be.
RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl
    complex const const_cast constexpr continue decltype default delete do double
    dynamic_cast else enum explicit export extern false float for friend goto if imaginary
    inline int long main mutable namespace new noexcept not not_eq nullptr operator or
    or_eq private protected public pthread register mq sem shm timer reinterpret_cast
    restrict return short signed sizeof static static_assert static_cast struct switch
    template this thread_local throw true try typedef typeid typename union unsigned using
    virtual void volatile wchar_t while xor xor_eq""".split()  # noqa: SIM905 (easier to read)
)
#: Headers of compilers and C libraries: a file with such a name would be found before them.
HEADERS = frozenset(
    """aio alloca assert asm availability availabilityinternal availabilitymacros
    availabilityversions bits byteswap cdefs complex conio corecrt cpio crtdefs ctype direct dirent
    dlfcn elf emmintrin endian errno error err fcntl features fenv float fmtmsg fnmatch ftw getopt
    glob gnu grp iconv immintrin intrin inttypes io iso646 langinfo libgen libintl limits link linux
    locale machine malloc math memory mm_malloc monetary mqueue ndbm netdb nl_types poll process pwd
    regex sal sched search semaphore setjmp signal spawn stdalign stdarg stdatomic stdbit stdbool
    stdc_predef stdckdint stddef stdint stdio stdlib stdnoreturn string strings stropts sys syslog
    tar targetconditionals termios tgmath threads time trace types uchar ulimit unistd utime utmpx
    vadefs values vcruntime wchar wctype winapifamily windef windows winnt wordexp x86intrin xlocale
    xmmintrin""".split()  # noqa: SIM905 (easier to read)
)
#: Libraries that compilers link with, keywords of CMake's functions, and prefixes of names of the C
#: library.
LIBRARIES = frozenset(
    """advapi32 atomic c clang_rt cmake cnd compat_version crypt description dl epoll gcc gcc_eh
    gcc_s homepage_url kernel32 languages m memfd mingw32 mingwex moldname msvcrt mtx obstack
    project rt shell32 ssp supc system thrd timerfd tss user32 util version""".split()  # noqa: SIM905 (easier to read)
)
#: Prefixes used by the headers of the solver, and by CMake.
_OURS = ("ff_", "flexforge_", "fmi2", "fmi3", "cmake_")
_LONGEST = 48


def identifier(name: str) -> str:
    """Return a C identifier that resembles a name.

    Letters outside ASCII, spaces and signs become ``_``. A name that begins with a digit, is a
    keyword of C or C++, is the name of a system header or library, or begins like a name of the
    solver itself gets the prefix ``m_``.
    """
    found = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9]", "_", name)).strip("_")[:_LONGEST].rstrip("_")
    found = found or "model"
    lower = found.lower()
    taken = lower in RESERVED | HEADERS | LIBRARIES or f"{lower}_".startswith(_OURS)
    return f"m_{found}" if found[0].isdigit() or taken else found


def identifiers(names: Iterable[str]) -> list[str]:
    """Return distinct C identifiers for names, in the same order."""
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
    """Return any text as a C string literal in plain ASCII."""
    plain = set(range(32, 127)) - set(b'"\\?%')
    coded = "".join(
        chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode(errors="replace")
    )
    return f'"{coded}"'
