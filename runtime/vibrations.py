# SPDX-License-Identifier: BSD-3-Clause
"""Modal analyses from the stresses to the results: at one speed, or over many."""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.arrays import Complex
from flexforge.runtime.checkpoints import SWEEP, Checkpoints, incomplete
from flexforge.runtime.finite.deformed_states import state_at, stresses_of
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.observe.record import Figures, Recorder, largest_displacement
from flexforge.runtime.results.checkpoint import Checkpoint
from flexforge.runtime.results.modal_tables import modes_csv, printed_modes
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.stress_state import (
    StressSolver,
    StressState,
    Theory,
    theory_of,
)
from flexforge.runtime.system.bearing import bearings_of
from flexforge.runtime.system.bearing_speeds import beyond_frequencies
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.campbell import Sweep
from flexforge.runtime.vibration.consistent_modes import solve_own_modes
from flexforge.runtime.vibration.diagram_data import campbell_data
from flexforge.runtime.vibration.kept_sweep import Mark
from flexforge.runtime.vibration.modes import Modes, NotConvergedError
from flexforge.runtime.vibration.modes_over_speed import ModesOverSpeed
from flexforge.runtime.vibration.participation import MOTIONS, participation
from flexforge.runtime.vibration.steady_speeds import own_speed

#: Name of a figure.
RESIDUAL = "largest residual of the modes"
#: Seconds between two summaries of a diagram.
SECONDS = 1.0


def run_modes(
    analysis: ModesAnalysis, system: System, loads: Loads, recorder: Recorder, phases: Phases
) -> tuple[Figures, StressState]:
    """Compute the vibrations of a system under its stresses, and write them.

    Parameters
    ----------
    analysis : ModesAnalysis
        The settings of the analysis.
    system : System
        The bodies.
    loads : Loads
        The loads on them.
    recorder : Recorder
        Receives the shapes.
    phases : Phases
        Measures the time of the phases.

    Returns
    -------
    figures : dict
        Name to number, or to a number with its unit.
    StressState
        The bodies under these stresses, and the loads left out.

    Raises
    ------
    AnalysisError
        If some modes do not converge; the converged ones are written.
    """
    steady = theory_of(system.include, "modes") == "steady" or is_large(system)
    with phases("steady state" if steady else "prestress"):
        state = state_at(system, loads, analysis.solver, analysis.time)
    try:
        with phases("solve"):
            if any(body.swings for body in bearings_of(system)):
                found = _swinging(analysis, system, loads, phases)
            else:
                found = solve_own_modes(
                    state.system,
                    analysis.count,
                    analysis.shift,
                    analysis.time,
                    analysis.solver,
                    tell=phases.tell,
                    damped=analysis.damped,
                )
    except NotConvergedError as error:
        if len(error.modes.frequencies):
            _write(error.modes, analysis.count, recorder, phases)
        recorder.writer.summary({"figures": _figures(error.modes)})
        raise AnalysisError(f"{error}; completed speeds are kept") from None
    _write(found, analysis.count, recorder, phases)
    if not found.gyroscopic and system.ranks.count == 1:
        _tell_participation(found, analysis.count, system, recorder)
    figures: Figures = {"gyroscopic": found.gyroscopic}
    if state.turns:
        largest = largest_displacement(system, state.displacement)
        figures["largest steady displacement"] = [largest, "m"]
    told = beyond_frequencies(system.bodies, (2.0 * np.pi * found.frequencies).tolist())
    return figures | _figures(found), replace(state, warnings=(*state.warnings, *told))


def _swinging(analysis: ModesAnalysis, system: System, loads: Loads, phases: Phases) -> Modes:
    """Return the modes of a machine whose coefficients vary with the angle, at its own speed."""
    speed = own_speed(system)
    how = analysis.solver, None, analysis.time, phases.tell
    stresses = StressSolver(system, loads, "modes", analysis.solver)
    over = ModesOverSpeed(system, stresses, [speed], analysis.count, *how)
    try:
        over.begin()
        return over.full(over.at(speed), speed)
    finally:
        over.close()


def _write(found: Modes, count: int, recorder: Recorder, phases: Phases) -> None:
    with phases("write"):
        recorder.modes(found.frequencies[:count], found.shapes[:count])


def _tell_participation(found: Modes, count: int, system: System, recorder: Recorder) -> None:
    """Write the table of modes, with what they take of rigid motions of the base."""
    frequencies, shapes = found.frequencies[:count], found.shapes[:count]
    part = participation(system, shapes)
    motions = MOTIONS[system.dimension]
    recorder.writer.table("modes", modes_csv(frequencies, motions, part.factors, part.total))
    recorder.writer.printed(printed_modes(frequencies, part.factors, part.total))


def _figures(found: Modes) -> Figures:
    figures: Figures = {RESIDUAL: found.residual, "solver": found.solver}
    return figures | modal_figures(found.values)


def modal_figures(values: Complex) -> Figures:
    """Return frequencies, rates of growth and damping ratios of modes.

    Parameters
    ----------
    values : ndarray of complex, (count,)
        Eigenvalues, 1/s.
    """
    figures: Figures = {}
    for i, value in enumerate(values.tolist(), start=1):
        figures[f"mode {i}"] = [value.imag / (2.0 * np.pi), "Hz"]
        if value.real > 0.0:
            figures[f"growth of mode {i}"] = [value.real, "1/s"]
        if value.real < 0.0:
            figures[f"damping ratio of mode {i}"] = -value.real / abs(value)
    return figures


def run_campbell(
    analysis: ModesAnalysis,
    system: System,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
    checkpoints: Checkpoints,
    resume: Checkpoint | None = None,
) -> tuple[Figures, list[str], Theory | None]:
    """Compute vibrations over the speeds of an analysis, and write them as they are found.

    Parameters are those of :func:`run_modes`, and what writes checkpoints at requested speeds, and
    the one to go on from. The results are figures, the loads left out of the
    stresses, and their theory, if there were any stresses. If an error or Ctrl-C ends the analysis,
    the completed speeds are in the summary, ``campbell.csv`` and ``critical_speeds.csv``.
    """
    assert analysis.speeds is not None
    with phases("assemble"):
        sweep = Sweep(
            system,
            loads,
            analysis.speeds,
            analysis.count,
            analysis.solver,
            analysis.shift,
            analysis.time,
            phases.tell,
            analysis.orders,
            recorder.writer.units.second,
            stresses_of(system, loads, analysis.solver),
        )
    ranks = system.ranks
    if resume is not None:
        try:
            sweep.resume(resume.followed[SWEEP] if ranks.is_first else None)
        except KeyError as error:
            raise incomplete(error) from None
        recorder.writer.progress("speeds", sweep.done, len(analysis.speeds))
    alone, complete, told = ranks.count == 1, False, -np.inf
    data: dict[str, Any] = campbell_data(sweep, analysis.count) if sweep.points else {}
    kept: Mark | None = None
    try:
        with phases("speeds", quiet=True):
            for _ in sweep.run():
                recorder.writer.progress("speeds", sweep.done, len(analysis.speeds))
                if clock.monotonic() - told > SECONDS:
                    data = campbell_data(sweep, analysis.count)
                    recorder.writer.summary({"campbell": data})
                    told = clock.monotonic()
                if kept is None or sweep.done != kept.others["done"]:
                    kept = sweep.mark()
                    if checkpoints.due:
                        checkpoints.write(sweep.done, {SWEEP: sweep.collected(kept)})
        complete = True
    except KeyboardInterrupt:
        if kept is not None and alone:  # signals reach ranks at different moments
            checkpoints.write(kept.others["done"], {SWEEP: sweep.collected(kept)})
        raise
    finally:
        if sweep.points:
            data = campbell_data(sweep, analysis.count)
            recorder.writer.summary({"campbell": data})
            recorder.writer.campbell(data)
            if alone or complete:  # ranks that have failed write nothing together
                _write(sweep.last, analysis.count, recorder, phases)
    solved = [point.modes for point in sweep.points]
    origin = {
        RESIDUAL: max((one.residual for one in solved), default=0.0),
        "solver": ", ".join(sorted({one.solver for one in solved})),
    }
    wanted = [branch for branch in sweep.branches if branch.lowest < analysis.count]
    every = [abs(value.imag) for branch in wanted for value in branch.values]
    warnings = [*sweep.warnings, *beyond_frequencies(system.bodies, every)]
    return campbell_figures(data) | origin, warnings, sweep.theory


def campbell_figures(data: dict[str, Any]) -> Figures:
    """Return the frequencies, critical speeds and instabilities of a diagram."""
    figures: Figures = {"speeds": len(data["speeds_rad_s"])}
    for mode in data["modes"]:
        for speed, frequency in zip(data["speeds_rad_s"], mode["frequency_Hz"], strict=True):
            if np.isfinite(frequency):
                figures[f"mode {mode['mode']} at {speed:.6g} rad/s"] = [frequency, "Hz"]
    for one in data["critical_speeds"]:
        name = f"critical speed, order {one['order']}, mode {one['mode']}"
        figures.setdefault(name, [one["speed_rad_s"], "rad/s"])
    for one in data["instabilities"]:
        figures[f"largest growth of mode {one['mode']}"] = [one["growth_1_s"], "1/s"]
        if one["onset_rad_s"] is not None:
            figures.setdefault(
                f"{one['kind']} of mode {one['mode']}", [one["onset_rad_s"], "rad/s"]
            )
    return figures
