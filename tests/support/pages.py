# SPDX-License-Identifier: BSD-3-Clause
"""Pages of the documentation, followed as a reader would: files written, commands run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"
#: A fenced block: its language, an option (``file=NAME`` or ``exit=CODE``), and its text.
FENCE = re.compile(r"^```(\S+)(?: ((?:file|exit)=\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


class Failed(Exception):
    """A command of a page did not work."""


def follow(page: str, folder: Path, path: str) -> dict[str, str]:
    """Write the files of a page and run its commands, in the order of the page.

    Parameters
    ----------
    page : str
        Its text.
    folder : Path
        Where a reader would be.
    path : str
        Of folders where commands are found.

    Returns
    -------
    dict
        What every command printed, messages of errors too.
    """
    printed = {}
    for kind, option, text in FENCE.findall(page):
        if option.startswith("file="):
            (folder / option[5:]).write_text(text, encoding="utf-8")
        elif kind == "console":
            wanted = int(option[5:] or 0)
            for line in text.splitlines():
                assert line.startswith("$ "), f"no command: {line}"
                done = subprocess.run(
                    ["bash", "-c", line[2:]], cwd=folder, env=os.environ | {"PATH": path},
                    capture_output=True, text=True, check=False, timeout=300,
                )  # fmt: skip
                if done.returncode != wanted:
                    raise Failed(f"{line}\n{done.stdout}\n{done.stderr}")
                printed[line[2:]] = done.stdout + (done.stderr if wanted else "")
    return printed


def reader_path(folder: Path) -> str:
    """Return PATH with the flexforge and the Python of this environment first."""
    folder.mkdir()
    python = shlex.quote(sys.executable)
    for name, call in (("flexforge", f"{python} -P -m flexforge"), ("python3", python)):
        (folder / name).write_text(f'#!/bin/sh\nexec {call} "$@"\n', encoding="utf-8")
        (folder / name).chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
