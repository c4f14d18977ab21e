# SPDX-License-Identifier: BSD-3-Clause
"""One prescribed coordinate: position, velocity, acceleration from whichever is given."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime._functions import Function
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
        Kind of the function: "position", "velocity" or "acceleration".
    position0, velocity0 : float
        Initial values, used where they are integration constants.
    """

    profile: Profile
    given: str = "position"
    position0: float = 0.0
    velocity0: float = 0.0

    _motion: Function | None = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Store the function that is the position, if there is one."""
        start = (self.velocity0, self.position0)[2 - LEVELS[self.given] :]
        object.__setattr__(self, "_motion", self.profile.integrated(*start))

    @property
    def motion(self) -> Function | None:
        """The position as a function of time; None if it requires quadrature."""
        return self._motion

    def at(self, t: float) -> tuple[float, float, float]:
        """Return position, velocity and acceleration at ``t``."""
        position, velocity, acceleration = self._at(t).tolist()
        return position, velocity, acceleration

    def over(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return position, velocity and acceleration at all times, (T, 3)."""
        return self._at(times)

    def _at(self, times: float | NDArray[np.float64]) -> NDArray[np.float64]:
        profile, level = self.profile, LEVELS[self.given]
        if self._motion is not None:
            found, finite = self._motion.jets(times, profile.start)
        else:
            start = self.position0, self.velocity0
            found, finite = profile.quadrature.prescribed(times, level, *start)
        if not finite:
            for order in range(3 - level):
                profile.derivative(times, order)
        return found

    @property
    def velocity_is_constant(self) -> bool:
        """Whether the velocity is constant."""
        if self.given == "position":
            return self.profile.is_uniform
        zero = self.given == "velocity" or float(self.profile.derivative(0.0, 0)) == 0.0
        return bool(self.profile.is_constant and zero)

    def check(self, span: float) -> None:
        """Refuse non-finite values, and jumps where a derivative is needed.

        A velocity that jumps would be an infinite acceleration, which the derivative does not show.
        Therefore each derivative in use is integrated and compared with the function whose
        derivative it should be.

        Parameters
        ----------
        span : float
            The time covered by the analysis, s.

        Raises
        ------
        InputError
            Naming the time and the quantity that jumps.
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
        rate = self.profile.quadrature_of(order + 1, span)
        drift = found - found[0] - rate.at(times)[:, 0]
        jumps = np.abs(np.diff(drift))
        worst = int(np.argmax(jumps))
        # A jump that sampling misses still shows in the size of the derivative.
        size = float(np.max(np.abs(found))) + rate.largest * float(times[1] - times[0])
        if jumps[worst] > 1e-7 * size:
            what = NAMES[LEVELS[self.given] + order]
            raise InputError(
                f"found a {what} that jumps by {jumps[worst]:.3g} between t = {times[worst]:.6g} "
                f"and {times[worst + 1]:.6g} s, an infinite acceleration; expected a continuous "
                "one (ramp or smooth_step)"
            )
