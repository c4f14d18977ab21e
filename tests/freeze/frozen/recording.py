# SPDX-License-Identifier: BSD-3-Clause
"""Write the items of a recording, each once; what is there is not made again."""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from frozen.asking import CHECKOUT, ROOT
from frozen.parts import PARTS

#: An item: what JSON holds, text by file name, and arrays by name.
Item = tuple[Any, Mapping[str, str], Mapping[str, np.ndarray]]


_SOURCES = (".py", ".pyx", ".pxd", ".h", ".jinja", ".so", ".toml", ".msh", ".csv")
#: Folders that are made, or hold nothing that a recording asks.
_NO_SOURCE = re.compile(r"build|dist|docs|benchmarks|__pycache__|.*\.(?:results|egg-info)")


def record(folder: Path, parts: list[str]) -> int:
    """Record parts into a folder; return 1 if an item could not be made."""
    refused = _of_another(folder, state(CHECKOUT, ROOT))
    if refused:
        print(refused)
        return 1
    failed = 0
    for part in parts:
        for name, make in PARTS[part]():
            begin = time.monotonic()
            done = _record(folder / part / name, make)
            failed += not done
            print(
                f"{time.monotonic() - begin:7.1f} s  {part}/{name}{'' if done else ' FAILED'}",
                flush=True,
            )
    return int(failed > 0)


def state(*checkouts: Path) -> str:
    """Return a hash of what decides a recording: sources, built modules, models, this script."""
    found = hashlib.sha256()
    for checkout in dict.fromkeys(checkouts):
        for folder, names, files in os.walk(checkout):
            names[:] = sorted(n for n in names if n[0] != "." and not _NO_SOURCE.fullmatch(n))
            for name in sorted(files):
                if name.endswith(_SOURCES):
                    path = Path(folder, name)
                    found.update(f"{path.relative_to(checkout)}\0".encode())
                    found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()


def _of_another(folder: Path, now: str) -> str:
    """Return why a recording cannot go on in a folder, or nothing; say there whose it is."""
    mark = folder / "state"
    if mark.exists() and mark.read_text() != now:
        return f"{folder}: found a recording of another state of the files; expected a new folder"
    if not mark.exists() and folder.exists() and any(folder.iterdir()):
        return f"{folder}: found a folder that is no recording; expected a new one"
    folder.mkdir(parents=True, exist_ok=True)
    mark.write_text(now)
    return ""


def _record(place: Path, make: Callable[[], Item]) -> bool:
    finished = place / "finished"
    if finished.exists():
        return True
    place.mkdir(parents=True, exist_ok=True)
    try:
        data, texts, arrays = make()
    except Exception as error:  # of one item; the others are recorded, and the exit code says it
        print(f"{place}: {type(error).__name__}: {error}")
        return False
    (place / "data.json").write_text(json.dumps(data, indent=1, sort_keys=True))
    for name, text in texts.items():
        file = place / "text" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    np.savez_compressed(place / "arrays.npz", **{n: np.asarray(a) for n, a in arrays.items()})
    finished.touch()
    return True
