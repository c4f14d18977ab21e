# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge completion``: a script with which a shell completes commands, options and names."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from flexforge.commands.command import Command
from flexforge.console import show

SHELLS = ("bash", "zsh")
_ELEMENTS = "_flexforge_elements"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that the script is for")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Return the completion script of a parser.

    Parameters
    ----------
    parser : argparse.ArgumentParser
        Of all commands; its actions are marked with what completes them.
    shell : str
        ``bash`` or ``zsh``.
    """
    import shtab
    from flexforge.codegen.elements.catalogue import names

    known = " ".join(names())
    # shtab reads an attribute that argparse does not declare.
    for action in _actions(parser):
        if action.dest == "element":
            action.complete = {"bash": _ELEMENTS, "zsh": f"({known})"}  # type: ignore[attr-defined]
        elif action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    listed = f'{_ELEMENTS}() {{ compgen -W "{known}" -- "$1"; compgen -f -- "$1"; }}'
    preamble: Any = {"bash": listed}  # by shell, though it is annotated as a text
    text: str = shtab.complete(parser, shell, preamble=preamble)
    return text


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Yield the arguments of a parser and of its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)


def _execute(arguments: argparse.Namespace) -> int:
    text = script(arguments.parser, arguments.shell)
    show(arguments, {"shell": arguments.shell, "script": text}, [text])
    return 0


COMMAND = Command(
    "completion",
    "print a script that completes commands, options and element names in a shell",
    "flexforge completion bash",
    _configure,
    _execute,
)
