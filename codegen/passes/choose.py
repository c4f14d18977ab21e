# SPDX-License-Identifier: BSD-3-Clause
"""Choice: a pass that may get in the way of later ones is kept only where it pays in the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps

from flexforge.codegen.ir.count import count
from flexforge.codegen.ir.program import Program

Pass = Callable[[Program], Program]

#: Number of programs cached per pass: those that a choice tries, and the one that is kept.
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


@dataclass(frozen=True, slots=True)
class Way:
    """A way to finish a program.

    Attributes
    ----------
    passes : tuple of callable
        What runs, in order.
    weight : float
        What an operation costs if the program is finished this way.
    """

    passes: tuple[Pass, ...]
    weight: float = 1.0

    def cost(self, program: Program) -> float:
        """Return what the finished program costs."""
        for one in self.passes:
            program = remembered(one)(program)
        return self.weight * count(program).operations


def where_it_pays(run: Pass, *ways: Way, saving: float = 0.0) -> Pass:
    """Return the pass, made to keep its change only if the finished program costs less.

    Parameters
    ----------
    run : callable
        The pass.
    ways : Way
        How the program may be finished, the cheapest counts: a sum that was multiplied out, or
        factored, may hide what later passes would have found.
    saving : float
        The part of the cost the pass has to save at least.

    Notes
    -----
    Assumes
        What the pass assumes.
    Guarantees
        What the pass guarantees; never more operations after the later passes.
    """

    def cost(program: Program) -> float:
        return min(way.cost(program) for way in ways)

    @wraps(run)
    def chosen(program: Program) -> Program:
        changed = run(program)
        if changed == program:
            return program
        return changed if cost(changed) < (1 - saving) * cost(program) else program

    return chosen
