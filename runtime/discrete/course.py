# SPDX-License-Identifier: BSD-3-Clause
"""The motion of a discrete system in time: Dormand and Prince's method of order 8, by SciPy.

Constraints are met by the speeds at any time; the coordinates of closed loops would drift off
slowly, and are put back after a step in which they did.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.discrete.compiled import CompiledSystem
from flexforge.runtime.discrete.starts import closed, singular
from scipy.integrate import DOP853

#: Times handed over together.
PORTION = 200


def motion(
    compiled: CompiledSystem, state: Floats, times: Floats, tolerance: float
) -> Iterator[tuple[Floats, Floats]]:
    """Yield portions of times, and the states there, (T, size).

    Parameters
    ----------
    compiled : CompiledSystem
        The system.
    state : ndarray, (size,)
        At the first time, on the constraints.
    times : ndarray
        Increasing, s.
    tolerance : float
        Relative error allowed in a step.

    Raises
    ------
    AnalysisError
        In a singular position; states before it have been yielded.
    """
    solver = _solver(compiled, times[0], state, times[-1], tolerance)
    done: list[tuple[float, Floats]] = [(float(times[0]), state)]
    following = 1
    try:
        while following < len(times):
            _step(solver)
            between = solver.dense_output()
            while following < len(times) and times[following] <= solver.t:
                t = float(times[following])
                found = closed(compiled, t, between(t))
                if found is None:
                    raise singular(t)
                done.append((t, found))
                following += 1
                if len(done) == PORTION:
                    yield _stacked(done)
                    done = []
            solver = _put_back(compiled, solver, times[-1], tolerance)
    finally:
        if done:  # before an error, too
            yield _stacked(done)


def _solver(
    compiled: CompiledSystem,
    t: float,
    state: Floats,
    end: float,
    tolerance: float,
    first: float | None = None,
) -> DOP853:
    def rates(at: float, y: Floats) -> Floats:
        found = compiled.rates(at, y)
        if not np.isfinite(found).all():
            raise singular(at)
        return found

    return DOP853(rates, t, state, end, rtol=tolerance, atol=tolerance, first_step=first)


def _step(solver: DOP853) -> None:
    """Make one step."""
    said = solver.step()
    if solver.status == "failed":
        raise AnalysisError(
            f"the integration stopped at t = {solver.t:g} s: {str(said).rstrip('.').lower()}, as "
            "near a singular position"
        )


def _put_back(compiled: CompiledSystem, solver: DOP853, end: float, tolerance: float) -> DOP853:
    """Return the solver, begun anew on the constraints if it drifted off them."""
    if "closure" not in compiled.kernels or solver.status == "finished":
        return solver
    rows = compiled.evaluate("closure", np.array([solver.t]), solver.y[None])[0]
    if np.abs(rows[:, 0]).max() < tolerance:
        return solver
    back = closed(compiled, solver.t, solver.y)
    if back is None:
        raise singular(solver.t)
    first = min(solver.step_size, end - solver.t)
    return _solver(compiled, solver.t, back, end, tolerance, first)


def _stacked(done: list[tuple[float, Floats]]) -> tuple[Floats, Floats]:
    return np.array([t for t, _ in done]), np.array([state for _, state in done])
