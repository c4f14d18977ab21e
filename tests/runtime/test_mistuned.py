# SPDX-License-Identifier: BSD-3-Clause
"""Wheels whose blades differ, from tuned waves of one sector: as models of all sectors are."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from bladed import STEEL, wheel
from flexforge.codegen.errors import FlexforgeError
from flexforge.runtime.results.bode import response_plots
from flexforge.runtime.results.mistuning import localization_plots
from flexforge.runtime.vibration.mistuning import WheelMatrices, whitehead_factor
from scipy.spatial import cKDTree

PATTERNS = {
    5: [0.2, -0.1, 0.07, -0.25, 0.13],
    6: [-0.15, 0.22, 0.04, -0.08, 0.3, -0.21],
}
EVERY = 500  # modes of a sector: all that there are
PUSH = {"kind": "force", "total": [3.0, -2.0, 10.0]}


def model(
    sectors: int,
    analysis: dict[str, Any],
    *,
    whole: bool,
    velocity: float = 0.0,
    alpha: float = 0.0,
    **mistuning: Any,
) -> dict[str, Any]:
    """Return a wheel whose blades are bodies: of a sector, or with a material for each blade."""
    pattern = PATTERNS[sectors]
    frame = {"velocity": velocity} if velocity else {}
    steel = {**STEEL, "damping": {"alpha": alpha, "beta": 0.0}} if alpha else STEEL
    materials: dict[str, Any] = {"steel": steel}
    names = ["blade"]
    if whole:
        names = [f"blade{k + 1}" for k in range(sectors)]
        for name, change in zip(names, pattern, strict=True):
            materials[name] = {**steel, "young": steel["young"] * (1.0 + change)}
    bodies = [
        {"name": n, "cells": n, "element": "hex8i", "frame": frame,
         "material": n if whole and n != "disc" else "steel"}
        for n in ("disc", *names)
    ]  # fmt: skip
    more = {"include": {"geometric": False}} if velocity else {}
    tables = wheel(sectors, whole=whole, analysis=analysis, **more)
    tables |= {"materials": materials, "bodies": bodies}
    if not whole:
        given = mistuning or {"stiffness": pattern}
        tables["cyclic"] |= {"mistuning": {"bodies": ["blade"], **given}}
    return tables


def modes_of(tables: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Run a model of a sector and return the modes of the mistuned wheel."""
    ff.load_model(tables).run(folder)
    found: list[dict[str, Any]] = json.loads((folder / "summary.json").read_text())[
        "mistuned_modes"
    ]
    return found


def roots_of(tables: dict[str, Any], folder: Path) -> np.ndarray:
    """Run the model of all sectors and return frequencies, Hz, and damping ratios of its modes."""
    figures = ff.load_model(tables).run(folder).figures
    count = tables["analysis"]["count"]
    return np.array([[figures[f"mode {i}"][0], figures.get(f"damping ratio of mode {i}", 0.0)]
                     for i in range(1, count + 1)]).T  # fmt: skip


@pytest.mark.parametrize(
    ("sectors", "velocity", "alpha"),
    [
        (5, 0.0, 0.0),
        (6, 0.0, 0.0),
        pytest.param(6, 400.0, 0.0, marks=pytest.mark.slow),
        (5, -400.0, 60.0),
    ],
    ids=["odd", "even", "Coriolis", "Coriolis and damping"],
)
def test_modes_of_all_tuned_waves_are_those_of_the_wheel(
    tmp_path: Path, sectors: int, velocity: float, alpha: float
) -> None:
    """With a complete set of tuned waves: frequencies and damping of the whole model, to 1e-8."""
    more = {"velocity": velocity, "alpha": alpha}
    analysis = {"kind": "modes", "count": EVERY}
    ours = modes_of(model(sectors, analysis, whole=False, **more), tmp_path / "sector")
    count = 6 * sectors
    whole = model(sectors, analysis | {"count": count}, whole=True, **more)
    theirs = roots_of(whole, tmp_path / "wheel")
    found = np.array([one["frequency_Hz"] for one in ours[:count]])
    assert len(ours) > 10 * sectors
    assert found == pytest.approx(theirs[0], rel=1e-8)
    roots = np.array([one["growth_1_s"] for one in ours[:count]]) + 2j * np.pi * found
    assert -roots.real / np.abs(roots) == pytest.approx(theirs[1], rel=1e-6, abs=1e-10)
    tuned = np.array(json.loads((tmp_path / "sector" / "summary.json").read_text())["modes"][0:1])
    assert abs(found[0] / tuned[0]["frequency_Hz"] - 1.0) > 1e-3  # it is not the tuned wheel


def test_few_waves_converge_from_above(tmp_path: Path) -> None:
    """A subset of tuned waves: Ritz's bounds, with 2 to 10 per nodal diameter (without Coriolis).

    What a few waves miss is of second order in the mistuning, here of up to 30 % and of 3 %.
    """
    errors = []
    for scale in (1.0, 0.1):
        pattern = [scale * one for one in PATTERNS[6]]
        found = {
            count: np.array([one["frequency_Hz"] for one in modes_of(
                model(6, {"kind": "modes", "count": count}, whole=False, stiffness=pattern),
                tmp_path / f"{count} {scale}")][:6])
            for count in (2, 4, 10, EVERY)
        }  # fmt: skip
        assert (found[2] > found[4]).all()
        assert (found[4] > found[10]).all()
        assert (found[10] > found[EVERY]).all()
        errors.append([np.abs(found[n] / found[EVERY] - 1.0).max() for n in (2, 4, 10)])
    assert errors[0][0] < 2.5e-3
    assert errors[1][0] < 2.5e-5
    assert np.array(errors[0]) / np.array(errors[1]) == pytest.approx([100.0] * 3, rel=0.15)


@pytest.mark.parametrize("diameter", [2, -1])
@pytest.mark.parametrize("velocity", [0.0, 400.0])
def test_responses_in_all_sectors_are_those_of_the_wheel(
    tmp_path: Path, diameter: int, velocity: float
) -> None:
    """Amplitude and phase of every blade under a wave of forces, and one more on two blades."""
    frequencies = [300.0, 451.0, 700.0]
    analysis = {"kind": "harmonic", "frequencies": frequencies}
    more = {"velocity": velocity, "alpha": 30.0}
    probe = {"component": "x"}
    own = model(6, analysis | {"modes": EVERY, "nodal_diameter": diameter}, whole=False, **more)
    own["loads"] = [PUSH | {"group": "tip"}, PUSH | {"group": "tip", "sectors": [2, 3]}]
    own["probes"] = [{"name": q, "group": "tip", "quantity": q, **probe}
                     for q in ("displacement", "acceleration")]  # fmt: skip
    whole = model(6, analysis, whole=True, **more)
    mesh = whole["mesh"]
    tips = mesh.groups["tip"].nodes
    angle = np.degrees(np.arctan2(mesh.points[tips, 1], mesh.points[tips, 0])) % 360.0
    whole["loads"], whole["probes"] = [], []
    for j in range(6):
        a, group = np.pi / 3 * j, "#" + ", ".join(map(str, tips[(angle // 60).astype(int) == j]))
        x, y, z = (1.0 + (j in (1, 2))) * np.array(PUSH["total"])
        total = [x * np.cos(a) - y * np.sin(a), x * np.sin(a) + y * np.cos(a), z]
        phase = f"{60 * diameter * j} deg"
        whole["loads"].append({"kind": "force", "group": group, "total": total, "phase": phase})
        whole["probes"] += [
            {"name": f"{q} {c} {j}", "group": group, "quantity": q, "component": c}
            for q in ("displacement", "acceleration") for c in "xy"
        ]  # fmt: skip
    rows = []
    for name, tables in (("sector", own), ("wheel", whole)):
        path = ff.load_model(tables).run(tmp_path / name).folder / "response.csv"
        table = np.loadtxt(path, delimiter=",", skiprows=1)[:, 1:].reshape(3, -1, 2)
        rows.append(table[..., 0] * np.exp(1j * np.radians(table[..., 1])))
    ours = rows[0].reshape(3, 2, 7)[:, :, 1:]  # without the tuned wheel
    theirs = rows[1].reshape(3, 6, 2, 2)  # sectors, quantities, components
    turn = np.pi / 3 * np.arange(6)
    radial = theirs[..., 0] * np.cos(turn)[:, None] + theirs[..., 1] * np.sin(turn)[:, None]
    for quantity in range(2):
        scale = np.abs(radial[:, :, quantity]).max()
        assert ours[:, quantity] == pytest.approx(
            radial[:, :, quantity], rel=1e-8, abs=1e-8 * scale
        )


def test_the_tuned_wheel_stands_beside_it(tmp_path: Path) -> None:
    """Amplitudes of equal sectors are those of the analysis without mistuning; figures say more."""
    analysis = {"kind": "harmonic", "frequencies": [300.0, 380.0, 381.0], "nodal_diameter": 1}
    mistuned = model(6, analysis | {"modes": EVERY}, whole=False, alpha=30.0)
    equal = model(6, analysis, whole=False, alpha=30.0)
    del equal["cyclic"]["mistuning"]
    for tables in (mistuned, equal):
        tables["loads"] = [PUSH | {"group": "tip"}]
        tables["probes"] = [{"name": "tip", "group": "tip", "component": "z"}]
    outcome = ff.load_model(mistuned).run(tmp_path / "mistuned")
    path = ff.load_model(equal).run(tmp_path / "equal").folder / "response.csv"
    known = np.loadtxt(path, delimiter=",", skiprows=1)
    rows = np.loadtxt(outcome.folder / "response.csv", delimiter=",", skiprows=1)
    assert rows[:, :3] == pytest.approx(known, rel=1e-8)
    sizes, figures = rows[:, 3::2], outcome.figures
    assert figures["tip, amplification"] == pytest.approx(sizes.max() / known[:, 1].max())
    assert figures["tip, sector of it"] == 1 + int(sizes.max(axis=0).argmax())
    assert figures["tip, largest amplitude"][0] == sizes.max()
    assert figures["largest amplification of one mode per blade"] == pytest.approx(1.7247448714)
    summary = json.loads((outcome.folder / "summary.json").read_text())
    (drawn,) = response_plots(summary)
    assert [line["name"] for line in drawn["lines"]][:2] == ["tuned", "sector 1"]
    assert len(drawn["lines"]) == 7


@pytest.mark.parametrize("velocity", [0.0, 400.0])
def test_shapes_on_all_sectors_are_those_of_the_wheel(tmp_path: Path, velocity: float) -> None:
    """At every node of the model of all sectors, but for their sign; seams are there twice."""
    output = {"output": {"formats": ["hdf5"]}}
    own = model(5, {"kind": "modes", "count": EVERY}, whole=False, velocity=velocity) | output
    own["cyclic"] |= {"expand": True}
    whole = model(5, {"kind": "modes", "count": 8}, whole=True, velocity=velocity) | output
    shown, points = [], []
    for name, tables in (("sector", own), ("wheel", whole)):
        results = ff.load_model(tables).run(tmp_path / name).results
        shapes = results.modes()[1]
        names = list(shapes)
        shown.append(np.concatenate([shapes[body][:8] for body in names], axis=1))
        points.append(np.concatenate([{b.name: b for b in results.bodies()}[body].points
                                      for body in names]))  # fmt: skip
    distance, number = cKDTree(points[1]).query(points[0])
    assert distance.max() < 1e-12
    theirs = shown[1][:, number]
    for one, other in zip(shown[0], theirs, strict=True):
        product = np.vdot(one, other)
        expected = np.sign(product) * other
        # Of unit modal mass of the wheel; with Coriolis forces the phase that is shown is that of
        # all nodes, of which those on seams are there twice.
        tolerance = 2e-3 if velocity else 1e-7
        assert one == pytest.approx(expected, abs=tolerance * np.abs(other).max())


def test_equal_changes_change_nothing_else(tmp_path: Path) -> None:
    """Sectors that are all stiffer by 21 % have frequencies higher by 10 %, however it is given."""
    (tmp_path / "pattern.csv").write_text(
        "sector,change\n" + "".join(f"{k},0.1\n" for k in range(1, 7))
    )
    analysis = {"kind": "modes", "count": 2}
    given = [{"stiffness": [0.21] * 6}, {"frequency": [0.1] * 6},
             {"frequency": str(tmp_path / "pattern.csv")}]  # fmt: skip
    for number, one in enumerate(given):
        tables = model(6, analysis, whole=False, **one)
        tables["cyclic"]["mistuning"]["bodies"] = ["disc", "blade"]
        found = modes_of(tables, tmp_path / f"{number}")
        summary = json.loads((tmp_path / f"{number}" / "summary.json").read_text())
        tuned = sorted(
            row["frequency_Hz"] for row in summary["modes"]
        )  # each part of a wave is one
        expected = [1.1 * one for one in tuned]
        assert [one["frequency_Hz"] for one in found] == pytest.approx(expected, rel=1e-9)
        assert all(one["share"] == pytest.approx(1.0) for one in found if one["localization"] < 1.1)
        assert np.array([one["energy"] for one in found]).sum(axis=1) == pytest.approx(1.0)
    with (tmp_path / "0" / "mistuning.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert list(rows[0])[-1] == "energy of sector 6"
    (drawn,) = localization_plots(summary)
    assert len(drawn["lines"][0]["x"]) == 12


def test_a_soft_blade_vibrates_alone(tmp_path: Path) -> None:
    """A mode of the fourth blade, with a tenth of the stiffness of others, is in its sector."""
    pattern = [0.0, 0.0, 0.0, -0.9, 0.0, 0.0]
    found = modes_of(
        model(6, {"kind": "modes", "count": EVERY}, whole=False, stiffness=pattern),
        tmp_path / "soft",
    )
    assert found[0]["sector"] == 4
    assert found[0]["localization"] > 3.0
    assert found[0]["localization"] == pytest.approx(6.0 * found[0]["energy"][3])


@pytest.mark.slow
def test_no_pattern_exceeds_whiteheads_factor() -> None:
    """One mode per blade, coupled along the rim: amplification is at most (1 + sqrt(N)) / 2."""
    assert [whitehead_factor(n) for n in (1, 4, 36)] == [1.0, 1.5, 3.5]
    random = np.random.default_rng(7)
    largest = 0.0
    for sectors in (3, 6):
        n = np.arange(sectors)
        waves = np.exp(2j * np.pi * np.outer(n, n) / sectors) / np.sqrt(sectors)
        for spread in (0.002, 0.01, 0.05):
            for _ in range(40):
                tuned = np.diag(1.0 + 0.02 * (1.0 - np.cos(2.0 * np.pi * n / sectors)))
                pattern = spread * random.standard_normal(sectors)
                added = waves.conj().T @ np.diag(pattern) @ waves
                drag = 0.002 * np.eye(sectors)
                force = np.zeros(sectors, dtype=complex)
                force[1] = 1.0
                w = np.linspace(0.9, 1.12, 2001)
                sizes = [
                    np.abs(WheelMatrices(k.astype(complex), drag).answers(w, force) @ waves.T).max()
                    for k in (tuned + added, tuned)
                ]
                factor = sizes[0] / sizes[1]
                assert factor <= whitehead_factor(sectors) * (1.0 + 1e-3)
                largest = max(largest, factor / whitehead_factor(sectors))
    assert largest > 0.85


def test_a_free_wheel_keeps_its_rigid_motions(tmp_path: Path) -> None:
    """Six of them at rest, whatever the blades; others are those of the model of all sectors."""
    more = {"supports": []}
    own = model(6, {"kind": "modes", "count": EVERY}, whole=False) | more
    whole = model(6, {"kind": "modes", "count": 20}, whole=True) | more
    ours = [one["frequency_Hz"] for one in modes_of(own, tmp_path / "sector")[:20]]
    theirs = roots_of(whole, tmp_path / "wheel")[0]
    assert ours[:6] == pytest.approx([0.0] * 6, abs=1e-3 * theirs[6])
    assert ours[6:] == pytest.approx(theirs[6:], rel=1e-8)


def test_resonance_without_damping_has_no_amplitude(tmp_path: Path) -> None:
    """A sweep that gathers at resonances meets them."""
    analysis = {"kind": "harmonic", "modes": 3, "between": [300.0, 500.0], "nodal_diameter": 1}
    tables = model(6, analysis, whole=False)
    tables["loads"], tables["probes"] = [PUSH | {"group": "tip"}], PROBES
    with pytest.raises(FlexforgeError, match="no steady vibration at .* without damping"):
        ff.load_model(tables).run(tmp_path / "undamped")


HARMONIC = {"kind": "harmonic", "frequencies": [1.0], "modes": 2}
PROBES = [{"name": "tip", "group": "tip", "component": "z"}]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"mistuning": {"stiffness": [0.1] * 5}}, r"cyclic\.mistuning: stiffness: found 5 numbers; "
         r"expected 6, one per sector"),
        ({"mistuning": {"frequency": [-1.0] + [0.0] * 5}}, r"frequency: found -1; expected changes "
         r"above -1"),
        ({"mistuning": {}}, r"cyclic\.mistuning: found neither of stiffness and frequency"),
        ({"mistuning": {"stiffness": [0.0] * 6, "frequency": [0.0] * 6}}, r"found both of"),
        ({"mistuning": {"bodies": ["vane"], "stiffness": [0.0] * 6}},
         r"cyclic\.mistuning\.bodies\[0\]: .*'vane'"),
        ({"analysis": {"kind": "static"}}, r"cyclic\.mistuning: found with a static analysis"),
        ({"analysis": {"kind": "modes", "speeds": [1.0, 2.0]}},
         r"cyclic\.mistuning: found with a modes analysis over speeds"),
        ({"analysis": {"kind": "harmonic", "frequencies": [1.0]}},
         r"analysis\.modes: found without modes of the tuned wheel"),
        ({"analysis": HARMONIC, "expand": True}, r"cyclic\.expand: found with mistuning"),
        ({"analysis": HARMONIC, "probes": []}, r"probes: found none with mistuning"),
        ({"analysis": HARMONIC, "probes": [{**PROBES[0], "quantity": "stress", "component": "xx"}]},
         r"probes\[0\]: found 'tip' with mistuning; expected a displacement"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    tables = model(6, {"kind": "modes", "count": 2}, whole=False)
    tables["probes"] = PROBES
    given = {"bodies": ["blade"], **changes.pop("mistuning", {"stiffness": [0.0] * 6})}
    tables["cyclic"] |= {"mistuning": given, "expand": changes.pop("expand", False)}
    with pytest.raises(FlexforgeError, match=said):
        ff.load_model(tables | changes).run(tmp_path / "wrong")


def test_tables_of_sectors_have_a_row_for_each(tmp_path: Path) -> None:
    path = tmp_path / "pattern.csv"
    path.write_text("1 0.1\n2 0.2\n4 0.3\n")
    with pytest.raises(FlexforgeError, match=r"stiffness: .*found sectors 1 to 4, 3 of them"):
        ff.load_model(model(6, {"kind": "modes"}, whole=False, stiffness=str(path)))


def test_nodal_diameters_by_modes_need_mistuning(tmp_path: Path) -> None:
    tables = model(6, HARMONIC | {"nodal_diameter": 1}, whole=False)
    del tables["cyclic"]["mistuning"]
    with pytest.raises(FlexforgeError, match=r"analysis\.nodal_diameter: found with modes"):
        ff.load_model(tables)
