# SPDX-License-Identifier: BSD-3-Clause
"""Assembly of the elasticity of a cube against scikit-fem, NGSolve, MFEM and SfePy, in turns.

Each contestant is a process of its own; mesh and space are made before, and not timed. "assemble"
is the whole way from there to the matrix, pattern included; "refill" computes the values again into
the pattern that is there. Peers run in .venv-bench (``make bench`` makes it); those that are not
installed are left out and named.
"""

from __future__ import annotations

import argparse
from typing import Any

from support.machine import limits
from support.referee import Contestant, compete, ours, peer
from support.report import leave, table

CASES = {"hex8": 40, "tet10": 20, "tet4": 40}
SLOW = {"scikit-fem"}
CHECK = "check"


def contestants(cell: str, divisions: int, peers: bool) -> list[Contestant]:
    """Return who takes part in a case."""
    size = str(divisions)
    found = [
        ours("flexforge", "flexforge_assembly.py", cell, size, "1"),
        ours("flexforge, 2 threads", "flexforge_assembly.py", cell, size, "2", threads=2),
    ]
    if peers:
        found += [
            peer("NGSolve H1 dim 3", "ngsolve_assembly.py", cell, size, "1", "H1dim3"),
            peer("NGSolve VectorH1", "ngsolve_assembly.py", cell, size, "1", "VectorH1"),
            peer("MFEM", "mfem_assembly.py", cell, size),
            peer("SfePy", "sfepy_assembly.py", cell, size),
            peer("scikit-fem", "skfem_assembly.py", cell, size),
        ]
    return found


def rows(case: dict[str, Any], bandwidth: dict[int, float]) -> list[list[Any]]:
    """Return the table of a case: seconds, rate, ratio to our slowest comparable job, memory."""
    lines = []
    for name, result in case.items():
        if "absent" in result:
            lines.append([name, "left out: " + result["absent"][:40], *[None] * 6])
            continue
        elements = result["facts"]["elements"]
        for job, record in result["jobs"].items():
            if job == CHECK:
                continue
            seconds = record["median"]
            fraction = None
            if name.startswith("flexforge") and "refill" in job:
                # What must move: the values of the matrix, read and written.
                moved = 16.0 * result["jobs"][CHECK]["figures"]["nnz"]
                fraction = moved / seconds / 1e9 / bandwidth[result["threads"]]
            lines.append(
                [name, job, result["threads"], seconds, elements / seconds,
                 ratio(case, job, seconds), record["peak MiB"], fraction]
            )  # fmt: skip
    return lines


def ratio(case: dict[str, Any], job: str, seconds: float) -> float | None:
    """Return how many times longer than our one-threaded job of the same kind it took."""
    kind = "refill" if job.startswith("refill") else "assemble"
    record = case["flexforge"]["jobs"].get(job if "mass" in job else kind)
    return seconds / record["median"] if record else None


def verdicts(case: dict[str, Any]) -> dict[str, float]:
    """Return the ratios the goals are stated in."""
    mine = case["flexforge"]["jobs"]
    found = {
        "two threads over one, refill": mine["refill"]["median"]
        / case["flexforge, 2 threads"]["jobs"]["refill"]["median"],
        "peak memory over the matrix": mine["assemble"]["peak MiB"]
        / (12.0 * mine[CHECK]["figures"]["nnz"] / 2**20),
    }
    for name, result in case.items():
        if not name.startswith("flexforge") and "jobs" in result:
            jobs = [job for job in result["jobs"] if job != CHECK]
            best = min(jobs, key=lambda job: result["jobs"][job]["median"])
            kind = "refill" if best.startswith("refill") else "assemble"
            theirs = result["jobs"][best]["median"]
            found[f"{name} ({best}) over flexforge ({kind})"] = theirs / mine[kind]["median"]
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="turns, the first not counted")
    parser.add_argument("--cases", default="hex8,tet10", help=f"of {', '.join(CASES)}")
    parser.add_argument("--no-peers", action="store_true", help="flexforge alone")
    parser.add_argument("--size", type=int, help="divisions of the cube's edge")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    machine = limits()
    bandwidth = machine["bandwidth GB/s"]
    results, text = {}, [f"{machine['processor']}, triad GB/s by threads {bandwidth}"]
    heads = ("contestant", "job", "threads", "seconds", "elements/s", "times ours", "peak MiB",
             "of bandwidth")  # fmt: skip
    for cell in arguments.cases.split(","):
        divisions = arguments.size or CASES[cell]
        case = compete(contestants(cell, divisions, not arguments.no_peers), arguments.rounds)
        facts = case["flexforge"]["facts"]
        results[cell] = {"results": case, "verdicts": verdicts(case)}
        text.append(f"\n{cell}: {facts['elements']} elements, {facts['unknowns']} unknowns")
        text.append(table(heads, rows(case, bandwidth)))
        text += [f"  {name}: {value:.3g}" for name, value in results[cell]["verdicts"].items()]
    leave("assembly", {"machine": machine, "cases": results}, "\n".join(text), arguments.json)


if __name__ == "__main__":
    main()
