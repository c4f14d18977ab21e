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

    def solved(self, times: int) -> None:
        """Count the solves of a step."""
        self.solves += times
        self.most_solves = max(self.most_solves, times)
