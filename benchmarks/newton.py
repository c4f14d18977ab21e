# SPDX-License-Identifier: BSD-3-Clause
"""A step of Newton's method for a block with an energy against NGSolve, in turns.

A neo-Hookean cube of hex8, clamped at its bottom, is bent and stretched by a smooth field. A step
is the forces at that state, the tangent, and a solution with its factors. Both integrate with 2
points a direction, and the norms of forces, tangent and correction are compared. NGSolve runs in
.venv-bench (``make bench`` makes it), compiled to C++ where it can; it is left out where it is not
installed.
"""

from __future__ import annotations

import argparse
from typing import Any

from support.machine import limits
from support.referee import compete, ours, peer
from support.report import leave, table

CHECK = "check"
#: Relative difference of figures of the check that is round-off of sums and factors.
_SAME = 1e-8


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="turns, the first not counted")
    parser.add_argument("--size", type=int, default=40, help="divisions of the cube's edge")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-peers", action="store_true", help="flexforge alone")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    options = str(arguments.size), str(arguments.threads)
    taking_part = [ours("flexforge", "flexforge_newton.py", *options, threads=arguments.threads)]
    if not arguments.no_peers:
        # NGSolve counts its threads itself.
        taking_part.append(peer("NGSolve", "ngsolve_newton.py", *options))
    machine = limits()
    case = compete(taking_part, arguments.rounds)
    facts = case["flexforge"]["facts"]
    text = [
        f"{machine['processor']}",
        f"neo-Hookean hex8: {facts['elements']} elements, {facts['unknowns']} unknowns, "
        f"{arguments.threads} thread(s), solvers: {solvers(case)}",
        table(("contestant", "job", "seconds", "times ours", "peak MiB"), rows(case)),
        *differences(case),
    ]
    leave("newton", {"machine": machine, "results": case}, "\n".join(text), arguments.json)


def solvers(case: dict[str, Any]) -> str:
    """Return what factors, by contestant."""
    return ", ".join(
        f"{name} {one['facts']['solver']}" for name, one in case.items() if "absent" not in one
    )


def rows(case: dict[str, Any]) -> list[list[Any]]:
    """Return the table: seconds of every job, and how many times ours."""
    lines: list[list[Any]] = []
    for name, result in case.items():
        if "absent" in result:
            lines.append([name, "left out: " + result["absent"][:60], None, None, None])
            continue
        for job, record in result["jobs"].items():
            if job != CHECK:
                own = case["flexforge"]["jobs"][job]["median"]
                lines.append([name, job, record["median"], record["median"] / own,
                              record["peak MiB"]])  # fmt: skip
    return lines


def differences(case: dict[str, Any]) -> list[str]:
    """Return what the contestants' figures differ by, relative to ours."""
    mine = case["flexforge"]["jobs"][CHECK]["figures"]
    found = []
    for name, result in case.items():
        if name == "flexforge" or "absent" in result:
            continue
        for what, value in result["jobs"][CHECK]["figures"].items():
            apart = abs(value - mine[what]) / abs(mine[what])
            verdict = "the same" if apart < _SAME else "NOT the same problem"
            found.append(f"  {what}: {name} differs by {apart:.1e} ({verdict})")
    return found


if __name__ == "__main__":
    main()
