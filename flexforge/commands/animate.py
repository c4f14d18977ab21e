# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge animate``: the motion or a mode of a folder of results as a GIF or MP4."""

from __future__ import annotations

import argparse
from pathlib import Path

from flexforge.commands.command import Command, add_overwrite
from flexforge.console import show
from flexforge.progress import ProgressLine


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a folder of results")
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help=".gif or .mp4 file to write (default: FOLDER/motion.gif)",
    )
    parser.add_argument(
        "--scale",
        type=_positive,
        metavar="S",
        help="scale factor of elastic displacements (default: chosen to be visible)",
    )
    parser.add_argument(
        "--show",
        choices=("displacement", "von_mises"),
        default="displacement",
        help="quantity shown in colour (default: displacement)",
    )
    parser.add_argument(
        "--mode",
        type=int,
        metavar="N",
        help="natural mode to show, from 1 (default: the motion; the first mode if there is none)",
    )
    parser.add_argument(
        "--frames",
        type=_count,
        default=60,
        metavar="N",
        help="maximum number of frames (default: 60)",
    )
    parser.add_argument(
        "--seconds", type=_positive, default=4.0, metavar="T", help="duration in s (default: 4)"
    )
    parser.add_argument(
        "--width",
        type=_count,
        default=480,
        metavar="W",
        help="width in pixels, without the colour bar (default: 480)",
    )
    add_overwrite(parser, "also replace a file that flexforge did not write")


def _positive(text: str) -> float:
    value = float(text)
    if not 0.0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"found {text}; expected a number above 0")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 2:
        raise argparse.ArgumentTypeError(f"found {text}; expected a whole number >= 2")
    return value


def _execute(arguments: argparse.Namespace) -> int:
    from flexforge.runtime.results.read import Results

    progress = ProgressLine()
    try:
        path = Results(arguments.folder).animate(
            arguments.output,
            scale=arguments.scale,
            quantity=arguments.show,
            mode=arguments.mode,
            frames=arguments.frames,
            seconds=arguments.seconds,
            width=arguments.width,
            overwrite=arguments.overwrite,
            progress=progress,
        )
    finally:
        progress.clear()
    show(arguments, {"animation": path}, [str(path)])
    return 0


COMMAND = Command(
    "animate",
    "write the motion or a mode of results as an animated GIF or MP4, with bodies placed in space",
    "flexforge animate crank.results --scale 5",
    _configure,
    _execute,
)
