# SPDX-License-Identifier: BSD-3-Clause
"""Stiffness kernels of all elements: useful operations a second, against hex8's in the same run.

Every kernel computes 64 random distorted elements of its own, eight at a time, and they take turns.
Useful operations are the sums, products and quotients of the finished kernel for one element.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from flexforge.codegen.driver import compile_kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.library import standard_elements, variants
from support.harness import DISTINCT, in_turns, our_calls
from support.machine import limits
from support.report import leave, table

LANES = 8
REFERENCE = "hex8"


def shapes(element: Element) -> np.ndarray:
    """Return distorted elements: (DISTINCT, nodes, dimension)."""
    rng = np.random.default_rng(1)
    nodes = np.array([[float(x) for x in node] for node in element.nodes])
    return nodes + 0.05 * rng.uniform(-1, 1, (DISTINCT, *nodes.shape))


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", help="names with commas between them; all solids by default")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    known = {e.name: e for e in (*standard_elements(), *variants())}
    names = [name for name, element in known.items() if element.components == 3]
    if arguments.elements:
        names = [REFERENCE, *arguments.elements.split(",")]
    calls, operations = {}, {}
    for name in dict.fromkeys(names):
        kernel = compile_kernel(known[name], "stiffness", lanes=LANES)
        calls[name] = our_calls([kernel], shapes(known[name]))[kernel.name]
        operations[name] = kernel.count.operations
    machine = limits()
    times = in_turns(calls)
    rates = {name: operations[name] / ns for name, ns in times.items()}
    results: dict[str, Any] = {
        name: {
            "ns": times[name],
            "operations": operations[name],
            "GFLOP/s": rates[name],
            "of hex8": rates[name] / rates[REFERENCE],
        }
        for name in calls
    }
    peak = machine["peak GFLOP/s"]
    rows = [
        (
            name,
            r["ns"],
            r["operations"],
            round(r["GFLOP/s"], 1),
            f"{100 * r['GFLOP/s'] / peak:.0f} %",
            f"{100 * r['of hex8']:.0f} %",
        )
        for name, r in results.items()
    ]
    heads = ("element", "ns", "operations", "GFLOP/s", "of peak", "of hex8's rate")
    leave("rates", {"machine": machine, "elements": results}, table(heads, rows), arguments.json)


if __name__ == "__main__":
    main()
