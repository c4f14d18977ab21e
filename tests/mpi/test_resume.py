# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are killed go on with another number of processes, with the same results."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from xml.etree import ElementTree

import flexforge as ff
import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError
from flexforge.runtime.results.hdf5 import Hdf5Writer
from flexforge.runtime.run import run_model
from mpi_runs import (
    EXPLICIT,
    IMPLICIT,
    PROBES,
    TURNING,
    needs_mpi,
    require_equal,
    results,
    run,
    start,
    written,
)

pytestmark = needs_mpi

SPEEDS = '[analysis]\nkind = "modes"\ncount = 3\nspeeds = [0, 40, 80]\n'


def _kill(count: int, model: Path) -> None:
    """Start a run and kill it when there is a checkpoint."""
    folder = model.parent / f"results{count}"
    process = start(count, model, "-o", str(folder), start_new_session=True)
    try:
        while not (folder / "checkpoint.npz").is_file():
            assert process.poll() is None, process.communicate()
            time.sleep(0.001)
        os.killpg(process.pid, signal.SIGKILL)
    finally:
        process.kill()
        process.communicate()
    assert json.loads((folder / "summary.json").read_text())["status"] == "running"


def _often(model: Path, seconds: float) -> Path:
    """Have checkpoints written after so many seconds."""
    text = model.read_text().replace("[output]\n", f"[output]\ncheckpoint = {seconds}\n")
    model.write_text(text.replace("[12, 3, 2]", "[24, 6, 4]"))
    return model


@pytest.mark.parametrize(("before", "after"), [(2, 3), (1, 2), (2, 1)])
def test_explicit_steps_go_on_to_the_last_bit(tmp_path: Path, before: int, after: int) -> None:
    """With more processes, with several after one, and with one after several."""
    probes = PROBES[: PROBES.index('[[probes]]\nname = "support"')]  # which are sums over ranks
    analysis = EXPLICIT.replace("1e-4", "1e-3").replace("steps = 100", "steps = 1000")
    model = _often(written(tmp_path, "hex8", analysis, "", probes.replace("= 10", "= 100")), 0.02)
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "model.toml").write_text(model.read_text())
    _kill(before, model)
    (tmp_path / f"results{before}").rename(tmp_path / f"results{after}")
    wanted = results(1, whole / "model.toml")
    require_equal(results(after, model, "--resume"), wanted, 0.0)


@pytest.mark.parametrize(("before", "after"), [(2, 3), (1, 2), (3, 1)])
def test_parts_of_results_go_on(tmp_path: Path, before: int, after: int) -> None:
    """Frames and probes are those of one run, to the last bit, whoever has written them."""
    output = PROBES[PROBES.index("[[probes]]") : PROBES.index('[[probes]]\nname = "support"')]
    output += "[output]\nby_process = true\nformats = ['hdf5', 'vtu', 'csv']\nevery = 50\n"
    analysis = EXPLICIT.replace("1e-4", "1e-3").replace("steps = 100", "steps = 1000")
    model = _often(written(tmp_path, "hex8", analysis, "", output), 0.02)
    results(1, model)
    (tmp_path / "results1").rename(tmp_path / "whole")
    _kill(before, model)
    folder = tmp_path / f"results{after}"
    (tmp_path / f"results{before}").rename(folder)
    frames = json.loads((folder / "summary.json").read_text())["frames"]
    assert frames
    results(after, model, "--resume")
    mine, theirs = ff.Results(tmp_path / "whole"), ff.Results(folder)
    assert np.array_equal(theirs.times(), mine.times())
    assert np.array_equal(theirs.probe_table()[1], mine.probe_table()[1])
    for number in range(len(mine.times())):
        one, other = (found.frame(number).states["beam"] for found in (mine, theirs))
        assert np.array_equal(other.displacement, one.displacement)
        assert np.array_equal(other.velocity, one.velocity)
    with h5py.File(folder / "results.h5") as file:
        assert np.array_equal(file["probes/values"], mine.probe_table()[1][:, 1:])
        sources = file["bodies/beam/displacement"].is_virtual
    assert sources == (after > 1)
    # No part is left of those before.
    assert len(list(folder.glob("results.*.h5"))) == (after if after > 1 else 0)
    listed = [one.attrib for one in ElementTree.parse(folder / "frames.pvd").iter("DataSet")]
    assert [float(one["timestep"]) for one in listed] == mine.times().tolist()
    assert all((folder / one["file"]).is_file() for one in listed)
    assert listed[-1]["file"].endswith(".pvtu" if after > 1 else ".vtu")
    assert listed[0]["file"].endswith(".pvtu" if before > 1 else ".vtu")


def test_parts_that_cannot_be_written_anew(tmp_path: Path, monkeypatch) -> None:
    """What was there stays, and is gone on with when there is room."""
    output = "[output]\nby_process = true\nformats = ['hdf5']\nevery = 50\n"
    analysis = EXPLICIT.replace("1e-4", "1e-3").replace("steps = 100", "steps = 1000")
    model = _often(written(tmp_path, "hex8", analysis, "", output), 0.02)
    _kill(2, model)
    folder = tmp_path / "results2"
    before = ff.Results(folder).frame(0).states["beam"].displacement
    # A checkpoint that the kill cut off is removed by what goes on.
    names = sorted(path.name for path in folder.iterdir() if path.suffix != ".tmp")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Hdf5Writer, "frames", full)
        with pytest.raises(AnalysisError, match="No space left on device"):
            run_model(model, output=folder, resume=True)
    assert np.array_equal(ff.Results(folder).frame(0).states["beam"].displacement, before)
    assert sorted(path.name for path in folder.iterdir()) == names
    run_model(model, output=folder, resume=True)
    assert ff.Results(folder).summary["status"] == "finished"


def test_implicit_steps_go_on(tmp_path: Path) -> None:
    """With one process less; a spin-up, whose averaged accelerations are gone on with."""
    analysis = IMPLICIT.replace("METHOD", "generalized_alpha").replace("= 20", "= 60")
    model = _often(written(tmp_path, "hex8", analysis, TURNING), 0.001)
    _kill(3, model)
    (tmp_path / "results3").rename(tmp_path / "results2")
    require_equal(results(2, model, "--resume"), results(1, model), 1e-8)


def test_campbell_diagrams_go_on(tmp_path: Path) -> None:
    """With one process more; modes are followed from the last speed before."""
    output = '[output]\nformats = ["hdf5"]\n'
    frame = "frame = {axis = [0, 0, 1], velocity = 1.0}"
    model = _often(written(tmp_path, "hex8", SPEEDS, frame, output), 0.001)
    _kill(2, model)
    (tmp_path / "results2").rename(tmp_path / "results3")
    found, _ = results(3, model, "--resume")
    wanted, _ = results(1, model)
    for a, b in zip(found["campbell"]["modes"], wanted["campbell"]["modes"], strict=True):
        for key in ("frequency_Hz", "assurance"):
            assert a[key] == pytest.approx(b[key], rel=1e-7), key


def test_small_models_that_one_process_began_are_refused(tmp_path: Path) -> None:
    """Their steps are those of C, whose state other steps do not know."""
    analysis = EXPLICIT.replace("1e-4", "1e-2").replace("steps = 100", "steps = 10000")
    model = written(
        tmp_path, "hex8", analysis, "", PROBES.replace("[output]", "[output]\ncheckpoint = 0.01")
    )
    _kill(1, model)
    (tmp_path / "results1").rename(tmp_path / "results2")
    code, _, err = run(2, model, "-o", str(tmp_path / "results2"), "--resume")
    assert code == 2, err
    assert err.count("checkpoint.npz: found steps of NativeSteps") == 1
