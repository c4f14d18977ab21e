# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge export`` and ``flexforge.export``: files, words, refusals."""

from __future__ import annotations

import json
from pathlib import Path

import flexforge as ff
import pytest

ARM = Path(__file__).parents[2] / "examples" / "motor" / "arm.toml"


def test_a_library_from_the_command_line(flexforge, tmp_path: Path) -> None:
    """Files, inputs and outputs are named; a second export replaces the first."""
    for _ in range(2):
        said = flexforge("export", ARM, "-o", tmp_path / "arm", "--json")
        assert said.code == 0
    told = json.loads(said.out)
    assert told["inputs"] == ["alpha"]
    assert told["outputs"] == ["tip", "torque"]
    assert {*told["files"]} >= {"include/arm.h", "src/arm.c", "example/main.c", "CMakeLists.txt"}
    assert (tmp_path / "arm" / "include" / "arm.h").is_file()


def test_files_of_others_are_left_alone(flexforge, tmp_path: Path) -> None:
    """A folder with something else in it is refused, and kept; --force writes beside it."""
    folder = tmp_path / "arm"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "thesis.txt").write_text("years of work")
    said = flexforge("export", ARM, "-o", folder)
    assert said.code == 2
    assert "src/thesis.txt" in said.error
    assert flexforge("export", ARM, "-o", folder, "--force").code == 0
    assert (folder / "src" / "thesis.txt").read_text() == "years of work"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--as", "fmu4"], "did you mean 'fmu3'?"),
        (["--as", "fmu2", "--platforms", "linux-x86"], "did you mean 'linux-x86_64'?"),
        (["--platforms", "linux-x86_64"], "found with c-library"),
    ],
)
def test_wrong_options(flexforge, options: list[str], words: str, tmp_path: Path) -> None:
    """One line each, exit code 2, nothing written."""
    said = flexforge("export", ARM, "-o", tmp_path / "out", *options)
    assert said.code == 2
    assert words in said.error
    assert not (tmp_path / "out").exists()


def test_in_python(tmp_path: Path) -> None:
    """A file or a loaded model, as a library or as an FMU."""
    written = ff.export(ARM, tmp_path / "c", name="my arm")
    assert tmp_path / "c" / "src" / "my_arm.c" in written
    assert ff.load_model(ARM).export(tmp_path / "fmu", "fmu3") == [tmp_path / "fmu" / "arm.fmu"]


def test_a_start_that_shapes_leave_out_is_said(flexforge, tmp_path: Path) -> None:
    """The arm starts in a wave of ten periods, which its six vibrations do not hold."""
    wavy = '[[initial]]\nvelocity = [0, "sin(2 * 3.14159265 * 10 * (x - 0.05) / 0.6)", 0]\n'
    (tmp_path / "wavy.toml").write_text(ARM.read_text() + wavy)
    said = flexforge("export", tmp_path / "wavy.toml", "-o", tmp_path / "wavy")
    assert said.code == 0
    assert "warning: initial: the shapes leave" in said.err
    assert "of the velocity at t = 0 out" in said.err
    assert "warning" not in flexforge("export", ARM, "-o", tmp_path / "arm").err
