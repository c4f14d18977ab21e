# SPDX-License-Identifier: BSD-3-Clause
"""A claim, its verdict, and the numbers beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """A table of numbers.

    Attributes
    ----------
    heads : tuple of str
        Heads of the columns.
    rows : tuple of tuple
        Texts and numbers.
    """

    heads: tuple[str, ...]
    rows: tuple[tuple[object, ...], ...]


@dataclass(frozen=True)
class Finding:
    """Result of a claim.

    Attributes
    ----------
    number, statement, where : str
        The claim, and the papers that state it.
    verdict : str
        ``holds``, ``does not hold`` or ``depends on ...``; computed.
    explanation : str
        How it was counted, and what the numbers mean.
    tables : tuple of Table
        The numbers.
    """

    number: str
    statement: str
    where: str
    verdict: str
    explanation: str
    tables: tuple[Table, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the finding as plain data."""
        return {
            "claim": self.number,
            "statement": self.statement,
            "where": self.where,
            "verdict": self.verdict,
            "explanation": self.explanation,
            "tables": [
                {"heads": list(t.heads), "rows": [list(r) for r in t.rows]} for t in self.tables
            ],
        }


def holds(*facts: bool) -> str:
    """Return the verdict of facts that must all be true."""
    return "holds" if all(facts) else "does not hold"


def depends(on: str, facts: Sequence[bool]) -> str:
    """Return ``holds`` or ``does not hold`` if the facts agree, else what it depends on."""
    if all(facts):
        return "holds"
    return f"depends on {on}" if any(facts) else "does not hold"
