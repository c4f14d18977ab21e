# SPDX-License-Identifier: BSD-3-Clause
"""Mechanisms: kinematics of a loop, ways through the equations of elastic links, large ones.

- ``kinematics``: a spatial loop of twelve bodies, thirteen revolute joints in a ring, seven of them
  driven: 72 equations. A grid of times is followed in one call; the gap that is left in the joints
  is measured beside the time.
- ``ways``: chains and loops of ten links, of 10 to 100,000 beam elements together: multipliers
  against Maggi's equations and independent coordinates.
- ``formalisms``: steps in C of the slider-crank of the examples by every formalism, in turns.
- ``crank``: an implicit step of a slider-crank of 20 beam elements, against Exudyn's in turns:
  cables, and bodies in floating frames.
- ``balances``: energy and momentum of the examples at steps of h, h/2 and h/4, and the orders.
- ``solids``: an arm of two links of hex8, 153,114 unknowns, against one body of that size.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.machine.threads import cores_for_our_loops
from flexforge.runtime.mechanism.mechanism import Mechanism, Trajectory
from flexforge.runtime.system.construct import build_mesh
from support.balances import balances
from support.crank_page import crank_table
from support.machine import limits
from support.mechanisms import CELLS
from support.referee import compete, ours, peer
from support.report import leave, table
from support.tied import SIZES, formulations, small, solids

BODIES = 12
CRANK = Path(__file__).parents[1] / "examples" / "slider_crank" / "model.toml"
DURATION = 10.0  # s: about two swings of every motor
#: A grid of times is finer or coarser: the prediction from one to the next is better or worse.
STEPS = (200, 1000, 5000)


def loop() -> dict[str, Any]:
    """Return a ring of twelve links on the ground; every second joint but one is driven."""
    count = BODIES + 1
    angles = 2 * np.pi * np.arange(count) / count
    points = np.stack([np.cos(angles), np.sin(angles), 0.3 * np.sin(2 * angles)], axis=1)
    axes = np.stack([np.cos(1.1 * angles), np.sin(1.3 * angles), np.cos(1.9 * angles + 1)], axis=1)
    names = ["ground", *(f"link {k}" for k in range(1, count))]
    return {
        "links": [{"name": name} for name in names[1:]],
        "joints": [
            {
                "name": f"J{k}", "kind": "revolute", "links": [names[k], names[(k + 1) % count]],
                "at": points[k], "axis": axes[k],
            }
            for k in range(count)
        ],
        "drivers": [
            {
                "name": f"motor {k}", "joint": f"J{2 * k % count}",
                "value": f"0.2*sin({1 + 0.1 * k}*t)",
            }
            for k in range(7)
        ],
        "analysis": {"kind": "kinematics", "duration": DURATION, "steps": 1000},
    }  # fmt: skip


def gap(course: Trajectory, data: dict[str, Any]) -> float:
    """Return the largest distance between the two ends of a joint, m."""
    count = BODIES + 1
    largest = 0.0
    for k, joint in enumerate(data["joints"]):
        ends = []
        for number in (k, (k + 1) % count):
            if number == 0:
                ends.append(np.broadcast_to(joint["at"], (len(course.times), 3)))
                continue
            states = course.frames[:, number - 1]
            ends.append(states[:, 0] + states[:, 1:4] @ joint["at"])
        largest = max(largest, float(np.abs(ends[0] - ends[1]).max()))
    return largest


def measure(steps: int, repeats: int) -> dict[str, Any]:
    """Follow the loop over a grid of times, some times, and its states one by one."""
    data = loop()
    spec = model_from_dict(data)
    times = np.linspace(0.0, DURATION, steps + 1)
    mesh = build_mesh(spec)
    clock = time.perf_counter()
    Mechanism.from_model(spec, mesh)
    assembled = time.perf_counter() - clock
    seconds = []
    for _ in range(repeats):
        mechanism = Mechanism.from_model(spec, mesh)
        clock = time.perf_counter()
        course = mechanism.solve(times)
        seconds.append((time.perf_counter() - clock) / len(times))
    alone = []
    mechanism = Mechanism.from_model(spec, mesh)
    for t in times[:: max(1, steps // 100)]:
        clock = time.perf_counter()
        mechanism.at(float(t))
        alone.append(time.perf_counter() - clock)
    return {
        "steps": steps,
        "equations": len(mechanism.parts.names),
        "microseconds": {
            "a time of the grid": 1e6 * statistics.median(seconds),
            "a time alone": 1e6 * statistics.median(alone),
            "assembly and checks": 1e6 * assembled,
        },
        "largest gap, m": gap(course, data),
    }


def kinematics(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure the kinematics of the loop."""
    found = [measure(steps, arguments.repeats) for steps in STEPS]
    rows = [
        (one["steps"], *one["microseconds"].values(), f"{one['largest gap, m']:.1e}")
        for one in found
    ]
    heads = ("steps in 10 s", *found[0]["microseconds"], "largest gap, m")
    results = {"bodies": BODIES, "equations": found[0]["equations"], "kinematics": found}
    title = f"spatial loop of {BODIES} bodies, {found[0]['equations']} equations, microseconds\n"
    return results, title + table(heads, rows)


def ways(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure multipliers, Maggi and independent coordinates on chains and loops of beams."""
    found = [
        one
        for kind in ("chain", "loop")
        for elements in SIZES
        if elements <= arguments.largest
        for one in formulations(kind, elements, arguments.steps)
    ]
    heads = ("kind", "elements", "way", "unknowns", "non-zeros", "factor s", "factors MB", "step s",
             "solves a step", "positions", "velocities", "accelerations")  # fmt: skip
    rows = [[one[head] for head in heads] for one in found]
    title = "chains and loops of ten links of beams; residuals of the constraints at the end\n"
    return {"ways": found}, title + table(heads, rows)


def crank(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure an implicit step of the flexible slider-crank against Exudyn's, in turns.

    Who takes another motion than ours, with geometric stiffness or without, is no contestant.
    """
    script = "exudyn_crank.py"
    found = compete(
        [
            ours("flexforge", "flexforge_crank.py"),
            ours("flexforge, linear", "flexforge_crank.py", "linear"),
            peer("Exudyn, ANCF cables", script, "cable"),
            peer("Exudyn, floating frame, nodes", script, "nodal"),
            peer("Exudyn, floating frame, 60 modes", script, "60"),
            peer("Exudyn, floating frame, 8 modes", script, "8"),
        ],
        arguments.repeats,
    )
    return {"slider-crank": found}, crank_table(found)


def balance(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure how energy and momentum of the examples balance at halved steps."""
    del arguments
    found, text = balances()
    return {"balances": found}, text


def formalisms(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure the steps of the slider-crank of the examples by every formalism, in C."""
    found = small(tomllib.loads(CRANK.read_text()), 1500, arguments.repeats)
    heads = ("formalism", "unknowns", "us a step", "least", "times maggi")
    title = "slider-crank of the examples, 1,500 steps in C, in turns\n"
    return {"formalisms": found}, title + table(
        heads, [[one[head] for head in heads] for one in found]
    )


def large(arguments: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measure an arm of two links of solids against one body of its size."""
    found = solids(CELLS, arguments.steps)
    heads = ("model", "unknowns", "step s", "least step s", "times one body", "factorizations",
             "solves a step", "products a step", "factors MB")  # fmt: skip
    peak = found[0]["peak of all three, MiB"]
    title = f"two links of hex8, and one body of that size; all three together {peak:.0f} MiB\n"
    return {"solids": found}, title + table(heads, [[one[head] for head in heads] for one in found])


PARTS = {
    "kinematics": kinematics, "ways": ways, "formalisms": formalisms, "crank": crank,
    "balances": balance, "solids": large,
}  # fmt: skip


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", default=",".join(PARTS), help=f"of {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--steps", type=int, default=10, help="steps that are timed")
    parser.add_argument("--largest", type=int, default=SIZES[-1], help="elements of a chain")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    chosen = arguments.parts.split(",")
    if unknown := [name for name in chosen if name not in PARTS]:
        parser.error(f"--parts: found {unknown[0]}; expected some of {', '.join(PARTS)}")
    results: dict[str, Any] = {"machine": limits()}
    texts = []
    with cores_for_our_loops():
        for name in chosen:
            found, text = PARTS[name](arguments)
            results |= found
            texts.append(text)
    leave("constraints", results, "\n\n".join(texts), arguments.json)


if __name__ == "__main__":
    main()
