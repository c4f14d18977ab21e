# SPDX-License-Identifier: BSD-3-Clause
"""The analysis ``kinematics``: the motion of all links over time, and its results."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import AnalysisError, FlexforgeError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.machine.threads import cores_for_our_loops
from flexforge.runtime.mechanism.build import Parts
from flexforge.runtime.mechanism.mechanism import Mechanism, Trajectory, as_frame
from flexforge.runtime.mechanism.probes import (
    MotionProbe,
    coordinate_columns,
    motion_probe,
)
from flexforge.runtime.mechanism.shapes import link_shapes
from flexforge.runtime.mechanism.starts import far_placements, left_out
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.base import printable
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import KinematicsAnalysis
from flexforge.runtime.observe.described import described
from flexforge.runtime.observe.provenance import outcome, provenance
from flexforge.runtime.observe.record import Figures, peak_and_end
from flexforge.runtime.results import BodyState, ResultWriter
from flexforge.runtime.results.finite import require_finite_figures
from flexforge.runtime.results.labels import figures_in

#: Number of times between two progress reports.
PORTION = 500


def run_kinematics(
    spec: ModelSpec,
    mesh: Mesh,
    analysis: KinematicsAnalysis,
    folder: Path,
    phases: Phases,
    *,
    overwrite: bool = False,
) -> tuple[Figures, list[str]]:
    """Compute the motion of a mechanism and write the results; return figures and warnings.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.
    analysis : KinematicsAnalysis
        Its analysis.
    folder : Path
        Folder of the results.
    phases : Phases
        Measures the time of the phases.
    overwrite : bool
        As in `ResultWriter`.

    Raises
    ------
    InputError
        When the mechanism cannot be assembled, or its motion is not determined.
    AnalysisError
        When it locks or becomes singular; results up to that time are kept.
    """
    with phases("assemble"), cores_for_our_loops():
        mechanism = Mechanism.from_model(spec, mesh)
    probes = [
        motion_probe(f"probes[{k}]", probe, spec, mechanism.parts)
        for k, probe in enumerate(spec.probes)
    ]
    with _writer(spec, mesh, mechanism.parts, probes, folder, overwrite) as writer:
        warnings = [*far_placements(mechanism), *left_out(spec)]
        run = _Run(spec, mechanism, probes, writer, phases)
        try:
            with cores_for_our_loops():
                run.all(np.linspace(0.0, analysis.duration, analysis.number_of_steps + 1))
        except FlexforgeError as error:
            error.with_warnings(warnings)
            raise
        finally:
            figures = run.figures()
            timings = {name: round(value, 4) for name, value in phases.seconds.items()}
            origin = {"provenance": outcome(figures, {})}
            writer.summary({"figures": figures, "timings": timings, "warnings": warnings} | origin)
        require_finite_figures(figures)
    return figures_in(spec.unit_system, figures), warnings


class _Run:
    """One run: computes and writes in portions, and records the probes."""

    def __init__(
        self,
        spec: ModelSpec,
        mechanism: Mechanism,
        probes: list[MotionProbe],
        writer: ResultWriter,
        phases: Phases,
    ) -> None:
        self.mechanism, self.probes, self.writer, self.phases = mechanism, probes, writer, phases
        self.every = spec.output.every
        self.done = 0
        self.seconds = 0.0
        self.rows: list[tuple[Floats, Floats]] = []

    def all(self, times: Floats) -> None:
        """Compute and write all times, or those before an error, which is then raised."""
        for first in range(0, len(times), PORTION):
            with self.phases("steps", quiet=True):
                clock = time.perf_counter()
                course, error = self.mechanism.follow(times[first : first + PORTION])
                self.seconds += time.perf_counter() - clock
            with self.phases("write", quiet=True):
                self._write(course, last=len(times) - 1)
            steps = max(self.done - 1, 0)
            self.phases.tell("steps", steps, len(times) - 1)
            self.writer.progress("steps", steps, len(times) - 1, float(times[steps]))
            if error is not None:
                kept = f"times kept: {self.done}" if self.done else "nothing is kept"
                raise AnalysisError(f"{error}; {kept}")

    def _write(self, course: Trajectory, last: int) -> None:
        count = len(course.times)
        probed = np.array([probe.values(course) for probe in self.probes])
        probed = probed.reshape(len(self.probes), count).T
        self.rows.append((course.times, probed))
        if count:
            flat = course.coordinates.reshape(count, -1)
            self.writer.probe_rows(course.times, np.hstack([probed, flat]))
        numbers = self.done + np.arange(count)
        framed = np.flatnonzero((numbers % self.every == 0) | (numbers == last))
        if len(framed):
            states = {
                body.name: BodyState(
                    np.zeros((len(framed), *body.points.shape)),
                    frame=as_frame(course.frames[framed, k]),
                )
                for k, body in enumerate(self.writer.bodies)
            }
            self.writer.frames(course.times[framed], states)
        self.done += count

    def figures(self) -> Figures:
        """Return the figures of the run."""
        parts = self.mechanism.parts
        found: Figures = {
            "links": len(parts.links),
            "equations": len(parts.names),
            "free motions of the joints": len(parts.drivers),
            "times": self.done,
            "time per step": [self.seconds / max(self.done, 1), "s"],
        }
        if not self.rows:
            return found
        times = np.concatenate([times for times, _ in self.rows])
        values = np.concatenate([rows for _, rows in self.rows])
        for probe, column in zip(self.probes, values.T, strict=True):
            if len(times):
                found |= peak_and_end(probe.column, times, column)
        return found


def _writer(
    spec: ModelSpec,
    mesh: Mesh,
    parts: Parts,
    probes: list[MotionProbe],
    folder: Path,
    overwrite: bool,
) -> ResultWriter:
    writer = ResultWriter(
        folder,
        link_shapes(parts),
        formats=spec.output.formats,
        probes=[*(probe.column for probe in probes), *coordinate_columns(parts)],
        title=spec.title or spec.name,
        settings={
            "model": printable(spec.source.name) if spec.source else spec.name,
            "planar": parts.planar,
            "joints": {joint.name: joint.kind for joint in parts.joints},
            "analysis": spec.analysis.model_dump(exclude_none=True),
        },
        provenance=provenance(spec, mesh),
        overwrite=overwrite,
        units=spec.unit_system,
    )
    writer.summary(described(spec, parts))
    return writer
