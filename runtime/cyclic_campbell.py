# SPDX-License-Identifier: BSD-3-Clause
"""Campbell diagram of a wheel from one sector, from the stresses to the results."""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np
from flexforge.runtime.checkpoints import Checkpoints, incomplete
from flexforge.runtime.cyclic_modes import diameters_of, write_safe, write_waves
from flexforge.runtime.finite.deformed_states import stresses_of
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.observe.record import Figures, Recorder
from flexforge.runtime.results.checkpoint import Checkpoint
from flexforge.runtime.statics.stress_state import Theory
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.vibration.diagram_data import wheel_data
from flexforge.runtime.vibration.interference import at_speed, interferences, safe_data
from flexforge.runtime.vibration.kept_sweep import Mark
from flexforge.runtime.vibration.waves import Wave, waves_of
from flexforge.runtime.vibration.wheel_sweep import WheelSweep
from flexforge.runtime.vibrations import RESIDUAL, SECONDS


def run_cyclic_campbell(
    spec: ModelSpec,
    places: NameTable,
    loads: Loads,
    recorder: Recorder,
    phases: Phases,
    checkpoints: Checkpoints,
    resume: Checkpoint | None = None,
) -> tuple[Figures, list[str], Theory | None]:
    """Compute vibrations of a wheel over its speed, and write them as they are found.

    Parameters
    ----------
    spec : ModelSpec
        The model, with a sector and a modal analysis over speeds.
    places : NameTable
        Its names in the system.
    loads : Loads
        The loads on the sector, which turn with it.
    recorder : Recorder
        Receives the shapes at the last speed.
    phases : Phases
        Measures the time of the phases.
    checkpoints : Checkpoints
        Writes them, at speeds that all nodal diameters have reached.
    resume : Checkpoint, optional
        The one to go on from.

    Returns
    -------
    figures : dict
        Name to number, or to a number with its unit.
    warnings : list of str
        The loads left out of the stresses.
    theory : str, optional
        That of the stresses, if there were any.

    Raises
    ------
    AnalysisError
        At a speed without a state, or where modes do not converge; what was found is written.
    """
    analysis, sector = spec.analysis, places.sector
    assert isinstance(analysis, ModesAnalysis)
    assert sector is not None
    speeds = _speeds(analysis)
    with phases("assemble"):
        sweep = WheelSweep(
            places,
            loads,
            diameters_of(spec),
            speeds,
            analysis.count,
            analysis.solver,
            analysis.time,
            spec.orders,
            recorder.writer.units.second,
            phases.tell,
            stresses_of(places.system, loads, analysis.solver),
        )
    if resume is not None:
        try:
            sweep.resume(resume.followed)
        except KeyError as error:
            raise incomplete(error) from None

    def data() -> dict[str, Any]:
        return wheel_data(sweep.sweeps, speeds, spec.orders, sector.count)

    told, kept = -np.inf, dict[str, Mark]()
    recorder.writer.progress("speeds", sweep.done, len(speeds))
    try:
        with phases("speeds", quiet=True):
            for done in sweep.run():
                recorder.writer.progress("speeds", done, len(speeds))
                if clock.monotonic() - told > SECONDS:
                    recorder.writer.summary({"campbell": data()})
                    told = clock.monotonic()
                kept = sweep.marks()
                if checkpoints.due:
                    checkpoints.write(done, sweep.collected(kept))
    except KeyboardInterrupt:
        if kept:
            checkpoints.write(sweep.done, sweep.collected(kept))
        raise
    finally:
        if sweep.done:
            recorder.writer.campbell(data())
            _write_safe(analysis, data(), recorder)
            with phases("write"):
                write_waves(spec, places, _last(sweep, places, analysis.count), recorder)
    solved = [point.modes for one in sweep.sweeps.values() for point in one.points]
    figures: Figures = {"speeds": len(speeds)}
    for one in data()["critical_speeds"]:
        name = f"critical speed, order {one['order']}, nodal diameter {one['nodal_diameter']}"
        figures.setdefault(name, [one["speed_rad_s"], "rad/s"])
    figures[RESIDUAL] = max(one.residual for one in solved)
    figures["solver"] = ", ".join(sorted({one.solver for one in solved}))
    return figures, sweep.warnings, sweep.theory


def _speeds(analysis: ModesAnalysis) -> list[float]:
    """Return the speeds, with the one of the SAFE diagram, rad/s."""
    assert analysis.speeds is not None
    given = {*analysis.speeds}
    return sorted(given if analysis.operating is None else {*given, analysis.operating})


def _write_safe(analysis: ModesAnalysis, campbell: dict[str, Any], recorder: Recorder) -> None:
    """Write which modes are near engine orders at all speeds, and the diagram at one of them."""
    given, margin = (campbell["orders"], campbell["sectors"]), analysis.margin
    reached = campbell["speeds_rad_s"]
    each = {speed: at_speed(campbell, place) for place, speed in enumerate(reached) if speed}
    shown = analysis.operating if analysis.operating in each else max(each, default=None)
    if shown is None:
        return
    near = [
        one for speed, waves in each.items() for one in interferences(waves, *given, speed, margin)
    ]
    write_safe(safe_data(each[shown], *given, shown, near, margin), recorder)


def _last(sweep: WheelSweep, places: NameTable, count: int) -> list[Wave]:
    """Return the waves at the last speed that each nodal diameter has reached."""
    assert places.sector is not None
    found: list[Wave] = []
    for diameter, one in sweep.sweeps.items():
        if not one.points:
            continue
        system, speed = places.at_diameter(places.system, diameter), one.points[-1].speed
        modes = one.last.chosen(np.arange(min(one.count, len(one.last.frequencies))))
        found += waves_of(system, modes, places.sector, diameter, sweep.turn * speed)
    return found
