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


def test_modes(tmp_path):
    results = ff.load_model(BEAM).modes(2, output=tmp_path / "out").results
    found = results.to_xarray()
    frequencies, shapes = results.modes()
    np.testing.assert_array_equal(found["frequency"], frequencies)
    np.testing.assert_array_equal(found["beam.shape"], shapes["beam"])
    assert "tip" not in found and "frame_time" not in found.coords
