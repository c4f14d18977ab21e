# SPDX-License-Identifier: BSD-3-Clause
"""Blocks of HDF5 files that a killed process had written in part.

A process that is killed within a write leaves the pages before one of its pages and not those
after. A block of metadata across two pages then has its new begin, its old end, and a checksum
that is that of neither; the library takes it for one that is being written, and waits. What is new
in such a block is not referred to yet, since the library writes a block before those that refer to
it; so the block is as good as it was, and only its checksum is to be put right.

Structures: HDF5 File Format Specification 3.0, on object headers and on the extensible array index.
Checksum: R. Jenkins, lookup3.c (2006, public domain).
"""

from __future__ import annotations

import mmap
import os
import re
import struct
import time
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

_PAGE = 4096  # bytes; a write to a file ends early between pages only
_PAUSE = 0.2  # seconds, in which a living process ends a write
_LARGEST = 1 << 16  # bytes of a block; larger ones are none
_HEADER = 72  # bytes of the header of an extensible array
_BEGIN = re.compile(rb"EA(?:HD|IB|SB|DB)\x00|OHDR\x02")
_MASK = 0xFFFFFFFF


def mend_torn(path: Path) -> int:
    """Put the checksums of blocks right that a killed process had written in part.

    Parameters
    ----------
    path : Path
        A file of HDF5 1.10 or later with addresses of eight bytes. Blocks that a living process is
        writing stay as they are: those that change meanwhile.

    Returns
    -------
    int
        Number of blocks.

    Raises
    ------
    OSError
        When the file cannot be read or written.
    """
    # What looks like a block may be data, or damaged: sizes may be any.
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        found = set(_wrong_checksums(data))
        if found:
            time.sleep(_PAUSE)
            found &= set(_wrong_checksums(data))
    if found:
        with open(path, "r+b") as mended:
            for at, checksum in found:
                os.pwrite(mended.fileno(), struct.pack("<I", checksum), at)
    return len(found)


def _wrong_checksums(data: mmap.mmap) -> Iterator[tuple[int, int]]:
    """Yield where blocks across pages have wrong checksums, and the right ones."""
    for found in _BEGIN.finditer(data):
        for begin, end in _blocks(data, found.start(), found[0][:4]):
            if begin // _PAGE < (end - 1) // _PAGE and end <= min(len(data), begin + _LARGEST):
                right = checksum_of(data[begin : end - 4])
                if struct.pack("<I", right) != data[end - 4 : end]:
                    yield end - 4, right


def _blocks(data: mmap.mmap, begin: int, kind: bytes) -> list[tuple[int, int]]:
    """Return where the parts of a block are that have checksums; none if it is no block."""
    try:
        if kind == b"OHDR":
            sizes = [_object_header(data, begin)]
        else:
            sizes = [_HEADER] if kind == b"EAHD" else _array_block(data, begin, kind)
    except (struct.error, IndexError):  # beyond the end of the file
        return []
    ends = [begin + size for size in accumulate(sizes)]
    return list(zip([begin, *ends], ends, strict=False))


def _object_header(data: mmap.mmap, begin: int) -> int:
    """Return the size of the first block of an object header of version 2."""
    flags = data[begin + 5]
    if flags & 0xC0:  # bits that are reserved
        return 0
    place = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    size = int.from_bytes(data[begin + place : begin + place + width], "little")
    return place + width + size + 4


def _array_block(data: mmap.mmap, begin: int, kind: bytes) -> list[int]:
    """Return the sizes of a block of an extensible array and of its pages, if it has some."""
    (header,) = struct.unpack_from("<Q", data, begin + 6)
    if data[header : header + 5] != b"EAHD\0":
        return []
    size, bits, direct, least, pointers, page_bits = data[header + 6 : header + 12]
    if not (size and least and pointers):
        return []
    if kind == b"EAIB":
        # The blocks of data of the first super blocks are pointed to without these.
        without = 2 * (pointers.bit_length() - 1)
        supers = 1 + bits - (least.bit_length() - 1)
        return [14 + direct * size + 8 * (2 * (pointers - 1) + supers - without) + 4]
    width = (bits + 7) // 8
    offset = int.from_bytes(data[begin + 14 : begin + 14 + width], "little")
    blocks, elements = _super_block(offset, least, 0 if kind == b"EASB" else 2 * (pointers - 1))
    if elements * size > len(data):
        return []
    page = 1 << page_bits
    pages = elements // page if elements > page else 0
    if kind == b"EASB":
        return [14 + width + blocks * ((pages + 7) // 8) + 8 * blocks + 4]
    return [14 + width + (0 if pages else elements * size) + 4, *[page * size + 4] * pages]


def _super_block(offset: int, least: int, without: int) -> tuple[int, int]:
    """Return how many blocks of data a super block has, and how many elements each.

    Parameters
    ----------
    offset : int
        The offset that the super block, or a block of data in it, gives as its own.
    least : int
        Elements of the smallest block of data.
    without : int
        Number of blocks of data that may be without a super block.
    """
    # Super block k has 2^(k // 2) blocks of data, each with 2^((k + 1) // 2) times the least.
    number = first = before = 0
    while True:
        blocks, elements = 1 << number // 2, least << (number + 1) // 2
        # The library adds the blocks before those of this super block to the offsets of blocks
        # without a super block (H5EA__lookup_elmt): they aren't the numbers of first elements.
        added = range(first + before * elements, first + (before + blocks) * elements, elements)
        if (before < without and offset in added) or offset < first + blocks * elements:
            return blocks, elements
        number, first, before = number + 1, first + blocks * elements, before + blocks


def checksum_of(block: bytes) -> int:
    """Return the checksum of a block of metadata, its last four bytes left out.

    Source: R. Jenkins, lookup3.c, `hashlittle` with the initial value 0.
    """
    a = b = c = (0xDEADBEEF + len(block)) & _MASK
    last = max(len(block) - 1, 0) // 12 * 12
    for place in range(0, last, 12):
        x, y, z = struct.unpack_from("<III", block, place)
        a, b, c = (a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK
        for bits in (4, 6, 8, 16, 19, 4):
            # Each step mixes one word; their roles go round.
            mixed = (a - c) & _MASK ^ _turned(c, bits)
            a, b, c = b, (c + b) & _MASK, mixed
    if not block:
        return int(c)
    x, y, z = struct.unpack("<III", block[last:].ljust(12, b"\0"))
    a, b, c = (a + x) & _MASK, (b + y) & _MASK, (c + z) & _MASK
    for bits in (14, 11, 25, 16, 4, 14, 24):
        mixed = ((c ^ b) - _turned(b, bits)) & _MASK
        a, b, c = b, mixed, a
    return int(b)


def _turned(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & _MASK
