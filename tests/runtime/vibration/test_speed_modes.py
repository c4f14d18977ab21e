# SPDX-License-Identifier: BSD-3-Clause
"""Modes of large systems at many speeds beside those of every speed by itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.model import load_model
from flexforge.runtime.vibration import (
    modes_over_speed,
    speed_modes,
    speed_space,
    speed_terms,
)

STEEL = {"young": 211e9, "poisson": 0.3, "density": 7810.0}
DAMPED = STEEL | {"damping": {"beta": 2e-6}}
TABLE = {"speed": [0, 600], "kxx": [1e6, 2e6], "kxy": [1e5, 3e5], "cxx": [300, 200],
         "mxx": [0.5, 0.8]}  # fmt: skip
OUTPUT = {"formats": ["csv"]}


def rotor(table: dict[str, Any], steel: dict[str, Any], **made: Any) -> dict[str, Any]:
    """Return a shaft with a disc on two bearings with a table."""
    shaft = {
        "name": "rotor", "material": "steel",
        "segments": [{"length": 1.2, "diameter": 0.05, "elements": 22}],
        "discs": [{"at": 0.45, "width": 0.05, "diameter": 0.3}],
        "stations": {"left": 0.0, "right": 1.2}, "spin": {"velocity": 300.0},
    } | made  # fmt: skip
    bearings = [
        {"name": name, "kind": "bearing", "at": f"rotor.{name}", "table": table}
        for name in ("left", "right")
    ]
    return {
        "materials": {"steel": steel}, "shafts": [shaft], "connectors": bearings,
        "supports": [{"group": "rotor.left", "components": ["z", "rz"]}], "output": OUTPUT,
    }  # fmt: skip


FREE: dict[str, Any] = {"supports": []}
SOLID = {"made_of": "solids", "around": 8,
         "segments": [{"length": 1.2, "diameter": 0.05, "elements": 8}]}  # fmt: skip


def disc(**others: Any) -> dict[str, Any]:
    """Return a disc held at its hub, most of whose vibrations at rest are double."""
    corners = [[r, a, z] for z in (0.0, 0.01) for r, a in
               ((0.1, 0.0), (0.5, 0.0), (0.5, 2 * np.pi), (0.1, 2 * np.pi))]  # fmt: skip
    return {
        "mesh": {"block": {"cell": "hex20", "coordinates": "cylindrical", "corners": corners,
                           "divisions": [2, 12, 1]}, "merge": True},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "disc", "element": "hex20", "material": "steel",
                    "frame": {"axis": [0, 0, 1], "velocity": 100.0}}],
        "supports": [{"group": "xmin"}], "output": OUTPUT,
    } | others  # fmt: skip


def diagram(
    model: dict[str, Any], speeds: Sequence[float], count: int, folder: Path
) -> dict[str, Any]:
    """Return the Campbell diagram of a model."""
    analysis = {"kind": "modes", "speeds": list(speeds), "count": count, "orders": [1, 2]}
    found = load_model(model | {"analysis": analysis}).run(output=folder).campbell
    assert found is not None
    return found


def roots(found: dict[str, Any]) -> np.ndarray:
    """Return the roots of a diagram at its speeds, rad/s with growth as the imaginary part."""
    growth, frequency = (
        np.array([mode[key] for mode in found["modes"]], dtype=float)
        for key in ("growth_1_s", "frequency_Hz")
    )
    return np.sort_complex((2 * np.pi * frequency + 1j * growth).T)


@pytest.fixture
def spaces(monkeypatch: pytest.MonkeyPatch) -> list[speed_modes.SpeedModes]:
    """Take small models as large ones; return the spaces that are found."""
    made: list[speed_modes.SpeedModes] = []
    for module in (speed_terms, modes_over_speed):
        monkeypatch.setattr(module, "DENSE", 0)
    begin = speed_modes.SpeedModes.of

    def counted(*given: Any) -> Any:
        found = begin(*given)
        made.extend([found] if found is not None else [])
        return found

    monkeypatch.setattr(speed_modes.SpeedModes, "of", counted)
    monkeypatch.setattr(speed_modes, "_VECTORS", 1)  # so that spaces have to grow
    return made


BEAMS = TABLE | {"kyy": [8e5, 1.6e6], "kyx": [-5e4, 2e5]}
UNDAMPED = {"speed": [0, 600], "kxx": [1e6, 2e6], "kyy": [8e5, 1e6]}


@pytest.mark.parametrize(
    ("model", "highest", "count", "digits"),
    [
        pytest.param(rotor(BEAMS, DAMPED), 520.0, 6, 3e-10, id="unsymmetric bearings"),
        pytest.param(rotor(UNDAMPED, STEEL), 520.0, 6, 3e-10, id="no damping, in pairs"),
        pytest.param(rotor(BEAMS, DAMPED) | FREE, 520.0, 7, 1e-8, id="free along the axis"),
        pytest.param(
            rotor({"speed": [0, 600], "kxx": [1e6, 2e6]}, STEEL, **SOLID) | FREE, 520.0, 8, 1e-8,
            id="solids that are free about the axis", marks=pytest.mark.slow,
        ),
        pytest.param(
            rotor(TABLE | {"kyx": [-1e5, -3e5]}, DAMPED, **SOLID), 520.0, 6, 1e-8,
            id="solids that turn", marks=pytest.mark.slow,
        ),
        pytest.param(
            rotor({"speed": [0], "kxx": [1e6]}, STEEL, **SOLID), 1500.0, 6, 1e-8,
            id="solids above critical speeds", marks=pytest.mark.slow,
        ),
        pytest.param(disc(), 1200.0, 9, 1e-8, id="disc", marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_many_speeds_are_those_of_every_speed(
    model: dict[str, Any],
    highest: float,
    count: int,
    digits: float,
    tmp_path: Path,
    spaces: list[speed_modes.SpeedModes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Frequencies, growth, critical speeds and onsets; a few factors are not many speeds.

    Of small models every speed by itself is solved completely by LAPACK, of others in a Krylov
    space of its own. Where vibrations are double, which of them is first is arbitrary.
    """
    speeds = np.linspace(0.0, highest, 14).tolist()
    found = diagram(model, speeds, count, tmp_path / "space")
    (space,) = spaces
    assert space.basis.shape[1] < len(space.basis), "a space is smaller than all"
    monkeypatch.undo()
    monkeypatch.setattr(modes_over_speed, "MANY", 1000)
    alone = diagram(model, speeds, count, tmp_path / "alone")
    assert found["speeds_rad_s"] == alone["speeds_rad_s"]
    np.testing.assert_allclose(roots(found), roots(alone), rtol=digits, atol=digits)
    np.testing.assert_array_equal(np.sign(roots(found).imag), np.sign(roots(alone).imag))
    for key, name in (("critical_speeds", "speed_rad_s"), ("instabilities", "onset_rad_s")):
        one, other = (sorted(row[name] or 0.0 for row in each[key]) for each in (found, alone))
        np.testing.assert_allclose(one, other, rtol=1e-7)
    assert found["critical_speeds"]


def test_a_space_grows_where_it_is_asked_for_more(
    tmp_path: Path, spaces: list[speed_modes.SpeedModes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Made for other speeds, it takes the vectors of this one, to the same digits."""
    monkeypatch.setattr(speed_modes.SpeedModes, "close", lambda self: None)
    model, beyond = rotor(BEAMS, DAMPED), 1200.0
    diagram(model, np.linspace(0.0, 100.0, 8).tolist(), 6, tmp_path / "space")
    (space,) = spaces
    before = space.basis.shape[1]
    found = space.at(beyond).values
    assert space.basis.shape[1] > before
    monkeypatch.undo()
    exact = roots(diagram(model, [beyond, beyond + 1.0], 6, tmp_path / "alone"))[0]
    growth, frequency = exact.imag, exact.real
    np.testing.assert_allclose(found[:6], growth + 1j * frequency, rtol=3e-10)


def test_stresses_that_are_not_smooth_have_no_space(
    tmp_path: Path, spaces: list[speed_modes.SpeedModes]
) -> None:
    """Rotation straightens a plate that a pressure bends, by a fraction of the square of speeds.

    Every speed is solved by itself then.
    """
    edges = ((0.1, 0.0), (1.0, 0.0), (1.0, 0.1), (0.1, 0.1))
    corners = [[x, y, z] for z in (-0.002, 0.002) for x, y in edges]
    model = disc(
        mesh={"block": {"cell": "hex8", "corners": corners, "divisions": [9, 2, 1]}},
        bodies=[{"name": "blade", "element": "hex8i", "material": "steel",
                 "frame": {"axis": [0, 1, 0], "velocity": 100.0}}],
    )  # fmt: skip
    speeds = np.linspace(10.0, 300.0, 8).tolist()
    straight = diagram(model, speeds, 2, tmp_path / "straight")
    assert len(spaces) == 1
    pressed = model | {"loads": [{"kind": "pressure", "group": "zmax", "value": 500.0}]}
    bent = diagram(pressed, speeds, 2, tmp_path / "bent")
    assert len(spaces) == 1
    assert len(straight["speeds_rad_s"]) == len(bent["speeds_rad_s"]) == 8


def test_a_space_that_grows_too_large_is_none(
    tmp_path: Path, spaces: list[speed_modes.SpeedModes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every speed is solved by itself."""
    monkeypatch.setattr(speed_space, "MOST", 2)
    speeds = np.linspace(0.0, 520.0, 8).tolist()
    found = diagram(rotor(BEAMS, DAMPED), speeds, 2, tmp_path)
    assert not spaces
    assert len(found["speeds_rad_s"]) == 8
