# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of large displacements whose nodes follow points that turn by any angle."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.arrays import Floats
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.mesh import structured
from flexforge.runtime.statics.tied_balance import balance_of
from flexforge.runtime.system.construct import build_mesh, build_system
from flexforge.runtime.system.loads import Loads
from flexforge.runtime.system.rotation_vectors import matrices
from large import body, run
from scipy.integrate import solve_ivp
from turned_rods import STEEL
from turned_rods import body as rod

CORNERS = [[0, 0, 0], [2, 0, 0], [2, 1, 0], [0, 1, 0], [0, 0, 1], [2, 0, 1], [2, 1, 1], [0, 1, 1]]
TURN, HUB = np.array([1.2, -0.8, 1.0]), np.array([2.6, 0.3, 0.2])
MESH = structured("hex8", CORNERS, [2, 1, 1])


def carried(kind: str = "rigid", hub: Any = HUB, **changes: Any) -> dict[str, Any]:
    """Return a block of rubber, held at x = 0, whose face x = 2 is coupled with a point."""
    coupling = {"name": "cap", "kind": kind, "group": "xmax", "point": "hub"}
    places = [{"group": "all", "quantity": "displacement", "name": "u"}]
    forces = ("reaction_force", "reaction_moment", "rotation")
    return {
        "mesh": {
            "block": {"cell": "hex8", "corners": CORNERS, "divisions": [2, 1, 1]},
            "points": {"hub": list(map(float, hub))},
        },
        "bodies": [body()],
        "supports": [{"group": "xmin"}],
        "couplings": [coupling],
        "tables": [
            *places,
            {"group": "xmin", "quantity": "reaction_force", "name": "clamp"},
            {"group": "hub", "quantity": "displacement", "name": "hub"},
            *({"group": "hub", "quantity": one, "name": one} for one in forces),
        ],
        "analysis": {"kind": "static", "load_steps": 2},
        "output": {"formats": ["csv"]},
    } | changes


def table(folder: Path, name: str) -> Floats:
    """Return the values of a table at its last time, a row per node."""
    with (folder / "tables" / f"{name}.csv").open() as file:
        rows = np.array(list(csv.reader(file))[1:], dtype=float)
    return rows[rows[:, 0] == rows[-1, 0], 2:]


def turned(point: Floats, vector: Floats, places: Floats) -> Floats:
    """Return the displacements of places that turn about a point."""
    return np.asarray((places - point) @ (matrices(vector[None])[0] - np.eye(3)).T)


@pytest.mark.parametrize("kind", ["rigid", "distributing"])
def test_a_block_turns_with_its_face_without_stress(tmp_path: Path, kind: str) -> None:
    """By 1.76 rad about a skew axis through a point beside it, in two steps of the load."""
    hub = np.array([0.3, -0.2, 0.4])
    given = dict(zip(("rx", "ry", "rz"), TURN.tolist(), strict=True))
    held = [{"group": "hub", "displacement": given}]
    outcome = run(carried(kind, hub, supports=held, tables=carried()["tables"][:1]), tmp_path)
    assert np.allclose(table(tmp_path, "u"), turned(hub, TURN, MESH.points), atol=1e-11)
    assert outcome.figures["largest von Mises stress"][0] < 1e-4  # of moduli of 1e6


@pytest.mark.parametrize("kind", ["rigid", "distributing"])
def test_forces_at_a_point_have_their_moments_where_it_is_then(tmp_path: Path, kind: str) -> None:
    """Reactions balance a force and a moment at the point, of a block that bends by a radian."""
    force, moment = np.array([3e4, 4e4, -1.2e5]), np.array([2e4, -5e4, 3e4])
    loads = [
        {"kind": "force", "group": "hub", "total": force.tolist()},
        {"kind": "moment", "group": "hub", "total": moment.tolist()},
    ]
    run(carried(kind, loads=loads, analysis={"kind": "static", "load_steps": 4}), tmp_path)
    reactions = table(tmp_path, "clamp")
    assert np.allclose(reactions.sum(axis=0), -force, atol=1e-3)
    place = HUB + table(tmp_path, "hub")[0]
    assert np.linalg.norm(table(tmp_path, "rotation")) > 0.5
    about = np.cross(MESH.points[MESH.select("xmin").nodes], reactions).sum(axis=0)
    assert np.allclose(about, -moment - np.cross(place, force), atol=1e-2)


def test_what_holds_a_point_has_reactions(tmp_path: Path) -> None:
    """A point that is moved and turned as given exerts what the clamp at the other end balances."""
    given = {"x": 0.1, "y": 0.3, "z": -0.2, "rx": 0.5, "ry": 0.2, "rz": -0.3}
    held = [{"group": "xmin"}, {"group": "hub", "displacement": given}]
    run(carried(supports=held), tmp_path)
    force, moment = (table(tmp_path, f"reaction_{one}")[0] for one in ("force", "moment"))
    clamp = table(tmp_path, "clamp")
    size = np.linalg.norm(force)
    assert size > 1e4
    assert np.allclose(clamp.sum(axis=0), -force, atol=1e-8 * size)
    place = HUB + [0.1, 0.3, -0.2]
    about = np.cross(MESH.points[MESH.select("xmin").nodes], clamp).sum(axis=0)
    assert np.allclose(about, -moment - np.cross(place, force), atol=1e-8 * size)


def test_supports_along_local_axes_have_reactions_beside_equations(tmp_path: Path) -> None:
    """A carried face that slides along a skew direction: its support pushes across that alone."""
    along = np.array([0.6, 0.0, 0.8])
    axes = {"kind": "cartesian", "x": along.tolist(), "y": [0, 1, 0]}
    edge = f"#{MESH.node_labels[(MESH.points == [2, 0, 0]).all(axis=1)][0]}"
    held = [{"group": "xmin"}, {"group": edge, "components": ["y", "z"], "axes": axes}]
    loads = [{"kind": "force", "group": "hub", "total": [0, 0, -2e4]}]
    tables = carried(supports=held, loads=loads)
    tables["tables"].append({"group": edge, "quantity": "reaction_force", "name": "slide"})
    run(tables, tmp_path)
    slide, clamp = table(tmp_path, "slide")[0], table(tmp_path, "clamp").sum(axis=0)
    assert np.linalg.norm(slide) > 1e3
    assert abs(slide @ along) < 1e-8 * np.linalg.norm(slide)
    assert np.allclose(clamp + slide, [0, 0, 2e4], atol=1e-4)


@pytest.mark.parametrize("free", [True, False])
def test_the_tangent_with_multipliers_is_a_derivative(free: bool) -> None:
    """Of a bent state, of a point with three rotations and of one with two, and by the load."""
    held = [{"group": "xmin"}, {"group": "hub", "displacement": {"rx": 0.4, "y": 0.1}}]
    # With a moment the tangent is not made symmetric, which it is at equilibria alone.
    loads = [{"kind": "moment", "group": "hub", "total": [1, 2, 3]}] if free else []
    spec = model_from_dict(carried(supports=held[: 1 if free else 2], loads=loads))
    places = build_system(spec, build_mesh(spec))
    system = places.system
    balance = balance_of(system, Loads(spec, places), 0.0)
    rng = np.random.default_rng(5)
    q, x = 0.1 * rng.standard_normal((2, balance.size))
    q[system.unknowns :] *= 0.1
    u = balance.displacement(q, 0.7)

    def residual(step: float, factor: float = 0.7) -> Floats:
        to = balance.moved(q, step * x)
        return balance.residual(to, balance.displacement(to, factor), factor)[0]

    def slope(by: Callable[[float], Floats]) -> Floats:
        return np.asarray(
            (45 * (by(1e-3) - by(-1e-3)) - 9 * (by(2e-3) - by(-2e-3)) + by(3e-3) - by(-3e-3))
            / 60e-3
        )

    at = balance.at(u, 0.7)
    tangent = balance.tangent(at, q, u, 0.7)
    exact = slope(residual)
    assert np.abs(tangent @ x + exact).max() < 1e-8 * np.abs(exact).max()
    if not free:
        exact = slope(lambda step: residual(0.0, 0.7 + step))
        found = balance.by_factor(at, q, u, 0.7)
        assert np.abs(found - exact).max() < 1e-8 * np.abs(exact).max()


def test_a_carried_block_swings_as_a_pendulum(tmp_path: Path) -> None:
    """From the horizontal by some 3 rad: errors of second order beside the equation of a pendulum.

    Of a block 2 x 1 x 1 about y: its inertia is m (4 + 1) / 12 + m, its weight acts at an arm of 1.
    """
    inertia, pull = 5.0 / 12.0 + 1.0, 9.81
    exact = solve_ivp(
        lambda _, y: [y[1], pull / inertia * np.cos(y[0])], (0.0, 1.0), [0.0, 0.0],
        rtol=1e-12, atol=1e-12,
    ).y[0, -1]  # fmt: skip
    ends = []
    for steps in (25, 50):
        held = [{"group": "hub", "components": ["x", "y", "z", "rx", "rz"]}]
        tables = carried(hub=[0.0, 0.5, 0.5], supports=held, tables=carried()["tables"][-1:])
        tables["couplings"][0]["group"] = "all"
        tables |= {
            "loads": [{"kind": "gravity", "acceleration": [0, 0, -9.81]}],
            "analysis": {"kind": "transient", "duration": 1.0, "steps": steps},
        }
        run(tables, tmp_path / str(steps))
        ends.append(table(tmp_path / str(steps), "rotation")[0, 1] - exact)
    assert abs(ends[1]) < 8e-3
    assert 3.7 < ends[0] / ends[1] < 4.3


def test_a_free_block_keeps_its_spin(tmp_path: Path) -> None:
    """A carried block that tumbles about its middle axis: its energy stays, as nothing acts."""
    spin = np.array([0.05, 3.0, 0.02])
    a, b, c = spin
    x, y, z = "(x-1)", "(y-0.5)", "(z-0.5)"
    velocity = [f"{b}*{z}-{c}*{y}", f"{c}*{x}-{a}*{z}", f"{a}*{y}-{b}*{x}"]
    tables = carried(hub=[1.0, 0.5, 0.5], supports=[], tables=[])
    tables["couplings"][0]["group"] = "all"
    tables |= {
        "initial": [{"velocity": velocity}],
        "analysis": {"kind": "transient", "duration": 0.5, "steps": 100},
    }
    outcome = run(tables, tmp_path)
    mass = outcome.figures["mass"][0]
    moments = mass / 12.0 * np.array([1.0 + 1.0, 4.0 + 1.0, 4.0 + 1.0])
    energy = 0.5 * float(moments @ spin**2)
    kinetic = outcome.figures["kinetic energy relative to the frames at the end"][0]
    assert kinetic == pytest.approx(energy, rel=1e-5)


def test_ends_of_beams_turn_with_the_point(tmp_path: Path) -> None:
    """A beam that a point carries by its end, which turns by 1.76 rad: all of it does."""
    line = [[0, 0, 0], [2, 1, 0]]
    given = dict(zip(("rx", "ry", "rz"), TURN.tolist(), strict=True))
    tables = carried(
        hub=[0.3, -0.2, 0.4],
        materials={"steel": STEEL},
        bodies=[rod("simo_beam2")],
        supports=[{"group": "hub", "displacement": given}],
        tables=[
            {"group": "all", "quantity": "displacement", "name": "u"},
            {"group": "all", "quantity": "rotation", "name": "turn"},
        ],
    )
    tables["mesh"]["block"] = {"cell": "line2", "corners": line, "divisions": [3]}
    run(tables, tmp_path)
    places = np.linspace(*np.array(line, dtype=float), 4)
    found = table(tmp_path, "u")
    assert np.allclose(found, turned(np.array([0.3, -0.2, 0.4]), TURN, places), atol=1e-9)
    assert np.allclose(table(tmp_path, "turn"), TURN, atol=1e-9)


@pytest.mark.parametrize(("kind", "group"), [("plane", "xmax"), ("line", "edge")])
def test_nodes_stay_in_a_plane_or_on_a_line(tmp_path: Path, kind: str, group: str) -> None:
    """Of the end of a bar that bends and warps under a force at one corner."""
    tables = carried(supports=[{"group": "xmin"}], couplings=[])
    tables["mesh"] = {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [2, 2, 2]}}
    mesh = structured("hex8", CORNERS, [2, 2, 2])
    numbers = mesh.node_labels[mesh.select("xmax").nodes]
    places = mesh.points[mesh.select("xmax").nodes]
    if kind == "line":
        numbers, places = numbers[places[:, 2] == 1.0], places[places[:, 2] == 1.0]
        group = f"#{', '.join(map(str, numbers))}"
    corner = mesh.node_labels[(mesh.points == [2, 1, 1]).all(axis=1)][0]
    tables["tables"] = [{"group": group, "quantity": "displacement", "name": "u"}]
    tables["loads"] = [{"kind": "force", "group": f"#{corner}", "total": [0, 1e5, -1e5]}]
    rank = 2 if kind == "plane" else 1
    for couplings, flat in (([], False), ([{"name": "c", "kind": kind, "group": group}], True)):
        tables["couplings"] = couplings
        run(tables, tmp_path / str(flat))
        now = places + table(tmp_path / str(flat), "u")
        off = np.linalg.svd(now - now.mean(axis=0))[1][rank]
        assert off < 1e-12 if flat else off > 1e-2


def test_a_mean_rotation_has_its_moment(tmp_path: Path) -> None:
    """A bar twisted by 1.5 rad in the mean: the moment is that of the clamp, the angle is met."""
    supports = [
        {"group": "xmin"},
        {"group": "hub", "components": ["x", "y", "z", "ry", "rz"]},
        {"group": "hub", "displacement": {"rx": 1.5}},
    ]
    tables = carried("rotation", [2.0, 0.5, 0.5], supports=supports)
    tables["couplings"][0]["axis"] = [2, 0, 0]
    run(tables, tmp_path)
    moment = table(tmp_path, "reaction_moment")[0]
    place = MESH.points[MESH.select("xmin").nodes] - [0.0, 0.5, 0.5]
    about = np.cross(place, table(tmp_path, "clamp")).sum(axis=0)
    assert moment[0] > 1e4
    assert about[0] == pytest.approx(-moment[0], rel=1e-8)
    face = MESH.points[:, 0] == 2.0
    now = (MESH.points + table(tmp_path, "u"))[face] - [0.0, 0.5, 0.5]
    start = MESH.points[face] - [0.0, 0.5, 0.5]
    angles = np.arctan2(now[:, 2], now[:, 1]) - np.arctan2(start[:, 2], start[:, 1])
    assert np.mean(np.mod(angles, 2.0 * np.pi)) == pytest.approx(1.5, rel=1e-12)


def test_strains_and_energies_of_a_stretched_cube(tmp_path: Path) -> None:
    """Green's strain (l^2 - 1)/2, and W of the neo-Hookean law of its stretches."""
    mesh = {"block": {"cell": "hex8", "corners": CORNERS, "divisions": [2, 1, 1]}}
    ends = [{"group": "xmin", "components": ["x"]}, {"group": "xmax", "displacement": {"x": 1.0}}]
    sides = [{"group": f"{a}{m}", "components": [a]} for a in "yz" for m in ("min", "max")]
    quantities = ("strain", "energy_density")
    tables = carried(mesh=mesh, couplings=[], supports=[*ends, *sides])
    tables["supports"][1]["components"] = ["x"]
    tables["tables"] = [{"group": "all", "quantity": one, "name": one} for one in quantities]
    run(tables, tmp_path)
    strain = table(tmp_path, "strain")[:, 1:]
    assert np.allclose(strain, [0.5 * (1.5**2 - 1), 0, 0, 0, 0, 0], atol=1e-12)
    energy = 1e6 / 2 * (1.5**2 - 1) - 1e6 * np.log(1.5) + 4e6 / 2 * np.log(1.5) ** 2
    assert np.allclose(table(tmp_path, "energy_density")[:, 1], energy, rtol=1e-12)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"analysis": {"kind": "modes", "count": 3}},
            "couplings[0]: found nodes of a body with an energy, which follow a point as it turns",
        ),
        (
            {"masses": [{"name": "m", "group": "hub", "mass": 1.0, "inertia": [1, 1, 1]}]},
            "body 'm': found its rotations among those of couplings[0]",
        ),
        (
            {
                "supports": [{"group": "xmin"}, {"group": "hub", "components": ["rx"]}],
                "loads": [{"kind": "moment", "group": "hub", "total": [0, 1, 0]}],
            },
            "loads[0]: found a moment at a point of couplings[0] part of whose rotation is held",
        ),
        ({"supports": []}, "is free to move"),
    ],
)
def test_what_does_not_go_together_is_told(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError) as error:
        run(carried(**change), tmp_path)
    assert said in str(error.value)
