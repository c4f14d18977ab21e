# SPDX-License-Identifier: BSD-3-Clause
"""Probes at nodes that several ranks own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.runtime.arrays import Floats, Ints
from flexforge.runtime.observe.motion import Samples
from flexforge.runtime.observe.probes import Probe


@dataclass(frozen=True, slots=True)
class SharedProbe(Probe):
    """A probe at own nodes of this rank, whose values the first rank collects.

    Attributes
    ----------
    positions : ndarray of int
        Of these nodes among all nodes of the probe.
    """

    positions: Ints

    def over(self, samples: Samples) -> Floats:
        """Return the values at several times, (T,); zero on ranks other than the first."""
        for name in self.reads:  # nodal values come from all ranks, or none has them
            getattr(samples, name)
        own = (self.positions, self.each(samples))
        pieces = self.loads.system.ranks.collected(own)
        if pieces is None:
            return np.zeros(len(samples.times))
        whole = np.concatenate([values for _, values in pieces], axis=1)
        order = np.argsort(np.concatenate([positions for positions, _ in pieces]))
        return self.reduced(whole[:, order])
