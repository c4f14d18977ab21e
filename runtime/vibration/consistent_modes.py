# SPDX-License-Identifier: BSD-3-Clause
"""Modes of systems whose matrices depend on the frequency: each with those of its own.

``T(s) phi = 0`` with ``T(s) = s^2 m(w) + s c(w) + k(w)`` at ``w = Im s``. Between two frequencies
of the tables, roots with the matrices of both are matched by their shapes; where the frequency of
one less that of the matrices changes its sign, there is a root, which Newton's method finds, of
the bordered ``f(s) = 1 / (a^H T(s)^-1 b)`` with vectors a and b about the right and the left shape.
As w is the imaginary part, f is no analytic function, and its derivatives are along both parts of s
(Guettel and Tisseur, "The nonlinear eigenvalue problem", Acta Numerica 26 (2017), section 4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex
from flexforge.runtime.solvers import factorize
from flexforge.runtime.solvers.interface import SingularMatrixError
from flexforge.runtime.system.bearing import BearingBody
from flexforge.runtime.system.bearing_frequencies import FrequencyLaw
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modes import Modes, Tell, in_phase, rates, real_shapes, solve_modes
from flexforge.runtime.vibration.quadratic import DENSE
from flexforge.runtime.vibration.vibrating_matrices import VibratingMatrices

if TYPE_CHECKING:
    pass

#: Further modes at every frequency, whose frequencies may fall.
_BEYOND = 4
#: Assurance of two shapes below which they are not of one root.
_ALIKE = 0.3
#: Steps of Newton's method, and halvings of an interval where it misses a root.
_STEPS, _HALVINGS = 30, 12
#: Change of a root, relative to it, that is round-off, and that of the differences for slopes.
_SETTLED, _STEP = 1e-13, 1e-6
#: Distance of two roots, relative to them, and assurance of their shapes, that are one.
_ONE, _SAME = 1e-8, 1.0 - 1e-6
#: Part of an interval by which a root may be beyond its ends.
_OUTSIDE = 1e-9


@dataclass(frozen=True, slots=True)
class _Root:
    """A root with its shape (n,), of unit modal mass, and its residual."""

    value: complex
    vector: Complex
    residual: float


def solve_own_modes(
    system: System,
    count: int,
    shift: float | None,
    time: float,
    solver: str,
    *,
    tell: Tell | None = None,
    damped: bool = True,
    both: bool = False,
) -> Modes:
    """Return vibrations, each with the matrices of its own frequency where these depend on it.

    Parameters, result and errors are those of :func:`solve_modes`.

    Raises
    ------
    InputError
        For a shift, of matrices that depend on the frequency.
    """
    if not system.vibrates:
        how = {"damped": damped, "both": both}
        return solve_modes(system, count, shift, time, solver, tell=tell, **how)
    if shift is not None:
        raise InputError(
            "analysis.shift: found with a table of a bearing over the frequency; expected none: "
            "modes are found from frequency 0 on"
        )
    return _Consistent(system, count, time, solver).modes(tell)


class _Consistent:
    """Roots of a system at a speed, interval by interval of the frequencies of its tables."""

    def __init__(self, system: System, count: int, time: float, solver: str) -> None:
        self._system, self._count, self._time, self._solver = system, count, time, solver
        self._is_small = system.unknowns <= DENSE
        self._matrices = VibratingMatrices(system, time, dense=self._is_small).at
        self._gyroscopic = any(spin.coriolis.any() for spin in system.spins(time))
        self._solves, self._name = 0, ""

    def modes(self, tell: Tell | None) -> Modes:
        """Return the roots nearest to zero as modes, ascending in frequency."""
        places = [0.0, *_frequencies(self._system)]
        found: list[_Root] = []
        before = self._at(places[0])
        still = np.flatnonzero(before.values.imag <= 0.0)
        found += [self._settled(before.values[k], before.vectors[k]) for k in still]
        for low, high in zip(places, places[1:], strict=False):
            if sum(abs(one.value) <= low for one in found) >= self._count:
                break  # others are farther from zero
            after = self._at(high)
            found = _distinct(found + self._between(low, high, before, after))
            before = after
            if tell is not None:
                tell("modes", min(len(found), self._count), self._count)
        else:  # beyond the tables matrices are constant
            beyond = np.flatnonzero(before.values.imag > places[-1])
            more = [self._settled(before.values[k], before.vectors[k]) for k in beyond]
            found = _distinct(found + more)
        found = sorted(found, key=lambda one: abs(one.value))[: self._count]
        return self._as_modes(sorted(found, key=lambda one: (one.value.imag, -one.value.real)))

    def _at(self, frequency: float) -> Modes:
        """Return the modes with the matrices of a frequency, rad/s."""
        there = self._system.vibrating(frequency)
        count = min(self._count + _BEYOND, there.unknowns)
        found = solve_modes(there, count, None, self._time, self._solver)
        self._name = found.solver
        return found

    def _between(
        self, low: float, high: float, before: Modes, after: Modes, halvings: int = _HALVINGS
    ) -> list[_Root]:
        """Return the roots between two frequencies; the interval is halved where one is missed.

        Where matrices have a pole none is there, however small the interval becomes.
        """
        found: list[_Root] = []
        missed = False
        mass = self._matrices(0.5 * (low + high))[2]
        for i, k, alike in _matched(before, after, mass):
            one, other = complex(before.values[i]), complex(after.values[k])
            begin, end = one.imag - low, other.imag - high
            if begin == end or (begin >= 0.0) == (end >= 0.0):
                continue
            part = begin / (begin - end)
            vector = before.vectors[i] if part < 0.5 else after.vectors[k]
            root = None
            if alike:
                root = self._refined((1.0 - part) * one + part * other, vector, low, high)
            if root is None or any(_are_one(root, known) for known in found):
                missed = True
            else:
                found.append(root)
        if not (missed and halvings):
            return found
        middle = 0.5 * (low + high)
        there = self._at(middle)
        return _distinct(
            self._between(low, middle, before, there, halvings - 1)
            + self._between(middle, high, there, after, halvings - 1)
        )

    def _refined(self, guess: complex, vector: Complex, low: float, high: float) -> _Root | None:
        """Return the root near a guess, unless it is not in an interval of frequencies."""
        right, left = vector, self._solved(guess, vector, turned=True)
        s, size = guess, np.inf
        for _ in range(_STEPS):
            h = _STEP * abs(s)
            here, along, across = (self._bordered(x, right, left) for x in (s, s + h, s + 1j * h))
            slopes = np.array([(along - here) / h, (across - here) / h])
            jacobian = np.array([slopes.real, slopes.imag])
            if not np.isfinite(jacobian).all() or abs(np.linalg.det(jacobian)) == 0.0:
                return None
            step = complex(*np.linalg.solve(jacobian, [-here.real, -here.imag]))
            s += step
            if not low - (high - low) <= s.imag <= high + (high - low):
                return None
            size, before = abs(step) / abs(s), size
            if size <= _SETTLED or (size <= _ONE and size > 0.5 * before):
                break
        outside = _OUTSIDE * (high - low)
        if not low - outside <= s.imag <= high + outside or size > _ONE:
            return None
        return self._settled(s, right)

    def _settled(self, value: complex, vector: Complex) -> _Root:
        """Return a root with the shape that inverse iteration makes of one, and its residual."""
        k, c, m = self._matrices(value.imag)
        shape = vector
        for _ in range(2):
            better = self._solved(value, shape)
            if np.isfinite(better).all():
                shape = better / np.linalg.norm(better)
        shape = shape / np.sqrt((shape.conj() @ (m @ shape)).real)
        parts = [k @ shape, value * (c @ shape), value**2 * (m @ shape)]
        scale = self._system.stiffness_scale * float(np.linalg.norm(shape))
        size = scale + sum(float(np.linalg.norm(one)) for one in parts[1:])
        return _Root(value, shape, float(np.linalg.norm(sum(parts))) / size)

    def _bordered(self, s: complex, right: Complex, left: Complex) -> complex:
        """Return f(s); zero where T is singular to the last digit."""
        found = complex(right.conj() @ self._solved(s, left))
        return 1.0 / found if np.isfinite(found) and found else 0j

    def _solved(self, s: complex, rhs: Complex, *, turned: bool = False) -> Complex:
        """Return ``T(s)^-1`` times a vector, or that of the adjoint; infinite where singular."""
        k, c, m = self._matrices(s.imag)
        matrix = k + s * c + s * s * m
        matrix = matrix.conj().T if turned else matrix
        self._solves += 1
        if self._is_small:
            try:
                return np.asarray(np.linalg.solve(matrix, rhs))
            except np.linalg.LinAlgError:
                return np.full(len(rhs), np.inf, dtype=complex)
        chosen = self._solver if self._solver in ("pardiso", "scipy") else "auto"
        try:
            factors = factorize(matrix.tocsr(), chosen, self._system.threads, check=False)
            found = np.asarray(factors.solve(rhs.astype(complex)), dtype=complex)
            factors.close()
        except SingularMatrixError:
            return np.full(len(rhs), np.inf, dtype=complex)
        return found

    def _as_modes(self, roots: Sequence[_Root]) -> Modes:
        """Return roots as modes."""
        system = self._system
        values = np.array([one.value for one in roots], dtype=complex)
        vectors = in_phase(np.array([one.vector for one in roots]).reshape(-1, system.unknowns))
        growth, ratio = rates(values, None)
        shapes = [
            real_shapes(system, vector[None], self._matrices(value.imag)[2])
            for value, vector in zip(values.tolist(), vectors, strict=True)
        ]
        none = np.zeros((0, system.size, system.dimension))
        return Modes(
            values.imag / (2.0 * np.pi),
            np.concatenate([none, *shapes]),
            growth,
            ratio,
            self._gyroscopic,
            vectors,
            self._solves,
            max((one.residual for one in roots), default=0.0),
            f"{self._name}, Newton's method",
        )


def _frequencies(system: System) -> list[float]:
    """Return the frequencies of all tables above 0, ascending, rad/s."""
    found: set[float] = set()
    for body in system.bodies:
        if isinstance(body, BearingBody) and isinstance(body.bearing, FrequencyLaw):
            found |= set(body.bearing.frequencies.tolist())
    return sorted(one for one in found if one > 0.0)


def _matched(before: Modes, after: Modes, mass: Any) -> list[tuple[int, int, bool]]:
    """Return pairs of modes at two frequencies by values and shapes, and whether shapes agree."""
    from scipy.optimize import linear_sum_assignment

    a, b = (one.vectors.reshape(-1, mass.shape[0]) for one in (before, after))
    moved = (mass @ b.T).T
    sizes = [np.sqrt(np.einsum("kn,kn->k", x.conj(), (mass @ x.T).T).real) for x in (a, b)]
    alike = np.abs(a.conj() @ moved.T) / np.outer(*sizes)
    distance = np.abs(before.values[:, None] - after.values)
    scale = np.maximum(np.abs(before.values), 1e-300)[:, None]
    rows, columns = linear_sum_assignment(distance / scale + (1.0 - alike))
    pairs = zip(rows.tolist(), columns.tolist(), strict=True)
    return [(i, k, bool(alike[i, k] >= _ALIKE)) for i, k in pairs]


def _distinct(roots: Sequence[_Root]) -> list[_Root]:
    """Return the roots without those that occur again."""
    found: list[_Root] = []
    for one in roots:
        if not any(_are_one(one, other) for other in found):
            found.append(one)
    return found


def _are_one(one: _Root, other: _Root) -> bool:
    """Whether two roots are the same, with the same shape."""
    if abs(one.value - other.value) > _ONE * abs(other.value):
        return False
    sizes = float(np.linalg.norm(one.vector) * np.linalg.norm(other.vector))
    return bool(abs(one.vector.conj() @ other.vector) >= _SAME * sizes)
