# SPDX-License-Identifier: BSD-3-Clause
"""What came of an input: accepted, refused in one line, or a finding with where it belongs."""

from __future__ import annotations

import re
import traceback
from dataclasses import dataclass
from pathlib import Path

from flexforge.codegen.errors import FlexforgeError
from flexforge.console import one_line

from fuzzing.target import ROOT, NonFinite, Target

LONGEST = 2000  # characters of a message

ACCEPTED, REFUSED = "accepted", "refused"


@dataclass(frozen=True)
class Finding:
    """Something that must not happen.

    Attributes
    ----------
    kind : str
        ``traceback``, ``memory``, ``hang``, ``crash``, ``non-finite``, ``message`` or ``noise``.
    key : str
        The same for findings that have one cause, as far as can be told.
    text : str
        What was seen.
    """

    kind: str
    key: str
    text: str


def attempt(target: Target, path: Path) -> str | Finding:
    """Let a target read a file."""
    try:
        target.attempt(path)
    except FlexforgeError as error:
        return _message(one_line(str(error)))
    except NonFinite as error:
        return Finding("non-finite", _plain(str(error)), str(error))
    except MemoryError as error:
        return Finding("memory", _place(error), traceback.format_exc())
    except BaseException as error:  # SystemExit too: some libraries end the process
        key = f"{type(error).__name__} {_place(error)}"
        return Finding("traceback", key, traceback.format_exc()[-6000:])
    return ACCEPTED


def _message(text: str) -> str | Finding:
    """Look at the line that a user would see."""
    if not text:
        return Finding("message", "empty", text)
    if len(text) > LONGEST:
        return Finding("message", "long", text)
    odd = next((c for c in text if not c.isprintable()), None)
    if odd is not None:
        return Finding("message", "unprintable", text)
    return REFUSED


def noise(text: str) -> Finding:
    """Return the finding that something was printed that is not ours."""
    lines = [line for line in text.splitlines() if line.strip()] or [""]
    return Finding("noise", _plain(lines[0].replace(str(ROOT), ""))[-160:], text[-2000:])


def _plain(text: str) -> str:
    """Return a text without what differs from input to input."""
    text = re.sub(r"'[^']*'", "'..'", text)
    return re.sub(r"[-+]?\d[\d.e+-]*|\binf\b|\bnan\b", "N", text)[:120]


def _place(error: BaseException) -> str:
    """Return where an error was raised: the last line of ours, and the function at the end."""
    frames = traceback.extract_tb(error.__traceback__)
    return place_of([(frame.filename, frame.name) for frame in frames])


def place_of(frames: list[tuple[str, str]]) -> str:
    """Return the last of (file, function), outermost first, that is ours, and the very last."""
    ours = [
        (Path(file).relative_to(ROOT), name)
        for file, name in frames
        if file.startswith(f"{ROOT}/") and "/.venv" not in file and "/tests/" not in file
    ]
    where = f"{ours[-1][0]}:{ours[-1][1]}" if ours else "?"
    return f"{where} > {frames[-1][1]}" if frames else where
