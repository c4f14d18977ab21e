# SPDX-License-Identifier: BSD-3-Clause
"""All sectors of a wheel in results, from one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.results import BodyGeometry, BodyState
from flexforge.runtime.system.sector import Sector, turned_by

#: Places of the components xx yy zz xy yz zx in a matrix.
_ROWS, _COLUMNS = np.array([0, 1, 2, 0, 1, 2]), np.array([0, 1, 2, 1, 2, 0])


def wheel_of(geometry: BodyGeometry, sector: Sector) -> BodyGeometry:
    """Return a body of a sector in all sectors, one after the other.

    Parameters
    ----------
    geometry : BodyGeometry
        The body in the sector.
    sector : Sector
        The sector.
    """
    count = len(geometry.points)
    firsts = count * np.arange(sector.count)
    cells = firsts[:, None, None] + geometry.connectivity
    return replace(
        geometry,
        points=sector.points(geometry.points).reshape(-1, 3),
        connectivity=cells.reshape(-1, geometry.connectivity.shape[1]),
        stations=None,
        nodes=None,
        cells=None,
    )


def on_wheel(sector: Sector, shape: Floats | Complex, diameter: int, part: str) -> Floats:
    """Return the real or imaginary part of a shape (n, d) in all sectors, (N n, d)."""
    found = sector.over_wheel(shape, diameter)
    chosen = found.real if part == "real" else found.imag
    return np.ascontiguousarray(chosen.reshape(-1, shape.shape[1]))


def expanding(sector: Sector) -> Callable[[dict[str, BodyState]], dict[str, BodyState]]:
    """Return what turns states of a sector into those of the wheel, which all sectors share."""

    def expand(states: Mapping[str, BodyState]) -> dict[str, BodyState]:
        return {name: _expanded(state, sector) for name, state in states.items()}

    return expand


def _expanded(state: BodyState, sector: Sector) -> BodyState:
    def vectors(given: Floats) -> Floats:
        return on_wheel(sector, given, 0, "real")

    return replace(
        state,
        displacement=vectors(state.displacement),
        velocity=None if state.velocity is None else vectors(state.velocity),
        stress=None if state.stress is None else _stresses(state.stress, sector),
        at_stations=None,
    )


def _stresses(stress: Floats, sector: Sector) -> Floats:
    """Return stresses (n, 6) of the sector in all sectors, (N n, 6)."""
    tensor = np.zeros((len(stress), 3, 3))
    tensor[:, _ROWS, _COLUMNS] = tensor[:, _COLUMNS, _ROWS] = stress
    turns = (turned_by(sector.axis, k * sector.angle) for k in range(sector.count))
    return np.concatenate([(turn @ tensor @ turn.T)[:, _ROWS, _COLUMNS] for turn in turns])
