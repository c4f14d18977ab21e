# SPDX-License-Identifier: BSD-3-Clause
"""A run from the model file to the report: the main job, in order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.runtime.analyses.modes import solve_modes
from flexforge.runtime.analyses.prestress import add_prestress
from flexforge.runtime.analyses.scheme import Scheme
from flexforge.runtime.analyses.static import solve_static
from flexforge.runtime.analyses.transient import Transient
from flexforge.runtime.construct import Places, build_mesh, build_system
from flexforge.runtime.initial import initial_state
from flexforge.runtime.loads import Loads
from flexforge.runtime.model import ModelSpec, load_model_file
from flexforge.runtime.model.schema_analysis import (
    ModesAnalysis,
    StaticAnalysis,
    TransientAnalysis,
)
from flexforge.runtime.phases import Phases, Progress
from flexforge.runtime.probes import Motion, Probe, build_probes
from flexforge.runtime.results import BodyGeometry, BodyState, ResultWriter, von_mises
from flexforge.runtime.system import System
from flexforge.runtime.threads import cores_for_our_loops
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run came to.

    Attributes
    ----------
    folder : Path
        Where the results are.
    status : str
        ``finished``; a run that fails raises, and leaves its status in ``summary.json``.
    figures : dict
        Name to number, or to a number with its unit.
    timings : dict
        Phase to seconds.
    warnings : tuple of str
        What the reader should know.
    """

    folder: Path
    status: str
    figures: Figures
    timings: dict[str, float]
    warnings: tuple[str, ...]


def run_model(
    model: ModelSpec | Path | str,
    *,
    output: Path | str | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Run a model and write its results.

    Parameters
    ----------
    model : ModelSpec, Path or str
        A model, or its file.
    output : Path or str, optional
        Folder of results; by default what the model says, or ``NAME.results`` here.
    progress : callable, optional
        Called with a text, the number of things done and their number.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        When something in the model is wrong; nothing has been written then, except when it shows
        only in the computation.
    AnalysisError
        When the analysis fails; what was computed before is kept.
    """
    phases = Phases(progress)
    with phases("read the model"):
        spec = model if isinstance(model, ModelSpec) else load_model_file(Path(model))
        mesh = build_mesh(spec)
    with phases("number the unknowns"):
        places = build_system(spec, mesh)
        probes = build_probes(spec, places)
        state = initial_state(spec, places)
    folder = Path(output or spec.output.folder or f"{spec.name}.results")
    with phases("assemble"):
        loads = Loads(spec, places)
    with _writer(spec, places.system, probes, folder) as writer:
        try:
            with cores_for_our_loops():
                found = _analyse(spec, places, probes, loads, state, writer, phases)
        finally:
            writer.summary({"timings": _rounded(phases.seconds)})
        writer.summary({"figures": found.figures, "warnings": found.texts})
    if "report" in spec.output.formats:
        from flexforge.runtime.results.report import write_report

        with phases("write the report"):
            write_report(folder)
    timings = _rounded(phases.seconds)
    return Outcome(folder, "finished", found.figures, timings, tuple(found.texts))


@dataclass(frozen=True, slots=True)
class _Found:
    figures: Figures
    texts: list[str]


def _analyse(
    spec: ModelSpec, places: Places, probes: list[Probe], loads: Loads,
    state: tuple[Floats, Floats], writer: ResultWriter, phases: Phases,
) -> _Found:  # fmt: skip
    system = places.system
    with phases("assemble"):
        for body in system.bodies:
            body.stiffness, body.mass, body.moments  # noqa: B018 (computed on first use)
    with phases("prestress"):
        prestress = add_prestress(system, spec.analysis.solver)
    figures: Figures = {
        "unknowns": system.unknowns,
        "elements": sum(len(body.graph.cells) for body in system.bodies),
        "mass": [sum(body.total_mass for body in system.bodies), "kg"],
    }
    analysis = spec.analysis
    match analysis:
        case StaticAnalysis():
            figures |= _static(analysis, system, probes, loads, writer, phases)
        case ModesAnalysis():
            figures |= _modes(analysis, system, writer, phases)
        case TransientAnalysis():
            figures |= _transient(spec, analysis, system, probes, loads, state, writer, phases)
    return _Found(figures, [prestress.warning] if prestress.warning else [])


def _static(
    analysis: StaticAnalysis, system: System, probes: list[Probe], loads: Loads,
    writer: ResultWriter, phases: Phases,
) -> Figures:  # fmt: skip
    with phases("solve"):
        found = solve_static(system, loads, analysis.time, analysis.solver)
    with phases("write"):
        zero = np.zeros_like(found.displacement)
        motion = Motion(found.displacement, zero, zero)
        stress = _write(writer, system, analysis.time, motion, probes)
    figures: Figures = {
        "largest displacement": [_largest(found.displacement), "m"],
        **_stress_figure(stress),
        "residual": found.residual,
        "solver": found.solver,
    }
    for i, total in enumerate(found.reaction.sum(axis=0)):
        figures[f"reaction {'xyz'[i]}"] = [float(total), "N"]
    return figures | {probe.spec.name: [probe.value(motion), probe.column.unit] for probe in probes}


def _modes(
    analysis: ModesAnalysis, system: System, writer: ResultWriter, phases: Phases
) -> Figures:
    with phases("solve"):
        found = solve_modes(system, analysis.count, analysis.shift, analysis.time, analysis.solver)
    with phases("write"):
        shapes = {body.name: found.shapes[:, body.nodes] for body in system.bodies}
        writer.modes(found.frequencies, shapes)
    figures: Figures = {"gyroscopic": found.gyroscopic}
    for i, (frequency, growth) in enumerate(
        zip(found.frequencies, found.growth, strict=True), start=1
    ):
        figures[f"mode {i}"] = [float(frequency), "Hz"]
        if growth:
            figures[f"growth of mode {i}"] = [float(growth), "1/s"]
    return figures


def _transient(
    spec: ModelSpec, analysis: TransientAnalysis, system: System, probes: list[Probe],
    loads: Loads, state: tuple[Floats, Floats], writer: ResultWriter, phases: Phases,
) -> Figures:  # fmt: skip
    with phases("factor"):
        run = Transient(
            system, loads, Scheme.of(analysis), analysis.step_size, analysis.tolerance,
            analysis.solver, *state,
        )  # fmt: skip
    total, extremes = analysis.number_of_steps, _Extremes(probes)
    try:
        with phases("write", quiet=True):
            motion = Motion(run.displacement, run.velocity, run.acceleration)
            _write(writer, system, 0.0, motion, probes, extremes)
        for number in range(1, total + 1):
            with phases("steps", quiet=True):
                run.advance()
            with phases("write", quiet=True):
                motion = Motion(run.displacement, run.velocity, run.acceleration)
                frame = number % spec.output.every == 0 or number == total
                _write(writer, system, run.time, motion, probes, extremes, frame=frame)
            phases.tell("steps", number, total)
    finally:
        run.close()
        counts = run.counts
        figures: Figures = {
            "steps": counts.steps,
            "factorizations": counts.factorizations,
            "solves a step": counts.solves / max(counts.steps, 1),
            "most solves in a step": counts.most_solves,
            "memory of the factors": [counts.factor_bytes / 1e6, "MB"],
            "time a step": [phases.seconds.get("steps", 0.0) / max(counts.steps, 1), "s"],
            "solver": run.solver_name,
            "largest displacement at the end": [_largest(run.displacement), "m"],
            **_momentum(system, run.velocity),
            **extremes.figures(),
        }
        writer.summary({"figures": figures})
    return figures


def _momentum(system: System, velocity: Floats) -> Figures:
    """Return the linear momentum relative to the frames, in their components."""
    total = sum(body.moments[:, 0] @ velocity[body.nodes] for body in system.bodies)
    return {
        f"momentum {axis}": [float(p), "kg m/s"]
        for axis, p in zip("xyz", np.atleast_1d(total), strict=False)
    }


class _Extremes:
    """First, last and largest values of the probes."""

    def __init__(self, probes: list[Probe]) -> None:
        self.probes = probes
        self.rows: list[tuple[float, list[float]]] = []

    def add(self, time: float, values: list[float]) -> None:
        self.rows.append((time, values))

    def figures(self) -> Figures:
        if not self.rows or not self.probes:
            return {}
        times = np.array([time for time, _ in self.rows])
        values = np.array([row for _, row in self.rows])
        figures: Figures = {}
        for probe, column in zip(self.probes, values.T, strict=True):
            name, unit = probe.spec.name, probe.column.unit
            peak = int(np.argmax(np.abs(column)))
            figures[f"{name}, peak"] = [float(column[peak]), unit]
            figures[f"{name}, time of the peak"] = [float(times[peak]), "s"]
            figures[f"{name}, at the end"] = [float(column[-1]), unit]
        return figures


def _write(
    writer: ResultWriter, system: System, time: float, motion: Motion, probes: list[Probe],
    extremes: _Extremes | None = None, *, frame: bool = True,
) -> dict[str, Floats]:  # fmt: skip
    """Write a row of probes and, where wanted, a frame; return the stresses of the bodies."""
    if probes:
        values = [probe.value(motion) for probe in probes]
        writer.probe_row(time, values)
        if extremes is not None:
            extremes.add(time, values)
    if not frame:
        return {}
    stresses = {
        body.name: body.stress(motion.displacement[body.nodes])
        for body in system.bodies
        if "stress" in body.kernels
    }
    writer.frame(
        time,
        {
            body.name: BodyState(
                motion.displacement[body.nodes],
                motion.velocity[body.nodes],
                stresses.get(body.name),
                body.motion.at(time),
            )
            for body in system.bodies
        },
    )
    return stresses


def _writer(spec: ModelSpec, system: System, probes: list[Probe], folder: Path) -> ResultWriter:
    bodies = [
        BodyGeometry(body.name, body.part.cell, body.part.points, body.part.connectivity)
        for body in system.bodies
    ]
    return ResultWriter(
        folder,
        bodies,
        formats=spec.output.formats,
        probes=[probe.column for probe in probes],
        title=spec.title or spec.name,
        settings={
            "model": spec.source.name if spec.source else spec.name,
            "elements": {body.name: body.element for body in system.bodies},
            "include": spec.include.model_dump(),
            "analysis": spec.analysis.model_dump(exclude_none=True),
            "threads": system.threads,
        },
    )


def _largest(field: Floats) -> float:
    return float(np.linalg.norm(field, axis=1).max(initial=0.0))


def _stress_figure(stresses: dict[str, Floats]) -> Figures:
    if not stresses:
        return {}
    largest = max(float(von_mises(stress).max(initial=0.0)) for stress in stresses.values())
    return {"largest von Mises stress": [largest, "Pa"]}


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in seconds.items()}
