# SPDX-License-Identifier: BSD-3-Clause
"""Amounts of unbalance by ISO 21940-11 and API 617, in any units, and the sensitivity to them."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.unit_systems import system_of
from shafts import TWO_DISCS, Tables, on, probes, run, tables

RPM = np.pi / 30.0
POUND, OUNCE, INCH = 0.45359237, 0.45359237 / 16, 0.0254


def hub(amount: Any, units: str = "m-kg-s", mass: float = 3.0, **others: Any) -> Tables:
    """Return a mass (kg) that spins on a bearing, with an unbalance, in numbers of other units."""
    own = system_of(units)
    return {
        "units": units,
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": own.of_si(mass, "kg"),
                    "spin": {"axis": [0, 0, 1], "velocity": "100 rpm"}}],
        "connectors": [{"name": "film", "kind": "bearing", "at": "hub", "orientation": [1, 0, 0],
                        "stiffness": own.of_si(4e4, "N/m"), "damping": own.of_si(20, "N s/m")}],
        "supports": [{"group": "hub", "components": ["z"]}],
        "loads": [{"kind": "unbalance", "group": "hub", "unbalance": amount}],
        "probes": [{"name": "hub", "group": "hub", "component": "x"}],
        "analysis": {"kind": "harmonic", "speeds": "900:1300:201 rpm"},
        "output": {"formats": ["csv"]},
    } | others  # fmt: skip


def amount_of(data: Tables, folder: Path) -> float:
    """Return the unbalance in SI that a run tells."""
    value, unit = run(data, folder).figures["unbalance of loads[0]"]
    units = system_of(data.get("units", "m-kg-s"))
    assert unit == units.label("kg m")
    return float(value) * units.size("kg m")


@pytest.mark.parametrize("units", ["m-kg-s", "mm-t-s", "mm-kg-ms", "in-lbf-s"])
def test_grades_and_the_formula_of_the_api(units: str, tmp_path: Path) -> None:
    """G6.3 at 3000 rpm: 6.3 mm/s over 314.16 rad/s are 20.05 um of 3 kg (ISO 21940-11, figure 2).

    4 W/N of 100 pounds at 10,000 rpm are 0.04 ounce inches (API 617); numbers of other units too.
    """
    iso = {"grade": "G6.3", "speed": "3000 rpm"}
    found = amount_of(hub(iso, units), tmp_path / "iso")
    assert found == pytest.approx(3.0 * 20.0535e-6, rel=1e-5)
    half = amount_of(hub(iso | {"share": 0.5}, units), tmp_path / "half")
    assert half == pytest.approx(0.5 * found)
    pounds = 100 * POUND / system_of(units).size("kg")
    api = {"api617": 1, "speed": "10000 rpm", "mass": pounds}
    found = amount_of(hub(api, units), tmp_path / "api")
    assert found == pytest.approx(0.04 * OUNCE * INCH, rel=1e-9)
    assert found == pytest.approx(6350e-6 * 100 * POUND / 10000, rel=1e-9)
    double = amount_of(hub(api | {"api617": 2}, units), tmp_path / "double")
    assert double == pytest.approx(2 * found)


def test_the_mass_is_that_of_all_that_turns(tmp_path: Path) -> None:
    """Shaft and discs of a rotor, without a mass that stands and one that turns slower."""
    data = tables(on(TWO_DISCS, 1e6, 2e3), 300.0, probes=probes(2),
                  analysis={"kind": "harmonic", "speeds": [100.0]})  # fmt: skip
    data["loads"] = [{"kind": "unbalance", "group": "#2",
                      "unbalance": {"grade": "G2.5", "speed": 300.0}}]  # fmt: skip
    data["mesh"]["points"] = {"still": [1, 0, 0], "slow": [0, 0, 9]}
    data["masses"] += [
        {"name": "still", "group": "still", "mass": 500.0},
        {"name": "slow", "group": "slow", "mass": 700.0, "spin": {"velocity": 200.0}},
    ]
    data["supports"] += [{"group": one, "components": ["x", "y", "z"]} for one in ("still", "slow")]
    mass = sum(one.mass for one in TWO_DISCS.discs)
    mass += sum(7810.0 * one.area * one.length for one in TWO_DISCS.pieces)
    assert amount_of(data, tmp_path) == pytest.approx(2.5e-3 / 300.0 * mass, rel=1e-9)


def test_amplitudes_per_unbalance(tmp_path: Path) -> None:
    """Of a mass on a bearing ``1 / (2 D m sqrt(1 - D^2))``, whatever the unbalance; no other load.

    D = c / (2 sqrt(k m)); the closed form is that of a Jeffcott rotor.
    """
    damping = 20 / (2 * np.sqrt(4e4 * 3.0))
    expected = 1 / (2 * damping * 3.0 * np.sqrt(1 - damping**2))
    for units in ("m-kg-s", "mm-t-s"):
        own = system_of(units)
        for amount in (own.of_si(1e-5, "kg m"), {"grade": "G2.5", "speed": "3000 rpm"}):
            run(hub(amount, units), tmp_path)
            (row,) = csv.DictReader((tmp_path / "peaks.csv").open())
            assert row["unit of it"] == f"{own.label('m')}/({own.label('kg')} {own.label('m')})"
            found = float(row["per unbalance"]) / own.size("kg")
            assert found == pytest.approx(expected, rel=1e-3)
    data = hub(1e-5)
    data["loads"] += [data["loads"][0] | {"unbalance": 3e-5}]
    run(data, tmp_path)
    (row,) = csv.DictReader((tmp_path / "peaks.csv").open())
    assert float(row["per unbalance"]) == pytest.approx(expected, rel=1e-3)
    data["loads"] += [{"kind": "force", "group": "hub", "total": [0, 1, 0]}]
    run(data, tmp_path)
    assert "per unbalance" not in (tmp_path / "peaks.csv").read_text()


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ({"speed": 9.0}, r"loads\[0\].unbalance: found neither; expected one of grade and api617"),
        ({"grade": "G1", "api617": 1, "speed": 9.0}, r"unbalance: found grade and api617; expect"),
        ({"grade": "G1"}, r"loads\[0\].unbalance.speed: missing"),
        ({"grade": "G1", "speed": 0}, r"unbalance.speed: found 0; expected a speed above 0"),
        ({"grade": "2.5", "speed": 9.0}, r'unbalance.grade: found "2.5"; expected G and a number'),
        ({"grade": "G-1", "speed": 9.0}, r'unbalance.grade: found "G-1"; expected G and a number'),
        ({"grade": "G1", "speed": 9.0, "share": 1.5}, r"unbalance.share: found 1.5; expected a nu"),
        ({"api617": 0, "speed": 9.0}, r"unbalance.api617: found 0"),
        ({"grade": "G1", "speed": 9.0, "mass": -1}, r"unbalance.mass: found -1"),
        ("G2.5", r"loads\[0\].unbalance: found 'G2.5'; expected mass times"),
    ],
)  # fmt: skip
def test_what_a_standard_lacks(amount: Any, text: str) -> None:
    with pytest.raises(InputError, match=text):
        ff.load_model(hub(amount))


def test_standards_need_units(tmp_path: Path) -> None:
    """Of undeclared units nobody knows a millimetre."""
    given = {"grade": "G1", "speed": 9.0}
    data = hub(given)
    data["units"] = "undeclared"
    with pytest.raises(
        InputError, match=r"loads\[0\].unbalance: found a standard in a model witho"
    ):
        run(data, tmp_path)
