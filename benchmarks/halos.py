# SPDX-License-Identifier: BSD-3-Clause
"""What processes exchange: halos of real partitions up to 4,096 parts, and 1e9 unknowns on paper.

PT-Scotch divides the nodes of a cube of hex8, as runs under mpirun do. Halos, messages and bytes of
a product are counted, not modelled. The seconds per unknown of one process are measured here, in
one thread, with multigrid.

All else is a model. A process takes as long per unknown as here. Halos, and elements that several
parts have, are larger than those of cubical parts by the factors of these partitions. Levels below
the finest have as many neighbours. A message takes a latency, every process has a bandwidth; a sum
over all processes takes two latencies for every doubling of their number. Iterations stay as many
as up to ten million unknowns, and a few more. Not in it: the division of the mesh, which one
process does, files, and processes that share the bandwidth of a memory.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from support.halos import Network, cells_of, counted, graph_of, predicted, surface
from support.report import leave, table

_ITERATIONS = 25  # 14 to 19 are measured, from a thousand to ten million unknowns
_SIZES = (1e6, 1e7, 1e8, 1e9)
_PROCESSES = (1, 8, 64, 512, 4096, 32768)


def partitions(size: int, parts: list[int]) -> list[dict[str, Any]]:
    """Return what partitions of a cube exchange."""
    from flexforge.runtime.ranks.partition import parts_of

    cells, nodes = cells_of(size), (size + 1) ** 3
    graph, found = graph_of(cells, nodes), []
    for count in parts:
        clock = time.perf_counter()
        owner = parts_of(*graph, count)
        taken = time.perf_counter() - clock
        found.append(counted(cells, owner, count) | {"seconds of PT-Scotch": taken})
        print(f"{count} parts: {taken:.1f} s", file=sys.stderr, flush=True)
    return found


def one_process(size: int) -> dict[str, float]:
    """Return the seconds per unknown of set-up and of an iteration, in one thread."""
    script = Path(__file__).parent / "scale.py"
    command = [sys.executable, str(script), "--job", "one thread", "--sizes", str(size)]
    done = subprocess.run([*command, "--threads", "1"], check=True, capture_output=True, text=True)
    job = json.loads(done.stdout)
    n = job["unknowns"]
    begin = job["assemble"] + job["set up"]
    return {"unknowns": n, "rate": job["solve"] / job["iterations"] / n, "setup": begin / n}


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100, help="elements along an edge")
    parser.add_argument("--parts", default="2,8,64,512,4096")
    parser.add_argument("--latency", type=float, default=Network().latency, help="s of a message")
    parser.add_argument("--bandwidth", type=float, default=Network().bandwidth, help="bytes/s")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    parts = [int(text) for text in arguments.parts.split(",")]
    found = partitions(arguments.size, parts)
    measured = one_process(min(arguments.size, 69))
    shape, network = surface(found), Network(arguments.latency, arguments.bandwidth)
    most = max(found, key=lambda one: one["parts"])
    paper = [
        predicted(
            unknowns,
            processes,
            shape=shape,
            messages=most["messages"]["largest"],
            rate=measured["rate"],
            setup=measured["setup"],
            iterations=_ITERATIONS,
            network=network,
        )
        for unknowns in _SIZES
        for processes in _PROCESSES
        if 2e4 <= unknowns / processes <= 1.1e7
    ]
    heads = ("own nodes", "elements", "halo nodes", "messages", "bytes")
    counts = table(
        ("parts", *(f"{name}, {which}" for name in heads for which in ("mean", "largest"))),
        [
            [str(one["parts"]), *(one[name][which] for name in heads for which in one[name])]
            for one in found
        ],
    )
    keys = list(paper[0])[1:]
    paths = table(
        ("unknowns", *keys), [[f"{one['unknowns']:.0e}", *(one[k] for k in keys)] for one in paper]
    )
    fit = (
        f"halos of parts are up to {shape[0]:.2f} times those of cubes, elements beyond own nodes "
        f"{shape[1]:.2f} times"
    )
    results = {
        "nodes": (arguments.size + 1) ** 3, "partitions": found, "surface": shape,
        "one process": measured, "iterations": _ITERATIONS, "on paper": paper,
        "latency": network.latency, "bandwidth": network.bandwidth,
    }  # fmt: skip
    leave("halos", results, f"{counts}\n{fit}\n\n{paths}", arguments.json)


if __name__ == "__main__":
    main()
