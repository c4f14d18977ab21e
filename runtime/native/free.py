# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time of a small system in frames that move as prescribed, many steps at once.

The same steps as those of ``transient.steppers``, of matrices that are factored whenever they
change instead of iterated with.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime._compact import Stepper
from flexforge.runtime.native.ahead import Ahead
from flexforge.runtime.native.band import MOST_UNKNOWNS, WIDEST, factor_bytes, narrow
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import Matrices
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.frames import frames_over, inertia_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.linear.factors import grown
from flexforge.runtime.transient.linear.mass import needs_inertia, turns_without_inertia
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import ActingMatrices, require_stable
from flexforge.runtime.transient.state import State
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def is_small(system: System) -> bool:
    """Whether the matrices of a system are small enough to be factored whenever they change.

    Fewer unknowns may have a wider band: the work to factor it is what counts.
    """
    if system.unknowns > MOST_UNKNOWNS:
        return False
    elastic = Combination(1.0, np.zeros((system.dimension,) * 2), np.zeros(0))
    _, band = narrow(system.matrix([elastic] * len(system.bodies)))
    return system.unknowns * band**2 <= MOST_UNKNOWNS * WIDEST**2


class Constants:
    """What never changes of a system whose frames move as prescribed.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    shapes : Shapes, optional
        Those that the unknowns move in, for r coordinates; by default the unknowns themselves.
    whole : bool
        Whether matrices that are zero are kept as well.

    Attributes
    ----------
    system, loads, shapes
        As given.
    matrices : Matrices
        Constant matrices.
    forces : Forces
        Constant vectors.
    place : ndarray of int32, (r,)
        Place of every coordinate in the band matrix of a step.
    band : int
        Half width of its band.
    """

    def __init__(
        self, system: System, loads: Loads, shapes: Shapes | None = None, *, whole: bool = False
    ) -> None:
        self.system, self.loads, self.shapes = system, loads, shapes
        basis = None if shapes is None else shapes.matrix
        self.matrices = Matrices(system, loads, (), basis, whole=whole)
        self.forces = Forces(system, loads, basis)
        order, self.band = narrow(self.matrices.pattern)
        self.place = np.empty(len(order), dtype=np.int32)
        self.place[order] = np.arange(len(order))

    def over(self, times: Floats) -> tuple[Floats, Floats, Floats]:
        """Return factors for displacements and velocities (T, b), and forces (T, r), N.

        Parameters
        ----------
        times : ndarray, (T,)
            Times, s.
        """
        bodies, system = self.system.bodies, self.system
        frames = frames_over(bodies, times, None)
        blocks = [inertia_blocks(one, system.include, system.dimension) for one in frames]
        return (*self.matrices.factors(times, blocks), self.forces.over(times, frames, blocks))

    def require_stable(self, scheme: Scheme, step: float, duration: float) -> None:
        """Refuse a step that a method is unstable with.

        Parameters
        ----------
        scheme : Scheme
            Method of integration.
        step, duration : float
            Of the run, s.

        Raises
        ------
        InputError
            Naming the longest step that is stable, or when motions have no inertia.
        """
        if scheme.limit[1] > 0.0:
            require_stable(scheme, step, duration, self.system, partial(self._acting, scheme))

    def _acting(self, scheme: Scheme, times: Floats) -> Iterator[ActingMatrices]:
        """Yield the symmetric parts of the matrices at times, s."""
        from scipy.sparse.linalg import splu

        matrices = self.matrices
        mass = matrices.sparse(matrices.mass)
        if self.shapes is None and len(turns_without_inertia(self.system, mass)[1]):
            raise needs_inertia("central_difference" if scheme.explicit else "newmark")
        solve = splu(mass.tocsc()).solve
        for elastic, viscous in zip(*self._factors(times), strict=True):
            even = matrices.skew == 0
            both = [matrices.sparse((even * one) @ matrices.bases) for one in (elastic, viscous)]
            yield ActingMatrices(matrices.size, mass.dot, both[1].dot, both[0].dot, solve)

    def _factors(self, times: Floats) -> tuple[Floats, Floats]:
        """Return factors for displacements and velocities, (T, b) each."""
        frames = frames_over(self.system.bodies, times, None)
        include, dimension = self.system.include, self.system.dimension
        blocks = [inertia_blocks(one, include, dimension) for one in frames]
        return self.matrices.factors(times, blocks)

    def unknowns(self, coordinates: Floats) -> Floats:
        """Return the values of the unknowns (n,) from those of the coordinates (r,)."""
        return coordinates if self.shapes is None else self.shapes.matrix @ coordinates

    def coordinates(self, unknowns: Floats) -> Floats:
        """Return the coordinates (r,) of a state of the unknowns (n,), as far as there are."""
        return unknowns if self.shapes is None else self.shapes.coordinates(self.system, unknowns)


class FreeSteps(Ahead):
    """Steps of a small system whose frames move as prescribed.

    The history of a state has its accelerations, the averaged ones, and the length of the step that
    led to it.

    Parameters
    ----------
    constants : Constants
        The system.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run.
    """

    def __init__(self, constants: Constants, scheme: Scheme, step: float, total: int) -> None:
        self._constants, self._scheme, self._step = constants, scheme, step
        memory = factor_bytes(constants.matrices.size, constants.band)
        self.start_ahead(total, Counts(factor_bytes=memory))
        matrices = constants.matrices
        self._steps = Stepper(
            matrices.pointers, matrices.columns, constants.place, constants.band, matrices.mass,
            matrices.bases, matrices.skew,
            (scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma), scheme.explicit,
        )  # fmt: skip

    def begin(self, state: State) -> State:
        """Return a state with a history.

        Raises
        ------
        AnalysisError
            When the mass matrix contains NaN or infinity.
        """
        n = len(state.q)
        row = np.concatenate([state.q, state.z, np.zeros(2 * n), [self._step]])
        elastic, viscous, force = self._constants.over(np.array([state.t]))
        if not self._steps.settle(elastic[0], viscous[0], force[0], row[:-1].reshape(4, n)):
            raise AnalysisError("transient: the mass matrix contains NaN or infinity")
        return replace(state, history=row[2 * n :])

    def take(self, state: State, h: float, times: Floats) -> Floats:
        """Return what steps make of a state, a row each."""
        n = len(state.q)
        elastic, viscous, force = self._constants.over(times)
        out = np.empty((len(times), 4 * n + 1))
        out[:, -1] = h
        start = np.concatenate([state.q, state.z, state.history[:-1]]).reshape(4, n)
        if h != state.history[-1]:  # averaged accelerations, moved to a step of another length
            start[3] = start[2] + h / state.history[-1] * (start[3] - start[2])
        states = out[:, :-1].reshape(len(times), 4, n)
        taken, unbounded = self._steps.run(h, elastic, viscous, force, start, states)
        self.counts.factorizations = self._steps.factorizations
        # Those after the last that could be taken are asked for again, and fail then.
        if not taken and unbounded:
            raise grown(times[0], explicit=self._scheme.explicit)
        if not taken:
            raise AnalysisError(
                f"transient: the equations of the step from t = {state.t:g} s cannot be solved"
            )
        return out[:taken]

    def point(self, state: State) -> Point:
        """Return a state with its accelerations."""
        n, none = len(state.q), np.zeros(0)
        return Point(state.t, state.q, state.z, none, state.mode, state.history[:n])
