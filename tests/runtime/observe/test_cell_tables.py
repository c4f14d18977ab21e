# SPDX-License-Identifier: BSD-3-Clause
"""Energies and volumes of cells: sums over bodies, beside work and closed forms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from marks import slow

YOUNG, DENSITY = 2e11, 7800.0
QUANTITIES = ("strain_energy", "kinetic_energy", "volume")


def block(cell: str = "hex20", **changes: Any) -> dict[str, Any]:
    """Return a block of 2 x 0.1 x 0.1 along x in four cells, with a table of each quantity."""
    corners = [[x, y, z] for z in (0, 0.1) for x, y in ((0, 0), (2, 0), (2, 0.1), (0, 0.1))]
    name = cell.removesuffix("m").removesuffix("r")
    return {
        "mesh": {"block": {"cell": name, "corners": corners, "divisions": [4, 1, 1]}},
        "materials": {"steel": {"young": YOUNG, "poisson": 0.0, "density": DENSITY}},
        "bodies": [{"name": "bar", "element": cell, "material": "steel"}],
        "supports": [{"group": "xmin"}],
        "tables": [{"group": "all", "quantity": one, "name": one, "total": "also"}
                   for one in QUANTITIES],
        "output": {"formats": ["csv", "dat"]},
        "analysis": {"kind": "static"},
    } | changes  # fmt: skip


def tables(folder: Path, given: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return what a run writes of each quantity: cells and values of the last time, then totals."""
    given["tables"] = [one | {"group": "#1-4"} for one in given["tables"]]
    run_model(model_from_dict(given), output=folder)
    found = {}
    for one in QUANTITIES:
        lines = (folder / "tables" / f"{one}.csv").read_text().splitlines()
        last = lines[-1].split(",")[0]
        rows = [line.split(",")[1:] for line in lines[1:] if line.split(",")[0] == last]
        found[one] = np.array([float(row[1]) for row in rows])
        assert [row[0] for row in rows] == ["1", "2", "3", "4", "total"]
        assert found[one][-1] == pytest.approx(found[one][:-1].sum())
    return found


@pytest.mark.parametrize("element", ["hex20", "hex20rm"])
def test_a_bar_in_tension_stores_the_work(tmp_path: Path, element: str) -> None:
    """F^2 L/(2 E A) in all, a quarter in each cell; at rest nothing moves; 0.005 m^3 each."""
    pull = {"kind": "pressure", "group": "xmax", "value": -1e8}
    found = tables(tmp_path, block(element, loads=[pull]))
    exact = (1e8 * 0.01) ** 2 * 2.0 / (2.0 * YOUNG * 0.01)
    np.testing.assert_allclose(found["strain_energy"][:4], exact / 4.0, rtol=1e-9)
    assert not found["kinetic_energy"].any()
    np.testing.assert_allclose(found["volume"], [0.005] * 4 + [0.02], rtol=1e-12)
    text = (tmp_path / "results.dat").read_text()
    assert " total internal energy for set " in text
    assert " total volume for set " in text


@pytest.mark.parametrize("element", ["hex8", pytest.param("hex20", marks=pytest.mark.slow)])
def test_a_bar_of_large_strains_stores_the_energy_of_its_law(tmp_path: Path, element: str) -> None:
    """Stretched by 1.5: E/8 (1.5^2 - 1)^2 of each cubic metre of Saint Venant and Kirchhoff's."""
    body = {"name": "bar", "element": element, "energy": "st_venant_kirchhoff",
            "material": "steel", "parameters": {"lame": 0.0, "mu": YOUNG / 2}}  # fmt: skip
    moved = [{"group": "xmin"}, {"group": "xmax", "displacement": {"x": 1.0}}]
    found = tables(tmp_path, block(element, bodies=[body], supports=moved))
    exact = YOUNG / 8.0 * (1.5**2 - 1.0) ** 2 * 0.005
    np.testing.assert_allclose(found["strain_energy"][:4], exact, rtol=1e-9)


def test_energies_of_a_motion_add_up(tmp_path: Path) -> None:
    """A bar that is let go keeps its energy: the strain energy at the start, later both."""
    field = {"displacement": ["1e-4*sin(pi*x/4)", 0, 0]}
    analysis = {"kind": "transient", "duration": 3e-4, "steps": 60}
    given = block(initial=[field], analysis=analysis, output={"formats": ["csv"], "every": 60})
    found = tables(tmp_path, given)
    # int E A/2 u'^2 dx of u = a sin(pi x/(2 L)): E A a^2 pi^2/(16 L).
    start = YOUNG * 0.01 * 1e-8 * np.pi**2 / (16.0 * 2.0)
    both = found["strain_energy"][-1] + found["kinetic_energy"][-1]
    assert both == pytest.approx(start, rel=1e-3)
    assert found["kinetic_energy"][-1] > 0.1 * start


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"loads": [{"kind": "stress", "stress": [1.0] * 6}]}, "has a temperature or a stress"),
        ({"tables": [{"group": "all", "quantity": "stress", "total": "only"}]},
         "total: found with stress; expected with forces at nodes, energies or volumes"),
    ],
)  # fmt: skip
def test_what_has_no_energy_is_told(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    given = block(**change)
    given["tables"] = [one | {"group": "#1-4"} for one in given["tables"]]
    with pytest.raises(InputError, match=said):
        run_model(model_from_dict(given), output=tmp_path)


def test_vibrations_have_no_amplitude_of_an_energy(tmp_path: Path) -> None:
    given = block(analysis={"kind": "harmonic", "frequencies": [10.0]})
    given["tables"] = [one | {"group": "#1-4"} for one in given["tables"]]
    with pytest.raises(InputError, match="found strain_energy in a harmonic analysis; expected"):
        run_model(model_from_dict(given), output=tmp_path)


@pytest.mark.parametrize(("cell", "large"), [("hex20", False), ("hex8", True), slow("hex20", True)])
def test_the_density_of_the_energy_is_that_of_the_law(
    tmp_path: Path, cell: str, large: bool
) -> None:
    """A bar stretched by s: E (s - 1)^2/2, and of Saint Venant's law E ((s^2 - 1)/2)^2/2."""
    stretch = 0.2 if large else 0.001
    held = [{"group": "xmin", "components": ["x"]}, {"group": "#1", "components": ["y", "z"]},
            {"group": "ymin", "components": ["y"]}, {"group": "zmin", "components": ["z"]},
            {"group": "xmax", "components": ["x"],
             "displacement": {"x": 2.0 * stretch}}]  # fmt: skip
    given = block(cell, supports=held, tables=[{"group": "#2-3", "quantity": "energy_density"}])
    if large:
        given["bodies"][0] |= {"energy": "st_venant_kirchhoff",
                               "parameters": {"lame": 0.0, "mu": YOUNG / 2}}  # fmt: skip
    run_model(model_from_dict(given), output=tmp_path)
    (file,) = (tmp_path / "tables").iterdir()
    rows = np.genfromtxt(file, delimiter=",", skip_header=1)
    last = rows[rows[:, 0] == rows[-1, 0]]
    strain = ((1.0 + stretch) ** 2 - 1.0) / 2.0 if large else stretch
    assert set(last[:, 1]) == {2.0, 3.0}
    np.testing.assert_allclose(last[:, 3], 0.5 * YOUNG * strain**2, rtol=1e-6)
    assert "internal energy density (elem" in (tmp_path / "results.dat").read_text()
