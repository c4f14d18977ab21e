# SPDX-License-Identifier: BSD-3-Clause
"""The steps of a model, one after the other: each an analysis with a folder of its own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError, InputError
from flexforge.runtime.envelopes.run import run_combinations, run_envelope
from flexforge.runtime.held_after import held_after
from flexforge.runtime.job import run_analysis
from flexforge.runtime.loading.checks_steps import in_file
from flexforge.runtime.machine.phases import Phases
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.model.schema import ENVELOPE, ModelSpec
from flexforge.runtime.model.schema_cases import CombinationSpec
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.ranks.mpi import ranks_here
from flexforge.runtime.results.steps_report import write_steps_report
from flexforge.runtime.solvers.kept import keeping
from flexforge.runtime.substructures.build import in_pieces


def run_steps(
    spec: ModelSpec,
    mesh: Mesh,
    folder: Path,
    phases: Phases,
    *,
    overwrite: bool = False,
    resume: bool = False,
) -> Outcome:
    """Run the steps of a model, each into ``folder/NAME``.

    Parameters
    ----------
    spec : ModelSpec
        The model.
    mesh : Mesh
        Its mesh, in metres.
    folder : Path
        Folder of the folders of results.
    phases : Phases
        Times what is done, and tells of it.
    overwrite, resume : bool
        As of :func:`flexforge.runtime.run.run_model`.

    Returns
    -------
    Outcome
        With the figures of all steps, under ``STEP: NAME``, and their outcomes in ``steps``.

    Raises
    ------
    InputError
        For steps that go on from others in several processes.
    InputError, AnalysisError
        Of the first step that fails, with its name; the results of those before it are kept.
    """
    found: dict[str, Outcome] = {}
    after = [*(one.after for one in spec.steps), *(one.after for one in spec.supports)]
    named = {name for name in after if name}
    if named and (count := ranks_here().count) > 1:
        raise InputError(
            f"steps: found one with 'after' in {count} processes; expected one process"
        )
    with keeping(sum(step.analysis.kind == "static" for step in spec.steps)):
        for number, step in enumerate(spec.steps):
            single, own = in_pieces(spec.single(number), mesh)
            try:
                single = held_after(single, own, folder)
                found[step.name] = run_analysis(
                    single,
                    own,
                    folder / step.name,
                    phases,
                    overwrite=overwrite,
                    resume=resume,
                    begin=None if step.after is None else folder / step.after,
                    keep_end=step.name in named,
                )
            except FlexforgeError as error:
                error.args = (f"step '{step.name}': {in_file(str(error), spec, number)}",)
                raise
    steps = dict(found)
    found |= run_combinations(spec, folder, phases, overwrite=overwrite)
    enveloped = [ENVELOPE] if spec.output.envelope else []
    for name in enveloped:
        found[name] = run_envelope(spec, folder, phases, overwrite=overwrite)
    figures = {
        f"{name}: {figure}": value
        for name, outcome in found.items()
        for figure, value in outcome.figures.items()
    }
    warnings = _warnings(steps.items())
    if "report" in spec.output.formats:
        with phases("write the report"):
            write_steps_report(
                folder,
                spec.title or spec.name,
                [
                    *((one.name, one.analysis.kind, one.after or "") for one in spec.steps),
                    *((one.name, _told(one), "") for one in spec.combinations),
                    *((name, f"of {', '.join(spec.enveloped)}", "") for name in enveloped),
                ],
                {name: outcome.figures for name, outcome in found.items()},
                warnings,
                spec.unit_system,
                overwrite=overwrite,
            )
    timings = {name: round(value, 4) for name, value in phases.seconds.items()}
    return Outcome(folder, "finished", figures, timings, warnings, steps=found)


def _told(one: CombinationSpec) -> str:
    """Return a combination as a sum."""
    return " + ".join(f"{factor:g} {name}" for name, factor in one.factors.items())


def _warnings(found: Iterable[tuple[str, Outcome]]) -> tuple[str, ...]:
    """Return the warnings of all steps; one of every step is told once, without their names."""
    pairs = list(found)
    told: dict[str, list[str]] = {}
    for name, outcome in pairs:
        for text in outcome.warnings:
            told.setdefault(text, []).append(name)
    return tuple(
        text if len(names) == len(pairs) else f"step {', '.join(names)}: {text}"
        for text, names in told.items()
    )
