# SPDX-License-Identifier: BSD-3-Clause
"""From SymPy to expressions: the only module that uses both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction

import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.ir.expression import FUNCTIONS, Add, Const, Expr, Graph
from flexforge.codegen.positive import positive, step
from sympy.codegen.cfunctions import expm1, log1p

#: Functions of the C library by those of SymPy.
_ELSEWHERE = {"fabs": sympy.Abs, "expm1": expm1, "log1p": log1p}
#: Up to which a quantity of the order of one is zero as computed, and over which its step rises.
_ROUNDED, _LEAST = 1e-13, 1e-30
_FUNCTIONS = {
    _ELSEWHERE.get(name) or getattr(sympy, name): name for name in FUNCTIONS if name != "fmax"
}


def convert(expression: sympy.Expr, leaves: Mapping[sympy.Symbol, Expr], graph: Graph) -> Expr:
    """Return a SymPy expression as a node of the graph.

    Parameters
    ----------
    expression : sympy.Expr
        Of symbols and numbers, by sums, products, powers, square roots and functions.
    leaves : mapping
        Expression of each symbol.
    graph : Graph
        Graph in which the node is created.

    Raises
    ------
    FlexforgeError
        For an unknown symbol, or a function that kernels do not have.
    """
    done: dict[sympy.Basic, Expr] = {}
    # Operands before what uses them, each once: expressions have many parts in common.
    above: list[tuple[sympy.Basic, Iterator[sympy.Basic]]] = [(expression, iter(expression.args))]
    while above:
        node, rest = above[-1]
        for part in rest:
            if part not in done:
                above.append((part, iter(part.args)))
                break
        else:
            above.pop()
            done[node] = _convert_node(node, done, leaves, graph)
    return done[expression]


def _holds_rounded(term: Expr) -> bool:
    """Whether a term is, or adds, a number that is not exact."""
    parts = term.args if isinstance(term, Add) else (term,)
    return any(isinstance(one, Const) and isinstance(one.value, float) for one in parts)


def _convert_node(
    node: sympy.Basic,
    done: Mapping[sympy.Basic, Expr],
    leaves: Mapping[sympy.Symbol, Expr],
    graph: Graph,
) -> Expr:
    """Convert one node with converted operands."""
    if isinstance(node, sympy.Symbol):
        if node not in leaves:
            raise FlexforgeError(f"symbol '{node}' has no meaning in a kernel")
        return leaves[node]
    if isinstance(node, sympy.Rational):
        return graph.const(Fraction(int(node.p), int(node.q)))
    if isinstance(node, sympy.Float):
        return graph.const(float(node))
    if isinstance(node, sympy.Add):
        terms = [done[a] for a in node.args]
        if any(map(_holds_rounded, terms)):
            # The order matters for sums of rounded numbers alone, and SymPy's takes long to find.
            terms = [done[a] for a in node.as_ordered_terms()]
        return graph.add(*terms)
    if isinstance(node, sympy.Mul):
        # as_ordered_factors may name operands that were not visited (a sign pulled out).
        return graph.mul(*(done[a] for a in node.args))
    if isinstance(node, sympy.Pow):
        if node.exp.is_Integer:
            return graph.power(done[node.base], int(node.exp))
        if node.exp.is_Rational and node.exp.q == 2:
            return graph.power(graph.sqrt(done[node.base]), int(node.exp.p))
    if isinstance(node, positive | step):
        inner = done[node.args[0]]
        if isinstance(node, positive):
            return graph.call("fmax", inner, graph.const(0))
        above = graph.call("fmax", graph.add(inner, graph.const(-_ROUNDED)), graph.const(0))
        return graph.div(above, graph.add(above, graph.const(_LEAST)))
    if node.func in _FUNCTIONS:
        return graph.call(_FUNCTIONS[node.func], *(done[a] for a in node.args))
    if node is sympy.pi:
        return graph.const(math.pi)
    raise FlexforgeError(
        f"expression '{node}' cannot be compiled; expected + - * / sqrt, {', '.join(FUNCTIONS)}"
    )
