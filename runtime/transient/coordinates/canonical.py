# SPDX-License-Identifier: BSD-3-Clause
"""Constrained motion by Hamilton's pair in the independent coordinates.

With ``d = A y`` the Lagrangian is one of y and y', and its momenta are ``p = A^T P`` with the
momenta ``P = m d' + c d + s`` of the bodies. The pair

    A^T (m (A y' + A' y) + c A y + s) = p
    p' = A^T (-c d' - damping - (k + k_omega + k_geo) d + F) + A'^T P

needs w and v_O of the frames, and of the constraints A and A', but neither e nor a_O nor A''. It is
stepped by the implicit midpoint rule, which is symplectic.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.actuators import Coupling
from flexforge.runtime.constraints.build import Ties
from flexforge.runtime.constraints.null_space import Reducer
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.coordinates.null_space import Reduced
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import KeptFactors
from flexforge.runtime.transient.linear.joint_schur_matrix import condensed
from flexforge.runtime.transient.linear.mass import factors_at_start, needs_inertia
from flexforge.runtime.transient.linear.projected import Projected
from flexforge.runtime.transient.linear.step_matrix import StepMatrix
from flexforge.runtime.transient.pair import (
    Pair,
    frame_momentum,
    hamilton_pair,
    momentum_of_supports,
)
from flexforge.runtime.transient.step_end import StepState, TiedStepEnd
from flexforge.runtime.transient.system_model import Constraints, stiffened, stiffened_bodies


@dataclass(frozen=True)
class MidpointMatrix(Projected):
    """What a step makes of y' at its middle, with ``S = m + h^2/4 (k + k_omega + k_geo)``.

    Attributes
    ----------
    pair : Pair
        Coefficients at the middle, where A and A' are taken.
    half : float
        Half of the step, s.
    coupling : Coupling, optional
        What springs and dampers at joints do there.
    """

    pair: Pair
    half: float
    coupling: Coupling | None

    def apply(self, x: Floats) -> Floats:
        """Return the matrix times velocities (r,)."""
        q = self.half * self.reduction.along(x)
        v = self.reduction.along(x) + self.reduction.carried_velocity(q)
        momentum, force = self.state(q, v)
        return self.reduced(momentum) - self.half * self.rate(momentum, force)

    def state(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """Return the momenta P less s, and the forces less F, of displacements and velocities."""
        system, pair = self.system, self.pair
        d, rate = system.expand(q), system.expand(v)
        momentum = system.mass_times(rate) + system.apply(pair.momentum, d)
        force = system.apply(pair.viscous, rate) + system.apply(pair.elastic, d)
        resisting = system.restrict(force)
        if self.coupling is not None:
            resisting += self.coupling.inner(q, v)
        return system.restrict(momentum), -resisting

    def reduced(self, momentum: Floats) -> Floats:
        """Return ``A^T P``."""
        return self.reduction.onto(momentum)

    def rate(self, momentum: Floats, force: Floats) -> Floats:
        """Return ``A^T f + A'^T P``, with ``A' = - D J' A``."""
        back = self.reduction.rows.transposed(self.reduction.ties(momentum), 1)
        return self.reduction.onto(force - back)


def check_momenta(ties: Ties, system: System) -> None:
    """Refuse tied bodies that have no canonical momenta, or none to find velocities from.

    Parameters
    ----------
    ties : Ties
        What ties them.
    system : System
        The bodies.

    Raises
    ------
    InputError
        When there are none.
    """
    if len(set(ties.joints.pattern.shape)) == 1:
        raise InputError(
            "analysis.formalism: found hamilton in a model whose joints and drivers determine "
            "every displacement; expected maggi, kane, gibbs_appell or lagrange"
        )
    if ties.equations is not None:
        raise InputError(
            "analysis.formalism: found hamilton with [[constraints]] of velocities, which have "
            "no canonical momenta; expected maggi, kane, gibbs_appell or lagrange"
        )
    if factors_at_start(system, 1.0)[2]:
        raise needs_inertia("hamilton", "formalism", "another formalism")


class Canonical:
    """Steps of Hamilton's pair in the coordinates that joints leave.

    Parameters
    ----------
    system : System
        The bodies, without stresses.
    loads : Loads
        What acts on them.
    constraints : Constraints
        What ties them.
    reducer : Reducer
        Chooses the coordinates.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    counts : Counts
        Where work is counted.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        constraints: Constraints,
        reducer: Reducer,
        tolerance: float,
        solver: str,
        counts: Counts,
    ) -> None:
        self._system, self._loads, self._constraints = system, loads, constraints
        self._reducer, self._stiffened = reducer, stiffened_bodies(system, loads)
        self._second = Reduced(reducer, None, tolerance, solver, counts, begins_often=True)
        self._kept = KeptFactors(solver, tolerance, counts)
        self._choice = 0

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._kept.solver_name

    @property
    def unknowns(self) -> int:
        """Number of coordinates; there are as many momenta."""
        return self._reducer.unknowns

    def begin(self, q: Floats, v: Floats, end: TiedStepEnd) -> StepState:
        """Return the state at the start; its accelerations are those of the second order."""
        found = self._second.begin(q, v, end)
        self._choice = self._reducer.choices
        return replace(found, momentum=self._momentum_of(q, v, end.time))

    def advance(self, state: StepState, end: TiedStepEnd) -> StepState:
        """Return the state at the end of a step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved.
        """
        half, middle = 0.5 * end.step, end.time - 0.5 * end.step
        self._reducer.at(end.rows)
        before = state.momentum
        if self._choice != self._reducer.choices:  # other coordinates: momenta of those
            before = self._momentum_of(state.q, state.v, end.time - end.step)
            self._choice = self._reducer.choices
            self._kept.close()
        matrix = self._matrix(0.5 * (state.q + end.expected), middle, half)
        reduction, pair = matrix.reduction, matrix.pair
        y = reduction.basis.speeds @ state.q
        q = reduction.position(y)
        momentum, force = matrix.state(q, reduction.given_velocity(q))
        momentum, force = momentum + pair.own, force + pair.force
        known = before + half * matrix.rate(momentum, force) - matrix.reduced(momentum)
        step = condensed(matrix, self._second.directions)
        size = float(np.linalg.norm(before) + np.linalg.norm(momentum))
        size += half * float(np.linalg.norm(force))
        size += half * self._system.stiffness_scale * float(np.linalg.norm(q))
        rate = self._kept.solve(step, known, size, end.time - end.step)
        middle_q = reduction.position(y + half * rate)
        momentum, force = matrix.state(middle_q, reduction.velocity(middle_q, rate))
        after = before + 2.0 * half * matrix.rate(momentum + pair.own, force + pair.force)
        return self._end(y + 2.0 * half * rate, after, end)

    def close(self) -> None:
        """Release the factors."""
        self._second.close()
        self._kept.close()

    def _matrix(self, expected: Floats, time: float, half: float) -> MidpointMatrix:
        """Return the matrix of a step, of bodies that the state expected at its middle stiffens."""
        system, loads, numbers = self._system, self._loads, self._stiffened
        if numbers:
            system = stiffened(system, loads, numbers, expected, time, system.frames(time))
        pair = hamilton_pair(system, loads, time)
        identity = np.eye(system.dimension)
        inner = [
            Combination(
                half * half * e.stiffness,
                identity + half * half * e.inertia,
                half * half * e.geometric,
            )
            for e in pair.elastic
        ]
        reduction = self._reducer.at(self._constraints.at(time), keep=True)
        coupling = self._constraints.coupling(time)
        if coupling is not None:
            pair = replace(pair, force=pair.force + coupling.load)
        return MidpointMatrix(StepMatrix(system, ((inner,),)), reduction, pair, half, coupling)

    def _momentum_of(self, q: Floats, v: Floats, time: float) -> Floats:
        """Return ``A^T P`` of a state at a time."""
        system = self._system
        frames = system.frames(time)
        matrices, own = frame_momentum(system, frames)
        own = own + momentum_of_supports(system, self._loads, matrices, time)
        relative = system.mass_times(system.expand(v)) + system.apply(matrices, system.expand(q))
        reduction = self._reducer.at(self._constraints.at(time), keep=True)
        return reduction.onto(system.restrict(relative) + own)

    def _end(self, y: Floats, after: Floats, end: TiedStepEnd) -> StepState:
        """Return the state at the end of a step; velocities by a solve with the mass matrix."""
        system, reduction = self._system, self._reducer.at(end.rows, keep=True)
        matrices, own = frame_momentum(system, system.frames(end.time))
        own = own + momentum_of_supports(system, self._loads, matrices, end.time)
        q = reduction.position(y)
        given = reduction.given_velocity(q)
        carried = system.mass_times(system.expand(given))
        carried += system.apply(matrices, system.expand(q))
        relative = after - reduction.onto(system.restrict(carried) + own)
        identity = Combination(0.0, np.eye(system.dimension), np.zeros(0))
        mass = StepMatrix(system, (([identity] * len(system.bodies),),))
        matrix = condensed(Projected(mass, reduction), self._second.directions)
        v = reduction.velocity(q, self._second.masses.solve(matrix, relative))
        return replace(self._second.begin(q, v, end), momentum=after)
