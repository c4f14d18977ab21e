# SPDX-License-Identifier: BSD-3-Clause
"""Choice: a pass that may get in the way of later ones is kept only where it pays in the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import cache, wraps

from flexforge.codegen.count import count
from flexforge.codegen.ir.program import Program

Pass = Callable[[Program], Program]

#: So many programs a pass remembers: those that a choice tries, and the one that goes on.
REMEMBERED = 4


@cache
def remembered(run: Pass) -> Pass:
    """Return the pass, made to give what it gave for one of its last programs again.

    A choice finishes a program to see what it costs in the end; the same passes then come again to
    the same program. A pass that runs a second time finds all expressions in the graph, so what is
    remembered is what it would return.
    """
    known: deque[tuple[Program, Program]] = deque(maxlen=REMEMBERED)

    @wraps(run)
    def again(program: Program) -> Program:
        for before, after in known:
            if before.graph is program.graph and before == program:
                return after
        after = run(program)
        known.append((program, after))
        return after

    return again


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
            program = remembered(one)(program)
        return count(program).operations

    @wraps(run)
    def chosen(program: Program) -> Program:
        changed = run(program)
        if changed == program:
            return program
        return changed if finished(changed) < finished(program) else program

    return chosen
