# SPDX-License-Identifier: BSD-3-Clause
"""Where a kernel keeps its lanes and its local arrays: vectors, stack, and the caller's workspace.

A frame of the stack stays small, because threads have small stacks and nobody can ask a compiler
how much it adds: short local arrays stay on the stack, long ones move to memory of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from flexforge.codegen.ir.program import Program
from flexforge.codegen.passes.rows import contiguous

#: Bytes of local arrays a frame takes. What gcc 12 spills comes on top, up to 13 KiB in kernels
#: with arrays on the stack and 31 KiB in others; tests/codegen/emission/test_stack.py holds every
#: standard kernel to 32 KiB in all.
STACK_LIMIT = 12 * 1024
#: Arrays in the workspace begin at multiples of this: a cache line.
LINE = 64
#: Bytes of the widest vector there is. A compiler takes wider ones apart on the stack.
VECTOR = 64

SCALAR_BYTES = {"double": 8, "float": 4}


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are.

    Attributes
    ----------
    width : int
        Lanes of a vector.
    groups : int
        Vectors the lanes of a call take; a kernel computes one after the other.
    stack : int
        Bytes of local arrays on the stack.
    workspace : int
        Bytes of local arrays in the workspace.
    offsets : mapping
        Where in the workspace an array begins, in scalars, by name.
    contiguous : mapping
        The index in which an array is fastest, by name; of all others it is the last.
    """

    width: int
    groups: int
    stack: int
    workspace: int
    offsets: Mapping[str, int]
    contiguous: Mapping[str, int]


def lay_out(program: Program, scalar: str, lanes: int) -> Layout:
    """Return where a kernel keeps its lanes and local arrays.

    Either all local arrays are on the stack, or all are in the workspace, one after the other.

    Parameters
    ----------
    program : Program
        After the passes.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements a call.
    """
    size = SCALAR_BYTES[scalar]
    width = min(lanes, VECTOR // size)
    stack = total = 0
    offsets: dict[str, int] = {}
    for array in program.arrays:
        if array.kind != "local":
            continue
        needed = size * width * prod(array.shape)
        offsets[array.name] = total // size
        stack += needed
        total += -(-needed // LINE) * LINE
    rows = contiguous(program) if lanes == 1 else {}
    if stack <= STACK_LIMIT:
        return Layout(width, lanes // width, stack, 0, {}, rows)
    return Layout(width, lanes // width, 0, total, offsets, rows)
