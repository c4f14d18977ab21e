# SPDX-License-Identifier: BSD-3-Clause
"""A run of a model: of its analysis, or of its steps one after the other."""

from __future__ import annotations

from pathlib import Path

from flexforge.runtime.distributed.supported import require_supported
from flexforge.runtime.envelopes.run import run_envelope
from flexforge.runtime.job import run_analysis
from flexforge.runtime.loading.load import model_of
from flexforge.runtime.machine.phases import Phases, Progress
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.ranks.mpi import MpiRanks, ranks_here
from flexforge.runtime.steps import run_steps
from flexforge.runtime.substructures.build import in_pieces
from flexforge.runtime.system.construct import NO_MESH, build_mesh
from flexforge.runtime.unit_systems import messages_in


def run_model(
    model: ModelSpec | Path | str,
    *,
    output: Path | str | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
    resume: bool = False,
) -> Outcome:
    """Run a model and write its results.

    Parameters
    ----------
    model : ModelSpec, Path or str
        A model, or its file.
    output : Path or str, optional
        Folder of results; by default what the model says, or ``NAME.results`` here.
    progress : callable, optional
        Called with a text, the number of completed items and of all items.
    overwrite : bool
        Replace files with names of results that no run of flexforge has listed.
    resume : bool
        Go on from the last checkpoint of a transient analysis or a Campbell diagram that was
        stopped, if there is one. Of a run that is finished, return what it found.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        When the model is invalid, or the folder contains such files; nothing has then been written,
        unless the fault only shows in the computation.
    AnalysisError
        When the analysis fails; results computed before are kept.
    """
    ranks = ranks_here()
    phases = Phases(progress if ranks.is_first else None)
    with phases("read the model"):
        spec = model_of(model)
        if isinstance(ranks, MpiRanks):
            require_supported(spec, ranks.count)
        with messages_in(spec.unit_system):
            mesh = build_mesh(spec) if ranks.is_first else NO_MESH
    folder = Path(output or spec.output.folder or f"{spec.name}.results")
    with messages_in(spec.unit_system):
        if spec.steps:
            return run_steps(spec, mesh, folder, phases, overwrite=overwrite, resume=resume)
        spec, mesh = in_pieces(spec, mesh) if ranks.is_first else (spec, mesh)
        outcome = run_analysis(spec, mesh, folder, phases, overwrite=overwrite, resume=resume)
        if spec.output.envelope:
            run_envelope(spec, folder, phases, overwrite=overwrite)
        return outcome
