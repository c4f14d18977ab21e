# SPDX-License-Identifier: BSD-3-Clause
"""Pressures that follow surfaces: closed forms, derivatives, balance."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from large import CUBE, LAME, MU, ROLLERS, arch, bent, block, run
from scipy.optimize import brentq

STATIC = {"kind": "static"}


def pressure(*groups: str, value: float = 1.0, **keys: bool) -> list[dict[str, object]]:
    """Return a pressure on groups."""
    return [{"kind": "pressure", "group": one, "value": value, **keys} for one in groups]


@pytest.mark.parametrize("value", [3e6, -5e5])
def test_a_cube_under_pressure_on_all_sides(tmp_path: Path, value: float) -> None:
    """``mu (l - 1/l) + 3 lame log(l) / l = -p l^2``: the sides shrink or grow with their area."""

    def left(stretch: float) -> float:
        law = MU * (stretch - 1.0 / stretch) + 3.0 * LAME * np.log(stretch) / stretch
        return law + value * stretch**2

    exact = brentq(left, 0.5, 1.5, xtol=1e-15)
    loads = pressure("xmax", "ymax", "zmax", value=value)
    tables = block(CUBE, [2, 2, 2], supports=ROLLERS, loads=loads, analysis=STATIC)
    tables["probes"] = [{"name": "side", "group": "xmax", "component": "x"}]
    found = run(tables, tmp_path)
    assert found.probes["side"].values[-1] == pytest.approx(exact - 1.0, rel=1e-9)


def balance_of(tables: dict[str, object]) -> Balance:
    """Return the equations of a model."""
    spec = model_from_dict(tables)
    places = build_system(spec, build_mesh(spec))
    return Balance(places.system, Loads(spec, places), 0.0)


def residual(balance: Balance, q: Floats, factor: float) -> Floats:
    """Return the residual at unknowns, (n,)."""
    return balance.residual(q, balance.displacement(q, factor), factor)[0]


@pytest.mark.parametrize("planar", [False, True])
def test_the_tangent_is_the_derivative_of_the_residual(planar: bool) -> None:
    """Differences between two sides of a bent state, along random changes, with loads in part."""
    tables = (arch if planar else bent)(STATIC)
    value = 1e10 if planar else 1e5
    tables["loads"] = pressure("ymin", "ymax" if planar else "zmax", value=value)
    balance = balance_of(tables)
    rng = np.random.default_rng(3)
    size = 1e-3 if planar else 0.05
    q, x = (size * rng.normal(size=balance.system.unknowns) for _ in range(2))
    u = balance.displacement(q, 0.7)
    exact = balance.tangent(balance.at(u), q, u, 0.7) @ x
    step = 1e-4
    sides = [residual(balance, q + s * step * x, 0.7) for s in (-1.0, 1.0)]
    differences = (sides[0] - sides[1]) / (2.0 * step)
    assert differences == pytest.approx(exact, abs=2e-7 * np.abs(exact).max())
    pressed = balance.tangent(balance.at(u), q, u, 0.0) @ x
    assert np.abs(pressed - exact).max() > 1e-3 * np.abs(exact).max()


def test_a_closed_surface_has_no_resultant() -> None:
    """Of a pressure around a body that is deformed at random, force and moment vanish."""
    faces = [f"{axis}{end}" for axis in "xyz" for end in ("min", "max")]
    tables = block(CUBE, [2, 2, 2], supports=ROLLERS, loads=pressure(*faces), analysis=STATIC)
    balance = balance_of(tables)
    body = balance.system.bodies[0]
    u = 0.1 * np.random.default_rng(1).normal(size=body.points.shape)
    forces = balance.loads.following(0.0, u)
    assert np.abs(forces).max() > 0.05
    assert np.abs(forces.sum(axis=0)).max() < 1e-14
    assert np.abs(np.cross(body.points + u, forces).sum(axis=0)).max() < 1e-14


def test_dead_and_following_pressures_differ(tmp_path: Path) -> None:
    """On a bar that bends far; what is asked of a linear body is refused."""
    tips = []
    for follows in (True, False):
        tables = bent(STATIC, loads=pressure("zmin", value=400.0, follows=follows))
        tips.append(run(tables, tmp_path / str(follows)).probes["tip"].values[-1])
    assert tips[0] > 1.4 and 0.01 < tips[1] - tips[0] < 0.05
    tables["loads"] = pressure("zmin", value=400.0, follows=True)
    tables["materials"] = {"soft": {"young": 2.5e6, "poisson": 0.25, "density": 1000.0}}
    tables["bodies"] = [{"name": "block", "element": "hex8", "material": "soft"}]
    with pytest.raises(InputError, match="follows: found true with body 'block'"):
        run(tables, tmp_path / "linear")


def test_reactions_balance_pressures_that_follow(tmp_path: Path) -> None:
    """A pressed face of a bar whose other end is held: what the support takes is what is there."""
    tables = bent(STATIC, loads=pressure("zmin", value=400.0))
    found = run(tables, tmp_path)
    balance = balance_of(tables)
    assert found.figures["reaction z"][0] == pytest.approx(found.probes["hold"].values[-1])
    assert found.probes["hold"].values[-1] < -3000.0
    assert balance.loads.followers and not balance.is_symmetric


def test_the_rate_of_the_residual_by_the_load_factor() -> None:
    """All that grows with it: a pressure, a given displacement, a force, and the rotation."""
    tables = bent(STATIC)
    tables["loads"] += pressure("zmin", value=1e4)
    pushed = {"group": "xmax", "components": ["y"], "displacement": {"y": 0.3}}
    tables["supports"] = [*tables["supports"], pushed]
    tables["bodies"][0]["frame"] = {"axis": [0, 1, 0], "velocity": 5.0}
    balance = balance_of(tables)
    q = 0.05 * np.random.default_rng(2).normal(size=balance.system.unknowns)
    u = balance.displacement(q, 0.6)
    exact = balance.by_factor(balance.at(u), q, u, 0.6)
    sides = [residual(balance, q, 0.6 + step) for step in (-1e-4, 1e-4)]
    differences = (sides[1] - sides[0]) / 2e-4
    assert differences == pytest.approx(exact, abs=1e-6 * np.abs(exact).max())


def test_half_of_a_rotation_is_one_of_half_the_square_of_its_speed() -> None:
    """What the motion of frames causes is scaled as a load is."""
    residuals = []
    for speed, factor in ((5.0, 0.5), (5.0 / np.sqrt(2.0), 1.0)):
        tables = bent(STATIC, loads=[])
        tables["bodies"][0]["frame"] = {"axis": [0, 1, 0], "velocity": speed}
        balance = balance_of(tables)
        q = 0.05 * np.random.default_rng(2).normal(size=balance.system.unknowns)
        residuals.append(residual(balance, q, factor))
    assert residuals[0] == pytest.approx(residuals[1], abs=1e-12 * np.abs(residuals[1]).max())
