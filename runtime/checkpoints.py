# SPDX-License-Identifier: BSD-3-Clause
"""Checkpoints of a run: when they are written, and which one a run goes on from."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.identity import model_hash
from flexforge.runtime.machine.phases import GOES_ON
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.angles import UNITS, VELOCITY
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.ranks import ONE, Ranks
from flexforge.runtime.results.checkpoint import NAME, Checkpoint
from flexforge.runtime.results.summary import NAME as SUMMARY
from flexforge.runtime.results.summary import read_summary
from flexforge.runtime.results.writer import ResultWriter

#: Name under which a checkpoint has what a Campbell diagram is made of.
SWEEP = "sweep"


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
        When the checkpoint is damaged or that of another model.
    """
    if (folder / NAME).is_file():
        return Checkpoint.read(folder / NAME, model_hash(spec, mesh))
    return None


def told(moment: Checkpoint | None, ranks: Ranks) -> Checkpoint | None:
    """Return a checkpoint that the first rank has read, on every rank.

    Its state and shapes, which are those of the whole model, stay with the first.
    """
    if not ranks.is_first:
        return ranks.handed_out(None)
    others = moment
    if moment is not None:
        small = {name: one for name, one in moment.followed.items() if name != SWEEP}
        others = replace(moment, state=b"", followed=small)
    return ranks.handed_out([moment, *[others] * (ranks.count - 1)])


def finished_before(folder: Path, spec: ModelSpec, mesh: Mesh) -> dict[str, Any] | None:
    """Return the summary of a run of the model that is finished, if the folder contains one.

    Parameters are those of :func:`checkpoint_of`.

    Raises
    ------
    InputError
        When the finished run is that of another model.
    """
    if not (folder / SUMMARY).is_file():
        return None
    summary = read_summary(folder)
    if summary["status"] != "finished":
        return None
    if summary["provenance"]["model"] != model_hash(spec, mesh):
        raise InputError(
            f"{folder}: the run of another model is finished there; expected the results of this "
            "model, or a run without --resume"
        )
    return summary


def goes_on(spec: ModelSpec, step: int) -> str:
    """Return where a run goes on, for its progress.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    step : int
        Number of steps or speeds that the checkpoint contains.
    """
    analysis = spec.analysis
    if analysis.kind == "modes" and analysis.speeds:
        speed = analysis.speeds[step - 1] / UNITS[VELOCITY]["rpm"] * spec.unit_system.second
        return f"{GOES_ON}{speed:.6g} rpm: {step} of {len(analysis.speeds)} speeds are done"
    if analysis.kind == "transient":
        time, count = step * analysis.step_size, analysis.number_of_steps
        told = spec.unit_system.with_unit(f"t = {time:.6g}", "s")
        return f"{GOES_ON}{told}: {step} of {count} steps are done"
    return f"{GOES_ON}{NAME}"


def incomplete(error: KeyError) -> InputError:
    """Return the error of a checkpoint in which something is missing."""
    return InputError(
        f"{NAME}: has no {error}; expected the checkpoint of this run: run the model anew, "
        "without --resume"
    )


class Checkpoints:
    """Writes checkpoints of a run.

    Parameters
    ----------
    writer : ResultWriter
        Of its results.
    interval : float
        Seconds between two of them.
    ranks : Ranks
        The processes that share the run.
    """

    def __init__(self, writer: ResultWriter, interval: float, ranks: Ranks = ONE) -> None:
        self._writer, self._interval, self._ranks = writer, interval, ranks
        self._next = clock.monotonic() + interval

    @property
    def due(self) -> bool:
        """Whether the last one is old."""
        return self._ranks.any(clock.monotonic() >= self._next)

    def write(
        self,
        step: int,
        followed: Mapping[str, Mapping[str, Any]],
        state: bytes = b"",
        counts: Mapping[str, int] | None = None,
        stepper: str = "",
    ) -> None:
        """Write a checkpoint; parameters are attributes of a `Checkpoint`.

        Raises
        ------
        AnalysisError
            If the disk is full or fails; an earlier checkpoint is kept.
        """
        writer = self._writer
        writer.checkpoint(
            Checkpoint(writer.model, step, state, writer.position, counts or {}, followed, stepper)
        )
        self._next = clock.monotonic() + self._interval
