# SPDX-License-Identifier: BSD-3-Clause
"""Campbell diagrams of bodies with an energy: vibrations about the equilibrium of every speed."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bladed import wheel
from flexforge import AnalysisError, load_model
from flexforge.runtime.outcome import Outcome

#: A mass on a spring that turns, and soft springs across it.
MASS, LENGTH, STIFFNESS, ACROSS = 2.0, 0.5, 800.0, 32.0
SPIN = {"axis": [0, 0, 1], "velocity": 1.0}


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_model(tables).run(output=folder)


def frequencies(found: Outcome) -> np.ndarray:
    """Return the frequencies of the tracked modes, (speeds, modes), rad/s, ascending."""
    rows = [mode["frequency_Hz"] for mode in found.campbell["modes"]]
    return 2.0 * np.pi * np.sort(np.array(rows).T, axis=1)


def swung(speeds: list[float]) -> dict[str, Any]:
    """Return a mass on a spring that turns, between others across it."""
    return {
        "mesh": {"points": {"hub": [0, 0, 0], "tip": [LENGTH, 0, 0]}},
        "masses": [{"name": name, "group": name, "mass": MASS, "frame": SPIN}
                   for name in ("hub", "tip")],
        "connectors": [
            {"name": "arm", "kind": "spring", "between": ["hub", "tip"],
             "forces": [[-9.0, -9.0 * STIFFNESS], [0.0, 0.0], [9.0, 9.0 * STIFFNESS]]},
            {"name": "across", "kind": "bushing", "at": "tip",
             "stiffness": [0.0, ACROSS, ACROSS]},
        ],
        "supports": [{"group": "hub"}],
        "analysis": {"kind": "modes", "count": 3, "speeds": speeds, "orders": [1, 2]},
    }  # fmt: skip


def test_a_mass_on_a_spring_that_doubles_its_length(tmp_path: Path) -> None:
    """Vibrations of the mass in closed form, with the length of the spring at every speed.

    ``r = k L/(k - m w^2)``, and the tension across is that of the circle: ``s^2 = w^2 + c/m`` out
    of the plane; in it ``((k - m w^2)/m - s^2)(c/m - s^2) = 4 w^2 s^2``.
    """
    speeds = [0.5, 4.0, 8.0, 12.0, 14.0]
    outcome = run(swung(speeds), tmp_path / "r")
    square = np.array(speeds) ** 2
    radial, lateral = STIFFNESS / MASS - square, ACROSS / MASS
    half = 0.5 * (radial + lateral + 4.0 * square)
    root = np.sqrt(half**2 - radial * lateral)
    wanted = np.sqrt(np.stack([half - root, half + root, square + lateral], axis=1))
    assert frequencies(outcome) == pytest.approx(np.sort(wanted, axis=1), rel=1e-9)
    # out of the plane with order 2: w^2 + c/m = 4 w^2
    crossings = [one["speed_rad_s"] for one in outcome.campbell["critical_speeds"]]
    assert min(abs(np.array(crossings) - np.sqrt(lateral / 3.0))) < 1e-8
    reached = LENGTH * STIFFNESS / (STIFFNESS - MASS * speeds[-1] ** 2)
    assert reached > 1.9 * LENGTH


def test_a_speed_without_an_equilibrium_keeps_those_before(tmp_path: Path) -> None:
    """Beyond ``sqrt(k/m)``, 20 rad/s, no length of the spring holds the mass on its circle."""
    with pytest.raises(AnalysisError, match=r"at 21 rad/s: no equilibrium .* bodies bear \d"):
        run(swung([4.0, 8.0, 21.0]), tmp_path / "r")
    summary = json.loads((tmp_path / "r" / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert summary["campbell"]["speeds_rad_s"] == [4.0, 8.0]


def test_a_bent_blade_at_speeds_one_after_the_other(tmp_path: Path) -> None:
    """What a soft blade, bent by its weight, has at each speed by itself, from rest."""
    tables: dict[str, Any] = {
        "mesh": {"block": {"cell": "line3", "corners": [[0.1, 0, 0], [1.6, 0, 0]],
                           "divisions": [6]}},
        "materials": {"glass": {"young": 12e9, "poisson": 0.25, "density": 1900}},
        "bodies": [{"name": "blade", "element": "simo_beam3", "material": "glass", "frame": SPIN,
                    "section": {"shape": "rectangle", "width": 0.08, "height": 0.004}}],
        "supports": [{"group": "xmin"}],
        "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
        "analysis": {"kind": "modes", "count": 3, "speeds": [2.0, 6.0, 20.0]},
    }  # fmt: skip
    found = frequencies(run(tables, tmp_path / "all"))
    for speed, row in zip(tables["analysis"]["speeds"], found, strict=True):
        body = tables["bodies"][0] | {"frame": SPIN | {"velocity": speed}}
        alone = {"bodies": [body], "analysis": {"kind": "modes", "count": 3}}
        figures = run(tables | alone, tmp_path / f"{speed}").figures
        wanted = [2.0 * np.pi * figures[f"mode {k + 1}"][0] for k in range(3)]
        assert row == pytest.approx(wanted, rel=1e-8)
        assert speed > 2.0 or figures["largest steady displacement"][0] > 0.2


@pytest.mark.parametrize("speeds", [None, [20.0, 60.0]])
def test_a_sector_of_a_wheel_that_strains(speeds: list[float] | None, tmp_path: Path) -> None:
    """The modes of the whole wheel, about the equilibrium of the speed."""
    analysis: dict[str, Any] = {"kind": "modes", "count": 2 if speeds else 4}
    if speeds:
        analysis["speeds"] = speeds
    body = {"name": "wheel", "element": "hex8", "material": "rubber", "energy": "neo_hookean",
            "parameters": {"mu": 8e7, "lame": 1.2e8},
            "frame": SPIN | {"velocity": 60.0}}  # fmt: skip
    found = [
        run(
            wheel(4, whole=whole, divisions=(1, 3, 1), analysis=analysis, bodies=[body],
                  materials={"rubber": {"density": 7800.0}}),
            tmp_path / str(whole),
        )
        for whole in (True, False)
    ]  # fmt: skip
    whole, sector = (np.array(one) for one in map(last_of, found))
    assert len(sector) > len(whole)
    nearest = np.abs(sector[None] - whole[:, None]).min(axis=1)
    assert (nearest < 1e-9 * whole).all()


def last_of(outcome: Outcome) -> list[float]:
    """Return the frequencies at the only speed, or at the last one, Hz."""
    if outcome.campbell:
        return [mode["frequency_Hz"][-1] for mode in outcome.campbell["modes"]]
    figures = outcome.figures.items()
    return [one[0] for name, one in figures if "mode " in name and isinstance(one, list)]
