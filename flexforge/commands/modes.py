# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge modes``: natural frequencies of a model, whatever analysis its file asks for."""

from __future__ import annotations

import argparse

from flexforge.commands.command import Command
from flexforge.commands.run import add_model, solve
from flexforge.model import Model, load_model


def _configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--count", type=int, metavar="N", help="how many modes")
    parser.add_argument("--time", type=float, metavar="T",
                        help="time at which the frame's motion is taken, s")  # fmt: skip


def _execute(arguments: argparse.Namespace) -> int:
    model = load_model(arguments.model)
    spec, folder = model.as_modes(arguments.count, arguments.time)
    return solve(arguments, Model(spec).run, arguments.output or folder)


COMMAND = Command(
    "modes",
    "compute natural frequencies and modes of a model",
    "flexforge modes examples/blade/blade.toml --count 6",
    _configure,
    _execute,
)
