# SPDX-License-Identifier: BSD-3-Clause
"""One analysis of a model, from its mesh to the report: the main job, in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.bucklings import run_buckling
from flexforge.runtime.checkpoints import (
    Checkpoints,
    checkpoint_of,
    finished_before,
    goes_on,
    told,
)
from flexforge.runtime.constraints.build import Ties, joints_of
from flexforge.runtime.critical_speeds import run_critical_speeds
from flexforge.runtime.cyclic_campbell import run_cyclic_campbell
from flexforge.runtime.cyclic_modes import basis_of, run_cyclic_modes
from flexforge.runtime.distributed.collect import Collector
from flexforge.runtime.distributed.cut import Cut
from flexforge.runtime.distributed.divide import Divided, divide
from flexforge.runtime.distributed.part_writer import (
    OF_PARTS,
    JoiningWriter,
    PartFiles,
    PartWriter,
)
from flexforge.runtime.distributed.share import Fragment
from flexforge.runtime.distributed.silent_writer import SilentWriter
from flexforge.runtime.equilibrium import starting_state
from flexforge.runtime.finite.deformed_states import state_at
from flexforge.runtime.finite.run import require_linear_keys, run_path
from flexforge.runtime.harmonics import run_harmonic
from flexforge.runtime.kinematics import run_kinematics
from flexforge.runtime.link_vibrations import run_link_modes
from flexforge.runtime.machine.phases import ALREADY, Phases
from flexforge.runtime.machine.threads import cores_for_our_loops
from flexforge.runtime.mechanism.starts import start_remarks
from flexforge.runtime.mesh import Mesh
from flexforge.runtime.mistuned import run_mistuned_modes
from flexforge.runtime.mistuned_response import run_mistuned_response
from flexforge.runtime.modal_transients import run_modal
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_analysis import (
    BucklingAnalysis,
    HarmonicAnalysis,
    ModesAnalysis,
    PeriodicAnalysis,
    StaticAnalysis,
    TransientAnalysis,
)
from flexforge.runtime.model.schema_critical import CriticalSpeedsAnalysis
from flexforge.runtime.model.schema_spectra import RandomAnalysis, SpectrumAnalysis
from flexforge.runtime.multibody.build import FoundLinks, tie
from flexforge.runtime.observe.motion import AtRest
from flexforge.runtime.observe.probes import AnyProbe, build_probes
from flexforge.runtime.observe.provenance import outcome
from flexforge.runtime.observe.record import (
    Figures,
    Recorder,
    geometries,
    largest_displacement,
    open_writer,
)
from flexforge.runtime.observe.tables import AnyTable, build_tables
from flexforge.runtime.observe.theories import theories
from flexforge.runtime.observe.wheel import expanding
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.periodics import run_periodic
from flexforge.runtime.random_vibrations import run_random
from flexforge.runtime.ranks.mpi import MpiRanks, ranks_here
from flexforge.runtime.reduction.basis import Basis
from flexforge.runtime.reduction.reduce import compute_basis, known_basis
from flexforge.runtime.reduction.vibrations import compare_frequencies
from flexforge.runtime.results import BodyState, ResultWriter
from flexforge.runtime.results.checkpoint import Checkpoint, Position
from flexforge.runtime.results.end_state import NAME as END
from flexforge.runtime.results.end_state import read_end
from flexforge.runtime.results.files import manifest_of
from flexforge.runtime.results.finite import require_finite_figures
from flexforge.runtime.results.labels import figures_in
from flexforge.runtime.solvers.amg import INSTEAD
from flexforge.runtime.spectra import run_spectrum
from flexforge.runtime.statics.balance import is_large
from flexforge.runtime.statics.prestress import unstiffened
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.statics.stress_over_time import stress_of
from flexforge.runtime.statics.stress_state import StressState, Theory, theory_of
from flexforge.runtime.system.bearing_speeds import (
    beyond_frequencies,
    beyond_tables,
    vibrated_at,
)
from flexforge.runtime.system.bearing_transfer import transfer_remarks
from flexforge.runtime.system.construct import build_system
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.initial import initial_state, lost_at_start
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.name_table import NameTable
from flexforge.runtime.system.plausible import odd_inertias, odd_sections, odd_units, remarks
from flexforge.runtime.system.system import System
from flexforge.runtime.transient.system_model import stiffened_bodies
from flexforge.runtime.transients import run_transient
from flexforge.runtime.vibration.steady_speeds import turning_axes
from flexforge.runtime.vibrations import run_campbell, run_modes


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # results are checked instead
def run_analysis(
    spec: ModelSpec,
    mesh: Mesh,
    folder: Path,
    phases: Phases,
    *,
    overwrite: bool = False,
    resume: bool = False,
    begin: Path | None = None,
    keep_end: bool = False,
) -> Outcome:
    """Run the analysis of a model and write its results.

    Parameters
    ----------
    spec : ModelSpec
        The model, with a single analysis, and bodies cut into pieces where they bend by large
        angles.
    mesh : Mesh
        Its mesh, in metres; of other ranks than the first, an empty one.
    folder : Path
        Folder of results.
    phases : Phases
        Times what is done, and tells of it.
    overwrite, resume : bool
        As of :func:`flexforge.runtime.run.run_model`.
    begin : Path, optional
        Folder of the results of a step, whose state at the end this analysis begins with.
    keep_end : bool
        Whether the state at the end is written, for others to begin with.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError, AnalysisError
        As of :func:`flexforge.runtime.run.run_model`.
    """
    ranks = ranks_here()
    if ranks.is_first:  # before anything is computed in vain
        manifest_of(folder, overwrite=overwrite).require_ours()
    if resume:
        before = finished_before(folder, spec, mesh) if ranks.is_first else None
        before = ranks.handed_out([before] * ranks.count if ranks.is_first else None)
        if before:
            phases.tell(f"{ALREADY}the results in {folder} are kept", 0, 0)
            return Outcome.of_summary(folder, before)
    moment = checkpoint_of(folder, spec, mesh) if resume and ranks.is_first else None
    moment = told(moment, ranks) if resume else None
    if moment is not None:
        phases.tell(goes_on(spec, moment.step), 0, 0)
    if spec.analysis.kind == "kinematics":
        figures, said = run_kinematics(
            spec, mesh, spec.analysis, folder, phases, overwrite=overwrite
        )
        _report(spec, folder, phases, overwrite)
        warned = tuple(map(spec.unit_system.message, said))
        return Outcome(folder, "finished", figures, _rounded(phases.seconds), warned)
    whole = _whole(spec, mesh, phases, begin) if ranks.is_first else None
    fragments: tuple[Fragment, ...] = ()
    if isinstance(ranks, MpiRanks):
        with phases("divide the model"):
            job, fragments = _share(ranks, spec, mesh, whole)
    else:
        assert whole is not None
        job = whole
    job = replace(job, resume=moment)
    after = None if moment is None else moment.position
    writer, collect = _outputs(job, whole, fragments, folder, overwrite=overwrite, after=after)
    with writer:
        recorder = Recorder(writer, job.system, job.loads, job.probes, collect, job.tables)
        if keep_end:
            recorder.keep_end()
        warnings: list[str] = []
        try:
            with cores_for_our_loops():
                figures, theory = _analyse(job, whole, recorder, phases, warnings)
            require_finite_figures(figures)
        except FlexforgeError as error:
            error.with_warnings(warnings)
            raise
        finally:
            writer.summary({"timings": _rounded(phases.seconds), "warnings": warnings})
        if keep_end:
            writer.end(*recorder.end)
        figures = figures_in(writer.units, figures)
        found = {"figures": figures, "theory": theory}
        writer.summary(found | {"provenance": outcome(figures, theory)})
    if ranks.is_first:
        _report(spec, folder, phases, overwrite)
    timings, warned = _rounded(phases.seconds), tuple(map(writer.units.message, warnings))
    return Outcome(folder, "finished", figures, timings, warned, writer.campbell_data, theory)


def _whole(spec: ModelSpec, mesh: Mesh, phases: Phases, begin: Path | None) -> _Job:
    """Return the job of one process."""
    with phases("number the unknowns"):
        places = build_system(spec, mesh)
        state = initial_state(spec, places)
        if begin is not None:
            state = read_end(begin / END, state[0].shape)
        if spec.is_sweep:
            turning_axes(places.system)  # refuses models without rotating frames
    with phases("assemble"):
        loads = Loads(spec, places)
        probes = build_probes(spec, places, loads)
        tables = build_tables(spec, places, loads)
        ties = tie(spec, places, loads, state)
        if isinstance(ties, FoundLinks):
            basis = ties.basis
        else:
            basis = known_basis(spec, places, joints_of(ties))
    return _Job(spec, places, loads, state, probes, ties, basis, tables=tables)


def _share(
    ranks: MpiRanks, spec: ModelSpec, mesh: Mesh, whole: _Job | None
) -> tuple[_Job, tuple[Fragment, ...]]:
    """Return this rank's share of a job, and those of the bodies."""
    given = None
    if whole is not None:
        given = Divided(whole.system, whole.loads, whole.state, whole.probes)
    assert spec.analysis.kind != "kinematics"
    own, fragments = divide(ranks, given, spec.analysis.threads)
    places = NameTable(mesh, own.system)
    return _Job(spec, places, own.loads, own.state, own.probes, None, None), fragments


def _outputs(
    job: _Job,
    whole: _Job | None,
    fragments: Sequence[Fragment],
    folder: Path,
    *,
    overwrite: bool,
    after: Position | None,
) -> tuple[ResultWriter, Callable[[dict[str, BodyState]], dict[str, BodyState]] | None]:
    """Return what writes results, and what turns states of a share into those that it writes.

    Other ranks than the first write nothing, or their parts.
    """
    spec, ranks = job.spec, job.system.ranks
    shared = fragments and spec.output.by_process
    writer: ResultWriter | None = None
    if whole is not None:
        writer = open_writer(
            spec,
            whole.places,
            whole.probes,
            folder,
            overwrite=overwrite,
            after=after,
            kind=JoiningWriter if shared else ResultWriter,
            without=OF_PARTS if shared else (),
        )
    if not fragments:
        assert writer is not None
        sector = job.places.sector
        expands = sector is not None and spec.cyclic is not None and spec.cyclic.expand
        return writer, expanding(sector) if sector is not None and expands else None
    bodies, formats = geometries(spec, job.places), spec.output.formats
    if not shared:
        silent = SilentWriter(folder, bodies, spec.unit_system)
        return writer or silent, Collector(fragments, ranks)
    cut = Cut(fragments, bodies, job.system)
    if isinstance(writer, JoiningWriter):
        writer.join(ranks, cut.parts, formats, after)
        return writer, cut
    files = PartFiles(ranks, folder, cut.parts, formats, None, after=after)
    begun = after is not None and len(after.times) > 0
    return PartWriter(folder, files, cut.parts, spec.unit_system, begun=begun), cut


def _report(spec: ModelSpec, folder: Path, phases: Phases, overwrite: bool) -> None:
    """Write the report, if requested."""
    if "report" in spec.output.formats:
        from flexforge.runtime.results.report import write_report

        with phases("write the report"):
            write_report(folder, overwrite=overwrite)


@dataclass(frozen=True, slots=True)
class _Job:
    """The data of a job: the model, its system, loads, initial state, probes and constraints.

    Also its shapes, if a file contains them, and the checkpoint from which it goes on.
    """

    spec: ModelSpec
    places: NameTable
    loads: Loads
    state: tuple[Floats, Floats]
    probes: list[AnyProbe]
    ties: Ties | FoundLinks | None
    basis: Basis | None
    resume: Checkpoint | None = None
    tables: Sequence[AnyTable] = ()

    @property
    def system(self) -> System:
        """The bodies."""
        return self.places.system

    def reduced(self) -> Basis:
        """Return the shapes of the unknowns of a reduced model."""
        if self.basis is not None:
            return self.basis
        return compute_basis(self.spec, self.places, self.loads, joints_of(self.ties))


def _analyse(
    job: _Job, whole: _Job | None, recorder: Recorder, phases: Phases, warnings: list[str]
) -> tuple[Figures, dict[str, str]]:
    """Assemble, prestress and analyse; return figures and the theories used.

    Warnings are added to the list as they are found, so that those are known that precede an error.
    """
    system, analysis = job.system, job.spec.analysis
    with phases("assemble"):
        for body in system.bodies:
            body.assemble()
        mass = system.total_mass
        system.stiffness_scale  # noqa: B018 (computed on first use, by all ranks at once)
    if whole is not None:
        warnings += [*job.spec.remarks, *remarks(whole.places)]
        warnings += odd_units(job.spec, whole.places, mass)
        warnings += odd_sections(job.spec.bodies, whole.places, job.spec.unit_system)
        warnings += odd_inertias(job.spec, whole.places)
        warnings += transfer_remarks(job.spec.connectors)
        bodies = whole.places.system.bodies
        warnings += beyond_tables(bodies, job.spec.speeds, job.spec.span)
        warnings += beyond_frequencies(bodies, vibrated_at(job.spec))
    if analysis.kind != "modes" and system.include.geometric is not False:
        warnings += unstiffened(system.bodies)
    theory: Theory | None = "own_state" if stiffened_bodies(system, job.loads) else None
    # Modes and speeds are prestressed when these are known, tied bodies at every time.
    if job.spec.is_sweep and analysis.kind != "modes":
        theory = theory_of(system.include, "modes")
    elif analysis.kind not in ("modes", "critical_speeds") and job.ties is None:
        with phases("prestress"):
            stressed = stress_of(job.spec, system, job.loads, state_at)
        warnings += [text for text in stressed.warnings if text not in warnings]
        system, theory = stressed.system, stressed.theory if stressed.acts else None
        job = replace(job, places=replace(job.places, system=system))
    figures: Figures = {
        "unknowns": int(system.ranks.total(system.unknowns)),
        "elements": system.elements,
        **({"mass": [mass, "kg"]} if mass else {}),  # statics at rest need no density
        **({"processes": system.ranks.count} if system.ranks.count > 1 else {}),
    }
    recorder.writer.summary({"figures": figures})
    deformation = Deformation(system)
    match analysis:
        case StaticAnalysis() if is_large(system):
            found, said = run_path(analysis, system, job.loads, recorder, deformation, phases)
            figures |= found
            warnings += said
        case StaticAnalysis():
            require_linear_keys(analysis)
            figures |= _static(analysis, job, recorder, deformation, phases, warnings)
        case ModesAnalysis():
            warnings += analysis.remarks
            if isinstance(job.ties, FoundLinks):
                assert job.places.mechanism is not None
                warnings += start_remarks(job.spec, job.places.mechanism)
                figures |= run_link_modes(
                    job.spec, system, job.loads, job.ties, recorder, deformation, phases
                )
            elif job.spec.cyclic is not None and analysis.speeds is not None:
                found, left_out, theory = run_cyclic_campbell(
                    job.spec,
                    job.places,
                    job.loads,
                    recorder,
                    phases,
                    Checkpoints(recorder.writer, job.spec.output.checkpoint),
                    job.resume,
                )
                figures |= found
                warnings += left_out
            elif job.spec.cyclic is not None:
                found, stressed = run_cyclic_modes(
                    job.spec, job.places, job.loads, recorder, phases
                )
                figures |= found
                theory = stressed.theory if stressed.acts else None
                warnings += stressed.warnings
                if job.spec.is_mistuned:
                    figures |= run_mistuned_modes(
                        analysis, job.spec, job.places, stressed.system, recorder, phases
                    )
            elif analysis.speeds is not None:
                found, left_out, theory = run_campbell(
                    analysis,
                    system,
                    job.loads,
                    recorder,
                    phases,
                    Checkpoints(recorder.writer, job.spec.output.checkpoint, system.ranks),
                    job.resume,
                )
                figures |= found
                warnings += left_out
            else:
                found, stressed = run_modes(analysis, system, job.loads, recorder, phases)
                figures |= found
                theory = stressed.theory if stressed.acts else None
                if job.spec.reduction is not None:
                    with phases("reduce"):
                        figures |= _reduced_modes(analysis, job, stressed, found)
                warnings += stressed.warnings
        case HarmonicAnalysis() if job.spec.is_mistuned:
            figures |= run_mistuned_response(
                analysis, job.spec, job.places, job.loads, recorder, phases
            )
        case HarmonicAnalysis():
            figures |= run_harmonic(
                analysis,
                job.spec,
                job.places,
                job.loads,
                recorder,
                phases,
                basis_of(job.spec, job.places),
                stressed.displacement if is_large(system) else None,
            )
        case PeriodicAnalysis():
            figures |= run_periodic(
                analysis,
                job.spec,
                system,
                job.loads,
                recorder,
                phases,
                basis_of(job.spec, job.places),
            )
        case SpectrumAnalysis():
            figures |= run_spectrum(
                analysis, job.spec, system, job.loads, recorder, phases, warnings
            )
        case RandomAnalysis():
            figures |= run_random(analysis, job.spec, system, job.loads, recorder, phases)
        case CriticalSpeedsAnalysis():
            found, left_out, theory = run_critical_speeds(
                analysis, system, job.loads, recorder, phases
            )
            figures |= found
            warnings += left_out
        case BucklingAnalysis():
            figures |= run_buckling(analysis, system, recorder, phases)
        case TransientAnalysis(method="modal"):
            figures |= run_modal(
                analysis,
                job.spec,
                system,
                job.loads,
                job.state,
                recorder,
                phases,
                warnings,
                basis_of(job.spec, job.places),
            )
        case TransientAnalysis():
            if job.places.mechanism is not None:
                warnings += start_remarks(job.spec, job.places.mechanism)
            basis = None
            if analysis.start == "equilibrium" and not isinstance(job.ties, FoundLinks):
                with phases("solve"):
                    begun = starting_state(analysis, system, job.loads, job.state, job.ties)
                job = replace(job, state=begun)
            if job.spec.reduction is not None:
                with phases("reduce"):
                    basis = job.reduced()
                warnings += lost_at_start(basis.shapes, system, job.state)
            figures |= run_transient(
                analysis,
                job.spec,
                job.system,
                job.loads,
                job.state,
                job.ties,
                basis,
                recorder,
                deformation,
                phases,
                warnings,
                job.resume,
            )
    if INSTEAD in (solver := str(figures.get("solver", ""))):
        warnings.append(f"analysis.solver: solved with {solver}")
    warnings += deformation.warnings()
    return figures, theories(system, theory)


def _reduced_modes(
    analysis: ModesAnalysis, job: _Job, stressed: StressState, full: Figures
) -> Figures:
    """Return the frequencies of the reduced model next to those of the full one."""
    known = [full[name][0] for i in range(analysis.count) if (name := f"mode {i + 1}") in full]
    return compare_frequencies(
        analysis, job.system, job.loads, job.reduced(), stressed, np.array(known)
    )


def _static(
    analysis: StaticAnalysis,
    job: _Job,
    recorder: Recorder,
    deformation: Deformation,
    phases: Phases,
    warnings: list[str],
) -> Figures:
    with phases("solve"):
        found = solve_static(job.system, job.loads, analysis.time, analysis.solver)
    warnings += found.remarks
    with phases("write"):
        recorder.record(analysis.time, AtRest(job.system, found.displacement, analysis.time))
        recorder.flush()
        recorder.agree()
        deformation.follow(analysis.time, found.displacement)
    system = job.system
    placed = np.unique(np.concatenate([body.placed for body in system.bodies]))
    placed = placed[system.map.own[placed]]
    # Moments, which act on rotations, are not forces.
    reactions = zip("xyz", system.ranks.total(found.reaction[placed].sum(axis=0)), strict=False)
    return {
        "largest displacement": [largest_displacement(job.system, found.displacement), "m"],
        "residual": found.residual,
        "solver": found.solver,
        **{f"reaction {axis}": [float(total), "N"] for axis, total in reactions},
        **deformation.figures(),
        **recorder.figures(),
    }


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in seconds.items()}
