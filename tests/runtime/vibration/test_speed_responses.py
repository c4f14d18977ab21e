# SPDX-License-Identifier: BSD-3-Clause
"""Steady vibrations of large systems at many speeds beside those of every speed by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.model import load_model
from flexforge.runtime.vibration import speed_matrices, speed_space, synchronous

STEEL = {"young": 211e9, "poisson": 0.3, "density": 7810.0, "damping": {"beta": 2e-6}}
SPEEDS = np.linspace(20.0, 520.0, 25).tolist()


def rotor(table: dict[str, Any], made_of: str, elements: int) -> dict[str, Any]:
    """Return a shaft with a disc on two bearings with a table."""
    shaft = {
        "name": "rotor", "material": "steel", "made_of": made_of,
        "segments": [{"length": 1.2, "diameter": 0.05, "elements": elements}],
        "discs": [{"at": 0.45, "width": 0.05, "diameter": 0.3}],
        "stations": {"left": 0.0, "right": 1.2, "heavy": 0.45},
        "spin": {"velocity": 300.0},
    }  # fmt: skip
    if made_of == "solids":
        shaft["around"] = 8
    bearings = [
        {"name": name, "kind": "bearing", "at": f"rotor.{name}", "table": table}
        for name in ("left", "right")
    ]
    return {
        "materials": {"steel": STEEL}, "shafts": [shaft], "connectors": bearings,
        "supports": [{"group": "rotor.left", "components": ["z", "rz"]}],
        "loads": [{"kind": "unbalance", "group": "rotor.heavy", "unbalance": 1e-3, "phase": 0.4}],
        "probes": [{"name": c, "group": "rotor.right", "component": c} for c in "xy"],
        "analysis": {
            "kind": "harmonic", "speeds": SPEEDS, "order": 1 if made_of == "beams" else 0
        },
        "output": {"formats": ["csv"]},
    }  # fmt: skip


def response(tables: dict[str, Any], folder: Path) -> np.ndarray:
    """Return the complex amplitudes of the probes, (S, 2)."""
    load_model(tables).run(output=folder)
    rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1)
    return np.asarray(rows[:, 2::2] * np.exp(1j * np.radians(rows[:, 3::2])))


@pytest.mark.parametrize(
    ("made_of", "elements"), [("beams", 90), pytest.param("solids", 8, marks=pytest.mark.slow)]
)
def test_many_speeds_are_those_of_every_speed(
    made_of: str, elements: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With damping that spins, tables of unsymmetric bearings, an added mass, and resonances.

    In axes at rest the equations are complex and bearings differ along x and y; in axes that turn
    they are real. Source: each other.
    """
    still = {"kyy": [8e5, 1.6e6], "kyx": [-1e5, 2e5]} if made_of == "beams" else {
        "kyx": [-1e5, -3e5]
    }  # fmt: skip
    table = {"speed": [0, 600], "kxx": [1e6, 2e6], "kxy": [1e5, 3e5], "cxx": [300, 200]}
    model = rotor(table | {"mxx": [0.5, 0.8]} | still, made_of, elements)
    asked: list[float] = []
    inner = speed_matrices.factorize

    def counted(*given: Any, **further: Any) -> Any:
        asked.append(0.0)
        return inner(*given, **further)

    monkeypatch.setattr(speed_matrices, "factorize", counted)
    found = response(model, tmp_path / "space")
    assert 0 < len(asked) <= len(SPEEDS) // 3, "few factors serve all speeds"
    monkeypatch.setattr(synchronous, "_MANY", 1000)
    alone = response(model, tmp_path / "alone")
    np.testing.assert_allclose(found, alone, rtol=1e-6, atol=1e-9 * np.abs(alone).max())
    assert np.abs(alone).max() > 20 * np.abs(alone).min(), "there are resonances"


def test_a_space_that_grows_too_large_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line says what is left."""
    monkeypatch.setattr(speed_space, "MOST", 2)
    model = rotor({"speed": [0], "kxx": [1e6], "cxx": [10.0]}, "beams", 90)
    with pytest.raises(AnalysisError, match=r"\d+ vectors leave .* of the forces"):
        response(model, tmp_path / "results")
