# SPDX-License-Identifier: BSD-3-Clause
"""Modes of machines whose coefficients vary with the angle, by Hill's method.

A rotor that is not round, in axes that turn with it at W, on bearings that stand still and are not
the same in all directions, obeys equations whose coefficients have the period of half a turn. By
Floquet's theorem a motion is ``exp(lambda t) sum_h q_h exp(2 i h W t)``; the coefficients of each
harmonic are one quadratic eigenvalue problem, in which bearings couple neighbours. Harmonics are
added until the last have no part in the motions.

Each exponent is found several times, as ``lambda + 2 i k W``: the one is kept whose motion in axes
that turn is mostly q_0.

The space of the shapes is that of :class:`SpeedModes`; it takes corrections of all harmonics.
Source: G. W. Hill, Acta Mathematica 8 (1886); Lazarus and Thomas, Comptes Rendus Mecanique 338
(2010), 510, the spectrum of the truncated problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modes import Modes
from flexforge.runtime.vibration.quadratic import Eigenvalues
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_modes import SpeedModes
from flexforge.runtime.vibration.unrestrained import Unrestrained

_FIRST, _MOST = 1, 16  # harmonics on each side
_EDGE = 1e-6  # part of a motion that those left out may have; exponents err by its square
_MATTERS = 1e-10  # of a correction, relative to its motion, from which on it extends the space
_TIE = 1e-6  # difference of the energy of two harmonics that are one motion's alike
_REAL = 1e-9  # imaginary part of an exponent that is real, relative to it


class HillModes(SpeedModes):
    """Modes at speeds, with coefficients that vary with the angle; as :class:`SpeedModes`.

    Shapes are those of the harmonic 0.

    Attributes
    ----------
    harmonics : int
        Number on each side, of which motions so far have been.
    """

    harmonics = _FIRST

    @classmethod
    def over(
        cls,
        at: Callable[[float], System],
        speeds: Sequence[float],
        count: int,
        time: float,
        solver: str,
        tell: Callable[[str, int, int], None] | None = None,
    ) -> HillModes:
        """Return the modes at some speeds; parameters as of :meth:`SpeedModes.of`.

        Raises
        ------
        AnalysisError
            Where stresses are not smooth, or rotation alone restrains a motion.
        """
        low = speeds[0] if speeds[0] < speeds[-1] else 0.0
        matrices = SpeedMatrices.of(at, low, speeds[-1], time)
        if matrices is None:
            raise AnalysisError(
                "modes: found stresses that are no polynomial of the speed beside bearings whose "
                "coefficients vary with the angle; expected stresses of the rotation alone"
            )
        free = cls._free(matrices, at, speeds[len(speeds) // 2], time)
        return cls(matrices, speeds, count, solver, tell, free)

    def _is_paired(self, speed: float) -> bool:
        return False

    def _modes(self, speed: float, found: Eigenvalues, residual: float) -> Modes:
        count = found.vectors.shape[1]
        middle = found.vectors.T.reshape(count, -1, self._space.size)
        of_middle = Eigenvalues(
            found.values, middle[:, middle.shape[1] // 2].T, solver=found.solver
        )
        return super()._modes(speed, of_middle, residual)

    def _within(self, speed: float) -> Eigenvalues:
        """Return the exponents at a speed within the space, and all harmonics of the motions."""
        terms = self._projected(speed)
        rows, swings = self._space.rows, self._matrices.swings(speed)
        swing = np.einsum("bai,bpac,bcj->pij", rows, swings, rows)
        if not speed:  # nothing turns: bearings are as they stand, at the angle 0
            return self._solved(terms + 2.0 * swing.real, speed)
        rest = self._without_free(terms)
        if rest is not None:
            terms = np.array([rest.stiffness, rest.viscous, rest.mass])
            swing = np.array([rest.others.T @ one @ rest.others for one in swing])
        count = self._count - (0 if rest is None else self._still)
        while True:
            values, comps = _exponents(terms, swing, speed, self.harmonics)
            wanted = _principal(values, comps, terms[2], count)
            if len(wanted) and _beyond(terms, swing, speed, values[wanted], comps[wanted]) <= _EDGE:
                break
            if self.harmonics == _MOST:
                raise AnalysisError(
                    f"modes: {_MOST} harmonics of half a turn are too few for vibrations as fast "
                    f"beside {speed:g} rad/s; expected fewer modes, or a higher speed"
                )
            self.harmonics += 1
        values, chosen = values[wanted], comps[wanted]
        middle = chosen[:, self.harmonics]
        mass = np.einsum("ki,ij,kj->k", middle.conj(), terms[2], middle).real
        chosen = chosen / np.sqrt(mass)[:, None, None]
        if rest is not None:
            values, chosen = _with_free(rest, values, chosen, speed)
        return Eigenvalues(values, chosen.reshape(len(chosen), -1).T)

    def _without_free(self, terms: Floats) -> Unrestrained | None:
        """Return the problem without motions that nothing restrains; None where there are none.

        Bearings do not feel them, at any angle.
        """
        if not self._still:
            return None
        k, c, m = terms
        found = Unrestrained.of(k, c, m, self._still)
        if found is None:
            raise AnalysisError(
                "modes: found a motion that dampers alone restrain, beside bearings whose "
                "coefficients vary with the angle; expected a support, or a spring"
            )
        return found

    def _alike(self, vectors: list[Complex]) -> Complex:
        """Return vectors of all harmonics as columns: some speeds need fewer of them."""
        size = self._space.size
        most = max(len(one) for one in vectors)
        missing = [(most - len(one)) // (2 * size) * size for one in vectors]
        return super()._alike([np.pad(v, n) for v, n in zip(vectors, missing, strict=True)])

    def _rests(self, speed: float, found: Eigenvalues) -> tuple[Floats, float]:
        powers, comps, forces = self._harmonics_of(speed, found.values, found.vectors)
        flat = comps.reshape(-1, comps.shape[2])
        factors, laws = self._matrices.factors(speed), self._matrices.laws(speed)
        whole = np.einsum("pk,bpij->kbij", powers, laws)
        left = self._space.combined(powers.T @ factors, whole, flat, forces)
        inert = self._space.combined(
            powers[2][:, None] * factors[2], powers[2][:, None, None, None] * laws[:, 2], flat
        )
        count = len(comps)
        norms, inertia, inside = (
            np.linalg.norm(one.reshape(count, -1), axis=1) for one in (left, inert, flat)
        )
        return self._allowance(norms, inertia, inside)

    def _left(self, speeds: Floats, values: Complex, small: Complex) -> Complex:
        """Return what motions leave of their equations, all harmonics of each, (n, modes h)."""
        found = []
        for speed, value, one in zip(speeds.tolist(), values, small.T, strict=True):
            powers, comps, forces = self._harmonics_of(speed, value[None], one[:, None])
            shapes = self._space.basis @ comps[0].T
            left = self._matrices.left(powers, np.full(len(comps[0]), speed), shapes)
            for (rows, _), force in zip(
                self._matrices.bearings, np.moveaxis(forces, 1, 0), strict=True
            ):
                left = left + rows.T @ force.T
            found.append(left)
        return np.hstack(found)

    def _corrected(self, left: Complex, small: Complex) -> float:
        """Extend the space by what corrections of all harmonics have in common, if needed."""
        count = left.shape[1] // small.shape[1]
        left = left / np.repeat(np.linalg.norm(small, axis=0), count)
        both = self._factors.solve(np.hstack([left.real, left.imag]))
        directions, sizes, _ = np.linalg.svd(both, full_matrices=False)
        return self._extended(directions[:, sizes > _MATTERS], float(sizes[0]))

    def _harmonics_of(
        self, speed: float, values: Complex, vectors: Complex
    ) -> tuple[Complex, Complex, Complex]:
        """Return powers, harmonics, and forces by which bearings couple them.

        Returns
        -------
        powers : ndarray, (3, modes h)
            Of the exponents of all harmonics.
        comps : ndarray, (modes, h, m)
        forces : ndarray, (modes h, bearings, 2)
        """
        count = len(values)
        comps = vectors.T.reshape(count, -1, self._space.size)
        rates = values[:, None] + 2j * speed * _orders(comps.shape[1])
        powers = self._powers(rates)
        moved = np.einsum("bai,khi->khba", self._space.rows, comps)
        swings = self._matrices.swings(speed)
        up, down = (
            np.einsum("pkh,bpac,khbc->khba", powers, one, moved) for one in (swings, swings.conj())
        )
        if not speed:
            return powers.reshape(3, -1), comps, (up + down).reshape(-1, *up.shape[2:])
        forces = np.zeros_like(up)
        forces[:, 1:] += up[:, :-1]
        forces[:, :-1] += down[:, 1:]
        return powers.reshape(3, -1), comps, forces.reshape(-1, *forces.shape[2:])


def _orders(count: int) -> Floats:
    """Return the numbers of so many harmonics: ..., -1, 0, 1, ..."""
    return np.asarray(np.arange(count) - float(count // 2))


def _exponents(
    terms: Floats, swing: Complex, speed: float, harmonics: int
) -> tuple[Complex, Complex]:
    """Return all exponents (k,) of the truncated problem, and their harmonics (k, h, m).

    Parameters
    ----------
    terms : ndarray, (3, m, m)
        Matrices of displacements, velocities and accelerations.
    swing : ndarray of complex, (3, m, m)
        Factors of ``exp(2 i W t)`` in them.
    speed : float
        W, rad/s.
    harmonics : int
        Number of them on each side.
    """
    m, count = terms.shape[1], 2 * harmonics + 1
    rates = 2j * speed * _orders(count)
    each = np.zeros((3, count, m, count, m), dtype=complex)
    for h, s in enumerate(rates):
        for place, some in ((h, terms), (h + 1, swing), (h - 1, swing.conj())):
            if 0 <= place < count:
                k, c, mass = some
                each[0, place, :, h] += k + s * c + s * s * mass
                each[1, place, :, h] += c + 2.0 * s * mass
                each[2, place, :, h] += mass
    turn = _to_harmonics(harmonics)
    real = np.einsum("ha,phigj,gb->paibj", turn.conj(), each, turn, optimize=True).real
    size = count * m
    real = real.reshape(3, size, size)
    first = np.zeros((2 * size, 2 * size))
    first[:size, size:] = np.eye(size)
    first[size:] = -np.linalg.solve(real[2], np.hstack([real[0], real[1]]))
    values, vectors = np.linalg.eig(first)
    comps = np.einsum("hb,bmk->khm", turn, vectors[:size].reshape(count, m, -1), optimize=True)
    return values.astype(complex), comps


def _beyond(terms: Floats, swing: Complex, speed: float, values: Complex, comps: Complex) -> float:
    """Return the largest part of motions that the first harmonics left out have on each side.

    They are driven by the last ones. Those of a round rotor drive none: bearings couple two
    harmonics of every motion.

    Parameters
    ----------
    terms, swing, speed
        As of :func:`_exponents`.
    values, comps : ndarray of complex, (k,) and (k, h, m)
        Exponents, and harmonics of their motions.
    """
    last, period = comps.shape[1] // 2, 2j * speed
    sizes, largest = np.linalg.norm(comps, axis=2).max(axis=1), 0.0
    for place, order, factor in ((-1, last, swing), (0, -last, swing.conj())):
        # Bearings give forces of the rates of the harmonic that they move.
        moves = (values + order * period) ** np.arange(3)[:, None]
        forces = np.einsum("pk,pij,kj->ki", moves, factor, comps[:, place])
        further = order + np.sign(order)
        driven = (values + further * period) ** np.arange(3)[:, None]
        matrices = np.einsum("pk,pij->kij", driven, terms)
        found = np.linalg.solve(matrices, forces[:, :, None])[:, :, 0]
        largest = max(largest, float((np.linalg.norm(found, axis=1) / sizes).max()))
    return largest


def _with_free(
    rest: Unrestrained, values: Complex, comps: Complex, speed: float
) -> tuple[Complex, Complex]:
    """Return exponents and harmonics (k, h, m) with the motions that nothing restrains, first.

    Parameters
    ----------
    rest : Unrestrained
        The problem without them.
    values, comps : ndarray of complex, (k,) and (k, h, m - f)
        Its exponents and the harmonics of its motions.
    speed : float
        W, rad/s.
    """
    rates = values[:, None] + 2j * speed * _orders(comps.shape[1])
    each = rest.whole(rates.ravel(), comps.reshape(-1, comps.shape[2]).T).T
    free = np.zeros((rest.free.shape[1], comps.shape[1], len(rest.free)), dtype=complex)
    free[:, comps.shape[1] // 2] = rest.free.T
    none = np.zeros(len(free), dtype=complex)
    return np.append(none, values), np.concatenate([free, each.reshape(*comps.shape[:2], -1)])


def _to_harmonics(harmonics: int) -> Complex:
    """Return the unitary matrix from a constant, cosines and sines to harmonics."""
    count = 2 * harmonics + 1
    found = np.zeros((count, count), dtype=complex)
    found[harmonics, 0] = 1.0
    for h in range(1, harmonics + 1):
        found[harmonics + h, 2 * h - 1 : 2 * h + 1] = np.array([1.0, -1j]) / np.sqrt(2.0)
        found[harmonics - h, 2 * h - 1 : 2 * h + 1] = np.array([1.0, 1j]) / np.sqrt(2.0)
    return found


def _principal(values: Complex, comps: Complex, mass: Floats, count: int) -> np.ndarray:
    """Return the places of the lowest exponents whose motion is mostly their harmonic 0."""
    shares = np.einsum("khi,ij,khj->kh", comps.conj(), mass, comps).real
    middle = shares.shape[1] // 2
    # Where springs drive a vibration, an exponent and the conjugate of its copy share a motion.
    mostly = shares[:, middle] >= (1.0 - _TIE) * shares.max(axis=1)
    real = np.abs(values.imag) <= _REAL * np.abs(values)
    # Real ones are in the place of a conjugate pair: of two, the one that grows or decays slower.
    motionless = np.flatnonzero(mostly & real)
    motionless = motionless[np.argsort(-values[motionless].real, kind="stable")][::2]
    places = np.append(np.flatnonzero(mostly & ~real & (values.imag > 0.0)), motionless)
    return places[np.argsort(np.abs(values[places].imag), kind="stable")][:count]
