# SPDX-License-Identifier: BSD-3-Clause
"""Output of commands: text or JSON, tables; and checks of output paths."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import is_generated, refuse_foreign

#: Characters of a message; its fault is at the beginning, the expected value at the end.
LONGEST_LINE = 1500


def show(arguments: argparse.Namespace, data: object, lines: Iterable[str]) -> None:
    """Print the lines, or the data as JSON if ``--json`` was given."""
    if arguments.json:
        unicode = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
        print(json.dumps(plain(data), indent=2, ensure_ascii=not unicode))
    else:
        for line in lines:
            print(line.rstrip())


def plain(value: Any) -> Any:
    """Return data of Python, NumPy and paths in JSON types; non-finite numbers become null.

    A fraction becomes a text such as "48/13".
    """
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Path | Fraction):
        return str(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Return rows in aligned columns below a line of headings."""
    texts = [list(head), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[j]) for row in texts) for j in range(len(head))]
    return ["  ".join(t.ljust(w) for t, w in zip(row, widths, strict=True)) for row in texts]


def one_line(message: str) -> str:
    """Return a message as one line that any terminal can show.

    Messages quote files from other sources. Invisible characters and terminal control characters in
    them are escaped, and overlong texts are cut.
    """
    joined = " | ".join(part for part in (line.strip() for line in message.splitlines()) if part)
    if len(joined) > LONGEST_LINE:
        joined = f"{joined[: LONGEST_LINE - 300]} ... {joined[-290:]}"
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in joined)


def check_writable(
    path: Path, *, overwrite: bool = False, ours: Callable[[Path], bool] = is_generated
) -> None:
    """Check, before a computation, that its result can be written to a file.

    Parameters
    ----------
    path : Path
        The file.
    overwrite : bool
        Whether another program's file may be replaced.
    ours : callable
        Whether flexforge wrote the existing file.

    Raises
    ------
    InputError
        When the parent folder does not exist, the path is a folder or is not writable, or the
        file was not written by flexforge.
    """
    folder = path.absolute().parent
    if not folder.is_dir():
        raise InputError(f"{path}: the parent folder does not exist")
    if path.is_dir():
        raise InputError(f"{path}: is a folder; expected a file")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise InputError(f"{path}: is not writable")
    if not overwrite:
        refuse_foreign(path, ours)
