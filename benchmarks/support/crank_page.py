# SPDX-License-Identifier: BSD-3-Clause
"""The table of the slider-crank: microseconds a step, against ours of the same physics."""

from __future__ import annotations

from typing import Any

from support.paths import apart
from support.report import table

#: Largest difference of a motion, over its range, of a contestant of the same physics.
ALIKE = 0.03


def crank_table(found: dict[str, Any]) -> str:
    """Return the table, and leave in ``found`` how far every motion is from ours.

    Each peer is held against ours with geometric stiffness or without, whose motion is nearer.

    Parameters
    ----------
    found : dict
        What the referee brought home; contestants that are ours are called ``flexforge...``.
    """
    own = {
        name: one for name, one in found.items() if name.startswith("flexforge") and "facts" in one
    }
    rows: list[list[Any]] = []
    for name, result in found.items():
        if "absent" in result:
            rows.append([f"{name}: left out: {result['absent'][:60]}", *[None] * 6])
            continue
        path = result["facts"]["path"]
        differences = {key: apart(path, one["facts"]["path"]) for key, one in own.items()}
        near = min(differences, key=lambda key: differences[key]["middle"])
        result["differs from"] = differences
        moved = differences[near]
        if max(moved.values()) > ALIKE:
            rows.append([f"{name}: left out: moves otherwise by {max(moved.values()):.1%}",
                         *[None] * 6])  # fmt: skip
            continue
        steps, base = result["facts"]["steps"], own[near]["jobs"]["steps"]
        for job, one in result["jobs"].items():
            one["times ours"] = one["median"] / base["median"]
            rows.append([
                f"{name}: {job}", result["facts"]["unknowns"], 1e6 * one["median"] / steps,
                1e6 * one["least"] / steps, one["times ours"], one["least"] / base["least"],
                f"{moved['middle']:.2%} of {near}",
            ])  # fmt: skip
    heads = ("slider-crank, 20 beam elements", "unknowns", "us a step, median", "least",
             "times ours, median", "least", "middle differs by")  # fmt: skip
    return table(heads, rows)
