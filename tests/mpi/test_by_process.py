# SPDX-License-Identifier: BSD-3-Clause
"""Results whose parts every process writes: read as those of one, also of a killed run."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import flexforge as ff
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.results.hdf5 import repair
from flexforge.runtime.results.vtu import read_vtu
from mpi_runs import IMPLICIT, PROBES, TURNING, needs_mpi, results, start, written

pytestmark = needs_mpi

TABLES = "[output]\nby_process = true\npoint_stress = true\nformats = ['hdf5', 'vtu']\nevery = 10\n"


def _model(folder: Path, analysis: str, steps: int = 20) -> Path:
    text = analysis.replace("METHOD", "newmark").replace("= 20", f"= {steps}")
    probes = PROBES[PROBES.index("[[probes]]") :]
    return written(folder, "hex8", text, TURNING, TABLES + probes)


def test_frames_are_those_of_one_process(tmp_path: Path) -> None:
    """In the order of the mesh, with stresses of nodes on borders, which no part knows alone."""
    model = _model(tmp_path, IMPLICIT)
    one, _ = results(1, model)
    other, _ = results(3, model)
    assert other["bodies"] == one["bodies"]
    assert (
        other["figures"]["place of the largest stress"]
        == (one["figures"]["place of the largest stress"])
    )
    mine, theirs = (ff.Results(tmp_path / f"results{count}") for count in (1, 3))
    for a, b in zip(mine.bodies(), theirs.bodies(), strict=True):
        assert np.array_equal(a.points, b.points)
        assert np.array_equal(a.connectivity, b.connectivity)
        assert np.array_equal(a.stations, b.stations)
    assert np.array_equal(theirs.times(), mine.times())
    for number in range(len(mine.times())):
        a, b = (found.frame(number).states["beam"] for found in (mine, theirs))
        pairs = [(getattr(a, name), getattr(b, name)) for name in ("velocity", "stress")]
        pairs += [(a.displacement, b.displacement), (a.at_stations["stress"],) * 2]
        pairs[-1] = a.at_stations["stress"], b.at_stations["stress"]
        for value, found in pairs:
            scale = max(float(np.abs(value).max()), 1e-300)
            assert np.abs(found - value).max() <= 1e-8 * scale
    listed = tmp_path / "results3/frames/beam_000002.pvtu"
    pieces = [one.attrib["Source"] for one in ElementTree.parse(listed).iter("Piece")]
    parts = [read_vtu(listed.parent / piece) for piece in pieces]
    assert sum(len(part.connectivity) for part in parts) == 72
    arrays = {one.attrib["Name"] for one in ElementTree.parse(listed).iter("PDataArray")}
    assert arrays == {"Points", *parts[0].fields}


def test_modes_are_those_of_one_process(tmp_path: Path) -> None:
    """Shapes are joined, up to their signs."""
    model = _model(tmp_path, '[analysis]\nkind = "modes"\ncount = 3\n')
    model.write_text(model.read_text().split("[[probes]]")[0].replace(TURNING, ""))
    results(1, model)
    results(2, model)
    (one, mine), (two, theirs) = (ff.Results(tmp_path / f"results{n}").modes() for n in (1, 2))
    assert two == pytest.approx(one, rel=1e-9)
    for a, b in zip(mine["beam"], theirs["beam"], strict=True):
        assert np.allclose(np.sign((a * b).sum()) * b, a, rtol=0.0, atol=1e-6 * np.abs(a).max())


def test_parts_of_a_killed_run_are_read_and_repaired(tmp_path: Path) -> None:
    """All frames that the time counts; a missing part is named."""
    model, folder = _model(tmp_path, IMPLICIT, 4000), tmp_path / "results2"
    process = start(2, model, "-o", str(folder), start_new_session=True)
    try:
        while not (folder / "frames/beam_000004.pvtu").is_file():
            assert process.poll() is None, process.communicate()
            time.sleep(0.005)
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    before = [ff.Results(folder).frame(k).states["beam"].displacement for k in range(4)]
    assert repair(folder / "results.h5")
    for number, displacement in enumerate(before):
        found = ff.Results(folder).frame(number).states["beam"].displacement
        assert np.array_equal(found, displacement)
    (folder / "results.1.h5").unlink()
    with pytest.raises(InputError, match=r"results\.1\.h5: is missing; expected it beside"):
        ff.Results(folder)
