# SPDX-License-Identifier: BSD-3-Clause
"""``flexforge export`` and ``flexforge.export``: files, words, refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import flexforge as ff
import pytest

ARM = Path(__file__).parents[2] / "examples" / "motor" / "arm.toml"
PAGE = Path(__file__).parents[2] / "docs" / "embedding.md"


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
    """A folder with something else in it is refused, and kept; --overwrite writes beside it."""
    folder = tmp_path / "arm"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "thesis.txt").write_text("years of work")
    said = flexforge("export", ARM, "-o", folder)
    assert said.code == 2
    assert "src/thesis.txt" in said.error
    assert flexforge("export", ARM, "-o", folder, "--overwrite").code == 0
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
    """A file or a loaded model, as a library."""
    written = ff.export(ARM, tmp_path / "c", name="my arm")
    assert tmp_path / "c" / "src" / "my_arm.c" in written
    again = ff.load_model(ARM).export(tmp_path / "again", "c-library", name="my arm")
    assert [path.relative_to(tmp_path / "again") for path in again] == [
        path.relative_to(tmp_path / "c") for path in written
    ]


@pytest.mark.slow  # its binary is optimized, as that of `flexforge export`
def test_an_fmu_in_python(tmp_path: Path) -> None:
    """One file."""
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


@pytest.mark.slow
@pytest.mark.parametrize("name", ["crank", "plate"])
def test_the_same_bytes_in_any_process(name: str, tmp_path: Path) -> None:
    """A mechanism and a mesh, kernels derived anew: hash seeds change no file."""
    text = re.search(rf"^```toml file={name}.toml\n(.*?)^```$", PAGE.read_text(), re.S | re.M)
    assert text is not None
    (tmp_path / "model.toml").write_text(text[1])
    trees = []
    for seed in ("1", "4242"):
        folder = tmp_path / seed
        command = [sys.executable, "-m", "flexforge", "export", tmp_path / "model.toml"]
        caches = {"PYTHONHASHSEED": seed, "FLEXFORGE_CACHE": str(tmp_path / f"cache{seed}")}
        subprocess.run([*command, "-o", folder], env=os.environ | caches, check=True)
        files = (path for path in folder.rglob("*") if path.is_file())
        trees.append({path.relative_to(folder): path.read_bytes() for path in files})
    assert trees[0] == trees[1]
    assert len(trees[0]) > 20
