# SPDX-License-Identifier: BSD-3-Clause
"""Coaxial rotors: spins at different speeds, whose ratios stay over the speeds of an analysis."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.model import load_model
from flexforge.runtime.vibration import speed_terms, synchronous

STEEL = {"young": 2.1e11, "poisson": 0.3, "density": 7850.0}
RATIO = -1.5
SPEEDS = [50.0, 180.0, 300.0]


def spools(inner: float, outer: float, **further: Any) -> dict[str, Any]:
    """Return an inner shaft in a hollow outer one that turns against it, with a bearing between."""
    inside = {
        "name": "inner", "material": "steel", "spin": {"velocity": inner},
        "segments": [{"length": 1.0, "diameter": 0.03, "elements": 6}],
        "discs": [{"at": 0.9, "mass": 8.0, "inertia": [0.04, 0.08]}],
        "stations": {"left": 0.0, "middle": 0.7, "right": 1.0},
    }  # fmt: skip
    outside = {
        "name": "outer", "material": "steel", "spin": {"velocity": outer}, "start": [0, 0, 0.2],
        "segments": [{"length": 0.5, "diameter": 0.08, "hole": 0.06, "elements": 4}],
        "discs": [{"at": 0.2, "mass": 12.0, "inertia": [0.09, 0.16]}],
        "stations": {"left": 0.0, "right": 0.5},
    }  # fmt: skip
    table = {"speed": [0, 500], "kxx": [2e7, 3e7], "kxy": [1e6, 4e6], "kyx": [-1e6, -4e6],
             "cxx": [1e3, 5e2]}  # fmt: skip
    bearings = [
        {"name": "a", "at": "inner.left", "stiffness": [2e7, 1e7]},
        {"name": "b", "at": "outer.left", "table": table},
        {"name": "between", "between": ["inner.middle", "outer.right"], "stiffness": 3e7,
         "damping": 200.0},
        {"name": "c", "at": "inner.right", "stiffness": 1e7},
    ]  # fmt: skip
    return {
        "materials": {"steel": STEEL},
        "shafts": [inside, outside],
        "connectors": [{"kind": "bearing", **one} for one in bearings],
        "supports": [
            {"group": group, "components": ["z", "rz"]} for group in ("inner.left", "outer.left")
        ],
        "analysis": {"kind": "modes", "count": 6},
        "output": {"formats": ["csv"]},
    } | further


def roots(figures: dict[str, Any]) -> np.ndarray:
    """Return frequencies, Hz, of the modes of a run at one speed."""
    return np.array([figures[f"mode {k}"][0] for k in range(1, 7)])


@pytest.mark.parametrize("small", [True, False])
def test_diagrams_keep_the_ratio(
    small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modes over the speed are those at each pair of speeds by itself, as small and large systems.

    The bearing of the outer shaft has the coefficients of its own speed, at which it turns against
    the axis: its axis is given along the spin.
    """
    if not small:
        monkeypatch.setattr(speed_terms.SpeedTerms, "of", lambda *_: None)
    over = spools(1.0, RATIO)
    over["connectors"][1]["axis"] = [0, 0, -1]
    over["analysis"] |= {"speeds": SPEEDS, "orders": [1]}
    found = load_model(over).run(output=tmp_path / "over").campbell
    assert found is not None
    at = [found["speeds_rad_s"].index(speed) for speed in SPEEDS]
    for place, speed in zip(at, SPEEDS, strict=True):
        alone = spools(speed, RATIO * speed)
        with pytest.raises(InputError, match="about its axis; expected one from 0, in the sense"):
            load_model(alone).run(output=tmp_path / "sense")
        alone["connectors"][1]["axis"] = [0, 0, -1]
        law = alone["connectors"][1].pop("table")
        part = [
            float(np.interp(abs(RATIO) * speed, law["speed"], law.get(key, [0.0, 0.0])))
            for key in ("kxx", "kxy", "kyx", "cxx")
        ]
        alone["connectors"][1] |= {
            "stiffness": [[part[0], part[1]], [part[2], part[0]]], "damping": part[3]
        }  # fmt: skip
        wanted = roots(load_model(alone).run(output=tmp_path / f"{speed}").figures)
        each = [mode["frequency_Hz"][place] for mode in found["modes"]]
        got = sorted(one for one in each if one is not None)[: len(wanted)]
        np.testing.assert_allclose(got, wanted, rtol=1e-8)


def test_unbalances_are_on_shafts_of_the_first_speed(tmp_path: Path) -> None:
    """A response of one frequency; an unbalance on the other shaft has another and is refused."""
    load = {"kind": "unbalance", "group": "inner.disc1", "unbalance": 1e-4}
    probe = {"name": "x", "group": "inner.disc1", "component": "x"}
    analysis = {"kind": "harmonic", "speeds": SPEEDS}
    model = spools(1.0, 1.5, loads=[load], probes=[probe], analysis=analysis)
    load_model(model).run(output=tmp_path / "both")
    rows = np.loadtxt(tmp_path / "both" / "response.csv", delimiter=",", skiprows=1)
    alone = []
    for speed in SPEEDS:
        one = spools(speed, 1.5 * speed, loads=[load], probes=[probe])
        one["analysis"] = {"kind": "harmonic", "speeds": [speed]}
        load_model(one).run(output=tmp_path / f"{speed}")
        alone.append(np.loadtxt(tmp_path / f"{speed}/response.csv", delimiter=",", skiprows=1))
    np.testing.assert_allclose(rows[:, 2], np.array(alone)[:, 2], rtol=1e-10)
    load["group"] = "outer.disc1"
    with pytest.raises(InputError, match=r"loads\[0\]: found an unbalance on body 'outer\..*spins"):
        load_model(model).run(output=tmp_path / "other")
    assert synchronous._SAME < 1e-9


def test_undamped_critical_speeds_keep_the_ratio(tmp_path: Path) -> None:
    """Each is a frequency of the modes there, without damping and with its own coefficients."""
    table = {"speed": [0, 500], "kxx": [2e7, 3e7], "cxx": [1e3, 5e2]}
    over = spools(1.0, RATIO, analysis={"kind": "critical_speeds", "count": 5})
    over["connectors"][1] |= {"axis": [0, 0, -1], "table": table}
    figures = load_model(over).run(output=tmp_path / "over").figures
    found = [figures[f"undamped critical speed, order 1, {k}"][0] for k in range(1, 6)]
    for speed in found:
        stiffness = float(np.interp(abs(RATIO) * speed, table["speed"], table["kxx"]))
        alone = spools(speed, RATIO * speed)
        del alone["connectors"][1]["table"]
        alone["connectors"][1]["stiffness"] = stiffness
        alone["analysis"] |= {"count": 8, "damped": False}
        told = load_model(alone).run(output=tmp_path / "alone").figures
        known = np.array([told[f"mode {k}"][0] for k in range(1, 9)])
        assert min(abs(2 * np.pi * known / speed - 1.0)) < 1e-9
