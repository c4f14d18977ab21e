# SPDX-License-Identifier: BSD-3-Clause
"""summary.json: figures, settings, versions and timings of a run, there from its first moment."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from flexforge.codegen.errors import InputError
from flexforge.codegen.files.atomic import replacing
from flexforge.runtime.results.formats import RESULTS
from flexforge.runtime.results.stored import reading
from flexforge.runtime.results.summary_schema import fault_of
from pydantic_core import to_json

NAME = "summary.json"
LARGEST = 1 << 28  # bytes
_LIBRARIES = ("flexforge", "numpy", "scipy", "h5py", "meshio", "pypardiso", "scikit-sparse")


def versions() -> dict[str, str]:
    """Return the versions of what took part, without importing it.

    Returns
    -------
    dict of str to str
    """
    return {"python": platform.python_version(), "system": platform.platform(), **_installed()}


@cache
def _installed() -> dict[str, str]:
    """Return the versions of the libraries, which are searched for in all installed packages."""
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def merge(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return a summary with another laid over it; tables within are merged, all else replaced.

    Parameters
    ----------
    old, new : mapping
        Summaries.

    Returns
    -------
    dict
    """
    joined = dict(old)
    for key, value in new.items():
        both = isinstance(value, Mapping) and isinstance(joined.get(key), Mapping)
        joined[key] = {**joined[key], **value} if both else value
    return joined


def write_summary(folder: Path, summary: Mapping[str, Any]) -> None:
    """Write the summary, whole or not at all.

    Parameters
    ----------
    folder : Path
        Folder of the results.
    summary : mapping
        Plain values, NumPy ones, paths; what is not finite becomes null.
    """
    text = to_json(dict(summary), indent=2, inf_nan_mode="null", fallback=_plain)
    with replacing(folder / NAME) as file:
        file.write(text + b"\n")


def read_summary(folder: Path) -> dict[str, Any]:
    """Read the summary of a folder of results.

    Parameters
    ----------
    folder : Path
        Folder of results.

    Raises
    ------
    InputError
        If there is none, it is not what a run writes, or of an unknown version of its format.
    """
    path = folder / NAME
    if not path.is_file():
        steps = sorted(one.parent.name for one in folder.glob(f"*/{NAME}"))
        of = f" of a step, such as {folder / steps[0]}" if steps else ""
        raise InputError(f"{folder}: has no {NAME}; expected a folder of results{of}")
    with reading(path):
        if path.stat().st_size > LARGEST:
            raise InputError(f"{path}: is larger than {LARGEST >> 20} MiB; expected a summary")
        found = json.loads(path.read_text("utf-8"), parse_constant=_not_finite)
        fault = fault_of(found)
    if fault:
        raise InputError(f"{path}: is damaged ({fault}); expected the summary of a run")
    return RESULTS.current(path, found.get("format_version", 1), found)


def _not_finite(text: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON, and never written."""
    raise ValueError(f"found {text}")


def _plain(value: Any) -> Any:
    """Turn what JSON does not know into what it does: arrays and numbers of NumPy, or a text."""
    array = np.asarray(value)
    return str(value) if array.dtype.hasobject else array.tolist()
