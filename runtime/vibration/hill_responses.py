# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of machines whose coefficients vary with the angle, multiple by multiple.

A load of o times the speed W causes, in axes that turn, motions ``q_h exp(i (o + 2 h) W t)`` of all
whole h: bearings that differ along x and y and stand still couple neighbours. They couple them by
their displacements alone, so that each multiple takes the factors of its own matrix, and what
couples them is a small system of the displacements of bearings. Multiples are added until the last
have no part in the motion.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.vibration.speed_matrices import SpeedMatrices

_FIRST, _MOST = 2, 24  # multiples on each side
_EDGE = 1e-10  # part of the largest displacement of bearings that the last ones may have


class HillResponses:
    """Responses to a load over the speed.

    Parameters
    ----------
    matrices : SpeedMatrices
        The equations over the speed.
    order : int
        o.
    solver : str
        Linear solver.
    """

    def __init__(self, matrices: SpeedMatrices, order: int, solver: str) -> None:
        self._matrices, self._order, self._solver = matrices, order, solver
        self._rows = np.array([rows for rows, _ in matrices.bearings])

    def at(self, speed: float, force: Complex) -> dict[int, Complex]:
        """Return the amplitudes of all multiples of the speed from 0 on, (n,) each.

        Parameters
        ----------
        speed : float
            rad/s.
        force : ndarray of complex, (n,)
            Amplitudes of the load, N.

        Raises
        ------
        AnalysisError
            Where too many multiples would matter.
        """
        flat = self._rows.reshape(-1, len(force)).T
        known: dict[int, tuple[Complex, Complex]] = {}
        count = _FIRST
        while True:
            for h in range(-count, count + 1):
                if h not in known:
                    loads = np.column_stack([flat, force if h == 0 else np.zeros_like(force)])
                    known[h] = self._solved(speed, h, loads)
            moved = self._coupled(speed, count, known)
            edge = np.abs(moved[[0, -1]]).max()
            if edge <= _EDGE * np.abs(moved).max():
                break
            if count == _MOST:
                raise AnalysisError(
                    f"harmonic analysis: {_MOST} multiples of two turns are too few at "
                    f"{speed:g} rad/s; expected a higher speed, or more damping"
                )
            count += 1
        forces = self._forces(speed, count, moved)
        found: dict[int, Any] = {}
        for h, pushed in zip(range(-count, count + 1), forces, strict=True):
            by_bearings, by_load = known[h]
            q = by_load - by_bearings @ pushed.ravel()
            multiple = self._order + 2 * h
            q = q if multiple >= 0 else q.conj()  # Re(q exp(-i w t)) is Re(q* exp(i w t))
            found[abs(multiple)] = found.get(abs(multiple), 0.0) + q
        if self._order and 0 in found:  # a constant has no phase
            found[0] = found[0].real.astype(complex)
        return found

    def _rates(self, speed: float, count: int) -> Complex:
        multiples = self._order + 2.0 * np.arange(-count, count + 1)
        return np.asarray(1j * speed * multiples, dtype=complex)

    def _solved(self, speed: float, h: int, loads: Complex) -> tuple[Complex, Complex]:
        """Return displacements by unit forces of bearings, (n, 2 b), and by the load, (n,)."""
        s = 1j * speed * (self._order + 2 * h)
        factors = self._matrices.factored([1.0 + 0.0j, s, s * s], speed, self._solver)
        try:
            right: Any = loads.astype(complex)  # factors of a complex matrix take complex forces
            found: Any = np.asarray(factors.solve(right))
        finally:
            factors.close()
        return found[:, :-1], found[:, -1]

    def _powers(self, speed: float, count: int) -> Complex:
        """Return what bearings make of displacements of the next multiple, both ways.

        They are factors of (2, h, b, 2, 2): those that the lower multiple exerts on the higher one,
        and the other way round.
        """
        rates = self._rates(speed, count)
        powers = np.array([np.ones_like(rates), rates, rates**2])
        swings = self._matrices.swings(speed)
        both = (swings, swings.conj())
        return np.array([np.einsum("ph,bpij->hbij", powers, one) for one in both])

    def _forces(self, speed: float, count: int, moved: Complex) -> Complex:
        """Return forces on the bearings at every multiple, (h, b, 2), by displacements there."""
        up, down = np.einsum("whbij,hbj->whbi", self._powers(speed, count), moved)
        found = np.zeros_like(moved)
        found[1:] += up[:-1]
        found[:-1] += down[1:]
        return found

    def _coupled(
        self, speed: float, count: int, known: dict[int, tuple[Complex, Complex]]
    ) -> Complex:
        """Return the displacements of bearings at every multiple, (h, b, 2)."""
        size, each = 2 * count + 1, 2 * len(self._rows)
        rows = self._rows.reshape(each, -1)
        up, down = (_blocks(one) for one in self._powers(speed, count))
        matrix = np.eye(size * each, dtype=complex).reshape(size, each, size, each)
        load = np.zeros((size, each), dtype=complex)
        for place, h in enumerate(range(-count, count + 1)):
            by_bearings, by_load = known[h]
            yields, load[place] = rows @ by_bearings, rows @ by_load
            if place:
                matrix[place, :, place - 1] += yields @ up[place - 1]
            if place + 1 < size:
                matrix[place, :, place + 1] += yields @ down[place + 1]
        whole = matrix.reshape(size * each, size * each)
        found = np.linalg.solve(whole, load.ravel())
        return np.asarray(found.reshape(size, len(self._rows), 2))


def _blocks(laws: Complex) -> Floats | Complex:
    """Return matrices (h, b, 2, 2) as blocks (h, 2 b, 2 b)."""
    h, b = laws.shape[:2]
    found = np.zeros((h, b, 2, b, 2), dtype=complex)
    for number in range(b):
        found[:, number, :, number] = laws[:, number]
    return found.reshape(h, 2 * b, 2 * b)
