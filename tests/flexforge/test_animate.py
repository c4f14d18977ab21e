# SPDX-License-Identifier: BSD-3-Clause
"""`flexforge animate`: one picture per frame, with the bodies at their positions in space."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import flexforge as ff
import numpy as np
import pytest
from PIL import Image

CRANK = """
[mesh.blocks.rod]
cell = "line2"
corners = [[0, 0, 0], [0.3, 0, 0]]
divisions = [4]
[materials.soft]
young = 4e9
poisson = 0.3
density = 1200
[[links]]
name = "crank"
[[links]]
name = "rod"
placement = { position = [0.15, 0, 0] }
[[links]]
name = "slider"
placement = { position = [0.45, 0, 0] }
mass = 0.03
[[bodies]]
name = "rod"
cells = "rod"
element = "euler_beam_plane"
material = "soft"
section = { shape = "round", diameter = 0.01 }
frame = "rod"
[[joints]]
name = "bearing"
kind = "revolute"
links = ["ground", "crank"]
[[joints]]
name = "pin"
kind = "revolute"
links = ["crank", "rod"]
at = [[0.15, 0, 0], "rod.xmin"]
[[joints]]
name = "wrist"
kind = "revolute"
links = ["rod", "slider"]
at = ["rod.xmax", [0, 0, 0]]
[[joints]]
name = "guide"
kind = "prismatic"
links = ["ground", "slider"]
axis = [1, 0, 0]
[[drivers]]
name = "motor"
joint = "bearing"
velocity = { ramp = { to = 60, duration = 0.05 } }
[analysis]
kind = "transient"
duration = 0.06
steps = 60
[output]
every = 10
formats = ["hdf5"]
"""


@pytest.fixture
def results(flexforge, tmp_path: Path) -> Path:
    """Run the slider-crank and return the folder of its results."""
    model = tmp_path / "crank.toml"
    model.write_text(CRANK)
    assert flexforge("run", model, "--output", tmp_path / "out").code == 0
    return tmp_path / "out"


def test_the_crank_is_where_it_has_turned_to(flexforge, results: Path) -> None:
    """Links without bodies are lines between their joints, at the angle of the driver."""
    from flexforge.runtime.results.read import Results

    found = Results(results)
    crank = next(body for body in found.bodies() if body.name == "crank")
    assert crank.points.tolist() == [[0, 0, 0], [0.15, 0, 0]]
    for number in (0, 3, 6):
        frame = found.frame(number)
        s = min(frame.time / 0.05, 1.0)
        ramp = 60 * 0.05 * (s**2 / 2 + (np.cos(2 * np.pi * s) - 1) / (2 * np.pi) ** 2)
        angle = ramp + 60 * max(frame.time - 0.05, 0.0)
        state = frame.states["crank"]
        pin = np.asarray(state.frame.r_O) + np.asarray(state.frame.R) @ crank.points[1]
        np.testing.assert_allclose(pin[:2], [0.15 * np.cos(angle), 0.15 * np.sin(angle)], atol=1e-9)


def test_an_animation_has_a_picture_a_frame(flexforge, results: Path, tmp_path: Path) -> None:
    """Every frame is a picture, all of one size, and they differ; the same for the same results."""
    path = tmp_path / "motion.gif"
    said = flexforge("animate", results, "-o", path, "--scale", 3, "--width", 240, "--seconds", 2)
    assert said.code == 0 and said.out.strip() == str(path)
    with Image.open(path) as picture:
        assert picture.n_frames == 7 and picture.info["loop"] == 0
        assert picture.info["duration"] == pytest.approx(2000 / 7, abs=10)
        seen = []
        for number in range(picture.n_frames):
            picture.seek(number)
            seen.append(np.asarray(picture.convert("RGB")).astype(int))
    assert all(np.abs(one - two).max() > 100 for one, two in zip(seen, seen[1:], strict=False))
    assert path.stat().st_size < 100_000
    first = path.read_bytes()
    flexforge("animate", results, "-o", path, "--scale", 3, "--width", 240, "--seconds", 2)
    assert path.read_bytes() == first
    fewer = tmp_path / "fewer.gif"
    said = flexforge("animate", results, "-o", fewer, "--frames", 3, "--width", 240, "--json")
    assert said.json["animation"] == str(fewer)
    assert Image.open(io.BytesIO(fewer.read_bytes())).n_frames == 3


def test_faults(flexforge, tmp_path: Path, results: Path) -> None:
    """What cannot be animated is one line."""
    assert "no summary.json" in flexforge("animate", tmp_path).error
    said = flexforge("animate", results, "--scale", "-1")
    assert said.code == 2 and "expected a number above 0" in said.error
    (results / "results.h5").unlink()
    assert (
        "no frames to animate; expected formats hdf5 or vtu" in flexforge("animate", results).error
    )


def test_without_pyvista(flexforge, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line names the extra, and no file is written."""
    monkeypatch.setitem(sys.modules, "pyvista", None)
    expected = 'drawing needs pyvista, which is not installed: pip install "flexforge[view]"'
    assert flexforge("animate", results).error == f"flexforge: error: {expected}"
    assert not (results / "motion.gif").exists()


@pytest.fixture(scope="module")
def modes(tmp_path_factory: pytest.TempPathFactory) -> ff.Results:
    """Two modes of a strip in its plane."""
    tables = {
        "mesh": {"block": {"cell": "quad8", "corners": [[0, 0], [1, 0], [1, 0.1], [0, 0.1]],
                           "divisions": [6, 1]}},
        "materials": {"steel": {"young": 2e11, "poisson": 0.3, "density": 7800}},
        "bodies": [{"name": "strip", "element": "quad8", "material": "steel", "thickness": 0.01}],
        "supports": [{"group": "xmin"}],
        "analysis": {"kind": "modes", "count": 2},
        "output": {"formats": ["hdf5"]},
    }  # fmt: skip
    return ff.load_model(tables).run(tmp_path_factory.mktemp("modes") / "strip").results


@pytest.mark.slow
def test_a_mode_swings_to_both_sides(flexforge, modes: ff.Results, tmp_path: Path) -> None:
    """A whole period, whose first picture comes back; without --mode the first mode is shown."""
    said = flexforge("animate", modes.folder, "-o", tmp_path / "first.gif", "--width", 240)
    assert said.code == 0
    shown = []
    path = modes.animate(
        tmp_path / "second.gif", mode=2, width=240, progress=lambda *step: shown.append(step)
    )
    assert shown == [("draw pictures", number, 30) for number in range(1, 31)]
    with Image.open(path) as picture:
        assert picture.n_frames >= 15  # equal pictures in a row are one of a longer duration
    first = modes.animate(tmp_path / "mode1.gif", mode=1, width=240)
    assert (tmp_path / "first.gif").read_bytes() == first.read_bytes() != path.read_bytes()


@pytest.mark.parametrize("mode", ["0", "3"])
def test_a_mode_that_is_not_there_is_refused(flexforge, modes: ff.Results, mode: str) -> None:
    """With the numbers of those that are."""
    said = flexforge("animate", modes.folder, "--mode", mode)
    assert said.code == 2
    assert f"found no mode {mode}; expected a mode from 1 to 2" in said.err
