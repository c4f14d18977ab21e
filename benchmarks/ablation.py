# SPDX-License-Identifier: BSD-3-Clause
"""What every pass is worth: kernels compiled without it, in operations, bytes and ns an element.

A pass is left out of the pipeline (codegen.passes.PIPELINE) and of nothing else: where another pass
tries whether its change pays in the end, it still judges by the usual finish. The batch kernels of
eight elements take turns in one run; a kernel whose text stays the same is not timed again.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.library import element as element_by_name
from flexforge.codegen.jit.compilers import find_compiler
from flexforge.codegen.passes import PIPELINE
from kernels import shapes
from support.ablation_page import write_page
from support.harness import in_turns, our_calls
from support.machine import limits
from support.report import leave, table

TERMS = ("stiffness", "scalar_mass", "geometric")
ELEMENTS = ("tri3", "quad4", "tet4", "tet10", "hex8", "hex27")
FURTHER = {"hex8": ("coriolis", "stiffness_action"), "hex27": ("stiffness_action", "mass_action")}
LANES = 8
ALL = "all passes"
FIGURES = ("operations", "bytes", "ns")


def measure(name: str, term: str) -> dict[str, dict[str, Any]]:
    """Return the figures of a kernel with all passes, and without each of them in turn."""
    element = element_by_name(name)
    kernels: dict[str, Kernel] = {}
    for left_out in (ALL, *PIPELINE):
        passes = {k: run for k, run in PIPELINE.items() if k != left_out}
        label = f"{name}_{term}_{left_out.replace(' ', '_')}"
        kernels[left_out] = compile_kernel(element, term, lanes=LANES, name=label, passes=passes)
    changed = {k: v for k, v in kernels.items() if k == ALL or v.hash != kernels[ALL].hash}
    calls = our_calls(list(changed.values()), shapes(element)[0])
    for call in calls.values():
        call.share_arguments(calls[kernels[ALL].name])
    times = in_turns(calls)
    return {
        left_out: {
            "operations": kernel.count.operations,
            "bytes": kernel.count.stack + kernel.count.bytes_moved,
            "ns": times[changed.get(left_out, kernels[ALL]).name],
            "changed": left_out in changed and left_out != ALL,
        }
        for left_out, kernel in kernels.items()
    }


def relative(found: dict[str, dict[str, dict[str, Any]]]) -> dict[str, dict[str, Any]]:
    """Return, for every pass, the geometric means of the figures without it over those with all."""
    result: dict[str, dict[str, Any]] = {}
    for left_out in PIPELINE:
        ratios = {
            figure: [case[left_out][figure] / case[ALL][figure] for case in found.values()]
            for figure in FIGURES
        }
        means = {k: float(np.exp(np.mean(np.log(values)))) for k, values in ratios.items()}
        changes = sum(case[left_out]["changed"] for case in found.values())
        result[left_out] = means | {"kernels changed": changes, "worst ns": max(ratios["ns"])}
    return result


def main() -> None:
    """Measure, print, and write JSON and the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", default=",".join(ELEMENTS), help="names with commas")
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the tables there")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    arguments = parser.parse_args()
    load = os.getloadavg()[0]
    machine = limits()
    found = {}
    for name in arguments.elements.split(","):
        for term in (*TERMS, *FURTHER.get(name, ())):
            print(f"  {name} {term}", file=sys.stderr, flush=True)
            found[f"{name} {term}"] = measure(name, term)
    results = {
        "machine": machine, "load": load, "compiler": find_compiler().version(), "lanes": LANES,
        "kernels": found, "passes": relative(found),
    }  # fmt: skip
    if arguments.markdown:
        write_page(arguments.markdown, results)
    heads = ("without", "kernels changed", *FIGURES, "worst ns")
    rows = [[k, *(v[head] for head in heads[1:])] for k, v in results["passes"].items()]
    text = f"{len(found)} kernels, geometric means over all passes\n{table(heads, rows)}"
    leave("ablation", results, text, arguments.json)


if __name__ == "__main__":
    main()
