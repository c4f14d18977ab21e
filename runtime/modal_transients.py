# SPDX-License-Identifier: BSD-3-Clause
"""A transient analysis by superposition of modes, whose steps are exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.observe.motion import Snapshot
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.preload import preload_keys
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.prescribed import Prescribed
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.carried import Carried, carried
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
    warnings: list[str],
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
        The bodies, with the stresses of their preloads.
    loads : Loads
        The loads on them.
    start : tuple of ndarray, (N, d) each
        Displacement and velocity at t = 0.
    recorder : Recorder
        Receives the states.
    phases : Phases
        Measures the time of the phases.
    warnings : list of str
        Where a warning about a motion that has not settled is appended.
    basis : callable
        Returns the modes that add up.

    Returns
    -------
    dict
        Name to number, or to a number with its unit.

    Raises
    ------
    InputError
        For bodies with an energy, and frames that turn.
    AnalysisError
        When modes do not converge.
    """
    if is_large(system):
        raise InputError("analysis.method: found modal with bodies with an energy; expected others")
    assert analysis.modes is not None
    with phases("modes"):
        modes = basis(system, analysis.modes, analysis.modal_damping, 0.0, analysis.solver)
    with phases("solve"):
        driven = _Driven.of(analysis, system, modes, loads.given)
    acting = loads_by_sectors(spec, system, loads)
    states = _Steps(modes, system, acting, driven, start, analysis.step_size)
    total, every = analysis.number_of_steps, spec.output.every
    for number in range(total + 1):
        with phases("steps", quiet=True):
            if number:
                states.step()
        settled = analysis.steady is not None and states.has_settled(analysis.steady)
        frame = number % every == 0 or number == total or settled
        if frame or recorder.probes:
            with phases("write", quiet=True):
                recorder.record(states.time, states.snapshot(), frame=frame)
        recorder.writer.progress("steps", number, total, states.time)
        phases.tell("steps", number, total)
        if settled:
            break
    if analysis.steady is not None and not settled:
        warnings.append(
            f"analysis.steady: found a motion that has not settled at t = {states.time:g} s; "
            "expected a longer duration, damping, or loads that stay"
        )
    with phases("write", quiet=True):
        recorder.flush()
    highest = float(np.sqrt(modes.squares.max())) / (2.0 * np.pi)
    return {"highest mode": [highest, "Hz"], **recorder.figures()}


def loads_by_sectors(
    spec: ModelSpec, stressed: System, loads: Loads
) -> dict[tuple[int, ...] | None, Loads]:
    """Return the loads that vary by the sectors of a wheel on which they act; None is all.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    stressed : System
        The bodies, with their stresses.
    loads : Loads
        All loads.
    """
    keys: dict[tuple[int, ...] | None, list[str]] = {None: []}
    for key in preload_keys(spec, preload=False):
        number = int(key.removeprefix("loads[").removesuffix("]"))
        keys.setdefault(spec.loads[number].sectors, []).append(key)
    return {sectors: loads.only(own).on(stressed) for sectors, own in keys.items()}


@dataclass(frozen=True, slots=True)
class _Driven:
    """What moves supports, and what that does to modes.

    Attributes
    ----------
    given : Prescribed, optional
        The functions of time.
    carried : Carried
        Quasi-static shapes, of none without any.
    """

    given: Prescribed | None
    carried: Carried

    @classmethod
    def of(
        cls,
        analysis: TransientAnalysis,
        system: System,
        modes: Superposition,
        given: Prescribed | None,
    ) -> _Driven:
        """Return what moves the supports of a system."""
        damping = analysis.modal_damping
        drag = damping.alpha if isinstance(damping, Rayleigh) else 0.0
        units = np.zeros((0, system.size, system.dimension)) if given is None else given.units
        every = modes.acting_on(None)
        return cls(
            given,
            carried(
                system, every, units, 0.0, analysis.solver, drag=drag, analysis="modal transient"
            ),
        )

    def values(self, time: float) -> Floats:
        """Return the functions and their first two rates, (3, f)."""
        return np.zeros((3, 0)) if self.given is None else self.given.values(time)

    def motion(self, time: float) -> Floats:
        """Return the quasi-static displacement, velocity and acceleration, (3, N, d)."""
        return np.tensordot(self.values(time), self.carried.shapes, axes=1)

    def forces(self, time: float) -> Floats:
        """Return the modal forces of inertia and damping of this motion, (k,)."""
        _, rate, acceleration = self.values(time)
        return np.asarray(-acceleration @ self.carried.inertia - rate @ self.carried.damping)


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
    driven : _Driven
        What moves supports.
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
        driven: _Driven,
        start: tuple[Floats, Floats],
        step: float,
    ) -> None:
        self._modes, self._system, self._step = modes, system, step
        self._driven = driven
        self._loads = [(modes.acting_on(sectors), own) for sectors, own in loads.items()]
        self._still = loads[None].only(())
        self._moves = modes.steps(step)
        base, known = driven.motion(0.0), system.map.sample
        own = [system.expand(known(a) - known(b)) for a, b in zip(start, base, strict=False)]
        momenta = [modes.forces(system.mass_times(one)) for one in own]
        self._state = np.concatenate(momenta)
        self._number = 0
        self._force = self._forces()
        self._before: Floats | None = None

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
        return np.asarray(total + self._driven.forces(self.time))

    def step(self) -> None:
        """Take a step."""
        state, before, after = self._moves
        self._number += 1
        force = self._forces()
        self._state = state @ self._state + before @ self._force + after @ force
        self._force = force

    def has_settled(self, share: float) -> bool:
        """Whether no displacement has changed by more than a share of the largest in a step."""
        k = len(self._modes.squares)
        moved = self._modes.moved(self._state[:k]) + self._driven.motion(self.time)[0]
        before, self._before = self._before, moved
        if before is None:
            return False
        return float(np.abs(moved - before).max()) <= share * float(np.abs(moved).max())

    def snapshot(self) -> Snapshot:
        """Return the state of the system."""
        modes, k = self._modes, len(self._modes.squares)
        q, v = self._state[:k], self._state[k:]
        a = self._force - modes.squares * q - modes.damping @ v
        with_base = zip((q, v, a), self._driven.motion(self.time), strict=True)
        return Snapshot(
            self._system, self.time, *(modes.moved(one) + base for one, base in with_base)
        )
