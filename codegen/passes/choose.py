# SPDX-License-Identifier: BSD-3-Clause
"""Choice: a pass that may get in the way of later ones is kept only where it pays in the end."""

from __future__ import annotations

from collections.abc import Callable

from flexforge.codegen.count import count
from flexforge.codegen.ir.program import Program

Pass = Callable[[Program], Program]


def where_it_pays(run: Pass, *later: Pass) -> Pass:
    """Return the pass, made to keep its change only if the finished program costs less.

    Parameters
    ----------
    run : callable
        The pass.
    later : callable
        The passes that finish the program: a sum that was multiplied out, or factored, may hide
        what they would have found.

    Notes
    -----
    Assumes
        What the pass assumes.
    Guarantees
        What the pass guarantees; never more operations after the later passes.
    """

    def finished(program: Program) -> int:
        for one in later:
            program = one(program)
        return count(program).operations

    def chosen(program: Program) -> Program:
        changed = run(program)
        if changed == program:
            return program
        return changed if finished(changed) < finished(program) else program

    return chosen
