# SPDX-License-Identifier: BSD-3-Clause
"""Counters of the work of a run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Counts:
    """Work done.

    Attributes
    ----------
    steps, residuals, factorizations, solves, products : int
        How many; solves are those with factors, products those with the matrix of a step.
    most_solves : int
        In one step.
    factor_bytes : int
        Memory of the factors.
    """

    steps: int = 0
    residuals: int = 0
    factorizations: int = 0
    solves: int = 0
    products: int = 0
    most_solves: int = 0
    factor_bytes: int = 0

    def __add__(self, later: Counts) -> Counts:
        """Return the work of this process and of a later one."""
        return Counts(
            self.steps + later.steps,
            self.residuals + later.residuals,
            self.factorizations + later.factorizations,
            self.solves + later.solves,
            self.products + later.products,
            max(self.most_solves, later.most_solves),
            later.factor_bytes,
        )

    def solved(self, times: int) -> None:
        """Count the solves of a step."""
        self.solves += times
        self.most_solves = max(self.most_solves, times)
