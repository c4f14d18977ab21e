# SPDX-License-Identifier: BSD-3-Clause
"""No file of others ends in a traceback, a hang, a crash or figures that are not finite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest
from flexforge.codegen.errors import InputError
from fuzzing.target import NonFinite, Target
from fuzzing.worker import try_inputs

HERE = Path(__file__).parent


def fuzzing(*arguments: str) -> dict:
    """Run the net in a process of its own, as it forks, and return what it counted."""
    done = subprocess.run(
        [sys.executable, "-m", "fuzzing", "--json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=HERE,
        env=os.environ | {"PYTHONPATH": str(HERE)},
    )
    assert done.stdout, done.stderr
    return json.loads(done.stdout)


def test_no_input_is_a_finding_again() -> None:
    """Every input that was one once is read or refused as it should be."""
    assert fuzzing("--replay")["found"] == []


@pytest.mark.slow
def test_every_reader_stands_a_thousand_files() -> None:
    """Inputs of a fixed seed: none is a finding."""
    said = fuzzing("--short", "--seed", "1")
    assert said["found"] == []
    tried = {name: count["inputs"] for name, count in said["targets"].items()}
    drawing = {"report-hdf5", "animate"}  # seconds each: `make fuzz` tries them
    assert len(tried) >= 25 and {name for name, count in tried.items() if not count} == drawing
    assert sum(tried.values()) >= 1200
    # A net that refuses everything would find nothing: many inputs are still valid.
    mute = [name for name, count in said["targets"].items() if not count["accepted"]]
    assert not [name for name in mute if tried[name] >= 50]


def _attempt(path: Path) -> None:
    """Do what the input says, as a reader with faults would."""
    match path.read_text():
        case "refuse":
            raise InputError("found a line; expected another")
        case "escape":
            raise InputError("found \x1b[31m; expected text")
        case "raise":
            raise KeyError("a")
        case "exit":
            sys.exit(3)
        case "nan":
            raise NonFinite("a figure is not finite")
        case "memory":
            bytearray(1 << 40)
        case "hang":
            time.sleep(60)
        case "crash":
            os.abort()
        case "print":
            os.write(1, b"a library talks")


WORDS = ("read", "refuse", "raise", "exit", "nan", "memory", "print", "crash", "hang", "read")


def test_the_net_catches_what_it_must(tmp_path: Path) -> None:
    """Every kind of fault of a reader is found, with the number of its input, and work goes on."""
    target = Target("a", "a.txt", list, lambda rng, seeds: b"", _attempt, limit=1.0)
    folder = tmp_path / "a"
    folder.mkdir()
    begun = time.monotonic()
    tried = try_inputs(
        target, lambda number: WORDS[number].encode(), range(len(WORDS)), folder, float("inf")
    )
    assert (tried.inputs, tried.accepted) == (len(WORDS), 3)  # read, print, read
    found = {WORDS[number]: finding.kind for number, finding in tried.findings}
    assert found == {
        "raise": "traceback",
        "exit": "traceback",
        "nan": "non-finite",
        "memory": "memory",
        "print": "noise",
        "crash": "crash",
        "hang": "hang",
    }
    assert time.monotonic() - begun < 10


def test_a_message_is_looked_at_as_the_user_sees_it(tmp_path: Path) -> None:
    """Characters that command a terminal are written out on the way to it."""
    from fuzzing.verdict import REFUSED, attempt

    target = Target("a", "a.txt", list, lambda rng, seeds: b"", _attempt)
    path = tmp_path / "a.txt"
    path.write_text("escape")
    assert attempt(target, path) == REFUSED


@pytest.mark.parametrize("name", ["formula", "mesh-gmsh-binary", "check"])
def test_an_input_depends_on_its_seed_and_number_alone(name: str) -> None:
    """What is found can be made again, in another process and after other inputs."""
    from fuzzing.registry import TARGETS

    target = next(one for one in TARGETS if one.name == name)
    seeds = target.seeds()
    numbers = range(len(seeds) + 10, len(seeds) + 25)  # those before are the seeds themselves
    first = [target.input(seeds, 7, number) for number in numbers]
    Random(1).random()
    assert [target.input(seeds, 7, number) for number in reversed(numbers)] == first[::-1]
    assert len(set(first)) > 10
    assert [target.input(seeds, 8, number) for number in numbers] != first
