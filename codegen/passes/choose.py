# SPDX-License-Identifier: BSD-3-Clause
"""Choice: a pass that may get in the way of later ones is kept only where it pays in the end."""

from __future__ import annotations

from collections.abc import Callable

from flexforge.codegen.count import count
from flexforge.codegen.ir.program import Program
from flexforge.codegen.passes.cse import eliminate_common_subexpressions
from flexforge.codegen.passes.hoist import hoist_invariants

Pass = Callable[[Program], Program]


def where_it_pays(run: Pass) -> Pass:
    """Return the pass, made to keep its change only if the finished program costs less.

    Assumes
        The pass is followed by hoisting and by the search for common subexpressions: a factored
        sum hides products that several sums have in common.
    Guarantees
        What the pass guarantees; never more operations after hoisting and sharing.
    """

    def chosen(program: Program) -> Program:
        changed = run(program)
        return changed if _finished(changed) < _finished(program) else program

    return chosen


def _finished(program: Program) -> int:
    """Return the operations of a program after hoisting and sharing."""
    return count(eliminate_common_subexpressions(hoist_invariants(program))).operations
