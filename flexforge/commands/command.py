# SPDX-License-Identifier: BSD-3-Clause
"""The interface of a command, and arguments shared by several commands."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flexforge.codegen.elements.field import AnyElement


@dataclass(frozen=True, slots=True)
class Command:
    """A command of the command line.

    Attributes
    ----------
    name, summary, example : str
        Texts of ``--help``.
    configure : callable
        Adds its arguments to a parser.
    execute : callable
        Runs it and returns the exit code.
    """

    name: str
    summary: str
    example: str
    configure: Callable[[argparse.ArgumentParser], None]
    execute: Callable[[argparse.Namespace], int]


def add_element(
    parser: argparse.ArgumentParser, *, optional: bool = False, systems: bool = False
) -> None:
    """Add the argument that names an element, or also the file of a discrete system."""
    further = "; or the file of a system of bodies" if systems else ""
    parser.add_argument(
        "element",
        metavar="ELEMENT",
        nargs="?" if optional else None,
        help="tet10, quad8, quad8_plane_strain, ..., or your own element's file (.toml)" + further,
    )


def add_overwrite(
    parser: argparse.ArgumentParser, help_text: str, *, formerly: str | None = None
) -> None:
    """Add the option of every command that writes: without it, other programs' files are safe.

    Its former name works for one version, with a warning.
    """
    parser.add_argument("--overwrite", action="store_true", help=help_text)
    if formerly is not None:
        parser.add_argument(
            formerly, dest="overwrite", action=_Formerly, nargs=0, help=argparse.SUPPRESS
        )


class _Formerly(argparse.Action):
    """A flag under its former name."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Set the value of the flag, and print its current name."""
        new = f"--{self.dest}"
        print(f"flexforge: warning: {option_string} is now called {new}", file=sys.stderr)
        setattr(namespace, self.dest, True)


def find_element(name: str) -> AnyElement:
    """Return a standard element by its name, or a user's from a file.

    Raises
    ------
    InputError
        For an unknown name, with the nearest known one, or an invalid file.
    """
    from flexforge.codegen.elements.catalogue import find

    return find(name)
