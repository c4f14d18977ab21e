# SPDX-License-Identifier: BSD-3-Clause
"""C6: unknowns of Maggi and of Lagrange with multipliers, and the cost of factorization."""

from __future__ import annotations

from collections.abc import Iterable

from flexforge.codegen.elements.library import element
from flexforge.codegen.study.claims.claim import Finding, Table, holds

#: Entries and products of an elimination with multipliers and of one without.
_Work = tuple[tuple[int, int], tuple[int, int]]

#: Lengths of the row of elements.
LENGTHS = (5, 10, 20, 40, 160)
#: Ratio of products from which on the saving counts as worthwhile.
WORTH = 1.5


#: Elements of a link of beams, and links of a chain.
LINK_LENGTHS = (1, 2, 5, 10, 50)
LINKS = 10
_BEAM = 6  # coordinates per node in space


def c6() -> Finding:
    """Return unknowns and elimination of elements in a row, and of elastic links in a chain."""
    section = 2 * element("quad4").components
    rows = [_row(n, *_pieces(n, section, 1)) for n in LENGTHS]
    chain = [_row(k, *_pieces(LINKS, _BEAM, k)) for k in LINK_LENGTHS]
    heads = ("n", "m", "n + m", "n - m", "factor entries: multipliers", "Maggi",
             "products: multipliers", "Maggi", "ratio")  # fmt: skip
    # Fewer of all at every length, regardless of how much fewer.
    facts = [row[4] < row[3] and row[6] < row[5] and row[8] < row[7] for row in (*rows, *chain)]
    ratios = [row[7] / row[8] for row in (*rows, *chain)]
    worth = [ratio > WORTH for ratio in ratios]
    verdict = holds(*facts)
    if verdict == "holds" and not all(worth):
        verdict = (
            "holds for unknowns and operations; the saving depends on how many of the "
            "coordinates are constrained"
        )
    return Finding(
        "C6",
        "Maggi's equations have fewer unknowns than Lagrange's with multipliers, hence take less "
        "computer time.",
        "Scutaru 2020 section 5",
        verdict,
        "A row of separate quad4 elements: n coordinates, connected by m constraints; and "
        f"a chain of {LINKS} links, each of several beam elements in space, connected by "
        "joints and motors, six constraints each. Lagrange solves for n + m unknowns, Maggi for "
        "n - m. Both systems are eliminated along the row, which is the best order for a row; the "
        "entries of the factors and the products of the elimination are exact. If every element is "
        "connected to the next, Maggi's equations take half; if links are long, joints hardly "
        "matter in either. A is taken at one instant; if it changes with time, forming A^T M A "
        "again, or multiplying by A, is not in these numbers. Times of whole steps, for chains and "
        "loops of 10 to 100,000 elements, are measured by `flexforge bench constraints --parts "
        "ways` and are in docs/performance.md, *Bodies tied by joints*: there factoring was "
        "cheaper if many coordinates are constrained, but whole steps were not.",
        (
            Table(
                ("elements", *heads),
                tuple((*row[:-1], f"{r:.2f}") for row, r in zip(rows, ratios, strict=False)),
            ),
            Table(
                ("elements per link", *heads),
                tuple(
                    (*row[:-1], f"{r:.2f}")
                    for row, r in zip(chain, ratios[len(rows) :], strict=True)
                ),
            ),
        ),
    )


def _row(length: int, coordinates: int, constraints: int, work: _Work) -> tuple[int, ...]:
    """Return a row of a table: sizes, entries and products, and the length again."""
    (entries, products), (reduced, fewer) = work
    counts = coordinates + constraints, coordinates - constraints
    return (length, coordinates, constraints, *counts, entries, reduced, products, fewer, length)


def _pieces(pieces: int, section: int, elements: int) -> tuple[int, int, _Work]:
    """Return coordinates and constraints of pieces in a row, and elimination both ways."""
    coordinates = section * (elements + 1) * pieces
    work = (
        _eliminate(*_with_multipliers(pieces, section, elements)),
        _eliminate(*_reduced(pieces * elements, section)),
    )
    return coordinates, section * (pieces - 1), work


def _with_multipliers(
    pieces: int, section: int, elements: int = 1
) -> tuple[list[int], list[set[int]]]:
    """Return an order of elimination and the couplings of [M J^T; J 0] along a row of pieces."""
    own = section * (elements + 1)
    stride = own + section
    size = own * pieces + section * (pieces - 1)
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for piece in range(pieces):
        first = piece * stride
        for e in range(elements):
            _couple(neighbours, range(first + e * section, first + (e + 2) * section))
        if piece + 1 < pieces:
            for k in range(section):
                multiplier = first + own + k
                _couple(neighbours, (multiplier, first + own - section + k))
                _couple(neighbours, (multiplier, first + stride + k))
    return list(range(size)), neighbours


def _reduced(n: int, section: int) -> tuple[list[int], list[set[int]]]:
    """Return an order of elimination and the couplings of A^T M A along a row of elements."""
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
