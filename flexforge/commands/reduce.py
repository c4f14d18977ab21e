# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge reduce``: the shapes of a reduced model, once and for all runs and exports."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import check_writable, show


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", type=Path, metavar="MODEL", help="a model file (.toml)")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="output file (.h5; default: reduction.basis of the model)",
    )
    add_overwrite(parser, "replace also a file that holds no shapes")


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.loading.load import load_model_file
    from flexforge.runtime.reduction.make import make_basis
    from flexforge.runtime.reduction.store import holds_shapes

    spec = load_model_file(arguments.model)
    path = arguments.output
    if path is None and spec.reduction is not None:
        path = spec.reduction.basis
    if path is not None:
        check_writable(path, overwrite=arguments.overwrite, ours=holds_shapes)
    made = make_basis(spec, path, overwrite=arguments.overwrite)
    data = {
        "file": made.path,
        "unknowns": made.unknowns,
        "coordinates": made.coordinates,
        "frequencies of the full model": made.full,
        "frequencies of the reduced model": made.reduced,
        "largest error of these frequencies": made.error,
    }
    lines = [f"{made.unknowns} unknowns, {made.coordinates} coordinates in {made.path}"]
    if made.tied:
        lines.append("vibrations with joints and drivers held where they are at t = 0:")
    lines += [
        spec.unit_system.message(f"mode {i}: {full:.6g} Hz, reduced {reduced:.6g} Hz")
        for i, (full, reduced) in enumerate(zip(made.full, made.reduced, strict=True), start=1)
    ]
    lines.append(f"largest error of these frequencies: {made.error:.1e}")
    show(arguments, data, lines)
    return 0


COMMAND = Command(
    "reduce",
    "compute the mode shapes of a reduced model, for later runs and exports",
    "flexforge reduce model.toml -o model.basis.h5",
    _configure,
    _execute,
)
