# SPDX-License-Identifier: BSD-3-Clause
"""Entries: what kernels of the problems cost, in the form of ``entry.schema.json``."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flexforge.codegen.errors import InputError

from support.elasticity import ours, peers, statement
from support.elasticity.contestant import Contestant, TimedCall, judged
from support.harness import in_turns
from support.machine import processor
from support.report import table

VERSION = 1
PUBLISHED = statement.FOLDER / "entries.json"
#: A C function of more text than this is not compiled for its time: gcc takes minutes for it.
LONGEST_TEXT = 1_500_000


def machine() -> dict[str, Any]:
    """Return on what times are measured, with the load average of this moment."""
    version = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True)
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "compiler": version.stdout.splitlines()[0],
        "load": round(os.getloadavg()[0], 2),
    }


def measured(contestants: Sequence[Contestant], timed: bool) -> list[dict[str, Any]]:
    """Return the entries of contestants of one problem; for their times they take turns."""
    where = machine() if timed else None
    # First: what is wrong fails in a process of its own, and says why.
    found = [judged(one) for one in contestants]
    calls = {
        str(k): TimedCall(one)
        for k, one in enumerate(contestants)
        if timed and len(one.source) <= LONGEST_TEXT
    }
    times = in_turns(calls, min)
    return [
        {
            "problem": one.problem,
            "contestant": {
                "name": one.name,
                "version": one.version,
                "flags": list(one.flags),
                "sha256": hashlib.sha256(one.source.encode()).hexdigest(),
            },
            "lanes": one.lanes,
            **result,
            "ns": times.get(str(k)),
            "machine": where if str(k) in times else None,
        }
        for k, (one, result) in enumerate(zip(contestants, found, strict=True))
    ]


def chosen(names: str) -> list[str]:
    """Return the problems that a list of cells and problems means; ``all`` are all.

    Raises
    ------
    InputError
        For an unknown cell or problem.
    """
    found = []
    for name in filter(None, names.split(",")):
        if name == "all" or "/" not in name:
            cells = statement.CELLS if name == "all" else (name,)
            found += [f"{cell}/{asked}" for cell in cells for asked in statement.problems()]
        else:
            found.append(name)
    for problem in found:
        statement.split(problem)
    return list(dict.fromkeys(found))


def compete(problem: str, timed: bool) -> list[dict[str, Any]]:
    """Return the entries of all known kernels of a problem: ours, the textbook's and FFCx's."""
    made = ours.kernels(problem)
    known = [*ours.contestants(problem, made), *ours.textbook(problem), *peers.ffcx(problem)]
    return measured(known, timed)


def merged(old: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return entries in the order of the problems, new ones in place of old ones of one name."""

    def key(entry: dict[str, Any]) -> tuple[str, str]:
        return entry["problem"], entry["contestant"]["name"]

    order = {problem: k for k, problem in enumerate(chosen("all"))}
    found = {key(entry): entry for entry in (*old, *new)}
    return sorted(found.values(), key=lambda entry: order[entry["problem"]])


def read(path: Path) -> list[dict[str, Any]]:
    """Return the entries of a file, none if there is no file."""
    if not path.exists():
        return []
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text())["entries"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{path}: found no entries; expected JSON with the key 'entries'"
        ) from error
    return found


def write(path: Path, entries: Sequence[dict[str, Any]]) -> None:
    """Write entries, one per line."""
    lines = ",\n".join(f"  {json.dumps(entry)}" for entry in entries)
    path.write_text(f'{{\n "version": {VERSION},\n "entries": [\n{lines}\n ]\n}}\n')


def publish(problems: Sequence[str], timed: bool, path: Path | None) -> list[dict[str, Any]]:
    """Let all known kernels compete, problem by problem, and keep what is measured in a file."""
    found: list[dict[str, Any]] = []
    for number, problem in enumerate(problems):
        print(f"  {number + 1} of {len(problems)}: {problem}", file=sys.stderr, flush=True)
        new = compete(problem, timed)
        found += new
        if path is not None:
            write(path, merged(read(path), new))
    return found


def lines(entries: Sequence[dict[str, Any]]) -> str:
    """Return the table of entries, with the operations and times of FFCx over each."""
    rows: list[tuple[Any, ...]] = []
    best = {e["problem"]: e for e in entries if e["contestant"]["name"] == "FFCx"}
    for entry in entries:
        operations, moved = entry["operations"], entry["bytes"]
        peer = best.get(entry["problem"])
        fewer = peer["operations"]["all"] / operations["all"] if peer else None
        faster = peer["ns"] / entry["ns"] if peer and peer["ns"] and entry["ns"] else None
        rows.append((
            entry["problem"], entry["contestant"]["name"], *operations.values(), fewer,
            moved["read"], moved["written"], moved["tables"], entry["ns"], faster,
        ))  # fmt: skip
    heads = ("problem", "by", "additions", "products", "quotients", "roots", "all", "FFCx / this",
             "bytes read", "written", "tables", "ns", "FFCx / this")  # fmt: skip
    return table(heads, rows)
