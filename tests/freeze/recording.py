# SPDX-License-Identifier: BSD-3-Clause
"""Write the items of a recording, each once; what is there is not made again."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from parts import PARTS

#: An item: what JSON holds, text by file name, and arrays by name.
Item = tuple[Any, Mapping[str, str], Mapping[str, np.ndarray]]


def record(folder: Path, parts: list[str]) -> int:
    """Record parts into a folder; return 1 if an item could not be made."""
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
