# SPDX-License-Identifier: BSD-3-Clause
"""The counts of one derivation, a row of a table of ledgers."""

from __future__ import annotations

from dataclasses import dataclass

from flexforge.codegen.mechanics.ledger import OPERATIONS


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """The counts of one derivation.

    Attributes
    ----------
    element, formalism : str
        What was derived, and how.
    counts : dict of str to int
        Total of every kind of :data:`flexforge.codegen.mechanics.ledger.RULES`.
    collecting : int
        Products and sums among them that expand the equations and sort them by term.
    kernels : dict of str to int
        Operations per element of the kernel of every requested term.
    seconds : float
        Duration of the derivation.
    """

    element: str
    formalism: str
    counts: dict[str, int]
    collecting: int
    kernels: dict[str, int]
    seconds: float = 0.0

    @property
    def total(self) -> int:
        """All operations: derivatives, products and sums.

        Examples
        --------
        >>> counts = {"partial derivatives": 8, "total time derivatives": 4, "products": 337,
        ...           "sums": 80, "largest expression": 106}
        >>> LedgerRow("quad4", "lagrange", counts, 332, {}).total
        429
        """
        return sum(self.counts[kind] for kind in OPERATIONS)
