# SPDX-License-Identifier: BSD-3-Clause
"""Compare two recordings item by item: bit for bit, or to a share of the largest value."""

from __future__ import annotations

import difflib
import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_LINES = 6  # of a difference of texts that are shown


def compare(old: Path, new: Path, relative: float = 0.0) -> int:
    """Print what differs between two recordings, and a table; return 1 if anything does."""
    items = sorted({p.relative_to(f) for f in (old, new) for p in f.glob("*/*") if p.is_dir()})
    counts: dict[str, Counter[str]] = {}
    for item in items:
        found = list(differences(old / item, new / item, relative))
        equal = "equal" if not list(differences(old / item, new / item, 0.0)) else "close"
        counts.setdefault(item.parts[0], Counter())["different" if found else equal] += 1
        for line in found:
            print(f"{item}: {line}")
    print(f"{'part':12}{'equal':>8}{'close':>8}{'different':>11}")
    for part, count in counts.items():
        print(f"{part:12}{count['equal']:8}{count['close']:8}{count['different']:11}")
    return int(not items or any(count["different"] for count in counts.values()))


def differences(old: Path, new: Path, relative: float) -> Iterator[str]:
    """Yield the differences of two items, a line or a few each."""
    unfinished = [name for name, f in (("old", old), ("new", new)) if not _finished(f)]
    if unfinished:  # also in both: what could not be recorded is not known to be equal
        absent = "missing" if old.exists() else "added"
        both = old.exists() and new.exists()
        yield f"not finished in {' and '.join(unfinished)}" if both else absent
        return
    yield from _of_values(
        json.loads((old / "data.json").read_text()),
        json.loads((new / "data.json").read_text()),
        relative,
        "data",
    )
    yield from _of_texts(old / "text", new / "text")
    with np.load(old / "arrays.npz") as a, np.load(new / "arrays.npz") as b:
        for name in sorted({*a.files, *b.files}):
            if name not in a.files or name not in b.files:
                yield f"array {name}: {'added' if name in b.files else 'missing'}"
            else:
                yield from _of_arrays(a[name], b[name], relative, f"array {name}")


def _finished(item: Path) -> bool:
    return (item / "finished").exists()


def _of_values(
    old: Any, new: Any, relative: float, where: str, largest: float = 0.0
) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted({*old, *new}):
            if key not in old or key not in new:
                yield f"{where}.{key}: {'added' if key in new else 'missing'}"
            else:
                yield from _of_values(old[key], new[key], relative, f"{where}.{key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        sizes = [abs(a) for a in old if isinstance(a, float) and math.isfinite(a)]
        for i, (a, b) in enumerate(zip(old, new, strict=True)):
            yield from _of_values(a, b, relative, f"{where}[{i}]", max(sizes, default=0.0))
    elif isinstance(old, float) and isinstance(new, float):
        allowed = relative * max(abs(old), largest)
        near = math.isfinite(old) and abs(new - old) <= allowed and relative > 0.0
        if repr(old) != repr(new) and not near:
            yield f"{where}: {old!r}, now {new!r}"
    elif old != new or type(old) is not type(new):
        yield f"{where}: {old!r}, now {new!r}"


def _of_texts(old: Path, new: Path) -> Iterator[str]:
    names = {p.relative_to(f) for f in (old, new) for p in f.rglob("*") if p.is_file()}
    for name in sorted(names):
        if not (old / name).exists() or not (new / name).exists():
            yield f"{name}: {'added' if (new / name).exists() else 'missing'}"
            continue
        a, b = (old / name).read_text().splitlines(), (new / name).read_text().splitlines()
        if a != b:
            lines = [*difflib.unified_diff(a, b, lineterm="", n=0)][2:]
            yield "\n    ".join([f"{name}: {len(lines)} lines", *lines[:_LINES]])


def _of_arrays(old: np.ndarray, new: np.ndarray, relative: float, where: str) -> Iterator[str]:
    if old.shape != new.shape or old.dtype != new.dtype:
        yield f"{where}: {old.dtype}{old.shape}, now {new.dtype}{new.shape}"
    elif old.dtype.kind not in "fc":
        if not np.array_equal(old, new):
            yield f"{where}: differs"
    elif not _same(old, new):
        finite = np.isfinite(old) & np.isfinite(new)
        largest = float(np.abs(old[finite]).max(initial=0.0))
        error = float(np.abs(new[finite] - old[finite]).max(initial=0.0))
        if not np.array_equal(old[~finite], new[~finite], equal_nan=True):
            yield f"{where}: infinite or not a number elsewhere"
        elif relative == 0.0 or error > relative * largest:
            share = error / largest if largest else np.inf if error else 0.0
            yield f"{where}: {error:.2e}, {share:.1e} of the largest"


def _same(old: np.ndarray, new: np.ndarray) -> bool:
    """Return whether floats are the same bit for bit, the sign of zero too, but for that of NaN."""
    parts = (old.real, new.real), (old.imag, new.imag)
    return all(
        np.array_equal(a, b, equal_nan=True)
        and np.array_equal(np.signbit(a) & ~np.isnan(a), np.signbit(b) & ~np.isnan(b))
        for a, b in parts
    )
