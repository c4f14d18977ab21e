# SPDX-License-Identifier: BSD-3-Clause
"""Motions and vibrations of bodies with an energy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.system.construct import build_mesh
from large import CUBE, DENSITY, LAME, MU, bent, block, run
from scipy.integrate import solve_bvp
from scipy.linalg import eigh

SHORT = {"kind": "transient", "duration": 1.0}
NEWMARK = SHORT | {"steps": 400, "method": "newmark"}


def test_energy_of_a_bar_that_swings_far(tmp_path: Path) -> None:
    """What a dead force does becomes strain and kinetic energy: steps of Newmark's mean rule."""
    found = run(bent(NEWMARK), tmp_path)
    tip = found.probes["tip"].values[-1]
    stored = [found.figures[f"{kind} at the end"][0]
              for kind in ("strain energy", "kinetic energy relative to the frames")]  # fmt: skip
    assert tip > 0.45 and min(stored) > 200.0
    assert sum(stored) == pytest.approx(2e3 * tip, rel=2e-5)
    assert not found.warnings


@pytest.mark.slow
def test_explicit_and_implicit_steps_agree(tmp_path: Path) -> None:
    """Two methods that share no equation of a step but the forces."""
    explicit = SHORT | {"step": 1e-3, "method": "central_difference"}
    tips = [run(bent(one), tmp_path / one["method"]).probes["tip"].values[-1]
            for one in (explicit, NEWMARK)]  # fmt: skip
    assert tips[0] == pytest.approx(tips[1], rel=2e-4)


def test_vibrations_about_a_deformed_state(tmp_path: Path) -> None:
    """Frequencies of the bent bar are those of tangent and mass assembled beside it."""
    tables = bent({"kind": "modes", "count": 4})
    del tables["probes"]
    found = run(tables, tmp_path / "modes")
    rest = run(bent({"kind": "static"}) | {"output": {"formats": ["hdf5"]}}, tmp_path / "static")
    u = rest.results.frame(-1).states["block"].displacement
    mesh = build_mesh(model_from_dict(tables))
    points, cells = mesh.points, mesh.blocks[0].nodes
    kernels = ff.kernels_of(ff.hyperelastic("hex8", "neo_hookean"), ["tangent", "mass"])
    tangent = ff.assemble(kernels["tangent"], points, cells, u, mu=1e6, lame=1e6).toarray()
    mass = ff.assemble(kernels["mass"], points, cells, density=DENSITY).toarray()
    free = np.ones(points.shape, dtype=bool)
    free[mesh.select("xmin").nodes] = False
    chosen = np.ix_(free.ravel(), free.ravel())
    squares = eigh(tangent[chosen], mass[chosen], eigvals_only=True, subset_by_index=(0, 3))
    hertz = [found.figures[f"mode {i}"][0] for i in range(1, 5)]
    assert hertz == pytest.approx(np.sqrt(squares) / (2.0 * np.pi), rel=1e-6)
    assert hertz[1] > 1.005 * hertz[0]  # a square bar that is not bent has pairs


def test_a_start_in_equilibrium_stays_there(tmp_path: Path) -> None:
    """Nothing moves but for round-off."""
    found = run(bent(SHORT | {"steps": 10, "start": "equilibrium"}), tmp_path)
    tip = found.probes["tip"].values
    assert tip[0] > 1.8
    assert np.ptp(tip) < 1e-8


@pytest.mark.parametrize("analysis", [{"kind": "static"}, SHORT | {"steps": 5}])
def test_a_spun_rod(tmp_path: Path, analysis: dict[str, Any]) -> None:
    """A confined rod that turns about its end, against its own differential equation.

    ``dP/dX + rho w^2 (X + u) = 0`` with ``P = mu (l - 1/l) + lame log(l)/l`` and ``l = 1 + u'``;
    lateral walls turn with it. Ten cells along it: their error is of the second order.
    """
    speed = 40.0

    def slope(stretch: Any) -> Any:
        log = np.log(stretch)
        return MU * (1.0 + 1.0 / stretch**2) + LAME * (1.0 - log) / stretch**2

    def rod(x: Any, y: Any) -> Any:
        return np.vstack([y[1], -DENSITY * speed**2 * y[0] / slope(y[1])])

    nodes = np.linspace(0.0, 1.0, 200)
    exact = solve_bvp(rod, lambda a, b: [a[0], b[1] - 1.0], nodes,
                      np.vstack([nodes, np.ones_like(nodes)]), tol=1e-10)  # fmt: skip
    tip = exact.sol(1.0)[0] - 1.0
    walls = [{"group": f"{axis}{end}", "components": [axis]}
             for axis in "yz" for end in ("min", "max")]  # fmt: skip
    tips = []
    for cells in (8, 16):
        tables = block(
            CUBE,
            [cells, 1, 1],
            supports=[{"group": "xmin", "components": ["x"]}, *walls],
            analysis=analysis | ({"start": "equilibrium"} if "duration" in analysis else {}),
            probes=[{"name": "tip", "group": "xmax", "component": "x"}],
            include={"geometric": False},
        )
        tables["bodies"][0]["frame"] = {"axis": [0, 0, 1], "velocity": speed}
        tips.append(run(tables, tmp_path / str(cells)).probes["tip"].values[-1])
    assert tip > 0.1
    assert (4.0 * tips[1] - tips[0]) / 3.0 == pytest.approx(tip, rel=1e-5)


def test_a_run_goes_on_from_where_it_was_stopped(tmp_path: Path) -> None:
    """Half of the steps, a stop, the other half: the same digits."""

    def stop(what: str, done: int, total: int) -> None:
        if what == "steps" and done == 20:
            raise KeyboardInterrupt

    tables = bent(SHORT | {"steps": 40})
    whole = run(tables, tmp_path / "whole").probes["tip"].values
    with pytest.raises(KeyboardInterrupt):
        run(tables, tmp_path / "parts", progress=stop)
    again = run(tables, tmp_path / "parts", resume=True).probes["tip"].values
    assert np.array_equal(again, whole)


def test_a_base_that_is_accelerated(tmp_path: Path) -> None:
    """Supports that move as ``a t^2 / 2`` against a force of ``-a`` per mass on a bar at rest."""
    steps = SHORT | {"steps": 100}
    pushed = bent(steps, loads=[])
    lifted = {"displacement": {"z": "1.5*t**2"}}
    pushed["supports"] = [{"group": "xmin", "components": ["x", "y", "z"], **lifted}]
    weighed = bent(steps, loads=[{"kind": "gravity", "acceleration": [0.0, 0.0, -3.0]}])
    moved, bends = (run(one, tmp_path / name).probes["tip"]
                    for name, one in (("pushed", pushed), ("weighed", weighed)))  # fmt: skip
    relative = moved.values - 1.5 * moved.time**2
    assert bends.values[-1] < -1.0
    assert relative == pytest.approx(bends.values, abs=2e-5)


def test_small_damped_motions_are_the_linear_limit(tmp_path: Path) -> None:
    """A thousandth of a newton on a bar with mass damping; damping by stiffness is refused."""
    steps, material = SHORT | {"steps": 50}, {"density": DENSITY, "damping": {"alpha": 3.0}}
    small = bent(steps, force=1e-3, materials={"soft": material})
    small["bodies"][0] |= {"material": "soft", "parameters": {"mu": 1e6, "lame": 1e6}}
    linear = bent(steps, force=1e-3)
    linear["materials"] = {"soft": {"young": 2.5e6, "poisson": 0.25, **material}}
    linear["bodies"] = [{"name": "block", "element": "hex8", "material": "soft"}]
    tips = [run(one, tmp_path / name).probes["tip"].values
            for name, one in (("small", small), ("linear", linear))]  # fmt: skip
    assert tips[0] == pytest.approx(tips[1], abs=1e-5 * np.abs(tips[1]).max())
    small["materials"] = {"soft": material | {"damping": {"beta": 1e-3}}}
    with pytest.raises(InputError, match="damping by stiffness with an energy"):
        run(small, tmp_path / "refused")


def test_a_turning_strip_is_stiffened_as_by_stresses(tmp_path: Path) -> None:
    """Frequencies are those of linear elements with k_geo of the steady state, but for strains."""
    young, poisson = 2e11, 0.3
    mu = young / (2.0 * (1.0 + poisson))
    lame = 2.0 * mu * poisson / (1.0 - 2.0 * poisson)
    corners = [[0.1, 0], [1.1, 0], [1.1, 0.02], [0.1, 0.02]]
    common = {"name": "strip", "element": "quad8", "hypothesis": "plane_strain", "thickness": 0.01}
    law = {"energy": "st_venant_kirchhoff",
           "parameters": {"lame": lame, "mu": mu, "density": 7800.0}}  # fmt: skip

    def frequencies(speed: float, **keys: Any) -> Any:
        tables = {
            "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [16, 1]}},
            "materials": {"steel": {"young": young, "poisson": poisson, "density": 7800.0}},
            "bodies": [common | keys | {"frame": {"axis": [0, 0, 1], "velocity": speed}}],
            "supports": [{"group": "xmin", "components": ["x", "y"]}],
            "analysis": {"kind": "modes", "count": 3},
            "output": {"formats": ["csv"]},
        }
        found = run(tables, tmp_path / f"{speed}_{len(keys)}").figures
        return np.array([found[f"mode {k}"][0] for k in (1, 2, 3)])

    still = frequencies(0.0, material="steel")
    for speed in (20.0, 150.0):
        strain = 7800.0 * speed**2 * (1.1**2 - 0.1**2) / 2.0 / young
        linear = frequencies(speed, material="steel")
        assert np.abs(frequencies(speed, **law) / linear - 1.0).max() < 0.4 * strain
    assert (linear > 1.05 * still).all() and strain < 6e-4
