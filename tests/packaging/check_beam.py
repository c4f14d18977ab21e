# SPDX-License-Identifier: BSD-3-Clause
"""Checks the outcome of ``flexforge run beam.toml --json``, read from the standard input.

Timoshenko: w = P L^3 / (3 E I) + P L / (k G A) with L = 1, h = 0.1, E = 2e11, G = 1e11,
k = 5/6 (Cowper 1966 for a rectangle without lateral contraction). A face loaded by equal nodal
forces and a clamped face that cannot warp are within half a percent of it.
"""

from __future__ import annotations

import json
import sys

LOAD, LENGTH, HEIGHT, YOUNG = 1000.0, 1.0, 0.1, 2e11
BENDING = LOAD * LENGTH**3 / (3 * YOUNG * HEIGHT**4 / 12)
SHEAR = LOAD * LENGTH / (5 / 6 * YOUNG / 2 * HEIGHT**2)


def check(outcome: dict) -> None:
    tip, unit = outcome["figures"]["tip"]
    expected = BENDING + SHEAR
    assert unit == "m", unit
    assert abs(tip - expected) < 0.005 * expected, (tip, expected)
    reaction, unit = outcome["figures"]["reaction z"]
    assert unit == "N", unit
    assert abs(abs(reaction) - LOAD) < 1e-6 * LOAD, reaction
    print(f"tip {tip:.6e} m, closed form {expected:.6e} m")


if __name__ == "__main__":
    check(json.load(sys.stdin))
