# SPDX-License-Identifier: BSD-3-Clause
"""SIGTERM and SIGHUP end a run as Ctrl-C does: results are kept, one line, 128 + the signal."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from flexforge import interrupts
from flexforge.interrupts import EndedError, ended_by_signals
from flexforge.runtime.machine.shield import shielded

SPIN = """
[analysis]
kind = "transient"
duration = 100.0
steps = 1000000
[output]
formats = ["csv", "hdf5"]
every = 5
[[probes]]
name = "tip"
group = "xmax"
component = "y"
"""


def _spin(beam: Path, number: int, *before: str) -> subprocess.CompletedProcess[str]:
    """Send a signal to a run that is under way."""
    text = beam.read_text()
    beam.write_text(text[: text.index("[analysis]")] + SPIN)
    process = subprocess.Popen(
        [*before, sys.executable, "-m", "flexforge", "run", str(beam)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=beam.parent,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )  # fmt: skip
    try:
        probes = beam.parent / "beam.results" / "probes.csv"
        deadline = time.monotonic() + 60
        while not (probes.is_file() and probes.read_text().count("\n") > 20):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(number)
        try:
            out, err = process.communicate(timeout=60 if not before else 1)
        except subprocess.TimeoutExpired:  # it goes on
            process.kill()
            out, err = process.communicate()
    finally:
        process.kill()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def test_a_signal_keeps_what_is_done(beam: Path, flexforge) -> None:
    """The exit code is that of the signal, frames and rows are whole, and the summary tells it."""
    done = _spin(beam, signal.SIGTERM)
    assert done.returncode == 128 + signal.SIGTERM, done.stderr
    folder = beam.parent / "beam.results"
    summary = json.loads((folder / "summary.json").read_text())
    assert done.stderr == (
        f"flexforge: interrupted by SIGTERM after {summary['progress']['done']} of 1000000 steps; "
        "everything computed so far is kept in beam.results, and --resume goes on; "
        "flexforge report beam.results shows it\n"
    )
    assert (summary["status"], summary["reason"]) == ("interrupted", "interrupted by SIGTERM")
    assert summary["progress"]["done"] >= 19 and summary["progress"]["total"] == 1_000_000
    assert summary["progress"]["time"] == pytest.approx(1e-4 * summary["progress"]["done"])
    # The signal may come between a frame and the note of its step.
    assert summary["frames"] - 1 - summary["progress"]["done"] // 5 in (0, 1)
    assert not list(folder.glob(".*.tmp"))
    assert flexforge("animate", folder, "--frames", 2).code == 0


def test_a_signal_waits_for_what_is_being_written() -> None:
    """It is handled at the end of the block, by the handler that was set before, once."""
    done = []
    with pytest.raises(KeyboardInterrupt, match="SIGTERM"), ended_by_signals(), shielded():
        signal.raise_signal(signal.SIGTERM)
        done.append("written")
    assert done == ["written"]


@pytest.mark.slow
def test_a_killed_run_can_be_looked_at(beam: Path, flexforge) -> None:
    """After SIGKILL report and animation show what there is; the next run replaces all of it."""
    assert _spin(beam, signal.SIGKILL).returncode == -signal.SIGKILL
    folder = beam.parent / "beam.results"
    assert json.loads((folder / "summary.json").read_text())["status"] == "running"
    assert flexforge("animate", folder, "--frames", 2).code == 0
    said = flexforge("report", folder, "--json")
    assert said.json["mended"] is True
    beam.write_text(
        beam.read_text().replace("duration = 100.0\nsteps = 1000000", "steps = 2\nduration = 1")
    )
    assert flexforge("run", beam).code == 0
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["status"] == "finished" and summary["progress"]["done"] == 2


@pytest.mark.slow
def test_nohup_is_respected(beam: Path) -> None:
    """A run that was started to outlive its terminal does."""
    done = _spin(beam, signal.SIGHUP, "nohup")
    assert done.returncode == -signal.SIGKILL, done.stderr


@pytest.fixture
def unhandled() -> Iterator[None]:
    """Signals as a shell leaves them: these tests may run under nohup, which ignores SIGHUP."""
    before = {one: signal.signal(one, signal.SIG_DFL) for one in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("unhandled")
def test_repeated_signals_are_one_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """A closed terminal sends several: those within a second do not disturb what is being kept."""
    now = [100.0]
    monkeypatch.setattr(interrupts.time, "monotonic", lambda: now[0])
    with ended_by_signals():
        with pytest.raises(EndedError, match="SIGHUP"):
            signal.raise_signal(signal.SIGHUP)
        now[0] += 0.9
        signal.raise_signal(signal.SIGTERM)
        now[0] += 1.1
        with pytest.raises(EndedError, match="SIGTERM"):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_a_thread_runs_commands_too(flexforge) -> None:
    """Where signals cannot be handled, as in a thread of somebody's program, commands run."""
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(flexforge("elements").code))
    thread.start()
    thread.join()
    assert codes == [0]


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_within_a_destructor_is_not_lost(
    name: str, request: pytest.FixtureRequest
) -> None:
    """Python prints what is raised in a destructor and goes on; the request is made again."""
    number = getattr(signal, name)
    if name == "SIGINT":  # which workers of pytest ignore
        before = signal.signal(number, signal.default_int_handler)
        request.addfinalizer(lambda: signal.signal(number, before))

    class Slow:
        def __del__(self) -> None:
            signal.raise_signal(number)

    with pytest.raises(KeyboardInterrupt), ended_by_signals():
        slow = Slow()
        del slow
        deadline = time.monotonic() + 10.0
        while time.monotonic() < deadline:
            time.sleep(0.01)
