# SPDX-License-Identifier: BSD-3-Clause
"""Motion in time: implicit steps whose matrix changes with w(t), and is not factored each time.

Written for the new acceleration a, a step of the generalized-alpha method is ``S a = b`` with

    S = (1 - alpha_m) m + (1 - alpha_f) (gamma h (2 c + damping) + beta h^2 (k + k_eps + k_omega
        + k_geo)) .

S is a constant part P, which is factored once, and small terms that move with the speed of the
frame. GMRES solves with S as operator and P as preconditioner, from the combination of the last
accelerations whose residual is least. Where the speed has moved so far that this stops paying, the
current matrix is factored, and counted.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.analyses.scheme import Scheme
from flexforge.runtime.body import Combination
from flexforge.runtime.inertia import Spin
from flexforge.runtime.loads import Loads
from flexforge.runtime.solvers import factorize, gmres
from flexforge.runtime.solvers.gmres import GmresResult
from flexforge.runtime.system import System
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_SOLVES = 3
"""Solves a step may take before factoring the current matrix is considered."""

_REMEMBERED = 8  # accelerations the first guess is combined from
_MOVED = 0.05  # relative change of the matrix' inertia part worth another factorization
_ROUND_OFF = 1e-16


@dataclass
class Counts:
    """What a run has taken so far."""

    steps: int = 0
    factorizations: int = 0
    solves: int = 0
    most_solves: int = 0
    products: int = 0
    factor_bytes: int = 0


class Transient:
    """A motion in progress.

    Parameters
    ----------
    system : System
        The bodies; prestress has been added.
    loads : Loads
        What acts on them.
    scheme : Scheme
        Method of integration.
    step : float
        Length of a step, s.
    tolerance : float
        Relative residual of the equations of a step.
    solver : str
        Linear solver.
    displacement, velocity : ndarray, (N, d)
        State at t = 0, relative to the frames, m and m/s.

    Attributes
    ----------
    time : float
        Time reached, s.
    displacement, velocity, acceleration : ndarray, (N, d)
        State at that time.
    counts : Counts
        Steps, factorizations, solves.
    solver_name : str
        Backend that factors.
    """

    def __init__(
        self,
        system: System,
        loads: Loads,
        scheme: Scheme,
        step: float,
        tolerance: float,
        solver: str,
        displacement: Floats,
        velocity: Floats,
    ) -> None:
        self.system, self.loads, self.scheme = system, loads, scheme
        self.step, self.tolerance, self._solver = step, tolerance, solver
        self.time, self.counts = 0.0, Counts()
        held = np.ones(system.size * system.dimension, dtype=bool)
        held[system.free] = False
        self.displacement, self.velocity = displacement.copy(), velocity.copy()
        self.displacement.ravel()[held] = 0.0
        self.velocity.ravel()[held] = 0.0
        self.acceleration = self._initial_acceleration()
        self._recent: deque[Floats] = deque(maxlen=_REMEMBERED)
        self._late = 0
        self._factor(self._effective(system.spins((1.0 - scheme.alpha_f) * step)))
        self.solver_name = self._factors.name

    def advance(self) -> None:
        """Take one step.

        Raises
        ------
        AnalysisError
            When the equations of the step cannot be solved; the state is that before the step.
        """
        s, h = self.scheme, self.step
        old, new = s.alpha_f, 1.0 - s.alpha_f
        drift = self.displacement + h * self.velocity + h * h * (0.5 - s.beta) * self.acceleration
        speed = self.velocity + h * (1.0 - s.gamma) * self.acceleration
        moment = self.time + new * h
        spins = self.system.spins(moment)
        force = self.loads.at(moment, spins)
        inner = self._forces(
            spins,
            new * drift + old * self.displacement,
            new * speed + old * self.velocity,
            s.alpha_m * self.acceleration,
        )
        rhs = self.system.restrict(force - inner)
        # What round-off in the forces is relative to: those inside the elements nearly cancel.
        inside = self.system.stiffness_scale * float(np.linalg.norm(drift))
        size = float(np.linalg.norm(force) + np.linalg.norm(inner)) + inside
        if not np.isfinite(size):
            raise AnalysisError(
                f"transient: the motion has grown beyond all bounds at t = {self.time:g} s"
            )
        change = self._solve(self._effective(spins), rhs, size)
        self.acceleration = self.system.expand(change)
        self.displacement = drift + h * h * s.beta * self.acceleration
        self.velocity = speed + h * s.gamma * self.acceleration
        self.counts.steps += 1
        self.time = self.counts.steps * h

    def close(self) -> None:
        """Release the factors."""
        self._factors.close()

    def _forces(self, spins: list[Spin], d: Floats, v: Floats, a: Floats) -> Floats:
        """Return ``m a + (2 c + damping) v + (k + ...) d``."""
        bodies, identity = self.system.bodies, np.eye(self.system.dimension)
        elastic = [Combination(1.0, s.stiffness, s.prestress) for s in spins]
        viscous = [
            Combination(b.beta, s.coriolis + b.alpha * identity, np.zeros(0))
            for b, s in zip(bodies, spins, strict=True)
        ]
        total = self.system.apply(elastic, d)
        if any(c.stiffness or c.inertia.any() for c in viscous):
            total += self.system.apply(viscous, v)
        if a.any():
            total += self.system.mass_times(a)
        return total

    def _effective(self, spins: list[Spin]) -> list[Combination]:
        """Return S."""
        s, h, identity = self.scheme, self.step, np.eye(self.system.dimension)
        mass = 1.0 - s.alpha_m
        damping = (1.0 - s.alpha_f) * s.gamma * h
        elastic = (1.0 - s.alpha_f) * s.beta * h * h
        return [
            Combination(
                elastic + damping * body.beta,
                (mass + damping * body.alpha) * identity
                + damping * spin.coriolis
                + elastic * spin.stiffness,
                elastic * spin.prestress,
            )
            for body, spin in zip(self.system.bodies, spins, strict=True)
        ]

    def _factor(self, effective: list[Combination]) -> None:
        """Factor the symmetric part of S; its skew part, from c and k_eps, is left to GMRES."""
        self._reference = [
            Combination(c.stiffness, 0.5 * (c.inertia + c.inertia.T), c.geometric)
            for c in effective
        ]
        matrix = self.system.matrix(self._reference)
        self._factors = factorize(
            matrix, self._solver, self.system.threads, symmetric=True, check=False
        )
        self.counts.factorizations += 1
        self.counts.factor_bytes = self._factors.bytes or 0

    def _solve(self, effective: list[Combination], rhs: Floats, size: float) -> Floats:
        """Return the solution of ``S a = rhs``; forces of norm ``size`` balance in rhs."""
        system = self.system

        def product(x: Floats) -> Floats:
            return system.restrict(system.apply(effective, system.expand(x)))

        norm = float(np.linalg.norm(rhs))
        tolerance = max(self.tolerance, _ROUND_OFF * size / norm) if norm else self.tolerance
        if self._late >= 2 and self._moved(effective):
            self._refactor(effective)
        guess = self._guess(product, rhs)
        result = gmres(product, rhs, self._factors.solve, guess=guess, tolerance=tolerance)
        if not self._solved(result, effective, tolerance, norm) and self._moved(effective):
            self._refactor(effective)
            result = gmres(product, rhs, self._factors.solve, guess=guess, tolerance=tolerance)
        if not self._solved(result, effective, tolerance, norm):
            raise AnalysisError(
                f"transient: the step from t = {self.time:g} s stops at residual "
                f"{result.residual:.1e} after {result.iterations} iterations; expected "
                f"{tolerance:.1e}: take shorter steps"
            )
        self._late = self._late + 1 if result.preconditioner_solves > MOST_SOLVES else 0
        self.counts.solves += result.preconditioner_solves
        self.counts.most_solves = max(self.counts.most_solves, result.preconditioner_solves)
        self.counts.products += result.products
        self._recent.appendleft(result.solution)
        return result.solution

    def _solved(
        self, result: GmresResult, effective: list[Combination], tolerance: float, norm: float
    ) -> bool:
        """Whether a solution is as good as asked for, or as round-off in its products allows."""
        largest = max(c.stiffness for c in effective) * self.system.stiffness_scale
        floor = 10 * _ROUND_OFF * largest * float(np.linalg.norm(result.solution))
        return result.converged or result.residual * norm <= max(tolerance * norm, floor)

    def _guess(self, product: Callable[[Floats], Floats], rhs: Floats) -> Floats | None:
        """Return the combination of the last accelerations with the least residual."""
        if not self._recent:
            return None
        basis = np.column_stack(self._recent)
        images = np.column_stack([product(one) for one in self._recent])
        self.counts.products += len(self._recent)
        weights = np.linalg.lstsq(images, rhs, rcond=1e-14)[0]
        return np.asarray(basis @ weights)

    def _moved(self, effective: list[Combination]) -> bool:
        """Whether the symmetric part of S differs much from the factored one."""
        for now, then in zip(effective, self._reference, strict=True):
            symmetric = 0.5 * (now.inertia + now.inertia.T)
            if np.abs(symmetric - then.inertia).max() > _MOVED * np.abs(then.inertia).max():
                return True
            if np.abs(now.geometric - then.geometric).max(initial=0.0) > _MOVED * np.abs(
                now.geometric
            ).max(initial=0.0):
                return True
        return False

    def _refactor(self, effective: list[Combination]) -> None:
        self._factors.close()
        self._factor(effective)
        self._late = 0

    def _initial_acceleration(self) -> Floats:
        """Return the acceleration that balances the forces at t = 0."""
        from scipy.sparse.linalg import LinearOperator, cg

        system = self.system
        spins = system.spins(0.0)
        zero = np.zeros_like(self.displacement)
        force = self.loads.at(0.0, spins)
        force -= self._forces(spins, self.displacement, self.velocity, zero)
        rhs = system.restrict(force)
        if not rhs.any():
            return zero
        diagonal = system.restrict(system.mass_diagonal())
        shape = (system.unknowns, system.unknowns)
        mass = LinearOperator(
            shape, matvec=lambda x: system.restrict(system.mass_times(system.expand(x)))
        )
        jacobi = LinearOperator(shape, matvec=lambda x: x / diagonal)
        found, failed = cg(mass, rhs, rtol=1e-13, maxiter=1000, M=jacobi)
        if failed:
            raise AnalysisError("transient: the initial acceleration does not converge")
        return system.expand(found)
