# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time of a small system in frames that move as prescribed, many steps at once.

The same steps as those of ``analyses.transient``, of matrices that are factored whenever they
change instead of iterated with.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime._compact import Stepper
from flexforge.runtime.native.band import factor_bytes, narrow
from flexforge.runtime.native.forces import Forces
from flexforge.runtime.native.matrices import Matrices
from flexforge.runtime.native.steps import MOST_UNKNOWNS, WIDEST
from flexforge.runtime.system.body import Combination
from flexforge.runtime.system.frames import frames_over, inertia_blocks
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.shapes import Shapes
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.linear.factors import Counts, grown
from flexforge.runtime.transient.linear.mass import needs_inertia, turns_without_inertia
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.stability import ActingMatrices, require_stable
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Steps computed at once.
AT_ONCE = 256


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


class Compact:
    """A motion in progress.

    Parameters
    ----------
    constants : Constants
        The system.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    total : int
        Steps of the run: what lies beyond them need not be known of the motion.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.

    Attributes
    ----------
    system : System
        The bodies.
    constants : Constants
        As given.
    time : float
        Time reached, s.
    state : ndarray, (4, r)
        Coordinates at that time, their velocities, accelerations and averaged accelerations.
    counts : Counts
        Steps, factorizations, solves.
    solver_name : str
        Backend that factors.

    Raises
    ------
    AnalysisError
        When the masses are no numbers.
    """

    solver_name = "native, banded"

    def __init__(
        self, constants: Constants, scheme: Scheme, step: float, total: int,
        displacement: Floats, velocity: Floats,
    ) -> None:  # fmt: skip
        self.system, self.constants = constants.system, constants
        self._scheme, self._step, self._total = scheme, step, total
        self.time = 0.0
        self.counts = Counts(factor_bytes=factor_bytes(constants.matrices.size, constants.band))
        matrices = constants.matrices
        self._stepper = Stepper(
            matrices.pointers, matrices.columns, constants.place, constants.band, matrices.mass,
            matrices.bases, matrices.skew,
            (scheme.alpha_m, scheme.alpha_f, scheme.beta, scheme.gamma), scheme.explicit,
        )  # fmt: skip
        restrict = constants.system.restrict
        q = np.ascontiguousarray(constants.coordinates(restrict(displacement)))
        v = np.ascontiguousarray(constants.coordinates(restrict(velocity)))
        elastic, viscous, force = constants.over(np.zeros(1))
        self.state = np.array([q, v, np.zeros_like(q), np.zeros_like(q)])
        if not self._stepper.settle(elastic[0], viscous[0], force[0], self.state):
            raise AnalysisError("transient: the masses are no numbers")
        self._last = self.state.copy()
        self._ahead: Floats = np.zeros((0, *self.state.shape))
        self._used = 0

    @property
    def displacement(self) -> Floats:
        """Displacements relative to the frames, (N, d), m."""
        return self._nodal(0)

    @property
    def velocity(self) -> Floats:
        """Velocities relative to the frames, (N, d), m/s."""
        return self._nodal(1)

    @property
    def acceleration(self) -> Floats:
        """Accelerations relative to the frames, (N, d), m/s^2."""
        return self._nodal(2)

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        if self._used == len(self._ahead):
            self._take()
        self.state = self._ahead[self._used]
        self._used += 1
        self.counts.steps += 1
        self.counts.solves += 1
        self.counts.most_solves = 1
        self.time = self.counts.steps * self._step

    def close(self) -> None:
        """Release nothing: what is factored here is small."""

    def _take(self) -> None:
        """Compute the next steps."""
        count = max(min(AT_ONCE, self._total - self.counts.steps), 1)
        times = (self.counts.steps + 1.0 + np.arange(count, dtype=np.float64)) * self._step
        elastic, viscous, force = self.constants.over(times)
        out = np.empty((count, *self._last.shape))
        taken, unbounded = self._stepper.run(
            self._step, elastic, viscous, force, self._last.copy(), out
        )
        self.counts.factorizations = self._stepper.factorizations
        if taken:  # those after the last that could be taken are asked for again, and fail then
            self._ahead, self._used, self._last = out[:taken], 0, out[taken - 1]
        elif unbounded:
            raise grown(self.time + self._step, explicit=self._scheme.explicit)
        else:
            raise AnalysisError(
                f"transient: the equations of the step from t = {self.time:g} s cannot be solved"
            )

    def _nodal(self, order: int) -> Floats:
        return self.system.expand(self.constants.unknowns(self.state[order]))
