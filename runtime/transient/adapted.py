# SPDX-License-Identifier: BSD-3-Clause
"""How steps have adapted, and what a summary tells of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class Adapted:
    """How steps have adapted from the start on.

    Attributes
    ----------
    taken, refused : int
        Numbers of steps.
    shortest, longest : float
        Of those taken, s; zero before the first one.
    """

    taken: int = 0
    refused: int = 0
    shortest: float = 0.0
    longest: float = 0.0

    def after(self, steps: int, length: float, refused: int = 0) -> Adapted:
        """Return the same after steps of a length, s, and others that were refused before them."""
        return replace(
            self,
            taken=self.taken + steps,
            refused=self.refused + refused,
            shortest=min(self.shortest, length) if self.taken else length,
            longest=max(self.longest, length),
        )

    def figures(self) -> dict[str, Any]:
        """Return what a summary tells."""
        return {
            "refused steps": self.refused,
            "shortest step": [self.shortest, "s"],
            "longest step": [self.longest, "s"],
        }
