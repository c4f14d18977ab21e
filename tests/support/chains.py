# SPDX-License-Identifier: BSD-3-Clause
"""Systems of tests: chains of links in the plane, examples by name, small ones by their tables."""

from __future__ import annotations

from pathlib import Path

from flexforge.codegen.systems.reading import load_system, read_system

EXAMPLES = Path(__file__).parents[2] / "examples" / "systems"
NAMES = tuple(sorted(path.stem for path in EXAMPLES.glob("*.toml")))


def example(name):
    """Return a system of the examples."""
    return load_system(EXAMPLES / f"{name}.toml")


def chain(count):
    """Return uniform bars that hang one from another, in the angles of their joints."""
    numbers = range(count)
    inner = {k: {"in": f"A{k - 1}"} if k else {} for k in numbers}
    start = {k: f"P{k - 1}" if k else "O" for k in numbers}
    points = {}
    for k in numbers:
        points[f"C{k}"] = {"in": f"A{k}", "from": start[k], "at": ["0", f"-l{k}/2", "0"]}
        points[f"P{k}"] = {"in": f"A{k}", "from": start[k], "at": ["0", f"-l{k}", "0"]}
    bars = {
        f"B{k}": {
            "point": f"C{k}",
            "frame": f"A{k}",
            "mass": f"m{k}",
            "inertia": ["0", "0", f"m{k}*l{k}**2/12"],
        }
        for k in numbers
    }
    return read_system(
        {
            "name": "chain",
            "coordinates": [f"q{k}" for k in numbers],
            "gravity": ["0", "-g", "0"],
            "constants": {"g": 9.81}
            | {f"m{k}": 1.0 for k in numbers}
            | {f"l{k}": 1.0 for k in numbers},
            "frames": {f"A{k}": {"turn": [["z", f"q{k}"]], **inner[k]} for k in numbers},
            "points": points,
            "bodies": bars,
        }
    )


def pendulum(**further):
    """Return the tables of a ball on a rod, with others added or replaced."""
    tables = {
        "name": "pendulum",
        "coordinates": ["q"],
        "gravity": ["0", "-g", "0"],
        "constants": {"g": 9.81, "l": 1.0, "m": 2.0},
        "frames": {"rod": {"turn": [["z", "q"]]}},
        "points": {"end": {"in": "rod", "at": ["0", "-l", "0"]}},
        "bodies": {"ball": {"point": "end", "mass": "m"}},
    }
    return tables | further
