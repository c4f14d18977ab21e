# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flexforge.codegen.errors import FlexforgeError, FlexforgeWarning
from flexforge.console import plain
from flexforge.model import load_model
from flexforge.progress import ProgressLine
from flexforge.runtime.results.units import figure

SPIN = """
[analysis]
kind = "transient"
duration = 100.0
steps = 1000000
"""


def test_check_says_what_would_be_solved(flexforge, beam: Path) -> None:
    """A check reads model and mesh, prints figures, and writes nothing."""
    said = flexforge("check", beam)
    assert said.code == 0
    assert "beam" in said.out
    data = flexforge("check", beam, "--json").json
    assert isinstance(data, dict)
    assert [path.name for path in beam.parent.iterdir()] == ["beam.toml"]


def test_run_prints_figures_and_writes_results(flexforge, beam: Path) -> None:
    """Results are in NAME.results, figures the same as JSON; the report can be made again."""
    said = flexforge("run", beam)
    assert said.code == 0
    assert said.err == "", "progress is for terminals only"
    folder = beam.parent / "beam.results"
    assert (folder / "report.html").is_file()
    assert "beam.results/report.html" in said.out
    data = flexforge("run", beam, "-o", "other", "--json").json
    assert data["status"] == "finished"
    assert data["folder"] == "other"
    # 8 quad8 with 43 nodes, 3 of them held in both directions.
    assert data["figures"]["unknowns"] == 2 * (43 - 3)
    assert data["figures"]["elements"] == 8
    assert json.loads(Path("other/summary.json").read_text())["status"] == "finished"
    assert sum(data["timings"].values()) > 0
    report = Path("beam.results/report.html")
    report.unlink()
    again = flexforge("report", "beam.results", "--json").json
    assert again == {"report": str(report), "mended": False}
    assert report.is_file()


def test_modes_of_any_model(flexforge, beam: Path) -> None:
    """Modes are computed whatever the file asks for, beside the results of the run."""
    data = flexforge("modes", beam, "--count", "2", "--json").json
    assert data["folder"] == "beam.modes.results"
    value, unit = data["figures"]["mode 1"]
    # Euler-Bernoulli: 1.8751^2 / (2 pi) sqrt(E I / (rho A)) / L^2 = 81.8 Hz; shear lowers it.
    assert unit == "Hz"
    assert 0.98 * 81.8 < value < 81.8
    assert "mode 3" not in data["figures"]
    said = flexforge("modes", beam, "--count", "0")
    assert said.code == 2
    assert "count: found 0" in said.error


def test_modes_over_speeds(flexforge, beam: Path) -> None:
    """``--speeds`` prints a table over the speeds, as text and as JSON; wrong ones are refused."""
    said = flexforge("modes", beam, "--speeds", "0:10:2")
    assert said.code == 2
    assert "no body frame rotates" in said.error
    text = beam.read_text()
    turning = text.replace('element = "quad8"', 'element = "quad8"\nframe = {velocity = 1}')
    beam.write_text(turning + '[output]\nformats = ["csv"]\n')
    said = flexforge("modes", beam, "--count", "2", "--speeds", "0:100:3")
    assert said.code == 0
    rows = [line.split()[:2] for line in said.out.splitlines()[:4]]
    assert rows == [["rpm", "rad/s"], ["0", "0"], ["477.465", "50"], ["954.93", "100"]]
    data = flexforge("modes", beam, "--count", "2", "--speeds", "0,100", "--json").json
    assert data["campbell"]["speeds_rad_s"] == [0.0, 100.0]
    for wrong, words in (
        ("0:10", "expected A:B:N"),
        ("0:10:x", "expected A:B:N"),
        ("0:3000rpm:7", "expected A:B:N"),
        ("5,3", "found 5 before 3; expected ascending speeds (rad/s)"),
        ("12000:0:5rpm", "found 12000 before 9000; expected ascending speeds (rpm)"),
        ("-5,3", "speeds"),
    ):
        said = flexforge("modes", beam, f"--speeds={wrong}")
        assert said.code == 2
        assert words in said.error


def test_no_report_without_results(flexforge) -> None:
    """A folder without results is an input error."""
    said = flexforge("report", "nowhere")
    assert said.code == 2
    assert "nowhere" in said.error


def test_wrong_models_are_one_line(flexforge, beam: Path) -> None:
    """A missing file, an unknown key and a missing group end in one line and exit code 2."""
    text = beam.read_text()
    for wrong, words in (
        (text.replace("element =", "elemnt ="), "did you mean 'element'"),
        (text.replace('"xmin"', '"root"'), "root"),
        (text.replace("7800", "-7800"), "density"),
    ):
        beam.write_text(wrong)
        for command in ("run", "check", "modes"):
            said = flexforge(command, beam)
            assert said.code == 2
            assert words in said.error
        assert [path.name for path in beam.parent.iterdir()] == ["beam.toml"]
    said = flexforge("run", "missing.toml")
    assert said.code == 2
    assert "missing.toml" in said.error


def test_a_failed_analysis_is_exit_code_1(
    flexforge, beam: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When sound input leads to no result: one line, exit code 1."""
    import flexforge.runtime.run as module
    from flexforge.codegen.errors import AnalysisError

    def fail(*arguments: object, **options: object) -> None:
        raise AnalysisError("step 7 does not converge;\nframes up to 0.06 s are kept")

    monkeypatch.setattr(module, "run_model", fail)
    said = flexforge("run", beam)
    assert said.code == 1
    assert said.error.endswith("step 7 does not converge; | frames up to 0.06 s are kept")


def test_ctrl_c_keeps_what_is_done(beam: Path) -> None:
    """Ctrl-C ends a run with exit code 130, a line that says where its results are, and them."""
    text = beam.read_text()
    beam.write_text(
        text[: text.index("[analysis]")] + SPIN + '[output]\nformats = ["csv"]\n'
        '[[probes]]\nname = "tip"\ngroup = "xmax"\ncomponent = "y"\n'
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "flexforge", "run", str(beam)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=beam.parent,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        # Started in the background, a shell has its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        probes = beam.parent / "beam.results" / "probes.csv"
        deadline = time.monotonic() + 60
        while not (probes.is_file() and probes.read_text().count("\n") > 5):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert err.count("\n") == 1, err
    assert "kept in beam.results" in err
    summary = json.loads((beam.parent / "beam.results" / "summary.json").read_text())
    assert summary["status"] == "interrupted"


def test_ctrl_c_in_a_later_step_says_which(flexforge, beam: Path, monkeypatch) -> None:
    """Steps have folders of their own: those that are done are kept, and the last one is named."""
    from flexforge.runtime import job

    head = beam.read_text().split("[analysis]")[0]
    steps = [
        '[[steps]]\nname = "still"\n[steps.analysis]\nkind = "static"\n',
        '[[steps]]\nname = "hum"\n[steps.analysis]\nkind = "modes"\ncount = 1\n',
    ]
    beam.write_text(head + "\n".join(steps))

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(job, "run_modes", stop)
    said = flexforge("run", beam)
    assert said.code == 130
    assert (
        "interrupted in step 'hum'; everything computed so far is kept in beam.results; "
        "flexforge report beam.results/hum shows it"
    ) in said.err
    done = json.loads((beam.parent / "beam.results" / "still" / "summary.json").read_text())
    assert done["status"] == "finished"


def test_probes_have_a_row_each(flexforge, beam: Path) -> None:
    """A table of peaks, their times and the ends, in place of three lines for each probe."""
    text = beam.read_text()
    probes = "".join(
        f'[[probes]]\nname = "tip {axis}"\ngroup = "xmax"\ncomponent = "{axis}"\n' for axis in "xy"
    )
    steps = '[analysis]\nkind = "transient"\nduration = 1e-3\nsteps = 2\n'
    beam.write_text(text[: text.index("[analysis]")] + steps + probes)
    said = flexforge("run", beam)
    assert said.code == 0, said.err
    lines = said.out.splitlines()
    at = lines.index("Probes:")
    assert lines[at + 1].split() == ["probe", "peak", "at", "[s]", "at", "the", "end"]
    assert [line.split()[:3] for line in lines[at + 2 : at + 4]] == [
        ["tip", "x", "[m]"], ["tip", "y", "[m]"]
    ]  # fmt: skip
    assert "time of the peak" not in said.out
    assert "tip x, time of the peak" in json.loads(flexforge("run", beam, "--json").out)["figures"]


def test_modes_of_many_speeds_go_on(flexforge, beam: Path, monkeypatch) -> None:
    """``modes --resume`` goes on with a diagram that Ctrl-C stopped, and says from where."""
    from flexforge.runtime.vibration.campbell import Sweep

    text = beam.read_text()
    turning = text.replace('element = "quad8"', 'element = "quad8"\nframe = {velocity = 1}')
    beam.write_text(turning + '[output]\nformats = ["csv"]\n')
    command = ("modes", beam, "--count", "2", "--speeds", "0:3000:4rpm")
    solve = Sweep._solve

    def stop(job: Sweep, speed: float) -> object:
        if speed > 200.0:
            raise KeyboardInterrupt
        return solve(job, speed)

    with monkeypatch.context() as patch:
        patch.setattr(Sweep, "_solve", stop)
        said = flexforge(*command)
    assert said.code == 130
    assert "interrupted after 2 of 4 speeds; everything computed so far is kept in " in said.err
    assert "and --resume goes on; flexforge report beam.modes.results shows it" in said.err
    said = flexforge(*command, "--resume")
    assert said.code == 0, said.err
    assert "flexforge: goes on from 1000 rpm: 2 of 4 speeds are done" in said.err
    assert said.out.splitlines()[4].split()[0] == "3000"


def test_progress_shows_an_estimate(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """On a terminal the line shows how far it is and how long it will take, and goes away."""
    clock = iter([0.0, 10.0, 20.0, 40.0])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("flexforge.progress.time.monotonic", lambda: next(clock))
    progress = ProgressLine()
    for done in (0, 1, 2, 4):
        progress("steps", done, 4)
    out = capsys.readouterr().err
    # Two of four steps took 20 s, so the other two take as long.
    assert "steps [############............] 2/4, about 20 s left" in out
    progress.clear()
    assert capsys.readouterr().err.endswith("\r")


def test_progress_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Short work is silent; long work says every ten seconds how far it is, since when."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    clock = iter([0.0, 9.0, 11.0, 15.0, 130.0])
    monkeypatch.setattr("flexforge.progress.time.monotonic", lambda: next(clock))
    progress = ProgressLine()
    progress("mesh", 0, 0)
    for done in (0, 1, 2, 4):
        progress("steps", done, 4)
    assert capsys.readouterr().err.splitlines() == [
        "flexforge: 11 s: steps [######..................] 1/4, about 6 s left",
        "flexforge: 2 min: steps [########################] 4/4",
    ]


def test_quiet_and_log(flexforge, beam: Path, tmp_path: Path) -> None:
    """Quiet runs print nothing; a log has phases and figures, also of runs that fail."""
    log = tmp_path / "run.log"
    said = flexforge("run", beam, "-o", tmp_path / "out", "--quiet", "--log", log)
    assert (said.code, said.out, said.err) == (0, "", "")
    text = log.read_text()
    assert "generated by flexforge" in text.splitlines()[0]
    assert "largest displacement" in text and "finished in" in text
    assert flexforge("run", beam, "-o", tmp_path / "out", "-q", "--log", log).code == 0
    (tmp_path / "mine.txt").write_text("mine")
    said = flexforge("run", beam, "-o", tmp_path / "out", "--log", tmp_path / "mine.txt")
    assert said.code == 2 and "mine.txt" in said.err
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_figures_in_words_and_in_json() -> None:
    """Numbers have units in words; what JSON cannot hold becomes null."""
    assert figure([0.5, "Hz"]) == "0.5 Hz"
    assert figure(True) == "yes"
    assert figure(7) == "7"
    import numpy as np

    assert plain({"a": np.array([1.0, np.nan]), "b": Path("x"), "c": (np.int64(2),)}) == {
        "a": [1.0, None],
        "b": "x",
        "c": [2],
    }


QUAD = """
name = "my_quad"
cell = "quadrilateral"
nodes = [[-1, -1], [1, -1], [1, 1], [-1, 1]]
monomials = ["1", "xi", "eta", "xi*eta"]
components = 2
strain = "small_strain"
law = "plane_stress"
degree = { stiffness = 3, mass = 3 }
recovery = ["1", "xi", "eta", "xi*eta"]
section = "thickness"
"""


def test_rotations_are_no_displacements(flexforge, tmp_path: Path) -> None:
    """A cantilever of length 1: the end sinks by P/3EI and turns by P/2EI, which is more."""
    (tmp_path / "cantilever.toml").write_text(
        '[mesh.block]\ncell = "line2"\ncorners = [[0, 0], [1, 0]]\ndivisions = [4]\n'
        "[materials.steel]\nyoung = 2.1e11\npoisson = 0.3\ndensity = 7850\n"
        '[[bodies]]\nname = "beam"\nelement = "euler_beam_plane"\nmaterial = "steel"\n'
        'section = { shape = "rectangle", width = 0.01, height = 0.02 }\n'
        '[[supports]]\ngroup = "xmin"\ncomponents = ["x", "y", "rz"]\n'
        '[[loads]]\nkind = "force"\ngroup = "xmax"\ntotal = [0, -10, 0]\n'
        '[analysis]\nkind = "static"\n'
    )
    said = flexforge("run", tmp_path / "cantilever.toml", "-o", tmp_path / "out", "--json")
    value, unit = said.json["figures"]["largest displacement"]
    bending = 2.1e11 * 0.02 * 0.01**3 / 12
    assert (value, unit) == (pytest.approx(10 / (3 * bending), rel=1e-9), "m")


@pytest.mark.usefixtures("no_compiler")
def test_no_compiler_when_one_is_needed(beam: Path) -> None:
    """An element of the user's needs a compiler: without one a line, exit code 2, no results."""
    Path("quad.toml").write_text(QUAD)
    text = beam.read_text().replace('element = "quad8"', 'element = "quad.toml"')
    beam.write_text(text.replace('cell = "quad8"', 'cell = "quad4"'))
    done = subprocess.run(
        [sys.executable, "-m", "flexforge", "run", str(beam)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("flexforge: error: no C compiler")
    assert done.stderr.count("\n") == 1
    assert not Path("beam.results").exists()


def test_results_that_cannot_be_written(flexforge, beam: Path) -> None:
    """A file where the folder of results should be: one line, exit code 2."""
    Path("taken").write_text("mine")
    said = flexforge("run", beam, "-o", "taken")
    assert said.code == 2
    assert "taken" in said.error
    assert Path("taken").read_text() == "mine"


def test_warnings_of_a_failed_run_are_shown(flexforge, beam: Path) -> None:
    """A modulus in GPa makes the run fail: the warning that says so comes before the error."""
    text = beam.read_text().replace("young = 2e11", "young = 210")
    beam.write_text(text.replace('"quad8"\nmat', '"quad8"\nframe = {velocity = 1200}\nmat'))
    said = flexforge("run", beam, "--log", "beam.log")
    lines = said.err.splitlines()
    assert (said.code, said.out) == (1, "")
    assert "a modulus of 210 Pa is less than that of rubber" in lines[0]
    assert lines[0].startswith("flexforge: warning: ")
    assert lines[-1].startswith("flexforge: error: ")
    stored = json.loads(Path("beam.results/summary.json").read_text())["warnings"]
    assert [f"flexforge: warning: {one}" for one in stored] == lines[:-1]
    log = Path("beam.log").read_text()
    assert log.index("warning: ") < log.index("error: ")
    with pytest.raises(FlexforgeError) as caught:
        load_model(beam).run(output="again")
    assert list(caught.value.warnings) == stored


def test_warnings_of_a_run_are_pythons_too(flexforge, beam: Path) -> None:
    """A modulus in GPa is told at the line that runs the model, and once on the terminal."""
    beam.write_text(beam.read_text().replace("young = 2e11", "young = 210"))
    with pytest.warns(FlexforgeWarning, match="a modulus of 210 Pa") as caught:
        outcome = load_model(beam).run(output="again")
    assert [str(one.message) for one in caught] == list(outcome.warnings)
    assert {one.filename for one in caught} == {__file__}
    assert flexforge("run", beam).err.count("a modulus of 210 Pa") == 1


def test_resume_of_a_finished_run_shows_it_again(flexforge, beam: Path) -> None:
    """For scripts that always say --resume: the same figures, exit code 0."""
    first = flexforge("run", beam, "--resume", "--json").json
    again = flexforge("run", beam, "--resume", "--json")
    assert (again.code, again.json["figures"]) == (0, first["figures"])
    beam.write_text(beam.read_text().replace("-100", "-200"))
    said = flexforge("run", beam, "--resume")
    assert said.code == 2 and "the run of another model is finished there" in said.error
