# SPDX-License-Identifier: BSD-3-Clause
"""Memory of a kernel's lanes and local arrays: vectors, stack, and the caller's workspace.

Stack frames must be small, because threads have small stacks and a compiler does not tell how much
it adds: short local arrays stay on the stack, long ones move to memory of the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from flexforge.codegen.ir.program import Program
from flexforge.codegen.passes.rows import contiguous

#: Most bytes of local arrays in a stack frame. Spills of gcc 12 add up to 13 KiB in kernels with
#: arrays on the stack and 31 KiB in others; tests/codegen/emission/test_stack.py checks that every
#: standard kernel needs at most 32 KiB in all.
STACK_LIMIT = 12 * 1024
#: Alignment of arrays in the workspace: a cache line.
LINE = 64
#: Bytes of the widest hardware vector. A compiler splits wider ones on the stack.
VECTOR = 64

SCALAR_BYTES = {"double": 8, "float": 4}


@dataclass(frozen=True, slots=True)
class Layout:
    """Memory layout of a kernel.

    Attributes
    ----------
    width : int
        Lanes per vector.
    groups : int
        Vectors per call; a kernel computes one after the other.
    stack : int
        Bytes of local arrays on the stack.
    workspace : int
        Bytes of local arrays in the workspace.
    offsets : mapping
        Offset of each array in the workspace, in scalars, by name.
    contiguous : mapping
        Index that varies fastest, by name of the array; for other arrays it is the last.
    """

    width: int
    groups: int
    stack: int
    workspace: int
    offsets: Mapping[str, int]
    contiguous: Mapping[str, int]


def lay_out(program: Program, scalar: str, lanes: int) -> Layout:
    """Return the memory layout of a kernel's lanes and local arrays.

    Either all local arrays are on the stack, or all are in the workspace, one after the other.

    Parameters
    ----------
    program : Program
        The program after the passes.
    scalar : str
        ``double`` or ``float``.
    lanes : int
        Elements per call.
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
