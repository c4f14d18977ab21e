# SPDX-License-Identifier: BSD-3-Clause
"""Common subexpressions: shared parts of the statements in a body are computed once.

Equal expressions already are one node; this pass names the nodes that are used more than once,
and finds partial sums and products that longer ones have in common.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from flexforge.codegen.ir.expression import Expr, Graph, Mul, is_sign
from flexforge.codegen.ir.program import Accumulate, Let, Program, Statement, Store, expressions
from flexforge.codegen.ir.traversal import postorder, unfinished
from flexforge.codegen.passes.pairs import extract_pairs
from flexforge.codegen.passes.rewriting import Body, fresh_names, map_bodies, with_value


def eliminate_common_subexpressions(program: Program) -> Program:
    """Name nodes that are used twice in a body, including partial sums and products.

    Assumes
        No array entry or scalar that a body reads is changed in the same body after the first
        statement that reads it.
    Guarantees
        Never more operations. Cost model: a temporary saves at least one operation, and
        loads are free.
    """
    fresh = fresh_names(program, "shared")

    def change(body: Body) -> Body:
        return _name_shared(extract_pairs(body, program.graph, fresh), program.graph, fresh)

    return replace(program, body=map_bodies(program.body, change))


def _is_free(node: Expr) -> bool:
    """Whether a node costs nothing beyond its operands: a leaf, or a change of sign."""
    args = node.args
    # A product has at most one number.
    return not args or (
        len(args) == 2 and isinstance(node, Mul) and (is_sign(args[0]) or is_sign(args[1]))
    )


def _name_shared(body: Body, graph: Graph, fresh: Callable[[], str]) -> Body:
    """Give names to nodes that are used more than once in the body."""
    inner = [node for node in postorder(expressions(body)) if node.args]
    uses: defaultdict[int, int] = defaultdict(int)
    for root in expressions(body):
        uses[root.number] += 1
    for node in reversed(inner):
        # A free node gets no name: each of its uses is a use of its operand.
        times = uses[node.number] if _is_free(node) else 1
        for arg in node.args:
            uses[arg.number] += times
    shared = {n.number for n in inner if uses[n.number] > 1 and not _is_free(n)}
    names: dict[int, str] = {}
    done: dict[int, Expr] = {}
    result: list[Statement] = []
    for statement in body:
        if isinstance(statement, Let | Accumulate | Store):
            root = statement.value
            for node in unfinished(root, done):
                if node.number in names:
                    done[node.number] = graph.temp(names[node.number])
                    continue
                rebuilt = graph.rebuild(node, tuple([done[a.number] for a in node.args]))
                if node.number in shared and not (isinstance(statement, Let) and node is root):
                    names[node.number] = fresh()
                    result.append(Let(names[node.number], rebuilt))
                    rebuilt = graph.temp(names[node.number])
                done[node.number] = rebuilt
            value = done[root.number]
            if isinstance(statement, Let) and root.number in shared and root.number not in names:
                # It has this name from now on.
                names[root.number] = statement.name
                del done[root.number]
            statement = with_value(statement, value)
        result.append(statement)
    return tuple(result)
