# SPDX-License-Identifier: BSD-3-Clause
"""Writing results: every format, every way a run can end; what was handed over is there."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from xml.etree import ElementTree

import h5py
import meshio
import numpy as np
import pytest
from flexforge.codegen.errors import AnalysisError, InputError
from flexforge.runtime.mesh import CELLS, read_mesh
from flexforge.runtime.results import BodyState, Column, ResultWriter, von_mises
from flexforge.runtime.results import summary as summaries
from flexforge.runtime.results.hdf5 import open_results, repair
from flexforge.runtime.results.read import Results
from flexforge.runtime.results.table import TableWriter, read_table
from samples import bar, bent

TIMES = [0.0, 0.1, 0.25]
PROBES = [Column("tip", "m"), Column("a, b", "m/s")]


def run(folder: Path, times: list[float] = TIMES, **options: object) -> None:
    """Write a small run."""
    body = bar()
    with ResultWriter(folder, [body], probes=PROBES, title="a bar", **options) as writer:  # type: ignore[arg-type]
        for t in times:
            writer.probe_row(t, [np.sin(t), -t])
            writer.frame(t, {body.name: bent(body, t)})
        writer.summary({"figures": {"steps": 3}, "timings": {"steps": 1.5}})


def test_everything_is_there_and_reads_back(tmp_path: Path) -> None:
    """HDF5 and CSV give back every digit, VTU single precision, the summary all it was told."""
    run(tmp_path / "out", settings={"solver": "pardiso", "tolerance": 1e-8})
    body, folder = bar(), tmp_path / "out"
    with h5py.File(folder / "results.h5") as file:
        assert file.attrs["format_version"] == 2 and "numpy" in json.loads(file.attrs["versions"])
        assert np.array_equal(file["time"], TIMES) and file["time"].attrs["units"] == "s"
        group = file["bodies/bar"]
        assert group.attrs["cell"] == "hex20" and np.array_equal(group["points"], body.points)
        assert np.array_equal(group["connectivity"], body.connectivity)
        for i, t in enumerate(TIMES):
            state = bent(body, t)
            assert np.array_equal(group["displacement"][i], state.displacement)
            assert np.array_equal(group["velocity"][i], state.velocity)
            assert np.array_equal(group["stress"][i], state.stress)
            assert np.array_equal(group["frame/R"][i], state.frame.R)
        assert group["stress"].attrs["units"] == "Pa" and group["frame/w"].attrs["units"] == "rad/s"
        assert np.array_equal(file["probes/values"], [[np.sin(t), -t] for t in TIMES])
    columns, rows = read_table(folder / "probes.csv")
    assert columns == [Column("time", "s"), *PROBES]
    assert np.array_equal(rows, [[t, np.sin(t), -t] for t in TIMES])
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["status"] == "finished" and summary["frames"] == 3
    assert summary["settings"] == {"solver": "pardiso", "tolerance": 1e-8}
    assert summary["timings"] == {"steps": 1.5} and summary["title"] == "a bar"
    assert not list(folder.rglob("*.tmp"))


@pytest.mark.parametrize("cell", [name for name, kind in CELLS.items() if kind.dim > 1])
def test_vtu_of_every_cell(cell: str, tmp_path: Path) -> None:
    """VTU files open elsewhere (meshio), with the right cells, fields and times."""
    body = bar(cell)
    with ResultWriter(tmp_path, [body], formats=["vtu"]) as writer:
        for t in TIMES:
            writer.frame(t, {body.name: bent(body, t)})
    entries = list(ElementTree.parse(tmp_path / "frames.pvd").getroot().iter("DataSet"))
    assert [float(entry.attrib["timestep"]) for entry in entries] == TIMES
    for t, entry in zip(TIMES, entries, strict=True):
        found = meshio.vtu.read(str(tmp_path / entry.attrib["file"]))
        state = bent(body, t)
        u = np.zeros((len(body.points), 3))
        u[:, : state.displacement.shape[1]] = state.displacement
        assert found.field_data["TimeValue"] == t
        assert np.array_equal(found.points, body.points)
        assert np.array_equal(found.cells_dict[CELLS[cell].meshio], body.connectivity)
        if cell == "wedge6":  # meshio gives VTK's linear wedges the numbering of all others
            raw = (tmp_path / entry.attrib["file"]).read_bytes()
            first = body.connectivity[0, [0, 2, 1, 3, 5, 4]].astype("<i4")
            assert first.tobytes() in raw
        assert np.allclose(found.point_data["displacement"], u, rtol=1e-6, atol=0)
        assert np.allclose(found.point_data["stress"], state.stress, rtol=1e-6, atol=1e-3)
        assert np.allclose(found.point_data["von_mises"], von_mises(state.stress), rtol=1e-6)
        place = state.frame.r_O + (body.points + u) @ state.frame.R.T
        moved = found.points + found.point_data["displacement_in_space"]
        assert np.allclose(moved, place, atol=1e-6)
    part = read_mesh(tmp_path / entries[0].attrib["file"]).part()  # results can be a mesh again
    assert part.cell == cell and np.array_equal(part.connectivity, body.connectivity)


def test_von_mises() -> None:
    """Uniaxial stress is its own von Mises stress, pure shear sqrt(3) of it, pressure none."""
    stress = np.array([[7.0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 2.0, 0], [5.0, 5.0, 5.0, 0, 0, 0]])
    assert np.allclose(von_mises(stress), [7.0, 2 * np.sqrt(3), 0.0])


def test_several_bodies(tmp_path: Path) -> None:
    """Two bodies of different cells share one list of frames and one file of results."""
    a, b = bar("hex8", "left one"), bar("tet10", "right-one")
    with ResultWriter(tmp_path, [a, b]) as writer:
        for t in TIMES:
            writer.frame(t, {one.name: bent(one, t) for one in (a, b)})
    entries = list(ElementTree.parse(tmp_path / "frames.pvd").getroot().iter("DataSet"))
    assert [entry.attrib["part"] for entry in entries] == ["0", "1"] * 3
    assert all((tmp_path / entry.attrib["file"]).is_file() for entry in entries)
    results = Results(tmp_path)
    assert {(body.name, body.cell) for body in results.bodies()} == {
        ("left one", "hex8"),
        ("right-one", "tet10"),
    }


@pytest.mark.parametrize(
    ("error", "status"),
    [(KeyboardInterrupt(), "interrupted"), (AnalysisError("step 3: diverged"), "failed"),
     (ZeroDivisionError(), "failed")],
)  # fmt: skip
def test_broken_off(error: BaseException, status: str, tmp_path: Path) -> None:
    """Ctrl-C or an error in the middle keeps the frames before it, in files that are complete."""
    body = bar()
    with pytest.raises(type(error)), ResultWriter(tmp_path, [body], probes=PROBES) as writer:
        for t in TIMES[:2]:
            writer.probe_row(t, [t, t])
            writer.frame(t, {body.name: bent(body, t)})
        writer.probe_row(0.2, [1.0, 2.0])
        raise error
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == status and summary["frames"] == 2
    assert summary.get("reason", "") in ("", "step 3: diverged", "ZeroDivisionError")
    with h5py.File(tmp_path / "results.h5") as file:
        assert len(file["time"]) == 2 and len(file["probes/time"]) == 3
    assert len(read_table(tmp_path / "probes.csv")[1]) == 3
    assert len(list(ElementTree.parse(tmp_path / "frames.pvd").getroot().iter("DataSet"))) == 2


ENVIRONMENT = os.environ | {"PYTHONPATH": ":".join(sys.path)}
SCRIPT = """
    import os, sys, time
    from pathlib import Path
    sys.path.insert(0, {here!r})
    from samples import bar, bent
    from flexforge.runtime.results import Column, ResultWriter
    body = bar()
    with ResultWriter(Path(sys.argv[1]), [body], probes=[Column("n")]) as writer:
        {before}
        for i in range({count}):
            writer.probe_row(float(i), [i])
            writer.frame(float(i), {{body.name: bent(body, i * 0.1)}})
            print(i, flush=True)
"""


def start(folder: Path, count: int, before: str = "pass") -> subprocess.Popen[str]:
    """Start a run in a process of its own."""
    here = str(Path(__file__).parent)
    code = textwrap.dedent(SCRIPT).format(here=here, before=before, count=count)
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, str(folder)], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=ENVIRONMENT,
        # A shell's background job, as these tests may be, starts what it starts deaf to Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


@pytest.mark.parametrize("delay", [0.0, 0.007, 0.023])
def test_killed(delay: float, tmp_path: Path) -> None:
    """A run killed with SIGKILL at any moment loses nothing that it had reported as written."""
    process = start(tmp_path, 100_000)
    assert process.stdout is not None
    for _ in range(5):
        process.stdout.readline()
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    last = 4 + len(process.stdout.read().split())
    process.wait()
    results = Results(tmp_path)
    assert results.summary["status"] == "running"
    times = results.times()
    assert len(times) >= last + 1 and np.array_equal(times, np.arange(len(times)))
    body = bar()
    for i in (0, last):
        state = results.frame(i).states["bar"]
        assert np.array_equal(state.displacement, bent(body, i * 0.1).displacement)
    rows = results.probe_table()[1]
    assert len(rows) >= last + 1 and np.array_equal(rows[:, 1], np.arange(len(rows)))
    for entry in ElementTree.parse(tmp_path / "frames.pvd").getroot().iter("DataSet"):
        meshio.vtu.read(str(tmp_path / entry.attrib["file"]))
    assert repair(tmp_path / "results.h5") and not repair(tmp_path / "results.h5")
    with h5py.File(tmp_path / "results.h5") as file:
        assert np.array_equal(file["time"], times)


def test_killed_before_the_first_frame(tmp_path: Path) -> None:
    """A file of a run that has written no frame, or of one that was killed then, says so."""
    with ResultWriter(tmp_path, [bar()]):
        (tmp_path / "copy.h5").write_bytes((tmp_path / "results.h5").read_bytes())
        for name in ("results.h5", "copy.h5"):
            with pytest.raises(InputError, match="holds nothing to read yet; its run has not come"):
                open_results(tmp_path / name)


def test_a_killed_run_says_how_far_it_came(tmp_path: Path) -> None:
    """SIGKILL leaves status, frames and progress of a second before at most, and no half file."""
    process = start(tmp_path, 100_000, before="writer.progress('steps', 0, 100_000, 0.0)")
    assert process.stdout is not None
    process.stdout.readline()
    began = time.monotonic()
    while time.monotonic() - began < 1.5:
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == "running"
    assert 0 < summary["frames"] <= len(Results(tmp_path).times())
    assert summary["last_frame_time"] == summary["frames"] - 1
    assert summary["progress"] == {"what": "steps", "done": 0, "total": 100_000, "time": 0.0}
    run(tmp_path)  # all of it was the run's own


def test_progress_is_written_once_a_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a thousand steps in three seconds three or four are written, and the last of all."""
    now = [0.0]
    monkeypatch.setattr("flexforge.runtime.results.writer.clock.monotonic", lambda: now[0])
    told = []
    write = summaries.write_summary
    monkeypatch.setattr(
        summaries, "write_summary", lambda f, s: (told.append(dict(s)), write(f, s))[1]
    )
    with ResultWriter(tmp_path, [bar()], formats=[]) as writer:
        for number in range(1, 1001):
            now[0] += 3e-3
            writer.progress("steps", number, 1000, number * 0.5)
    assert [s.get("progress", {}).get("done") for s in told] == [None, 334, 668, 1000]
    assert [s["status"] for s in told] == ["running"] * 3 + ["finished"]
    progress = json.loads((tmp_path / "summary.json").read_text())["progress"]
    assert progress == {"what": "steps", "done": 1000, "total": 1000, "time": 500.0}


def test_a_row_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """A disk that takes a part of a line gets that part back; later lines stand for themselves."""
    import resource

    table = TableWriter(tmp_path / "probes.csv", PROBES)
    table.rows(np.array([0.0]), np.array([[1.0, 2.0]]))
    size = (tmp_path / "probes.csv").stat().st_size
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 5, before[1]))
    try:
        with pytest.raises(OSError):
            table.rows(np.array([1.0]), np.array([[3.0, 4.0]]))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (tmp_path / "probes.csv").stat().st_size == size
    table.rows(np.array([2.0]), np.array([[5.0, 6.0]]))
    table.close()
    assert read_table(tmp_path / "probes.csv")[1].tolist() == [[0.0, 1.0, 2.0], [2.0, 5.0, 6.0]]


def test_a_file_that_cannot_be_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run whose last file fails has not finished: its summary says so, other files are whole."""
    body = bar()
    with pytest.raises(AnalysisError, match="No space.*kept: 1 frame"):  # noqa: SIM117
        with ResultWriter(tmp_path, [body], probes=PROBES) as writer:
            writer.frame(0.0, {body.name: bent(body, 0.0)})
            writer.probe_row(0.0, [0.0, 0.0])
            monkeypatch.setattr(
                "flexforge.runtime.results.hdf5.set_aside",
                lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")),
            )
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["status"] == "failed" and "No space" in summary["reason"]
    assert len(read_table(tmp_path / "probes.csv")[1]) == 1


def test_interrupted_from_outside(tmp_path: Path) -> None:
    """SIGINT, wherever it strikes, leaves complete files and the status of an interrupted run."""
    process = start(tmp_path, 100_000)
    assert process.stdout is not None
    for _ in range(4):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    results = Results(tmp_path)
    assert results.summary["status"] == "interrupted" and len(results.times()) >= 4
    with h5py.File(tmp_path / "results.h5") as file:
        assert len(file["time"]) >= 4


def test_read_while_it_runs(tmp_path: Path) -> None:
    """Results can be read while the run that writes them goes on."""
    body = bar()
    with ResultWriter(tmp_path, [body]) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.0)})
        code = (
            "import sys; from pathlib import Path\n"
            "from flexforge.runtime.results.read import Results\n"
            "print(len(Results(Path(sys.argv[1])).times()))"
        )
        done = subprocess.run(
            [sys.executable, "-P", "-c", code, str(tmp_path)],
            capture_output=True, text=True, env=ENVIRONMENT, check=True,
        )  # fmt: skip
        assert done.stdout.strip() == "1"


@pytest.mark.parametrize("limit", [4_000, 60_000, 400_000])
def test_disk_fails_in_the_middle(limit: int, tmp_path: Path) -> None:
    """A disk that takes no more (here: a limit on file size) is one line; frames are kept."""
    before = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))"
    process = start(tmp_path, 2000, before=before)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1, err
    assert "AnalysisError" in err and "cannot be written" in err and "kept: " in err
    written = len(out.split())
    assert len(read_table(tmp_path / "probes.csv")[1]) >= written
    if written:
        with open_results(tmp_path / "results.h5") as file:
            assert len(file["time"]) >= written - 1
    for path in (tmp_path / "frames").glob("*.vtu"):
        meshio.vtu.read(str(path))


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the disk has no room for a frame, it is refused before a byte of it is written."""
    body = bar()
    with ResultWriter(tmp_path, [body]) as writer:
        writer.frame(0.0, {body.name: bent(body, 0.0)})
        before = sorted(path for path in tmp_path.rglob("*"))
        monkeypatch.setattr(
            "flexforge.runtime.results.files.shutil.disk_usage",
            lambda _: type("Usage", (), {"free": 1000})(),
        )
        with pytest.raises(AnalysisError, match="No space left.*kept: 1 frame in") as error:
            writer.frame(0.1, {body.name: bent(body, 0.1)})
        assert "\n" not in str(error.value)
        assert sorted(path for path in tmp_path.rglob("*")) == before


@pytest.mark.parametrize("place", ["a file", "/proc/flexforge", "a file/below"])
def test_unwritable_folder(place: str, tmp_path: Path) -> None:
    """A folder that cannot be written to is refused before the run, in one line."""
    (tmp_path / "a file").write_text("keep me")
    with pytest.raises(InputError, match="output.folder: .* cannot be written to") as error:
        ResultWriter(tmp_path / place, [bar()])
    assert "\n" not in str(error.value)
    assert (tmp_path / "a file").read_text() == "keep me"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_forbidden_folder(tmp_path: Path) -> None:
    """A folder without permission to write is refused, and nothing changes in it."""
    tmp_path.chmod(0o555)
    with pytest.raises(InputError, match="Permission denied"):
        ResultWriter(tmp_path, [bar()])
    assert not list(tmp_path.iterdir())


def test_a_second_run_replaces_the_first(tmp_path: Path) -> None:
    """Frames of an earlier, longer run do not mix with new ones; foreign files stay."""
    run(tmp_path, [0.0, 0.1, 0.2, 0.3, 0.4])
    (tmp_path / "notes.txt").write_text("mine")
    run(tmp_path, [0.0, 0.1])
    assert len(list((tmp_path / "frames").iterdir())) == 2
    assert len(Results(tmp_path).times()) == 2 and (tmp_path / "notes.txt").read_text() == "mine"


def test_summary_of_odd_values(tmp_path: Path) -> None:
    """NumPy numbers, paths and what is not finite become valid JSON."""
    with ResultWriter(tmp_path, [bar()], formats=[]) as writer:
        writer.summary({"figures": {"a": np.float64(1.5), "b": np.nan, "c": np.arange(3)}})
        writer.summary({"figures": {"d": Path("x"), "e": np.int32(4), "f": True}})
    figures = json.loads((tmp_path / "summary.json").read_text())["figures"]
    assert figures == {"a": 1.5, "b": None, "c": [0, 1, 2], "d": "x", "e": 4, "f": True}


def test_torn_line(tmp_path: Path) -> None:
    """A last line of the table that was cut off is left out, the rest is read."""
    run(tmp_path)
    path = tmp_path / "probes.csv"
    path.write_bytes(path.read_bytes()[:-6])
    assert len(read_table(path)[1]) == 2


def test_modes(tmp_path: Path) -> None:
    """Modes: frequencies in summary and HDF5, a VTU file for each shape, listed by number."""
    body = bar("tet10")
    shapes = np.random.default_rng(1).normal(size=(3, len(body.points), 3))
    with ResultWriter(tmp_path, [body]) as writer:
        writer.modes(np.array([10.0, 20.5, 31.25]), {body.name: shapes})
    rows = json.loads((tmp_path / "summary.json").read_text())["modes"]
    assert rows[1] == {"mode": 2, "frequency_Hz": 20.5}
    frequencies, read = Results(tmp_path).modes()
    assert np.array_equal(frequencies, [10.0, 20.5, 31.25]) and np.array_equal(read["bar"], shapes)
    entries = list(ElementTree.parse(tmp_path / "modes.pvd").getroot().iter("DataSet"))
    assert [float(entry.attrib["timestep"]) for entry in entries] == [1, 2, 3]
    (tmp_path / "results.h5").unlink()
    assert np.allclose(Results(tmp_path).modes()[1]["bar"], shapes, rtol=1e-6)


def test_without_hdf5(tmp_path: Path) -> None:
    """Results can be read from VTU files alone, and from nothing but the summary."""
    body = bar()
    with ResultWriter(tmp_path, [body], formats=["vtu"]) as writer:
        for t in TIMES:
            writer.frame(t, {body.name: bent(body, t)})
    results = Results(tmp_path)
    assert np.array_equal(results.times(), TIMES)
    state = results.frame(-1).states["bar"]
    assert np.allclose(state.displacement, bent(body, TIMES[-1]).displacement, rtol=1e-6)
    assert results.bodies()[0].cell == "hex20" and results.frame(1).time == TIMES[1]
    with pytest.raises(InputError, match="no summary.json"):
        Results(tmp_path / "frames")


def test_static_state_without_rates(tmp_path: Path) -> None:
    """A static result has a displacement only, and one frame."""
    body = bar("quad8")
    with ResultWriter(tmp_path, [body]) as writer:
        writer.frame(0.0, {body.name: BodyState(bent(body, 1.0).displacement)})
    state = Results(tmp_path).frame(0).states["bar"]
    assert state.velocity is None and state.stress is None and state.frame is None
