# SPDX-License-Identifier: BSD-3-Clause
"""Response spectra: oscillators and frames in closed form, combinations, missing mass."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.loading.load import model_from_dict
from flexforge.runtime.observe.combined import (
    absolute_sum,
    of_directions,
    root_sum_squares,
    with_close,
)
from flexforge.runtime.outcome import Outcome
from flexforge.runtime.results.data import von_mises
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.report import page_of
from flexforge.runtime.results.spectrum import spectrum_plots
from flexforge.runtime.run import run_model
from flexforge.runtime.vibration.response_spectrum import close_pairs, cqc, principal_states

G = 9.80665
FLAT = {"points": [[0.01, 2.0], [1000.0, 2.0]]}


def run(tables: dict[str, Any], folder: Path) -> Outcome:
    """Run a model."""
    return run_model(model_from_dict(tables), output=folder)


def tower(masses: list[float], stiffness: list[float], **analysis: Any) -> dict[str, Any]:
    """Return masses in a row along x, each held by a spring to the one before it."""
    points = {f"p{i}": [float(i), 0, 0] for i in range(len(masses) + 1)}
    excitation = {"direction": "x", "unit": "m/s^2", "curves": [FLAT]}
    return {
        "mesh": {"points": points},
        "masses": [{"name": f"m{i}", "group": f"p{i}", "mass": m}
                   for i, m in enumerate(masses, start=1)],
        "connectors": [{"name": f"k{i}", "kind": "spring", "between": [f"p{i - 1}", f"p{i}"],
                        "stiffness": k} for i, k in enumerate(stiffness, start=1)],
        "supports": [{"group": "p0"},
                     *({"group": f"p{i}", "components": ["y", "z"]}
                       for i in range(1, len(masses) + 1))],
        "probes": [{"name": f"u{i}", "group": f"p{i}", "component": "x"}
                   for i in range(1, len(masses) + 1)],
        "analysis": {"kind": "spectrum", "modes": len(masses), "modal_damping": 0.05,
                     "excitations": [excitation]} | analysis,
        "output": {"formats": ["csv", "hdf5"]},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ({"unit": "m/s^2", "curves": [{"points": [[1.0, 2.0], [4.0, 8.0]]}]}, 2.0 * np.pi),
        ({"unit": "g", "curves": [{"points": [[1.0, 2.0], [4.0, 8.0]]}]}, 2.0 * np.pi * G),
        ({"unit": "m/s", "curves": [{"points": [[1.0, 0.5], [9.0, 0.5]]}]}, 0.5 * 2 * np.pi**2),
        ({"unit": "m", "curves": [{"points": [[1.0, 0.1], [9.0, 0.1]], "scale": 2.0}]},
         0.2 * (2 * np.pi**2) ** 2),
        ({"unit": "m/s^2", "over": "period",
          "curves": [{"points": [[0.0, 1.0], [1.0, 3.0]], "between": "lines"}]},
         1.0 + 2.0 / np.pi),
        ({"unit": "m/s^2", "curves": [{"damping": 0.02, "points": [[1.0, 4.0], [9.0, 4.0]]},
                                      {"damping": 0.08, "points": [[1.0, 2.0], [9.0, 2.0]]}]},
         4.0 - 2.0 * np.log(0.05 / 0.02) / np.log(0.08 / 0.02)),
    ],
)  # fmt: skip
def test_an_oscillator_answers_with_its_spectrum(
    tmp_path: Path, curve: dict[str, Any], expected: float
) -> None:
    """Peak displacement S_a / w^2, absolute acceleration S_a; f = pi Hz, so w = 2 pi^2 rad/s."""
    w = 2.0 * np.pi**2
    tables = tower([3.0], [3.0 * w**2], excitations=[{"direction": "x", **curve}])
    place = {"group": "p1", "component": "x"}
    tables["probes"] += [{"name": "a", **place, "quantity": "acceleration"},
                         {"name": "R", "body": "k1", "quantity": "reaction_force",
                          "component": "x"}]  # fmt: skip
    figures = run(tables, tmp_path).figures
    assert figures["u1, peak"][0] == pytest.approx(expected / w**2, rel=1e-12)
    assert figures["a, peak"][0] == pytest.approx(expected, rel=1e-12)
    assert figures["R, peak"][0] == pytest.approx(3.0 * expected, rel=1e-12)
    assert figures["mass in modes along x"][0] == pytest.approx(100.0)


def test_damping_ratios_are_those_of_dashpots_and_materials(tmp_path: Path) -> None:
    """A dashpot c = 2 zeta m w chooses between curves: at zeta = 0.04 the middle one of three."""
    w = 30.0
    levels = ((0.01, 5.0), (0.04, 3.0), (0.16, 1.0))
    curves = [{"damping": z, "points": [[0.1, a], [99.0, a]]} for z, a in levels]
    tables = tower([2.0], [2.0 * w**2], modal_damping=0.0,
                   excitations=[{"direction": "x", "unit": "m/s^2", "curves": curves}])  # fmt: skip
    tables["connectors"][0]["damping"] = 2 * 0.04 * 2.0 * w
    assert run(tables, tmp_path).figures["u1, peak"][0] == pytest.approx(3.0 / w**2, rel=1e-9)


def frame(rule: str, **analysis: Any) -> dict[str, Any]:
    """Return Chopra's two-storey frame (Dynamics of Structures, example 10.4), m = 5, k = 4000."""
    curve = {"points": [[1.0, 3.0], [100.0, 3.0 * 100.0**0.3]]}  # S_a = 3 f^0.3
    return tower(
        [10.0, 5.0],
        [8000.0, 4000.0],
        combination=rule,
        excitations=[{"direction": "x", "unit": "m/s^2", "curves": [curve]}],
        **analysis,
    )


@pytest.mark.parametrize("rule", ["srss", "cqc", "absolute", "ten_percent"])
def test_a_frame_of_two_storeys(tmp_path: Path, rule: str) -> None:
    """w = sqrt(k/2m), sqrt(2k/m); shapes (1/2, 1), (-1, 1) with 4/3 and -1/3; masses 8/3 m, m/3."""
    m, k, z = 5.0, 4000.0, 0.05
    w = np.sqrt([k / (2 * m), 2 * k / m])
    acceleration = 3.0 * (w / (2 * np.pi)) ** 0.3
    peaks = (
        np.array([[0.5, 1.0], [-1.0, 1.0]])
        * (np.array([4 / 3, -1 / 3]) * acceleration / w**2)[:, None]
    )
    forces = np.array([8 / 3 * m, m / 3]) * acceleration
    r = w[1] / w[0]
    rho = 8 * z**2 * (1 + r) * r**1.5 / ((1 - r**2) ** 2 + 4 * z**2 * r * (1 + r) ** 2)

    def together(one: np.ndarray) -> float:
        if rule == "absolute":
            return float(np.abs(one).sum())
        cross = 2 * rho * one[0] * one[1] if rule == "cqc" else 0.0
        return float(np.sqrt((one**2).sum() + cross))

    figures = run(frame(rule), tmp_path).figures
    for i in (0, 1):
        assert figures[f"u{i + 1}, peak"][0] == pytest.approx(together(peaks[:, i]), rel=1e-10)
    told = figures["force on the base along x, by its excitation"][0]
    assert told == pytest.approx(together(forces), rel=1e-10)
    rows = list(csv.DictReader((tmp_path / "spectrum.csv").open()))
    assert [float(one["effective mass [kg]"]) for one in rows[:2]] == pytest.approx([40 / 3, 5 / 3])
    assert float(rows[2]["effective mass [kg]"]) == pytest.approx(0.0, abs=1e-12)


def test_correlations_are_those_of_der_kiureghian() -> None:
    """Of one damping ratio the formula of codes; symmetric, 1 of equal modes, 0 undamped."""
    f, z = np.array([1.0, 1.1, 3.0]), 0.05
    found = cqc(f, np.full(3, z))
    for i in range(3):
        for j in range(3):
            r = f[j] / f[i]
            bottom = (1 - r**2) ** 2 + 4 * z**2 * r * (1 + r) ** 2
            assert found[i, j] == pytest.approx(8 * z**2 * (1 + r) * r**1.5 / bottom, rel=1e-12)
    mixed = cqc(f, np.array([0.01, 0.05, 0.2]))
    assert np.allclose(mixed, mixed.T, rtol=1e-12)
    assert np.linalg.eigvalsh(mixed).min() > 0.0
    assert np.array_equal(cqc(np.array([2.0, 3.0]), np.zeros(2)), np.eye(2))


def test_quadratic_forms_are_sums_of_squares_of_states() -> None:
    """With units far apart, and von Mises stresses against their quadratic form (Segalman)."""
    rng = np.random.default_rng(3)
    scale = np.array([1e-9, 1.0, 1e6, 3.0])
    root = rng.normal(size=(4, 4)) * scale[:, None]
    covariance = root @ root.T
    states = principal_states(covariance)
    assert np.allclose(states.T @ states / np.outer(scale, scale),
                       covariance / np.outer(scale, scale), rtol=1e-10)  # fmt: skip
    modal = rng.normal(size=(4, 5, 6)) / scale[:, None, None]  # of four coordinates, five nodes
    key = ("nodes", "b", "stress")
    found = root_sum_squares({key: np.tensordot(row, modal, axes=1)} for row in states)
    form = np.diag([1.0, 1.0, 1.0, 3.0, 3.0, 3.0])  # xx yy zz xy yz zx
    form[:3, :3] -= 0.5 * (1.0 - np.eye(3))
    for node in range(5):
        c = np.einsum("ia,ij,jb->ab", modal[:, node], covariance, modal[:, node])
        assert np.allclose(found[key][node], np.sqrt(np.diag(c)), rtol=1e-9)
        assert found["nodes", "b", "von_mises"][node] == pytest.approx(
            np.sqrt(np.trace(form @ c)), rel=1e-9
        )


def test_sums_without_signs_and_of_close_modes() -> None:
    """Absolute sums bound, and close modes add twice the product of their sizes."""
    assert close_pairs(np.array([1.0, 1.09, 1.25])) == {(0, 1)}
    key = ("nodes", "b", "stress")
    rng = np.random.default_rng(4)
    a, b, c = ({key: rng.normal(size=(2, 6))} for _ in range(3))
    found = with_close([a, b, c], {(0, 1)})
    squares = sum(one[key] ** 2 for one in (a, b, c)) + 2 * np.abs(a[key] * b[key])
    assert np.allclose(found[key], np.sqrt(squares))
    both = von_mises(a[key] + b[key]) ** 2 - von_mises(a[key]) ** 2 - von_mises(b[key]) ** 2
    expected = sum(von_mises(one[key]) ** 2 for one in (a, b, c)) + np.abs(both)
    assert np.allclose(found["nodes", "b", "von_mises"], np.sqrt(expected))
    assert np.allclose(absolute_sum([a, b])["nodes", "b", "von_mises"],
                       von_mises(a[key]) + von_mises(b[key]))  # fmt: skip


def test_directions_together() -> None:
    """3, 4, 12: srss 13, absolute 19, 100-40-40 the largest of three sums, 12 + 0.4 x 7."""
    parts = [{("probes", "", ""): np.array([size])} for size in (3.0, 12.0, 4.0)]
    for rule, expected in (("srss", 13.0), ("absolute", 19.0), ("100-40-40", 14.8)):
        assert of_directions(parts, rule)["probes", "", ""][0] == pytest.approx(expected)


MAST: dict[str, Any] = {
    "mesh": {"block": {"cell": "line2", "corners": [[0, 0, 0], [0, 0, 3]], "divisions": [6]}},
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7850.0}},
    "bodies": [{"name": "mast", "element": "euler_beam", "material": "steel",
                "section": {"shape": "round", "diameter": 0.1}}],
    "supports": [{"group": "xmin"}],
    "tables": [{"group": "xmin", "quantity": "reaction_force", "total": "only", "name": "R"}],
    "output": {"formats": ["csv", "hdf5"]},
}  # fmt: skip


def reaction(folder: Path) -> list[float]:
    """Return the total reaction."""
    line = (folder / "tables" / "R.csv").read_text().splitlines()[-1]
    return [float(cell) for cell in line.split(",")[2:]]


@pytest.mark.parametrize(("modes", "rule"), [(1, "srss"), (4, "cqc"), (4, "ten_percent")])
def test_a_rigid_structure_is_carried_by_its_mass(tmp_path: Path, modes: int, rule: str) -> None:
    """Above the spectrum all parts answer with m a, whatever the modes and the rule."""
    stiff = {"steel": MAST["materials"]["steel"] | {"young": 2e17}}
    curve = {"points": [[0.1, 5.0], [30.0, 1.5]]}
    excitation = {"direction": "y", "unit": "m/s^2", "curves": [curve]}
    analysis = {"kind": "spectrum", "modes": modes, "excitations": [excitation],
                "modal_damping": 0.05, "combination": rule}  # fmt: skip
    outcome = run(MAST | {"materials": stiff, "analysis": analysis}, tmp_path)
    mass = outcome.figures["mass"][0]
    assert mass == pytest.approx(7850 * np.pi / 4 * 0.01 * 3, rel=1e-12)
    assert reaction(tmp_path)[1] == pytest.approx(1.5 * mass, rel=1e-9)
    found = outcome.results.frame(0).states["mast"]
    assert found.others is not None  # all moves with the base
    assert np.allclose(found.others["acceleration"][:, 1], 1.5, rtol=1e-6)


def test_a_few_modes_with_the_missing_mass_are_close_to_all(tmp_path: Path) -> None:
    """Of stiff modes beyond the spectrum the static answer is exact, so few modes suffice."""
    curve = {"points": [[1.0, 9.0], [20.0, 9.0], [60.0, 2.0]]}
    excitation = {"direction": "x", "unit": "m/s^2", "curves": [curve]}
    found = {}
    for modes in (4, 30):
        analysis = {"kind": "spectrum", "modes": modes, "excitations": [excitation],
                    "combination": "srss"}  # fmt: skip
        probes = [{"name": "tip", "group": "xmax", "component": "x"},
                  {"name": "M", "point": [0, 0, 0.25], "quantity": "section_force",
                   "component": "My"}]  # fmt: skip
        found[modes] = run(MAST | {"analysis": analysis, "probes": probes}, tmp_path / str(modes))
    few, all_of = found[4].figures, found[30].figures
    assert few["tip, peak"][0] == pytest.approx(all_of["tip, peak"][0], rel=1e-4)
    assert few["M, peak"][0] == pytest.approx(all_of["M, peak"][0], rel=2e-2)
    # Without it the base shear of the rest is lost.
    assert few["mass in modes along x"][0] < 85.0


@pytest.mark.parametrize("angle", [0.3, 1.1])
def test_repeated_modes_have_no_preferred_axes(tmp_path: Path, angle: float) -> None:
    """Modes of a round mast come in pairs of any direction: CQC answers along the excitation."""
    direction = [float(np.cos(angle)), float(np.sin(angle)), 0.0]
    excitation = {"direction": direction, "unit": "m/s^2", "curves": [FLAT]}
    analysis = {"kind": "spectrum", "modes": 4, "modal_damping": 0.02, "excitations": [excitation]}
    found = run(MAST | {"analysis": analysis}, tmp_path).results.frame(0).states["mast"]
    straight = {"direction": "x", "unit": "m/s^2", "curves": [FLAT]}
    other = run(MAST | {"analysis": analysis | {"excitations": [straight]}}, tmp_path / "x")
    tip = other.results.frame(0).states["mast"].displacement[-1, 0]
    assert np.allclose(found.displacement[-1, :2], tip * np.abs(direction[:2]), rtol=1e-6)


def test_a_frame_at_rest_that_is_turned_feels_global_directions(tmp_path: Path) -> None:
    """The base moves along x of space, y of the frame that is turned by 90 degrees."""
    body = MAST["bodies"][0] | {"frame": {"axis": [0, 0, 1], "angle": "-90 deg"}}
    excitation = {"direction": "x", "unit": "m/s^2", "curves": [FLAT]}
    analysis = {"kind": "spectrum", "modes": 4, "modal_damping": 0.02, "excitations": [excitation]}
    run(MAST | {"bodies": [body], "analysis": analysis}, tmp_path / "turned")
    run(MAST | {"analysis": analysis}, tmp_path / "straight")
    turned, straight = reaction(tmp_path / "turned"), reaction(tmp_path / "straight")
    assert turned[1] == pytest.approx(straight[0], rel=1e-9)
    assert turned[0] == pytest.approx(0.0, abs=1e-9 * straight[0])


def test_faces_of_shells_have_von_mises_stresses_of_their_own(tmp_path: Path) -> None:
    """Combined components of both faces are alike; their von Mises stresses are not theirs."""
    plate = {
        "mesh": {"block": {"cell": "quad4", "divisions": [4, 2],
                           "corners": [[0, 0, 0], [1, 0, 0], [1, 0.4, 0], [0, 0.4, 0]]}},
        "materials": MAST["materials"],
        "bodies": [{"name": "plate", "element": "mitc4", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "output": {"formats": ["hdf5"]},
        "analysis": {"kind": "spectrum", "modes": 8, "modal_damping": 0.05, "excitations": [
            {"direction": [0.3, 0.5, 1.0], "unit": "m/s^2", "curves": [FLAT]}]},
    }  # fmt: skip
    outcome = run(plate, tmp_path)
    found = outcome.results.frame(0).states["plate"].at_stations
    assert found is not None
    for face in ("top", "bottom"):
        own, of_peaks = found[f"von_mises_{face}"], von_mises(found[f"stress_{face}"])
        assert not np.allclose(own, of_peaks, rtol=1e-2)
        # A norm of what is combined: between the largest component and the sum of all.
        parts = np.abs(found[f"stress_{face}"])[:, [0, 1, 3]]
        assert (own <= parts @ [1.0, 1.0, np.sqrt(3.0)]).all()
        assert (own >= 0.5 * parts.max(axis=1)).all()
    told = outcome.figures["largest von Mises stress on faces"][0]
    largest = max(found[f"von_mises_{face}"].max() for face in ("top", "bottom"))
    assert told == pytest.approx(largest, rel=1e-12)


def test_warnings_name_what_is_not_covered(tmp_path: Path) -> None:
    """Modes beyond the table by number and frequency, and the mass that modes leave out."""
    excitation = {"direction": "x", "unit": "g", "curves": [{"points": [[1.0, 1.0], [20.0, 1.0]]}]}
    analysis = {"kind": "spectrum", "modes": 4, "excitations": [excitation], "missing_mass": False}
    outcome = run(MAST | {"analysis": analysis}, tmp_path)
    told = " / ".join(outcome.warnings)
    assert "damping" not in told
    assert "from 1 to 20 Hz and does not cover mode " in told
    assert "% of the mass along x" in told


def test_the_page_draws_the_spectrum_and_lists_what_modes_answer(tmp_path: Path) -> None:
    """Curve and marks over logarithms; of four modes the two along x, and the missing mass."""
    one = {"direction": "x", "unit": "g", "curves": [{"points": [[1.0, 1.0], [90.0, 0.2]]}]}
    analysis = {"kind": "spectrum", "modes": 4, "excitations": [one]}
    flat = MAST["bodies"][0] | {"section": {"shape": "rectangle", "width": 0.05, "height": 0.1}}
    run(MAST | {"bodies": [flat], "analysis": analysis}, tmp_path)
    results = Results(tmp_path)
    (plot,) = spectrum_plots(results.summary)
    curve, marks = plot["lines"]
    assert plot["log_axis"] and marks["marks"] and len(marks["x"]) == 4
    factor = {"m/s^2": 1.0, "mm/s^2": 1e-3}[plot["unit"]]
    level = 0.2 ** (np.log(marks["x"][0]) / np.log(90.0)) * G  # straight in logarithms
    assert marks["y"][0] * factor == pytest.approx(level, rel=1e-5)
    assert max(curve["y"]) * factor == pytest.approx(G, rel=1e-6)
    page = page_of(results)
    listed = page[page.index("Answers of the modes") :]
    rows = listed[: listed.index("</table>")].count("<tr>") - 1
    assert rows == 3
    assert "combined peaks" in page


def test_a_spectrum_over_periods_ends_at_the_shortest(tmp_path: Path) -> None:
    """From 0.05 to 1 s: modes above 20 Hz answer statically, with the value of 0.05 s."""
    curve = {"points": [[0.05, 2.0], [1.0, 6.0]]}
    one = {"direction": "x", "unit": "m/s^2", "over": "period", "curves": [curve]}
    run(MAST | {"analysis": {"kind": "spectrum", "modes": 4, "excitations": [one]}}, tmp_path)
    rows = list(csv.DictReader((tmp_path / "spectrum.csv").open()))
    assert [row["answers"] for row in rows] == ["combined"] * 2 + ["statically"] * 3
    assert [float(row["acceleration [m/s^2]"]) for row in rows[2:]] == [2.0] * 3


def test_a_spectrum_of_another_damping_is_told(tmp_path: Path) -> None:
    """Of 5 % with modes of 2 %: the value is taken, and a warning says so; within a tenth not."""
    said = []
    for ratio in (0.02, 0.048):
        curve = FLAT | {"damping": 0.05}
        one = {"direction": "x", "unit": "m/s^2", "curves": [curve]}
        tables = tower([1.0], [400.0], modal_damping=ratio, excitations=[one])
        outcome = run(tables, tmp_path / f"{ratio}")
        assert outcome.figures["u1, peak"][0] == pytest.approx(2.0 / 400.0)
        said.append(" ".join(outcome.warnings))
    assert "damping ratios 0.05 to 0.05; modes have 0.02" in said[0]
    assert "damping" not in said[1]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"excitations": [{"direction": "x", "unit": "m/s", "over": "period",
                           "curves": [{"points": [[0.0, 1.0], [2.0, 1.0]], "between": "lines"}]}]},
         "a first number of 0"),
        ({"excitations": [{"direction": "x", "unit": "Hz", "curves": [FLAT]}]}, "unit"),
        ({"excitations": []}, "excitations"),
        ({"excitations": [{"direction": [0, 0, 0], "unit": "g", "curves": [FLAT]}]}, "length 0"),
        ({"excitations": [{"direction": "x", "unit": "g",
                           "curves": [{"points": [[0.0, 1.0], [2.0, 1.0]]}]}]}, "no logarithm"),
        ({"excitations": [{"direction": "x", "unit": "g", "curves": [FLAT, FLAT]}]},
         "the damping ratio of each"),
        ({"combination": "grouping"}, "combination"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_excitations_is_told(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    with pytest.raises(FlexforgeError, match=said):
        run(tower([1.0], [100.0], **changes), tmp_path)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"loads": [{"kind": "force", "group": "p1", "total": [1, 0, 0]}]}, "preload = true"),
        ({"probes": [{"name": "v", "group": "p1", "component": "x", "quantity": "velocity"}]},
         "found velocity"),
        ({"connectors": [], "supports": [{"group": "p1", "components": ["y", "z"]}]},
         "frequency zero"),
        ({"supports": [{"group": "p0", "displacement": {"x": 0.1}},
                       {"group": "p1", "components": ["y", "z"]}]}, "whose base moves"),
        ({"masses": [{"name": "m1", "group": "p1", "mass": 1.0,
                      "frame": {"axis": [0, 0, 1], "velocity": 3.0}}], "connectors": [],
          "supports": []}, "frame that moves"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_beside_a_spectrum_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    tables = tower([1.0], [100.0]) | {k: v for k, v in changes.items() if v != []}
    for key in [k for k, v in changes.items() if v == []]:
        del tables[key]
    with pytest.raises(FlexforgeError, match=said):
        run(tables, tmp_path)
