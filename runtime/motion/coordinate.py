# SPDX-License-Identifier: BSD-3-Clause
"""One prescribed coordinate: position, velocity, acceleration from whichever is given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.motion.integrals import Antiderivative
from flexforge.runtime.motion.profiles import Profile
from numpy.typing import NDArray

LEVELS = {"position": 0, "velocity": 1, "acceleration": 2}
NAMES = ("position", "velocity", "acceleration")
SAMPLES = 65


@dataclass(frozen=True, slots=True)
class Coordinate:
    """A prescribed coordinate of a frame.

    Attributes
    ----------
    profile : Profile
        The given function of time.
    given : str
        What it is: "position", "velocity" or "acceleration".
    position0, velocity0 : float
        Initial values, used where they are integrated for.
    """

    profile: Profile
    given: str = "position"
    position0: float = 0.0
    velocity0: float = 0.0

    def at(self, t: float) -> tuple[float, float, float]:
        """Return position, velocity and acceleration at ``t``."""
        profile = self.profile
        if self.given == "position":
            position, velocity, acceleration = (profile.derivative(t, k) for k in range(3))
            return float(position), float(velocity), float(acceleration)
        if self.given == "velocity":
            position = self.position0 + profile.integral(t)
            return float(position), float(profile.derivative(t, 0)), float(profile.derivative(t))
        velocity = self.velocity0 + profile.integral(t)
        position = self.position0 + self.velocity0 * t + profile.integral(t, 2)
        return float(position), float(velocity), float(profile.derivative(t, 0))

    def over(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return position, velocity and acceleration at every one of times, (T, 3)."""
        profile = self.profile
        if self.given == "position":
            found = [profile.derivative(times, order) for order in range(3)]
        elif self.given == "velocity":
            position = self.position0 + profile.integral(times)
            found = [position, profile.derivative(times, 0), profile.derivative(times)]
        else:
            velocity = self.velocity0 + profile.integral(times)
            position = self.position0 + self.velocity0 * times + profile.integral(times, 2)
            found = [position, velocity, profile.derivative(times, 0)]
        return np.stack([np.broadcast_to(one, times.shape) for one in found], axis=-1)

    @property
    def velocity_is_constant(self) -> bool:
        """Whether the velocity never changes."""
        if self.given == "position":
            return self.profile.is_uniform
        zero = self.given == "velocity" or float(self.profile.derivative(0.0, 0)) == 0.0
        return bool(self.profile.is_constant and zero)

    def check(self, span: float) -> None:
        """Refuse what is not finite, or jumps where a derivative of it is needed.

        A velocity that jumps would be an infinite acceleration, which the derivative does not show.
        Hence each derivative in use is integrated and compared with what it should be the
        derivative of.

        Parameters
        ----------
        span : float
            The time the analysis covers, s.

        Raises
        ------
        InputError
            Naming the time and what jumps.
        """
        times = np.linspace(0.0, span, SAMPLES) if span > 0.0 else np.zeros(1)
        level = LEVELS[self.given]
        found = [self.profile.derivative(times, order) for order in range(3 - level)]
        state = [np.array(self.at(span))]
        if not all(np.isfinite(values).all() for values in (*found, *state)):
            raise InputError(
                f"found a {self.given} that overflows between t = 0 and {span:.6g} s; expected "
                "finite values"
            )
        if span > 0.0:
            for order in range(2 - level):
                self._check_continuous(times, found[order], order, span)

    def _check_continuous(
        self, times: NDArray[np.float64], found: NDArray[np.float64], order: int, span: float
    ) -> None:
        rate = Antiderivative(
            lambda t: self.profile.derivative(t, order + 1), span, self.profile.breaks
        )
        drift = found - found[0] - rate.once(times)
        jumps = np.abs(np.diff(drift))
        worst = int(np.argmax(jumps))
        # What sampling misses between its points still shows in the derivative's size.
        size = float(np.max(np.abs(found))) + rate.largest * float(times[1] - times[0])
        if jumps[worst] > 1e-7 * size:
            what = NAMES[LEVELS[self.given] + order]
            raise InputError(
                f"found a {what} that jumps by {jumps[worst]:.3g} between t = {times[worst]:.6g} "
                f"and {times[worst + 1]:.6g} s, an infinite acceleration; expected a continuous "
                "one (ramp or smooth_step)"
            )
