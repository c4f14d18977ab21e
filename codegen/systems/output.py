# SPDX-License-Identifier: BSD-3-Clause
"""Generate: the kernels of a discrete system as a self-contained folder of C99."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from flexforge.codegen.driver import Kernel
from flexforge.codegen.files.folder import write_folder
from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.output.sources import header, kernel_sources
from flexforge.codegen.systems.derivation import SystemEquations
from flexforge.codegen.systems.lower import system_kernel, system_terms
from flexforge.codegen.version import VERSION
from flexforge.templates import render


def generate_system(
    equations: SystemEquations,
    folder: Path,
    *,
    terms: Sequence[str] | None = None,
    overwrite: bool = False,
) -> list[Path]:
    """Write C, a header, an example and a README for the kernels of a system.

    Parameters
    ----------
    equations : SystemEquations
        The derived equations.
    folder : Path
        Destination; it appears complete or not at all.
    terms : sequence of str, optional
        By default all.
    overwrite : bool
        Also write into a folder with other files.

    Raises
    ------
    InputError
        For an unknown term, or a folder that cannot be written or contains other files.
    """
    chosen = system_terms(equations) if terms is None else tuple(dict.fromkeys(terms))
    kernels = [system_kernel(equations, term) for term in chosen]
    prefix = equations.system.name
    table = f"{prefix}_kernels"
    sources = kernel_sources(kernels, table)
    files = {
        f"{table}.c": sources[f"{prefix}.c"],
        f"{prefix}_table.c": sources["kernel_table.c"],
        f"{table}.h": header(kernels, f"{table.upper()}_H", table),
        "flexforge.h": (INCLUDE / "flexforge.h").read_text(encoding="utf-8"),
        "README.md": _text("system/README.md.jinja", equations, kernels),
    }
    if "motion" in chosen:
        files["example.c"] = _text("system/example.c.jinja", equations, kernels)
    return write_folder(folder, files, overwrite=overwrite)


def _text(template: str, equations: SystemEquations, kernels: Sequence[Kernel]) -> str:
    system = equations.system
    state = [*map(str, equations.speeds), *map(str, system.inputs), "t"]
    coordinates = [str(q) for q in system.coordinates]
    start = [system.start.get(s, 0.0) for s in (*system.coordinates, *equations.speeds)]
    return render(
        template,
        system=system,
        formalism=equations.formalism,
        kernels=kernels,
        motion=next((k for k in kernels if k.term == "motion"), None),
        coordinates=coordinates,
        speeds=[str(z) for z in equations.speeds],
        inputs=[str(one) for one in system.inputs],
        state=state,
        filled=-(-len(state) // len(coordinates)) * len(coordinates),
        constants=[(str(s), repr(value)) for s, value in system.constants.items()],
        start=[repr(value) for value in start],
        points=["O", *system.points],
        duration=repr(system.course.duration),
        steps=system.course.steps,
        version=VERSION,
    )
