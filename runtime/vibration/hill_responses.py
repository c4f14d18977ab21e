# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of machines whose coefficients vary with the angle, multiple by multiple.

A load of o times the speed W causes, in axes that turn, motions ``q_h exp(i (o + 2 h) W t)`` of all
whole h: bearings that differ along x and y and stand still couple neighbours. They couple them by
their displacements alone, so that each multiple has answers of its own to the load and to unit
forces on the bearings, at all speeds in one space, and what couples them is a small system of the
displacements of bearings. Multiples are added until the last are not moved.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats, Ints
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices
from flexforge.runtime.vibration.speed_responses import Answers, answers_of

_FIRST, _MOST = 1, 24  # multiples on each side
_EDGE = 1e-10  # part of the largest forces of bearings that may act on multiples that are left out


class HillResponses:
    """Responses to a load over the speed.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    speeds : ndarray, (S,)
        rad/s, ascending, above 0.
    order : int
        o.
    forces : ndarray of complex, (S, n)
        Amplitudes of the load, N.
    solver : str
        Linear solver.
    """

    def __init__(
        self, matrices: SpeedMatrices, speeds: Floats, order: int, forces: Complex, solver: str
    ) -> None:
        self._matrices, self._speeds, self._order = matrices, speeds, order
        self._forces, self._solver = forces, solver
        rows = np.array([rows for rows, _ in matrices.bearings])
        self._flat = rows.reshape(-1, matrices.system.unknowns)

    def run(self) -> Iterator[dict[int, Complex]]:
        """Yield the amplitudes of all multiples from 0 on at every speed, (n,) each.

        Raises
        ------
        AnalysisError
            Where too many multiples would matter, naming the speed; those before are yielded.
        """
        each: dict[int, Complex] = {}  # of all multiples, displacements of bearings
        left, known = np.arange(len(self._speeds)), dict[int, _Multiple]()
        for count in range(_FIRST, _MOST + 1):
            for h in range(-count, count + 1):
                if h not in known:
                    known[h] = self._multiple(h, left)
            more = []
            for place in left.tolist():
                moved = self._coupled(place, count, known)
                if self._reach(place, count, moved):
                    each[place] = moved
                else:
                    more.append(place)
            left = np.array(more, dtype=np.int64)
            if not more:
                break
        for place in range(left[0] if len(left) else len(self._speeds)):
            yield self._summed(place, each[place], known)
        if len(left):
            raise AnalysisError(
                f"at {self._speeds[left[0]]:g} rad/s: harmonic analysis: {_MOST} multiples of two "
                "turns are too few; expected a higher speed, or more damping"
            )

    def _multiple(self, h: int, places: Ints) -> _Multiple:
        """Return the answers of a multiple at some of the speeds."""
        loads: list[Complex] = [one[None].astype(complex) for one in self._flat]
        if h == 0:
            loads.append(self._forces[places])
        speeds, order = self._speeds[places], self._order + 2 * h
        found = answers_of(self._matrices, speeds, order, loads, self._solver)
        return _Multiple(found, places, self._flat)

    def _rates(self, place: int, count: int) -> Complex:
        multiples = self._order + 2.0 * np.arange(-count, count + 1)
        return np.asarray(1j * self._speeds[place] * multiples, dtype=complex)

    def _powers(self, place: int, count: int) -> Complex:
        """Return what bearings make of displacements of the next multiple, both ways.

        They are factors of (2, h, b, 2, 2): those that the lower multiple exerts on the higher one,
        and the other way round.
        """
        rates = self._rates(place, count)
        powers = np.array([np.ones_like(rates), rates, rates**2])
        swings = self._matrices.swings(float(self._speeds[place]))
        both = (swings, swings.conj())
        return np.array([np.einsum("ph,bpij->hbij", powers, one) for one in both])

    def _exerted(self, place: int, count: int, moved: Complex) -> Complex:
        """Return forces on the next multiples above and below, (2, h, b, 2), by displacements."""
        powers = self._powers(place, count)
        return np.asarray(np.einsum("whbij,hbj->whbi", powers, moved))

    def _reach(self, place: int, count: int, moved: Complex) -> bool:
        """Whether bearings hardly act on the first multiples that are left out."""
        up, down = np.abs(self._exerted(place, count, moved))
        return bool(max(up[-1].max(), down[0].max()) <= _EDGE * max(up.max(), down.max()))

    def _summed(
        self, place: int, moved: Complex, known: dict[int, _Multiple]
    ) -> dict[int, Complex]:
        """Return the amplitudes of multiples of a speed from displacements of bearings."""
        count = len(moved) // 2
        up, down = self._exerted(place, count, moved)
        pushed = np.zeros_like(moved)
        pushed[1:] += up[:-1]
        pushed[:-1] += down[1:]
        found: dict[int, Any] = {}
        for h, forces in zip(range(-count, count + 1), pushed, strict=True):
            q = known[h].moved(place, forces.ravel())
            multiple = self._order + 2 * h
            q = q if multiple >= 0 else q.conj()  # Re(q exp(-i w t)) is Re(q* exp(i w t))
            found[abs(multiple)] = found.get(abs(multiple), 0.0) + q
        if self._order and 0 in found:  # a constant has no phase
            found[0] = found[0].real.astype(complex)
        return found

    def _coupled(self, place: int, count: int, known: dict[int, _Multiple]) -> Complex:
        """Return the displacements of bearings at every multiple, (h, b, 2)."""
        size, each = 2 * count + 1, len(self._flat)
        up, down = (_blocks(one) for one in self._powers(place, count))
        matrix = np.eye(size * each, dtype=complex).reshape(size, each, size, each)
        load = np.zeros((size, each), dtype=complex)
        for row, h in enumerate(range(-count, count + 1)):
            yields, load[row] = known[h].at_bearings(place)
            if row:
                matrix[row, :, row - 1] += yields @ up[row - 1]
            if row + 1 < size:
                matrix[row, :, row + 1] += yields @ down[row + 1]
        whole = matrix.reshape(size * each, size * each)
        found = np.linalg.solve(whole, load.ravel())
        return np.asarray(found.reshape(size, -1, 2))


class _Multiple:
    """Answers of a multiple at some speeds: to unit forces on bearings, and to the load if any."""

    def __init__(self, found: Answers, places: Ints, rows: Floats) -> None:
        self._found, self._count = found, len(rows)
        self._index = {place: number for number, place in enumerate(places.tolist())}
        self._at_bearings = found.small @ (rows @ found.basis).T  # (S, c, 2 b)

    def at_bearings(self, place: int) -> tuple[Complex, Complex]:
        """Return displacements of bearings by unit forces, (2 b, 2 b), and by the load, (2 b,)."""
        each = self._at_bearings[self._index[place]]
        by_load = each[self._count :].sum(axis=0)
        return each[: self._count].T, by_load

    def moved(self, place: int, pushed: Complex) -> Complex:
        """Return the motion under the load and forces that bearings take up, (n,)."""
        small = self._found.small[self._index[place]]
        own = small[self._count :].sum(axis=0) - pushed @ small[: self._count]
        return np.asarray(self._found.basis @ own)


def _blocks(laws: Complex) -> Floats | Complex:
    """Return matrices (h, b, 2, 2) as blocks (h, 2 b, 2 b)."""
    h, b = laws.shape[:2]
    found = np.zeros((h, b, 2, b, 2), dtype=complex)
    for number in range(b):
        found[:, number, :, number] = laws[:, number]
    return found.reshape(h, 2 * b, 2 * b)
