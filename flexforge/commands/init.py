# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge init``: a commented model file to begin with, for a mesh."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.codegen.errors import InputError
from flexforge.commands.command import Command
from flexforge.console import check_writable, show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mesh", type=Path, metavar="MESH", help="a mesh file")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="the model file (default: MESH.toml)"
    )


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.codegen.files.atomic import write_file
    from flexforge.runtime.loading.starter import starter
    from flexforge.runtime.mesh.read import read_mesh

    target: Path = arguments.output or arguments.mesh.with_suffix(".toml")
    if target.suffix != ".toml":
        raise InputError(f"{target}: found the suffix '{target.suffix}'; expected .toml")
    if target.exists():  # it may hold the work of days, whoever began it
        raise InputError(f"{target}: exists; expected a new file (--output FILE)")
    check_writable(target)
    write_file(target, starter(read_mesh(arguments.mesh), arguments.mesh, target))
    show(
        arguments,
        {"file": target},
        [f"{target}: replace the values marked with <--, then: flexforge check {target}"],
    )
    return 0


COMMAND = Command(
    "init",
    "begin a commented model file for a mesh",
    "flexforge init examples/blade/blade.msh -o blade.toml",
    _configure,
    _execute,
)
