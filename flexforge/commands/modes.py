# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge modes``: natural frequencies of a model, whatever analysis its file asks for."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from flexforge.codegen.errors import InputError
from flexforge.commands.command import Command
from flexforge.commands.run import add_model, add_resume, solve
from flexforge.model import load_model

T = TypeVar("T")


def _configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    add_resume(parser)
    parser.add_argument("--count", type=int, metavar="N", help="number of modes")
    parser.add_argument(
        "--time", type=float, metavar="T", help="time (s) at which the frame motion is evaluated"
    )
    parser.add_argument(
        "--speeds",
        type=_speeds,
        metavar="A:B:N",
        help="Campbell diagram: N speeds from A to B, or a list A,B,C, "
        "of the rotating frames (rad/s); a unit may follow: 0:6000:7rpm",
    )
    parser.add_argument(
        "--orders",
        type=_orders,
        metavar="A:B",
        help="orders of excitation whose crossings are looked for, from A to B, or a list A,B,C "
        "(default: those of the model, or 0,1,2)",
    )


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.run import run_model

    model = load_model(arguments.model)
    spec, folder = model.as_modes(
        arguments.count, arguments.time, arguments.speeds, arguments.orders
    )
    job = partial(run_model, spec, resume=arguments.resume)
    return solve(arguments, job, arguments.output or folder)


def _speeds(text: str) -> str:
    """Return an argument that stands for speeds, in units of time that the model knows."""
    from flexforge.runtime.model.ranges import speeds_of

    _argument(speeds_of, text)
    return text


def _orders(text: str) -> list[int]:
    """Return the orders that an argument stands for."""
    from flexforge.runtime.model.ranges import orders_of

    return _argument(orders_of, text)


def _argument(meaning: Callable[[str], T], text: str) -> T:
    try:
        return meaning(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


COMMAND = Command(
    "modes",
    "compute natural frequencies and modes of a model",
    "flexforge modes examples/blade/steady.toml --count 6 --speeds 0:600:7",
    _configure,
    _execute,
)
