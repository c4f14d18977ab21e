# SPDX-License-Identifier: BSD-3-Clause
"""A bladed disc from one sector beside the model of all sectors: time, and the same frequencies.

The sector is solved at every nodal diameter, the whole disc for as many modes of the wheel. Both
take turns, each run in a process of its own. With a speed there are Coriolis terms, and forward
and backward waves.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
from support.bladed_disc import model
from support.machine import limits
from support.report import leave, table


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sectors", type=int, default=36)
    parser.add_argument("--cells", type=int, nargs=3, default=(6, 3, 2), metavar="N",
                        help="bricks of the disc in a sector")  # fmt: skip
    parser.add_argument("--modes", type=int, default=5, help="of each nodal diameter")
    parser.add_argument("--speed", type=float, default=0.0, help="rad/s")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", choices=("sector", "disc"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(_one(arguments)))
        return
    found: dict[str, list[dict[str, Any]]] = {"sector": [], "disc": []}
    for _ in range(arguments.rounds):
        for name, runs in found.items():
            command = [sys.executable, __file__, *sys.argv[1:], "--one", name]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            runs.append(json.loads(done.stdout.splitlines()[-1]))
    medians = {name: statistics.median(r["seconds"] for r in runs) for name, runs in found.items()}
    error, compared = difference(found["sector"][0]["modes"], found["disc"][0]["modes"])
    rows = [
        [name, runs[0]["unknowns"], len(runs[0]["modes"]), medians[name]]
        for name, runs in found.items()
    ]
    text = table(("", "unknowns", "modes", "seconds"), rows)
    ratio = medians["disc"] / medians["sector"]
    text += f"\n\nthe disc takes {ratio:.1f} times as long; "
    text += f"{compared} frequencies differ by {error:.1e}"
    results = {
        "machine": limits(),
        "settings": {
            key: getattr(arguments, key) for key in ("sectors", "cells", "modes", "speed")
        },
        "seconds": {name: [run["seconds"] for run in runs] for name, runs in found.items()},
        "unknowns": {name: runs[0]["unknowns"] for name, runs in found.items()},
        "ratio": ratio,
        "largest relative difference of frequencies": error,
        "frequencies compared": compared,
    }
    leave("cyclic", results, text, arguments.json)


def _one(arguments: argparse.Namespace) -> dict[str, Any]:
    """Run one of the models; return unknowns, seconds of the analysis, and frequencies."""
    whole = arguments.one == "disc"
    count = arguments.modes * (arguments.sectors if whole else 1)
    tables = model(arguments.sectors, tuple(arguments.cells), count, whole=whole,
                   speed=arguments.speed)  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        outcome = ff.load_model(tables).run(Path(folder) / "results")
        rows = json.loads((outcome.folder / "summary.json").read_text())["modes"]
    timings = outcome.timings
    seconds = sum(
        timings[name]
        for name in timings
        if name.startswith(("number", "assemble", "prestress", "steady", "solve"))
    )
    return {"unknowns": outcome.figures["unknowns"], "seconds": seconds, "modes": rows}


def difference(sector: list[dict[str, Any]], disc: list[dict[str, Any]]) -> tuple[float, int]:
    """Return the largest relative difference of frequencies that both have, and their number.

    Below the lowest of the highest frequencies of all nodal diameters none is missing.
    """
    highest: dict[tuple[int, str], float] = {}
    own = []
    for row in sector:
        key = row["nodal_diameter"], row["travels"]
        highest[key] = max(highest.get(key, 0.0), row["frequency_Hz"])
        if row["part"] == "real" or row["travels"] == "standing":
            own.append(row["frequency_Hz"])
    theirs = np.array([row["frequency_Hz"] for row in disc])
    limit = min(*highest.values(), theirs[-1]) * (1.0 - 1e-6)
    ours = np.sort(own)
    ours, theirs = ours[ours < limit], theirs[theirs < limit]
    if len(ours) != len(theirs):
        raise SystemExit(f"found {len(ours)} modes of the sector, and {len(theirs)} of the disc")
    return float(np.abs(ours / theirs - 1.0).max()), len(ours)


if __name__ == "__main__":
    main()
