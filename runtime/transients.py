# SPDX-License-Identifier: BSD-3-Clause
"""Transient analyses: steps, what is recorded of them, and checkpoints to go on from."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.constraints.build import Ties
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.observe.followed import Observer, collected, restore
from flexforge.runtime.observe.momentum import Momentum
from flexforge.runtime.observe.record import Figures, Recorder, largest_displacement, momentum
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.reduction.estimate import Estimate
from flexforge.runtime.results.checkpoint import NAME, Checkpoint
from flexforge.runtime.results.summary import NAME as SUMMARY
from flexforge.runtime.results.summary import read_summary
from flexforge.runtime.start import start
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.tied_motion import TiedMotion

Follower = Energy | Momentum | Estimate


def checkpoint_of(folder: Path, spec: ModelSpec, mesh: Mesh) -> Checkpoint | None:
    """Return where a run that was stopped can go on.

    Parameters
    ----------
    folder : Path
        Folder of its results.
    spec : ModelSpec
        The model.
    mesh : Mesh
        Its mesh.

    Returns
    -------
    Checkpoint or None
        None where the run was stopped before its first checkpoint, or has not begun.

    Raises
    ------
    InputError
        When the run is finished, the checkpoint is damaged or that of another model, or the
        analysis has no checkpoints.
    """
    if spec.analysis.kind != "transient":
        raise InputError(
            f"analysis.kind: found '{spec.analysis.kind}', which has no checkpoints to resume "
            "from; expected a transient analysis, or a run without --resume"
        )
    if (folder / NAME).is_file():
        return Checkpoint.read(folder / NAME, model_hash(spec, mesh))
    if (folder / SUMMARY).is_file() and read_summary(folder)["status"] == "finished":
        raise InputError(
            f"{folder}: the run is finished; expected one that was stopped, or a run without "
            "--resume"
        )
    return None


def run_transient(
    analysis: TransientAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    state: tuple[Floats, Floats],
    ties: Ties | None,
    basis: Basis | None,
    recorder: Recorder,
    deformation: Deformation,
    phases: Phases,
    resume: Checkpoint | None = None,
) -> Figures:
    """Take all steps, or those after a checkpoint, and return the figures."""
    with phases("factor"):
        shapes = None if basis is None else basis.shapes
        run = start(analysis, system, loads, *state, ties, shapes)
        followers = _followers(run, basis, analysis.solver, tied=ties is not None)
    progress = _Progress(run, recorder, deformation, followers, spec.output.checkpoint)
    total, every = analysis.number_of_steps, spec.output.every
    try:
        if resume is not None:
            progress.resume(resume)
        for number in range(progress.step, total + 1):
            if number:
                with phases("steps", quiet=True):
                    run.advance()
            with phases("write", quiet=True), progress.reaching(number):
                frame = number % every == 0 or number == total
                recorder.record(run.time, run, frame=frame)
                if frame:
                    deformation.follow(run.time, run.displacement, bounded=True)
                    for follower in followers:
                        follower.follow()
            if number:
                phases.tell("steps", number, total)
                recorder.writer.progress("steps", number, total, run.time)
    except KeyboardInterrupt:
        progress.stop()
        raise
    finally:  # also after an error or Ctrl-C
        try:
            with phases("write", quiet=True):
                recorder.flush()
        finally:
            figures = _figures(run, phases.seconds.get("steps", 0.0)) | recorder.figures()
            figures |= deformation.figures()
            for follower in followers:
                figures |= follower.figures()
            run.close()
            recorder.writer.summary({"figures": figures})
    return figures


class _Progress:
    """How far a run is, and its checkpoints.

    Parameters
    ----------
    run : Motion
        The motion.
    recorder, deformation, followers
        What has collected from its states.
    interval : float
        Seconds between two checkpoints.

    Attributes
    ----------
    step : int
        The next step to record.
    """

    def __init__(
        self,
        run: Motion,
        recorder: Recorder,
        deformation: Deformation,
        followers: list[Follower],
        interval: float,
    ) -> None:
        self._run, self._recorder, self._interval = run, recorder, interval
        self._observers: dict[str, Observer] = {
            "recorder": recorder,
            **deformation.extremes(),
            **{type(one).__name__: one for one in followers},
            **({"drift": run.observed} if isinstance(run, TiedMotion) else {}),
        }
        self._next = clock.monotonic() + interval
        self._recorded: State | None = None  # the last state, unless its recording was broken off
        self.step = 0

    def resume(self, moment: Checkpoint) -> None:
        """Go on from a checkpoint.

        Raises
        ------
        InputError
            When something is missing in it.
        """
        state = State.from_bytes(moment.state, moment.model.encode())
        self._run.resume(state, Counts(**moment.counts))
        try:
            for name, observer in self._observers.items():
                restore(observer, moment.followed[name])
        except KeyError as error:
            raise InputError(
                f"{NAME}: has no {error}; expected the checkpoint of this run: run the model anew, "
                "without --resume"
            ) from None
        self._recorded, self.step = state, moment.step + 1

    @contextmanager
    def reaching(self, number: int) -> Iterator[None]:
        """Record a step, and write a checkpoint if the last one is old."""
        self._recorded = None
        yield
        self._recorded, self.step = self._run.state, number + 1
        if clock.monotonic() >= self._next:
            self._write(self._recorded)
            self._next = clock.monotonic() + self._interval

    def stop(self) -> None:
        """Write a checkpoint of the last step, unless it was broken off while it was recorded."""
        if self._recorded is not None:
            self._write(self._recorded)

    def _write(self, state: State) -> None:
        writer = self._recorder.writer
        self._recorder.flush()
        writer.checkpoint(
            Checkpoint(
                writer.model,
                self.step - 1,
                state.to_bytes(writer.model.encode()),
                writer.position,
                asdict(self._run.counts),
                {name: collected(one) for name, one in self._observers.items()},
            )
        )


def _followers(run: Motion, basis: Basis | None, solver: str, *, tied: bool) -> list[Follower]:
    """Return the objects that evaluate every recorded state."""
    if basis is not None:
        known = tied or Estimate.is_known(run.system)
        return [Estimate(run, basis, solver, tied=tied)] if known else []
    return [Energy(run), Momentum(run)] if isinstance(run, TiedMotion) else []


def _figures(run: Motion, seconds: float) -> Figures:
    counts = run.counts
    steps = max(counts.steps, 1)
    return {
        "steps": counts.steps,
        "factorizations": counts.factorizations,
        "solves per step": counts.solves / steps,
        "most solves in a step": counts.most_solves,
        "memory of the factors": [counts.factor_bytes / 1e6, "MB"],
        "time per step": [seconds / steps, "s"],
        "solver": run.solver_name,
        "largest displacement at the end": [
            largest_displacement(run.system, run.displacement),
            "m",
        ],
        **momentum(run.system, run.velocity),
        **run.figures(),
    }
