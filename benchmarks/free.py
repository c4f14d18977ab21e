# SPDX-License-Identifier: BSD-3-Clause
"""Free rigid motion: chains of links beside SymPy, and a large elastic body beside a driven one.

Mass matrix and forces of N links in the plane, in the angles of their joints. All functions are
compiled by one compiler with one set of flags, and run in turns in one process. Then steps of a box
of solid elements that turns, in a free frame and in a driven one, in turns; and steps of links
whose motion is found.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from flexforge.codegen.jit.build import INCLUDE
from flexforge.codegen.jit.compilers import COMMON, find_compiler
from support import found_links, free_body
from support.chains import Derived, by_flexforge, by_sympy
from support.report import leave, table

_DRIVER = Path(__file__).parent / "support" / "evaluations.c"


def evaluations(found: list[Derived], repeats: int) -> list[float]:
    """Return the nanoseconds of an evaluation of each function, measured in turns."""
    compiler = find_compiler()
    with tempfile.TemporaryDirectory() as scratch:
        folder, names = Path(scratch), []
        for k, one in enumerate(found):
            (folder / f"f{k}.c").write_text(f"#include <math.h>\n{one.source}")
            names.append(one.source.rpartition("void ")[2].partition("(")[0])
        kinds = "(const double *, const double *, const double *, double *)"
        lines = [f"void {name}{kinds};" for name in names]
        lines.append(f"typedef void (*evaluation){kinds};")
        lines.append(f"const evaluation functions[] = {{{', '.join(names)}}};")
        lines.append(f"const int count = {len(names)};")
        (folder / "list.c").write_text("\n".join(lines))
        flags = [*COMMON, *compiler.native, f"-I{INCLUDE}"]
        sources = [str(path) for path in folder.glob("*.c")]
        command = [*compiler.command, *flags, *sources, str(_DRIVER), "-lm", "-o", "run"]
        subprocess.run(command, cwd=folder, check=True)
        done = subprocess.run(
            ["taskset", "-c", "1", "./run", str(repeats)],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
    return [float(line) for line in done.stdout.splitlines()]


def measure(count: int, with_lagrange: bool, repeats: int) -> dict[str, Any]:
    """Derive a chain by all programs and time what they write."""
    found = [by_flexforge(count, "kane"), by_flexforge(count, "lagrange"), by_sympy(count, "kane")]
    if with_lagrange:
        print(f"{count} links by SymPy's LagrangesMethod ...", file=sys.stderr, flush=True)
        found.append(by_sympy(count, "lagrange"))
    times = evaluations(found, repeats)
    return {
        "links": count,
        "programs": {
            one.name: {
                "s to form": one.seconds["form"],
                "s to shorten": one.seconds["shorten"],
                "operations": one.operations,
                "ns an evaluation": nanoseconds,
            }
            for one, nanoseconds in zip(found, times, strict=True)
        },
    }


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", default="3,5,8", help="numbers of links")
    parser.add_argument(
        "--lagrange", type=int, default=5, help="most links that SymPy derives by Lagrange"
    )
    parser.add_argument("--repeats", type=int, default=100_000)
    parser.add_argument(
        "--divisions", type=int, default=68, help="elements along the box, 0 for none of it"
    )
    parser.add_argument("--chains", default="2,16,64", help="rods of the chains that swing")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    counts = [int(text) for text in arguments.links.split(",")]
    found = [measure(n, n <= arguments.lagrange, arguments.repeats) for n in counts]
    heads = ("links, program", "s to form", "s to shorten", "operations", "ns an evaluation")
    rows = [
        [f"{one['links']}, {name}", *figures.values()]
        for one in found
        for name, figures in one["programs"].items()
    ]
    text, bodies = table(heads, rows), []
    for free in (True, False, True, False) if arguments.divisions else ():
        figures = free_body.measure(arguments.divisions, free=free)
        bodies.append({"frame": "free" if free else "driven"} | figures)
    if bodies:
        text += "\n\n" + table(tuple(bodies[0]), [list(one.values()) for one in bodies])
    slopes: dict[str, float] = {}
    chains = [int(text) for text in arguments.chains.split(",") if text]
    links = [found_links.measure(found_links.chain(n), f"chain of {n}", n) for n in chains]
    if len(chains) > 1:
        slopes = {k: found_links.slope(links, chains, k) for k in ("exported", "by speeds")}
    links.append(found_links.measure(found_links.arm(), "arm of six axes"))
    links.append(found_links.measure(found_links.rotor(), "rotor in eight coordinates"))
    text += "\n\n" + table(tuple(links[0]), [list(one.values()) for one in links])
    text += "".join(f"\nus a further link, {k}: {one:.2f}" for k, one in slopes.items())
    figures = {"chains": found, "bodies": bodies, "links": links, "us a further link": slopes}
    leave("free", figures, text, arguments.json)


if __name__ == "__main__":
    main()
