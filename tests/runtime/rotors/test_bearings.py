# SPDX-License-Identifier: BSD-3-Clause
"""Bearings: what their coefficients act on, tables over the speed, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.statics import held
from flexforge.runtime.statics.stress_state import stress_at
from flexforge.runtime.system.bearing_law import BearingLaw
from flexforge.runtime.system.bearing_laws import bearing_law
from flexforge.runtime.system.loads import Loads
from models import SQUARE, STEEL, build
from rotor_equations import Array, Disc, Piece, Rotor
from shafts import TWO_DISCS, Tables, apart, histories, on, roots, run, tables

SPEED = 150.0
LAW = np.array([[2e6, 3e5], [-7e5, 1e6]])
TABLE: Tables = {"speed": [0.0, 100.0, 150.0, 400.0], "kxx": [4e6, 2e6, 1e6, 9e5],
                 "kxy": [0.0, 1e5, 3e5, 3e5], "cyx": [5.0, 4.0, 1.0, 1.0]}  # fmt: skip


def hub(bearing: Tables, *, spin: Tables | None = None, mass: float = 3.0, **others: Any) -> Tables:
    """Return a mass that spins on one bearing, held along the axis and against tilting."""
    axis = (spin or {}).get("axis", [0, 0, 1])
    along = "xyz"[int(np.argmax(np.abs(axis)))]
    turning = {"spin": {"velocity": SPEED} | spin} if spin is not None else {}
    return {
        "mesh": {"points": {"hub": [0, 0, 0]}},
        "masses": [{"name": "hub", "group": "hub", "mass": mass} | turning],
        "connectors": [{"name": "journal", "kind": "bearing", "at": "hub"} | bearing],
        "supports": [{"group": "hub", "components": [along]}],
        "probes": [{"name": c, "group": "hub", "component": c} for c in "xyz"],
        "analysis": {"kind": "static"},
        "output": {"formats": ["csv"]},
    } | others


def moved(data: Tables, force: Array, folder: Path) -> Array:
    """Return the displacement of the hub under a force."""
    load = {"kind": "force", "group": "hub", "total": list(force)}
    return histories(data | {"loads": [load]}, folder).ravel()[1:]


@pytest.mark.parametrize(
    ("axis", "given", "x"),
    [
        ([0, 0, 1], None, [1, 0, 0]),
        ([0, 0, 1], [0, 2, 5], [0, 1, 0]),
        ([0, 0, -1], [1, 0, 0], [1, 0, 0]),
        ([1, 0, 0], None, [0, 1, 0]),
        ([1, 0, 0], [0, 3, 4], [0, 0.6, 0.8]),
        ([0, 1, 0], None, [1, 0, 0]),
    ],
)
@pytest.mark.parametrize("from_spin", [True, False])
def test_rows_are_forces_and_columns_displacements(
    axis: list[float], given: list[float] | None, x: list[float], from_spin: bool, tmp_path: Path
) -> None:
    """``kxy`` is the force along x for a displacement along y, y = axis x x; from what it says."""
    law = {"stiffness": LAW.tolist()} | ({"orientation": given} if given else {})
    law |= {} if from_spin else {"axis": axis}
    across = np.array([x, np.cross(axis, x)])
    place = np.array([0.3, -0.7])
    force = across.T @ LAW @ place
    data = hub(law, spin={"axis": [abs(n) for n in axis]} if from_spin and min(axis) >= 0 else
               {"axis": axis} if from_spin else None)  # fmt: skip
    if not from_spin:
        data["supports"][0]["components"] = ["xyz"[int(np.argmax(np.abs(axis)))]]
    found = moved(data, force, tmp_path)
    assert np.allclose(found, place @ across, rtol=0.0, atol=1e-13)


def test_numbers_and_pairs_are_diagonals(tmp_path: Path) -> None:
    """A number is the same along both axes, two numbers are along x and y."""
    for given, law in ((2e6, [2e6, 2e6]), ([2e6, 1e6], [2e6, 1e6])):
        found = moved(hub({"stiffness": given}), np.array([3.0, 4.0, 0.0]), tmp_path)
        assert found == pytest.approx([3.0 / law[0], 4.0 / law[1], 0.0], rel=1e-12)


def test_a_law_whose_symmetric_part_is_indefinite_has_an_equilibrium(tmp_path: Path) -> None:
    """``u = k^-1 f``: its energy says nothing about k that is far from symmetric."""
    law = np.array([[1e6, 9e6], [-1e5, 1e6]])
    assert np.linalg.eigvalsh(law + law.T)[0] < 0.0
    bearing = {"stiffness": law.tolist(), "orientation": [1, 0, 0]}
    found = moved(hub(bearing), np.array([3.0, 4.0, 0.0]), tmp_path)
    assert found[:2] == pytest.approx(np.linalg.solve(law, [3.0, 4.0]), rel=1e-12)


def test_stresses_beside_unsymmetric_bearings_take_few_solves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a shaft so fine that round-off affects its digits; its factors are those of its matrix.

    The sag at a bearing is that of its load by the lever rule, but for stresses.
    """
    shaft = Rotor([Piece(0.01, 0.02)] * 120, [Disc(30, 5.0, 0.1, 0.2)], density=1e-9)
    rotor = on(shaft, LAW, nodes=(0, 120))
    weight = [{"kind": "gravity", "acceleration": [0.0, -9.81, 0.0]}]
    spec = model_from_dict(
        tables(rotor, SPEED, loads=weight, analysis={"kind": "modes"}), folder=tmp_path
    )
    places, solves = build(spec), []
    inner = held.factorize

    def counted(*given: Any, **further: Any) -> Any:
        factors = inner(*given, **further)
        solve = factors.solve
        factors.solve = lambda rhs: solves.append(0) or solve(rhs)
        return factors

    monkeypatch.setattr(held, "factorize", counted)
    found = stress_at(places.system, Loads(spec, places), "modes", "auto", 0.0).displacement
    loads = np.array([[0.0, -5.0 * 9.81]]) * np.array([[0.75], [0.25]])
    expected = np.linalg.solve(LAW, loads.T).T
    assert np.allclose(found[[0, 120], :2], expected, rtol=2e-6, atol=0.0)
    assert 0 < len(solves) < 40, len(solves)


def test_damping_and_mass_of_a_seal_vibrate_with_the_hub() -> None:
    """``det(k + s c + s^2 (m_s + m)) = 0`` with coupled matrices; seals have no weight."""
    damping, mass = np.array([[20.0, 7.0], [-3.0, 30.0]]), np.array([[1.2, 0.2], [0.2, 0.7]])
    law = {"stiffness": LAW.tolist(), "damping": damping.tolist(), "mass": mass.tolist()}
    law["orientation"] = [1, 0, 0]
    total = mass + 3.0 * np.eye(2)
    rates = np.eye(4, 4, 2)
    rates[2:] = -np.linalg.solve(total, np.hstack([LAW, damping]))
    assert apart(np.linalg.eigvals(rates)[::2], roots(hub(law, spin={}), 2)) < 1e-12


@pytest.mark.parametrize("native", [True, False])
def test_masses_of_seals_count_beside_solids(
    native: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the start ``(M + m) a = f``: a stiff block moves as its mass and those of two seals do.

    Its corners are pushed alike, and the seals are at all of them.
    """
    if not native:
        monkeypatch.setattr("flexforge.runtime.start.is_small", lambda _: False)
    side, density, added = 0.1, 7800.0, 5.0
    places = [np.array(one) for one in np.ndindex(2, 2, 2)]
    points = [(side * one).tolist() for one in places]
    corners = [points[k] for k in (0, 4, 6, 2, 1, 5, 7, 3)]
    nodes = [f"#{k}" for k in range(1, 9)]
    data: Tables = {
        "mesh": {"block": {"cell": "hex8", "corners": corners, "divisions": [1, 1, 1]}},
        "materials": {"steel": STEEL | {"density": density}},
        "bodies": [{"name": "block", "element": "hex8", "material": "steel"}],
        "connectors": [{"name": f"s{k}", "kind": "bearing", "at": node, "mass": added}
                       for k, node in enumerate(nodes)],
        "supports": [{"group": node, "components": ["z"]} for node in nodes],
        "loads": [{"kind": "force", "group": node, "total": [100.0, 0, 0]} for node in nodes],
        "probes": [{"name": "a", "group": "#7", "component": "x", "quantity": "acceleration"}],
        "analysis": {"kind": "transient", "method": "newmark", "step": 1e-3, "duration": 2e-3},
        "output": {"formats": ["csv"]},
    }  # fmt: skip
    found = histories(data, tmp_path)[0, 1]
    assert found == pytest.approx(800.0 / (density * side**3 + 8 * added), rel=1e-9)


def written(folder: Path, text: str) -> Tables:
    """Write a table of a bearing; return its key."""
    (folder / "law.csv").write_text(text)
    return {"table": "law.csv"}


def as_text(columns: Tables) -> str:
    """Return a table as a CSV file with a comment."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "# rad/s, N/m\n" + "\n".join(",".join(map(str, row)) for row in rows) + "\n"


@pytest.mark.parametrize("inline", [True, False])
def test_a_table_is_exact_at_its_rows_and_monotone_between(inline: bool, tmp_path: Path) -> None:
    """In the model or in a file; kyy is as kxx unless it is given, all others are zero."""
    law = {"table": TABLE} if inline else written(tmp_path, as_text(TABLE))
    connector = {"name": "journal", "kind": "bearing", "at": "hub"} | law
    spec = model_from_dict(hub(connector, spin={}), folder=tmp_path).connectors[0]
    found = bearing_law(spec, "connectors[0]")  # type: ignore[arg-type]
    for row, speed in enumerate(TABLE["speed"]):
        kxx, kxy, cyx = (TABLE[key][row] for key in ("kxx", "kxy", "cyx"))
        expected = [[[kxx, kxy], [0.0, kxx]], [[0.0, 0.0], [cyx, 0.0]], np.zeros((2, 2))]
        assert np.array_equal(found.at(speed), np.array(expected))
    fine = np.array([found.at(speed)[0, 0, 0] for speed in np.linspace(0.0, 400.0, 81)])
    assert (np.diff(fine) <= 0.0).all() and fine.min() >= 9e5
    flat = [found.at(speed)[0, 0, 1] for speed in (200.0, 300.0, 390.0)]
    assert flat == [3e5] * 3


def test_a_table_holds_its_ends_and_tells_it(tmp_path: Path) -> None:
    """Beyond the last speed the last row; of a sweep the number of speeds is told."""
    data = hub({"table": TABLE}, spin={"velocity": 500.0})
    assert moved(data, np.array([9e5, 0, 0]), tmp_path) == pytest.approx([1.0, 0.0, 0.0])
    told = "connector 'journal': its table is for 0 to 400 rad/s; at 1 of 1 speeds it holds the "
    assert any(one.startswith(told) for one in run(data, tmp_path).warnings)
    load = {"kind": "force", "group": "hub", "total": [9e5, 0, 0]}
    analysis = {"kind": "harmonic", "speeds": [100.0, 401.0, 500.0], "order": 1}
    outcome = run(data | {"loads": [load], "analysis": analysis}, tmp_path)
    assert any("at 2 of 3 speeds it holds" in one for one in outcome.warnings)
    data["masses"][0]["spin"]["velocity"] = 300.0
    assert not run(data, tmp_path).warnings


def test_a_table_of_one_speed_is_constant(tmp_path: Path) -> None:
    data = hub({"table": {"speed": [0], "kxx": [1e6], "kyy": [2e6]}}, spin={})
    assert moved(data, np.array([1e6, 1e6, 0]), tmp_path) == pytest.approx([1.0, 0.5, 0.0])


def test_the_speed_may_be_that_of_another_body(tmp_path: Path) -> None:
    """A bearing of a casing, with the coefficients of the shaft that it is named after."""
    data = hub({"table": TABLE, "speed": "shaft"}, spin={"velocity": 400.0})
    data["mesh"]["points"]["shaft"] = [0, 0, 1]
    data["masses"].append({"name": "shaft", "group": "shaft", "mass": 1.0,
                           "spin": {"velocity": 100.0}})  # fmt: skip
    data["supports"].append({"group": "shaft"})
    assert moved(data, np.array([0, 2e6, 0]), tmp_path)[1] == pytest.approx(1.0, rel=1e-12)
    del data["masses"][0]["spin"]
    assert moved(data, np.array([0, 2e6, 0]), tmp_path)[1] == pytest.approx(1.0, rel=1e-12)
    data["connectors"][0]["speed"] = "shaff"
    text = r"connectors\[0\].speed: found 'shaff'; expected the name of a body that spins, one of "
    with pytest.raises(InputError, match=text + "shaft; did you mean 'shaft'?"):
        run(data, tmp_path)


def test_two_shafts_with_their_own_speeds(tmp_path: Path) -> None:
    """A dual spool: tables are those of the shaft at the bearing, roots those of both speeds.

    An inner and an outer shaft, with a bearing between them, which has the speed of its first node.
    """
    data = hub({"table": TABLE}, spin={"velocity": 100.0})
    data["mesh"]["points"]["outer"] = [0, 0, 0]
    data["masses"].append({"name": "outer", "group": "outer", "mass": 2.0,
                           "spin": {"velocity": 400.0}})  # fmt: skip
    data["connectors"] += [
        {"name": "second", "kind": "bearing", "at": "outer", "table": TABLE},
        {"name": "between", "kind": "bearing", "between": ["hub", "outer"], "stiffness": 5e5},
    ]
    data["supports"].append({"group": "outer", "components": ["z"]})
    found = moved(data, np.array([0, 1e6, 0]), tmp_path)[1]
    k = np.array([[2e6 + 5e5, -5e5], [-5e5, 9e5 + 5e5]])
    assert found == pytest.approx(np.linalg.solve(k, [1e6, 0.0])[0], rel=1e-12)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0,1\n1,2\n", ": found the heading '0'; expected a line of headings that begins speed"),
        ("", ": found no rows; expected a line of headings that begins speed"),
        ("speed,kxx\n", ": found no rows of numbers; expected at least 1"),
        ("speed\n1\n", ": found the column speed alone; expected kxx and others with it"),
        ("speed,kxx,kxx\n1,2,3\n", ": found the heading 'kxx' twice; expected every one once"),
        ("speed,kxx,kyx2\n1,2,3\n", ": found the column 'kyx2'; expected speed, frequency, kxx, "
         "kxy, kyx, kyy, cxx, cxy, cyx, cyy, mxx, mxy, myx, myy, re_xx, re_xy, re_yx, re_yy, im_xx"
         ", im_xy, im_yx, im_yy; did you mean 'kyx'?"),
        ("speed,kxx\n1,2\n# more\n3\n", ":4: found 1 columns; expected 2"),
        ("speed,kxx\n1,2\n0,3\n", ":3: found speed 0 after 1; expected increasing values"),
        ("speed,kxx\n1,2\n1,3\n", ":3: found speed 1 after 1; expected increasing values"),
        ("speed,kxx\n1,2\n2,nan\n", ":3: found 'nan'; expected a finite number of magnitude at"),
        ("speed,kxx\n1,2\n2,stiff\n", ":3: found 'stiff'; expected a finite number of magnitude"),
        ("speed,kxx\n-1,2\n2,3\n", ": found the speed -1; expected speeds from 0 (rad/s)"),
        ("speed,kxx,mxx,mxy\n1,2,1,0.5\n", ": columns mxx, mxy, myx, myy: found an inertia that no "
         "mass has; expected a symmetric matrix without negative eigenvalues"),
    ],
)  # fmt: skip
def test_faults_of_files(text: str, told: str, tmp_path: Path) -> None:
    """Each names the file, with the line where there is one, what was found and is expected."""
    with pytest.raises(InputError) as caught:
        run(hub(written(tmp_path, text), spin={}), tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 'law.csv'}{told}")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    text = "none.csv: found no readable file .*; expected a CSV file: a column speed and others"
    with pytest.raises(InputError, match=text):
        run(hub({"table": "none.csv"}, spin={}), tmp_path)


@pytest.mark.parametrize(
    ("law", "told"),
    [
        ({}, ": found none of stiffness, damping, mass, table and transfer; expected some"),
        ({"stiffness": 1.0, "table": TABLE}, ".table: found beside stiffness; expected either"),
        ({"stiffness": 1.0, "speed": "hub"}, ".speed: found one without a table; expected none"),
        ({"stiffness": [1, 2, 3]}, ".stiffness: found a list of 3 values; expected a number, a "
         "list of 2 numbers (x, y), or 2 rows of 2 (N/m)"),
        ({"damping": [[1, 2], [3]]}, ".damping: found a list of 2 values; expected a number"),
        ({"mass": "a"}, ".mass: found 'a'; expected a number"),
        ({"stiffness": float("nan")}, ".stiffness: found nan; expected a number"),
        ({"mass": [[1, 2], [0, 1]]}, ".mass: found an inertia that no mass has; expected a symm"),
        ({"mass": [[1, 2], [2, 1]]}, ".mass: found an inertia that no mass has; expected a symm"),
        ({"stiffness": 1.0, "orientation": [0, 0, 1]}, ".orientation: found the direction of axis; "
         "expected another"),
        ({"table": {"speed": [0, 1]}}, ".table: found speed alone; expected kxx and others with"),
        ({"table": {"speed": [0, 1], "kxx": [1, 2, 3]}}, ".table.kxx: found 3 numbers; expect"),
        ({"table": {"speed": [1, 0], "kxx": [1, 2]}}, ".table.speed: found speeds that do not asc"),
        ({"table": {"speed": [-1, 0], "kxx": [1, 2]}}, ".table.speed[0]: found -1; expected a li"),
        ({"table": {"speed": [0, 1], "kxx": [1, float("nan")]}}, ".table.kxx[1]: found nan; expec"),
        ({"table": {"speed": [0, 1], "kxz": [1, 2]}}, ".table.kxz: unknown key; did you mean 'k"),
        ({"table": {"speed": [], "kxx": []}}, ".table"),
        ({"kxx": 1.0, "stiffness": 1.0}, ".kxx: unknown key; expected one of name, between, at, "),
    ],
)  # fmt: skip
def test_faults_of_keys(law: Tables, told: str, tmp_path: Path) -> None:
    """Each names its key, what was found and is expected."""
    with pytest.raises(InputError) as caught:
        run(hub(law, spin={}), tmp_path)
    assert str(caught.value).startswith(f"connectors[0]{told}")


def test_tables_need_a_shaft_that_turns_in_their_sense(tmp_path: Path) -> None:
    law = {"table": TABLE}
    text = r"connectors\[0\].table: found no spin at the nodes of the bearing; expected \[bodies.sp"
    with pytest.raises(InputError, match=text):
        run(hub(law), tmp_path)
    text = r"connectors\[0\].table: found the speed -3 rad/s about its axis; expected one from 0, "
    with pytest.raises(InputError, match=text):
        run(hub(law, spin={"velocity": -3.0}), tmp_path)
    varying = {"velocity": {"ramp": {"to": 9.0, "duration": 1.0}}}
    analysis: Tables = {"kind": "modes"}
    text = "connector 'journal': table: found a shaft at a varying speed with analysis modes; expe"
    with pytest.raises(InputError, match=text):
        run(hub(law, spin=varying, analysis=analysis), tmp_path)
    connector = {"name": "journal", "kind": "bearing", "at": "#0"}
    connector["table"] = {"speed": [0, 100], "kxx": [1e6, 2e6]}
    data = tables(TWO_DISCS, varying["velocity"], turning="frame", connectors=[connector])
    with pytest.raises(InputError, match=text):
        run(data | {"analysis": analysis}, tmp_path)


def test_bearings_are_in_space_and_at_one_place(tmp_path: Path) -> None:
    data = hub({"stiffness": 1.0}, spin={})
    data["mesh"]["points"]["ground"] = [0, 0.1, 0]
    del data["connectors"][0]["at"]
    data["connectors"][0]["between"] = ["hub", "ground"]
    data["masses"].append({"name": "ground", "group": "ground", "mass": 1.0})
    text = r"connectors\[0\].between: found distant nodes; expected two nodes at one place, or a n"
    with pytest.raises(InputError, match=text):
        run(data, tmp_path)
    plane: Tables = {
        "mesh": {"block": {"cell": "quad4", "corners": SQUARE, "divisions": [1, 1]}},
        "materials": {"steel": STEEL},
        "bodies": [{"name": "plate", "element": "quad4", "material": "steel", "thickness": 0.1}],
        "connectors": [{"name": "a", "kind": "bearing", "at": "#1", "stiffness": 1.0}],
        "analysis": {"kind": "static"},
    }
    text = r"connectors\[0\].kind: found a bearing in the plane; expected it in space"
    with pytest.raises(InputError, match=text):
        run(plane, tmp_path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"stiffness": 1e6, "axis": [0, 1, 1]}, ".axis: found another axis than that of the fra"),
        ({"stiffness": 1e6, "between": ["#0", "hub"]}, ".between: found nodes of a frame that tur"),
    ],
)
def test_bearings_of_frames_that_turn_stand_still(
    change: Tables, told: str, tmp_path: Path
) -> None:
    """They are about the axis of the frame, and carried by the ground."""
    law = {"name": "journal", "kind": "bearing", "at": "#0"} | change
    frame = {"frame": {"axis": [0, 0, 1], "velocity": SPEED}}
    data = tables(TWO_DISCS, SPEED, turning="frame", connectors=[law])
    if "between" in change:
        del law["at"]
        data["mesh"]["points"] = {"hub": [0, 0, 0]}
        data["masses"].append({"name": "hub", "group": "hub", "mass": 1.0} | frame)
    with pytest.raises(InputError) as caught:
        run(data | {"analysis": {"kind": "static"}}, tmp_path)
    assert str(caught.value).startswith(f"connectors[0]{told}")


def test_tables_of_bearings_at_frames_that_turn() -> None:
    """Seals alike in all directions, with mass: roots differ by the speed from those at rest."""
    columns = {"speed": [0.0, 100.0, 300.0], "kxx": [1e6, 1.5e6, 1e6], "kxy": [0, 2e5, 3e5],
               "kyx": [0, -2e5, -3e5], "cxx": [1e3, 2e3, 3e3], "cxy": [10.0, 200.0, 300.0],
               "cyx": [-10.0, -200.0, -300.0], "mxx": [9.0, 8.0, 7.0]}  # fmt: skip
    connectors = [{"name": f"b{n}", "kind": "bearing", "at": f"#{n}", "table": columns}
                  for n in (0, 6)]  # fmt: skip
    still, turning = (
        roots(tables(TWO_DISCS, SPEED, turning=one, connectors=connectors), 12)
        for one in ("spin", "frame")
    )
    both = np.concatenate([turning, turning.conj()])
    every = np.concatenate([both + 1j * shift for shift in (0.0, SPEED, -SPEED)])
    assert apart(still[:8], every) < 1e-12


def test_alike_in_all_directions_at_every_speed() -> None:
    """Cross-coupling of one size and both signs is alike; a direction at one speed differs."""
    alike = np.array([[3.0, 0.5], [-0.5, 3.0]])
    values = np.stack([[alike, 0.1 * alike, 0.0 * alike]] * 2)
    speeds = np.array([0.0, 100.0])
    assert BearingLaw(values, speeds).is_alike
    for entry, by in (((0, 0), 1e-6), ((0, 1), -1.0)):  # stiffer along x; coupled symmetrically
        for part in (0, 1):
            changed = values.copy()
            changed[(1, part, *entry)] += by
            assert not BearingLaw(changed, speeds).is_alike
