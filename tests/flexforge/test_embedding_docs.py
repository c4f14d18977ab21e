# SPDX-License-Identifier: BSD-3-Clause
"""The page on embedding, and geometry on the page on kernels: run as a reader would run them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from pages import DOCS, FENCE, Failed, follow, reader_path

PAGE = DOCS / "embedding.md"


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH as a reader has it, with a C compiler that does not optimize.

    That takes longer than the programs do; ``.ci/exports`` compiles their models as a user does.
    """
    folder = tmp_path / "commands"
    found = reader_path(folder)
    if compiler := shutil.which("cc"):
        (folder / "cc").write_text(f'#!/bin/sh\nexec {compiler} "$@" -O0\n', encoding="utf-8")
        (folder / "cc").chmod(0o755)
    return found


def works(command: str) -> bool:
    """Whether a command is there and runs."""
    return (
        bool(shutil.which(command))
        and not subprocess.run([command, "--version"], capture_output=True, check=False).returncode
    )


@pytest.mark.slow
def test_every_program_of_the_page_runs(path: str, tmp_path: Path):
    """All commands end well; the C program and the Python program print the same motion."""
    for command in ("cmake", "cc"):
        if not works(command):
            pytest.skip(f"{command} is not installed")
    folder = tmp_path / "reader"
    folder.mkdir()
    page = PAGE.read_text(encoding="utf-8")
    printed = follow(page, folder, path)
    names = [option[5:] for _, option, _ in FENCE.findall(page) if option]
    assert {"arm.toml", "brake.c", "arm.py", "couple.py", "motor.c"} <= set(names)
    assert all(f"python3 {name}" in printed for name in names if name.endswith(".py"))
    tip, torque = map(float, re.findall(r"[-+.\de]+(?= m,| N m)", printed["./brake"]))
    assert float(printed["python3 arm.py"].split()[1]) == pytest.approx(tip, rel=1e-6)
    assert torque != 0.0
    coupled = list(map(float, re.findall(r"[-+.\de]+(?= m,| N m)", printed["python3 couple.py"])))
    assert len(coupled) == 2
    # A wheel whose energy is 9 J keeps its speed of 30 rad/s but for a slider of 0.05 kg at 3 m/s.
    angle, speed, _ = map(float, re.findall(r"[-+.\de]+(?= rad| N\b)", printed["./motor"]))
    assert angle == pytest.approx(0.2 * 30.0, rel=0.02)
    assert speed == pytest.approx(30.0, rel=0.05)
    sine, rate = map(float, re.findall(r"[-+.\de]+(?=,| rad)", printed["./swing_up"]))
    assert sine > 0.9 and abs(rate) < 2.0  # swung up, by 6 N m of the 9.81 N m that it weighs
    table = printed["build/arm_main"].splitlines()
    assert table[0] == "time,tip,torque"
    assert len(table) == 1002


def test_the_program_on_geometry_of_the_page_on_kernels_runs(path: str, tmp_path: Path):
    """A triangle that is turned over is found, and the page shows what the program prints.

    K_11 = t G / 2 of a right triangle with legs of 1, whose first function changes along y.
    """
    if not works("cc"):
        pytest.skip("cc is not installed")
    page = (PAGE.parent / "kernels.md").read_text(encoding="utf-8")
    folder = tmp_path / "reader"
    folder.mkdir()
    said = follow(page, folder, path)["./clockwise"]
    shown = re.search(r"prints\n\n((?:    .*\n)+)", page)
    assert shown is not None
    assert said == re.sub(r"^    ", "", shown[1], flags=re.MULTILINE)
    turned, good = re.findall(r"begins with (\S+)\n", said)
    assert float(good) == -float(turned) == pytest.approx(0.01 * 2e11 / 2.6 / 2, rel=1e-2)


@pytest.mark.parametrize("command", ["false", "no_such_command_of_this_page", "cat missing.txt"])
def test_a_command_that_fails_is_found(command: str, path: str, tmp_path: Path):
    """A page is wrong when one of its commands is."""
    page = f"```text file=there.txt\nhello\n```\n\n```console\n$ cat there.txt\n$ {command}\n```\n"
    with pytest.raises(Failed, match=command.split()[0]):
        follow(page, tmp_path, path)
    assert (tmp_path / "there.txt").read_text(encoding="utf-8") == "hello\n"
