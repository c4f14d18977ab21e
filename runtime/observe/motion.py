# SPDX-License-Identifier: BSD-3-Clause
"""The state of a system at one time, as probes and results read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.system import System


class Motion(Protocol):
    """State of a system at one time, arrays (N, d); quantities are computed on request."""

    @property
    def system(self) -> System:
        """The bodies, with their stresses except for tied bodies, whose stresses vary."""

    @property
    def displacement(self) -> Floats:
        """Relative to the frames, m."""

    @property
    def velocity(self) -> Floats:
        """Relative to the frames, m/s."""

    @property
    def acceleration(self) -> Floats:
        """Relative to the frames, m/s^2."""


@dataclass(frozen=True, slots=True)
class AtRest:
    """A system at rest in its frames.

    Attributes
    ----------
    system : System
        The bodies, with their stresses.
    displacement : ndarray, (N, d)
        Relative to the frames, m.
    """

    system: System
    displacement: Floats

    @property
    def velocity(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)

    @property
    def acceleration(self) -> Floats:
        """Zero."""
        return np.zeros_like(self.displacement)
