# SPDX-License-Identifier: BSD-3-Clause
"""Modal analyses from the steady state to what is written."""

from __future__ import annotations

from flexforge.runtime.analyses.modes import Modes, solve_modes
from flexforge.runtime.analyses.steady import SteadySolver
from flexforge.runtime.loads import Loads
from flexforge.runtime.model.schema_analysis import ModesAnalysis
from flexforge.runtime.phases import Phases
from flexforge.runtime.record import Figures, Recorder, largest_norm
from flexforge.runtime.system import System


def run_modes(
    analysis: ModesAnalysis, system: System, loads: Loads, recorder: Recorder, phases: Phases
) -> tuple[Figures, list[str]]:
    """Compute the vibrations of a system about its steady state, and write them.

    Parameters
    ----------
    analysis : ModesAnalysis
        What is asked for.
    system : System
        The bodies.
    loads : Loads
        What acts on them.
    recorder : Recorder
        Where shapes go.
    phases : Phases
        Counts the time.

    Returns
    -------
    figures : dict
        Name to number, or to a number with its unit.
    warnings : list of str
        What was left out.
    """
    steady = SteadySolver(system, loads, analysis.solver)
    try:
        with phases("steady state"):
            state = steady.find(analysis.time)
    finally:
        steady.close()
    with phases("solve"):
        found = solve_modes(
            system, analysis.count, analysis.shift, analysis.time, analysis.solver,
            geometric=state.geometric, tell=phases.tell,
        )  # fmt: skip
    _write(found, recorder, phases)
    figures: Figures = {"gyroscopic": found.gyroscopic}
    if state.turns:
        figures["largest steady displacement"] = [largest_norm(state.displacement), "m"]
    return figures | _figures(found), steady.warnings


def _write(found: Modes, recorder: Recorder, phases: Phases) -> None:
    with phases("write"):
        bodies = recorder.system.bodies
        shapes = {body.name: found.shapes[:, body.nodes] for body in bodies}
        recorder.writer.modes(found.frequencies, shapes)


def _figures(found: Modes) -> Figures:
    figures: Figures = {}
    rows = zip(found.frequencies, found.growth, found.damping, strict=True)
    for i, (frequency, growth, damping) in enumerate(rows, start=1):
        figures[f"mode {i}"] = [float(frequency), "Hz"]
        if growth > 0.0:
            figures[f"growth of mode {i}"] = [float(growth), "1/s"]
        if damping > 0.0:
            figures[f"damping ratio of mode {i}"] = float(damping)
    return figures
