# SPDX-License-Identifier: BSD-3-Clause
"""Time integration: Gauss steps of Hamilton's first-order pair in displacement and momentum.

The unknowns of a step are the velocities V_i at its stages. With ``d_i = d + h sum_j a_ij V_j`` and
the like for the momentum, the pair at the stages is ``S V = b`` with the blocks

    S_ij = delta_ij m + h a_ij (c_i + c_j + damping) + h^2 sum_k a_ik a_kj (k + k_omega + k_geo)_k

(implicit midpoint: ``m + h c + h/2 damping + h^2/4 (k + k_omega + k_geo)``). The mass matrix is
solved with, never inverted: once where a velocity is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from flexforge.runtime.arrays import Floats
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.equations import equations_at
from flexforge.runtime.transient.gauss import METHODS, Gauss, carried_sum
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.mass import MassFactors
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.pair import (
    Pair,
    frame_momentum,
    hamilton_pair,
    momentum_of_supports,
)
from flexforge.runtime.transient.stages import Stages, prepare
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.lengths import OfLengths
from flexforge.runtime.transient.steppers.stepper import Stepper


@dataclass(slots=True)
class _Length:
    """What is kept for steps of one length: factors, and the stages of the last one."""

    factors: KeptFactors
    begun: float = 0.0
    stages: Stages | None = None


class HamiltonSteps(Stepper):
    """Gauss steps of Hamilton's pair.

    Momenta take the place of velocities in a state; these are found where somebody asks. Its
    history has what rounding dropped of displacements and of momenta.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    rule : Gauss
        Method of integration.
    step : float
        Length of the first step, s.
    tolerance : float
        Relative residual of the equations of a step, where the speed of a frame changes.
    solver : str
        Linear solver.

    Attributes
    ----------
    keeps_energy : bool
        Whether nothing depends on time, and nothing is lost: the Jacobi integral is kept.
    """

    interpolates = False

    def __init__(
        self, system: System, loads: Loads, rule: Gauss, step: float, tolerance: float, solver: str
    ) -> None:
        self._system, self._loads, self._rule, self._step = system, loads, rule, step
        bodies = system.bodies
        steady = all(body.motion.is_steady for body in bodies)
        self._autonomous = (
            steady and loads.are_steady and all(body.motion.glides for body in bodies)
        )
        self.keeps_energy = self._autonomous and not any(body.is_damped for body in bodies)
        name = next(name for name, one in METHODS.items() if one is rule)
        self._mass = MassFactors(system, solver, name)
        self._counts = Counts()
        self._solving = solver, tolerance, steady
        self._kept = OfLengths(self._made, lambda old: old.factors.close())
        self._pair: Pair | None = None
        self._asked: tuple[State, tuple[Floats, Floats]] | None = None

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._counts

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return next((one.factors.solver_name for one in self._kept), "")

    @property
    def order(self) -> int:
        """Power of the length of steps that errors at a time fall with: twice the stages."""
        return 2 * len(self._rule.nodes)

    def begin(self, state: State) -> State:
        """Return a state of momenta from one of velocities."""
        stages = self._stages_at(state.t, self._step)
        self._kept.at(self._step).factors.prepare(stages.matrix)
        return self.unseen(state)

    def unseen(self, state: State) -> State:
        """Return a state of momenta from one of velocities, without factors."""
        system, zero = self._system, np.zeros_like(state.q)
        matrix, own = self._carried_at(state.t)
        relative = system.mass_times(system.expand(state.z))
        relative += system.apply(matrix, system.expand(state.q))
        momenta = system.restrict(relative) + own
        return State(state.t, state.q, momenta, history=pack(zero, zero))

    def seen(self, state: State) -> State:
        """Return a state of velocities from one of momenta."""
        return State(state.t, state.q, self.velocity(state))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        system, displacement = self._system, self._system.expand(state.q)
        now = self._stages_at(state.t, h)
        factors = self._kept.at(h).factors
        known = [
            state.z + gain - system.restrict(system.apply(start, displacement))
            for gain, start in zip(now.gains, now.starts, strict=True)
        ]
        # What round-off is relative to: momenta, and forces inside the elements, nearly cancel.
        norm = system.ranks.norm
        size = now.size + now.inside * norm(state.q) + norm(state.z)
        found = factors.solve(now.matrix, np.concatenate(known), size, state.t)
        rates = found.reshape(len(known), -1)
        forces = system.apply(now.elastic, displacement)
        for matrix, rate in zip(now.rates, rates, strict=True):
            forces += system.apply(matrix, system.expand(rate))
        moved, pushed = unpack(state.history)
        q, moved = carried_sum(state.q, moved, h * (np.array(self._rule.weights) @ rates))
        p, pushed = carried_sum(state.z, pushed, now.impulse - system.restrict(forces))
        self._counts.steps += 1
        kept = (one.factors.factors for one in self._kept)
        self._counts.factor_bytes = sum(one.bytes or 0 for one in kept if one is not None)
        return State(to, q, p, history=pack(moved, pushed))

    def behind(self, state: State, time: float) -> State:
        """Return the state behind a kink, over which displacements and momenta do not change."""
        return replace(state, t=time)

    def velocity(self, state: State) -> Floats:
        """Return ``d'`` of the unknowns, by a solve with the mass matrix, m/s."""
        return self._velocities(state)[0]

    def point(self, state: State) -> Point:
        """Return a state with its velocities, and the accelerations that balance all forces.

        Only these need e and a_O; the motion does not.
        """
        seen = self.seen(state)
        return Point(state.t, state.q, seen.z, state.s, state.mode, self.accelerations(seen))

    def accelerations(self, state: State) -> Floats:
        """Return the accelerations that balance the forces of a state of velocities, m/s^2."""
        system, v = self._system, state.z
        equations = equations_at(system, self._loads, state.t, system.frames(state.t))
        left = equations.left(state.q, v, np.zeros_like(v))
        return self._mass.solve(left) if system.ranks.any(left.any()) else left

    def energies(self, state: State) -> tuple[float, float, float]:
        """Return the terms of the Jacobi integral, J."""
        system, pair = self._system, self._pair_at(state.t)
        dot = system.ranks.dot
        velocity, relative = self._velocities(state)
        inner = system.restrict(system.apply(pair.elastic, system.expand(state.q)))
        return (
            0.5 * dot(velocity, relative),
            0.5 * dot(state.q, inner),
            dot(state.q, pair.force),
        )

    def close(self) -> None:
        """Release the factors."""
        for one in self._kept:
            one.factors.close()
        self._mass.close()

    def _velocities(self, state: State) -> tuple[Floats, Floats]:
        """Return ``d'`` and ``m d'`` of the unknowns."""
        if self._asked is None or self._asked[0] is not state:
            system = self._system
            matrix, own = self._carried_at(state.t)
            carried = system.restrict(system.apply(matrix, system.expand(state.q)))
            relative = state.z - own - carried
            self._asked = state, (self._mass.solve(relative), relative)
        return self._asked[1]

    def _carried_at(self, time: float) -> tuple[list[Combination], Floats]:
        """Return what the momentum has besides ``m d'``: the matrix ``c`` and ``s``, (n,)."""
        if self._autonomous:
            pair = self._pair_at(time)
            return pair.momentum, pair.own
        system = self._system
        matrix, own = frame_momentum(system, system.frames(time))
        return matrix, own + momentum_of_supports(system, self._loads, matrix, time)

    def _pair_at(self, time: float) -> Pair:
        """Return the pair at a time, which is the same at all times where nothing depends on it."""
        if self._pair is None or not self._autonomous:
            self._pair = hamilton_pair(self._system, self._loads, time)
        return self._pair

    def _made(self, h: float) -> _Length:
        """Return what is kept for a length of steps, without factors."""
        del h
        solver, tolerance, steady = self._solving
        return _Length(KeptFactors(solver, tolerance, self._counts, steady=steady))

    def _stages_at(self, time: float, h: float) -> Stages:
        """Return the stages of a step that begins at a time; factors of its length are kept."""
        kept = self._kept.at(h)
        if kept.stages is None or not (self._autonomous or kept.begun == time):
            kept.begun = time
            kept.stages = prepare(self._system, self._loads, self._rule, time, h)
        return kept.stages
