# SPDX-License-Identifier: BSD-3-Clause
"""The state in which a discrete system starts: on its constraints, with speeds that it has."""

from __future__ import annotations

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.codegen.systems.lower import no_inertia
from flexforge.runtime.arrays import Floats
from flexforge.runtime.discrete.compiled import CompiledSystem
from numpy.typing import NDArray

#: Newton steps towards the constraints, and the distance at which they are met, m or rad.
_STEPS = 50
CLOSED = 1e-12
#: A coordinate that moved farther than this from its declared value is told.
_TOLD = 1e-6
#: Smallest pivot of the mass matrix, relative to its largest entry.
_SINGULAR = 1e-13


def starting_state(compiled: CompiledSystem) -> tuple[Floats, list[str]]:
    """Return the state at t = 0, and remarks on what the constraints moved.

    Raises
    ------
    InputError
        For a speed that follows from others, a system that cannot be closed, or a speed without
        inertia.
    """
    equations = compiled.equations
    system, speeds = equations.system, equations.speeds
    for name in system.start:
        if name not in system.coordinates and name not in speeds:
            raise InputError(
                f"start.{name}: follows from the constraints; expected values of "
                f"{', '.join(map(str, speeds))}"
            )
    declared = np.array([system.start.get(s, 0.0) for s in (*system.coordinates, *speeds)])
    state = closed(compiled, 0.0, declared, _held(compiled))
    if state is None:  # what is declared of the independent coordinates does not fit
        state = closed(compiled, 0.0, declared)
    if state is None:
        raise InputError(
            "start: the constraints cannot be met from these coordinates; expected values nearer "
            "to a position that the system can take"
        )
    moved = np.abs(state - declared)[: len(system.coordinates)]
    told = [
        f"start.{q} moved from {declared[k]:g} to {state[k]:g} to meet the constraints"
        for k, q in enumerate(system.coordinates)
        if moved[k] > _TOLD
    ]
    _require_inertia(compiled, state)
    return state, told


def _held(compiled: CompiledSystem) -> NDArray[np.bool_]:
    """Return which coordinates are independent: their rates are speeds."""
    speeds = set(compiled.equations.speeds)
    return np.array([rate in speeds for rate in compiled.equations.rates])


def closed(
    compiled: CompiledSystem, t: float, state: Floats, held: NDArray[np.bool_] | None = None
) -> Floats | None:
    """Return a state with coordinates on the constraints, the nearest one; None if none is found.

    Parameters
    ----------
    compiled : CompiledSystem
        The system.
    t : float
        Time, s.
    state : ndarray, (size,)
        Coordinates, then speeds.
    held : ndarray of bool, optional
        Coordinates that stay as they are.
    """
    if "closure" not in compiled.kernels:
        return state
    n, found = len(compiled.coordinates), state.copy()
    for _ in range(_STEPS):
        rows = compiled.evaluate("closure", np.array([t]), found[None])[0]
        if not np.isfinite(rows).all():
            return None
        if np.abs(rows[:, 0]).max() < CLOSED:
            return found
        slopes = rows[:, 1:] if held is None else np.where(held, 0.0, rows[:, 1:])
        found[:n] -= np.linalg.lstsq(slopes, rows[:, 0])[0]
    return None


def _require_inertia(compiled: CompiledSystem, state: Floats) -> None:
    """Require a mass matrix that determines the rates of all speeds."""
    mass = compiled.evaluate("equations", np.zeros(1), state[None])[0][:, :-1]
    if not np.isfinite(mass).all():
        raise InputError(
            "start: the equations are not finite there; expected a position that is not singular"
        )
    values, vectors = np.linalg.eigh(mass)
    if values[0] <= _SINGULAR * max(values[-1], np.finfo(float).tiny):
        raise no_inertia(str(compiled.equations.speeds[int(np.abs(vectors[:, 0]).argmax())]))


def singular(t: float) -> AnalysisError:
    """Return the error of a run that cannot go on."""
    return AnalysisError(
        f"the accelerations are not finite at t = {t:g} s: the system is in a singular position "
        "there, or a formula has no value"
    )
