# SPDX-License-Identifier: BSD-3-Clause
"""Structure of a density, detected and never assumed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import sympy
from flexforge.codegen.mechanics.shape_symbols import node_of, with_nodes


@dataclass(frozen=True)
class Structure:
    """Structure of the block of a generic pair of nodes.

    Attributes
    ----------
    name : str
        ``zero``; ``kronecker``: one scalar per pair times a block that is the same for all pairs;
        ``full`` otherwise.
    scalar : sympy.Expr
        Density of the scalar of a pair; only meaningful for ``kronecker``.
    block : sympy.ImmutableMatrix
        The common block; free of shape symbols.
    symmetry : str
        ``symmetric`` if block(b, a) = block(a, b)^T, ``skew`` for its negative, else ``general``.
    """

    name: str
    scalar: sympy.Expr
    block: sympy.ImmutableMatrix
    symmetry: str


@lru_cache(maxsize=64)
def find_structure(density: sympy.ImmutableMatrix) -> Structure:
    """Return the structure of the block of row node a and column node b.

    Parameters
    ----------
    density : sympy.ImmutableMatrix
        Square block in the shape symbols of the nodes a and b.
    """
    symmetry = find_symmetry(density)
    if density.is_zero_matrix:
        return Structure("zero", sympy.Integer(0), density, symmetry)
    shapes = {symbol for symbol in density.free_symbols if node_of(symbol)}
    pivot = next(entry for entry in density if entry != 0)
    # The only candidate for the scalar is the product of those pivot factors with shape symbols.
    factors = sympy.Mul.make_args(sympy.factor_terms(pivot))
    scalar = sympy.Mul(*(f for f in factors if f.free_symbols & shapes))
    block = []
    for entry in density:
        block.append(sympy.cancel(entry / scalar))
        if block[-1].free_symbols & shapes:
            return Structure("full", sympy.Integer(1), density, symmetry)
    return Structure("kronecker", scalar, sympy.ImmutableMatrix(*density.shape, block), symmetry)


def find_symmetry(density: sympy.ImmutableMatrix) -> str:
    """Return the symmetry of the block under exchange of the two nodes."""
    return _symmetry(sympy.ImmutableMatrix(density))


@lru_cache(maxsize=64)
def _symmetry(density: sympy.ImmutableMatrix) -> str:
    exchanged = with_nodes(density.T, {"a": "b", "b": "a"})
    # An entry below the diagonal differs as the one above it does, with the nodes exchanged.
    places = [(i, k) for i in range(density.rows) for k in range(i, density.cols)]
    for name, sign in (("symmetric", 1), ("skew", -1)):
        if all(sympy.expand(density[at] - sign * exchanged[at]) == 0 for at in places):
            return name
    return "general"
