# SPDX-License-Identifier: BSD-3-Clause
"""The balances that a motion of tied bodies has to keep: of energy, and of momentum."""

from __future__ import annotations

from typing import Any

from flexforge.runtime.analyses.constrained import Constrained
from flexforge.runtime.analyses.energy import Energy
from flexforge.runtime.analyses.momentum import Momentum


class Conserved:
    """Energy and momentum of a motion at the times it is asked to follow.

    Parameters
    ----------
    motion : Constrained
        The motion.
    """

    def __init__(self, motion: Constrained) -> None:
        self.energy, self.momentum = Energy(motion), Momentum(motion)

    def follow(self) -> None:
        """Take the state that the motion has reached into account."""
        self.energy.follow()
        self.momentum.follow()

    def figures(self) -> dict[str, Any]:
        """Return what a summary tells of both."""
        return self.energy.figures() | self.momentum.figures()
