# SPDX-License-Identifier: BSD-3-Clause
"""Which files declare systems: judged by their keys, without SymPy."""

from __future__ import annotations

import tomllib
from pathlib import Path

#: The key that neither an element nor a model has.
MARK = "coordinates"
#: What takes such files.
WHERE = "expected it in `flexforge derive`, `generate` or `run`, or in flexforge.load_system"


def is_system(path: Path | str) -> bool:
    """Whether a file declares a discrete system; False for one that cannot be read.

    Parameters
    ----------
    path : Path or str
        A name ending in ``.toml``, or the name of an element.
    """
    try:
        with Path(path).open("rb") as file:
            return MARK in tomllib.load(file)
    except (OSError, ValueError, RecursionError):
        return False  # whoever reads it says what is wrong
