# SPDX-License-Identifier: BSD-3-Clause
"""Choice: a pass that may hinder later ones is kept only if the finished program is cheaper."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, wraps

from flexforge.codegen.ir.count import accesses, count
from flexforge.codegen.ir.program import Program

Pass = Callable[[Program], Program]

#: Number of programs of one graph cached per pass: those that all choices try, and keep.
REMEMBERED = 16
#: A program of more operations, before any pass, is large: those of all matrices of elements with
#: 15 nodes or more, and of some with eight.
LARGE = 12500


@cache
def remembered(run: Pass) -> Pass:
    """Return the pass with a cache of its last results for the programs of one graph.

    A choice finishes a program to find its final cost; afterwards the same passes run again on the
    same program. A second run would find all its expressions in the graph already, so the cached
    result is what it would return.
    """
    known: deque[tuple[Program, Program]] = deque(maxlen=REMEMBERED)

    @wraps(run)
    def again(program: Program) -> Program:
        if known and known[0][0].graph is not program.graph:
            known.clear()  # another kernel
        for before, after in known:
            if before is program or before == program:
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
        Passes in order.
    weight : float
        Cost of an operation if the program is finished this way.
    access : float
        Cost of a load from a local array, or of a store into one.
    """

    passes: tuple[Pass, ...]
    weight: float = 1.0
    access: float = 0.0

    def cost(self, program: Program) -> float:
        """Return the cost of the finished program."""
        for one in self.passes:
            program = remembered(one)(program)
        return self.weight * count(program).operations + (
            self.access * accesses(program) if self.access else 0.0
        )


def where_it_pays(
    run: Pass,
    *ways: Way,
    saving: float = 0.0,
    instead: Pass | None = None,
    large: Way | None = None,
) -> Pass:
    """Return the pass, modified to keep its change only if the finished program costs less.

    Parameters
    ----------
    run : callable
        The pass.
    ways : Way
        Ways to finish the program, of which the cheapest counts: an expanded or factored sum
        may hide what later passes would have found.
    saving : float
        Smallest fraction of the cost that the pass has to save.
    instead : callable, optional
        The pass that is run otherwise, by default none: its cost is compared with.
    large : Way, optional
        Quick way in which large programs are finished: finishing one of them takes seconds.

    Notes
    -----
    Assumes
        The assumptions of the pass.
    Guarantees
        The guarantees of the pass; never more operations after the later passes.
    """

    @wraps(run if instead is None else instead)
    def chosen(program: Program) -> Program:
        changed = remembered(run)(program)
        otherwise = program if instead is None else remembered(instead)(program)
        if changed == otherwise:
            return otherwise
        tried = ways
        if large is not None and count(otherwise).operations > LARGE:
            tried = (large,)
        costs = [min(way.cost(each) for way in tried) for each in (changed, otherwise)]
        return changed if costs[0] < (1 - saving) * costs[1] else otherwise

    return chosen
