# SPDX-License-Identifier: BSD-3-Clause
"""Exported solvers: steps of a C library and an FMU beside those of flexforge's own runtime.

All steps of a model are taken in turns, from the same start, one thread. ``blade`` is a blade of
1,800 unknowns in 16 shapes, spun up about the axis it stands on; ``steady`` is that blade at
constant speed, whose matrices do not change; ``beam`` is an arm of 20 beam elements, not reduced;
``arm`` one in 16 modes that Exudyn has as well, as a body in a floating frame; ``crank`` is the
slider-crank of the examples, ``crank4`` its rod in 4 vibrations and what joints keep; ``solids`` an
arm of two links of hex8, 35,574 unknowns, held at faces, in 6 vibrations and what joints keep.
``mesh`` is a blade of 99,000 unknowns with diagonal masses, which the library takes element by
element.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

from flexforge.runtime.export.solver import Solver, build_solver
from flexforge.runtime.loading.load import model_from_dict
from support.arm import STEP, STEPS
from support.arm import model as arm
from support.embedded import Embedded, python_steps, sizes
from support.embedded_mesh import measure_mesh
from support.embedded_mesh import model as mesh
from support.machine import limits
from support.mechanisms import solid_arm
from support.referee import compete, ours, peer
from support.report import leave, table

CRANK = Path(__file__).parents[1] / "examples" / "slider_crank" / "model.toml"
STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7800.0}
RAMP = {"ramp": {"to": 50.0, "duration": 0.25}}


def blade(speed: Any) -> dict[str, Any]:
    """Return a blade of 40 x 4 x 2 hex8i in 16 shapes."""
    corners = [
        [x, y, z]
        for z in (-0.005, 0.005)
        for x, y in ((0.1, -0.02), (1.1, -0.02), (1.1, 0.02), (0.1, 0.02))
    ]
    spun = isinstance(speed, dict)
    return {
        "mesh": {"block": {"cell": "hex8", "corners": corners, "divisions": [40, 4, 2]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "blade", "element": "hex8i", "material": "steel",
                    "frame": {"axis": [0.0, 0.0, 1.0], "velocity": speed}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "force", "group": "xmax", "total": [0.0, 0.0, 10.0],
                   "amplitude": "sin(200*t)"}],
        "probes": [{"name": "tip", "point": [1.1, 0.0, 0.0], "component": "z"}],
        "reduction": {"modes": 13 if spun else 14},
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS},
    }  # fmt: skip


def beam() -> dict[str, Any]:
    """Return an arm of 20 planar beam elements that swings."""
    return {
        "mesh": {"block": {"cell": "line2", "corners": [[0.05, 0.0], [0.65, 0.0]],
                           "divisions": [20]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "arm", "element": "euler_beam_plane", "material": "steel",
                    "section": {"shape": "rectangle", "width": 0.02, "height": 0.006},
                    "frame": {"angle": "0.5*sin(20*t)"}}],
        "supports": [{"group": "xmin", "components": ["x", "y", "rz"]}],
        "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
        "analysis": {"kind": "transient", "duration": STEPS * STEP, "steps": STEPS},
    }  # fmt: skip


def crank(modes: int | None = None) -> dict[str, Any]:
    """Return the slider-crank of the examples."""
    model = tomllib.loads(CRANK.read_text())
    return model if modes is None else model | {"reduction": {"modes": modes}}


def solids() -> dict[str, Any]:
    """Return an arm of two links of solids in few shapes."""
    probe = {"name": "tip", "group": "two.xmax", "component": "z", "reduce": "mean"}
    return solid_arm("maggi", (120, 6)) | {"reduction": {"modes": 6}, "probes": [probe]}


#: Part of the tip's place by which peers may differ: their beams are ours, their methods alike.
ALIKE = 0.01
MODELS = {
    "blade": blade(RAMP), "steady": blade(50.0), "beam": beam(), "arm": arm(), "crank": crank(),
    "crank4": crank(4), "solids": solids(),
}  # fmt: skip


def measure(solver: Solver, repeats: int) -> dict[str, Any]:
    """Return what a solver costs, its steps taken in turns by three ways."""
    one = Embedded(solver)
    times: dict[str, list[float]] = {"python": [], "library": [], "fmu": []}
    ends = set()
    for _ in range(repeats):
        times["python"].append(python_steps(solver, STEPS) / STEPS)
        for kind in ("library", "fmu"):
            seconds, end = one.steps(kind, STEPS)
            times[kind].append(seconds / STEPS)
            ends.add(end)
    assert len(ends) == 1, f"library and FMU differ: {ends}"
    microseconds = {kind: [1e6 * t for t in found] for kind, found in times.items()}
    medians = {kind: statistics.median(found) for kind, found in microseconds.items()}
    return {
        "model": solver.name,
        "coordinates": solver.size,
        "python, us a step": medians["python"],
        "library, us a step": medians["library"],
        "least": min(microseconds["library"]),
        "library / python": medians["library"] / medians["python"],
        "FMU, us a step": medians["fmu"],
        "FMU beside library, us": medians["fmu"] - medians["library"],
        "creation, us": 1e6 * one.creation(200),
        "memory, bytes": one.memory,
        **sizes(solver),
    }


def against_exudyn(repeats: int) -> tuple[dict[str, Any], str]:
    """Return what a step of the arm takes beside Exudyn's body in a floating frame, in turns.

    Whose tip is elsewhere at the end, though its motion is prescribed, is no contestant.
    """
    found = compete(
        [
            ours("flexforge", "flexforge_arm.py"),
            peer("Exudyn, motion prescribed", "exudyn_arm.py", "prescribed"),
            peer("Exudyn, free to turn", "exudyn_arm.py", "free"),
        ],
        repeats,
    )
    base = found["flexforge"]["jobs"]["library"]
    tip, rows = base["figures"]["tip, m"], []
    for name, one in found.items():
        if "absent" in one:
            rows.append([f"{name}: left out: {one['absent'][:60]}", *[None] * 5])
        for job, timed in one.get("jobs", {}).items():
            apart = abs(timed["figures"]["tip, m"] / tip - 1.0)
            if apart > ALIKE and "prescribed" in name:
                rows.append([f"{name}, {job}: left out: tip {apart:.1%} off", *[None] * 5])
                continue
            timed["times ours"] = timed["median"] / base["median"]
            rows.append([
                f"{name}: {job}", one["facts"]["unknowns"], 1e6 * timed["median"] / STEPS,
                1e6 * timed["least"] / STEPS, timed["times ours"], f"{apart:.2%}",
            ])  # fmt: skip
    heads = ("arm, 16 modes", "unknowns", "us a step, median", "least", "times ours", "tip apart")
    return found, table(heads, rows)


def time_of_export() -> dict[str, float]:
    """Return the seconds from a model file to an FMU, in a process of its own."""
    text = Path(__file__).parents[1] / "examples" / "motor" / "arm.toml"
    with tempfile.TemporaryDirectory() as folder:
        clock = time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "flexforge", "export", str(text), "--as", "fmu2", "-o",
             f"{folder}/fmu"],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        return {"model to FMU, s": time.perf_counter() - clock}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = [
        measure(build_solver(model_from_dict(model), name), arguments.repeats)
        for name, model in MODELS.items()
    ]
    exported = time_of_export()
    heads = list(found[0])
    text = table(heads[:8], [[one[head] for head in heads[:8]] for one in found]) + "\n\n"
    others = [heads[0], *heads[8:]]
    text += table(others, [[one[head] for head in others] for one in found])
    text += f"\n\nfrom examples/motor/arm.toml to an FMU: {exported['model to FMU, s']:.2f} s"
    large = measure_mesh(build_solver(model_from_dict(mesh()), "mesh"), arguments.repeats)
    heads = list(large)
    for some in (heads[:9], [heads[0], *heads[9:]]):
        text += "\n\n" + table(some, [[large[head] for head in some]])
    beside, page = against_exudyn(arguments.repeats)
    results = {"machine": limits(), "solvers": found, **exported, "mesh": large, "arm": beside}
    leave("embed", results, f"{text}\n\n{page}", arguments.json)


if __name__ == "__main__":
    main()
