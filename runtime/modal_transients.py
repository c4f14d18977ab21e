# SPDX-License-Identifier: BSD-3-Clause
"""A transient analysis by superposition of modes, whose steps are exact."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.observe.motion import Snapshot
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.preload import preload_keys, preloaded
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.modal_basis import ModalBasis, superposition
from flexforge.runtime.vibration.superposition import Superposition


def run_modal(
    analysis: TransientAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    start: tuple[Floats, Floats],
    recorder: Recorder,
    phases: Phases,
    basis: ModalBasis = superposition,
) -> Figures:
    """Take all steps by modes; the steps are exact for forces that are linear within each.

    Parameters
    ----------
    analysis : TransientAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model.
    system : System
        The bodies.
    loads : Loads
        The loads on them.
    start : tuple of ndarray, (N, d) each
        Displacement and velocity at t = 0.
    recorder : Recorder
        Receives the states.
    phases : Phases
        Measures the time of the phases.
    basis : callable
        Returns the modes that add up.

    Returns
    -------
    dict
        Name to number, or to a number with its unit.

    Raises
    ------
    InputError
        For bodies with an energy, frames that turn, and supports that move.
    AnalysisError
        When modes do not converge.
    """
    if is_large(system):
        raise InputError("analysis.method: found modal with bodies with an energy; expected others")
    if loads.given is not None:
        raise InputError("analysis.method: found modal with supports that move; expected others")
    assert analysis.modes is not None
    with phases("prestress"):
        stressed = preloaded(spec, system, loads, analysis.solver, 0.0)
    with phases("modes"):
        modes = basis(stressed, analysis.modes, analysis.modal_damping, 0.0, analysis.solver)
    states = _Steps(modes, stressed, _by_sectors(spec, stressed, loads), start, analysis.step_size)
    total, every = analysis.number_of_steps, spec.output.every
    for number in range(total + 1):
        with phases("steps", quiet=True):
            if number:
                states.step()
        frame = number % every == 0 or number == total
        if frame or recorder.probes:
            with phases("write", quiet=True):
                recorder.record(states.time, states.snapshot(), frame=frame)
        recorder.writer.progress("steps", number, total, states.time)
        phases.tell("steps", number, total)
    with phases("write", quiet=True):
        recorder.flush()
    highest = float(np.sqrt(modes.squares.max())) / (2.0 * np.pi)
    return {"highest mode": [highest, "Hz"], **recorder.figures()}


def _by_sectors(
    spec: ModelSpec, stressed: System, loads: Loads
) -> dict[tuple[int, ...] | None, Loads]:
    """Return the loads that vary by the sectors of a wheel on which they act; None is all."""
    keys: dict[tuple[int, ...] | None, list[str]] = {None: []}
    for key in preload_keys(spec, preload=False):
        number = int(key.removeprefix("loads[").removesuffix("]"))
        keys.setdefault(spec.loads[number].sectors, []).append(key)
    return {sectors: loads.only(own).on(stressed) for sectors, own in keys.items()}


class _Steps:
    """The motion of the modes, step by step.

    Parameters
    ----------
    modes : Superposition
        The modes.
    system : System
        The bodies, with their stresses.
    loads : dict of Loads
        The loads on them, by their sectors; those on all are there in any case.
    start : tuple of ndarray, (N, d) each
        Displacement and velocity at t = 0, of which the modes take their part.
    step : float
        Length of a step, s.
    """

    def __init__(
        self,
        modes: Superposition,
        system: System,
        loads: Mapping[tuple[int, ...] | None, Loads],
        start: tuple[Floats, Floats],
        step: float,
    ) -> None:
        self._modes, self._system, self._step = modes, system, step
        self._loads = [(modes.acting_on(sectors), own) for sectors, own in loads.items()]
        self._still = loads[None].only(())
        self._moves = modes.steps(step)
        momenta = [modes.forces(system.mass_times(one)) for one in start]
        self._state = np.concatenate(momenta)
        self._number = 0
        self._force = self._forces()

    @property
    def time(self) -> float:
        """Time, s."""
        return self._number * self._step

    def _forces(self) -> Floats:
        spins = self._system.spins(self.time)
        (every, whole), *some = self._loads
        total = every.forces(whole.at(self.time, spins))
        if some:  # without what frames cause, which is on all sectors
            still = self._still.at(self.time, spins)
            for acting, own in some:
                total += acting.forces(own.at(self.time, spins) - still)
        return total

    def step(self) -> None:
        """Take a step."""
        state, before, after = self._moves
        self._number += 1
        force = self._forces()
        self._state = state @ self._state + before @ self._force + after @ force
        self._force = force

    def snapshot(self) -> Snapshot:
        """Return the state of the system."""
        modes, k = self._modes, len(self._modes.squares)
        q, v = self._state[:k], self._state[k:]
        a = self._force - modes.squares * q - modes.damping @ v
        return Snapshot(self._system, self.time, *(modes.moved(one) for one in (q, v, a)))
