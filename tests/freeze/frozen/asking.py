# SPDX-License-Identifier: BSD-3-Clause
"""Ask the command line of the checkout whose Python this is, and leave out what is of one run."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import flexforge
from flexforge.cli import main

ROOT = Path(__file__).parents[3]  # whose models are taken
CHECKOUT = Path(flexforge.__file__).parents[1]  # which is recorded

# Everything that is left out of recordings is named here: these keys, and what ``clean`` replaces.
#: Keys whose values differ between runs of one commit, or between commits that compute the same.
_OF_A_RUN = ("timings", "begun", "ended", "versions", "threads", "folder", "memory", "seconds")


#: Hashes of source and keys of caches. A number has no other letter than the ``e`` of its exponent
#: before its point, and what follows a point is never a hash: digits of constants are kept.
_HASH = re.compile(r"(?<![\w.])(?=[0-9a-f]*[a-df])[0-9a-f]{16,64}\b")


def ask(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Run ``flexforge`` with arguments in this process, which has loaded its libraries.

    Raises
    ------
    KeyboardInterrupt
        When a signal ends the command.
    """
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(arguments))
        except SystemExit as stop:  # of argparse
            code = int(stop.code or 0)
    if code > 128:  # a signal, which the command took: it ends the recording, not one item
        raise KeyboardInterrupt
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def told(*arguments: str) -> Any:
    """Return the JSON that a command prints."""
    done = ask(*arguments, "--json")
    if done.returncode:
        raise RuntimeError(done.stderr.strip())
    return lasting(json.loads(done.stdout))


def lasting(value: Any) -> Any:
    """Return data without what is of one run."""
    if isinstance(value, dict):
        return {key: lasting(item) for key, item in value.items() if key not in _OF_A_RUN}
    if isinstance(value, list):
        return [lasting(item) for item in value]
    return clean(value) if isinstance(value, str) else value


def clean(text: str) -> str:
    """Return text without paths of this machine and hashes of the compiler's own source."""
    for path, name in ((ROOT, "ROOT"), (CHECKOUT, "ROOT")):
        text = text.replace(str(path), name)
    return _HASH.sub("HASH", text)
