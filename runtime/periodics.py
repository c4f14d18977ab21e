# SPDX-License-Identifier: BSD-3-Clause
"""A periodic analysis: steady vibrations under loads that repeat themselves, over a frequency."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Complex, Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.modal_transients import loads_by_sectors
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import PeriodicAnalysis
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.observe.motion import Snapshot
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.carried import carried
from flexforge.runtime.vibration.harmonic import swept
from flexforge.runtime.vibration.modal_basis import ModalBasis, superposition
from flexforge.runtime.vibration.periodic import Periodic, series
from flexforge.runtime.vibration.superposition import Superposition


def run_periodic(
    analysis: PeriodicAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
    basis: ModalBasis = superposition,
) -> Figures:
    """Compute steady vibrations, one period at every frequency, and write them.

    Parameters
    ----------
    analysis : PeriodicAnalysis
        The settings of the analysis.
    spec : ModelSpec
        The model.
    system : System
        The bodies, with the stresses of their preloads.
    loads : Loads
        The loads on them.
    recorder : Recorder
        Receives the states of every period, one period after the other.
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
        For bodies with an energy.
    AnalysisError
        When modes do not converge.
    """
    if is_large(system):
        raise InputError(
            "analysis.kind: found periodic with bodies with an energy; expected linear bodies"
        )
    begin, end = analysis.period
    with phases("modes"):
        modes = basis(system, analysis.modes, analysis.modal_damping, begin, analysis.solver)
    with phases("solve"):
        answer = _answer(analysis, spec, system, loads, modes)
    frequencies = _frequencies(analysis, modes)
    shares = np.arange(analysis.instants) / analysis.instants
    passed = 0.0
    for number, frequency in enumerate(frequencies, start=1):
        with phases("solve", quiet=True):
            states = answer.states(frequency, shares)
        with phases("write", quiet=True):
            for share, *state in zip(shares.tolist(), *states, strict=True):
                time = passed + share / frequency
                recorder.record(time, Snapshot(system, time, *state))
            recorder.writer.progress("frequencies", number, len(frequencies))
        passed += 1.0 / frequency
        phases.tell("frequencies", number, len(frequencies))
    with phases("write", quiet=True):
        recorder.flush()
    return {"frequencies": len(frequencies), **recorder.figures()}


def _frequencies(analysis: PeriodicAnalysis, modes: Superposition) -> Sequence[float]:
    """Return the frequencies of the periods, Hz."""
    if analysis.between is None:
        assert analysis.frequencies is not None
        return list(analysis.frequencies)
    own = np.sqrt(modes.squares) / (2.0 * np.pi)
    found: list[float] = swept(own, *analysis.between, analysis.points, analysis.bias).tolist()
    return found


def _answer(
    analysis: PeriodicAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    modes: Superposition,
) -> Periodic:
    """Return the answer to the loads, and supports that move, of one period."""
    (begin, end), terms = analysis.period, analysis.terms
    damping = analysis.modal_damping
    drag = damping.alpha if isinstance(damping, Rayleigh) else 0.0
    given, every = loads.given, modes.acting_on(None)
    units = np.zeros((0, system.size, system.dimension)) if given is None else given.units
    moved = np.zeros((terms + 1, len(units)), dtype=complex)
    if given is not None:
        moved = series(lambda t: given.values(t)[0], begin, end, terms)
    base = carried(
        system, every, units, begin, analysis.solver, drag=drag, analysis="periodic analysis"
    )
    acting = loads_by_sectors(spec, system, loads)
    return Periodic(every, _forces(system, modes, acting, begin, end, terms), base, moved)


def _forces(
    system: System,
    modes: Superposition,
    acting: Mapping[tuple[int, ...] | None, Loads],
    begin: float,
    end: float,
    terms: int,
) -> Complex:
    """Return the series of the modal forces, (terms + 1, k); what frames cause is no part of it."""
    still = acting[None].only(())

    def force(time: float) -> Floats:
        spins = system.spins(time)
        none = still.at(time, spins)
        return np.asarray(
            sum(
                modes.acting_on(sectors).forces(own.at(time, spins) - none)
                for sectors, own in acting.items()
            )
        )

    return series(force, begin, end, terms)
