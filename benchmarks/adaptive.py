# SPDX-License-Identifier: BSD-3-Clause
"""Errors over work of steps of equal length and of steps that adapt.

Four motions of links that are known in closed form: a pendulum; the same let go just beside its
upper position, which it leaves by itself; a mass that flies between stiff stops; a damped spring on
which a force acts suddenly. Work is the number of matrices factored. Two of bodies in frames at
rest, on which a force acts suddenly: a damped beam and a damped block, whose modes are known. Work
is the number of solves, those of comparisons among them. Both kinds of steps take turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from flexforge.runtime._native import Instance
from flexforge.runtime.arrays import Floats
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.tables.memory import InMemory
from scipy.special import ellipj, ellipk
from support import struck
from support.found_links import begun
from support.report import leave, table

#: Numbers of a pose: origin, then a quaternion.
FF_POSE = 7
#: Accuracies, and numbers of steps of equal length; results of every run.
ACCURACIES, COUNTS, RESULTS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8), (100, 400, 1600, 6400, 25600), 50
#: Of bodies, whose errors are relative: the same, fewer where steps are of equal length.
OF_BODIES = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6), (100, 400, 1600, 6400, 12800)
#: Panels of the picture beside each other; acceleration of gravity, m/s^2.
_PANELS = 3
_G = 9.81

Motion = Callable[[Floats], Floats]


def pendulum(degrees: float) -> tuple[dict[str, Any], float, Motion]:
    """Return a rod that is let go at an angle from its lowest position, duration and angle."""
    half = 0.5 * np.radians(degrees)
    rate, m = np.sqrt(1.5 * _G), np.sin(half) ** 2

    def angle(t: Floats) -> Floats:
        sine = ellipj(ellipk(m) - rate * t, m)[0]
        return np.asarray(2.0 * np.arcsin(np.sin(half) * sine))

    rod = {"name": "rod", "mass": 1.0, "inertia": [1.0 / 12.0], "centre": [0.5, 0, 0],
           "placement": {"angle": 2.0 * half - np.pi / 2}}  # fmt: skip
    joint = {"name": "joint", "kind": "revolute", "links": ["ground", "rod"], "at": [0, 0, 0]}
    loads = [{"kind": "gravity", "acceleration": [0.0, -_G, 0.0]}]
    return {"links": [rod], "joints": [joint], "loads": loads}, 8.0, angle


def stops() -> tuple[dict[str, Any], float, Motion]:
    """Return a mass between stops 1 m apart, on which it vibrates with 1000 rad/s."""
    turn = np.pi / 1000.0

    def place(t: Floats) -> Floats:
        number, rest = np.divmod(t + 0.5, 1.0 + turn)
        hit = 0.5 + np.sin(1000.0 * (rest - 1.0)) / 1000.0
        return np.where(rest <= 1.0, rest - 0.5, hit) * (-1.0) ** number

    wall = "1e6*max(0, -x - 0.5) - 1e6*max(0, x - 0.5)"
    return _mass({"law": wall}, velocity=[1.0, 0, 0]), 2.0, place


def push() -> tuple[dict[str, Any], float, Motion]:
    """Return a mass on a spring with a damper, which a force pushes from 1/3 s on."""
    stiffness, damping, force = 4e4, 40.0, 1e4
    decay = 0.5 * damping
    rate = np.sqrt(stiffness - decay**2)

    def place(t: Floats) -> Floats:
        after = np.maximum(t - 1.0 / 3.0, 0.0)
        ring = np.cos(rate * after) + decay / rate * np.sin(rate * after)
        return np.asarray(force / stiffness * (1.0 - np.exp(-decay * after) * ring))

    keys = {"stiffness": stiffness, "damping": damping, "force": f"{force}*step(t, 1/3)"}
    return _mass(keys), 2.0, place


def _mass(actuator: dict[str, Any], **keys: Any) -> dict[str, Any]:
    """Return a mass of 1 kg on a rail, with an actuator."""
    return {
        "links": [{"name": "mass", "mass": 1.0, "inertia": [1.0], **keys}],
        "joints": [{"name": "joint", "kind": "prismatic", "links": ["ground", "mass"],
                    "axis": [1, 0, 0]}],
        "actuators": [{"name": "acting", "joint": "joint", **actuator}],
    }  # fmt: skip


PROBLEMS = {
    "pendulum": partial(pendulum, 120.0), "upright": partial(pendulum, 179.0), "stops": stops,
    "push": push,
}  # fmt: skip


def run(name: str, **keys: Any) -> dict[str, Any]:
    """Return error, steps, factorizations and seconds of a run; no error where steps fail."""
    if name in struck.BODIES:
        return struck.run(name, RESULTS, **keys)
    tables, duration, exact = PROBLEMS[name]()
    analysis = {"kind": "transient", "duration": duration, "steps": RESULTS} | keys
    spec = model_from_dict(tables | {"planar": True, "analysis": analysis})
    table = begun(spec).stepper.table()
    instance = Instance(InMemory(table))
    count = analysis["steps"]
    times, rows = np.arange(1, count + 1) * (duration / count), np.empty((count, instance.width))
    instance.begin(0.0, table.initial[:FF_POSE], table.initial[FF_POSE:], rows[0])
    start = time.perf_counter()
    taken, _ = instance.run(duration / count, times, rows, times[-1])
    seconds = time.perf_counter() - start
    kept = slice(count // RESULTS - 1, None, count // RESULTS)
    error = np.abs(_place(name, rows[kept]) - exact(times[kept])).max()
    pace = instance.pace
    return {
        **keys, "error": float(error) if taken == count else None, "seconds": seconds,
        "steps": count if pace is None else int(rows[-1, pace + 2]),
        "factorizations": instance.factorizations,
    }  # fmt: skip


def _place(name: str, rows: Floats) -> Floats:
    """Return the angle from the lowest position, or the place on the rail, of states."""
    if name in ("stops", "push"):
        return rows[:, 0]
    turn = 2.0 * np.arctan2(rows[:, 6], rows[:, 3]) + np.pi / 2
    return np.asarray(np.arctan2(np.sin(turn), np.cos(turn)))


def measure(name: str, rounds: int) -> dict[str, list[dict[str, Any]]]:
    """Return the runs of a problem, with medians of their seconds; both kinds take turns."""
    accuracies, counts = OF_BODIES if name in struck.BODIES else (ACCURACIES, COUNTS)
    ways = [{"accuracy": one} for one in accuracies], [{"steps": one} for one in counts]
    pairs = [one for pair in zip(*ways, strict=True) for one in pair]
    rows = [[run(name, **keys) for keys in pairs] for _ in range(rounds)]
    found = [
        one[0] | {"seconds": median(other["seconds"] for other in one)}
        for one in zip(*rows, strict=True)
    ]
    return {"adaptive": found[::2], "equal": found[1::2]}


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw errors over factorizations or solves, a panel per problem.

    Parameters
    ----------
    results : dict
        Of `measure`, by problem.
    path : Path
        The picture, SVG or PNG.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "flexforge"  # the same bytes for the same figures
    mpl.rcParams["svg.fonttype"] = "none"  # text, not outlines of letters
    from matplotlib import pyplot as plt

    lines = -(-len(results) // _PANELS)
    picture = plt.figure(figsize=(11, 3.5 * lines), layout="constrained")
    for number, (name, one) in enumerate(results.items(), start=1):
        panel = picture.add_subplot(lines, _PANELS, number)
        work = "solves" if name in struck.BODIES else "factorizations"
        for way, mark in (("equal", "s--"), ("adaptive", "o-")):
            rows = [row for row in one[way] if row["error"] is not None]
            panel.loglog(
                [row[work] for row in rows],
                [row["error"] for row in rows],
                mark,
                label="equal steps" if way == "equal" else "adaptive steps",
            )
        unit = "part" if name in struck.BODIES else "m, rad"
        panel.set(title=name, xlabel=work, ylabel=f"largest error ({unit})")
        panel.grid(visible=True, which="major", alpha=0.3)
        panel.legend()
    picture.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(picture)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each kind, medians of them")
    parser.add_argument("--picture", type=Path, help="errors over work, SVG or PNG")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    names = (*PROBLEMS, *struck.BODIES)
    results = {name: measure(name, arguments.rounds) for name in names}
    rows = [
        (f"{name}, {way}", row.get("accuracy"), row["error"], row["steps"], row["factorizations"],
         row.get("solves"), 1e3 * row["seconds"])
        for name, one in results.items() for way, found in one.items() for row in found
    ]  # fmt: skip
    heads = ("problem", "accuracy", "error", "steps", "factorizations", "solves", "ms")
    if arguments.picture is not None:
        draw(results, arguments.picture)
    leave("adaptive", results, table(heads, rows), arguments.json)


if __name__ == "__main__":
    main()
