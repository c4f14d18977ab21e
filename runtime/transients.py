# SPDX-License-Identifier: BSD-3-Clause
"""Transient analyses: steps, what is recorded of them, and checkpoints to go on from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.checkpoints import Checkpoints, incomplete
from flexforge.runtime.constraints.build import Ties
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.machine.shield import shielded
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import TransientAnalysis
from flexforge.runtime.multibody.balance import FoundBalance
from flexforge.runtime.multibody.build import FoundLinks
from flexforge.runtime.multibody.events import Events
from flexforge.runtime.multibody.inside import begins_inside
from flexforge.runtime.multibody.motion import FoundMotion
from flexforge.runtime.observe.energy import Energy
from flexforge.runtime.observe.followed import Observer, collected, restore
from flexforge.runtime.observe.momentum import Momentum
from flexforge.runtime.observe.record import (
    RELATIVE,
    Figures,
    Recorder,
    largest_displacement,
    momentum,
)
from flexforge.runtime.observe.turns import Turns
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.reduction.estimate import Estimate
from flexforge.runtime.results.checkpoint import NAME, Checkpoint
from flexforge.runtime.start import start
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.machines import Machines
from flexforge.runtime.system.system import System
from flexforge.runtime.transient import shared_state
from flexforge.runtime.transient.counts import Counts
from flexforge.runtime.transient.machine_motion import MachineMotion
from flexforge.runtime.transient.motion import Motion
from flexforge.runtime.transient.state import State
from flexforge.runtime.transient.tied_motion import TiedMotion

Follower = Energy | Momentum | Estimate | FoundBalance | Events | Turns


def run_transient(
    analysis: TransientAnalysis,
    spec: ModelSpec,
    system: System,
    loads: Loads,
    state: tuple[Floats, Floats],
    ties: Ties | FoundLinks | None,
    basis: Basis | None,
    recorder: Recorder,
    deformation: Deformation,
    phases: Phases,
    warnings: list[str],
    resume: Checkpoint | None = None,
) -> Figures:
    """Take all steps, or those after a checkpoint; return the figures, and add warnings."""
    with phases("factor"):
        shapes = None if basis is None else basis.shapes
        machines = Machines.of(spec, system, loads)
        run = start(analysis, system, loads, *state, ties, shapes, machines)
        if isinstance(run, FoundMotion) and resume is None:
            warnings += begins_inside(spec, run)
        followers = _followers(run, basis, analysis.solver, tied=ties is not None)
    progress = _Progress(run, recorder, deformation, followers, spec.output.checkpoint)
    shared, complete = system.ranks.count > 1, False
    total, every = analysis.number_of_steps, spec.output.every
    try:
        if resume is not None:
            progress.resume(resume)
            recorder.writer.progress("steps", resume.step, total, run.time)
        while (number := progress.step) <= total:
            passed: list[State] | None = [] if recorder.probes else None
            if number:
                frame_at = min(number + -number % every, total)
                with phases("steps", quiet=True):
                    number += run.leap(frame_at - number + 1, passed) - 1
            with phases("write", quiet=True), progress.reaching(number):
                frame = number % every == 0 or number == total
                recorder.record(run.time, run, frame=frame, passed=passed or ())
                if frame:
                    deformation.follow(run.time, run.displacement, bounded=True)
                    for follower in followers:
                        follower.follow()
                if number:  # within, for an interrupt to find it with what is recorded
                    recorder.writer.progress("steps", number, total, run.time)
            if number:
                phases.tell("steps", number, total)
        complete = True
    except KeyboardInterrupt:
        progress.stop()
        raise
    finally:  # also after an error or Ctrl-C
        try:
            with phases("write", quiet=True):
                recorder.flush()
        finally:
            figures: Figures = {}
            if complete or not shared:  # ranks that have failed have no share in sums
                figures = _figures(run, phases.seconds.get("steps", 0.0))
                figures |= deformation.figures()
                recorder.agree()
            figures |= recorder.figures()
            for follower in followers:
                figures |= follower.figures()
                if isinstance(follower, Turns):
                    recorder.writer.summary(follower.orbits(recorder.probes))
                if isinstance(follower, Events):
                    recorder.writer.events(follower.table())
            if all(body.lumped and body.motion.link is not None for body in system.bodies):
                figures = _of_rigid_links(figures)
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
        self._run, self._recorder, self._deformation = run, recorder, deformation
        self._alone = run.system.ranks.count == 1
        self._checkpoints = Checkpoints(recorder.writer, interval, run.system.ranks)
        self._observers: dict[str, Observer] = {
            "recorder": recorder,
            **deformation.extremes(),
            **{type(one).__name__: one for one in followers if one.KEPT},
            **({"drift": run.observed} if isinstance(run, TiedMotion) else {}),
        }
        self._stepper = type(run.stepper).__name__
        self._recorded: State | None = None  # the last state, unless its recording failed
        self._counts = Counts()  # work up to there, not up to where a leap was interrupted
        self.step = 0

    def resume(self, moment: Checkpoint) -> None:
        """Go on from a checkpoint.

        Raises
        ------
        InputError
            When something is missing in it.
        """
        if moment.stepper != self._stepper:
            raise InputError(
                f"{NAME}: found steps of {moment.stepper}; expected {self._stepper}: models of up "
                "to 1,500 unknowns that one process began go on in one, others in several"
            )
        whole = None
        if self._run.system.ranks.is_first:
            whole = State.from_bytes(moment.state, moment.model.encode())
        state = shared_state.handed_out(whole, self._run.system.map)
        self._counts = Counts(**moment.counts)
        self._run.resume(state, self._counts)
        try:
            for name, observer in self._observers.items():
                restore(observer, moment.followed[name])
        except KeyError as error:
            raise incomplete(error) from None
        self._recorded, self.step = state, moment.step + 1

    @contextmanager
    def reaching(self, number: int) -> Iterator[None]:
        """Record a step whole, and write a checkpoint if the last one is old."""
        with shielded():
            self._recorded = None
            yield
            self.step = number + 1
            self._recorded, self._counts = self._run.state, self._run.counts
            if self._checkpoints.due:
                self._write(self._recorded)

    def stop(self) -> None:
        """Write a checkpoint of the last step, unless its recording failed.

        Ranks, which signals reach at different steps, have none but that of an earlier one.
        """
        if self._recorded is not None and self._alone:
            self._write(self._recorded)

    def _write(self, state: State) -> None:
        self._recorder.flush()
        self._deformation.tell()
        whole = shared_state.collected(state, self._run.system.map)
        self._checkpoints.write(
            self.step - 1,
            {name: collected(one) for name, one in self._observers.items()},
            b"" if whole is None else whole.to_bytes(self._recorder.writer.model.encode()),
            asdict(self._counts),
            self._stepper,
        )


def _followers(run: Motion, basis: Basis | None, solver: str, *, tied: bool) -> list[Follower]:
    """Return the objects that evaluate every recorded state."""
    if isinstance(run, MachineMotion):
        return [Turns(run)]
    if isinstance(run, FoundMotion):
        events = [Events(run)] if run.links.model.formulas.events else []
        return [FoundBalance(run), *events]
    if basis is not None:
        known = tied or Estimate.is_known(run.system)
        return [Estimate(run, basis, solver, tied=tied)] if known else []
    return [Energy(run), Momentum(run)] if isinstance(run, TiedMotion) else []


_OF_ELASTIC = (
    "largest displacement at the end", "largest rotation", "strain energy", "dissipated", RELATIVE,
)  # fmt: skip


def _of_rigid_links(figures: Figures) -> Figures:
    """Return figures without zeros of what only elastic bodies, or links without drivers, have."""
    return {
        name: value
        for name, value in figures.items()
        if not name.startswith(_OF_ELASTIC) or value[0] != 0.0
    }


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
        **({} if isinstance(run, FoundMotion) else momentum(run.system, run.velocity)),
        **run.figures(),
    }
