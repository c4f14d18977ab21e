# SPDX-License-Identifier: BSD-3-Clause
"""Campbell diagrams of wheels from one sector: those of all sectors, and what excites them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import flexforge as ff
import numpy as np
import pytest
from bladed import STEEL, wheel
from flexforge.codegen.errors import AnalysisError, FlexforgeError
from flexforge.runtime.results.campbell import diagram, section
from flexforge.runtime.statics.stress_state import StressSolver
from flexforge.runtime.system.system import System
from flexforge.runtime.vibration import modes_over_speed as module
from flexforge.runtime.vibration.engine_orders import DiameterWaves, excited_by
from flexforge.runtime.vibration.wheel_sweep import WheelSweep

SPEEDS = [0.0, 200.0, 400.0, 600.0]
DAMPED = {"materials": {"steel": {**STEEL, "damping": {"alpha": 20.0, "beta": 1e-6}}}}


def frames(speed: float) -> dict[str, Any]:
    """Return the body of a wheel in a frame that turns about z."""
    frame = {"velocity": speed}
    return {"bodies": [{"name": "wheel", "element": "hex8i", "material": "steel", "frame": frame}]}


def tables(sectors: int, speed: float = 1.0, **more: Any) -> dict[str, Any]:
    """Return a sector over speeds."""
    analysis = {"kind": "modes", "count": 3, "speeds": SPEEDS} | more.pop("analysis", {})
    return wheel(sectors, whole=False, **{**frames(speed), "analysis": analysis, **more})


def of_sector(given: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Run a model and return its diagram."""
    found = ff.load_model(given).run(folder).campbell
    assert found is not None
    return found


def of_wheel(sectors: int, speed: float, folder: Path, count: int, **more: Any) -> np.ndarray:
    """Return the roots of the model of all sectors at a speed: frequencies, Hz, and growths."""
    analysis = {"kind": "modes", "count": count}
    given = wheel(sectors, whole=True, **{**frames(speed), "analysis": analysis, **more})
    figures = ff.load_model(given).run(folder).figures
    found = [figures[f"mode {i}"][0] for i in range(1, count + 1)]
    ratios = [figures.get(f"damping ratio of mode {i}", 0.0) for i in range(1, count + 1)]
    return np.array([found, ratios])


@pytest.mark.parametrize(
    ("sectors", "sense", "more"),
    [(6, 1.0, {}), (5, -1.0, DAMPED)],
    ids=["even", "odd, damped, against the axis"],
)
def test_modes_over_the_speed_are_those_of_the_wheel(
    tmp_path: Path, sectors: int, sense: float, more: dict[str, Any]
) -> None:
    """At every speed: frequencies and damping ratios of the model of all sectors, to 1e-8."""
    data = of_sector(tables(sectors, sense, **more), tmp_path / "sector")
    assert data["speeds_rad_s"] == SPEEDS
    for place, speed in enumerate(SPEEDS):
        ours = np.array(
            [[m["frequency_Hz"][place], m["damping_ratio"][place]] for m in data["modes"]]
        )
        ours = ours[np.argsort(ours[:, 0])].T
        highest = min(
            max(m["frequency_Hz"][place] for m in data["modes"] if m["nodal_diameter"] == n)
            for n in range(sectors // 2 + 1)
        )
        count = int((ours[0] < highest * (1.0 - 1e-6)).sum())
        assert count > 2 * sectors - 2
        theirs = of_wheel(sectors, sense * speed, tmp_path / f"{speed}", count, **more)
        assert ours[0, :count] == pytest.approx(theirs[0], rel=1e-8)
        assert ours[1, :count] == pytest.approx(theirs[1], rel=1e-6, abs=1e-12)


def test_the_sense_of_waves_and_what_is_seen_at_rest(tmp_path: Path) -> None:
    """Those of single speeds: forward and backward, in both frames, whichever way it turns."""
    data = of_sector(tables(6), tmp_path / "over")
    mirrored = of_sector(tables(6, -1.0), tmp_path / "mirrored")
    for n in (0, 1, 2, 3):
        given = {"kind": "modes", "count": 3, "nodal_diameters": [n]}
        alone = wheel(6, whole=False, **frames(600.0), analysis=given)
        ff.load_model(alone).run(tmp_path / f"{n}")
        rows = json.loads((tmp_path / f"{n}" / "summary.json").read_text())["modes"]
        rows = [row for row in rows if row["part"] == "real"]
        own = [mode for mode in data["modes"] if mode["nodal_diameter"] == n]
        for sense in {row["travels"] for row in rows}:
            alike = [row for row in rows if row["travels"] == sense]
            found = [mode for mode in own if mode["whirl"][-1] == sense]
            frequencies = sorted(row["frequency_Hz"] for row in alike)
            assert sorted(m["frequency_Hz"][-1] for m in found) == pytest.approx(frequencies)
            seen = [abs(mode["inertial_frequency_Hz"][-1]) for mode in found if n < 3]
            fixed = [row["fixed_frequency_Hz"] for row in alike if n < 3]
            assert sorted(seen) == pytest.approx(sorted(fixed))
    ways = [
        sorted(diagram["modes"], key=lambda m: (m["nodal_diameter"], m["whirl"][-1]))
        for diagram in (data, mirrored)
    ]
    for one, other in zip(*ways, strict=True):
        assert other["whirl"][1:] == one["whirl"][1:]
        for key in ("frequency_Hz", "inertial_frequency_Hz"):
            assert other[key][1:] == pytest.approx(one[key][1:], rel=1e-9, nan_ok=True)


def test_speeds_are_critical_where_an_engine_order_excites_the_wave(tmp_path: Path) -> None:
    """There the wheel of all sectors vibrates at k W, and only orders p N + n or p N - n count."""
    analysis = {"count": 2, "speeds": [100.0, 300.0, 500.0], "orders": list(range(1, 14))}
    data = of_sector(tables(6, analysis=analysis), tmp_path / "sector")
    found = {(one["order"], one["nodal_diameter"], one["travels"]) for one in
             data["critical_speeds"]}  # fmt: skip
    # All families below 500 Hz, whose lines have frequencies up to k 500 / 2 pi.
    assert {(5, 1, "forward"), (7, 1, "backward"), (8, 2, "backward"), (6, 0, "standing"),
            (12, 0, "standing"), (9, 3, "standing"), (11, 1, "forward"),
            (13, 1, "backward"), (10, 2, "forward")} <= found  # fmt: skip
    modes = {mode["mode"]: mode for mode in data["modes"]}
    for one in data["critical_speeds"]:
        assert (one["nodal_diameter"], one["travels"]) == excited_by(one["order"], 6)
        assert modes[one["mode"]]["nodal_diameter"] == one["nodal_diameter"]
        assert one["frequency_Hz"] == pytest.approx(one["order"] * one["speed_rad_s"] / 2 / np.pi)
    for number, one in enumerate(data["critical_speeds"][:4]):
        known = of_wheel(6, one["speed_rad_s"], tmp_path / f"{number}", 18)[0]
        assert np.abs(known / one["frequency_Hz"] - 1.0).min() < 2e-8


@pytest.mark.parametrize("order", [1, 2, 4, 5, 7, 13])
def test_a_force_that_rests_in_space_moves_the_waves_it_excites(tmp_path: Path, order: int) -> None:
    """In the model of all sectors: it resonates where the diagram says, with the wave's sense.

    Blade j at angle theta_j = j alpha + W t feels ``cos(k theta_j)``: a phase k j alpha at k W.
    """
    speed, (n, travels) = 300.0, excited_by(order, 6)
    data = of_sector(
        tables(6, analysis={"speeds": [200.0, speed], "count": 2, "nodal_diameters": [n]}),
        tmp_path / "sector",
    )
    lowest = {mode["whirl"][-1]: mode["frequency_Hz"][-1] for mode in reversed(data["modes"])}
    assert abs(lowest["forward"] - lowest["backward"]) > 1.0
    given = wheel(6, whole=True, **frames(speed))
    mesh, tips = given["mesh"], given["mesh"].groups["tip"].nodes
    angle = np.degrees(np.arctan2(mesh.points[tips, 1], mesh.points[tips, 0])) % 360
    names = ["#" + ", ".join(map(str, tips[(angle // 60).astype(int) == j])) for j in range(6)]
    push = {"kind": "force", "total": [0.0, 0.0, 1.0]}
    given["loads"] = [{**push, "group": name, "phase": f"{60 * order * j} deg"}
                      for j, name in enumerate(names)]  # fmt: skip
    given["probes"] = [{"name": f"{j}", "group": name, "component": "z"}
                       for j, name in enumerate(names)]  # fmt: skip
    both = {sense: lowest[sense] * (1.0 + 1e-4) for sense in ("forward", "backward")}
    given["analysis"] = {"kind": "harmonic", "frequencies": sorted(both.values())}
    path = ff.load_model(given).run(tmp_path / "wheel").folder / "response.csv"
    rows = {row[0]: row[1:].reshape(6, 2)
            for row in np.loadtxt(path, delimiter=",", skiprows=1)}  # fmt: skip
    sizes = {sense: rows[hertz][0, 0] for sense, hertz in both.items()}
    assert max(sizes, key=sizes.get) == travels  # type: ignore[arg-type]
    assert sizes[travels] > 20.0 * min(sizes.values())
    # cos(w t + phase_j): where phases fall from blade to blade, later blades follow, forward.
    steps = np.angle(np.exp(1j * np.radians(np.diff(rows[both[travels]][:, 1]))))
    expected = {"forward": -n, "backward": n}[travels] * np.pi / 3
    assert steps == pytest.approx(np.full(5, expected), abs=1e-6)


def test_engine_orders_alias() -> None:
    """Orders that blades cannot tell apart, against sums over the sectors of both waves."""
    for sectors in (2, 5, 6, 36):
        sector = np.exp(2j * np.pi / sectors * np.arange(sectors))
        for order in range(3 * sectors):
            n, travels = excited_by(order, sectors)
            along, against = (abs(np.vdot(sector**m, sector**order)) / sectors for m in (n, -n))
            assert 0 <= 2 * n <= sectors
            expected = {"backward": (1, 0), "forward": (0, 1), "standing": (1, 1)}[travels]
            assert (along, against) == pytest.approx(expected, abs=1e-9)


def test_lines_of_engine_orders_have_a_sign() -> None:
    """For s of ``exp(i (s t + n theta))``: k W of p N + n, - k W of p N - n, both of standing."""
    orders = range(13)
    assert DiameterWaves(1, 6, 1).lines(orders) == (1, -5, 7, -11)
    assert DiameterWaves(1, 6, -1).lines(orders) == (-1, 5, -7, 11)
    assert DiameterWaves(3, 6, 1).lines(orders) == (3, -3, 9, -9)
    assert DiameterWaves(0, 6, 1).lines(orders) == (0, 6, -6, 12, -12)
    values = np.array([-5j, 5j, 0j])
    assert DiameterWaves(2, 6, 1).whirl(values).tolist() == [[2, 1], [-2, -1], [0, 0]]
    assert DiameterWaves(2, 6, -1).whirl(values).tolist() == [[-2, -1], [2, 1], [0, 0]]
    assert not DiameterWaves(3, 6, 1).whirl(values).any()


def test_a_stopped_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After Ctrl-C between two speeds: with the modes and crossings of a run in one go."""
    given = tables(6, analysis={"nodal_diameters": [1, 3], "orders": [3, 5]})
    whole = of_sector(given, tmp_path / "whole")
    run = WheelSweep.run

    def stopped(self: WheelSweep) -> Any:
        for done in run(self):
            yield done
            if done == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(WheelSweep, "run", stopped)
        with pytest.raises(KeyboardInterrupt):
            ff.load_model(given).run(tmp_path / "stopped")
    kept = json.loads((tmp_path / "stopped" / "summary.json").read_text())["campbell"]
    assert kept["speeds_rad_s"] == SPEEDS[:2]
    found = ff.load_model(given).run(tmp_path / "stopped", resume=True).campbell
    assert found is not None
    assert found["speeds_rad_s"] == SPEEDS
    assert found["critical_speeds"]
    for one, other in zip(found["critical_speeds"], whole["critical_speeds"], strict=True):
        assert one["speed_rad_s"] == pytest.approx(other["speed_rad_s"], rel=1e-8)  # as found
        for key in ("order", "mode", "nodal_diameter", "travels"):
            assert one[key] == other[key]
    for one, other in zip(found["modes"], whole["modes"], strict=True):
        assert one["frequency_Hz"] == pytest.approx(other["frequency_Hz"], rel=1e-12)
        assert one["whirl"] == other["whirl"]


def test_stresses_are_found_once_at_a_speed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For all nodal diameters together, and they are those of the speed."""
    find, speeds = StressSolver.find, list[float]()

    def counted(self: StressSolver, time: float, system: System | None = None) -> Any:
        speeds.extend(frame.w[2] for frame in (system.frames(time) if system else ()))
        return find(self, time, system)

    monkeypatch.setattr(StressSolver, "find", counted)
    push = {"kind": "force", "group": "tip", "total": [4e4, 0.0, 1e4]}
    given = tables(7, analysis={"nodal_diameters": [1, 2, 3], "orders": [49]}, loads=[push])
    data = of_sector(given, tmp_path / "run")
    assert not data["critical_speeds"]
    assert speeds == SPEEDS
    alone = wheel(7, whole=False, **frames(400.0), loads=[push],
                  analysis={"kind": "modes", "count": 3, "nodal_diameters": [2]})  # fmt: skip
    ff.load_model(alone).run(tmp_path / "alone")
    rows = json.loads((tmp_path / "alone" / "summary.json").read_text())["modes"]
    known = sorted(row["frequency_Hz"] for row in rows if row["part"] == "real")
    found = sorted(m["frequency_Hz"][2] for m in data["modes"] if m["nodal_diameter"] == 2)
    assert found == pytest.approx(known, rel=1e-9)


def test_what_is_done_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where modes of a nodal diameter fail, speeds before are there, and what others have of it."""
    solve, calls = module.solve_own_modes, []

    def fails(*arguments: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 5:
            raise AnalysisError("no convergence")
        return solve(*arguments, **more)

    monkeypatch.setattr(module, "solve_own_modes", fails)
    given = tables(6, analysis={"nodal_diameters": [1, 2], "orders": [30]})
    with pytest.raises(AnalysisError, match="nodal diameter 1: at 400 rad/s: no convergence"):
        ff.load_model(given).run(tmp_path / "run")
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["status"] == "failed"
    assert summary["campbell"]["speeds_rad_s"] == [0.0, 200.0]
    assert len((tmp_path / "run" / "campbell.csv").read_text().splitlines()) == 3
    assert {row["nodal_diameter"] for row in summary["modes"]} == {1, 2}


def test_tables_and_picture_tell_nodal_diameters(tmp_path: Path) -> None:
    """A colour for each, a line for each mode, and waves of critical speeds."""
    data = of_sector(tables(6), tmp_path / "run")
    heads = (tmp_path / "run" / "campbell.csv").read_text().splitlines()[0]
    assert "mode 4 (n = 1) [Hz]" in heads
    lines = (tmp_path / "run" / "critical_speeds.csv").read_text().splitlines()
    assert lines[0].endswith("frequency [Hz],nodal diameter,wave")
    assert [line for line in lines if line.startswith("5,")][0].endswith(",1,forward")
    drawn = diagram(data)["traces"]
    told = [one["name"] for one in drawn if one.get("showlegend") and "legendgroup" in one]
    assert told == [f"nodal diameter {n}" for n in range(4)]
    colors = {one["legendgroup"]: one["line"]["color"] for one in drawn
              if "legendgroup" in one and "line" in one}  # fmt: skip
    assert len(set(colors.values())) == 4
    shown = section(data)
    assert shown is not None
    assert [len(heads) for heads, _ in shown["tables"]] == [5, 8, 8, 5]  # speeds and modes
    assert shown["criticals"][0][-1] in ("forward", "backward", "standing")


@pytest.mark.parametrize(
    ("analysis", "said"),
    [
        ({"shift": 100.0}, r"analysis\.shift: found with speeds of a wheel"),
        ({"nodal_diameters": [4]}, r"analysis\.nodal_diameters: found 4; expected at most 3"),
    ],
)
def test_what_is_wrong_is_told(analysis: dict[str, Any], said: str) -> None:
    with pytest.raises(FlexforgeError, match=said):
        ff.load_model(tables(6, analysis=analysis))


def test_frames_must_turn(tmp_path: Path) -> None:
    given = wheel(6, whole=False, analysis={"kind": "modes", "speeds": [0.0, 100.0]})
    with pytest.raises(FlexforgeError, match="no body frame rotates"):
        ff.load_model(given).run(tmp_path / "still")


def test_large_sectors_are_solved_alike(tmp_path: Path) -> None:
    """Krylov's method at waves, one space for all speeds at 0 and N/2: as speed by speed."""
    fine = {"divisions": (6, 5, 2), "element": "hex8i"}
    speeds = np.linspace(0.0, 800.0, 9).tolist()
    analysis = {"speeds": speeds, "count": 2, "nodal_diameters": [0, 1, 3], "orders": [5, 6, 9]}
    data = of_sector(tables(6, analysis=analysis, **fine), tmp_path / "over")
    for place in (1, 8):
        given = {"kind": "modes", "count": 2, "nodal_diameters": [0, 1, 3]}
        alone = wheel(6, whole=False, **{**fine, **frames(speeds[place]), "analysis": given})
        ff.load_model(alone).run(tmp_path / f"{place}")
        rows = json.loads((tmp_path / f"{place}" / "summary.json").read_text())["modes"]
        ours = sorted((m["nodal_diameter"], m["frequency_Hz"][place]) for m in data["modes"])
        theirs = sorted((row["nodal_diameter"], row["frequency_Hz"]) for row in rows
                        if row["part"] == "real")  # fmt: skip
        assert [n for n, _ in ours] == [n for n, _ in theirs]
        assert [f for _, f in ours] == pytest.approx([f for _, f in theirs], rel=1e-8)
    assert {one["order"] for one in data["critical_speeds"]} == {5, 6, 9}
