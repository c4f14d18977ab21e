# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge modes``: natural frequencies of a model, whatever analysis its file asks for."""

from __future__ import annotations

import argparse

from flexforge.commands.command import Command
from flexforge.commands.run import add_model, solve
from flexforge.model import Model, load_model


def _configure(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
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
    model = load_model(arguments.model)
    spec, folder = model.as_modes(
        arguments.count, arguments.time, arguments.speeds, arguments.orders
    )
    return solve(arguments, Model(spec).run, arguments.output or folder)


def _speeds(text: str) -> list[float]:
    """Return the speeds, rad/s, that A:B:N or A,B,C stand for; a unit may follow."""
    from flexforge.runtime.model.angles import UNITS, VELOCITY

    units = UNITS[VELOCITY]
    unit = next((name for name in units if text.endswith(name)), "rad/s")
    numbers, factor = text.removesuffix(unit), units[unit]
    try:
        if ":" not in numbers:
            return [float(part) * factor for part in numbers.split(",")]
        first, last, count = numbers.split(":")
        number = int(count)
        if number < 1 or (number == 1 and float(first) != float(last)):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"found '{text}'; expected A:B:N with a whole number N, or A,B,C (rad/s), and one of "
            f"the units {', '.join(units)} or none"
        ) from None
    step = (float(last) - float(first)) / max(number - 1, 1)
    speeds = [float(first) + i * step for i in range(number - 1)] + [float(last)]
    return [speed * factor for speed in speeds]


def _orders(text: str) -> list[int]:
    """Return the orders that A:B or A,B,C stand for."""
    try:
        if ":" not in text:
            return [int(part) for part in text.split(",")]
        first, last = map(int, text.split(":"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"found '{text}'; expected A:B or A,B,C with whole numbers"
        ) from None
    return list(range(first, last + 1))


COMMAND = Command(
    "modes",
    "compute natural frequencies and modes of a model",
    "flexforge modes examples/blade/steady.toml --count 6 --speeds 0:600:7",
    _configure,
    _execute,
)
