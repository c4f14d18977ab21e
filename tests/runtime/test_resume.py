# SPDX-License-Identifier: BSD-3-Clause
"""Runs that are stopped and resumed give the numbers of runs that are not."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from flexforge.codegen.errors import InputError
from flexforge.runtime.loading.load import model_of
from flexforge.runtime.observe.record import Recorder
from flexforge.runtime.run import run_model
from flexforge.runtime.vibration import modes_over_speed, speed_terms
from marks import slow
from models import CASES, model

EXAMPLES = CASES.parent
STEPS = 12
#: The equations of large steps are solved to 1e-13, and what a first guess is made of is forgotten.
ROUND_OFF = 1e-11
#: Figures that say how a run went, not what it found.
OF_THE_RUN = ("time per step", "factorizations", "solves per step", "most solves in a step")


def block(divisions: list[int], method: str, **output: Any) -> Any:
    """Return a block that is spun up under a force."""
    return model(
        "hex8",
        divisions,
        supports=[{"group": "xmin"}],
        loads=[{"kind": "force", "group": "xmax", "total": [0.0, 1e3, 0.0]}],
        body={"frame": {"velocity": {"ramp": {"to": 30.0, "duration": 1e-3}}}},
        probes=[{"name": "y", "group": "xmax", "component": "y"}],
        analysis={
            "kind": "transient",
            "duration": 6e-5,
            "steps": STEPS,
            "method": method,
            "tolerance": 1e-13,
        },
        output={"formats": ["csv", "hdf5", "vtu", "report"], **output},
    )


def mechanism(steps: int = STEPS) -> Any:
    """Return the slider-crank of the examples, with its joints and balances, for a few steps."""
    spec = model_of(EXAMPLES / "slider_crank" / "model.toml")
    analysis = spec.analysis
    length = analysis.step_size
    changed = analysis.model_copy(update={"duration": steps * length, "steps": steps, "step": None})
    return spec.model_copy(update={"analysis": changed})


class Stop:
    """Progress that interrupts a run after a number of steps, as Ctrl-C does."""

    def __init__(self, *after: int) -> None:
        self._after = list(after)

    def __call__(self, text: str, done: int, total: int) -> None:
        if text == "steps" and self._after and done >= self._after[0]:  # steps may be leapt over
            self._after.pop(0)
            raise KeyboardInterrupt


def arrays(folder: Path) -> dict[str, Any]:
    """Return all arrays of results.h5."""
    found: dict[str, Any] = {}

    def add(name: str, one: Any) -> None:
        if isinstance(one, h5py.Dataset):
            found[name] = one[()]

    with h5py.File(folder / "results.h5") as file:
        file.visititems(add)
    return found


def results(folder: Path) -> dict[str, Any]:
    """Return all arrays, the table of probes and the figures of a folder of results."""
    found = arrays(folder)
    found["table"] = np.genfromtxt(folder / "probes.csv", delimiter=",", skip_header=1)
    figures = json.loads((folder / "summary.json").read_text())["figures"]
    for name, value in figures.items():
        number = value[0] if isinstance(value, list) else value
        if isinstance(number, float | int) and name not in OF_THE_RUN:
            found[f"figure {name}"] = number
    axes = [name for name in found if name.startswith("figure momentum ")]
    if axes:  # a component may be round-off of the others
        found["momentum"] = np.array([found.pop(name) for name in axes])
    return found


def require_equal(stopped: Path, whole: Path) -> None:
    """Compare all results of two folders."""
    found, wanted = results(stopped), results(whole)
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        scale = float(np.abs(value).max(initial=0.0))
        if name.startswith("figure ") and ("residual" in name or "error" in name):
            assert abs(found[name] - value) < 1e-9, name  # round-off itself
        else:
            np.testing.assert_allclose(
                found[name], value, rtol=0.0, atol=ROUND_OFF * scale, err_msg=name
            )
    frames = sorted(path.name for path in (whole / "frames").glob("*"))
    assert frames == sorted(path.name for path in (stopped / "frames").glob("*"))
    if frames:
        assert (stopped / "frames.pvd").read_text() == (whole / "frames.pvd").read_text()
    assert not (stopped / "checkpoint.npz").exists()
    assert json.loads((stopped / "summary.json").read_text())["status"] == "finished"


@pytest.mark.parametrize(
    ("divisions", "method", "every"),
    [
        slow([3, 2, 2], "generalized_alpha", 1),
        ([3, 2, 2], "generalized_alpha", 5),
        slow([9, 8, 8], "generalized_alpha", 5),
        slow([9, 8, 8], "gauss4", 1),
        slow([9, 8, 8], "central_difference", 1),
    ],
)
def test_interrupted_twice(divisions: list[int], method: str, every: int, tmp_path: Path) -> None:
    """Small models in C, large ones, and every kind of step; frames and probes are gone on with."""
    spec = block(divisions, method, every=every)
    run_model(spec, output=tmp_path / "whole")
    stop = Stop(3, 8)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run_model(spec, output=tmp_path / "stopped", progress=stop, resume=True)
    run_model(spec, output=tmp_path / "stopped", resume=True)
    require_equal(tmp_path / "stopped", tmp_path / "whole")


def stored(folder: Path) -> dict[str, Any]:
    """Return the progress that the summary in a folder tells."""
    progress: dict[str, Any] = json.loads((folder / "summary.json").read_text())["progress"]
    return progress


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Have SIGINT interrupt, which processes in the background of a shell ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_progress_counts_every_recorded_step(tmp_path: Path, monkeypatch: Any) -> None:
    """What an interrupt leaves, and what is gone on from: one number, also before a further step.

    A real interrupt waits until the step is recorded.
    """
    spec, folder, said = block([3, 2, 2], "generalized_alpha"), tmp_path / "r", []
    true = Recorder.record

    def interrupted(recorder: Recorder, time: float, *rest: Any, **more: Any) -> None:
        if abs(time - 7 * spec.analysis.step_size) < 1e-12:
            signal.raise_signal(signal.SIGINT)
        true(recorder, time, *rest, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "record", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_model(spec, output=folder)
    assert stored(folder)["done"] == 7

    def stopped(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Recorder, "record", stopped)
        with pytest.raises(KeyboardInterrupt):
            run_model(spec, output=folder, resume=True, progress=lambda *one: said.append(one[0]))
    assert any(f": 7 of {STEPS} steps are done" in text for text in said)
    assert stored(folder) | {"time": None} == {
        "what": "steps", "done": 7, "total": STEPS, "time": None
    }  # fmt: skip
    assert stored(folder)["time"] == pytest.approx(7 * spec.analysis.step_size)


def test_balances_of_mechanisms_are_gone_on_with(tmp_path: Path) -> None:
    """Energies, momenta and residuals of joints from the first step on."""
    run_model(mechanism(), output=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run_model(mechanism(), output=tmp_path / "stopped", progress=Stop(7))
    run_model(mechanism(), output=tmp_path / "stopped", resume=True)
    require_equal(tmp_path / "stopped", tmp_path / "whole")


def test_events_of_forces_are_gone_on_with(tmp_path: Path) -> None:
    """Balls that fall on each other, stopped after five of their ten impacts: the same times."""
    spec = model_of(EXAMPLES / "ball_chain" / "model.toml")
    analysis = spec.analysis.model_copy(update={"steps": 80})
    spec = spec.model_copy(update={"analysis": analysis})
    run_model(spec, output=tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=tmp_path / "stopped", progress=Stop(45))
    assert len((tmp_path / "stopped" / "events.csv").read_text().splitlines()) == 1 + 5
    run_model(spec, output=tmp_path / "stopped", resume=True)
    found, wanted = ((tmp_path / name / "events.csv").read_text() for name in ("stopped", "whole"))
    assert found == wanted
    assert len(wanted.splitlines()) == 1 + 10
    probes = [(tmp_path / name / "probes.csv").read_text() for name in ("stopped", "whole")]
    assert probes[0] == probes[1]


def test_what_was_written_after_a_checkpoint_is_written_anew(tmp_path: Path) -> None:
    """As of a killed process, whose last checkpoint is older than its results."""
    spec = block([3, 2, 2], "generalized_alpha")
    run_model(spec, output=tmp_path / "whole")
    folder = tmp_path / "stopped"
    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=folder, progress=Stop(4))
    shutil.copy(folder / "checkpoint.npz", tmp_path / "old.npz")
    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=folder, progress=Stop(9), resume=True)
    shutil.copy(tmp_path / "old.npz", folder / "checkpoint.npz")
    with open(folder / "probes.csv", "ab") as table:
        table.write(b"0.5,0.")  # a line that was cut off
    run_model(spec, output=folder, resume=True)
    require_equal(folder, tmp_path / "whole")


def test_a_run_that_has_not_begun_begins(tmp_path: Path) -> None:
    """For scripts that always say --resume."""
    outcome = run_model(block([3, 2, 2], "generalized_alpha"), output=tmp_path / "r", resume=True)
    assert outcome.figures["steps"] == STEPS


def test_a_run_that_is_finished_stays(tmp_path: Path) -> None:
    """Nothing is computed or written, and the outcome is that of the run; other models are not."""
    spec, folder, said = block([3, 2, 2], "generalized_alpha"), tmp_path / "r", []
    wanted = run_model(spec, output=folder)
    written = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    found = run_model(spec, output=folder, resume=True, progress=lambda *one: said.append(one[0]))
    assert said[-1] == f"already finished: the results in {folder} are kept"
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == written
    assert repr(found) == repr(wanted)
    require_close(found.figures, wanted.figures)
    with pytest.raises(InputError, match="the run of another model is finished there"):
        run_model(block([4, 2, 2], "generalized_alpha"), output=folder, resume=True)


def test_other_checkpoints_are_refused(tmp_path: Path) -> None:
    """Of another model, damaged; results that are shorter than the checkpoint."""
    spec, folder = block([3, 2, 2], "generalized_alpha"), tmp_path / "r"
    with pytest.raises(KeyboardInterrupt):
        run_model(spec, output=folder, progress=Stop(4))
    other = block([3, 2, 2], "newmark")
    with pytest.raises(InputError, match=r"checkpoint\.npz: found the checkpoint of another model"):
        run_model(other, output=folder, resume=True)
    data = (folder / "checkpoint.npz").read_bytes()
    for damaged in (b"", data[: len(data) // 2], b"PK" + data[100:]):
        (folder / "checkpoint.npz").write_bytes(damaged)
        with pytest.raises(InputError, match=r"checkpoint\.npz: is damaged"):
            run_model(spec, output=folder, resume=True)
    (folder / "checkpoint.npz").write_bytes(data)
    (folder / "probes.csv").write_text("time [s],y [m]\n")
    with pytest.raises(InputError, match=r"probes\.csv: found 0 lines; expected at least the 5"):
        run_model(spec, output=folder, resume=True)


def campbell() -> Any:
    """Return a shaft of beams whose whirling modes cross and are refined between speeds."""
    return model_of(CASES / "m7_rotor" / "model.toml")


@pytest.mark.parametrize("in_a_space", [False, True])
def test_campbell_diagrams_go_on(
    in_a_space: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Branches, crossings and refined speeds are those of a diagram in one go; shapes too.

    Those of large models are factors of the vectors of a space while it goes on.
    """
    if in_a_space:
        for module in (speed_terms, modes_over_speed):
            monkeypatch.setattr(module, "DENSE", 0)
        monkeypatch.setattr(modes_over_speed, "MANY", 2)
    wanted = run_model(campbell(), output=tmp_path / "whole")
    count = len(campbell().analysis.speeds)
    assert count > 3

    def stop(text: str, done: int, total: int) -> None:
        if text.startswith("speeds, ") and done == count // 2:
            raise KeyboardInterrupt

    for again in (False, True):  # and once more before the next speed
        with pytest.raises(KeyboardInterrupt):
            run_model(campbell(), output=tmp_path / "stopped", progress=stop, resume=again)
        assert stored(tmp_path / "stopped")["done"] == count // 2
    began: list[tuple[str, int]] = []
    found = run_model(
        campbell(),
        output=tmp_path / "stopped",
        resume=True,
        progress=lambda text, done, _: began.append((text, done)),
    )
    assert next(done for text, done in began if text.startswith("speeds, ")) == count // 2
    reached = campbell().analysis.speeds[count // 2 - 1] * 30.0 / np.pi
    said = f"goes on from {reached:.6g} rpm: {count // 2} of {count} speeds are done"
    assert (said, 0) in began
    require_close(found.campbell, wanted.campbell)
    require_close(found.figures, wanted.figures)
    tables = [
        np.genfromtxt(tmp_path / name / "campbell.csv", delimiter=",", skip_header=1)
        for name in ("stopped", "whole")
    ]
    np.testing.assert_allclose(tables[0], tables[1], rtol=1e-8, atol=1e-8)
    one, other = (arrays(tmp_path / name) for name in ("stopped", "whole"))
    assert one.keys() == other.keys()
    for name, value in other.items():
        np.testing.assert_allclose(np.abs(one[name]), np.abs(value), atol=1e-7, err_msg=name)


def require_close(found: Any, wanted: Any, name: str = "") -> None:
    """Compare nested data but for computing times: of eigenvalues, to their tolerance."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            if key != "seconds" and "residual" not in key:
                require_close(found[key], value, f"{name} {key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), name
        for one, other in zip(found, wanted, strict=True):
            require_close(one, other, name)
    else:
        if isinstance(wanted, float):
            wanted = pytest.approx(wanted, rel=1e-8, abs=1e-8, nan_ok=True)
        assert found == wanted, name


def test_analyses_in_one_go_begin_anew(tmp_path: Path) -> None:
    """Statics have nothing to go on from, and take --resume all the same."""
    static = model("hex8", supports=[{"group": "xmin"}])
    assert run_model(static, output=tmp_path / "r", resume=True).status == "finished"


def test_checkpoints_are_written_now_and_then(tmp_path: Path) -> None:
    """At the interval asked for, and none of a run that ends before."""
    seen = []

    def look(text: str, done: int, total: int) -> None:
        if text == "steps":
            seen.append((folder / "checkpoint.npz").exists())

    for interval, expected in ((1e-9, True), (300.0, False)):
        folder = tmp_path / str(interval)
        spec = block([3, 2, 2], "generalized_alpha", checkpoint=interval)
        run_model(spec, output=folder, progress=look)
        assert seen == [expected] * STEPS
        seen.clear()


@slow
def test_killed_at_ten_moments(tmp_path: Path) -> None:
    """kill -9 anywhere, and --resume, until the run is through: the same results."""
    text = (EXAMPLES / "slider_crank" / "model.toml").read_text()
    assert "[output]" in text
    file = tmp_path / "crank.toml"
    file.write_text(text.replace("[output]", "[output]\ncheckpoint = 0.02", 1))
    command = [sys.executable, "-m", "flexforge", "run", str(file), "-q"]
    subprocess.run([*command, "-o", str(tmp_path / "whole")], check=True)
    rng, stopped, kills = np.random.default_rng(0), str(tmp_path / "stopped"), 0
    while True:
        process = subprocess.Popen([*command, "-o", stopped, "--resume"])
        if kills < 10:
            time.sleep(rng.uniform(0.5, 1.6))
            process.send_signal(signal.SIGKILL)
            kills += process.wait() == -signal.SIGKILL
        if process.wait() == 0:
            break
    assert kills > 2
    require_equal(Path(stopped), tmp_path / "whole")
