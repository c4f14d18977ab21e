# SPDX-License-Identifier: BSD-3-Clause
"""Paths of equilibria of bodies with an energy: closed forms, limits of loads, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.run import run_model
from flexforge.runtime.system.construct import build_mesh
from large import CUBE, LAME, MU, RISE, ROLLERS, arch, bent, block, body, run
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

STATIC = {"kind": "static"}


def pulled(stretch: float) -> tuple[float, float]:
    """Return force and section, per undeformed area, of a neo-Hookean bar pulled in its length.

    Of principal stretches: ``P_i = mu (l_i - 1/l_i) + lame log(J) / l_i``, sides free of force.
    """

    def side(t: float) -> float:
        return MU * (t - 1.0 / t) + LAME * np.log(stretch * t**2) / t

    t = brentq(side, 0.3, 1.5, xtol=1e-15)
    return MU * (stretch - 1.0 / stretch) + LAME * np.log(stretch * t**2) / stretch, t**2


@pytest.mark.parametrize("stretch", [0.8, 2.0])
def test_a_block_is_pulled_and_pressed(tmp_path: Path, stretch: float) -> None:
    """Uniform stretch under a dead traction, against principal stretches, and its true stress."""
    force, section = pulled(stretch)
    pressure = {"kind": "pressure", "group": "xmax", "value": -force, "follows": False}
    tables = block(CUBE, [2, 2, 2], supports=ROLLERS, loads=[pressure], analysis=STATIC)
    tables["probes"] = [
        {"name": "tip", "group": "xmax", "component": "x"},
        {"name": "hold", "body": "block", "quantity": "reaction_force", "component": "x"},
        {"name": "stress", "group": "xmin", "quantity": "stress", "component": "xx"},
    ]
    found = run(tables, tmp_path)
    assert found.probes["tip"].values[-1] == pytest.approx(stretch - 1.0, rel=1e-9)
    factors = found.probes["tip"].time
    assert np.allclose(factors, np.arange(11) / 10)
    assert np.allclose(found.probes["hold"].values, -factors * force, rtol=1e-8)
    assert found.probes["stress"].values[-1] == pytest.approx(force / section, rel=1e-8)
    assert not found.warnings


#: Every side but the ends of a block glides along walls.
CONFINED = [
    {"group": f"{axis}{end}", "components": [axis]} for axis in "yz" for end in ("min", "max")
]


def test_prescribed_displacements_grow_with_the_load_factor(tmp_path: Path) -> None:
    """A confined block is pulled to 1.8 times its length: its energy."""
    pulled = {"group": "xmax", "components": ["x"], "displacement": {"x": 0.8}}
    supports = [{"group": "xmin", "components": ["x"]}, pulled, *CONFINED]
    tables = block(CUBE, [2, 2, 2], supports=supports, analysis=STATIC | {"load_steps": 4})
    tables["probes"] = [{"name": "middle", "point": [0.5, 0.5, 0.5], "component": "x"}]
    found = run(tables, tmp_path)
    log = np.log(1.8)
    energy = 0.5 * MU * (1.8**2 - 1.0) - MU * log + 0.5 * LAME * log**2
    assert found.figures["strain energy"][0] == pytest.approx(energy, rel=1e-10)
    assert found.probes["middle"].values == pytest.approx(0.4 * np.arange(5) / 4, abs=1e-10)


def test_a_step_begins_along_the_path(tmp_path: Path) -> None:
    """Pressed to half its length in one step: cells at the moved end would invert without it."""
    pressed = {"group": "xmax", "components": ["x"], "displacement": {"x": -0.5}}
    supports = [{"group": "xmin", "components": ["x"]}, pressed, *CONFINED]
    found = run(
        block(CUBE, [2, 2, 2], supports=supports, analysis=STATIC | {"load_steps": 1}), tmp_path
    )
    assert found.figures["points of the path"] == 2


def test_small_loads_are_the_linear_limit(tmp_path: Path) -> None:
    """A millionth of the load: the linear element's displacement to the square of rotations."""
    small = bent(STATIC | {"load_steps": 1}, force=1e-3)
    linear = bent(STATIC, force=1e-3)
    linear["materials"] = {"soft": {"young": 2.5e6, "poisson": 0.25, "density": 1000.0}}
    linear["bodies"] = [{"name": "block", "element": "hex8", "material": "soft"}]
    tips = [run(one, tmp_path / name).probes["tip"].values[-1]
            for name, one in (("small", small), ("linear", linear))]  # fmt: skip
    assert tips[0] == pytest.approx(tips[1], rel=1e-6)


def test_linear_and_large_bodies_share_nodes(tmp_path: Path) -> None:
    """A linear body and one with an energy in the same cells bear half of the load each."""
    halves = {"kind": "static", "load_steps": 1}
    tables = bent(halves, force=1e-3)
    tables["materials"] = {"soft": {"young": 2.5e6, "poisson": 0.25, "density": 1000.0}}
    whole = run(tables, tmp_path / "large").probes["tip"].values[-1]
    again = {**body(mu=1e6, lame=1e6, density=1000.0), "name": "second"}
    tables["bodies"] = [{"name": "block", "element": "hex8", "material": "soft"}, again]
    doubled = run(tables, tmp_path / "both").probes["tip"].values[-1]
    assert doubled == pytest.approx(0.5 * whole, rel=1e-6)  # both fill the same cells


def top_force(down: float, u: Floats) -> tuple[float, Floats]:
    """Return the force that holds the mean of the top's nodes down, and displacements (n, 2).

    Newton's method for both together, with the assembled kernels and dense matrices.
    """
    mesh = build_mesh(model_from_dict(arch(STATIC)))
    points, cells = mesh.points[:, :2], mesh.blocks[0].nodes
    strip = ff.hyperelastic("quad8_plane_strain", "st_venant_kirchhoff")
    kernels = ff.kernels_of(strip, ["internal_forces", "tangent"])
    values = {"lame": 1.2e11, "mu": 0.8e11, "thickness": 0.1}
    free, share = np.ones(points.shape, dtype=bool), np.zeros(points.shape)
    at_top = mesh.select("xmax").nodes
    free[mesh.select("xmin").nodes], free[at_top, 0] = False, False
    share[at_top, 1] = 1.0 / len(at_top)
    p, force = share[free], 0.0
    for _ in range(40):
        inside = ff.assemble(kernels["internal_forces"], points, cells, u, **values)
        left = inside[free] + force * p
        if np.linalg.norm(left) < 1e-9 * np.linalg.norm(inside) and force:
            return force, u
        stiffness = ff.assemble(kernels["tangent"], points, cells, u, **values).toarray()
        own = stiffness[np.ix_(free.ravel(), free.ravel())]
        bordered = np.block([[own, p[:, None]], [p[None], np.zeros((1, 1))]])
        change = np.linalg.solve(bordered, [*-left, down - p @ u[free]])
        u = u.copy()
        u[free] += change[:-1]
        force += change[-1]
    raise AssertionError("no equilibrium")


@pytest.mark.slow
def test_the_path_of_an_arch(tmp_path: Path) -> None:
    """Arc length passes both limits of the load, where an independent search finds them.

    There the top is held at heights.
    """
    tables = arch({"kind": "static", "path": "arc_length", "load_steps": 100})
    found = run(tables, tmp_path)
    assert found.probes["top"].values[-1] < -2.0 * RISE
    assert found.probes["hold"].values[-1] == pytest.approx(1e5, rel=1e-8)
    highest, lowest = found.figures["limit points at load factors"]
    u, curve = np.zeros((len(build_mesh(model_from_dict(tables)).points), 2)), []
    downs = np.linspace(-0.2 * RISE, -1.6 * RISE, 60)
    for down in downs:
        force, u = top_force(down, u)
        curve.append(force / 1e5)
    smooth = CubicSpline(-downs, curve)
    ends = smooth(smooth.derivative().roots(extrapolate=False))
    assert [highest, lowest] == pytest.approx([ends.max(), ends.min()], rel=2e-3)


@pytest.mark.slow
def test_large_steps_jump_over_a_limit(tmp_path: Path) -> None:
    """The arch snaps through within a step of its load, which is told."""
    jumped = run(arch(STATIC), tmp_path / "jumped")
    assert any("jumps between load factors 0.1 and 0.2" in one for one in jumped.warnings)


@pytest.mark.slow
def test_loads_beyond_a_limit_end_the_path(tmp_path: Path) -> None:
    """A confined block of St. Venant and Kirchhoff's law bears 2/sqrt(27) of half its modulus.

    Pressed to the stretch l its force is ``(lame + 2 mu) (l^3 - l) / 2``, with a limit at
    ``1/sqrt(3)``; other equilibria are inverted. What was found up to it is kept.
    """
    modulus = LAME + 2.0 * MU
    limit = modulus / np.sqrt(27.0)
    law = {"mu": MU, "lame": LAME, "density": 1.0}
    tables = block(
        CUBE,
        [2, 1, 1],
        bodies=[body("st_venant_kirchhoff", **law)],
        supports=[{"group": "xmin", "components": ["x"]}, *CONFINED],
        loads=[{"kind": "pressure", "group": "xmax", "value": 2.0 * limit}],
        analysis=STATIC | {"load_steps": 7},
    )
    with pytest.raises(AnalysisError, match=r"beyond load factor 0\.(49999|5).*arc_length"):
        run(tables, tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert summary["figures"]["load factor"] == pytest.approx(0.5, rel=1e-4)
    moved = summary["figures"]["largest displacement"][0]
    assert moved == pytest.approx(1.0 - 1.0 / np.sqrt(3.0), rel=0.02)


REFUSED = {
    "unknown law": ({"bodies": [body("neo_hokean")]}, "energy: found 'neo_hokean'.*'neo_hookean'"),
    "stress at rest": ({"bodies": [body("mu*I1 + lame*J")]}, "stress .* where nothing is deformed"),
    "missing": ({"bodies": [body(mu=1.0, density=1.0)]}, "no value for parameter 'lame'"),
    "plane stress": (
        {"bodies": [body() | {"element": "quad4", "hypothesis": "plane_stress", "thickness": 1.0}]},
        r"bodies\[0\].energy: found one for element quad4 with hypothesis \"plane_stress\"",
    ),
    "gauss": ({"analysis": {"kind": "transient", "duration": 1.0, "steps": 2, "method": "gauss4"}},
              "gauss4"),
    "linear": (
        {"analysis": {"kind": "static", "load_steps": 3},
         "materials": {"soft": {"young": 2.5e6, "poisson": 0.25, "density": 1000.0}},
         "bodies": [{"name": "block", "element": "hex8", "material": "soft"}]},
        "analysis.load_steps: found it in a model of linear bodies",
    ),
    "points": ({"analysis": {"kind": "static", "points": 3}}, "points.*arc_length"),
    "moment": ({"probes": [{"name": "m", "body": "block", "quantity": "reaction_moment",
                            "component": "y"}]}, "reaction_moment"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_does_not_go_together_is_refused(tmp_path: Path, case: str) -> None:
    """By its key, before anything is computed."""
    tables, text = REFUSED[case]
    with pytest.raises(InputError, match=re.compile(text, re.DOTALL)):
        run(bent(STATIC) | tables, tmp_path)


def test_the_example_of_a_roof(tmp_path: Path) -> None:
    """What its page says: loads of the whole roof, both limits."""
    path = Path(__file__).parents[3] / "examples" / "snap_through" / "model.toml"
    found = run_model(path, output=tmp_path)
    limits = 80.0 * np.array(found.figures["limit points at load factors"])
    assert limits == pytest.approx([24.44, 6.84], abs=0.005)
    assert found.probes["middle"].values[-1] == pytest.approx(-0.0987, abs=5e-5)
    assert not found.warnings  # stability is lost and won at limits alone, and the end is stable
