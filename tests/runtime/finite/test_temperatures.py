# SPDX-License-Identifier: BSD-3-Clause
"""Bodies with an energy that temperatures expand, beside closed forms of their laws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.results.read import Results
from large import BAR, CUBE, DENSITY, LAME, MU, ROLLERS, block, body, run
from scipy.optimize import brentq

EXPANSION = 1e-3
#: Of one over its length; a length of 1.3 has grown from 1.
HEAT = 300.0
GROWN = 1.0 + EXPANSION * HEAT
HELD = [{"group": group} for group in ("xmin", "xmax", "ymin", "ymax", "zmin", "zmax")]
FULL = {"output": {"formats": ["hdf5"]}}


def heated(change: Any = HEAT, **tables: Any) -> dict[str, Any]:
    """Return a cube of eight elements that is heated; its rollers let it grow."""
    given = {
        "materials": {"rubber": {"density": DENSITY, "expansion": EXPANSION}},
        "bodies": [body(mu=MU, lame=LAME) | {"material": "rubber"}],
        "supports": ROLLERS,
        "loads": [{"kind": "temperature", "change": change}],
        "analysis": {"kind": "static", "load_steps": 2},
        **FULL,
    }
    return block(CUBE, [2, 2, 2], **(given | tables))


def last(folder: Path) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return places, displacements and stresses of the block at the end."""
    results = Results(folder)
    state = results.frame(-1).states["block"]
    return results.bodies()[0].points, state.displacement, state.stress


def test_free_bodies_grow_without_stress(tmp_path: Path) -> None:
    """By 30 %, of stresses and energies that are round-off of the moduli."""
    figures = run(heated(), tmp_path).figures
    points, moved, stress = last(tmp_path)
    assert abs(moved - EXPANSION * HEAT * points).max() < 1e-9
    assert abs(stress).max() < 1e-6 * MU
    assert abs(figures["strain energy"][0]) < 1e-9 * MU


def test_a_held_body_has_the_pressure_of_its_law(tmp_path: Path) -> None:
    """``F / g = 1 / g`` of neo-Hooke: ``g^3 (mu (g^-2 - 1) - 3 lame log g)`` in all directions."""
    run(heated(supports=HELD), tmp_path)
    exact = GROWN**3 * (MU * (GROWN**-2 - 1.0) - 3.0 * LAME * np.log(GROWN))
    _, moved, stress = last(tmp_path)
    assert abs(moved).max() < 1e-12
    assert stress[:, :3] == pytest.approx(np.full((27, 3), exact), rel=1e-12)
    assert abs(stress[:, 3:]).max() < 1e-12 * abs(exact)


@pytest.mark.parametrize("path", ["loads", "arc_length"])
def test_a_bar_between_walls_presses_them(path: str, tmp_path: Path) -> None:
    """Its sides swell to s where ``mu (s^2/g^2 - 1) + lame log(s^2/g^3) = 0``.

    Along the arc the load factor is an unknown, of whose derivative temperatures are a part.
    """
    walls = [*ROLLERS, {"group": "xmax", "components": ["x"]}]
    analysis = {"kind": "static", "load_steps": 3, "path": path}
    run(heated(supports=walls, analysis=analysis), tmp_path)

    def side(s: float) -> float:
        return MU * (s**2 / GROWN**2 - 1.0) + LAME * np.log(s**2 / GROWN**3)

    s = brentq(side, 1.0, 2.0, xtol=1e-15)
    along = GROWN**3 / s**2 * (MU * (GROWN**-2 - 1.0) + LAME * np.log(s**2 / GROWN**3))
    points, moved, stress = last(tmp_path)
    assert moved[:, 1] == pytest.approx((s - 1.0) * points[:, 1], abs=1e-7)
    assert stress[:, 0] == pytest.approx(along, rel=1e-6)
    assert abs(stress[:, 1:3]).max() < 1e-5 * abs(along)


def linear(young: float, poisson: float) -> dict[str, Any]:
    """Return the small limit of a block of rubber."""
    return {
        "materials": {
            "rubber": {
                "density": DENSITY, "expansion": EXPANSION, "young": young, "poisson": poisson,
            }
        },
        "bodies": [{"name": "block", "element": "hex8", "material": "rubber"}],
    }  # fmt: skip


#: Constants of linear elasticity of both moduli.
POISSON = LAME / (2.0 * (LAME + MU))
YOUNG = 2.0 * MU * (1.0 + POISSON)


@pytest.mark.parametrize(
    "analysis",
    [
        {"kind": "static"},
        {"kind": "transient", "duration": 0.2, "steps": 20, "method": "generalized_alpha"},
        {"kind": "transient", "duration": 0.02, "step": 2e-3, "method": "central_difference"},
    ],
    ids=lambda one: one.get("method", "static"),
)
def test_small_temperatures_are_those_of_linear_bodies(analysis: Any, tmp_path: Path) -> None:
    """A bar bends by temperatures that differ across it and grow in time."""
    load = {"kind": "temperature", "change": "1e-3*z*(1 + x)"}
    if analysis["kind"] == "transient":
        load["amplitude"] = {"points": [[0, 0], [0.01, 1.0], [1.0, 2.0]]}
    clamped = {"supports": [{"group": "xmin"}], "analysis": analysis, "loads": [load]}
    found = []
    for name, law in (("large", {}), ("linear", linear(YOUNG, POISSON))):
        tables = heated(**clamped, **law)
        tables["mesh"]["block"] |= {"corners": BAR, "divisions": [6, 1, 1]}
        run(tables, tmp_path / name)
        found.append(last(tmp_path / name)[1])
    assert abs(found[1]).max() > 1e-6
    assert abs(found[0] - found[1]).max() < 2e-4 * abs(found[1]).max()


def test_the_forces_on_nodes_are_those_of_the_walls(tmp_path: Path) -> None:
    """Of a held cube: a pressure on its faces, whose corners have a fourth of an element's."""
    tables = heated(supports=HELD)
    tables["tables"] = [{"name": "forces", "group": "xmax", "quantity": "nodal_force"}]
    tables["output"] = {"formats": ["csv"]}
    run(tables, tmp_path)
    exact = GROWN**3 * (MU * (GROWN**-2 - 1.0) - 3.0 * LAME * np.log(GROWN))
    lines = (tmp_path / "tables/forces.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
    at_end = [float(row[2]) for row in rows if float(row[0]) == 1.0]
    assert len(at_end) == 9
    assert sum(at_end) == pytest.approx(exact, rel=1e-9)  # of a face of 1 m^2


@pytest.mark.parametrize(
    "tables, expected",
    [
        (
            {"materials": {"rubber": {"density": 1.0, "expansion": [1e-3, 2e-3, 1e-3]}}},
            "of an isotropic material; expected one number",
        ),
        (
            {"analysis": {"kind": "transient", "duration": 1, "steps": 2, "method": "midpoint"}},
            "without temperatures, or generalized_alpha",
        ),
        (
            {"materials": {"rubber": {"density": 1.0}}},
            "has no thermal expansion; expected a material with expansion",
        ),
    ],
)
def test_what_temperatures_do_not_go_with(tables: Any, expected: str, tmp_path: Path) -> None:
    """Expansions along axes, forces between two states, materials without expansion."""
    with pytest.raises(InputError, match=expected):
        run(heated(**tables), tmp_path)


def test_a_heated_bar_between_walls_loses_frequency(tmp_path: Path) -> None:
    """As much as the linear body does that the stresses of its steady state stiffen."""
    walls = {"supports": [{"group": "xmin"}, {"group": "xmax"}]}
    modes = {"analysis": {"kind": "modes", "count": 1}}
    found = []
    for name, heat, law in (
        ("cold", 0.0, {}),
        ("large", 1.0, {}),
        ("linear", 1.0, linear(YOUNG, POISSON)),
    ):
        tables = heated(heat, **walls, **modes, **law)
        slender = [[4 * x, y, z] for x, y, z in BAR]
        tables["mesh"]["block"] |= {"corners": slender, "divisions": [16, 1, 1]}
        run(tables, tmp_path / name)
        found.append(float(Results(tmp_path / name).modes()[0][0]) ** 2)
    cold, large, small = found
    assert cold - small > 0.1 * cold
    assert cold - large == pytest.approx(cold - small, rel=0.05)
