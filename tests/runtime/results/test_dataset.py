# SPDX-License-Identifier: BSD-3-Clause
"""Results as an xarray dataset: the same numbers as from the reader, with units and names."""

from __future__ import annotations

import flexforge as ff
import numpy as np
import pytest

pytest.importorskip("xarray", reason="xarray is not installed")

BEAM = {
    "mesh": {
        "block": {
            "cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]], "divisions": [4, 1]
        }
    },
    "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
    "bodies": [{"name": "beam", "element": "quad8", "material": "steel", "thickness": 0.02}],
    "supports": [{"group": "xmin"}],
    "loads": [{"kind": "force", "group": "xmax", "total": [0, -100, 0]}],
    "probes": [{"name": "tip", "group": "xmax", "component": "y"}],
    "analysis": {"kind": "transient", "duration": 0.01, "steps": 20},
    "output": {"formats": ["hdf5", "csv"], "every": 5},
}  # fmt: skip


def test_frames_and_probes(tmp_path):
    results = ff.load_model(BEAM).run(tmp_path / "out").results
    found = results.to_xarray()
    last = results.frame(-1)
    moved = found["beam.displacement"].sel(frame_time=0.01, method="nearest")
    np.testing.assert_array_equal(moved, last.states["beam"].displacement)
    np.testing.assert_array_equal(found["beam.stress"][-1], last.states["beam"].stress)
    assert found["beam.stress"].sel(component="xy").dims == ("frame_time", "beam.node")
    assert found.sizes["frame_time"] == len(results.times()) < found.sizes["time"] == 21
    np.testing.assert_array_equal(found["tip"], results.probes["tip"].values)
    units = {name: found[name].attrs["units"] for name in ("beam.points", "beam.velocity", "tip")}
    assert units == {"beam.points": "m", "beam.velocity": "m/s", "tip": "m"}
    one = results.probes["tip"].to_xarray()
    assert one.dims == ("time",) and one.units == "m" and one.time.units == "s"


def test_forces_of_sections_and_the_motion_of_frames(tmp_path):
    """A cantilever turns at 2 rad/s: N at a section is that of the rest of it, m w^2 r."""
    line = {"cell": "line2", "corners": [[0, 0, 0], [1, 0, 0]], "divisions": [4]}
    square = {"shape": "rectangle", "width": 0.02, "height": 0.02}
    turning = BEAM | {
        "mesh": {"block": line},
        "bodies": [
            {"name": "rod", "element": "euler_beam", "material": "steel", "section": square,
             "frame": {"axis": [0, 0, 1], "velocity": 2.0}}
        ],
        "loads": [],
        "analysis": {"kind": "static", "time": 0.5},
    }  # fmt: skip
    results = ff.load_model(turning).run(tmp_path / "out").results
    found = results.to_xarray()
    force, x = found["rod.stations.N"], found["rod.stations"].sel(axis="x").values
    assert force.dims == ("frame_time", "rod.station") and force.units == "N"
    per_length = 7800 * 4e-4
    exact = per_length * 2.0**2 * (1.0 - x**2) / 2.0
    # Linear displacements: right on average over an element, which has stations on both sides.
    np.testing.assert_allclose(force[-1].mean(), exact.mean(), rtol=0.02)
    np.testing.assert_array_equal(found["rod.frame.angular_velocity"][-1], [0, 0, 2.0])
    angle = np.arctan2(*found["rod.frame.rotation"][-1].values[[1, 0], 0])
    assert angle == pytest.approx(1.0)


def test_modes(tmp_path):
    results = ff.load_model(BEAM).modes(2, output=tmp_path / "out").results
    found = results.to_xarray()
    frequencies, shapes = results.modes()
    np.testing.assert_array_equal(found["frequency"], frequencies)
    np.testing.assert_array_equal(found["beam.shape"], shapes["beam"])
    assert "tip" not in found and "frame_time" not in found.coords


def test_a_campbell_diagram(tmp_path):
    """Branches over the speeds, and critical speeds, are those of the outcome and of the CSV."""
    turning = BEAM | {"bodies": [BEAM["bodies"][0] | {"frame": {"velocity": 1.0}}], "probes": []}
    told: list[str] = []
    with pytest.warns(ff.FlexforgeWarning, match="10.6 degrees"):
        outcome = ff.load_model(turning).modes(
            2, speeds=[0.0, 300.0, 900.0], output=tmp_path / "out",
            progress=lambda what, done, total: told.append(what),
        )  # fmt: skip
    assert "speeds, 0 to 8594.37 rpm (0 to 900 rad/s)" in told
    found = outcome.results.to_xarray()
    assert found["branch_frequency"].dims == ("branch", "speed")
    for mode in outcome.campbell["modes"]:
        values = found["branch_frequency"].sel(branch=mode["mode"])
        np.testing.assert_array_equal(values, mode["frequency_Hz"])
        np.testing.assert_array_equal(found["branch_growth"][mode["mode"] - 1], mode["growth_1_s"])
    np.testing.assert_array_equal(found["speed"], outcome.campbell["speeds_rad_s"])
    criticals = [
        [one["order"], one["mode"], one["speed_rad_s"], one["frequency_Hz"]]
        for one in outcome.campbell["critical_speeds"]
    ]
    assert criticals
    names = ("critical_order", "critical_branch", "critical_speed", "critical_frequency")
    np.testing.assert_array_equal(np.stack([found[name] for name in names], axis=1), criticals)
    assert {found[name].units for name in ("speed", "critical_speed")} == {"rad/s"}
    table = (tmp_path / "out" / "critical_speeds.csv").read_text().splitlines()
    assert table[0] == "order,mode,speed [rpm],speed [rad/s],frequency [Hz]"
    rows = np.array([line.split(",") for line in table[1:]], dtype=float)
    np.testing.assert_array_equal(rows[:, [0, 1, 3, 4]], criticals)
    np.testing.assert_allclose(rows[:, 2], rows[:, 3] * 30.0 / np.pi, rtol=1e-11)
    heads = (tmp_path / "out" / "campbell.csv").read_text().splitlines()[0]
    assert "mode 1 [Hz]" in heads and "seen from outside" not in heads, "such columns are empty"
