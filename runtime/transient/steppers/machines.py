# SPDX-License-Identifier: BSD-3-Clause
"""Steps of bodies whose spin a torque decides: generalized-alpha for them and for their machines.

The averaged accelerations x of the bodies and y of the machines satisfy both residuals at the end
of a step. Newton's method takes the matrix S of the bodies, which depends on y, with the factors
that are kept for it, and the angles as a border:

    S dx + C dy = r,    R dx + E dy = -b.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.motion.spin import Turn
from flexforge.runtime.transient.coordinates.all import StepSolver
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.equations import Equations
from flexforge.runtime.transient.linear.mass import solve_mass
from flexforge.runtime.transient.machine_energy import WORKS, energies, powers
from flexforge.runtime.transient.machine_model import MachineModel, Slopes
from flexforge.runtime.transient.model import Point
from flexforge.runtime.transient.scheme import Scheme
from flexforge.runtime.transient.state import State, pack, unpack
from flexforge.runtime.transient.steppers.stepper import Stepper

_NOTHING = np.zeros(0)
#: Corrections of a step at most.
_MOST = 25
#: Change that is round-off of a step, relative.
_ROUND_OFF = 1e-12
#: Change below which corrections that shrink no more are round-off of stiff bodies, relative.
_STALLED = 1e-8
#: Shrinking of corrections for which derivatives are renewed.
_SLOW = 0.1


@dataclass(frozen=True, slots=True)
class _Rates:
    """Accelerations and averaged ones of the unknowns, (n,), and of the machines, (m,)."""

    a: Floats
    averaged: Floats
    e: Floats
    turned: Floats


@dataclass(frozen=True, slots=True)
class _Solved:
    """Solutions with the matrix S of a step that begins at a time, s."""

    solver: StepSolver
    matrix: Any
    time: float

    def __call__(self, rhs: Floats, size: float) -> Floats:
        """Return the solution; round-off is relative to a size."""
        return self.solver.solve(self.matrix, rhs, size, self.time) if rhs.any() else rhs


@dataclass(frozen=True, slots=True)
class _Border:
    """The angles of machines beside S.

    Attributes
    ----------
    rows : ndarray, (m, n)
        R.
    moved : ndarray, (m, n)
        ``S^-1 C``, transposed.
    corner : ndarray, (m, m)
        ``E - R S^-1 C``.
    """

    rows: Floats
    moved: Floats
    corner: Floats

    @classmethod
    def of(cls, slopes: Slopes, solved: _Solved) -> _Border:
        """Return the border of derivatives."""
        each = slopes.columns.T
        moved = np.array([solved(one, float(np.linalg.norm(one))) for one in each])
        return cls(slopes.rows, moved, slopes.corner - slopes.rows @ moved.T)

    def turned(self, left: Floats, moved: Floats) -> Floats:
        """Return dy, (m,), for what is left of both equations: b, and S^-1 r."""
        return np.asarray(-np.linalg.solve(self.corner, left + self.rows @ moved))


@dataclass(frozen=True, slots=True)
class Reached:
    """Angles of machines and works at a state.

    Attributes
    ----------
    turn : Turn
        Angles, speeds and accelerations.
    works : ndarray, (4,)
        Of `WORKS` since the start, J.
    begun : float
        Energy at the start, J.
    """

    turn: Turn
    works: Floats
    begun: float


class MachineSteps(Stepper):
    """Generalized-alpha steps, and those of Newmark's method, of bodies and machines.

    Angles, speeds, works and the energy at the start are s of a state.

    Parameters
    ----------
    model : MachineModel
        The equations.
    solver : StepSolver
        Solves with the matrices of the steps.
    scheme : Scheme
        Coefficients.
    step : float
        Length of the steps, s.
    tolerance : float
        Error of the averaged accelerations of a step, relative.
    backend : str
        Linear solver of the masses at the start.
    counts : Counts
        Where work is counted.
    """

    def __init__(
        self,
        model: MachineModel,
        solver: StepSolver,
        scheme: Scheme,
        step: float,
        tolerance: float,
        backend: str,
        counts: Counts,
    ) -> None:
        self.model, self.scheme = model, scheme
        self._solver, self._step, self._counts = solver, step, counts
        self._tolerance, self._backend = tolerance, backend

    @property
    def counts(self) -> Counts:
        """Work done."""
        return self._counts

    @property
    def solver_name(self) -> str:
        """Backend that factors."""
        return self._solver.solver_name

    def begin(self, state: State) -> State:
        """Return a state with a history, its accelerations from the equations there."""
        model, turn = self.model, self.model.machines.start
        rest = np.zeros_like(state.q)
        equations = model.equations(state.t, turn)
        at = model.nodal(state.t, state.q, state.z, rest)
        a = self._divide(equations.force - equations.inner(state.q, state.z, rest))
        coupling = model.coupling(turn, at.d)
        columns = np.array([self.model.system.restrict(one) for one in coupling])
        moved = np.array([self._divide(one) for one in columns])
        left = model.balance(state.t, turn, model.nodal(state.t, state.q, state.z, a))
        e = np.linalg.solve(np.diag(model.inertia(at.d)) - columns @ moved.T, left)
        a = a - e @ moved
        turn = replace(turn, acceleration=e)
        at = model.nodal(state.t, state.q, state.z, a)
        begun = sum(energies(model, turn, at, equations))
        s = np.concatenate([turn.angle, turn.speed, np.zeros(len(WORKS)), [begun]])
        self._solver.prepare(equations.combine(*self.scheme.factors(self._step)))
        return _packed(state.t, state.q, state.z, s, self._step, _Rates(a, a, e, e))

    def advance(self, state: State, h: float, to: float) -> State:
        """Return the state one step later.

        Raises
        ------
        AnalysisError
            When the corrections do not end.
        """
        (last,), now = _unpacked(state)
        if last != h:  # averaged rates, moved to a step of another length
            now = replace(
                now,
                averaged=now.a + h / last * (now.averaged - now.a),
                turned=now.e + h / last * (now.turned - now.e),
            )
        before = self.reached(state)
        factors = np.array(self.scheme.factors(h))
        moved, v0, a0 = self.scheme.predicted(h, state.z, now.a, now.averaged)
        q0 = state.q + moved
        angle, w0, e0 = self.scheme.predicted(h, before.turn.speed, now.e, now.turned)
        first = before.turn.angle + angle
        x, y = now.averaged.copy(), now.turned.copy()
        sizes = (float(np.linalg.norm(v0)) / h, float(np.linalg.norm(w0)) / h)
        change, border = np.inf, None
        for _ in range(_MOST):
            turn = Turn(first + factors[2] * y, w0 + factors[1] * y, e0 + factors[0] * y)
            q, v, a = q0 + factors[2] * x, v0 + factors[1] * x, a0 + factors[0] * x
            at, equations = self.model.nodal(to, q, v, a), self.model.equations(to, turn)
            matrix = _Solved(self._solver, equations.combine(*factors), to - h)
            inner = equations.inner(q, v, a)
            if border is None:  # the first one serves, unless corrections shrink slowly
                border = _Border.of(self.model.slopes(to, turn, at, equations, factors), matrix)
            dx = matrix(equations.force - inner, equations.magnitude(inner, q))
            dy = border.turned(self.model.balance(to, turn, at), dx)
            dx = dx - dy @ border.moved
            x, y = x + dx, y + dy
            was = change
            change = max(_relative(dx, x, sizes[0]), _relative(dy, y, sizes[1]))
            if change > _SLOW * was:
                border = None
            if not np.isfinite(change):
                break
            left = change * change / was if was < np.inf else np.inf  # by what they shrink
            stalls = change > _SLOW * was and change <= _STALLED
            if change <= _ROUND_OFF or stalls or (change < was and left <= self._tolerance):
                end = (q0, v0, a0), (first, w0, e0)
                return self._at_end(state, before, h, to, x, y, *end, equations)
        raise AnalysisError(
            f"transient: the speed of machines does not settle in the step to t = {to:g} s: take "
            "shorter steps"
        )

    def _at_end(
        self,
        state: State,
        before: Reached,
        h: float,
        to: float,
        x: Floats,
        y: Floats,
        body: tuple[Floats, Floats, Floats],
        angle: tuple[Floats, Floats, Floats],
        equations: Equations,
    ) -> State:
        """Return the state with averaged accelerations x and y; equations are those there."""
        mass, viscous, elastic = self.scheme.factors(h)
        q, v, a = body[0] + elastic * x, body[1] + viscous * x, body[2] + mass * x
        turn = Turn(angle[0] + elastic * y, angle[1] + viscous * y, angle[2] + mass * y)
        here = powers(self.model, to, turn, self.model.nodal(to, q, v, a), equations)
        worked = before.works + 0.5 * h * (self._powers_of(state) + here)
        s = np.concatenate([turn.angle, turn.speed, worked, [before.begun]])
        self._counts.steps += 1
        return _packed(to, q, v, s, h, _Rates(a, x, turn.acceleration, y), here)

    def _powers_of(self, state: State) -> Floats:
        """Return the powers at a state."""
        kept = unpack(state.history)[5]
        if len(kept):
            return kept
        (_,), now = _unpacked(state)
        turn, at = self.reached(state).turn, self.model.nodal(state.t, state.q, state.z, now.a)
        return powers(self.model, state.t, turn, at, self.model.equations(state.t, turn))

    def point(self, state: State) -> Point:
        """Return a state with its accelerations."""
        (_,), now = _unpacked(state)
        return Point(state.t, state.q, state.z, state.s, state.mode, now.a, np.zeros(0))

    def reached(self, state: State) -> Reached:
        """Return angles of machines and works at a state."""
        count = len(self.model.machines.each)
        angle, speed = state.s[:count], state.s[count : 2 * count]
        works = state.s[2 * count : 2 * count + len(WORKS)]
        turn = Turn(angle, speed, _unpacked(state)[1].e)
        return Reached(turn, works, float(state.s[-1]))

    def figures(self, state: State) -> dict[str, Any]:
        """Return speeds of machines, works and the error of their balance."""
        model, found = self.model, self.reached(state)
        (_,), now = _unpacked(state)
        at = model.nodal(state.t, state.q, state.z, now.a)
        kinetic, strain = energies(model, found.turn, at, model.equations(state.t, found.turn))
        told: dict[str, Any] = {}
        for one, speed, angle in zip(
            model.machines.each, found.turn.speed, found.turn.angle, strict=True
        ):
            told[f"speed of {one.name} at the end"] = [float(speed), "rad/s"]
            told[f"angle of {one.name} at the end"] = [float(angle), "rad"]
        told["kinetic energy at the end"] = [kinetic, "J"]
        told["strain energy at the end"] = [strain, "J"]
        works = zip(WORKS, found.works.tolist(), strict=True)
        told |= {f"work of {name}": [work, "J"] for name, work in works}
        size = max(kinetic + strain, found.begun, float(np.abs(found.works).max()))
        gained = kinetic + strain - found.begun
        if size:
            told["error of the energy balance"] = abs(float(found.works.sum()) - gained) / size
        return told

    def close(self) -> None:
        """Release the factors."""
        self._solver.close()

    def _divide(self, forces: Floats) -> Floats:
        """Return the accelerations that forces cause while machines turn steadily, (n,)."""
        return solve_mass(self.model.system, self._backend, forces)


def _relative(change: Floats, values: Floats, size: float) -> float:
    """Return the norm of a change over that of values and a size; zero for none."""
    norm = float(np.linalg.norm(change))
    return norm / (float(np.linalg.norm(values)) + size) if norm else 0.0


def _packed(
    time: float,
    q: Floats,
    v: Floats,
    s: Floats,
    h: float,
    rates: _Rates,
    kept: Floats = _NOTHING,
) -> State:
    """Return a state with its history: step, rates, and powers at it."""
    history = pack(np.array([h]), rates.a, rates.averaged, rates.e, rates.turned, kept)
    return State(time, q, v, s, history=history)


def _unpacked(state: State) -> tuple[Floats, _Rates]:
    """Return the length of the last step, and the rates of a state."""
    h, *rates, _ = unpack(state.history)
    return h, _Rates(*rates)
