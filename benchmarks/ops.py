# SPDX-License-Identifier: BSD-3-Clause
"""The formalisms compared: what each takes to derive an element, and what its equations cost.

Counts are exact and the same on every machine (tests/codegen/comparison.json holds them); times are
what this machine took, kernels taking turns. A page of bar charts is written beside the results.
Then the elasticity problems of ``benchmarks/problems``: operations, bytes and ns of our kernels and
of FFCx's. ``--problems tet4,hex8/mass`` runs some of these alone. With ``--kernel FILE --function
NAME --problem hex8/stiffness`` a C kernel of yours is checked, counted and timed:
benchmarks/README.md says how it is called.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from flexforge.codegen.driver import Kernel, compile_kernel
from flexforge.codegen.elements.declaration import Element
from flexforge.codegen.elements.library import element as element_by_name
from flexforge.codegen.elements.library import standard_elements
from flexforge.codegen.elements.terms import LOADS, MATRICES
from flexforge.codegen.errors import InputError
from flexforge.codegen.mechanics.formalisms import FORMALISMS
from flexforge.codegen.study.as_written import equations_kernel, natural_programs, write_equations
from flexforge.codegen.study.comparison import FormalismCount, comparison, count_formalism
from support.elasticity.command import add_options, run_kernel, run_problems
from support.harness import DISTINCT, instructions, nanoseconds, valgrind_missing
from support.ops_page import write_page
from support.report import FOLDER, leave, table

#: A C function of more text than this is not compiled: gcc takes minutes for it.
LONGEST_TEXT = 12_000


def compare(element: Element, timed: bool) -> dict[str, Any]:
    """Return the counts of an element by formalism and, if asked for, times and instructions."""
    counts: dict[str, FormalismCount] = {}
    kernels: list[Kernel] = []
    seconds: dict[str, float] = {}
    for name in FORMALISMS:
        natural = write_equations(element, name)
        programs = natural_programs(natural)
        seconds[name] = natural.ledger.seconds
        counts[name] = count_formalism(natural, programs)
        kernels += [equations_kernel(element, name, *item) for item in programs.items()]
    found: dict[str, Any] = asdict(comparison(element, counts))
    if timed:
        found["seconds"] = seconds
        _measure(element, kernels, found)
    return found


def _measure(element: Element, kernels: list[Kernel], found: dict[str, Any]) -> None:
    """Add ns and executed instructions an element to the costs of all kernels."""
    canonical = [compile_kernel(element, term) for term in (*MATRICES, *LOADS)]
    short = [k for k in kernels if len("".join(k.pieces.statements)) < 40 * LONGEST_TEXT]
    measured = [*short, *canonical]
    shapes = _shapes(element)
    times = nanoseconds(measured, shapes)
    counted = {} if valgrind_missing() else instructions(measured, shapes[0])
    for kernel in (*kernels, *canonical):
        if kernel.term == "equations":
            stage = kernel.name.removeprefix(f"{element.name}_{kernel.formalism}_")
            cost = found["formalisms"][kernel.formalism]["kernels"][stage]
        else:
            cost = found["canonical"][kernel.term]
        cost["ns"], cost["instructions"] = times.get(kernel.name), counted.get(kernel.name)


def _shapes(element: Element) -> np.ndarray:
    """Return distorted elements (DISTINCT, nodes, dimension)."""
    rng = np.random.default_rng(1)
    nodes = np.array([[float(x) for x in node] for node in element.nodes])
    return nodes + 0.05 * rng.uniform(-1, 1, (DISTINCT, *nodes.shape))


def lines(name: str, found: dict[str, Any]) -> str:
    """Return an element's table."""
    rows = []
    for formalism, row in found["formalisms"].items():
        kernels = row["kernels"]
        derivatives = sum(
            sum(row[kind].values()) for kind in ("partial_derivatives", "total_derivatives")
        )
        algebra = {
            part: sum(
                n
                for kind in ("products", "sums")
                for k, n in row[kind].items()
                if (k == "collect") == (part == "collect")
            )
            for part in ("build", "collect")
        }
        rows.append([
            formalism, derivatives, algebra["build"], algebra["collect"],
            row["largest_expression"], *(k["operations"] for k in kernels.values()),
            kernels["passes"]["bytes_moved"], kernels["passes"].get("instructions"),
            kernels["passes"].get("ns"),
        ])  # fmt: skip
    heads = ("", "derivatives", "to build", "to collect", "largest", "as written", "sympy.cse",
             "our passes", "bytes", "instructions", "ns")  # fmt: skip
    canonical = found["canonical"].values()
    matrices = sum(c["operations"] for c in canonical)
    took = found.get("seconds", {})
    note = f"equations written in {sum(took.values()):.2f} s by all; " if took else ""
    note += f"all matrices and load vectors: {matrices} operations"
    if all(c.get("ns") for c in canonical):
        note += f", {sum(c['ns'] for c in canonical):.4g} ns"
    size, frame = found["coordinates"], found["frame"]
    return f"{name}: {size} coordinates, {frame} frame\n{table(heads, rows)}\n{note}\n"


def main() -> None:
    """Compare, print, and write JSON and a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", default="", help="formalisms of these alone, with commas")
    parser.add_argument("--counts-only", action="store_true", help="neither times nor instructions")
    parser.add_argument("--html", type=Path, default=FOLDER / "ops.html", metavar="FILE")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    add_options(parser)
    arguments = parser.parse_args()
    try:
        if arguments.kernel is not None:
            run_kernel(arguments)
        elif arguments.problems is not None:
            run_problems(arguments.problems, arguments)
        else:
            compare_formalisms(arguments)
            if not arguments.elements:
                run_problems("all", arguments)
    except InputError as error:
        print(f"ops: {error}", file=sys.stderr)
        raise SystemExit(2) from None


def compare_formalisms(arguments: argparse.Namespace) -> None:
    """Compare the formalisms, print, and write JSON and a page."""
    names = [name for name in arguments.elements.split(",") if name]
    elements = [element_by_name(name) for name in names] or list(standard_elements())
    timed = not arguments.counts_only
    results: dict[str, Any] = {
        "compiler": subprocess.run(
            ["gcc", "--version"], capture_output=True, text=True, check=True
        ).stdout.splitlines()[0] if timed else None,
        "instructions_missing": valgrind_missing() if timed else "counts only",
        "elements": {},
    }  # fmt: skip
    texts = []
    for number, element in enumerate(elements):
        print(f"  {number + 1} of {len(elements)}: {element.name}", file=sys.stderr, flush=True)
        results["elements"][element.name] = compare(element, timed)
        texts.append(lines(element.name, results["elements"][element.name]))
    if results["instructions_missing"]:
        texts.append(f"instructions were not counted: {results['instructions_missing']}")
    write_page(arguments.html, results)
    print(f"charts in {arguments.html}", file=sys.stderr)
    leave("ops", results, "\n".join(texts), arguments.json)


if __name__ == "__main__":
    main()
