# SPDX-License-Identifier: BSD-3-Clause
"""How fast the errors of every element fall as the mesh is refined, and which elements lock.

Rates: the gradient of a harmonic function, which is in equilibrium for every material, is
prescribed on the boundary of a smoothly distorted cube or square; the error is measured in the
displacement and in the energy. Locking: the straight cantilever and the thick cylinder of R. H.
MacNeal and R. L. Harder (Finite Elements in Analysis and Design 1, 1985), as a share of the exact
displacement. Rods and shells: the work of a load that they are under, which falls short of the
exact one by the square of the error in energy, and the same of slender beams and thin plates.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from flexforge.codegen.elements.library import element, standard_elements, variants
from support.locking import bending, compressing
from support.problem import errors
from support.report import leave, table
from support.rods_and_shells import EXPECTED, SLENDER, WORK, share, work_rate

#: Divisions of an edge, fine; coarse is half. Quadratic cells get by with less.
FINE = {2: {1: 24, 2: 12}, 3: {1: 8, 2: 4}}


def order_of(name: str) -> int:
    """Return the order of a cell: its name ends in the number of its nodes."""
    linear = ("tri3", "quad4", "tet4", "pyramid5", "wedge6", "hex8")
    return 1 if name.rstrip("firs") in linear else 2


def rates(full: str) -> dict[str, float]:
    """Return errors on the fine mesh and rates of an element."""
    subject = element(full)
    fine = FINE[subject.components][order_of(full.split("_")[0])]
    before, after = errors(subject, fine // 2), errors(subject, fine)
    found = np.log2(np.array(before) / np.array(after))
    return {
        "divisions": fine,
        "displacement": after[0], "energy": after[1],
        "displacement rate": float(found[0]), "energy rate": float(found[1]),
        "expected": [order_of(full.split("_")[0]) + 1, order_of(full.split("_")[0])],
    }  # fmt: skip


def field_rates(name: str) -> dict[str, Any]:
    """Return errors of the work on the fine mesh, rates and shares of a rod or a shell."""
    error, rate = work_rate(name)
    return {
        "work": error, "work rate": rate, "expected": EXPECTED[name],
        "slender": [share(name, ratio) for ratio in SLENDER] if name[:3] != "bar" else None,
    }  # fmt: skip


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--elements", help="names with commas between them; all by default")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    names, fields = [one.name for one in (*standard_elements(), *variants())], list(WORK)
    if arguments.elements:
        given = arguments.elements.split(",")
        fields = [name for name in given if name in WORK]
        names = [element(name).name for name in given if name not in WORK]
    results: dict[str, dict[str, Any]] = {}
    for name in names:
        results[name] = {
            "rates": rates(name), "cantilever": bending(name), "cylinder": compressing(name),
        }  # fmt: skip
    found = {name: field_rates(name) for name in fields}
    text = [
        "Errors in the L2 norm of the displacement and in the energy norm, relative; rates from",
        "half as many divisions:\n",
        table(
            ("element", "divisions", "displacement", "rate", "expected", "energy", "rate",
             "expected"),
            [
                (name, r["divisions"], r["displacement"], round(r["displacement rate"], 2),
                 r["expected"][0], r["energy"], round(r["energy rate"], 2), r["expected"][1])
                for name, r in ((name, one["rates"]) for name, one in results.items())
            ],
        ),
        "\nShare of the exact displacement: cantilever 6 x 0.2 x 0.1 of six elements, thick",
        "cylinder of five elements across at Poisson's ratios up to 0.4999:\n",
        table(
            ("element", "along", "in plane", "across", "0.3", "0.49", "0.4999"),
            [
                (name, *(one["cantilever"] or (None,) * 3), *(one["cylinder"] or (None,) * 3))
                for name, one in results.items()
            ],
        ),
        "\nRods and shells: what the work of a load lacks, relative, with 8 elements along a rod",
        "or half an edge of a plate, its rate from 4, and with 4 its share for slender beams and",
        "thin plates, by length and height:\n",
        table(
            ("element", "work", "rate", "expected", *(f"L/h {ratio:g}" for ratio in SLENDER)),
            [
                (name, r["work"], round(r["work rate"], 2), r["expected"],
                 *(r["slender"] or (None,) * len(SLENDER)))
                for name, r in found.items()
            ],
        ),
    ]  # fmt: skip
    data = {"elements": results, "rods and shells": found}
    leave("convergence", data, "\n".join(text), arguments.json)


if __name__ == "__main__":
    main()
