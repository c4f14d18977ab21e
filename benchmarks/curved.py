# SPDX-License-Identifier: BSD-3-Clause
"""What the quadrature of quadratic elements is worth where they are curved.

Frequencies of a ring and of a hollow sphere, of which one each is known exactly, by the rules that
elements have and by finer ones: the error of the whole, and how much of it is that of the rule.
"""

from __future__ import annotations

import argparse
from dataclasses import replace

from flexforge.codegen.elements.library import element
from flexforge.codegen.elements.quadrature import rule
from support.report import leave, table
from support.round_bodies import frequency, ring_frequency, sphere_frequency

#: Degrees of the rules of stiffness and mass; the last is the finest.
RULES = {
    "tri6": ((2, 4), (4, 4), (6, 6)),
    "quad8": ((3, 5), (5, 5), (7, 7), (9, 9)),
    "quad9": ((5, 5), (7, 7), (9, 9)),
    "tet10": ((2, 4), (2, 2), (4, 4), (5, 5)),
    "wedge15": ((4, 4), (6, 6)),
    "hex20": ((3, 5), (3, 3), (5, 5), (7, 7)),
    "hex27": ((5, 5), (7, 7)),
}


def measured(name: str, divisions: int) -> list[dict[str, float]]:
    """Return the frequency of an element by each of its rules."""
    plane = name[0] in "tq" and not name.startswith("tet")
    subject = element(name, "plane_strain" if plane else None)
    exact = ring_frequency() if plane else sphere_frequency()
    found = []
    for stiffness, mass in RULES[name]:
        one = replace(
            subject,
            name=f"{subject.name}_{stiffness}_{mass}",
            degree={"stiffness": stiffness, "mass": mass},
        )
        value, unknowns = frequency(one, divisions)
        found.append(
            {
                "stiffness": len(rule(subject.cell, stiffness)[1]),
                "mass": len(rule(subject.cell, mass)[1]),
                "unknowns": unknowns,
                "error": value / exact - 1,
                "frequency": value,
            }
        )
    finest = found[-1]["frequency"]
    return [row | {"of the rule": row["frequency"] / finest - 1} for row in found]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--elements", default=",".join(RULES), help="names with commas between them"
    )
    parser.add_argument("--divisions", default="1,2", help="elements through the wall")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    data, rows = {}, []
    for name in arguments.elements.split(","):
        for divisions in map(int, arguments.divisions.split(",")):
            data[f"{name} {divisions}"] = found = measured(name, divisions)
            rows += [
                (
                    name,
                    divisions,
                    r["unknowns"],
                    r["stiffness"],
                    r["mass"],
                    r["error"],
                    r["of the rule"],
                )
                for r in found
            ]
    head = ("element", "through", "unknowns", "points, stiffness", "points, mass", "error",
            "of the rule")  # fmt: skip
    text = table(head, rows)
    leave("curved", data, text, arguments.json)


if __name__ == "__main__":
    main()
