# SPDX-License-Identifier: BSD-3-Clause
"""C6: Maggi's unknowns against Lagrange's with multipliers, and what factoring them costs."""

from __future__ import annotations

from collections.abc import Iterable

from flexforge.codegen.claims.claim import Finding, Table, holds
from flexforge.codegen.elements.library import element

#: Lengths of the row of elements.
LENGTHS = (5, 10, 20, 40, 160)


def c6() -> Finding:
    """Return unknowns and elimination of a row of quad4 elements, connected in two ways."""
    section = 2 * element("quad4").components
    rows, facts = [], []
    for n in LENGTHS:
        coordinates, constraints = 2 * section * n, section * (n - 1)
        multipliers = _eliminate(*_with_multipliers(n, section))
        maggi = _eliminate(*_reduced(n, section))
        counts = coordinates + constraints, coordinates - constraints
        rows.append((n, coordinates, constraints, *counts, multipliers[0], maggi[0],
                     multipliers[1], maggi[1], f"{multipliers[1] / maggi[1]:.2f}"))  # fmt: skip
        facts.append(counts[1] < counts[0] and maggi < multipliers)
    return Finding(
        "C6",
        "Maggi's equations have fewer unknowns than Lagrange's with multipliers, hence take less "
        "computer time.",
        "Scutaru 2020 section 5",
        holds(*facts),
        "A row of quad4 elements, unconnected at first: n coordinates, tied by m constraints. "
        "Lagrange solves for n + m unknowns, Maggi for n - m. Both systems are eliminated along "
        "the row, which is the best order for a row: entries of the factors and products of the "
        "elimination, exactly. The claim is checked for constraints with a sparse A that is "
        "constant (assembly); where A is dense, or changes with time, forming A^T M A has to be "
        "paid for and is not in these figures.",
        (Table(("elements", "n", "m", "n + m", "n - m", "factor entries: multipliers", "Maggi",
                "products: multipliers", "Maggi", "ratio"), tuple(rows)),),
    )  # fmt: skip


def _with_multipliers(n: int, section: int) -> tuple[list[int], list[set[int]]]:
    """Return an order of elimination and the couplings of [M J^T; J 0] along a row."""
    own = 2 * section
    stride = own + section
    size = own * n + section * (n - 1)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for e in range(n):
        unknowns = range(e * stride, e * stride + own)
        _couple(neighbours, unknowns)
        if e + 1 < n:
            for k in range(section):
                here, there = e * stride + section + k, (e + 1) * stride + k
                _couple(neighbours, (e * stride + own + k, here))
                _couple(neighbours, (e * stride + own + k, there))
    return list(range(size)), neighbours


def _reduced(n: int, section: int) -> tuple[list[int], list[set[int]]]:
    """Return an order of elimination and the couplings of A^T M A along a row."""
    size = section * (n + 1)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for e in range(n):
        _couple(neighbours, range(e * section, (e + 2) * section))
    return list(range(size)), neighbours


def _couple(neighbours: list[set[int]], unknowns: Iterable[int]) -> None:
    together = list(unknowns)
    for one in together:
        neighbours[one].update(other for other in together if other != one)


def _eliminate(order: list[int], neighbours: list[set[int]]) -> tuple[int, int]:
    """Return the entries of the factor and the products of a symmetric elimination."""
    entries = products = 0
    left = [set(n) for n in neighbours]
    for pivot in order:
        others = left[pivot]
        entries += 1 + len(others)
        products += len(others) * (len(others) + 3) // 2
        for one in others:
            left[one] |= others
            left[one] -= {one, pivot}
    return entries, products
