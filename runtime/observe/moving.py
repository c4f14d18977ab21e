# SPDX-License-Identifier: BSD-3-Clause
"""A body that moves with its frame and relative to it: energies, momentum, velocities.

Also integrals over time of quantities known at the ends of steps, for both balances.
"""

from __future__ import annotations

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.motion.frame import FrameState
from flexforge.runtime.system.body import Body, Combination
from flexforge.runtime.system.inertia import skew
from flexforge.runtime.transient.tied_motion import TiedMotion

_NOTHING = np.zeros(0)
#: What a summary says of a balance where the states of some steps were not followed.
LEFT_OUT = "not computed, steps are left out: expected output.every = 1"


class Moving:
    """A body in its frame at one time: ``v = v_O + w~ (x + N d) + N d'`` in frame components.

    Parameters
    ----------
    body : Body
        The body.
    frame : FrameState
        Motion of its frame.
    motion : TiedMotion
        The motion of the whole system.
    """

    def __init__(self, body: Body, frame: FrameState, motion: TiedMotion) -> None:
        cut = slice(0, body.dimension)
        self.body, self.frame = body, frame
        self.d, self.rate = motion.displacement[body.nodes], motion.velocity[body.nodes]
        self._turning, self._gliding = skew(frame.w)[cut, cut], frame.v_O[cut]

    def kinetic(self) -> float:
        """Return ``1/2 int rho v.v``, J."""
        body, d, rate, w = self.body, self.d, self.rate, self._turning
        own = body.translation_load(self._gliding) + body.inertia_load(w)
        turned = body.translation_load(w @ self._gliding) + body.inertia_load(w @ w)
        twice = (rate * (body.mass_times(rate) + 2.0 * (own + self._inertia(w, d)))).sum()
        twice -= (d * (self._inertia(w @ w, d) + 2.0 * turned)).sum()
        return 0.5 * float(twice + (self._rigid() * own).sum())

    def strain(self) -> float:
        """Return ``1/2 d.k d``, J."""
        nothing = np.zeros((self.body.dimension, self.body.dimension))
        inner = self.body.apply(Combination(1.0, nothing, _NOTHING), self.d)
        return 0.5 * float((self.d * inner).sum())

    def damping(self) -> float:
        """Return the power dissipated by dampers and by material damping, W."""
        body = self.body
        if not body.is_damped:
            return 0.0
        nothing = np.zeros((body.dimension, body.dimension))
        inner = body.apply(Combination(body.beta, nothing, _NOTHING, 1.0), self.rate)
        total = float((self.rate * inner).sum())
        if body.alpha:  # which resists the velocity relative to the frame from outside
            moving = self._rigid() + self.rate
            total += body.alpha * float((moving * body.mass_times(self.rate)).sum())
        return total

    def momentum(self) -> Floats:
        """Return ``int rho v``, (d,), kg m/s."""
        body, w = self.body, self._turning
        if body.motion.stands:  # rates are then along axes that stand still
            return body.momentum(self.rate)
        carried = body.first_moment + body.momentum(self.d)
        total: Floats = body.total_mass * self._gliding + w @ carried + body.momentum(self.rate)
        return total

    def velocity(self) -> Floats:
        """Return velocities in space, (V, d), in components of the frame, m/s, and rad/s."""
        found, count = self._rigid() + self.rate, len(self.body.part.points)
        if not self.body.motion.stands:
            found[:count] += self.d[:count] @ self._turning.T
        return np.asarray(found)

    def _inertia(self, block: Floats, x: Floats) -> Floats:
        """Return ``int rho N^T block N x``."""
        return self.body.apply(Combination(0.0, block, _NOTHING), x)

    def _rigid(self) -> Floats:
        """Return nodal velocities and rotations of the body if it moved rigidly with its frame."""
        body, count = self.body, len(self.body.part.points)
        found = np.zeros_like(self.d)
        found[:count] = self._gliding + body.points[:count] @ self._turning.T
        found[count:] = self.frame.w if body.dimension == 3 else [self.frame.w[2], 0.0]
        return found


class Balance:
    """What is followed of a motion to see whether it balances.

    Parameters
    ----------
    motion : TiedMotion
        The motion.

    Attributes
    ----------
    known : bool
        Whether all that acts can be accounted for.
    """

    def __init__(self, motion: TiedMotion) -> None:
        tied = motion.constraints
        self._motion = motion
        self._joints = tied if isinstance(tied, JointConstraints) else None
        held = self._joints is not None and self._joints.held_by_supports
        given = motion.loads.given is not None  # supports that move do work and give momentum
        self.known = _has_all_inertia(motion) and not held and not given
        self._times: list[float] = []

    def _moving(self) -> list[Moving]:
        """Return the bodies as they move at the time reached."""
        system = self._motion.system
        frames = system.frames(self._motion.time)
        return [Moving(*one, self._motion) for one in zip(system.bodies, frames, strict=True)]


def _has_all_inertia(motion: TiedMotion) -> bool:
    """Whether all inertia terms count, so that the equations are those of a real motion."""
    include = motion.system.include.model_dump()
    for stiffening in ("geometric", "prestress"):  # these are not inertia terms
        include.pop(stiffening)
    return all(include.values())


def integrals(times: Floats, values: Floats) -> Floats:
    """Return the integrals of columns from the first time to every other time.

    Parameters
    ----------
    times : ndarray, (n,)
        Times, s.
    values : ndarray, (n, c)
        One column per quantity.

    Returns
    -------
    ndarray, (n, c)
        Of cubic splines through the values; of straight lines for fewer than four times.
    """
    if len(times) < 4:
        steps = np.diff(times)[:, None] * 0.5 * (values[1:] + values[:-1])
        return np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(times, values).antiderivative()(times))
