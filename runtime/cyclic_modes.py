# SPDX-License-Identifier: BSD-3-Clause
"""Modal analysis of a wheel from one sector, from the stresses to the results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.finite.deformed_states import state_at
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.model.schema_solving import Rayleigh
from flexforge.runtime.observe.record import Figures, Recorder, largest_displacement
from flexforge.runtime.observe.wheel import on_wheel
from flexforge.runtime.results.safe import safe_csv
from flexforge.runtime.results.wave_plots import FIGURE
from flexforge.runtime.results.wave_tables import WaveRow, printed_waves, waves_csv
from flexforge.runtime.statics.stress_state import StressState
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration.interference import interferences, numbered, safe_data
from flexforge.runtime.vibration.modal_basis import ModalBasis, superposition
from flexforge.runtime.vibration.modes import Modes, solve_modes
from flexforge.runtime.vibration.superposition import Superposition
from flexforge.runtime.vibration.wave_basis import wave_superposition
from flexforge.runtime.vibration.waves import Wave, over_diameters, speed_about
from flexforge.runtime.vibrations import RESIDUAL


def diameters_of(spec: ModelSpec) -> tuple[int, ...]:
    """Return the numbers of nodal diameters of an analysis of a sector."""
    assert spec.cyclic is not None
    given: tuple[int, ...] | str | None = getattr(spec.analysis, "nodal_diameters", None)
    if given is None or isinstance(given, str):
        return tuple(range(spec.cyclic.sectors // 2 + 1))
    return given


def basis_of(spec: ModelSpec, places: NameTable) -> ModalBasis:
    """Return what computes the modes that add up: of a wheel where loads act on some sectors."""
    sector = places.sector
    if sector is None or all(load.sectors is None for load in spec.loads):
        return superposition

    def of_wheel(
        stressed: System,
        count: int,
        damping: Rayleigh | float | tuple[float, ...] | None,
        time: float,
        solver: str,
    ) -> Superposition:
        def at(diameter: int) -> System:
            return places.at_diameter(stressed, diameter)

        diameters = diameters_of(spec)
        return wave_superposition(stressed, sector, diameters, at, count, damping, time, solver)

    return of_wheel


def run_cyclic_modes(
    spec: ModelSpec, places: NameTable, loads: Loads, recorder: Recorder, phases: Phases
) -> tuple[Figures, StressState]:
    """Compute the vibrations of a wheel under its stresses, and write them.

    Parameters
    ----------
    spec : ModelSpec
        The model, with a sector and a modal analysis.
    places : NameTable
        Its names in the system.
    loads : Loads
        The loads on the sector, which turn with it.
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
    InputError
        For engine orders of a wheel at rest.
    AnalysisError
        If some modes do not converge; those with fewer nodal diameters are written.
    """
    analysis, sector = spec.analysis, places.sector
    assert isinstance(analysis, ModesAnalysis)
    assert sector is not None
    if "orders" in analysis.model_fields_set and not speed_of(places, analysis.time):
        raise InputError(
            "analysis.orders: found with a wheel at rest, which they do not excite; expected a "
            "frame that turns"
        )
    with phases("prestress"):
        state = state_at(places.system, loads, analysis.solver, analysis.time)

    def at(diameter: int) -> System:
        return places.at_diameter(state.system, diameter)

    def solve(system: System) -> Modes:
        count, shift, time = analysis.count, analysis.shift, analysis.time
        damped = analysis.damped
        return solve_modes(system, count, shift, time, analysis.solver, damped=damped)

    diameters = diameters_of(spec)
    found, waves = [], list[Wave]()
    each = over_diameters(state.system, sector, diameters, at, solve, analysis.time)
    try:
        for number in range(1, len(diameters) + 1):
            with phases("solve", quiet=True):
                one = next(each)
            found.append(one)
            waves += one.waves
            recorder.writer.progress("nodal diameters", number, len(diameters))
            phases.tell("nodal diameters", number, len(diameters))
    except (AnalysisError, KeyboardInterrupt) as error:
        if waves:
            write_waves(spec, places, waves, recorder)
        if isinstance(error, KeyboardInterrupt):
            raise
        here = diameters[len(found)]
        raise AnalysisError(f"nodal diameter {here}: {error}; completed ones are kept") from None
    with phases("write"):
        write_waves(spec, places, waves, recorder)
        _write_safe(spec, waves, abs(speed_of(places, analysis.time)), recorder)
    figures: Figures = {"gyroscopic": any(one.modes.gyroscopic for one in found)}
    if state.turns:
        largest = largest_displacement(state.system, state.displacement)
        figures["largest steady displacement"] = [largest, "m"]
    figures[RESIDUAL] = max(one.modes.residual for one in found)
    figures["solver"] = ", ".join(sorted({one.modes.solver for one in found}))
    return figures | _figures(waves), state


def speed_of(places: NameTable, time: float) -> float:
    """Return the angular velocity of a wheel about the axis of its sector at a time, rad/s."""
    assert places.sector is not None
    return speed_about(places.system, places.sector, time)


def _write_safe(spec: ModelSpec, waves: Sequence[Wave], speed: float, recorder: Recorder) -> None:
    """Write which modes are near engine orders at the speed of a wheel, unless it is at rest."""
    analysis = spec.analysis
    assert spec.cyclic is not None
    assert isinstance(analysis, ModesAnalysis)
    if not speed:
        return
    found, given = numbered(waves), (spec.orders, spec.cyclic.sectors, speed)
    near = interferences(found, *given, analysis.margin)
    write_safe(safe_data(found, *given, near, analysis.margin), recorder)


def write_safe(data: Mapping[str, Any], recorder: Recorder) -> None:
    """Write a SAFE diagram: its data, and the table of modes near engine orders."""
    recorder.writer.summary({"safe": data})
    second = recorder.writer.units.second
    recorder.writer.table("interference", safe_csv(data["crossings"], second))


def write_waves(
    spec: ModelSpec, places: NameTable, waves: Sequence[Wave], recorder: Recorder
) -> None:
    """Write frequencies and shapes: of complex ones the real part, then the imaginary one.

    On a mistuned wheel with all sectors shown they are not what it does: tables alone are written.
    """
    if not (spec.is_mistuned and spec.cyclic is not None and spec.cyclic.expand):
        _write_shapes(spec, places, waves, recorder)
    told = [
        WaveRow(
            wave.diameter,
            wave.number,
            wave.frequency,
            wave.travels,
            wave.fixed,
            wave.value.real + 0.0,
        )
        for wave in waves
    ]
    recorder.writer.table("modes", waves_csv(told))
    recorder.writer.printed(printed_waves(told))


def _write_shapes(
    spec: ModelSpec, places: NameTable, waves: Sequence[Wave], recorder: Recorder
) -> None:
    """Write shapes of waves."""
    assert places.sector is not None
    shapes: list[Floats] = []
    rows: list[tuple[Wave, str]] = []
    for wave in waves:
        shapes.append(np.ascontiguousarray(wave.shape.real))
        rows.append((wave, "real"))
        if not places.sector.is_real(wave.diameter):
            shapes.append(np.ascontiguousarray(wave.shape.imag))
            rows.append((wave, "imaginary"))
    drawn = None
    if spec.cyclic is not None and spec.cyclic.expand:
        drawn = {
            body.name: np.array(
                [on_wheel(places.sector, wave.shape[body.placed], wave.diameter, part)
                 for wave, part in rows]
            )
            for body in places.system.bodies
        }  # fmt: skip
    about = [
        {
            "nodal_diameter": wave.diameter,
            "part": part,
            "travels": wave.travels,
            "signed_frequency_Hz": wave.value.imag / (2.0 * np.pi),
            "fixed_frequency_Hz": None if wave.fixed is None else wave.fixed[0],
            "growth_1_s": wave.value.real,
        }
        for wave, part in rows
    ]
    frequencies = np.array([wave.frequency for wave, _ in rows])
    size = places.system.map.shape
    recorder.modes(frequencies, np.array(shapes).reshape(-1, *size), about=about, drawn=drawn)


def _figures(waves: Sequence[Wave]) -> Figures:
    figures: Figures = {}
    for wave in waves:
        name = f"{FIGURE}{wave.diameter}, mode {wave.number}"
        if wave.turns:
            name += f", {wave.travels}"
        figures[name] = [wave.frequency, "Hz"]
        if wave.value.real > 0.0:
            figures[f"growth of {name}"] = [wave.value.real, "1/s"]
        if wave.value.real < 0.0:
            figures[f"damping ratio of {name}"] = -wave.value.real / abs(wave.value)
    return figures
