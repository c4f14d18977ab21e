# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of revolution with torsion: closed forms of shafts and rings, and solids beside them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.distributed.supported import require_supported
from flexforge.runtime.run import run_model
from flexforge.runtime.statics.rigid import free_motions
from flexforge.runtime.statics.static import solve_static
from flexforge.runtime.system.deformation import Deformation
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.vibration.participation import participation, rigid_motions
from marks import slow
from models import build, model, stressed

TORSION = "axisymmetric_torsion"
YOUNG, NU, RHO = 2e11, 0.3, 7800.0
SHEAR = YOUNG / (2 * (1 + NU))
#: Radii and length of a shaft, m.
INNER, OUTER, LENGTH = 0.05, 0.15, 0.3
STEEL = {"steel": {"young": YOUNG, "poisson": NU, "density": RHO}}


def shaft(cell: str, divisions: list[int], **tables: Any) -> Any:
    """Return a model of a shaft about y, held at its lower end."""
    inner, length = tables.pop("inner", INNER), tables.pop("length", LENGTH)
    corners = [[inner, 0], [OUTER, 0], [OUTER, length], [inner, length]]
    body = {"hypothesis": TORSION, "thickness": None} | tables.pop("body", {})
    tables = {"supports": [{"group": "ymin"}]} | tables
    return model(cell, divisions, corners=corners, body=body, **tables)


def solve(spec: Any) -> Any:
    """Return the body and its equilibrium."""
    places = stressed(spec)
    found = solve_static(places.system, Loads(spec, places), 0.0, "auto")
    return places.system.bodies[0], found.displacement


def test_torsion_of_a_solid_shaft() -> None:
    """u_z = -T x y / (G J) for a moment T about y, tau = T x / J: one cell across is exact."""
    torque = 1e3
    loads = [{"kind": "moment", "group": "ymax", "total": [0, torque, 0]}]
    body, u = solve(shaft("quad4", [1, 4], inner=0.0, loads=loads))
    x, y = body.points[:, 0], body.points[:, 1]
    polar = np.pi / 2 * OUTER**4
    exact = -torque * x * y / (SHEAR * polar)
    assert np.abs(u[:, 2] - exact).max() < 1e-13 * np.abs(exact).max()
    assert not u[:, :2].any()
    stress = body.stress(u)  # xx yy zz xy yz zx
    expected = np.zeros_like(stress)
    expected[:, 4] = -torque * x / polar
    assert np.abs(stress - expected).max() < 1e-12 * np.abs(expected).max()


def test_torsion_of_a_hollow_shaft(tmp_path: Path) -> None:
    """Far from its ends a tube twists by T / (G J) per length; its support resists with -T."""
    torque, length = 2e3, 10 * OUTER
    spec = shaft(
        "quad8", [2, 30], length=length,
        loads=[{"kind": "moment", "group": "ymax", "total": [0, torque, 0]}],
        probes=[{"name": "held", "body": "block", "quantity": "reaction_moment", "component": "y"}],
    )  # fmt: skip
    body, u = solve(spec)
    x, y = body.points[:, 0], body.points[:, 1]
    turn = [-(u[:, 2] / x)[np.isclose(y, at * length)] for at in (0.4, 0.6)]
    polar = np.pi / 2 * (OUTER**4 - INNER**4)
    assert turn[1] - turn[0] == pytest.approx(0.2 * torque * length / (SHEAR * polar), rel=1e-8)
    figures = run_model(spec, output=tmp_path).figures
    assert figures["held"][0] == pytest.approx(-torque, rel=1e-9)


@pytest.mark.parametrize("cell", ["quad4", "quad8"])
def test_torsional_frequencies(cell: str, tmp_path: Path) -> None:
    """f = (2 n - 1) sqrt(G / rho) / (4 L) of a shaft held at one end, of any radius."""
    divisions = [1, 40] if cell == "quad4" else [1, 10]
    supports = [{"group": "ymin"}, {"group": "all", "components": ["x", "y"]}]
    spec = shaft(cell, divisions, supports=supports, analysis={"kind": "modes", "count": 3})
    figures = run_model(spec, output=tmp_path).figures
    found = [figures[f"mode {n}"][0] for n in (1, 2, 3)]
    exact = np.array([1, 3, 5]) * np.sqrt(SHEAR / RHO) / (4 * LENGTH)
    # A line of N linear elements overestimates by (k h)^2 / 24, a quadratic one by (k h)^4 / 1440.
    phase = np.array([1, 3, 5]) * np.pi / 2 / divisions[1]
    above = phase**2 / 24 if cell == "quad4" else phase**4 / 1440
    assert found / exact - 1 == pytest.approx(above, rel=0.1)


def test_a_shaft_that_spins_up_lags_behind() -> None:
    """G u_z,yy = -rho e x, held at y = 0, free at y = L: u_z = rho e x (L y - y^2 / 2) / G.

    Its shear zx vanishes, so that it satisfies the conditions at the free surfaces too. Without the
    Euler force of the lag itself, of the second order.
    """
    rate, include = 50.0, {"euler": False}
    body = {"frame": {"axis": [0, 1, 0], "acceleration": rate}}
    body, u = solve(shaft("quad8", [2, 3], body=body, include=include))
    x, y = body.points[:, 0], body.points[:, 1]
    exact = RHO * rate * x * (LENGTH * y - y**2 / 2) / SHEAR
    assert np.abs(u[:, 2] - exact).max() < 1e-11 * exact.max()
    assert not u[:, :2].any()


@pytest.mark.parametrize("speed", [400.0, 1000.0])
def test_a_thin_ring_breathes_and_turns_to_and_fro(speed: float, tmp_path: Path) -> None:
    """omega^2 = c^2 + 4 w^2 about the stressed state, c = sqrt(E / rho) / R = 5000 / s.

    By Lagrange from T = rho/2 [(u' + w v)^2 + (v' - w (R + u))^2], V = E/2 (u / R)^2 and the work
    of the hoop stress rho w^2 R^2 on (u^2 + v^2) / (2 R^2). Without that work
    (s + w^2 - c^2)(s + w^2) = 4 w^2 s, s = omega^2: one motion grows.
    """
    corners = [[0.999, 0], [1.001, 0], [1.001, 0.002], [0.999, 0.002]]
    figures = []
    for include in ({}, {"geometric": False}):
        spec = model(
            "quad4", [1, 1], corners=corners, include=include,
            body={"hypothesis": TORSION, "thickness": None,
                  "frame": {"axis": [0, 1, 0], "velocity": speed}},
            materials={"steel": {"young": 2e11, "poisson": 0.0, "density": 8000.0}},
            supports=[{"group": "all", "components": ["y"]}],
            analysis={"kind": "modes", "count": 2},
        )  # fmt: skip
        figures.append(run_model(spec, output=tmp_path).figures)
    own, turned = 5000.0**2, speed**2
    assert 2 * np.pi * figures[0]["mode 2"][0] == pytest.approx(np.sqrt(own + 4 * turned), rel=1e-5)
    half = own / 2 + turned
    root = np.sqrt(half**2 + turned * (own - turned))
    assert 2 * np.pi * figures[1]["mode 2"][0] == pytest.approx(np.sqrt(half + root), rel=2e-6)
    growth = figures[1]["growth of mode 1"][0]
    assert growth == pytest.approx(np.sqrt(root - half), rel=2e-6)


def test_an_inverted_cell_is_refused() -> None:
    """Its cell is judged in the section, where it fills the space: by the determinant, at nodes."""
    kernel = ff.kernels_of("quad4_axisymmetric_torsion", ["stiffness"])["stiffness"]
    points = np.array([[1.0, 0, 0], [1, 1, 0], [2, 1, 0], [2, 0, 0]])
    with pytest.raises(InputError, match="the determinant of the Jacobian is -0.25 at node 1"):
        kernel(points[None], young=1.0, poisson=0.3)


def test_rigid_motions() -> None:
    """It moves freely along and about its axis; a turn about it strains nothing."""
    system = build(shaft("quad4", [2, 2], supports=[])).system
    assert free_motions(system) == [("block", ["translation along y", "rotation about y"])]
    u = np.zeros((system.size, 3))
    u[:, 2] = -0.01 * system.bodies[0].points[:, 0]
    followed = Deformation(system)
    followed.follow(0.0, u)
    figures = followed.figures()
    assert figures["largest strain"] < 1e-15
    assert np.radians(figures["largest rotation"][0]) == pytest.approx(0.01, rel=1e-12)
    u[:, 2] *= system.bodies[0].points[:, 1]  # of torsion 0.01 / m: half the shear is the strain
    followed = Deformation(system)
    followed.follow(0.0, u)
    centre = 0.75 * OUTER + 0.25 * INNER
    # At the centre of a cell u_z / x is the mean of both sides, so x and x y are fitted apart.
    assert followed.figures()["largest strain"] == pytest.approx(0.005 * centre, rel=0.02)


@pytest.mark.parametrize(
    "tables",
    [
        {"loads": [{"kind": "pressure", "group": "xmin", "value": 1e7}]},
        {"loads": [{"kind": "temperature", "change": "80*x/0.15 + 10*y"}]},
        {"loads": [{"kind": "force", "group": "ymax", "total": [0, 1e6, 0]}]},
        {"loads": [{"kind": "gravity", "acceleration": [0, -9.81, 0]}]},
        {"body": {"frame": {"axis": [0, 1, 0], "velocity": 900.0}}},
    ],
)
def test_without_torsion_it_is_the_section_alone(tables: dict[str, Any]) -> None:
    """Loads within the section move an isotropic body as with hypothesis axisymmetric."""
    materials = {"steel": {**STEEL["steel"], "expansion": 1.2e-5}}
    found = []
    for hypothesis in ("axisymmetric", TORSION):
        body = {"hypothesis": hypothesis} | tables.get("body", {})
        given = tables | {"body": body, "materials": materials}
        found.append(solve(shaft("quad4", [2, 3], **given)))
    (plain, u), (body, v) = found
    assert np.abs(v[:, :2] - u).max() < 1e-12 * np.abs(u).max()
    assert not v[:, 2].any()
    stress, expected = body.stress(v), plain.stress(u)
    assert np.abs(stress - expected).max() < 1e-10 * np.abs(expected).max()
    assert body.total_mass == pytest.approx(np.pi * (OUTER**2 - INNER**2) * LENGTH * RHO)


def drum(divisions: tuple[int, int], frame: dict[str, Any], **tables: Any) -> dict[str, Any]:
    """Return the section of a thick tube that turns about y."""
    corners = [[INNER, 0], [OUTER, 0], [OUTER, LENGTH], [INNER, LENGTH]]
    return {
        "mesh": {"block": {"cell": "quad8", "corners": corners, "divisions": [*divisions]}},
        "materials": STEEL,
        "bodies": [{"name": "drum", "element": "quad8", "material": "steel",
                    "hypothesis": TORSION, "frame": {"axis": [0, 1, 0], **frame}}],
        "supports": [{"group": "ymin"}],
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip


def wedge(
    divisions: tuple[int, int], frame: dict[str, Any], sectors: int, **tables: Any
) -> dict[str, Any]:
    """Return the same tube about z, by solids of one of its sectors around the angle zero."""
    half = np.pi / sectors
    flat = [[INNER, -half], [OUTER, -half], [OUTER, half], [INNER, half]]
    block = {
        "cell": "hex20", "coordinates": "cylindrical",
        "corners": [[*corner, z] for z in (0, LENGTH) for corner in flat],
        "divisions": [divisions[0], 1, divisions[1]],
    }  # fmt: skip
    return {
        "mesh": {"block": block},
        "materials": STEEL,
        "bodies": [{"name": "drum", "element": "hex20", "material": "steel",
                    "frame": {"axis": [0, 0, 1], **frame}}],
        "cyclic": {"from": "ymin", "to": "ymax", "sectors": sectors},
        "supports": [{"group": "zmin"}],
        "output": {"formats": ["csv"]},
    } | tables  # fmt: skip


def frequencies(tables: dict[str, Any], folder: Path) -> np.ndarray:
    """Return the frequencies of a model, Hz."""
    ff.load_model(tables).run(folder)
    rows = json.loads((folder / "summary.json").read_text())["modes"]
    return np.array([row["frequency_Hz"] for row in rows])


def test_frequencies_of_a_spinning_tube_are_those_of_solids(tmp_path: Path) -> None:
    """Coriolis terms and prestress at 3000 rad/s: solids of a sector, nodal diameter 0."""
    modes = {"kind": "modes", "count": 4}
    frame = {"velocity": 3000.0}
    ours = frequencies(drum((2, 4), frame, analysis=modes), tmp_path / "section")
    zero = {**modes, "nodal_diameters": [0]}
    theirs = frequencies(wedge((2, 4), frame, 360, analysis=zero), tmp_path / "solids")
    assert ours == pytest.approx(theirs, rel=1e-6)
    still = frequencies(drum((2, 4), {"velocity": 0.0}, analysis=modes), tmp_path / "still")
    assert abs(ours[0] / still[0] - 1) > 1e-3  # the speed matters


@pytest.mark.slow  # kernels of a general law are made on demand
def test_a_helical_winding_couples_torsion_with_the_section(tmp_path: Path) -> None:
    """An orthotropic material at 0.5 rad to the axis, which solids of narrow sectors have too."""
    modes, found = {"kind": "modes", "count": 4}, []
    for name, make in (
        ("section", drum((2, 4), {"velocity": 1000.0})),
        ("solids", wedge((2, 4), {"velocity": 1000.0}, 720)),
    ):
        analysis = modes | ({"nodal_diameters": [0]} if name == "solids" else {})
        tables = make | {"materials": wound(name), "analysis": analysis}
        found.append(frequencies(tables, tmp_path / name))
    assert found[0] == pytest.approx(found[1], rel=1e-5)


def wound(name: str) -> dict[str, Any]:
    """Return the material of a helical winding, in the axes of the section or of the sector.

    e_3 of the section, along its circles, is -e_2 of the sector about z.
    """
    along, around = np.cos(0.5), np.sin(0.5)
    constants = {"E1": 150e9, "E2": 10e9, "E3": 20e9, "nu12": 0.3, "nu13": 0.25, "nu23": 0.4,
                 "G12": 5e9, "G13": 4e9, "G23": 3e9}  # fmt: skip
    axis1 = [0, along, around] if name == "section" else [0, -around, along]
    turned = {"orientation": {"axis1": axis1, "axis2": [1, 0, 0]}}
    free = {"density": 1600.0, "expansion": [1e-6, 3e-5, 2e-5]}
    return {"steel": {"orthotropic": constants} | turned | free}


@pytest.mark.slow  # kernels of a general law are made on demand
def test_loads_of_a_wound_tube_are_those_of_solids(tmp_path: Path) -> None:
    """Pressure, heat, forces along axis and circles, and the loads of a frame, all at once."""
    frame = {"velocity": "2000 + 1e6*(t - 1)"}
    found = []
    for name, make, axes in (
        ("section", drum((2, 4), frame), (0, 1, 2)),
        ("solids", wedge((2, 4), frame, 720), (0, 2, 1)),
    ):
        sign = 1.0 if name == "section" else -1.0
        radius = "x" if name == "section" else "sqrt(x**2 + y**2)"

        def placed(one: list[float], axes: tuple[int, ...] = axes) -> list[float]:
            return [one[k] for k in axes]

        loads = [
            {"kind": "pressure", "group": "xmin", "value": 2e6},
            {"kind": "temperature", "change": f"50*{radius}"},
            {"kind": "body_force", "acceleration": placed([0, 0, sign * 7e3])},
            {"kind": "gravity", "acceleration": placed([0, -5e3, 0])},
        ]
        probes = [
            {"name": f"{r} {y} {k}", "point": placed([r, y, 0]), "component": "xyz"[axes[k]]}
            for r, y in ((0.1, LENGTH), (OUTER, LENGTH / 2))
            for k in range(3)
        ]
        tables = {"materials": wound(name), "loads": loads, "probes": probes,
                  "analysis": {"kind": "static", "time": 1.0}}  # fmt: skip
        figures = ff.load_model(make | tables).run(tmp_path / name).figures
        values = np.reshape([figures[probe["name"]][0] for probe in probes], (2, 3))
        found.append(values * [1.0, 1.0, sign])
    ours, theirs = found
    assert (np.abs(theirs).min(axis=0) > 1e-4).all()
    assert (np.abs(ours - theirs).max(axis=0) < 2e-5 * np.abs(theirs).max(axis=0)).all()


def test_a_tube_that_spins_up_moves_as_solids_do(tmp_path: Path) -> None:
    """w = 2000 + 4e6 t: Euler load, Coriolis forces and growing stresses, over 0.2 ms."""
    frame = {"velocity": "2000 + 4e6*t"}
    steps = {"kind": "transient", "duration": 2e-4, "steps": 20}
    found = []
    for name, make, place, axes in (
        ("section", drum((2, 4), frame), [OUTER, LENGTH, 0], "xyz"),
        ("solids", wedge((2, 4), frame, 720), [OUTER, 0, LENGTH], "xzy"),
    ):
        probes = [{"name": axis, "point": place, "component": axis} for axis in axes]
        ff.load_model(make | {"analysis": steps, "probes": probes}).run(tmp_path / name)
        table = np.loadtxt(tmp_path / name / "probes.csv", delimiter=",", skiprows=1)
        found.append(table[:, 1:])
    ours, theirs = found
    theirs[:, 2] *= -1  # e_3 of the section is -e_2 of the sector
    sizes = np.abs(theirs).max(axis=0)
    assert (sizes > 1e-5).all()
    assert (np.abs(ours - theirs).max(axis=0) < 1e-6 * sizes).all()


def test_momentum_is_that_of_whole_circles(tmp_path: Path) -> None:
    """What points of a circle have across the axis cancels: centre and momentum are along y."""
    spec = shaft("quad4", [2, 3], body={"frame": {"axis": [0, 1, 0], "velocity": 500.0}},
                 analysis={"kind": "transient", "duration": 1e-5, "steps": 4})  # fmt: skip
    body = build(spec).system.bodies[0]
    assert body.first_moment == pytest.approx([0.0, body.total_mass * LENGTH / 2, 0.0])
    figures = run_model(spec, output=tmp_path).figures
    moving = [figures[f"momentum relative to the frames {axis}"][0] for axis in "xyz"]
    assert moving[0] == moving[2] == 0.0 != moving[1]


_HUB = {"name": "hub", "group": "ymax", "mass": 1.0}
_STEPS = {"kind": "transient", "duration": 1e-5, "steps": 4}
_ON_A_LINK = {
    "links": [{"name": "arm"}],
    "joints": [{"name": "hinge", "kind": "revolute", "links": ["ground", "arm"]}],
    "drivers": [{"name": "motor", "joint": "hinge", "velocity": 1.0}],
    "analysis": _STEPS,
}
_COUPLED = {
    "mesh": {"block": {"cell": "quad4", "divisions": [1, 1],
                       "corners": [[INNER, 0], [OUTER, 0], [OUTER, 1], [INNER, 1]]},
             "points": {"hub": [0, 1, 0]}},
    "couplings": [{"name": "flange", "kind": "rigid", "group": "ymax", "point": "hub"}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"body": {"frame": {"velocity": 1.0}}}, "expected axis .0, 1, 0."),
        ({"body": {"frame": "free"}, "analysis": _STEPS}, "not of revolution"),
        ({"body": {"thickness": 0.1}}, "thickness: found one for a body of revolution"),
        ({"body": {"energy": "neo_hookean"}}, "energy: found one for element quad4 with hyp"),
        ({"inner": -0.1}, "has x = -0.1; expected the section .* at x >= 0"),
        ({"masses": [_HUB]}, "masses: found them beside bodies of revolution"),
        (_ON_A_LINK, "links: found with a body of revolution with torsion"),
        (_COUPLED, "couplings: found with a body of revolution with torsion"),
        ({"loads": [{"kind": "gravity", "acceleration": [0, 0, 1.0]}]}, "found z component 1; exp"),
        ({"loads": [{"kind": "moment", "group": "ymax", "total": [1.0, 0, 0]}]},
         "loads.0.: found the moment .* expected one about its axis, .0, M, 0."),
        ({"loads": [{"kind": "moment", "group": "xmin", "each": [0, 1.0, 0]}], "inner": 0.0},
         "loads.0..group: found nodes of 'xmin' on the axis"),
        ({"loads": [{"kind": "moment", "group": "ymax", "total": [0, 1.0, 0]}],
          "body": {"hypothesis": "axisymmetric"}}, "expected hypothesis axisymmetric_torsion"),
    ],
)  # fmt: skip
def test_what_is_refused(tables: dict[str, Any], words: str) -> None:
    """What acts at points, about other axes, or by other laws: one line with the key."""
    with pytest.raises(InputError, match=words) as caught:
        spec = shaft("quad4", [1, 2], **tables)
        places = build(spec)
        Loads(spec, places)
    assert "\n" not in str(caught.value)


def test_one_hypothesis_for_all_bodies() -> None:
    """Neighbours with torsion and without do not share their circles."""
    tables = drum((1, 2), {"velocity": 0.0})
    other = tables["bodies"][0] | {"name": "other", "hypothesis": "axisymmetric"}
    words = "found axisymmetric beside axisymmetric_torsion; expected one hypothesis"
    with pytest.raises(InputError, match=words):
        ff.load_model({**tables, "bodies": [*tables["bodies"], other], "analysis": _STEPS})


def test_an_element_of_a_user_has_torsion_too(tmp_path: Path) -> None:
    """A file that extends the section gives the same motion, and the same refusals."""
    (tmp_path / "mine.toml").write_text('extends = ["quad4_axisymmetric_torsion"]\nname = "mine"\n')
    loads = [
        {"kind": "moment", "group": "ymax", "total": [0, 1e3, 0]},
        {"kind": "pressure", "group": "xmin", "value": 1e6},
    ]
    turning = {"frame": {"axis": [0, 1, 0], "velocity": 500.0}}
    own = {"element": str(tmp_path / "mine.toml"), "hypothesis": None}
    (_, u), (_, v) = (
        solve(shaft("quad4", [1, 2], loads=loads, body=turning | given)) for given in ({}, own)
    )
    assert np.array_equal(u, v) and np.abs(u).max(axis=0).all()
    words = "bodies.0..frame: found motion out of the axis of symmetry of element 'mine'"
    with pytest.raises(InputError, match=words):
        build(shaft("quad4", [1, 2], body=own | {"frame": {"axis": [0, 0, 1], "velocity": 1.0}}))


def test_several_processes_refuse_it() -> None:
    """What is not divided yet is named."""
    spec = ff.load_model(drum((1, 2), {"velocity": 0.0}, analysis=_STEPS)).spec
    words = 'hypothesis = "axisymmetric_torsion" found with 2 processes; expected a model without'
    with pytest.raises(InputError, match=words):
        require_supported(spec, 2)


def test_modes_take_part_in_motions_of_the_axis() -> None:
    """Effective masses add up to the moment of inertia about y; a ring does not move aside."""
    system = build(shaft("quad4", [2, 4], supports=[])).system
    whole = participation(system, rigid_motions(system)[[1, 4]])
    annulus = RHO * np.pi * LENGTH * (OUTER**2 - INNER**2)
    assert whole.total[1] == pytest.approx(annulus, rel=1e-12)
    assert whole.total[4] == pytest.approx(annulus * (OUTER**2 + INNER**2) / 2, rel=1e-12)
    assert not whole.total[[0, 2, 3, 5]].any()


def test_a_free_drum_turns_on(tmp_path: Path) -> None:
    """What spins freely at 1000 rad/s and 1 rad/s more turns by t: its stress is that it spins by.

    Its centrifugal load does no work on a turn about the axis, so that the turn need not be held.
    Without the stress centrifugal forces would drive it away as sinh(w t) / w, here 15 times t.
    """
    end, turns = 5e-3, []
    for rate in (0.0, 1.0):  # as it grows from rest its inertia makes it lag, in both
        spec = shaft(
            "quad4", [2, 2], supports=[{"group": "corner1", "components": ["y"]}],
            body={"frame": {"axis": [0, 1, 0], "velocity": 1000.0}},
            initial=[{"group": "all", "velocity": ["0", "0", f"-{rate}*x"]}],
            analysis={"kind": "transient", "duration": end, "steps": 500},
            probes=[{"name": "turn", "point": [OUTER, LENGTH, 0], "component": "z"}],
        )  # fmt: skip
        found = run_model(spec, output=tmp_path / f"{rate}")
        assert not found.warnings
        turns.append(-found.figures["turn, at the end"][0] / OUTER)
    assert turns[1] - turns[0] == pytest.approx(end, rel=5e-3)


@pytest.mark.parametrize("method", ["reduced", slow("explicit"), slow("hamilton")])
def test_other_ways_to_step(method: str, tmp_path: Path) -> None:
    """A torque that grows: in all modes, by central differences, by Gauss's method: one motion."""
    loads = [{"kind": "moment", "group": "ymax", "total": [0, 1e5, 0], "amplitude": "1e4*t"}]
    usual = {"kind": "transient", "duration": 1e-4, "steps": 400}
    ways: dict[str, dict[str, Any]] = {
        "reduced": {"analysis": usual, "reduction": {"modes": 33, "static": False}},
        "explicit": {"analysis": usual | {"method": "central_difference"}},
        "hamilton": {"analysis": usual | {"method": "gauss4"}},
    }
    ends = []
    for number, tables in enumerate(({"analysis": usual}, ways[method])):
        probes = [{"name": "turn", "point": [OUTER, LENGTH, 0], "component": "z"}]
        spec = shaft("quad4", [2, 4], loads=loads, probes=probes, **tables)
        ends.append(run_model(spec, output=tmp_path / str(number)).figures["turn, at the end"][0])
    assert ends[1] == pytest.approx(ends[0], rel=2e-3)


@pytest.mark.slow
def test_the_flywheel_of_the_examples(tmp_path: Path) -> None:
    """It swings at the frequency of a rigid disc on a shaft that is a torsion spring, to 1 %."""
    file = Path(__file__).parents[3] / "examples" / "flywheel" / "model.toml"
    tables = tomllib.loads(file.read_text())
    tables |= {"analysis": {"kind": "modes", "count": 1}, "probes": []}
    (found,) = frequencies(tables, tmp_path)
    steel, polar, length = tables["materials"]["steel"], np.pi / 2 * 0.02**4, 0.36
    shear = steel["young"] / (2 * (1 + steel["poisson"]))
    inertia = steel["density"] * (np.pi / 2 * 0.2**4 * 0.04 + polar * length / 3)
    rigid = np.sqrt(shear * polar / (length * inertia)) / (2 * np.pi)
    assert 0.99 * rigid < found < rigid
