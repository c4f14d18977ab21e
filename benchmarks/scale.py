# SPDX-License-Identifier: BSD-3-Clause
"""Statics of a cube and steps of a beam over their size: multigrid, factors, peers, two processes.

Every job is a process of its own, and jobs take turns. "all" is the time of the process from the
start of Python: mesh, matrices, set-up and solution, without results. Residuals are 1e-12 for
flexforge, and 1e-8 for the peers, which solve the same matrix in one thread: pyamg as it comes, and
GAMG of PETSc with the options of DOLFINx' demo of elasticity. Jobs that would need more memory than
there is, or minutes of factors, are left out and said.

"one thread" and "two processes" have one thread each: what two processes gain. "matrix free" never
assembles its finest level, also in two processes and in steps. "explicit" are steps of the cube by
central differences with lumped masses, in one thread. "steps" are the first fifty of the spin-up of
``flexforge bench transient``, a beam of hex8 with about as many unknowns as the cube; "a step" is
their mean after the first.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from support.machine import limits
from support.report import leave, table
from support.scale_jobs import MEMORY, run
from support.slopes import curves, draw, exponent

JOBS = (
    "multigrid", "one thread", "two processes", "matrix free", "matrix free, two processes",
    "factors", "pyamg", "GAMG", "steps", "steps, matrix free", "steps, factors", "explicit",
)  # fmt: skip
_FIGURES = ("mesh", "divide", "assemble", "set up", "solve", "a step", "all", "GB", "iterations")
_FILLED = 0.8  # of the free memory


def measure(
    sizes: list[int], cell: str, threads: int, rounds: int, jobs: list[str]
) -> list[dict[str, Any]]:
    """Return what every job gave, size by size, the jobs in turns."""
    found = []
    for size in sizes:
        for number in range(rounds):
            for name in jobs:
                result = _left_out(name, size) or _done(name, size, cell, threads)
                found.append({"job": name, "size": size, "round": number, **result})
                said = result.get("left out") or f"{result['all']:.1f} s"
                text = f"{name}, {size}^3 {cell}, round {number + 1}: {said}"
                print(text, file=sys.stderr, flush=True)
    return found


def _left_out(name: str, size: int) -> dict[str, Any] | None:
    """Return why a job does not fit here, if it does not."""
    from flexforge.runtime.machine.memory import available_memory

    free, unknowns = available_memory(), 3 * size * (size + 1) ** 2
    needed = MEMORY.get(name, 0) * unknowns
    if free is None or needed <= _FILLED * free:
        return None
    return {"unknowns": unknowns, "left out": f"about {needed / 1e9:.0f} GB of {free / 1e9:.0f}"}


def _done(name: str, size: int, cell: str, threads: int) -> dict[str, Any]:
    """Do a job in a process of its own, or in two."""
    command = [sys.executable, __file__, "--job", name, "--cells", cell, "--sizes", str(size)]
    if name == "one thread" or name.endswith("two processes"):
        threads = 1
    if name.endswith("two processes"):
        from flexforge.runtime.machine.launcher import mpirun

        command = [*mpirun(2), *command]
    command += ["--threads", str(threads)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
    if done.returncode:
        said = done.stderr.strip().splitlines() or [f"ended with {done.returncode}"]
        return {"unknowns": 0, "left out": said[-1]}
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def medians(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row per size and job: medians of the rounds; without jobs that were left out."""
    rows = []
    for size, name in dict.fromkeys((one["size"], one["job"]) for one in found):
        mine = [one for one in found if (one["size"], one["job"]) == (size, name)]
        if "left out" in mine[0]:
            continue
        row = {"job": name, "unknowns": mine[0]["unknowns"]}
        for key in _FIGURES:
            values = [one[key] for one in mine if one.get(key) is not None]
            row[key] = statistics.median(values) if values else None
        rows.append(row)
    return rows


def ratios(rows: list[dict[str, Any]]) -> list[str]:
    """Return what two processes gain over one, and how the jobs grow with the size."""
    lines = []
    by = {(row["job"], row["unknowns"]): row for row in rows}
    for (job, unknowns), one in by.items():
        two = by.get(("two processes", unknowns))
        if job == "one thread" and two is not None:
            gains = ", ".join(
                f"{what} {one[what] / two[what]:.2f}" for what in ("assemble", "set up", "solve")
            )
            lines.append(f"{unknowns:,} unknowns, two processes to one of one thread: {gains}")
    for figure in ("all", "a step", "GB"):
        for job, (sizes, values) in curves(rows, figure).items():
            if (slope := exponent(sizes, values)) is not None:
                lines.append(f"{job}: {figure} grows as n^{slope:.2f}")
    return lines


def main() -> None:
    """Run the benchmark, or one of its jobs."""
    begun = time.time()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="15,32,48,69,149", help="elements along an edge")
    parser.add_argument("--cells", default="hex8")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", default=";".join(JOBS), help="with semicolons")
    parser.add_argument("--job", choices=JOBS, help=argparse.SUPPRESS)
    parser.add_argument("--picture", type=Path, help="time and memory over the size, SVG or PNG")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    sizes = [int(text) for text in arguments.sizes.split(",")]
    if arguments.job:
        from flexforge.runtime.machine.threads import cores_for_our_loops

        with cores_for_our_loops():  # as in every run
            result = run(arguments.job, sizes[0], arguments.cells, arguments.threads, begun)
        if result is not None:
            print(json.dumps(result))
        return
    jobs = arguments.jobs.split(";")
    found = measure(sizes, arguments.cells, arguments.threads, arguments.rounds, jobs)
    rows = medians(found)
    cells = [[f"{row['unknowns']:,} {row['job']}", *(row[key] for key in _FIGURES)] for row in rows]
    text = "\n".join([table(("unknowns, job", *_FIGURES), cells), "", *ratios(rows)])
    if arguments.picture is not None:
        draw(rows, arguments.picture)
    leave("scale", {"machine": limits(), "runs": found}, text, arguments.json)


if __name__ == "__main__":
    main()
