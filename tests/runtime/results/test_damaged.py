# SPDX-License-Identifier: BSD-3-Clause
"""Results that somebody changed, cut or made up are read as they were, or refused in one line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.results import BodyGeometry, BodyState, Column, ResultWriter
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.report import write_report
from flexforge.runtime.results.summary_schema import fault_of

SQUARE = BodyGeometry(
    "plate", "quad4", np.array([[0.0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]), np.arange(4)[None]
)
MOVED = BodyState(np.array([[0.0, 0], [0.1, 0], [0.1, 0.2], [0, 0]]))


def written(folder: Path, *formats: str, body: BodyGeometry = SQUARE) -> Path:
    """Write two frames and a probe."""
    state = BodyState(np.zeros((len(body.points), 2)))
    with ResultWriter(folder, [body], formats=formats, probes=[Column("tip", "m")]) as writer:
        for time in (0.0, 1.0):
            writer.frame(time, {body.name: MOVED if body is SQUARE else state})
            writer.probe_row(time, [0.5])
    return folder


def read_all(folder: Path) -> None:
    """Read everything."""
    results = Results(folder)
    results.probe_table()
    results.bodies()
    results.largest_displacement()
    results.frame(-1)
    results.modes()


def _replace(key: str, values: Any) -> Callable[[Any], None]:
    def change(file: Any) -> None:
        del file[key]
        file[key] = values

    return change


def _attribute(file: Any) -> None:
    file["bodies/plate"].attrs["cell"] = "sphere"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_replace("time", 1.0), "results.h5: is damaged"),
        (_replace("time", [0.0, np.nan]), "time: contains NaN"),
        (_replace("bodies/plate/points", np.zeros((4, 2))), "array of .4, 2.; expected .any, 3."),
        (_replace("bodies/plate/points", np.full((4, 3), 1e200)), "points: contains NaN, or numb"),
        (_replace("bodies/plate/displacement", np.full((2, 4, 2), np.nan)), "displacement: con"),
        (_replace("bodies/plate/connectivity", [[0, 1, 2, 9]]), "a node index out of range"),
        (_replace("bodies/plate/connectivity", [[0.0, 1, 2, 3]]), "no whole numbers"),
        (_replace("bodies/plate/displacement", np.zeros((2, 3, 2))), "array of .2, 3, 2."),
        (_replace("bodies/plate", 1.0), "results.h5: is damaged"),
        (_replace("probes/values", np.zeros((2, 5))), "array of .2, 5."),
        (_attribute, "found cells 'sphere'; expected one of"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(
    tmp_path: Path, change: Callable[[Any], None], said: str
) -> None:
    """Before they are drawn: their shapes, cells that are known, rows that are points."""
    written(tmp_path, "hdf5")
    read_all(tmp_path)
    with h5py.File(tmp_path / "results.h5", "r+") as file:
        change(file)
    with pytest.raises(InputError, match=said) as error:
        read_all(tmp_path)
    assert str(tmp_path / "results.h5") in str(error.value)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"title": 7}, "title"),
        ({"units": "ells"}, "units"),
        ({"units": 3}, "units"),
        ({"warnings": "many"}, "warnings"),
        ({"bodies": {"plate": {"cell": "quad4", "nodes": -1, "cells": 1}}}, "bodies.plate.nodes"),
        ({"modes": [{"mode": 1, "frequency_Hz": "high"}]}, "modes.0.frequency_Hz"),
        ({"timings": {"steps": []}}, "timings.steps"),
        ({"campbell": {"speeds_rad_s": []}}, "campbell.speeds_rad_s"),
        ({"settings": {"analysis": "static"}}, "settings.analysis"),
    ],
)
def test_a_summary_of_other_types_is_refused(
    tmp_path: Path, change: dict[str, Any], key: str
) -> None:
    """With the key that is wrong; so is what is not JSON, or nested beyond reason."""
    path = written(tmp_path, "csv") / "summary.json"
    kept = json.loads(path.read_text())
    assert fault_of(kept) == ""
    path.write_text(json.dumps(kept | change))
    with pytest.raises(InputError, match=f"summary.json: is damaged .{key}: "):
        write_report(tmp_path)
    for text in (
        "[]",
        '{"a": NaN}',
        "{",
        "[" * 5000,
        '{"figures": ' + '{"a":' * 40 + "1" + "}" * 41,
    ):
        path.write_text(text)
        with pytest.raises(InputError, match="summary.json: is damaged"):
            Results(tmp_path)


def test_a_table_with_words_is_refused(tmp_path: Path) -> None:
    """And bytes that are no text."""
    path = written(tmp_path, "csv") / "probes.csv"
    for text in (b"time [s],tip [m]\n0.0,high\n", b"\xff\xfe\n"):
        path.write_bytes(text)
        with pytest.raises(InputError, match="probes.csv: is damaged"):
            Results(tmp_path).probe_table()


@pytest.mark.parametrize("count", range(2, 12))
def test_bodies_of_all_sizes_come_back_from_paraviews_files(tmp_path: Path, count: int) -> None:
    """Lines of 1 to 10 cells; meshio (5.3.5) fails on some of them, such as one of one cell."""
    points = np.column_stack([np.linspace(0.0, 1.0, count), np.zeros((count, 2))])
    cells = np.column_stack([np.arange(count - 1), np.arange(1, count)])
    written(tmp_path, "vtu", body=BodyGeometry("line", "line2", points, cells))
    found = Results(tmp_path)
    (body,) = found.bodies()
    assert body.cell == "line2"
    np.testing.assert_array_equal(body.points, points)
    np.testing.assert_array_equal(body.connectivity, cells)
    assert found.frame(1).states["line"].displacement.shape == (count, 3)


def test_a_list_of_frames_names_files_of_its_own_folder(tmp_path: Path) -> None:
    """What lies elsewhere is not read, entities of XML are not expanded, cut files are refused."""
    path = written(tmp_path, "vtu") / "frames.pvd"
    kept = path.read_text()
    for text, said in (
        (kept.replace("frames/plate", "../plate"), "does not belong to these results"),
        (kept.replace("<VTKFile", '<!DOCTYPE a [<!ENTITY b "c">]><VTKFile'), "no list of results"),
        (kept[:200], "frames.pvd: is damaged"),
        (kept.replace('timestep="1.0"', 'timestep="nan"'), "contains NaN"),
        (kept.replace("plate_000001", "plate_000007"), "plate_000007.vtu: is missing"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=said):
            read_all(tmp_path)
    path.write_text(kept)
    frame = tmp_path / "frames" / "plate_000001.vtu"
    frame.write_bytes(frame.read_bytes()[:-300])
    with pytest.raises(InputError, match=r"plate_000001\.vtu: is damaged"):
        read_all(tmp_path)


def test_what_is_not_finite_is_no_result(tmp_path: Path) -> None:
    """A state, a probe or a mode with NaN fails the run, whose frames before are kept."""
    bad = np.full((4, 2), np.nan)
    folder = tmp_path / "motion"
    with (
        pytest.raises(AnalysisError, match="t = 1 s, body 'plate', displacement: contains NaN"),
        ResultWriter(folder, [SQUARE], formats=["vtu", "hdf5"]) as writer,
    ):
        writer.frame(0.0, {"plate": MOVED})
        writer.frame(1.0, {"plate": BodyState(bad)})
    results = Results(folder)
    assert (results.summary["status"], results.summary["frames"]) == ("failed", 1)
    assert len(results.times()) == 1
    with (
        pytest.raises(AnalysisError, match="t = 0 s, probe tip: contains NaN"),
        ResultWriter(tmp_path, [SQUARE], formats=["csv"], probes=[Column("tip")]) as writer,
    ):
        writer.probe_row(0.0, [np.inf])
    with (
        pytest.raises(AnalysisError, match="modes, plate: contains NaN"),
        ResultWriter(tmp_path, [SQUARE], formats=["csv"]) as writer,
    ):
        writer.modes(np.ones(1), {"plate": bad[None]})
    with (
        pytest.raises(AnalysisError, match=r"found values of 1e\+50; VTU files hold at most"),
        ResultWriter(tmp_path, [SQUARE], formats=["vtu"]) as writer,
    ):
        writer.frame(0.0, {"plate": BodyState(np.full((4, 2), 1e50))})
