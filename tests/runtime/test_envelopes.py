# SPDX-License-Identifier: BSD-3-Clause
"""Combinations of load cases beside one solution with all loads; envelopes beside their cases."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.envelopes.extremes import extremes
from flexforge.runtime.envelopes.shown import Shown
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results.data import BodyState, von_mises
from flexforge.runtime.results.read import Results
from flexforge.runtime.run import run_model

STATIC = {"kind": "static"}
FRAME: dict[str, Any] = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 3]], "divisions": [3]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7850.0}},
    "bodies": [{"name": "mast", "element": "euler_beam", "material": "steel",
                "section": {"shape": "rectangle", "width": 0.05, "height": 0.1}}],
    "supports": [{"group": "xmin"}],
    "tables": [{"group": "xmin", "quantity": "reaction_force", "total": "also", "name": "R"},
               {"group": "all", "quantity": "section_force", "at": "nodes", "name": "S"}],
    "probes": [{"name": "tip", "group": "xmax", "component": "x"},
               {"name": "size", "group": "xmax", "component": "magnitude"}],
    "output": {"formats": ["csv", "hdf5"]},
}  # fmt: skip
GRAVITY = {"kind": "gravity", "acceleration": [0, 0, -9.81]}
WIND = {"kind": "force", "group": "xmax", "total": [1000.0, 300.0, 0]}


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def steps(**analyses: Any) -> list[dict[str, Any]]:
    """Return steps by name."""
    return [{"name": name, "analysis": one} for name, one in analyses.items()]


def rows_of(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file."""
    with path.open() as file:
        return list(csv.DictReader(file))


def test_a_combination_is_one_solution_with_all_loads(tmp_path: Path) -> None:
    """1.35 G + 1.5 W: displacements, section forces, stresses, reactions, tables and probes."""
    cases = FRAME | {
        "loads": [GRAVITY | {"steps": ["G"]}, WIND | {"steps": ["W"]}],
        "steps": steps(G=STATIC, W=STATIC),
        "combinations": [{"name": "ULS", "factors": {"G": 1.35, "W": 1.5}}],
        "output": {"formats": ["csv", "hdf5", "report"]},
    }
    outcome = run(cases, tmp_path / "cases")
    loads = [GRAVITY | {"amplitude": 1.35}, WIND | {"amplitude": 1.5}]
    run(FRAME | {"loads": loads, "analysis": STATIC}, tmp_path / "whole")
    found, whole = Results(tmp_path / "cases" / "ULS"), Results(tmp_path / "whole")
    one, other = found.frame(0).states["mast"], whole.frame(0).states["mast"]
    assert np.allclose(one.displacement, other.displacement, rtol=1e-9, atol=1e-15)
    assert one.at_stations is not None and other.at_stations is not None
    assert set(one.at_stations) == set(other.at_stations)
    for key, values in other.at_stations.items():  # largest_normal_stress among them
        assert np.allclose(one.at_stations[key], values, rtol=1e-9, atol=1e-6), key
    for name in ("R", "S"):
        mine, its = (rows_of(folder / "tables" / f"{name}.csv")
                     for folder in (tmp_path / "cases" / "ULS", tmp_path / "whole"))  # fmt: skip
        assert [list(row)[:3] for row in mine] == [list(row)[:3] for row in its]
        for row, expected in zip(mine, its, strict=True):
            for key in list(row)[3:]:
                assert float(row[key]) == pytest.approx(float(expected[key]), rel=1e-9, abs=1e-6)
    tip = whole.probes["tip"].values[0]
    assert outcome.figures["ULS: tip"] == [pytest.approx(tip, rel=1e-9), "m"]
    assert list(found.probes) == ["tip"]  # sizes do not add up
    page = (tmp_path / "cases" / "report.html").read_text()
    assert 'href="ULS/report.html"' in page and "1.35 G + 1.5 W" in page


def test_stresses_of_solids_follow_from_sums(tmp_path: Path) -> None:
    """Von Mises stresses of a sum, with temperature, are those of all loads in one solution."""
    plate = {
        "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.2], [0, 0.2]],
                           "divisions": [3, 1]}},
        "materials": {"steel": FRAME["materials"]["steel"] | {"expansion": 1.2e-5}},
        "bodies": [{"name": "plate", "element": "quad8", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "output": {"formats": ["hdf5"], "point_stress": True},
    }  # fmt: skip
    warm = {"kind": "temperature", "change": 30.0}
    bend = {"kind": "force", "group": "xmax", "total": [0, -1e4, 0]}
    cases = plate | {
        "loads": [warm | {"steps": ["T"]}, bend | {"steps": ["F"]}],
        "steps": steps(T=STATIC, F=STATIC),
        "combinations": [{"name": "both", "factors": {"T": 0.6, "F": -2.0}}],
    }
    run(cases, tmp_path / "cases")
    loads = [warm | {"amplitude": 0.6}, bend | {"amplitude": -2.0}]
    run(plate | {"loads": loads, "analysis": STATIC}, tmp_path / "whole")
    one, other = (Results(folder).frame(0).states["plate"]
                  for folder in (tmp_path / "cases" / "both", tmp_path / "whole"))  # fmt: skip
    assert one.von_mises is not None and other.von_mises is not None
    assert np.allclose(one.von_mises, other.von_mises, rtol=1e-9)
    assert one.at_stations is not None and other.at_stations is not None
    assert np.allclose(one.at_stations["stress"], other.at_stations["stress"], rtol=1e-9, atol=1.0)


CURVE = {"points": [[0.1, 0.3], [2.0, 1.0], [33.0, 0.4]]}
QUAKE = {"kind": "spectrum", "modes": 6, "modal_damping": 0.05,
         "excitations": [{"direction": "x", "unit": "g", "curves": [CURVE]}]}  # fmt: skip


def test_peaks_are_added_and_subtracted(tmp_path: Path) -> None:
    """G and an earthquake: two frames, moments G +- E; the envelope has both, and who has them."""
    tables = FRAME | {
        "loads": [GRAVITY | {"steps": ["G"]}, WIND | {"steps": ["W"]}],
        "steps": steps(G=STATIC, W=STATIC, E=QUAKE),
        "combinations": [{"name": "GE", "factors": {"G": 1.0, "W": 0.2, "E": -2.0}}],
        "output": FRAME["output"] | {"envelope": ["W", "GE"]},
    }
    outcome = run(tables, tmp_path)
    parts = {name: Results(tmp_path / name).frame(0).states["mast"] for name in "GWE"}
    result = Results(tmp_path / "GE")
    assert len(result.times()) == 2
    stations = {name: one.at_stations or {} for name, one in parts.items()}
    for number, sign in enumerate((1.0, -1.0)):
        found = result.frame(number).states["mast"].at_stations
        assert found is not None
        for key in ("N", "My", "Mz"):
            expected = stations["G"][key] + 0.2 * stations["W"][key] + sign * 2 * stations["E"][key]
            assert np.allclose(found[key], expected, rtol=1e-12, atol=1e-9)
        # Of no signs of N, My and Mz of the earthquake is the stress of a corner larger.
        bound = found["largest_normal_stress"]
        area, wy, wz = 0.005, 0.05 * 0.1**2 / 6, 0.1 * 0.05**2 / 6
        for signs in np.ndindex(2, 2, 2):
            n, y, z = (
                stations["G"][k] + 0.2 * stations["W"][k] + (2 - 4 * s) * stations["E"][k]
                for k, s in zip(("N", "My", "Mz"), signs, strict=True)
            )
            stress = np.abs(n) / area + np.abs(y) / wy + np.abs(z) / wz
            assert (bound >= stress * (1 - 1e-12)).all()
    rows = {(r["of"], r["quantity"]): r for r in rows_of(tmp_path / "envelope" / "envelope.csv")}
    tips = [rows["probe", "tip"][key] for key in ("max", "min")]
    own = result.probes["tip"].values
    wind = Results(tmp_path / "W").probes["tip"].values[0]
    assert [float(x) for x in tips] == pytest.approx([max(own.max(), wind), min(own.min(), wind)])
    assert rows["probe", "tip"]["case of min"] == "GE, minus its peaks"
    listed = [r["case"] for r in rows_of(tmp_path / "envelope" / "cases.csv")]
    assert listed == ["W", "GE, plus its peaks", "GE, minus its peaks"]
    assert outcome.figures["envelope: tip, max"][0] == pytest.approx(max(own.max(), wind))
    envelope = Results(tmp_path / "envelope").frame(0).states["mast"]
    assert envelope.others is not None
    each = [parts["W"].displacement, *(result.frame(i).states["mast"].displacement for i in (0, 1))]
    assert np.array_equal(envelope.others["displacement_max"], np.max(each, axis=0))
    numbers = np.argmin(each, axis=0) + 1
    assert np.array_equal(envelope.others["displacement_min_of"], numbers)
    table = rows_of(tmp_path / "envelope" / "tables" / "R.csv")
    assert table[-1]["node"] == "total"
    assert float(table[-1]["z [N] max"]) == pytest.approx(3 * 0.005 * 7850 * 9.81, rel=1e-6)


def test_the_envelope_of_a_transient_is_over_its_times(tmp_path: Path) -> None:
    """Largest and least of all frames at every node, and when; of probes over all steps."""
    wind = WIND | {"amplitude": "sin(20*t)"}
    analysis = {"kind": "transient", "duration": 0.3, "steps": 30}
    output = {"formats": ["csv", "hdf5", "report", "vtu"], "envelope": True, "every": 3}
    run(FRAME | {"loads": [wind], "analysis": analysis, "output": output}, tmp_path)
    results = Results(tmp_path)
    times = results.times()
    frames = [results.frame(i).states["mast"] for i in range(len(times))]
    found = Results(tmp_path / "envelope").frame(0).states["mast"]
    assert found.others is not None and found.at_stations is not None
    moved = np.array([one.displacement for one in frames])
    assert np.array_equal(found.others["displacement_max"], moved.max(axis=0))
    assert np.array_equal(found.others["displacement_max_of"], times[moved.argmax(axis=0)])
    moments = np.array([(one.at_stations or {})["My"] for one in frames])
    assert np.array_equal(found.at_stations["My_min"], moments.min(axis=0))
    assert np.array_equal(found.at_stations["My_min_of"], times[moments.argmin(axis=0)])
    tip = results.probes["tip"]
    rows = {(r["of"], r["quantity"]): r for r in rows_of(tmp_path / "envelope" / "envelope.csv")}
    row = rows["probe", "tip"]
    assert float(row["max"]) == tip.values.max()
    assert row["case of max"] == f"t = {tip.time[tip.values.argmax()]:.6g} s"
    assert (tmp_path / "envelope" / "report.html").is_file()
    assert (tmp_path / "envelope" / "frames" / "mast_000000.vtu").is_file()


def test_peaks_of_either_sign_have_both_extremes() -> None:
    """Of a response spectrum the least value is minus the peak; a von Mises stress has no sign."""
    stress = np.array([[3.0, 0, 0, 0, 0, 0]])
    still = Shown("S", 0.0, {"b": BodyState(np.array([[1.0, -2.0, 0.0]]), stress=stress)}, {}, {})
    peaks = {"von_mises": np.array([5.0])}
    shaken = BodyState(np.array([[4.0, 1.0, 0.0]]), stress=np.abs(stress), others=peaks)
    found = extremes([still, Shown("E", 0.0, {"b": shaken}, {}, {}, both=True)])
    moved = found["nodes", "b", "displacement"]
    assert moved.most.tolist() == [[4.0, 1.0, 0.0]] and moved.least.tolist() == [[-4.0, -2.0, 0.0]]
    assert moved.of_least.tolist() == [[1.0, 0.0, 0.0]]
    assert moved.signed.tolist() == [[4.0, -2.0, 0.0]]
    first = extremes([Shown("E", 0.0, {"b": shaken}, {}, {}, both=True), still])
    assert np.array_equal(first["nodes", "b", "displacement"].most, moved.most)
    sizes = found["nodes", "b", "von_mises"]
    assert (sizes.most[0], sizes.least[0]) == (5.0, von_mises(stress)[0])


def test_stresses_with_peaks_are_bounded(tmp_path: Path) -> None:
    """Von Mises stresses of a sum with peaks: that of what is fixed and those of the peaks."""
    excitation = {"direction": "y", "unit": "g", "curves": [CURVE]}
    analysis = {"kind": "spectrum", "modes": 4, "modal_damping": 0.05, "excitations": [excitation]}
    shaker = {"name": "s", "direction": "y", "unit": "g^2/Hz", "density": CURVE}
    noise = {"kind": "random", "modes": 4, "modal_damping": 0.05, "excitations": [shaker]}
    pull = {"kind": "force", "group": "xmax", "total": [2e3, -100.0, 0], "steps": ["G"]}
    plate = {
        "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.2], [0, 0.2]],
                           "divisions": [3, 1]}},
        "materials": FRAME["materials"],
        "bodies": [{"name": "plate", "element": "quad8", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "loads": [pull],
        "steps": steps(G=STATIC, E=analysis, R=noise),
        "combinations": [{"name": "GE", "factors": {"G": 2.0, "E": -1.5}},
                         {"name": "GR", "factors": {"G": 1.0, "R": 3.0}}],
        "output": {"formats": ["hdf5"], "point_stress": True},
    }  # fmt: skip
    run(plate, tmp_path)
    still, peaks = (Results(tmp_path / name).frame(0).states["plate"] for name in ("G", "E"))
    assert still.stress is not None and peaks.von_mises is not None
    for number in (0, 1):
        found = Results(tmp_path / "GE").frame(number).states["plate"]
        assert found.von_mises is not None and found.at_stations is not None
        expected = 2 * von_mises(still.stress) + 1.5 * peaks.von_mises
        assert np.allclose(found.von_mises, expected, rtol=1e-12)
        at_points = [one.at_stations or {} for one in (still, peaks)]
        expected = 2 * von_mises(at_points[0]["stress"]) + 1.5 * at_points[1]["von_mises"]
        assert np.allclose(found.at_stations["von_mises"], expected, rtol=1e-12)
    most = Results(tmp_path / "GR").frame(0).states["plate"].displacement
    rms = Results(tmp_path / "R").frame(0).states["plate"].displacement
    assert np.allclose(most, still.displacement + 3 * rms, rtol=1e-12)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"combinations": [{"name": "G", "factors": {"G": 1.0}}]}, "the name of a step"),
        ({"combinations": [{"name": "c", "factors": {"g": 1.0}}]}, "found the unknown step 'g'"),
        ({"combinations": [{"name": "c", "factors": {"M": 1.0}}]}, "found a modes analysis"),
        ({"combinations": [{"name": "c", "factors": {"G": 1.0, "turning": 1.0}}]}, "that turns"),
        (
            {"combinations": [{"name": "c", "factors": {"G": 1.0, "held": 1.0}}]},
            "held in different",
        ),
        ({"output": {"formats": ["csv"], "envelope": True}}, "without format hdf5"),
        ({"output": {"envelope": ["M"]}}, "a modes analysis; expected one of"),
    ],
)
def test_what_does_not_add_up_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    every = ["G", "M", "turning", "held"]
    tables = FRAME | {
        "loads": [GRAVITY],
        "supports": [{"group": "xmin"}, {"group": "xmax", "components": ["z"], "steps": ["held"]}],
        "steps": steps(G=STATIC, M={"kind": "modes"}, turning=STATIC, held=STATIC),
        "tables": [],
    }
    tables["steps"][2]["frames"] = {"mast": {"axis": [0, 0, 1], "velocity": 3.0}}
    assert [one["name"] for one in tables["steps"]] == every
    with pytest.raises(InputError, match=said):
        run(tables | changes, tmp_path)


def test_a_combination_of_a_tapered_mast_has_its_forces(tmp_path: Path) -> None:
    """Of a section that varies, the largest normal stress of a sum is left out; forces add up."""
    tapered = [
        FRAME["bodies"][0]
        | {
            "element": "timoshenko_beam",
            "section": {"shape": "rectangle", "width": 0.05, "height": "0.1 - 0.02*z"},
        }
    ]
    cases = FRAME | {
        "bodies": tapered,
        "loads": [GRAVITY | {"steps": ["G"]}, WIND | {"steps": ["W"]}],
        "steps": steps(G=STATIC, W=STATIC),
        "combinations": [{"name": "ULS", "factors": {"G": 1.35, "W": 1.5}}],
    }
    run(cases, tmp_path / "cases")
    states = [Results(tmp_path / "cases" / name).frame(0).states["mast"] for name in "GW"]
    found = Results(tmp_path / "cases" / "ULS").frame(0).states["mast"].at_stations
    one, other = (state.at_stations for state in states)
    assert found is not None and one is not None and other is not None
    assert {*one} - {*found} == {"largest_normal_stress"}
    np.testing.assert_allclose(found["My"], 1.35 * one["My"] + 1.5 * other["My"], rtol=1e-12)
