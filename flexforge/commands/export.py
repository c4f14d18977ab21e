# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge export``: a model as a native solver for other people's programs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model file (.toml)")
    parser.add_argument(
        "--as",
        dest="kind",
        default="c-library",
        metavar="KIND",
        help="c-library (the default), fmu2 or fmu3",
    )
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help="output folder (default: ./NAME-KIND)"
    )
    parser.add_argument(
        "--name", metavar="PREFIX", help="prefix of C names (default: the model's name)"
    )
    parser.add_argument(
        "--platforms",
        metavar="A,B",
        default="",
        help="platforms to build FMU binaries for (default: this one):  "
        "linux-x86_64, linux-aarch64, windows-x86_64, macos-x86_64, "
        "macos-aarch64",
    )
    add_overwrite(parser, "write into a folder that holds other files too", formerly="--force")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.export.write import export

    folder = arguments.output or Path(f"{arguments.model.stem}-{arguments.kind}")
    platforms = [one.strip() for one in arguments.platforms.split(",") if one.strip()]
    solver, written = export(
        arguments.model,
        folder,
        kind=arguments.kind,
        name=arguments.name,
        platforms=platforms,
        overwrite=arguments.overwrite,
    )
    for warning in solver.warnings:
        print(f"flexforge: warning: {warning}", file=sys.stderr)
    sizes = {str(path.relative_to(folder)): path.stat().st_size for path in written}
    outputs = [one.name for one in solver.outputs]
    data = {
        "folder": folder,
        "name": solver.name,
        "coordinates": solver.size,
        "inputs": [one.name for one in solver.inputs],
        "outputs": outputs,
        "fingerprint": solver.fingerprint,
        "files": sizes,
        "warnings": solver.warnings,
    }
    lines = [f"{folder / path}  {size} bytes" for path, size in sizes.items()]
    told = (solver.size, "coordinate"), (len(solver.inputs), "input"), (len(outputs), "output")
    lines.append(", ".join(f"{n} {name}" + "s" * (n != 1) for n, name in told))
    if arguments.kind == "c-library":
        lines.append(f"{folder / 'README.md'} says how to use it")
    show(arguments, data, lines)
    return 0


COMMAND = Command(
    "export",
    "write a model as a native solver that needs no Python",
    "flexforge export examples/blade/blade.toml --as c-library -o blade-c",
    _configure,
    _execute,
)
