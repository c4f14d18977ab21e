# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge mesh``: what a mesh file holds, before a model is written for it."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "mesh", type=Path, metavar="FILE", help="a mesh file: .msh .vtk .vtu .inp .e .exo .ex2"
    )


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.mesh.describe import describe
    from flexforge.runtime.mesh.read import read_mesh

    report = describe(read_mesh(arguments.mesh))
    show(arguments, report.as_dict(), report.lines())
    return 0


COMMAND = Command(
    "mesh",
    "show the size, the cells with their quality and the groups of a mesh file",
    "flexforge mesh examples/blade/blade.msh",
    _configure,
    _execute,
)
