# SPDX-License-Identifier: BSD-3-Clause
"""Steps with a contact: a slider-crank with a clearance against Exudyn, and against a hinge.

The pin of the rod flies in the bore of the slider and meets it, by Hertz's law: the same bodies,
law, method (generalized-alpha) and step on both sides, and the place of the slider at the end is
compared. Beside it ours with steps that end at events, with a bore that the pin does not reach, and
with a hinge. A second table has errors over time of equal steps and of steps that adapt.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from flexforge.runtime.multibody.balance import FoundBalance
from flexforge.runtime.multibody.motion import FoundMotion
from support.clearance import STEPS, tables
from support.machine import limits
from support.mechanisms import found_motion_of, leap
from support.referee import compete, ours, peer
from support.report import leave, table

FIGURE = "slider, m"
#: Steps of equal length, of those of the comparison; accuracies of steps that adapt; the reference.
FINER, ACCURACIES, FINEST = (0.25, 0.5, 1, 2, 4), (1e-5, 1e-6, 1e-7, 1e-8, 1e-9), 64
#: Runs of which the fastest counts.
RUNS = 3


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
    precise = precision()
    heads = ("steps that end at events", "taken", "ms", f"error of the {FIGURE}", "energy balance")
    text += ["", table(heads, [[*line.values()] for line in precise])]
    found = {"machine": machine, "results": case, "precision": precise}
    leave("contact", found, "\n".join(text), arguments.json)


def precision() -> list[dict[str, Any]]:
    """Return error and time of equal steps and of steps that adapt, beside steps that are finer."""
    kinds: list[tuple[str, dict[str, Any]]] = [
        (f"equal, {round(STEPS * k)}", {"steps": round(STEPS * k)}) for k in FINER
    ]
    kinds += [(f"accuracy {one:g}", {"steps": 1, "accuracy": one}) for one in ACCURACIES]
    reference = _moved({"steps": FINEST * STEPS})[0].state.q[14]
    found = []
    for name, keys in kinds:
        seconds = min(_moved(keys)[1] for _ in range(RUNS))
        motion = _motion(keys)
        balance = FoundBalance(motion)
        leap(motion, keys["steps"])
        figures = balance.figures()
        found.append(
            {
                "steps": name,
                "taken": motion.counts.steps,
                "ms": 1e3 * seconds,
                "error": abs(float(motion.state.q[14] - reference)),
                "balance": figures["largest error of the energy balance"],
            }
        )
    return found


def _motion(keys: dict[str, Any]) -> FoundMotion:
    model = tables("located")
    model["analysis"] |= keys
    motion = found_motion_of(model)
    assert isinstance(motion, FoundMotion)
    return motion


def _moved(keys: dict[str, Any]) -> tuple[FoundMotion, float]:
    """Return a motion at its end, and the time of its steps, s."""
    motion = _motion(keys)
    begun = time.perf_counter()
    leap(motion, keys["steps"])
    return motion, time.perf_counter() - begun


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
