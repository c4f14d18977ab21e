# SPDX-License-Identifier: BSD-3-Clause
"""The model as data: every table of the model file with its keys, and messages with positions.

Reading order: ``base``, ``schema`` and the ``schema_*`` of its tables, ``annotations``, ``kinds``,
``messages``. Nothing is computed here: ``formula`` and ``motion`` turn the tables into functions,
``loading`` reads the file and checks conditions across tables.
"""

from __future__ import annotations

import warnings
from importlib import import_module


def __getattr__(name: str) -> object:
    """Return the one name that was documented here before it moved."""
    if name != "build_motion":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "flexforge.runtime.motion.build"
    warnings.warn(f"{__name__}.{name} is {home}.{name} now", DeprecationWarning, stacklevel=2)
    return getattr(import_module(home), name)
