# SPDX-License-Identifier: BSD-3-Clause
"""A model in the public interface: loaded, checked, run."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flexforge.codegen.arguments import either, mapping, path, text, typed
from flexforge.codegen.errors import FlexforgeWarning, InputError
from flexforge.codegen.output.renamed import renamed
from flexforge.progress import shown

if TYPE_CHECKING:
    from flexforge.runtime.check import ModelReport
    from flexforge.runtime.machine.phases import Progress
    from flexforge.runtime.model.schema import ModelSpec
    from flexforge.runtime.outcome import Outcome
    from flexforge.runtime.results.view import View


@dataclass(frozen=True, slots=True)
class Model:
    """A validated model.

    Attributes
    ----------
    spec : ModelSpec
        Its tables, as described in ``docs/model.md``.

    Examples
    --------
    A cantilever under 100 N at its tip, with E I = 3.33e5 N m^2; the methods' examples use it.

    >>> import flexforge as ff
    >>> tables = {
    ...     "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
    ...                        "divisions": [8, 1]}},
    ...     "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    ...     "bodies": [{"name": "beam", "element": "quad8", "material": "steel",
    ...                 "thickness": 0.02}],
    ...     "supports": [{"group": "xmin"}],
    ...     "loads": [{"kind": "force", "group": "xmax", "total": [0, -100, 0]}],
    ...     "analysis": {"kind": "static"}, "output": {"formats": ["csv"]},
    ... }
    >>> model = ff.load_model(tables)
    >>> model.spec.materials["steel"].young
    200000000000.0
    """

    spec: ModelSpec

    def __repr__(self) -> str:
        bodies = ", ".join(f"{body.name} ({body.element})" for body in self.spec.bodies)
        return f"{self.spec.name}: {self.spec.analysis.kind} of {bodies or 'links and masses'}"

    @property
    def folder(self) -> Path:
        """Folder of the results unless another one is named.

        Examples
        --------
        >>> print(model.folder)
        model.results
        """
        return Path(self.spec.output.folder or f"{self.spec.name}.results")

    def check(self) -> ModelReport:
        """Read the mesh and check everything that can be checked without solving.

        Returns
        -------
        ModelReport
            Numbers of unknowns, bodies and their mass, kg, groups of the mesh, remarks.

        Raises
        ------
        InputError
            Naming the key, group, cell or node at fault.

        Examples
        --------
        >>> report = model.check()
        >>> report.unknowns, report.held, round(report.mass, 6)
        (80, 6, 15.6)
        """
        from flexforge.runtime.check import check_model

        return check_model(self.spec)

    def run(
        self,
        output: Path | str | None = None,
        progress: Progress | bool | None = None,
        *,
        overwrite: bool = False,
        resume: bool = False,
    ) -> Outcome:
        """Run the analysis of the model and write its results.

        Parameters
        ----------
        output : Path or str, optional
            Folder of the results, by default :attr:`folder`.
        progress : callable or bool, optional
            Called with a text, the number of completed steps and of all steps. By default a
            Jupyter notebook shows one line that is updated, and nothing is shown elsewhere;
            False shows nothing, True also a line on a terminal.
        overwrite : bool
            Replace files with names of results that no run of flexforge has listed.
        resume : bool
            Go on from the last checkpoint of a transient analysis or a Campbell diagram that was
            stopped, if there is one in the folder. Of a run that is finished, return what it found.

        Returns
        -------
        Outcome
            Folder, figures, timings, warnings; for a Campbell diagram also its table.

        Raises
        ------
        InputError
            When the model is invalid, or the folder contains such files.
        AnalysisError
            When the analysis fails; results computed before are kept.

        Warns
        -----
        FlexforgeWarning
            For each of ``warnings`` of the outcome, such as a modulus that looks like MPa.

        Examples
        --------
        By the theory of beams the tip moves by P L^3 / (3 E I) = 0.1 mm:

        >>> outcome = model.run()
        >>> value, unit = outcome.figures["largest displacement"]
        >>> print(f"{value:.4f} {unit}")
        0.0001 m
        """
        from flexforge.runtime.run import run_model

        folder = output or self.folder
        with shown(progress) as told:
            outcome = run_model(
                self.spec, output=folder, progress=told, overwrite=overwrite, resume=resume
            )
        return _with_warnings(outcome)

    def modes(
        self,
        count: int | None = None,
        time: float | None = None,
        speeds: Sequence[float | str] | str | None = None,
        orders: Sequence[int] | str | None = None,
        output: Path | str | None = None,
        progress: Progress | bool | None = None,
        *,
        overwrite: bool = False,
        resume: bool = False,
    ) -> Outcome:
        """Compute natural vibrations, whatever the analysis of the model.

        Parameters
        ----------
        count : int, optional
            Number of modes; by default that of the model, or 10.
        time : float, optional
            Time at which the motion of frames is evaluated, s; by default that of the model, or 0.
        speeds : sequence of float or str, or str, optional
            Ascending, rad/s or such as ``"3000 rpm"``, or all of them as in a model file,
            ``"0:9000:7rpm"``: a Campbell diagram. Every frame that
            rotates steadily takes each of these speeds in turn; ``campbell`` of the outcome
            contains the modes tracked over them.
        orders : sequence of int, or str, optional
            Orders of excitation whose crossings are looked for, also as ``"1:4"``; by default those
            of the model, or 0, 1 and 2.
        output, progress, overwrite, resume
            As in :meth:`run`. Results of another analysis remain: the default folder is then
            ``NAME.modes.results``.

        Raises
        ------
        InputError, AnalysisError
            As in :meth:`run`.

        Examples
        --------
        Euler and Bernoulli: 1.8751^2 / (2 pi) sqrt(E I / (rho A L^4)) = 81.8 Hz.

        >>> value, unit = model.modes(1).figures["mode 1"]
        >>> print(f"{value:.1f} {unit}")
        81.8 Hz
        """
        from flexforge.runtime.run import run_model

        spec, folder = self.as_modes(count, time, speeds, orders)
        with shown(progress) as told:
            outcome = run_model(
                spec, output=output or folder, progress=told, overwrite=overwrite, resume=resume
            )
        return _with_warnings(outcome)

    def view(self, height: int = 600) -> View:
        """Return the undeformed bodies, their supports and loads, where they are at time zero.

        Parameters
        ----------
        height : int
            Height in a notebook, pixels.

        Returns
        -------
        View
            Shown by a notebook; ``view.save("beam.html")`` writes a page.

        Raises
        ------
        InputError, AnalysisError
            When the mesh cannot be read, or the mechanism cannot be assembled.

        Examples
        --------
        >>> model.view()
        view of model; a notebook shows it
        """
        from flexforge.runtime.view import view_of_model

        return view_of_model(self.spec, height)

    @renamed(force="overwrite")
    def export(
        self,
        folder: Path | str,
        kind: str = "c-library",
        *,
        name: str | None = None,
        platforms: Sequence[str] = (),
        overwrite: bool = False,
    ) -> list[Path]:
        """Write the model as a native solver that needs no Python.

        Parameters
        ----------
        folder : Path or str
            Target folder; it appears complete or not at all.
        kind : str
            ``c-library``, ``fmu2`` or ``fmu3``.
        name : str, optional
            What its names begin with; by default the name of the model.
        platforms : sequence of str
            Machines that an FMU has binaries for, such as ``linux-x86_64``; by default this one.
        overwrite : bool
            Write also into a folder that holds files of others.

        Returns
        -------
        list of Path
            The files.

        Raises
        ------
        InputError
            Saying what stands in the way of exporting the model.
        AnalysisError
            When the model cannot be reduced, or stressed.

        Examples
        --------
        Motions in time are exported:

        >>> motion = {"kind": "transient", "duration": 0.01, "steps": 100}
        >>> files = ff.load_model(tables | {"analysis": motion}).export("beam", name="beam")
        >>> [path.name for path in files if path.parent.name in ("beam", "include", "example")]
        ['CMakeLists.txt', 'README.md', 'beam.pc.in', 'main.c', 'beam.h']
        """
        from flexforge.runtime.export.write import export

        return export(
            self.spec, folder, kind=kind, name=name, platforms=platforms, overwrite=overwrite
        )[1]

    def as_modes(
        self,
        count: int | None,
        time: float | None,
        speeds: Sequence[float | str] | str | None = None,
        orders: Sequence[int] | str | None = None,
    ) -> tuple[ModelSpec, Path]:
        """Return the tables with an analysis of modes, and the folder of its results.

        Parameters
        ----------
        count, time, speeds, orders
            As of :meth:`modes`.

        Returns
        -------
        spec : ModelSpec
            The tables.
        folder : Path
            Beside that of the model's own analysis.

        Raises
        ------
        InputError
            When the model has no modes, or is asked for what there are none of.

        Examples
        --------
        >>> spec, folder = model.as_modes(4, None)
        >>> spec.analysis.kind, spec.analysis.count, folder.name
        ('modes', 4, 'model.modes.results')
        """
        from flexforge.runtime.loading.checks_steps import require_one_analysis
        from flexforge.runtime.loading.load import require_consistent
        from flexforge.runtime.model.schema_analysis import ModesAnalysis
        from flexforge.runtime.model.units import context
        from pydantic import ValidationError

        require_one_analysis(self.spec, "compute its modes")
        given, folder = self.spec.analysis, self.folder
        if isinstance(given, ModesAnalysis):
            tables = given.model_dump(exclude_unset=True)
        else:
            tables = {"kind": "modes", "solver": given.solver, "threads": given.threads}
            folder = Path(f"{self.spec.name}.modes.results")
        chosen = {
            "count": count,
            "time": time,
            "speeds": speeds if speeds is None or isinstance(speeds, str) else tuple(speeds),
            "orders": orders if orders is None or isinstance(orders, str) else tuple(orders),
        }
        tables |= {key: value for key, value in chosen.items() if value is not None}
        try:
            analysis = ModesAnalysis.model_validate(tables, context=context(self.spec.unit_system))
        except ValidationError as error:
            first = error.errors()[0]
            key = ".".join(map(str, (*first["loc"], *first.get("ctx", {}).get("keys", ()))))
            if first["type"] == "flexforge":  # which says itself what was found
                raise InputError(f"{key}: {first['msg']}") from None
            raise InputError(f"{key}: found {first['input']}; {first['msg'].lower()}") from None
        changed = self.spec.model_copy(update={"analysis": analysis})
        require_consistent(changed)
        return changed, folder


_SOURCE = either(mapping, path)


def _model_or_source(value: object) -> str:
    """Rule of a model, or of what it is loaded from."""
    expected = "" if isinstance(value, Model) else _SOURCE(value)
    return expected and f"a model, {expected}"


@typed(source=_SOURCE, folder=path)
def load_model(
    source: Path | str | Mapping[str, Any],
    folder: Path | str = ".",
    *,
    ignore: Sequence[str] = (),
    expanded: bool = False,
    units: str | None = None,
) -> Model:
    """Load and validate a model.

    Parameters
    ----------
    source : Path, str or mapping
        A model file, the same structure as a dictionary, or a deck of CalculiX or Abaqus (.inp).
    folder : Path or str
        What paths in a dictionary are relative to.
    ignore : sequence of str
        Keywords of a deck whose cards are left out.
    expanded : bool
        Whether all shells and beams of a deck become solids, as CalculiX makes them; otherwise only
        those without an element of their own do.
    units : str, optional
        The units of a deck, such as "mm-t-s", which results then name; a deck says nothing of them.

    Returns
    -------
    Model
        Whose tables are consistent; the mesh is read by :meth:`Model.check` and by a run.

    Raises
    ------
    InputError
        One line: file and line, or key; what was found; what is expected.

    Examples
    --------
    >>> import flexforge as ff
    >>> tables = {
    ...     "mesh": {"points": {"tip": [0, 0, 0]}},
    ...     "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
    ...     "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    ... }
    >>> ff.load_model(tables).spec.analysis.steps
    10
    >>> try:
    ...     ff.load_model(tables | {"mases": []})
    ... except ff.InputError as error:
    ...     print(error)
    mases: unknown key; did you mean 'masses'?
    """
    from flexforge.runtime.loading.load import load_model_file, model_from_dict

    if isinstance(source, Mapping):
        return Model(model_from_dict(dict(source), folder))
    found = load_model_file(Path(source), ignore, expanded=expanded, units=units)
    return Model(found)


def _with_warnings(outcome: Outcome) -> Outcome:
    """Issue the warnings of an outcome as Python's, at the line that called for it."""
    for line in outcome.warnings:
        warnings.warn(line, FlexforgeWarning, stacklevel=3)
    return outcome


@typed(model=_model_or_source, folder=path, kind=text)
@renamed(force="overwrite")
def export(
    model: Model | Path | str | Mapping[str, Any],
    folder: Path | str,
    kind: str = "c-library",
    *,
    name: str | None = None,
    platforms: Sequence[str] = (),
    overwrite: bool = False,
) -> list[Path]:
    """Write a model as a native solver that needs no Python.

    Parameters
    ----------
    model : Model, Path, str or mapping
        A model, or what :func:`load_model` takes.
    folder, kind, name, platforms, overwrite
        As of :meth:`Model.export`.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError, AnalysisError
        As of :meth:`Model.export`.

    Examples
    --------
    >>> import flexforge as ff
    >>> files = ff.export({
    ...     "mesh": {"points": {"tip": [0, 0, 0]}},
    ...     "masses": [{"name": "ball", "group": "tip", "mass": 2.0}],
    ...     "analysis": {"kind": "transient", "duration": 1.0, "steps": 10},
    ... }, "ball", name="ball")
    >>> [path.name for path in files if path.parent.name == "include"]
    ['ball.h']
    """
    found = model if isinstance(model, Model) else load_model(model)
    return found.export(folder, kind, name=name, platforms=platforms, overwrite=overwrite)
