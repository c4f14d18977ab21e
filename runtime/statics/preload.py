# SPDX-License-Identifier: BSD-3-Clause
"""The stresses about which bodies vibrate under loads that vary: those of loads that do not."""

from __future__ import annotations

from dataclasses import replace

from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.statics.stress_state import StateAt, StressState
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System


def preload_keys(spec: ModelSpec, *, preload: bool) -> list[str]:
    """Return the keys of the loads that only stress the bodies, or of the others."""
    return [f"loads[{i}]" for i, load in enumerate(spec.loads) if load.preload is preload]


def preloaded(
    spec: ModelSpec, system: System, loads: Loads, solver: str, time: float, find: StateAt
) -> StressState:
    """Return the bodies under the stresses of their frames and of the loads with ``preload``.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    system : System
        The bodies.
    loads : Loads
        All loads on them.
    solver : str
        Linear solver.
    time : float
        Time at which loads and frames are taken, s.
    find : callable
        Returns the state about which bodies vibrate, of system, loads, solver and time.

    Raises
    ------
    InputError, AnalysisError
        As of what finds the state.
    """
    still = replace(system, map=system.map.at_rest)  # what moves supports varies
    constant = loads.only(preload_keys(spec, preload=True)).on(still)
    state = find(still, constant, solver, time)
    return replace(state, system=replace(state.system, map=system.map))
