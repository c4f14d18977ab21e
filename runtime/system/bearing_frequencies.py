# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of bearings over the frequency of vibrations, and over the speed of the shaft."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.bearing_law import TO_DIGITS, BearingLaw


@dataclass(frozen=True, eq=False)
class FrequencyLaw(BearingLaw):
    """Stiffness, damping and mass over the frequency; as a law without it those of rest.

    Real and imaginary part of a measured stiffness are ``k`` and ``w c``: they go on into the
    complex plane as ``k + s c``.

    Attributes
    ----------
    frequencies : ndarray, (F,)
        Ascending, rad/s.
    grid : ndarray, (S, F, 3, 2, 2)
        Coefficients at every speed, one without speeds, and frequency; or, measured, real and
        imaginary parts, N/m.
    measured : bool
        Whether they are these parts.
    """

    frequencies: Floats = field(default_factory=lambda: np.zeros(1))
    grid: Floats = field(default_factory=lambda: np.zeros((1, 1, 3, 2, 2)))
    measured: bool = False

    @classmethod
    def of(
        cls, speeds: Floats, frequencies: Floats, grid: Floats, source: str, *, measured: bool
    ) -> FrequencyLaw:
        """Return a law; parameters are its attributes."""
        found = cls(grid[:, 0], speeds, source, frequencies, grid, measured)
        return cls(found._at(0.0), speeds, source, frequencies, grid, measured)

    @property
    def vibrates(self) -> bool:
        """Whether it depends on the frequency of vibrations: it does."""
        return True

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping at any frequency."""
        return bool(self.grid[:, :, 1].any())

    @property
    def is_inert(self) -> bool:
        """Whether it has any mass at any frequency."""
        return bool(self.grid[:, :, 2].any())

    @property
    def masses(self) -> Floats:
        """Masses across the shaft wherever they are given, (S, F, 2, 2), kg."""
        return self.grid[:, :, 2]

    def at_frequency(self, frequency: float) -> BearingLaw:
        """Return the law of vibrations of a frequency, rad/s: beyond the ends those there."""
        return BearingLaw(self._at(frequency), self.speeds, self.source)

    def vibrating(self, speeds: Floats, frequencies: Floats) -> Floats:
        """Return coefficients at pairs of speed and frequency.

        Parameters and result are those of :meth:`BearingLaw.vibrating`.
        """
        pairs = zip(speeds.tolist(), frequencies.tolist(), strict=True)
        return np.array([self.at_frequency(w).at(speed) for speed, w in pairs])

    def beyond_frequencies(self, frequencies: Iterable[float]) -> list[float]:
        """Return the frequencies, rad/s, that are not between the first and the last."""
        low, high = self.frequencies[[0, -1]] * [1.0 - TO_DIGITS, 1.0 + TO_DIGITS]
        return [one for one in frequencies if not low <= one <= high]

    def _at(self, frequency: float) -> Floats:
        """Return the coefficients at a frequency, rad/s, at every speed, (S, 3, 2, 2)."""
        w = min(max(frequency, float(self.frequencies[0])), float(self.frequencies[-1]))
        found = np.array(self._curve_of_frequency(w))
        if self.measured:
            found[:, 1] = found[:, 1] / w if w else self._curve_of_frequency(0.0, 1)[:, 1]
        return found

    @cached_property
    def _curve_of_frequency(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        if len(self.frequencies) == 1:
            return lambda w, order=0: self.grid[:, 0] * (1.0 - order)
        return PchipInterpolator(self.frequencies, self.grid, axis=1)
