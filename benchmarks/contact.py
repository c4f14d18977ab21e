# SPDX-License-Identifier: BSD-3-Clause
"""Steps with a contact: a slider-crank with a clearance against Exudyn, and against a hinge.

The pin of the rod flies in the bore of the slider and meets it, by Hertz's law: the same bodies,
law, method (generalized-alpha) and step on both sides, and the place of the slider at the end is
compared. Beside it ours with a bore that the pin does not reach, and with a hinge.
"""

from __future__ import annotations

import argparse
from typing import Any

from support.machine import limits
from support.referee import compete, ours, peer
from support.report import leave, table

FIGURE = "slider, m"


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=8, help="turns, the first not counted")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    contestants = [ours("flexforge", "flexforge_contact.py"), peer("Exudyn", "exudyn_contact.py")]
    machine = limits()
    case = compete(contestants, arguments.rounds)
    steps = case["flexforge"]["facts"]["steps"]
    heads = ("contestant", "job", "us a step", "times ours with a clearance", FIGURE)
    text = [f"{machine['processor']}: {steps} steps", table(heads, rows(case, steps))]
    leave("contact", {"machine": machine, "results": case}, "\n".join(text), arguments.json)


def rows(case: dict[str, Any], steps: int) -> list[list[Any]]:
    """Return the table: microseconds of a step of every job."""
    own = case["flexforge"]["jobs"]["clearance"]["median"]
    lines: list[list[Any]] = []
    for name, result in case.items():
        if "absent" in result:
            lines.append([name, "left out: " + result["absent"][:60], None, None, None])
            continue
        for job, record in result["jobs"].items():
            seconds = record["median"]
            lines.append([name, job, 1e6 * seconds / steps, seconds / own,
                          record["figures"].get(FIGURE)])  # fmt: skip
    return lines


if __name__ == "__main__":
    main()
