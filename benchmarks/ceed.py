# SPDX-License-Identifier: BSD-3-Clause
"""CEED's bake-off problems BP1 to BP4 at p = 1, 2: unknowns per second, beside libCEED and MFEM.

Mass (BP1 scalar, BP2 vector) and diffusion (BP3, BP4) on hexahedra, Gauss-Legendre quadrature of
p + 2 points along each axis, steps of conjugate gradients without preconditioner or matrix; all
contestants take the same steps in NumPy, from the same right side, and differ in the operator. Our
operators are elements of our own, hex8 and hex27 with other strains and quadrature: generated, not
written. They compute the geometry of an element in every product; libCEED and MFEM (partial
assembly) read factors that they stored before. Energies of all are compared with those of SciPy's
matrices, which are known in closed form. One thread each, in turns.
"""

from __future__ import annotations

import argparse
from typing import Any

from support.bakeoff import PROBLEMS, points_along
from support.machine import processor
from support.referee import Contestant, compete, ours, peer
from support.report import leave, table

DEGREES = (1, 2)
#: Largest difference of energies from those of SciPy, relative: two roundings of sums this long.
TOLERANCE = 1e-9


def contestants(options: list[str]) -> list[Contestant]:
    """Return all contestants; SciPy's matrices are what the others are checked with."""
    return [
        ours("flexforge", "flexforge_ceed.py", *options),
        peer("libCEED", "libceed_ceed.py", *options),
        peer("MFEM", "mfem_ceed.py", *options),
        ours("SciPy, CSR", "scipy_ceed.py", *options),
    ]


def figures(results: dict[str, Any], iterations: int) -> list[dict[str, Any]]:
    """Return the figures of every contestant and problem of a degree."""
    found = []
    exact = results["SciPy, CSR"]["jobs"]
    for name, result in results.items():
        for problem, record in result.get("jobs", {}).items():
            unknowns = result["facts"]["unknowns"][problem]
            energy, known = record["figures"]["energy"], exact[problem]["figures"]["energy"]
            found.append({
                "problem": problem,
                "contestant": name,
                "unknowns": unknowns,
                "seconds": record["median"],
                "million unknowns a second": 1e-6 * unknowns * iterations / record["median"],
                "difference": abs(energy - known) / known,
                "residual": record["figures"]["residual"],
                "operations per element": result["facts"]
                .get("operations per element", {})
                .get(problem),
            })  # fmt: skip
    return sorted(found, key=lambda one: one["problem"])


def lines(degree: int, found: list[dict[str, Any]]) -> str:
    """Return the table of a degree."""
    rate = {(f["problem"], f["contestant"]): f["million unknowns a second"] for f in found}
    rows = []
    for one in found:
        speed = one["million unknowns a second"]
        others = [rate.get((one["problem"], name)) for name in ("libCEED", "MFEM")]
        rows.append((
            f"{one['problem']} {one['contestant']}", one["unknowns"], speed,
            *(speed / other if other else None for other in others),
            f"{one['difference']:.0e}", one["operations per element"],
        ))  # fmt: skip
    heads = (f"p = {degree}, {points_along(degree)}^3 points", "unknowns", "million unknowns/s",
             "this / libCEED", "this / MFEM", "energy differs", "operations")  # fmt: skip
    return table(heads, rows)


def main() -> None:
    """Measure, check, print, and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    known = ",".join(one.name for one in PROBLEMS)
    parser.add_argument("--problems", default=known, help="with commas (default: %(default)s)")
    parser.add_argument("--divisions", type=int, default=32, metavar="N",
                        help="along each axis for p = 1, half as many for p = 2")  # fmt: skip
    parser.add_argument("--iterations", type=int, default=50, metavar="N")
    parser.add_argument("--rounds", type=int, default=6, metavar="N")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    arguments = parser.parse_args()
    for name in arguments.problems.split(","):
        if name not in known.split(","):
            parser.error(f"--problems: found '{name}'; expected some of {known}, with commas")
    results: dict[str, Any] = {"processor": processor(), "iterations": arguments.iterations}
    texts, wrong = [], []
    for degree in DEGREES:
        divisions = arguments.divisions // degree
        options = [*map(str, (degree, divisions, arguments.iterations)), arguments.problems]
        found = compete(contestants(options), arguments.rounds)
        results[f"p = {degree}"] = measured = figures(found, arguments.iterations)
        results["facts"] = {name: one.get("facts") or one for name, one in found.items()}
        texts.append(lines(degree, measured))
        texts += [f"{name} is left out: {one['absent']}"
                  for name, one in found.items() if "absent" in one]  # fmt: skip
        wrong += [f"p = {degree}, {one['problem']}, {one['contestant']}: {one['difference']:.1e}"
                  for one in measured if not one["difference"] < TOLERANCE]  # fmt: skip
    texts.append(
        f"{arguments.iterations} steps of conjugate gradients, one thread; {results['processor']}"
    )
    texts.append(
        "BP1, BP3: our field is a displacement along x alone, in vectors of three numbers per node"
    )
    leave("ceed", results, "\n".join(texts), arguments.json)
    if wrong:
        raise SystemExit("ceed: energies differ from those of SciPy: " + "; ".join(wrong))


if __name__ == "__main__":
    main()
