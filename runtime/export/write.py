# SPDX-License-Identifier: BSD-3-Clause
"""Export: a model as files for other people's programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.files.folder import write_folder
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.platforms import find_platform, here
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_of
from flexforge.runtime.model.schema import ModelSpec

KINDS = ("c-library", "fmu2", "fmu3")


def export(
    model: ModelSpec | Path | str,
    folder: Path | str,
    *,
    kind: str = "c-library",
    name: str | None = None,
    platforms: Sequence[str] = (),
    overwrite: bool = False,
) -> tuple[Solver, list[Path]]:
    """Write a model as a solver that needs no Python.

    Parameters
    ----------
    model : ModelSpec, Path or str
        A model, or its file.
    folder : Path or str
        Where to; it appears complete or not at all. An FMU lies in it as ``NAME.fmu``.
    kind : str
        ``c-library``, ``fmu2`` or ``fmu3``.
    name : str, optional
        What its names begin with; by default the name of the model.
    platforms : sequence of str
        Machines that an FMU has binaries for, by default the one at hand; see
        :mod:`flexforge.runtime.export.platforms`.
    overwrite : bool
        Write also into a folder that holds files of others; those of the same names are replaced.

    Returns
    -------
    solver : Solver
        What was exported.
    files : list of Path
        The files.

    Raises
    ------
    InputError
        Saying what stands in the way of exporting the model.
    AnalysisError
        When the model cannot be reduced, or stressed.
    """
    if kind not in KINDS:
        raise InputError(
            f"--as: found '{kind}'; expected one of {', '.join(KINDS)}{nearest(kind, KINDS)}"
        )
    if platforms and kind == "c-library":
        raise InputError(
            "--platforms: found with c-library, which holds sources only; expected an FMU"
        )
    targets = [find_platform(one) for one in platforms]
    spec = model_of(model)
    solver = build_solver(spec, name)
    files: dict[str, str] | dict[str, bytes] = (
        library_files(solver)
        if kind == "c-library"
        else {f"{solver.name}.fmu": fmu(solver, int(kind[-1]), targets or [here()])}
    )
    return solver, write_folder(Path(folder), files, overwrite=overwrite)
