# SPDX-License-Identifier: BSD-3-Clause
"""Export: a model as files for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flexforge.codegen.errors import InputError, nearest
from flexforge.codegen.files.folder import write_folder
from flexforge.runtime.export.fmu import fmu
from flexforge.runtime.export.library import library_files
from flexforge.runtime.export.platforms import find_platform, here
from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.checks_steps import require_one_analysis
from flexforge.runtime.loading.load import model_of
from flexforge.runtime.model.schema import ModelSpec
from flexforge.runtime.model.schema_frame import is_free

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
        Target folder; it appears complete or not at all. An FMU is written into it as ``NAME.fmu``.
    kind : str
        ``c-library``, ``fmu2`` or ``fmu3``.
    name : str, optional
        Prefix of its names; by default the name of the model.
    platforms : sequence of str
        Machines for which an FMU contains binaries, by default this machine; see
        :mod:`flexforge.runtime.export.platforms`.
    overwrite : bool
        Write also into a folder that contains other files; files with the same names are replaced.

    Returns
    -------
    solver : Solver
        The exported solver.
    files : list of Path
        The files.

    Raises
    ------
    InputError
        With the reason why the model cannot be exported.
    AnalysisError
        When the model cannot be reduced, or its prestress cannot be computed.
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
    require_one_analysis(spec, "export it")
    for index, body in enumerate(spec.bodies):
        if is_free(body.frame):
            raise InputError(
                f"bodies[{index}].frame: found a free frame; expected a prescribed one, or a link, "
                "to be exported"
            )
    solver = build_solver(spec, name)
    files: dict[str, str] | dict[str, bytes] = (
        library_files(solver)
        if kind == "c-library"
        else {f"{solver.name}.fmu": fmu(solver, int(kind[-1]), targets or [here()])}
    )
    return solver, write_folder(Path(folder), files, overwrite=overwrite)
