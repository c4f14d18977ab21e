# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge modes``: natural frequencies of a model, whatever analysis its file asks for."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.commands.command import Command
from flexforge.commands.run import add_model, solve


def _configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--count", type=int, metavar="N", help="how many modes")
    parser.add_argument("--time", type=float, metavar="T",
                        help="time at which the frame's motion is taken, s")  # fmt: skip


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.model import load_model_file
    from flexforge.runtime.model.schema_analysis import ModesAnalysis
    from pydantic import ValidationError

    spec = load_model_file(arguments.model)
    chosen = {k: v for k in ("count", "time") if (v := getattr(arguments, k)) is not None}
    folder = arguments.output or spec.output.folder or f"{spec.name}.results"
    if not isinstance(spec.analysis, ModesAnalysis):
        # The results of the analysis in the file stay where they are.
        folder = arguments.output or f"{spec.name}.modes.results"
        chosen |= {"solver": spec.analysis.solver, "threads": spec.analysis.threads}
        old: dict[str, object] = {"kind": "modes"}
    else:
        old = spec.analysis.model_dump()
    try:
        analysis = ModesAnalysis.model_validate(old | chosen)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        raise InputError(f"--{key}: found {first['input']}; {first['msg'].lower()}") from None
    return solve(arguments, spec.model_copy(update={"analysis": analysis}), Path(folder))


COMMAND = Command(
    "modes",
    "compute natural frequencies and modes of a model",
    "flexforge modes examples/blade/blade.toml --count 6",
    _configure,
    _execute,
)
