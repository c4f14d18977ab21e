# SPDX-License-Identifier: BSD-3-Clause
"""Coefficients of bearings and seals: constant, or over the speed of a shaft."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.inertia import skew

#: A quarter turn across the axis.
TURN = skew(np.array([0.0, 0.0, 1.0]))[:2, :2]
#: Difference of coefficients along both axes, relative to the largest, that is round-off.
_ALIKE = 1e-12
#: Speeds below zero, relative to the last of a table, that round-off makes of zero.
_STILL = 1e-12
#: Speeds of a table that are given to six digits or more end where they are meant to.
TO_DIGITS = 1e-6


@dataclass(frozen=True, eq=False)
class BearingLaw:
    """Stiffness, damping and mass across a shaft.

    Attributes
    ----------
    values : ndarray, (S, 3, 2 + 3 h, 2 + 3 h)
        Stiffness (N/m), damping (N s/m) and mass (kg) at every speed; one without a table. They are
        of x and y across the shaft, and along x, y and the axis of h internal vectors.
    speeds : ndarray, (S,)
        Ascending, rad/s; none without a table.
    source : str
        The file or the key of the table, for messages.
    """

    values: Floats
    speeds: Floats = field(default_factory=lambda: np.zeros(0))
    source: str = ""

    @property
    def varies(self) -> bool:
        """Whether it depends on the speed."""
        return len(self.speeds) > 0

    @property
    def vibrates(self) -> bool:
        """Whether it depends on the frequency of vibrations."""
        return False

    @property
    def is_damped(self) -> bool:
        """Whether it has any damping."""
        return bool(self.values[:, 1].any())

    @property
    def masses(self) -> Floats:
        """Masses across the shaft wherever they are given, (.., 2, 2), kg."""
        return self.values[:, 2, :2, :2]

    @property
    def is_inert(self) -> bool:
        """Whether it has any mass."""
        return bool(self.values[:, 2].any())

    def at_frequency(self, frequency: float) -> BearingLaw:
        """Return the law of vibrations of a frequency, rad/s."""
        del frequency
        return self

    def vibrating(self, speeds: Floats, frequencies: Floats) -> Floats:
        """Return stiffness, damping and mass at pairs of speed and frequency, rad/s, as `values`.

        Parameters
        ----------
        speeds, frequencies : ndarray, (P,)
            rad/s.
        """
        del frequencies
        return self.over(speeds)

    @property
    def internal(self) -> int:
        """Number of internal vectors, h."""
        return int(self.values.shape[2] - 2) // 3

    def at(self, speed: float) -> Floats:
        """Return stiffness, damping and mass at a speed; see :meth:`over`.

        Parameters
        ----------
        speed : float
            rad/s.
        """
        return np.asarray(self.over(np.array([speed]))[0])

    def over(self, speeds: Floats) -> Floats:
        """Return stiffness, damping and mass at speeds, as `values`.

        Between the rows of a table by monotone cubics, beyond them those of its ends.

        Parameters
        ----------
        speeds : ndarray, (S,)
            rad/s.

        Raises
        ------
        InputError
            For a speed below zero, of which a table says nothing.
        """
        if not self.varies:
            return np.repeat(self.values, len(speeds), axis=0)
        for speed in speeds[speeds < -_STILL * self.speeds[-1]]:
            raise InputError(
                f"{self.source}: found the speed {speed:g} rad/s about its axis; expected one from "
                "0, in the sense for which the table is"
            )
        return np.asarray(self._curve(np.clip(speeds, self.speeds[0], self.speeds[-1])))

    def slope(self, speed: float) -> Floats:
        """Return the derivative of :meth:`at` by the speed; zero beyond the ends of a table.

        Parameters
        ----------
        speed : float
            rad/s.
        """
        within = len(self.speeds) > 1 and self.speeds[0] <= speed <= self.speeds[-1]
        return np.asarray(self._curve(speed, 1)) if within else np.zeros_like(self.values[0])

    @cached_property
    def is_alike(self) -> bool:
        """Whether it is the same in all directions across the axis: ``a 1 + b J`` at all speeds."""
        from scipy.linalg import block_diag

        turn = block_diag(TURN, *[np.pad(TURN, (0, 1))] * self.internal)
        turned = self.values @ turn - turn @ self.values
        sizes = np.abs(self.values).max(axis=(0, 2, 3))
        return bool((np.abs(turned).max(axis=(0, 2, 3)) <= _ALIKE * sizes).all())

    def beyond(self, speeds: Iterable[float]) -> list[float]:
        """Return the speeds, rad/s, that are not between the first and the last of the table."""
        if not self.varies:
            return []
        low, high = self.speeds[[0, -1]] * [1.0 - TO_DIGITS, 1.0 + TO_DIGITS]
        return [one for one in speeds if not low <= one <= high]

    @cached_property
    def _curve(self) -> Any:
        from scipy.interpolate import PchipInterpolator

        if len(self.speeds) == 1:
            return lambda speeds: np.repeat(self.values, len(speeds), axis=0)
        return PchipInterpolator(self.speeds, self.values)


def alike_part(law: Floats) -> Floats:
    """Return what of a law across a shaft, (..., 2, 2), is the same in all directions.

    It is ``a 1 + b J``; a bearing that stands still has it in axes that turn, too, and the rest of
    its law varies there with twice their angle.
    """
    a = 0.5 * (law[..., 0, 0] + law[..., 1, 1])
    b = 0.5 * (law[..., 1, 0] - law[..., 0, 1])
    return np.asarray(a[..., None, None] * np.eye(2) + b[..., None, None] * TURN)
