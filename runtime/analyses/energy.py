# SPDX-License-Identifier: BSD-3-Clause
"""The energy of tied bodies in space, and whether work accounts for its change.

Kinetic and strain energy and the power of drivers, loads and dampers are taken at the times that
are kept; where those are all steps, work is the integral of a cubic spline through the powers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.runtime.analyses.constrained import Constrained
from flexforge.runtime.body import Body, Combination
from flexforge.runtime.constraints.joints import JointConstraints
from flexforge.runtime.inertia import skew
from flexforge.runtime.loads import MassForce, NodalForce
from flexforge.runtime.model import FrameState
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_NOTHING = np.zeros(0)


class Energy:
    """Energies and powers of a motion at the times it is asked to follow.

    It is not known where a support or a connector ties a node to a frame that moves, since what
    moves the frame there is no joint; nor where inertia terms are left out, or heat strains bodies.

    Parameters
    ----------
    motion : Constrained
        The motion.

    Attributes
    ----------
    known : bool
        Whether all work can be accounted for.
    """

    def __init__(self, motion: Constrained) -> None:
        self._motion = motion
        include = motion.system.include.model_dump()
        include.pop("geometric")
        self.known = all(include.values()) and not any(b.heat for b in motion.system.bodies)
        if isinstance(motion.constraints, JointConstraints):
            self.known = self.known and not motion.constraints.held_by_supports
        self._times: list[float] = []
        self._energies: list[tuple[float, float]] = []
        self._powers: list[tuple[float, float, float]] = []

    def follow(self) -> None:
        """Take the energies and powers of the state that the motion has reached."""
        if not self.known:
            return
        motion = self._motion
        frames = motion.system.frames(motion.time)
        kinetic = strain = loads = damping = 0.0
        for number, (body, frame) in enumerate(zip(motion.system.bodies, frames, strict=True)):
            if (frame.v_O.any() or frame.w.any()) and self._is_tied_to_its_frame(body):
                self.known = False
                return
            one = _Moving(body, frame, motion)
            kinetic += one.kinetic()
            strain += one.strain()
            damping += one.damping()
            loads += self._power_of_loads(number, one)
        coupling = motion.constraints.coupling(motion.time)
        if coupling is not None:
            loads += coupling.power(motion.state.q, motion.state.v)
        self._times.append(motion.time)
        self._energies.append((kinetic, strain))
        self._powers.append((self._power_of_drivers(), loads, damping))

    def figures(self) -> dict[str, Any]:
        """Return energies at the end, work until then, and how far they are from balancing.

        Without work where not every step was followed.
        """
        if not self.known or not self._times:
            return {}
        times, energies, powers = map(np.array, (self._times, self._energies, self._powers))
        worked = integrals(times, powers)
        size = max(float(np.abs(energies).max()), float(np.abs(worked).max())) or 1.0
        found = {
            "kinetic energy": [float(energies[-1, 0]), "J"],
            "strain energy": [float(energies[-1, 1]), "J"],
        }
        if self._motion.counts.steps >= len(times):  # powers of some steps are not known
            return found
        gained = energies.sum(axis=1) - energies[0].sum()
        left = worked @ [1.0, 1.0, -1.0] - gained
        names = ("work of drivers", "work of loads", "dissipated")
        found |= {name: [float(w), "J"] for name, w in zip(names, worked[-1], strict=True)}
        return found | {"largest error of the energy balance": float(np.abs(left).max()) / size}

    def _is_tied_to_its_frame(self, body: Body) -> bool:
        """Whether something other than joints holds the body where its frame is."""
        if body.lumped and "stiffness" in body.kernels:
            return True
        system, turns = self._motion.system, body.rotations
        each = np.arange(system.dimension)
        of_a_turn = each if system.dimension == 3 else each[:1]
        places = [
            (body.placed[:, None] * system.dimension + each).ravel(),
            (turns[:, None] * system.dimension + of_a_turn).ravel(),
        ]
        return not np.isin(np.concatenate(places), system.free).all()

    def _power_of_drivers(self) -> float:
        """Return what drivers do, and equations whose velocities are given, W."""
        motion, total = self._motion, 0.0
        if isinstance(motion.constraints, JointConstraints):
            parts = motion.constraints.mechanism.parts
            rates = parts.driven(np.array([motion.time]))[0, :, 1]
            total += sum(
                motion.multiplier(driver.name) * float(rate)
                for driver, rate in zip(parts.drivers, rates, strict=False)
            )
        if motion.rates is not None:
            given = motion.rates.at(motion.time, motion.state.q, motion.state.v)
            forces = [motion.multiplier(name) for name in motion.rates.names]
            total -= float(np.dot(forces, given.value))
        return total

    def _power_of_loads(self, number: int, one: _Moving) -> float:
        """Return what loads do on a body, W."""
        loads, time = self._motion.loads, self._motion.time
        total = 0.0
        given: list[NodalForce | MassForce] = [*loads.mass, *loads.nodal]
        for load in given:
            if load.body != number:
                continue
            amplitude = float(load.amplitude.derivative(time, 0))
            turn = one.frame.R if load.turning else np.eye(3)
            d = self._motion.system.dimension
            if isinstance(load, NodalForce):
                force = load.force @ turn[:d, :d]  # rows: R^T f
                total += amplitude * float((force * one.velocity()[load.nodes]).sum())
            else:
                total += amplitude * float((turn.T @ load.acceleration)[:d] @ one.momentum())
        return total


class _Moving:
    """A body in its frame at one time: with ``v = v_O + w~ (x + N d) + N d'`` in its components."""

    def __init__(self, body: Body, frame: FrameState, motion: Constrained) -> None:
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
        """Return what dampers and the damping of the material take, W."""
        body = self.body
        if not body.is_damped:
            return 0.0
        nothing = np.zeros((body.dimension, body.dimension))
        inner = body.apply(Combination(body.beta, nothing, _NOTHING, 1.0), self.rate)
        total = float((self.rate * inner).sum())
        if body.alpha:  # which resists the velocity in the frame as if from outside
            moving = self._rigid() + self.rate
            total += body.alpha * float((moving * body.mass_times(self.rate)).sum())
        return total

    def momentum(self) -> Floats:
        """Return ``int rho v``, (d,), kg m/s."""
        body, w = self.body, self._turning
        carried = body.first_moment + body.momentum(self.d)
        total: Floats = body.total_mass * self._gliding + w @ carried + body.momentum(self.rate)
        return total

    def velocity(self) -> Floats:
        """Return velocities of the nodes in space, (P, d), in components of the frame, m/s."""
        count = len(self.body.part.points)
        turned = (self.body.points[:count] + self.d[:count]) @ self._turning.T
        return np.asarray(self._gliding + turned + self.rate[:count])

    def _inertia(self, block: Floats, x: Floats) -> Floats:
        """Return ``int rho N^T block N x``."""
        return self.body.apply(Combination(0.0, block, _NOTHING), x)

    def _rigid(self) -> Floats:
        """Return nodal velocities of the body if it moved with its frame, rotations among them."""
        body, count = self.body, len(self.body.part.points)
        found = np.zeros_like(self.d)
        found[:count] = self._gliding + body.points[:count] @ self._turning.T
        found[count:] = self.frame.w if body.dimension == 3 else [self.frame.w[2], 0.0]
        return found


def integrals(times: Floats, values: Floats) -> Floats:
    """Return the integrals of columns from the first time to every time.

    Parameters
    ----------
    times : ndarray, (n,)
        Times, s.
    values : ndarray, (n, c)
        A column each.

    Returns
    -------
    ndarray, (n, c)
        Of cubic splines through the values; of straight lines where there are fewer than four.
    """
    if len(times) < 4:
        steps = np.diff(times)[:, None] * 0.5 * (values[1:] + values[:-1])
        return np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(steps, axis=0)])
    from scipy.interpolate import CubicSpline

    return np.asarray(CubicSpline(times, values).antiderivative()(times))
