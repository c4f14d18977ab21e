# SPDX-License-Identifier: BSD-3-Clause
"""Mutations of bytes and of text, drawn from one random generator: a seed repeats them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from random import Random

LARGEST = 1 << 20  # bytes of an input; what grows beyond is cut

#: Where readers of numbers tend to break: ends of types, and what is not finite.
INTEGERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    127,
    128,
    255,
    256,
    32767,
    65535,
    65536,
    10**6,
    2**31 - 1,
    2**31,
    -(2**31),
    2**32 - 1,
    2**32,
    2**53 + 1,
    2**63 - 1,
    2**63,
    -(2**63),
    2**64 - 1,
    10**20,
)
REALS = (
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    1e-3,
    1e3,
    1e-12,
    1e12,
    1e-30,
    1e30,
    1e-160,
    1e110,
    1e154,
    1e160,
    1e300,
    -1e300,
    1.7976931348623157e308,
    5e-324,
    1e-308,
    float("inf"),
    float("-inf"),
    float("nan"),
)
SPELLINGS = (
    "1e999",
    "-1e999",
    "0x10",
    "1_000",
    "1e-9999",
    "+5",
    "1.",
    ".5",
    "1e",
    "٣",
    "1d3",
    "9" * 400,
    "0." + "0" * 400 + "1",
    "--1",
    "1e+",
    "NaN",
    "Infinity",
    "true",
)
ODDITIES = (
    "\x00",
    "\r",
    "\r\n",
    "\n\n",
    "\t",
    " ",
    "\ufeff",
    "\u202e",
    "\x1b[31m",
    "é",
    "𝔘",
    "\\",
    "\\u0000",
    "\ud800",
    '"',
    "'",
    '"""',
    "#",
    ",",
    ";",
    "[",
    "]",
    "{",
    "}",
    "=",
    "..",
    "../",
    "/dev/zero",
    "%s",
    "%n",
    "<",
    ">",
    "&lt;",
    "*",
    "$",
    "(",
    ")",
    "(" * 300,
    "[" * 300,
    "a" * 5000,
)

_TOKEN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\w+|\s+|.", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def number(rng: Random) -> str:
    """Return a number as somebody may write it."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.choice(SPELLINGS)
    if kind < 3:
        return str(rng.choice(INTEGERS))
    if kind < 5:
        return repr(rng.choice(REALS))
    if kind < 7:
        return str(rng.randint(-3, 12))
    return repr(rng.choice((1, -1)) * 10.0 ** rng.uniform(-20, 20))


def encoded(text: str) -> bytes:
    """Return text as bytes; a lone surrogate becomes bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogatepass")[:LARGEST]


# Bytes ------------------------------------------------------------------------------------------

Change = Callable[[Random, bytes, Sequence[bytes]], bytes]


def _place(rng: Random, data: bytes) -> int:
    """Return a place; rather where something is, as files of HDF5 are zeros mostly."""
    at = rng.randrange(len(data) + 1)
    for _ in range(16):
        if at < len(data) and data[at]:
            break
        at = rng.randrange(len(data) + 1)
    return at


def _slice(rng: Random, data: bytes) -> tuple[int, int]:
    begin = _place(rng, data)
    return begin, min(len(data), begin + int(2 ** rng.uniform(0, 8)))


def _flip(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        changed[min(_place(rng, changed), len(changed) - 1)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _set(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data or b"\0")
    changed[min(_place(rng, changed), len(changed) - 1)] = rng.choice(
        (0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256))
    )
    return bytes(changed)


def _overwrite(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Put a binary number over what is there: where formats have counts, offsets, coordinates."""
    if rng.random() < 0.5:
        size = rng.choice((1, 2, 4, 8))
        value = rng.choice(INTEGERS) if rng.random() < 0.6 else rng.randint(0, 64)
        new = (value % (1 << 8 * size)).to_bytes(size, rng.choice(("little", "little", "big")))
    else:
        new = struct.pack("<d", rng.choice(REALS))
    at = _place(rng, data)
    if rng.random() < 0.5:
        at -= at % len(new)
    return data[:at] + new + data[at + len(new) :]


def _delete(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _slice(rng, data)
    return data[:begin] + data[end:]


def _repeat(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _slice(rng, data)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 2, 20)) + data[end:]


def _truncate(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: _place(rng, data)]


def _splice(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    other = rng.choice(seeds)
    begin, end = _slice(rng, other)
    at = _place(rng, data)
    return data[:at] + other[begin:end] + data[at + rng.choice((0, end - begin)) :]


def _noise(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(rng, data)
    return data[:at] + rng.randbytes(rng.randint(1, 16)) + data[at:]


_BYTES: tuple[Change, ...] = (
    _flip,
    _flip,
    _set,
    _overwrite,
    _overwrite,
    _overwrite,
    _delete,
    _repeat,
    _truncate,
    _splice,
    _noise,
)


def mutate_bytes(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return a seed with a few changes of its bytes."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        data = rng.choice(_BYTES)(rng, data, seeds)
    return data[:LARGEST]


# Text -------------------------------------------------------------------------------------------


@lru_cache(256)  # seeds are cut again and again
def _cut(data: bytes) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(data.decode("utf-8", "surrogateescape")))


def _tokens(data: bytes) -> list[str]:
    return list(_cut(data))


def _joined(tokens: Sequence[str]) -> bytes:
    return "".join(tokens).encode("utf-8", "surrogateescape")


def _renumber(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    tokens = _tokens(data)
    numbers = [i for i, token in enumerate(tokens) if _NUMBER.fullmatch(token)]
    if not numbers:
        return _retoken(rng, data, seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        tokens[rng.choice(numbers)] = number(rng)
    return encoded("".join(tokens))


def _retoken(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Replace a word by one from elsewhere in the seeds, insert one, or remove one."""
    tokens, others = _tokens(data), _tokens(rng.choice(seeds))
    if not tokens or not others:
        return data
    at, kind = rng.randrange(len(tokens)), rng.randrange(4)
    if kind == 0:
        del tokens[at]
    elif kind == 1:
        tokens.insert(at, rng.choice(others))
    else:
        tokens[at] = rng.choice(others)
    return _joined(tokens)


def _relines(rng: Random, data: bytes, seeds: Sequence[bytes]) -> bytes:
    """Remove, repeat, swap or import lines."""
    lines = data.splitlines(keepends=True)
    if len(lines) < 2:
        return data
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(5)
    if kind == 0:
        del lines[min(i, j) : max(i, j) if rng.random() < 0.3 else min(i, j) + 1]
    elif kind == 1:
        lines.insert(j, lines[i])
    elif kind == 2:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 3:
        lines = lines[:i]
    else:
        foreign = rng.choice(seeds).splitlines(keepends=True) or [b""]
        lines.insert(i, rng.choice(foreign))
    return b"".join(lines)


def _odd(rng: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _place(rng, data)
    return data[:at] + encoded(rng.choice(ODDITIES)) + data[at + rng.randrange(2) :]


_TEXT: tuple[Change, ...] = (
    _renumber,
    _renumber,
    _renumber,
    _retoken,
    _retoken,
    _relines,
    _relines,
    _odd,
)


def mutate_text(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return a seed with a few changes of its words, numbers, lines, sometimes of its bytes."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 5))):
        change = rng.choice(_BYTES) if rng.random() < 0.1 else rng.choice(_TEXT)
        data = change(rng, data, seeds)
    return data[:LARGEST]


def mutate_mixed(rng: Random, seeds: Sequence[bytes]) -> bytes:
    """Return a seed of a format that mixes text and binary, changed as either."""
    return (mutate_text if rng.random() < 0.5 else mutate_bytes)(rng, seeds)
