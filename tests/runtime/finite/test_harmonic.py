# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of bodies with an energy about the equilibrium under their preload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge import InputError
from large import run
from scipy.optimize import brentq

#: A cube of rubber between rollers: side, m; its law, Pa; density; preload and amplitude, N.
SIDE, MU, LAME, DENSITY, PUSH, SHAKE = 0.1, 5e3, 1e4, 2e3, 60.0, 0.5

FOOT = {"name": "foot", "body": "mount", "quantity": "reaction_force", "component": "x"}


def mount(*, follows: bool, **analysis: Any) -> dict[str, Any]:
    """Return the cube pushed along x, which shakes about that state."""
    half = SIDE / 2
    sides = ((0, -half), (SIDE, -half), (SIDE, half), (0, half))
    load: dict[str, Any] = {"kind": "force", "group": "xmax"}
    push, shake = (load | {"total": [-one, 0, 0]} for one in (PUSH, SHAKE))
    if follows:
        load = {"kind": "pressure", "group": "xmax"}
        push, shake = (load | {"value": one / SIDE**2} for one in (PUSH, SHAKE))
    return {
        "mesh": {"block": {"cell": "hex8", "divisions": [1, 1, 1],
                           "corners": [[x, y, z] for z in (-half, half) for x, y in sides]}},
        "bodies": [{"name": "mount", "element": "hex8", "energy": "neo_hookean",
                    "parameters": {"mu": MU, "lame": LAME, "density": DENSITY}}],
        "supports": [{"group": "xmin"}, {"group": "xmax", "components": ["y", "z"]}],
        "loads": [push | {"preload": True}, shake],
        "analysis": {"kind": "harmonic"} | analysis,
        "probes": [
            {"name": "top", "group": "xmax", "component": "x"},
            {"name": "stress", "point": [half, 0, 0], "quantity": "stress", "component": "xx"},
        ],
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def nominal(stretch: float) -> float:
    """Return the force per area, which is Cauchy's stress too: the sides keep their width."""
    return MU * (stretch - 1 / stretch) + LAME * np.log(stretch) / stretch


@pytest.mark.parametrize("modes", [None, 1])
@pytest.mark.parametrize("follows", [False, True])
def test_a_mount_under_a_preload(modes: int | None, follows: bool, tmp_path: Path) -> None:
    """By the slope of its law at a stretch of 0.77, and a third of its mass."""
    frequency = 3.0
    analysis: dict[str, Any] = {"frequencies": [frequency]}
    if modes:
        analysis |= {"modes": modes}
    tables = mount(follows=follows, **analysis)
    reacts = not follows
    if reacts:
        tables["probes"].append(FOOT)
    run(tables, tmp_path)
    rows = np.loadtxt(tmp_path / "response.csv", delimiter=",", skiprows=1)
    top, stress, *foot = rows[1::2]  # of every probe amplitude and phase
    stretch = brentq(lambda s: nominal(s) + PUSH / SIDE**2, 0.3, 1.0, xtol=1e-15)
    assert stretch < 0.8
    slope = MU * (1 + 1 / stretch**2) + LAME * (1 - np.log(stretch)) / stretch**2
    stiffness, mass = slope * SIDE, DENSITY * SIDE**3
    square = (2 * np.pi * frequency) ** 2
    moved = SHAKE / (stiffness - square * mass / 3)
    assert top == pytest.approx(moved, rel=1e-7)
    assert stress == pytest.approx(slope * moved / SIDE, rel=1e-6)
    if reacts:
        assert foot == pytest.approx([(stiffness + square * mass / 6) * moved], rel=1e-6)


def test_what_has_no_amplitude_is_told(tmp_path: Path) -> None:
    """Reactions to a pressure that vibrates and turns with its face."""
    tables = mount(follows=True, frequencies=[1.0])
    tables["probes"] = [FOOT]
    with pytest.raises(InputError, match=r"probes\[0\]: found a reaction with loads\[1\]"):
        run(tables, tmp_path)
