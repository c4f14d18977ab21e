# SPDX-License-Identifier: BSD-3-Clause
"""Beams and cables with an energy in models: equilibria, loads that follow, buckling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics.balance import Balance
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from large import run
from marks import slow
from scipy.integrate import solve_ivp
from turned_rods import SLENDER, STEEL, body, rod

BENDING = STEEL["young"] * SLENDER["inertia_z"]
#: Three nodes in space take long to derive, and are quick in the plane.
BEAMS = ("simo_beam2", slow("simo_beam3"), "simo_beam2_plane", slow("simo_beam3_plane"))


def about_z(element: str, moment: float) -> list[float]:
    """Return a moment about z, or about an axis of space across the beam."""
    return [0.0, 0.0, moment] if element.endswith("_plane") else [0.0, 0.6 * moment, 0.8 * moment]


@pytest.mark.parametrize("element", BEAMS)
def test_a_moment_rolls_a_beam_up(element: str, tmp_path: Path) -> None:
    """2 pi EI/L is one turn: the ends meet, every section carries the moment, M^2 L/(2 EI)."""
    moment = 2.0 * np.pi * BENDING
    loads = [{"kind": "moment", "group": "xmax", "total": about_z(element, moment)}]
    tables = rod(element, 10, loads=loads, analysis={"kind": "static", "load_steps": 8})
    tables["probes"] += [
        {"name": one, "body": "rod", "quantity": "section_force", "component": one, "reduce": "max"}
        for one in (("Mz",) if element.endswith("_plane") else ("My", "Mz"))
    ]
    found = run(tables, tmp_path / "results")
    ends = {name: float(values[-1]) for name, values in found.probes.items()}
    assert ends.pop("x") == pytest.approx(-1.0, abs=1e-8)
    assert [ends.pop(name) for name in ("y", "z") if name in ends] == pytest.approx(
        [0.0] if element.endswith("_plane") else [0.0, 0.0], abs=1e-8
    )
    shares = [0.6, 0.8][-len(ends) :] if len(ends) == 2 else [1.0]
    assert list(ends.values()) == pytest.approx([moment * share for share in shares], rel=1e-8)
    assert found.figures["strain energy"][0] == pytest.approx(moment**2 / (2.0 * BENDING), rel=1e-8)


def followed(load: float) -> np.ndarray:
    """Return the tip of an inextensible rod of 1 m whose tip force stays across the tip.

    In axes of the tip, from which the lengths are counted, the equation of the elastica
    ``EI theta'' = -P cos(theta)`` has initial values alone; x and y are then seen from the clamp.
    """

    def slopes(_: float, y: np.ndarray) -> list[float]:
        turn, bend = y[:2]
        return [bend, -load / BENDING * np.cos(turn), np.cos(turn), np.sin(turn)]

    end = solve_ivp(slopes, (0.0, 1.0), [0.0] * 4, rtol=1e-12, atol=1e-14).y[:, -1]
    cosine, sine = np.cos(end[0]), np.sin(end[0])
    return np.array([end[2] * cosine + end[3] * sine, end[3] * cosine - end[2] * sine])


@pytest.mark.parametrize("element", BEAMS)
def test_a_force_follows_the_tip(element: str, tmp_path: Path) -> None:
    """Errors fall as the square of the length of elements, or its fourth power."""
    load, errors = 6.0 * BENDING, []
    across = [0.0, load, 0.0] if element.endswith("_plane") else [0.0, 0.8 * load, -0.6 * load]
    loads = [{"kind": "force", "group": "xmax", "total": across, "follows": True}]
    order = 4 if "3" in element else 2
    for count in (10, 20):
        tables = rod(element, count, loads=loads, analysis={"kind": "static", "load_steps": 4})
        found = run(tables, tmp_path / str(count)).probes
        tip = [float(found[name][-1]) for name in found]
        lateral = tip[1] if len(tip) == 2 else 0.8 * tip[1] - 0.6 * tip[2]
        errors.append(np.array([1.0 + tip[0], lateral]) - followed(load))
    better = errors[1] + (errors[1] - errors[0]) / (2**order - 1)
    assert abs(errors[1]).max() < (2e-3 if order == 2 else 1e-4)
    # What stretches and shears by 6 EI/(EA), 1.5e-5, is left.
    assert abs(better).max() < 5e-5


def corner(element: str, count: int, side: float, **analysis: Any) -> dict[str, Any]:
    """Return a frame with a right angle, clamped at one end, with a force along x at the other.

    Argyris et al., Computer Methods in Applied Mechanics and Engineering 20 (1979): legs of 240 mm
    of a strip of 30 mm x 0.6 mm, E = 71,240 N/mm^2, Poisson's ratio 0.31. Here up to 1.5 N.
    """
    leg, cells = 0.24 * np.linspace(0.0, 1.0, count + 1), np.arange(2 * count)
    points = np.zeros((2 * count + 1, 3))
    points[: count + 1, 0], points[count:, 0], points[count:, 1] = leg, leg[-1], -leg
    mesh = ff.mesh_from_arrays(
        points, {"line2": np.column_stack([cells, cells + 1])}, {"root": [0], "end": [2 * count]}
    )
    height, thick = 30e-3, 0.6e-3
    section = {"area": height * thick, "inertia_y": height * thick**3 / 12.0,
               "inertia_z": thick * height**3 / 12.0, "torsion": height * thick**3 / 3.0,
               "shear_y": 5 / 6, "shear_z": 5 / 6, "orientation": [1, 1, 0]}  # fmt: skip
    return {
        "mesh": mesh,
        "materials": {"steel": {"young": 71_240e6, "poisson": 0.31, "density": 2700.0}},
        "bodies": [body(element, section)],
        "supports": [{"group": "root"}],
        "loads": [{"kind": "force", "group": "end", "total": [1.5, 0.0, side]}],
        "probes": [{"name": "out", "group": "end", "component": "z"}],
        "analysis": {"kind": "static", "load_steps": 30, **analysis},
        "output": {"formats": ["csv"]},
    }


def test_a_frame_with_a_right_angle_buckles_out_of_its_plane(tmp_path: Path) -> None:
    """At 1.088 N (Simo and Vu-Quoc, CMAME 58, 1986, ten elements a leg), and goes on sideways."""
    flat = run(corner("simo_beam2", 10, 0.0), tmp_path / "flat")
    assert float(flat.probes["out"][-1]) == 0.0
    assert flat.figures["negative eigenvalues at the end"] == 1
    (critical,) = flat.figures["bifurcations at load factors"]
    assert 1.5 * critical == pytest.approx(1.088, rel=0.01)
    tables = corner("simo_beam2", 10, 2e-4, path="arc_length", points=60)
    bent = run(tables, tmp_path / "bent")
    assert "negative eigenvalues at the end" not in bent.figures
    assert float(bent.probes["out"][-1]) > 0.05
    # It moves out by a quarter of its legs in the last third of the load, not before.
    assert 0.0 < float(bent.probes["out"][5]) < 1e-4


SQUAT = {"shape": "rectangle", "width": 0.2, "height": 0.1}


def balance(element: str) -> Balance:
    """Return the balance of a thick rod in a turning frame, with loads that follow its tip."""
    planar, cable = element.endswith("_plane"), element.startswith("cable")
    turns = [0, 0, 1] if planar else [0.36, 0.48, 0.8]
    frame = {"axis": turns, "velocity": "300 + 2e4*t"}
    section = {"area": 0.02} if cable else SQUAT
    force = [3e6, 1e6, 0.0 if planar else 2e6]
    moment = [0, 0, 1e6] if planar else [1e6, 2e6, 1e6]
    loads = [{"kind": "force", "group": "xmax", "total": force, "follows": True},
             {"kind": "moment", "group": "xmax", "total": moment, "follows": True}]  # fmt: skip
    bodies = [body(element, section, frame=frame)]
    spec = model_from_dict(rod(element, 4, loads=[] if cable else loads, bodies=bodies))
    places = build_system(spec, build_mesh(spec))
    return Balance(places.system, Loads(spec, places), 0.0)


@pytest.mark.parametrize("element", [*BEAMS, "cable2", slow("cable3"), "cable2_plane"])
def test_tangents_are_derivatives_of_the_balance(element: str) -> None:
    """By displacements and spins, of a bent state: elasticity, spin, and loads that follow."""
    here, factor = balance(element), 0.7
    system, rng = here.system, np.random.default_rng(3)
    q = 0.2 * rng.standard_normal(system.unknowns)

    def residual(change: np.ndarray, at: float = factor) -> np.ndarray:
        there = system.moved(q, change)
        return here.residual(there, here.displacement(there, at), at)[0]

    u = here.displacement(q, factor)
    there = here.at(u, factor)
    tangent, step = here.tangent(there, q, u, factor).toarray(), 1e-3
    by_differences = np.zeros_like(tangent)
    for k, one in enumerate(step * np.eye(len(q))):
        near, far = (residual(m * one) - residual(-m * one) for m in (1, 2))
        farther = residual(3 * one) - residual(-3 * one)
        by_differences[:, k] = -(45.0 * near - 9.0 * far + farther) / (60.0 * step)
    assert abs(tangent - by_differences).max() < 1e-9 * abs(tangent).max()
    ahead = residual(0 * q, factor + 0.5) - residual(0 * q, factor - 0.5)  # it is linear
    assert abs(ahead - here.by_factor(there, q, u, factor)).max() < 1e-9 * abs(ahead).max()


REFUSED = [
    ({"supports": [{"group": "xmin", "components": ["x", "y", "z", "rx"]}]}, "found two free rot"),
    (
        {"supports": [{"group": "xmin", "components": ["x", "y", "z", "rx", "ry"],
                       "displacement": {"rx": 0.1}}]},
        "found a prescribed rotation and a free one at node",
    ),
    ({"bodies": [body("simo_beam2", SLENDER | {"offset": [0.1, 0.0]})]}, "section.offset: found"),
    (
        {"bodies": [body("timoshenko_beam")],
         "loads": [{"kind": "force", "group": "xmax", "total": [1, 0, 0], "follows": True}]},
        "loads.0..follows: found true with body 'rod', whose nodes do not turn by any",
    ),
    (
        {"bodies": [body("cable2")],
         "loads": [{"kind": "moment", "group": "xmax", "total": [1, 0, 0]}]},
        "loads.0..group: the nodes of 'xmax' have no rotations",
    ),
    (
        {"loads": [{"kind": "force", "group": "xmax", "total": [1, 0, 0], "follows": True,
                    "frame": "global"}]},
        "follows: found true with frame = \"global\"",
    ),
    (
        {"bodies": [body("simo_beam2"), body("euler_beam") | {"name": "other"}]},
        "body 'rod': found rotations that 'other' shares",
    ),
    (
        {"supports": [{"group": "xmin", "components": ["x", "y", "z"]}],
         "equations": [{"terms": [{"group": "xmin", "component": "rx"},
                                  {"group": "xmax", "component": "rx"}]}]},
        "equations: found rotations of body 'rod' in them",
    ),
    ({"bodies": [body("simo_beam4")]}, "did you mean 'simo_beam"),
]  # fmt: skip


@pytest.mark.parametrize(("tables", "said"), REFUSED)
def test_what_rotations_of_any_angle_cannot_be_part_of(
    tables: dict[str, Any], said: str, tmp_path: Path
) -> None:
    """One line names the key."""
    with pytest.raises(InputError, match=said):
        run(rod("simo_beam2", 2) | tables, tmp_path / "results")
