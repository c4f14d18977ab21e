# SPDX-License-Identifier: BSD-3-Clause
"""A run of a discrete system: derive, compile, integrate, write results."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from flexforge.codegen.errors import FlexforgeError
from flexforge.codegen.systems.declaration import System
from flexforge.codegen.version import VERSION
from flexforge.runtime.arrays import Floats
from flexforge.runtime.digest import digest
from flexforge.runtime.discrete.compiled import CompiledSystem
from flexforge.runtime.discrete.course import motion
from flexforge.runtime.discrete.shapes import frames_of, shapes_of
from flexforge.runtime.discrete.starts import starting_state
from flexforge.runtime.machine.phases import Phases, Progress
from flexforge.runtime.observe.provenance import outcome
from flexforge.runtime.observe.record import Figures, peak_and_end
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results import Column, ResultWriter
from flexforge.runtime.results.report import write_report


def run_system(
    system: System,
    *,
    output: Path | str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    formalism: str = "kane",
) -> Outcome:
    """Integrate the motion of a discrete system and write its results.

    Parameters
    ----------
    system : System
        The declaration, with what a run computes.
    output : Path or str, optional
        Folder of results, by default ``NAME.results`` here.
    progress : callable, optional
        Called with a text, the number of completed times and of all times.
    overwrite : bool
        Replace files with names of results that no run of flexforge has listed.
    formalism : str
        How the equations are derived; the motion is the same.

    Raises
    ------
    InputError
        For a system that cannot be compiled or started, or a folder with such files.
    AnalysisError
        In a singular position; results up to that time are kept.
    """
    phases = Phases(progress)
    with phases("derive and compile"):
        compiled = CompiledSystem.of(system, formalism)
    with phases("start"):
        state, warnings = starting_state(compiled)
    shapes = shapes_of(compiled)
    folder = Path(output or f"{system.name}.results")
    course = system.course
    settings = {
        "model": system.name,
        "elements": {shape.name: "rigid" for shape in shapes},
        "analysis": {"kind": "motion", "duration": course.duration, "steps": course.steps,
                     "tolerance": course.tolerance},
    }  # fmt: skip
    origin = {
        "flexforge": VERSION,
        "model": digest(repr(system)),
        "method": f"DOP853 of SciPy, tolerance = {course.tolerance:g}, equations by {formalism}",
    }
    with ResultWriter(
        folder,
        shapes,
        probes=_columns(compiled),
        title=system.description or system.name,
        settings=settings,
        provenance=origin,
        overwrite=overwrite,
    ) as writer:
        run = _Run(compiled, writer, phases)
        figures: Figures = {}
        try:
            run.all(state)
        except FlexforgeError as error:
            error.with_warnings(warnings)
            raise
        finally:
            figures = run.figures()
            timings = {name: round(value, 4) for name, value in phases.seconds.items()}
            told: dict[str, Any] = {"figures": figures, "timings": timings, "warnings": warnings}
            writer.summary(told | {"provenance": outcome(figures, {})})
    with phases("write the report"):
        write_report(folder, overwrite=overwrite)
    timings = {name: round(value, 4) for name, value in phases.seconds.items()}
    return Outcome(folder, "finished", figures, timings, tuple(warnings))


class _Run:
    """Integrates in portions, writes them, and keeps the rows of the probes for the figures."""

    def __init__(self, compiled: CompiledSystem, writer: ResultWriter, phases: Phases) -> None:
        self.compiled, self.writer, self.phases = compiled, writer, phases
        self.rows: list[tuple[Floats, Floats]] = []
        self.seconds = 0.0

    def all(self, state: Floats) -> None:
        """Compute and write all times, or those before an error."""
        course = self.compiled.equations.system.course
        times = np.linspace(0.0, course.duration, course.steps + 1)
        done, clock = 0, time.perf_counter()
        with self.phases("steps"):
            for at, states in motion(self.compiled, state, times, course.tolerance):
                self.seconds += time.perf_counter() - clock
                self._write(at, states)
                done += len(at)
                self.phases.tell("steps", done - 1, course.steps)
                self.writer.progress("steps", done - 1, course.steps, float(at[-1]))
                clock = time.perf_counter()

    def _write(self, times: Floats, states: Floats) -> None:
        compiled = self.compiled
        energies = compiled.evaluate("energy", times, states)[:, :, 0]
        rows = np.column_stack([states, energies])
        self.rows.append((times, rows))
        self.writer.probe_rows(times, rows)
        self.writer.frames(times, frames_of(compiled, self.writer.bodies, times, states))

    def figures(self) -> Figures:
        """Return the figures of what was computed."""
        compiled = self.compiled
        found: Figures = {
            "coordinates": len(compiled.coordinates),
            "speeds": len(compiled.equations.speeds),
            "operations of the accelerations": compiled.kernels["motion"].operations,
        }
        if not self.rows:
            return found
        times = np.concatenate([at for at, _ in self.rows])
        values = np.concatenate([rows for _, rows in self.rows])
        energy = values[:, -2] + values[:, -1]
        found["time per step"] = [self.seconds / max(len(times) - 1, 1), "s"]
        found["largest change of energy"] = [float(np.abs(energy - energy[0]).max()), "J"]
        for column, series in zip(_columns(compiled), values.T, strict=True):
            found |= peak_and_end(column, times, series)
        return found


def _columns(compiled: CompiledSystem) -> list[Column]:
    """Return the columns of the coordinates, the speeds and the energies."""
    system = compiled.equations.system
    units = {q: _unit(system, q) for q in system.coordinates}
    rates = {
        rate: f"{units[q]}/s" for q, rate in zip(system.coordinates, system.rates, strict=True)
    }
    columns = [Column(q.name, units[q]) for q in system.coordinates]
    columns += [Column(z.name, rates.get(z, "")) for z in compiled.equations.speeds]
    return [*columns, Column("kinetic energy", "J"), Column("potential energy", "J")]


def _unit(system: System, coordinate: sympy.Symbol) -> str:
    """Return rad for what turns a frame, m for what does not."""
    angles = (angle for frame in system.frames.values() for _, angle in frame.turns)
    return "rad" if any(coordinate in angle.free_symbols for angle in angles) else "m"
