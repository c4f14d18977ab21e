# SPDX-License-Identifier: BSD-3-Clause
"""Symbols of shape functions at a point, for generic or numbered nodes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import sympy

#: Values, derivatives and mean derivatives N_a, N_a,1, M_a,1 of shape functions; entries N_a,12
#: B_a,12 G_a,112 of matrices; vectors H_a,1 C_a,1 L_a,1 of nodes of deformed elements.
_OF_A_NODE = re.compile(r"([NMBG]_(?P<node>\w+)(,\d+)?|[HCL]_(?P<moved>\w+),\d+)")


def shape_symbol(node: str) -> sympy.Symbol:
    """Return the symbol of the value of a node's shape function at the point."""
    return sympy.Symbol(f"N_{node}", real=True)


def gradient_symbols(node: str, dimension: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the gradient of a node's shape function at the point."""
    return tuple(sympy.Symbol(f"N_{node},{j + 1}", real=True) for j in range(dimension))


def mean_symbols(node: str, dimension: int) -> tuple[sympy.Symbol, ...]:
    """Return the symbols of the mean of that gradient over the element."""
    return tuple(sympy.Symbol(f"M_{node},{j + 1}", real=True) for j in range(dimension))


def node_of(symbol: sympy.Symbol) -> str | None:
    """Return the label of the node of a shape symbol, or None for other symbols."""
    found = _OF_A_NODE.fullmatch(symbol.name)
    return found["node"] or found["moved"] if found else None


def with_nodes(block: sympy.MatrixBase, names: Mapping[str, str]) -> sympy.MatrixBase:
    """Return a block with its shape symbols moved from some nodes to others."""
    known = {}
    for symbol in block.free_symbols:
        node = node_of(symbol)
        if node is not None and node in names:
            letter, rest = symbol.name[0], symbol.name[2 + len(node) :]
            known[symbol] = sympy.Symbol(f"{letter}_{names[node]}{rest}", real=True)
    return block.xreplace(known)


def column(name: str, size: int) -> sympy.ImmutableMatrix:
    """Return a column of symbols ``name1, name2, ..``."""
    return sympy.ImmutableMatrix([sympy.Symbol(f"{name}{i + 1}", real=True) for i in range(size)])
